-- Data that are erased or kept for a limited time.

CREATE TABLE erasures (
    subject TEXT NOT NULL PRIMARY KEY,
    tenant TEXT,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- finished games that are no longer stored
CREATE TABLE tallies (
    game TEXT NOT NULL PRIMARY KEY,
    matches INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL,
    decisive INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- a rating change outlives its table: no foreign key
CREATE TABLE rating_changes (
    "table" TEXT NOT NULL,
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    before REAL NOT NULL,
    after REAL NOT NULL,
    badges TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY ("table", player)
) STRICT, WITHOUT ROWID;

INSERT INTO rating_changes SELECT "table", player, game, before, after, badges, at FROM settlements;

DROP TABLE settlements;

ALTER TABLE rating_changes RENAME TO settlements;

CREATE INDEX settlements_of ON settlements (player, at DESC);

ALTER TABLE sessions ADD COLUMN first_player TEXT GENERATED ALWAYS AS (json_extract(players, '$[0].id')) VIRTUAL;

ALTER TABLE sessions ADD COLUMN second_player TEXT GENERATED ALWAYS AS (json_extract(players, '$[1].id')) VIRTUAL;

CREATE INDEX sessions_first ON sessions (tenant, first_player);

CREATE INDEX sessions_second ON sessions (tenant, second_player) WHERE second_player IS NOT NULL;

CREATE INDEX sessions_ended ON sessions (created_at) WHERE status = 'ended';

CREATE INDEX tables_ended ON tables (ended_at) WHERE status = 'over';

CREATE INDEX deliveries_session ON deliveries (session);
