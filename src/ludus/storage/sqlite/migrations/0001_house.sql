-- JSON columns are text; flags are 0 or 1; times are milliseconds.

CREATE TABLE house (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    beat INTEGER NOT NULL,
    closed INTEGER NOT NULL
) STRICT;

CREATE TABLE tenants (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    webhook_url TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
    hash TEXT NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL REFERENCES tenants (id),
    kind TEXT NOT NULL,
    hint TEXT NOT NULL,
    origins TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX keys_of ON keys (tenant, created_at);

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    tenant TEXT NOT NULL REFERENCES tenants (id),
    game TEXT NOT NULL,
    mode TEXT NOT NULL,
    match_type TEXT NOT NULL,
    status TEXT NOT NULL,
    players TEXT NOT NULL,
    bot_level TEXT NOT NULL,
    has_afk_limit INTEGER NOT NULL,
    theme TEXT,
    room_code TEXT,
    "table" TEXT,
    due INTEGER,
    created_at INTEGER NOT NULL,
    result TEXT
) STRICT, WITHOUT ROWID;

-- a code opens one room of a tenant at a time
CREATE UNIQUE INDEX sessions_code ON sessions (tenant, room_code)
WHERE room_code IS NOT NULL AND status = 'pending';

CREATE INDEX sessions_of ON sessions ("table") WHERE "table" IS NOT NULL;

CREATE INDEX sessions_due ON sessions (due) WHERE status = 'pending';

CREATE TABLE tables (
    id TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    game TEXT NOT NULL,
    mode TEXT NOT NULL,
    door TEXT NOT NULL,
    status TEXT NOT NULL,
    due INTEGER,
    players TEXT NOT NULL,
    moves INTEGER NOT NULL,
    opened_at INTEGER NOT NULL,
    ended_at INTEGER,
    result TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX tables_due ON tables (due) WHERE due IS NOT NULL;

CREATE INDEX tables_live ON tables (game, opened_at DESC) WHERE status = 'live';

CREATE TABLE events (
    "table" TEXT NOT NULL REFERENCES tables (id),
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    kind TEXT NOT NULL,
    seat INTEGER,
    data TEXT NOT NULL,
    command TEXT,
    PRIMARY KEY ("table", version)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX events_command ON events ("table", command) WHERE command IS NOT NULL;

CREATE TABLE entries (
    id TEXT NOT NULL PRIMARY KEY,
    game TEXT NOT NULL,
    pool TEXT NOT NULL,
    player TEXT NOT NULL,
    rating REAL NOT NULL,
    since INTEGER NOT NULL,
    due INTEGER,
    seat TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX entries_player ON entries (game, pool, player);

CREATE INDEX entries_since ON entries (game, pool, since);

CREATE TABLE ratings (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    volatility REAL NOT NULL,
    games INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
    id TEXT NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL REFERENCES tenants (id),
    session TEXT NOT NULL,
    event TEXT NOT NULL,
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due INTEGER,
    created_at INTEGER NOT NULL,
    problem TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX deliveries_due ON deliveries (state, due) WHERE state = 'waiting';

CREATE INDEX deliveries_state ON deliveries (state, created_at DESC);

CREATE INDEX deliveries_of ON deliveries (tenant, state, created_at DESC);
