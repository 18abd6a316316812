-- As for SQLite, column by column: the same statements write and read both. Ids sort by bytes there, so here too.

CREATE TABLE house (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    beat BIGINT NOT NULL,
    closed BIGINT NOT NULL
);

CREATE TABLE tenants (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    webhook_url TEXT
);

CREATE TABLE keys (
    hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL REFERENCES tenants (id),
    kind TEXT NOT NULL,
    hint TEXT NOT NULL,
    origins TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);

CREATE INDEX keys_of ON keys (tenant, created_at);

CREATE TABLE sessions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    tenant TEXT NOT NULL REFERENCES tenants (id),
    game TEXT COLLATE "C" NOT NULL,
    mode TEXT NOT NULL,
    match_type TEXT NOT NULL,
    status TEXT NOT NULL,
    players TEXT NOT NULL,
    bot_level TEXT NOT NULL,
    has_afk_limit BIGINT NOT NULL,
    theme TEXT,
    room_code TEXT,
    "table" TEXT,
    due BIGINT,
    created_at BIGINT NOT NULL,
    result TEXT
);

-- a code opens one room of a tenant at a time
CREATE UNIQUE INDEX sessions_code ON sessions (tenant, room_code)
WHERE room_code IS NOT NULL AND status = 'pending';

CREATE INDEX sessions_of ON sessions ("table") WHERE "table" IS NOT NULL;

CREATE INDEX sessions_due ON sessions (due) WHERE status = 'pending';

CREATE TABLE tables (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    mode TEXT NOT NULL,
    door TEXT NOT NULL,
    status TEXT NOT NULL,
    due BIGINT,
    players TEXT NOT NULL,
    moves BIGINT NOT NULL,
    opened_at BIGINT NOT NULL,
    ended_at BIGINT,
    result TEXT
);

CREATE INDEX tables_due ON tables (due) WHERE due IS NOT NULL;

CREATE INDEX tables_live ON tables (game, opened_at DESC) WHERE status = 'live';

CREATE TABLE events (
    "table" TEXT NOT NULL REFERENCES tables (id),
    version BIGINT NOT NULL,
    at BIGINT NOT NULL,
    clock BIGINT NOT NULL,
    kind TEXT NOT NULL,
    seat BIGINT,
    data TEXT NOT NULL,
    command TEXT,
    PRIMARY KEY ("table", version)
);

CREATE UNIQUE INDEX events_command ON events ("table", command) WHERE command IS NOT NULL;

CREATE TABLE entries (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    game TEXT COLLATE "C" NOT NULL,
    pool TEXT COLLATE "C" NOT NULL,
    player TEXT NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    since BIGINT NOT NULL,
    due BIGINT,
    seat TEXT NOT NULL
);

CREATE UNIQUE INDEX entries_player ON entries (game, pool, player);

CREATE INDEX entries_since ON entries (game, pool, since);

CREATE TABLE ratings (
    player TEXT NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    games BIGINT NOT NULL,
    wins BIGINT NOT NULL,
    draws BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (player, game)
);

CREATE TABLE deliveries (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL REFERENCES tenants (id),
    session TEXT NOT NULL,
    event TEXT NOT NULL,
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    due BIGINT,
    created_at BIGINT NOT NULL,
    problem TEXT NOT NULL
);

CREATE INDEX deliveries_due ON deliveries (state, due) WHERE state = 'waiting';

CREATE INDEX deliveries_state ON deliveries (state, created_at DESC);

CREATE INDEX deliveries_of ON deliveries (tenant, state, created_at DESC);
