-- compatible: 0008
-- People's finished games, results, friends, blocks, challenges, reports and presence. Tables are not referenced, since earlier
-- versions, which do not know these rows, may delete them.

CREATE TABLE history (
    player TEXT COLLATE "C" NOT NULL,
    ended_at BIGINT NOT NULL,
    "table" TEXT COLLATE "C" NOT NULL,
    is_public BIGINT NOT NULL,
    PRIMARY KEY (player, ended_at, "table")
);

CREATE INDEX history_public ON history (player, ended_at, "table") WHERE is_public = 1;

CREATE INDEX history_table ON history ("table");

CREATE TABLE scores (
    player TEXT COLLATE "C" NOT NULL,
    opponent TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    wins BIGINT NOT NULL,
    draws BIGINT NOT NULL,
    losses BIGINT NOT NULL,
    PRIMARY KEY (player, opponent, game)
);

CREATE INDEX scores_opponent ON scores (opponent);

CREATE TABLE friendships (
    person TEXT COLLATE "C" NOT NULL,
    friend TEXT COLLATE "C" NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (person, friend)
);

CREATE INDEX friendships_made ON friendships (person, made_at, friend);

CREATE INDEX friendships_friend ON friendships (friend);

CREATE TABLE friend_links (
    person TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    code TEXT COLLATE "C" NOT NULL UNIQUE,
    made_at BIGINT NOT NULL
);

CREATE TABLE blocks (
    person TEXT COLLATE "C" NOT NULL,
    blocked TEXT COLLATE "C" NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (person, blocked)
);

CREATE INDEX blocks_made ON blocks (person, made_at DESC, blocked);

CREATE INDEX blocks_blocked ON blocks (blocked, person);

CREATE TABLE challenges (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    challenger TEXT COLLATE "C" NOT NULL,
    opponent TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    time_control TEXT,
    is_rated BIGINT NOT NULL,
    state TEXT NOT NULL,
    session TEXT,
    made_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX challenges_waiting ON challenges (opponent, expires_at DESC, id) WHERE state = 'waiting';

CREATE INDEX challenges_opponent ON challenges (opponent);

CREATE INDEX challenges_from ON challenges (challenger, made_at DESC, id);

CREATE INDEX challenges_made ON challenges (made_at, id);

CREATE TABLE reports (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    person TEXT COLLATE "C" NOT NULL,
    player TEXT COLLATE "C" NOT NULL,
    "table" TEXT COLLATE "C" NOT NULL,
    reason TEXT NOT NULL,
    made_at BIGINT NOT NULL
);

CREATE INDEX reports_by ON reports (person, made_at DESC, id);

CREATE INDEX reports_player ON reports (player);

CREATE INDEX reports_made ON reports (made_at DESC, id DESC);

CREATE TABLE sightings (
    person TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seen_at BIGINT NOT NULL
);

-- as the index of the agents' and bots' leaderboard
CREATE INDEX ratings_people ON ratings (game, rating DESC, player)
WHERE substr(player, 1, 7) = 'person/' AND deviation <= 90 AND opponents >= 5;

-- the key of the only player whom a session's player wants to meet
ALTER TABLE sessions ADD COLUMN opponent TEXT NOT NULL DEFAULT '';
