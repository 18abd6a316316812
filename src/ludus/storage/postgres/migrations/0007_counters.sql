-- Counters and indexes, so that no read looks at all games. Triggers keep them in the transaction of the change.

-- from here on every finished game is counted when it ends, not only those that are no longer stored
INSERT INTO tallies (game, matches, milliseconds, decisive)
SELECT game, count(*), sum(ended_at - opened_at), count(result::json ->> 'winner')
FROM tables
WHERE status = 'over' AND result::json ->> 'reason' <> 'cancelled'
GROUP BY game
ON CONFLICT (game) DO UPDATE SET
matches = tallies.matches + excluded.matches,
milliseconds = tallies.milliseconds + excluded.milliseconds,
decisive = tallies.decisive + excluded.decisive;

-- stored tables by the hour they were opened in
CREATE TABLE openings (
    game TEXT COLLATE "C" NOT NULL,
    hour BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (game, hour)
);

INSERT INTO openings SELECT game, opened_at / 3600000, count(*) FROM tables GROUP BY 1, 2;

CREATE TABLE counters (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL
);

INSERT INTO counters SELECT 'agents', count(*) FROM agents;

-- a player's unfinished games, however many finished ones there are
ALTER TABLE seats ADD COLUMN is_over BIGINT NOT NULL DEFAULT 0;

UPDATE seats SET is_over = 1 WHERE "table" IN (SELECT id FROM tables WHERE status = 'over');

CREATE INDEX seats_live ON seats (player) WHERE is_over = 0;

CREATE INDEX settlements_badges ON settlements (player, at) WHERE badges <> '[]';

-- the ratings of agents and bots, however many people have a higher one
CREATE INDEX ratings_public ON ratings (game, rating DESC, player)
WHERE substr(player, 1, 6) = 'agent/' OR substr(player, 1, 4) = 'bot/';

CREATE INDEX deliveries_page ON deliveries (tenant, id);

CREATE FUNCTION count_finished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.result::json ->> 'reason' <> 'cancelled' THEN
        INSERT INTO tallies (game, matches, milliseconds, decisive)
        VALUES (NEW.game, 1, NEW.ended_at - NEW.opened_at, (NEW.result::json ->> 'winner' IS NOT NULL)::int)
        ON CONFLICT (game) DO UPDATE SET
        matches = tallies.matches + 1,
        milliseconds = tallies.milliseconds + excluded.milliseconds,
        decisive = tallies.decisive + excluded.decisive;
    END IF;
    UPDATE seats SET is_over = 1 WHERE "table" = NEW.id;
    RETURN NULL;
END $$;

CREATE TRIGGER tables_end AFTER UPDATE OF status ON tables
FOR EACH ROW WHEN (OLD.status <> 'over' AND NEW.status = 'over') EXECUTE FUNCTION count_finished();

CREATE FUNCTION count_opening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO openings (game, hour, number) VALUES (NEW.game, NEW.opened_at / 3600000, 1)
    ON CONFLICT (game, hour) DO UPDATE SET number = openings.number + 1;
    RETURN NULL;
END $$;

CREATE TRIGGER tables_insert AFTER INSERT ON tables
FOR EACH ROW EXECUTE FUNCTION count_opening();

CREATE FUNCTION uncount_opening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE openings SET number = number - 1 WHERE game = OLD.game AND hour = OLD.opened_at / 3600000;
    RETURN NULL;
END $$;

CREATE TRIGGER tables_delete AFTER DELETE ON tables
FOR EACH ROW EXECUTE FUNCTION uncount_opening();

CREATE FUNCTION count_agents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE counters SET number = number + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END WHERE name = 'agents';
    RETURN NULL;
END $$;

CREATE TRIGGER agents_count AFTER INSERT OR DELETE ON agents
FOR EACH ROW EXECUTE FUNCTION count_agents();
