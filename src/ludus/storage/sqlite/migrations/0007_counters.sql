-- Counters and indexes, so that no read looks at all games. Triggers keep them in the transaction of the change.

-- from here on every finished game is counted when it ends, not only those that are no longer stored
INSERT INTO tallies (game, matches, milliseconds, decisive)
SELECT game, count(*), sum(ended_at - opened_at), sum(json_extract(result, '$.winner') IS NOT NULL)
FROM tables
WHERE status = 'over' AND json_extract(result, '$.reason') <> 'cancelled'
GROUP BY game
ON CONFLICT (game) DO UPDATE SET
matches = matches + excluded.matches,
milliseconds = milliseconds + excluded.milliseconds,
decisive = decisive + excluded.decisive;

CREATE TRIGGER tables_end AFTER UPDATE OF status ON tables
WHEN OLD.status <> 'over' AND NEW.status = 'over' AND json_extract(NEW.result, '$.reason') <> 'cancelled'
BEGIN
    INSERT INTO tallies (game, matches, milliseconds, decisive)
    VALUES (NEW.game, 1, NEW.ended_at - NEW.opened_at, json_extract(NEW.result, '$.winner') IS NOT NULL)
    ON CONFLICT (game) DO UPDATE SET
    matches = matches + 1,
    milliseconds = milliseconds + excluded.milliseconds,
    decisive = decisive + excluded.decisive;
END;

-- stored tables by the hour they were opened in
CREATE TABLE openings (
    game TEXT NOT NULL,
    hour INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (game, hour)
) STRICT, WITHOUT ROWID;

INSERT INTO openings SELECT game, opened_at / 3600000, count(*) FROM tables GROUP BY 1, 2;

CREATE TRIGGER tables_insert AFTER INSERT ON tables
BEGIN
    INSERT INTO openings (game, hour, number) VALUES (NEW.game, NEW.opened_at / 3600000, 1)
    ON CONFLICT (game, hour) DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER tables_delete AFTER DELETE ON tables
BEGIN
    UPDATE openings SET number = number - 1 WHERE game = OLD.game AND hour = OLD.opened_at / 3600000;
END;

CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO counters SELECT 'agents', count(*) FROM agents;

CREATE TRIGGER agents_insert AFTER INSERT ON agents
BEGIN
    UPDATE counters SET number = number + 1 WHERE name = 'agents';
END;

CREATE TRIGGER agents_delete AFTER DELETE ON agents
BEGIN
    UPDATE counters SET number = number - 1 WHERE name = 'agents';
END;

-- a player's unfinished games, however many finished ones there are
ALTER TABLE seats ADD COLUMN is_over INTEGER NOT NULL DEFAULT 0;

UPDATE seats SET is_over = 1 WHERE "table" IN (SELECT id FROM tables WHERE status = 'over');

CREATE INDEX seats_live ON seats (player) WHERE is_over = 0;

CREATE TRIGGER tables_end_seats AFTER UPDATE OF status ON tables
WHEN OLD.status <> 'over' AND NEW.status = 'over'
BEGIN
    UPDATE seats SET is_over = 1 WHERE "table" = NEW.id;
END;

CREATE INDEX settlements_badges ON settlements (player, at) WHERE badges <> '[]';

-- the ratings of agents and bots, however many people have a higher one
CREATE INDEX ratings_public ON ratings (game, rating DESC, player)
WHERE substr(player, 1, 6) = 'agent/' OR substr(player, 1, 4) = 'bot/';

CREATE INDEX deliveries_page ON deliveries (tenant, id);
