-- compatible: 0008
-- Puzzles: how far players got with each, the ratings of players and puzzles, and streaks. Puzzles themselves are files.

CREATE TABLE puzzle_attempts (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    puzzle TEXT NOT NULL,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    found INTEGER NOT NULL,
    at INTEGER NOT NULL,
    before REAL,
    after REAL,
    PRIMARY KEY (player, game, puzzle)
) STRICT, WITHOUT ROWID;

CREATE INDEX puzzle_attempts_latest ON puzzle_attempts (player, at DESC, puzzle DESC);

CREATE TABLE puzzle_ratings (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    volatility REAL NOT NULL,
    games INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    opponents INTEGER NOT NULL,
    PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;

-- as the index of the people's leaderboard
CREATE INDEX puzzle_ratings_people ON puzzle_ratings (game, rating DESC, player)
WHERE substr(player, 1, 7) = 'person/' AND deviation <= 90 AND opponents >= 5;

CREATE TABLE puzzle_streaks (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    version INTEGER NOT NULL,
    streak INTEGER NOT NULL,
    best INTEGER NOT NULL,
    days INTEGER NOT NULL,
    best_days INTEGER NOT NULL,
    last_day INTEGER NOT NULL,
    PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;
