-- compatible: 0008
-- The opening explorer: how often each move was played in a position and how those games ended, the games to show as
-- examples, and finished games that have not been counted yet. Positions and games are 64-bit digests. Tables are not
-- referenced, since earlier versions, which do not know these rows, may delete them.

CREATE TABLE explorer_moves (
    position INTEGER NOT NULL,
    move TEXT NOT NULL,
    games INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    rated INTEGER NOT NULL,
    ratings INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    example INTEGER,
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;

CREATE TABLE explorer_games (
    number INTEGER PRIMARY KEY,
    "table" TEXT NOT NULL
) STRICT;

CREATE TABLE explorer_queue (
    "table" TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

INSERT INTO explorer_queue SELECT id FROM tables WHERE status = 'over' AND mode NOT IN ('exhibition', 'test');

-- in the transaction that ends the game, also in one of an earlier version
CREATE TRIGGER tables_queue AFTER UPDATE OF status ON tables
WHEN OLD.status <> 'over' AND NEW.status = 'over' AND NEW.mode NOT IN ('exhibition', 'test')
BEGIN
    INSERT INTO explorer_queue ("table") VALUES (NEW.id);
END;
