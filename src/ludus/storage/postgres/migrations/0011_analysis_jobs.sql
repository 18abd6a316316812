-- compatible: 0008
-- Analyses that were asked for, and how far they are. Tables are not referenced, since earlier versions, which do not
-- know these rows, may delete them.

CREATE TABLE analysis_jobs (
    "table" TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    state TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    engine TEXT NOT NULL,
    moves TEXT NOT NULL,
    version BIGINT NOT NULL
);

CREATE INDEX analysis_jobs_asked ON analysis_jobs (asked_at, "table") WHERE state <> 'failed';
