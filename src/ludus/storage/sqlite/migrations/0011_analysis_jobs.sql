-- compatible: 0008
-- Analyses that were asked for, and how far they are. Tables are not referenced, since earlier versions, which do not
-- know these rows, may delete them.

CREATE TABLE analysis_jobs (
    "table" TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    state TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    engine TEXT NOT NULL,
    moves TEXT NOT NULL,
    version INTEGER NOT NULL
) STRICT;

CREATE INDEX analysis_jobs_asked ON analysis_jobs (asked_at, "table") WHERE state <> 'failed';
