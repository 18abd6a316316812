CREATE TABLE analyses (
    "table" TEXT NOT NULL PRIMARY KEY REFERENCES tables (id),
    engine TEXT NOT NULL,
    moves TEXT NOT NULL,
    made_at INTEGER NOT NULL
) STRICT;
