-- compatible: 0008
-- Tournaments: their terms, who has entered, and who has met whom. Tables are not referenced, since earlier versions, which do not
-- know these rows, may delete them.

CREATE TABLE tournaments (
    id TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    mode TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    game TEXT NOT NULL,
    variant TEXT NOT NULL,
    time_control TEXT NOT NULL,
    is_rated INTEGER NOT NULL,
    system TEXT NOT NULL,
    rounds INTEGER NOT NULL,
    minutes INTEGER NOT NULL,
    admits TEXT NOT NULL,
    most_entrants INTEGER NOT NULL,
    starts_when_full INTEGER NOT NULL,
    starts_at INTEGER,
    state TEXT NOT NULL,
    entrants INTEGER NOT NULL,
    round INTEGER NOT NULL,
    made_at INTEGER NOT NULL,
    started_at INTEGER,
    ends_due INTEGER,
    ended_at INTEGER,
    due INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX tournaments_listed ON tournaments (tenant, state, made_at DESC, id DESC);

CREATE INDEX tournaments_of_mode ON tournaments (tenant, mode, state, made_at DESC, id DESC);

CREATE INDEX tournaments_upcoming ON tournaments (tenant, starts_at, id) WHERE state = 'created';

CREATE INDEX tournaments_owned ON tournaments (owner, id);

CREATE INDEX tournaments_open ON tournaments (owner) WHERE state IN ('created', 'running');

CREATE INDEX tournaments_open_under ON tournaments (tenant) WHERE state IN ('created', 'running');

CREATE INDEX tournaments_due ON tournaments (due, id) WHERE due IS NOT NULL;

CREATE INDEX tournaments_ready ON tournaments (starts_at, id) WHERE state = 'created' AND starts_at IS NOT NULL;

CREATE INDEX tournaments_ended ON tournaments (ended_at, id) WHERE ended_at IS NOT NULL;

CREATE TABLE entrants (
    tournament TEXT NOT NULL,
    number INTEGER NOT NULL,
    version INTEGER NOT NULL,
    player TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    level TEXT NOT NULL,
    rating REAL NOT NULL,
    seed INTEGER NOT NULL,
    is_in INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (tournament, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX entrants_player ON entrants (player, tournament);

CREATE TABLE pairings (
    tournament TEXT NOT NULL,
    round INTEGER NOT NULL,
    board INTEGER NOT NULL,
    version INTEGER NOT NULL,
    "first" INTEGER NOT NULL,
    "second" INTEGER,
    state TEXT NOT NULL,
    "tables" TEXT NOT NULL,
    outcome TEXT NOT NULL,
    score REAL,
    "over" INTEGER,
    PRIMARY KEY (tournament, round, board)
) STRICT, WITHOUT ROWID;
