-- compatible: 0008
-- Games that house bots play for spectators are in no statistics.

CREATE OR REPLACE FUNCTION count_finished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.result::json ->> 'reason' <> 'cancelled' AND NEW.mode <> 'exhibition' THEN
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
    IF NEW.mode <> 'exhibition' THEN
        INSERT INTO openings (game, hour, slot, number)
        VALUES (NEW.game, NEW.opened_at / 3600000, pg_backend_pid() % 16, 1)
        ON CONFLICT (game, hour, slot) DO UPDATE SET number = openings.number + 1;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION uncount_opening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.mode <> 'exhibition' THEN
        INSERT INTO openings (game, hour, slot, number)
        VALUES (OLD.game, OLD.opened_at / 3600000, pg_backend_pid() % 16, -1)
        ON CONFLICT (game, hour, slot) DO UPDATE SET number = openings.number - 1;
    END IF;
    RETURN NULL;
END $$;
