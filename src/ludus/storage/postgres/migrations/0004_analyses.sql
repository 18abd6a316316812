CREATE TABLE analyses (
    "table" TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES tables (id),
    engine TEXT NOT NULL,
    moves TEXT NOT NULL,
    made_at BIGINT NOT NULL
);
