-- compatible: 0008
-- The opening explorer: how often each move was played in a position and how those games ended, the games to show as
-- examples, and finished games that have not been counted yet. Positions and games are 64-bit digests. Tables are not
-- referenced, since earlier versions, which do not know these rows, may delete them.

CREATE TABLE explorer_moves (
    position BIGINT NOT NULL,
    move TEXT COLLATE "C" NOT NULL,
    games BIGINT NOT NULL,
    wins BIGINT NOT NULL,
    draws BIGINT NOT NULL,
    rated BIGINT NOT NULL,
    ratings BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    rank BIGINT NOT NULL,
    example BIGINT,
    PRIMARY KEY (position, move)
);

CREATE TABLE explorer_games (
    number BIGINT PRIMARY KEY,
    "table" TEXT COLLATE "C" NOT NULL
);

CREATE TABLE explorer_queue (
    "table" TEXT COLLATE "C" NOT NULL PRIMARY KEY
);

INSERT INTO explorer_queue SELECT id FROM tables WHERE status = 'over' AND mode NOT IN ('exhibition', 'test');

-- in the transaction that ends the game, also in one of an earlier version
CREATE FUNCTION queue_for_explorer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO explorer_queue ("table") VALUES (NEW.id);
    RETURN NULL;
END $$;

CREATE TRIGGER tables_queue AFTER UPDATE OF status ON tables
FOR EACH ROW WHEN (OLD.status <> 'over' AND NEW.status = 'over' AND NEW.mode NOT IN ('exhibition', 'test'))
EXECUTE FUNCTION queue_for_explorer();
