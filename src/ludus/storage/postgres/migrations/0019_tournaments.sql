-- compatible: 0008
-- Tournaments: their terms, who has entered, and who has met whom. Tables are not referenced, since earlier versions, which do not
-- know these rows, may delete them.

CREATE TABLE tournaments (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    mode TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    variant TEXT COLLATE "C" NOT NULL,
    time_control TEXT COLLATE "C" NOT NULL,
    is_rated BIGINT NOT NULL,
    system TEXT COLLATE "C" NOT NULL,
    rounds BIGINT NOT NULL,
    minutes BIGINT NOT NULL,
    admits TEXT COLLATE "C" NOT NULL,
    most_entrants BIGINT NOT NULL,
    starts_when_full BIGINT NOT NULL,
    starts_at BIGINT,
    state TEXT COLLATE "C" NOT NULL,
    entrants BIGINT NOT NULL,
    round BIGINT NOT NULL,
    made_at BIGINT NOT NULL,
    started_at BIGINT,
    ends_due BIGINT,
    ended_at BIGINT,
    due BIGINT
);

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
    tournament TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    version BIGINT NOT NULL,
    player TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    level TEXT COLLATE "C" NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    seed BIGINT NOT NULL,
    is_in BIGINT NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (tournament, number)
);

CREATE UNIQUE INDEX entrants_player ON entrants (player, tournament);

CREATE TABLE pairings (
    tournament TEXT COLLATE "C" NOT NULL,
    round BIGINT NOT NULL,
    board BIGINT NOT NULL,
    version BIGINT NOT NULL,
    "first" BIGINT NOT NULL,
    "second" BIGINT,
    state TEXT COLLATE "C" NOT NULL,
    "tables" TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    score DOUBLE PRECISION,
    "over" BIGINT,
    PRIMARY KEY (tournament, round, board)
);
