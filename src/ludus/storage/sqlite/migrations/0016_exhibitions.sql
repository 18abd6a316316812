-- compatible: 0008
-- Games that house bots play for spectators are in no statistics.

DROP TRIGGER tables_end;

CREATE TRIGGER tables_end AFTER UPDATE OF status ON tables
WHEN OLD.status <> 'over' AND NEW.status = 'over' AND json_extract(NEW.result, '$.reason') <> 'cancelled'
AND NEW.mode <> 'exhibition'
BEGIN
    INSERT INTO tallies (game, matches, milliseconds, decisive)
    VALUES (NEW.game, 1, NEW.ended_at - NEW.opened_at, json_extract(NEW.result, '$.winner') IS NOT NULL)
    ON CONFLICT (game) DO UPDATE SET
    matches = matches + 1,
    milliseconds = milliseconds + excluded.milliseconds,
    decisive = decisive + excluded.decisive;
END;

DROP TRIGGER tables_insert;

CREATE TRIGGER tables_insert AFTER INSERT ON tables
WHEN NEW.mode <> 'exhibition'
BEGIN
    INSERT INTO openings (game, hour, number) VALUES (NEW.game, NEW.opened_at / 3600000, 1)
    ON CONFLICT (game, hour) DO UPDATE SET number = number + 1;
END;

DROP TRIGGER tables_delete;

CREATE TRIGGER tables_delete AFTER DELETE ON tables
WHEN OLD.mode <> 'exhibition'
BEGIN
    UPDATE openings SET number = number - 1 WHERE game = OLD.game AND hour = OLD.opened_at / 3600000;
END;
