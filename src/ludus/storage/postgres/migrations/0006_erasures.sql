-- Data that are erased or kept for a limited time.

CREATE TABLE erasures (
    subject TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    tenant TEXT,
    at BIGINT NOT NULL
);

-- finished games that are no longer stored
CREATE TABLE tallies (
    game TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    matches BIGINT NOT NULL,
    milliseconds BIGINT NOT NULL,
    decisive BIGINT NOT NULL
);

-- a rating change outlives its table: no foreign key
ALTER TABLE settlements DROP CONSTRAINT settlements_table_fkey;

ALTER TABLE sessions ADD COLUMN first_player TEXT COLLATE "C"
GENERATED ALWAYS AS (players::json -> 0 ->> 'id') STORED;

ALTER TABLE sessions ADD COLUMN second_player TEXT COLLATE "C"
GENERATED ALWAYS AS (players::json -> 1 ->> 'id') STORED;

CREATE INDEX sessions_first ON sessions (tenant, first_player);

CREATE INDEX sessions_second ON sessions (tenant, second_player) WHERE second_player IS NOT NULL;

CREATE INDEX sessions_ended ON sessions (created_at) WHERE status = 'ended';

CREATE INDEX tables_ended ON tables (ended_at) WHERE status = 'over';

CREATE INDEX deliveries_session ON deliveries (session);
