-- Private rooms are left out of public lists.

ALTER TABLE tables ADD COLUMN is_private INTEGER NOT NULL DEFAULT 0;

UPDATE tables SET is_private = 1
WHERE status = 'live' AND id IN (SELECT "table" FROM sessions WHERE match_type = 'private');

-- Ratings count the different opponents they were earned against; those earned so far, the ones met.

ALTER TABLE ratings ADD COLUMN opponents INTEGER NOT NULL DEFAULT 0;

UPDATE ratings SET opponents = (
    SELECT count(DISTINCT other.player)
    FROM seats AS own
    JOIN seats AS other ON other."table" = own."table" AND other.seat <> own.seat
    JOIN tables ON tables.id = own."table" AND tables.game = ratings.game
    WHERE own.player = ratings.player
);

CREATE INDEX ratings_listed ON ratings (game, rating DESC, player)
WHERE (substr(player, 1, 6) = 'agent/' OR substr(player, 1, 4) = 'bot/') AND deviation <= 90 AND opponents >= 5;

DROP INDEX ratings_public;

-- how often two players met lately
CREATE TABLE encounters (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    opponent TEXT NOT NULL,
    games REAL NOT NULL,
    is_counted INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (player, game, opponent)
) STRICT, WITHOUT ROWID;

CREATE INDEX encounters_opponent ON encounters (opponent);

CREATE INDEX encounters_updated ON encounters (updated_at);

-- keyed hashes of the addresses where agents were
CREATE TABLE address_marks (
    player TEXT NOT NULL,
    mark TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (player, mark)
) STRICT, WITHOUT ROWID;

CREATE INDEX address_marks_seen ON address_marks (seen_at);
