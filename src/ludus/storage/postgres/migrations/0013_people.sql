-- compatible: 0008
-- The people of our own page, who have no account: the browsers and passkeys that prove who they are, and the codes that
-- are used once to add another.

CREATE TABLE people (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    name TEXT NOT NULL,
    color TEXT NOT NULL,
    preferences TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
);

CREATE INDEX people_seen ON people (seen_at, id);

CREATE TABLE devices (
    hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL,
    person TEXT COLLATE "C" NOT NULL REFERENCES people (id),
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
);

CREATE INDEX devices_of ON devices (person, created_at, id);

CREATE TABLE passkeys (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    person TEXT COLLATE "C" NOT NULL REFERENCES people (id),
    public_key TEXT NOT NULL,
    sign_count BIGINT NOT NULL,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL
);

CREATE INDEX passkeys_of ON passkeys (person, created_at, id);

CREATE TABLE codes (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    kind TEXT NOT NULL,
    hash TEXT NOT NULL,
    person TEXT COLLATE "C" REFERENCES people (id),
    expires_at BIGINT NOT NULL
);

CREATE INDEX codes_of ON codes (person) WHERE person IS NOT NULL;

CREATE INDEX codes_expiry ON codes (expires_at, id);
