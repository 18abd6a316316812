-- compatible: 0008
-- As for PostgreSQL, where each connection counts finished games in a row of its own; here nothing is counted in it.

CREATE TABLE tally_slots (
    game TEXT NOT NULL,
    slot INTEGER NOT NULL,
    matches INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL,
    decisive INTEGER NOT NULL,
    PRIMARY KEY (game, slot)
) STRICT, WITHOUT ROWID;
