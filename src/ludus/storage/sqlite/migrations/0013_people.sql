-- compatible: 0008
-- The people of our own page, who have no account: the browsers and passkeys that prove who they are, and the codes that
-- are used once to add another.

CREATE TABLE people (
    id TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    name TEXT NOT NULL,
    color TEXT NOT NULL,
    preferences TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX people_seen ON people (seen_at, id);

CREATE TABLE devices (
    hash TEXT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    person TEXT NOT NULL REFERENCES people (id),
    label TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX devices_of ON devices (person, created_at, id);

CREATE TABLE passkeys (
    id TEXT NOT NULL PRIMARY KEY,
    person TEXT NOT NULL REFERENCES people (id),
    public_key TEXT NOT NULL,
    sign_count INTEGER NOT NULL,
    label TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_of ON passkeys (person, created_at, id);

CREATE TABLE codes (
    id TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    kind TEXT NOT NULL,
    hash TEXT NOT NULL,
    person TEXT REFERENCES people (id),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX codes_of ON codes (person) WHERE person IS NOT NULL;

CREATE INDEX codes_expiry ON codes (expires_at, id);
