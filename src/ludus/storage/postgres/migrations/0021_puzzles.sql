-- compatible: 0008
-- Puzzles: how far players got with each, the ratings of players and puzzles, and streaks. Puzzles themselves are files.

CREATE TABLE puzzle_attempts (
    player TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    puzzle TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    state TEXT NOT NULL,
    found BIGINT NOT NULL,
    at BIGINT NOT NULL,
    before DOUBLE PRECISION,
    after DOUBLE PRECISION,
    PRIMARY KEY (player, game, puzzle)
);

CREATE INDEX puzzle_attempts_latest ON puzzle_attempts (player, at DESC, puzzle DESC);

CREATE TABLE puzzle_ratings (
    player TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    games BIGINT NOT NULL,
    wins BIGINT NOT NULL,
    draws BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    opponents BIGINT NOT NULL,
    PRIMARY KEY (player, game)
);

-- as the index of the people's leaderboard
CREATE INDEX puzzle_ratings_people ON puzzle_ratings (game, rating DESC, player)
WHERE substr(player, 1, 7) = 'person/' AND deviation <= 90 AND opponents >= 5;

CREATE TABLE puzzle_streaks (
    player TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    streak BIGINT NOT NULL,
    best BIGINT NOT NULL,
    days BIGINT NOT NULL,
    best_days BIGINT NOT NULL,
    last_day BIGINT NOT NULL,
    PRIMARY KEY (player, game)
);
