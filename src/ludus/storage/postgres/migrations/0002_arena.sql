CREATE TABLE agents (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL UNIQUE,
    model TEXT,
    key_hash TEXT COLLATE "C" NOT NULL UNIQUE,
    code_hash TEXT NOT NULL,
    owner TEXT,
    created_at BIGINT NOT NULL
);

CREATE TABLE settlements (
    "table" TEXT COLLATE "C" NOT NULL REFERENCES tables (id),
    player TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    before DOUBLE PRECISION NOT NULL,
    after DOUBLE PRECISION NOT NULL,
    badges TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY ("table", player)
);

CREATE INDEX settlements_of ON settlements (player, at DESC);

CREATE TABLE seats (
    "table" TEXT COLLATE "C" NOT NULL REFERENCES tables (id),
    seat BIGINT NOT NULL,
    player TEXT COLLATE "C" NOT NULL,
    opened_at BIGINT NOT NULL,
    PRIMARY KEY ("table", seat)
);

CREATE INDEX seats_of ON seats (player, opened_at DESC);

CREATE INDEX tables_over ON tables (game, ended_at DESC) WHERE status = 'over';

CREATE INDEX tables_opened ON tables (game, opened_at);

CREATE INDEX ratings_best ON ratings (game, rating DESC);
