CREATE TABLE agents (
    id TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    model TEXT,
    key_hash TEXT NOT NULL UNIQUE,
    code_hash TEXT NOT NULL,
    owner TEXT,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settlements (
    "table" TEXT NOT NULL REFERENCES tables (id),
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    before REAL NOT NULL,
    after REAL NOT NULL,
    badges TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY ("table", player)
) STRICT, WITHOUT ROWID;

CREATE INDEX settlements_of ON settlements (player, at DESC);

CREATE TABLE seats (
    "table" TEXT NOT NULL REFERENCES tables (id),
    seat INTEGER NOT NULL,
    player TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    PRIMARY KEY ("table", seat)
) STRICT, WITHOUT ROWID;

CREATE INDEX seats_of ON seats (player, opened_at DESC);

CREATE INDEX tables_over ON tables (game, ended_at DESC) WHERE status = 'over';

CREATE INDEX tables_opened ON tables (game, opened_at);

CREATE INDEX ratings_best ON ratings (game, rating DESC);
