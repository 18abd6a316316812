-- compatible: 0008
-- Games begin and end in many processes at once. They are counted at the end of a transaction, and each connection counts
-- in a row of its own, a slot, so that no game waits until another process has stored its own.

-- first what others may be using: nothing else is locked meanwhile
DROP TRIGGER tables_insert ON tables;
DROP TRIGGER tables_delete ON tables;
DROP TRIGGER tables_end ON tables;
DROP TRIGGER agents_count ON agents;

ALTER TABLE openings ADD COLUMN slot BIGINT NOT NULL DEFAULT 0;
ALTER TABLE openings DROP CONSTRAINT openings_pkey;
ALTER TABLE openings ADD PRIMARY KEY (game, hour, slot);

-- to be added to `tallies`, of which older programs read one row a game
CREATE TABLE tally_slots (
    game TEXT COLLATE "C" NOT NULL,
    slot BIGINT NOT NULL,
    matches BIGINT NOT NULL,
    milliseconds BIGINT NOT NULL,
    decisive BIGINT NOT NULL,
    PRIMARY KEY (game, slot)
);

CREATE OR REPLACE FUNCTION count_finished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.result::json ->> 'reason' <> 'cancelled' THEN
        INSERT INTO tally_slots (game, slot, matches, milliseconds, decisive)
        VALUES (
            NEW.game, pg_backend_pid() % 16, 1, NEW.ended_at - NEW.opened_at,
            (NEW.result::json ->> 'winner' IS NOT NULL)::int
        )
        ON CONFLICT (game, slot) DO UPDATE SET
        matches = tally_slots.matches + 1,
        milliseconds = tally_slots.milliseconds + excluded.milliseconds,
        decisive = tally_slots.decisive + excluded.decisive;
    END IF;
    UPDATE seats SET is_over = 1 WHERE "table" = NEW.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_opening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO openings (game, hour, slot, number)
    VALUES (NEW.game, NEW.opened_at / 3600000, pg_backend_pid() % 16, 1)
    ON CONFLICT (game, hour, slot) DO UPDATE SET number = openings.number + 1;
    RETURN NULL;
END $$;

-- the number of a slot may be negative, since another one has counted the opening
CREATE OR REPLACE FUNCTION uncount_opening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO openings (game, hour, slot, number)
    VALUES (OLD.game, OLD.opened_at / 3600000, pg_backend_pid() % 16, -1)
    ON CONFLICT (game, hour, slot) DO UPDATE SET number = openings.number - 1;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER tables_insert AFTER INSERT ON tables DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION count_opening();

CREATE CONSTRAINT TRIGGER tables_delete AFTER DELETE ON tables DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION uncount_opening();

CREATE CONSTRAINT TRIGGER tables_end AFTER UPDATE OF status ON tables DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (OLD.status <> 'over' AND NEW.status = 'over') EXECUTE FUNCTION count_finished();

CREATE CONSTRAINT TRIGGER agents_count AFTER INSERT OR DELETE ON agents DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION count_agents();
