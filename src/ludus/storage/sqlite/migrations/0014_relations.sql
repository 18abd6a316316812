-- compatible: 0008
-- People's finished games, results, friends, blocks, challenges, reports and presence. Tables are not referenced, since earlier
-- versions, which do not know these rows, may delete them.

CREATE TABLE history (
    player TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    "table" TEXT NOT NULL,
    is_public INTEGER NOT NULL,
    PRIMARY KEY (player, ended_at, "table")
) STRICT, WITHOUT ROWID;

CREATE INDEX history_public ON history (player, ended_at, "table") WHERE is_public = 1;

CREATE INDEX history_table ON history ("table");

CREATE TABLE scores (
    player TEXT NOT NULL,
    opponent TEXT NOT NULL,
    game TEXT NOT NULL,
    wins INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    PRIMARY KEY (player, opponent, game)
) STRICT, WITHOUT ROWID;

CREATE INDEX scores_opponent ON scores (opponent);

CREATE TABLE friendships (
    person TEXT NOT NULL,
    friend TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    PRIMARY KEY (person, friend)
) STRICT, WITHOUT ROWID;

CREATE INDEX friendships_made ON friendships (person, made_at, friend);

CREATE INDEX friendships_friend ON friendships (friend);

CREATE TABLE friend_links (
    person TEXT NOT NULL PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    made_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE blocks (
    person TEXT NOT NULL,
    blocked TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    PRIMARY KEY (person, blocked)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocks_made ON blocks (person, made_at DESC, blocked);

CREATE INDEX blocks_blocked ON blocks (blocked, person);

CREATE TABLE challenges (
    id TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    challenger TEXT NOT NULL,
    opponent TEXT NOT NULL,
    game TEXT NOT NULL,
    time_control TEXT,
    is_rated INTEGER NOT NULL,
    state TEXT NOT NULL,
    session TEXT,
    made_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX challenges_waiting ON challenges (opponent, expires_at DESC, id) WHERE state = 'waiting';

CREATE INDEX challenges_opponent ON challenges (opponent);

CREATE INDEX challenges_from ON challenges (challenger, made_at DESC, id);

CREATE INDEX challenges_made ON challenges (made_at, id);

CREATE TABLE reports (
    id TEXT NOT NULL PRIMARY KEY,
    person TEXT NOT NULL,
    player TEXT NOT NULL,
    "table" TEXT NOT NULL,
    reason TEXT NOT NULL,
    made_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX reports_by ON reports (person, made_at DESC, id);

CREATE INDEX reports_player ON reports (player);

CREATE INDEX reports_made ON reports (made_at DESC, id DESC);

CREATE TABLE sightings (
    person TEXT NOT NULL PRIMARY KEY,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- as the index of the agents' and bots' leaderboard
CREATE INDEX ratings_people ON ratings (game, rating DESC, player)
WHERE substr(player, 1, 7) = 'person/' AND deviation <= 90 AND opponents >= 5;

-- the key of the only player whom a session's player wants to meet
ALTER TABLE sessions ADD COLUMN opponent TEXT NOT NULL DEFAULT '';
