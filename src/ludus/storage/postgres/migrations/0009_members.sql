-- compatible: 0008
-- The processes that serve, the work that each of them does, and whose connections they have.

CREATE TABLE members (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    role TEXT NOT NULL,
    address TEXT NOT NULL,
    program TEXT NOT NULL,
    secret_mark TEXT NOT NULL,
    seen BIGINT NOT NULL,
    is_leaving BIGINT NOT NULL
);

CREATE TABLE leases (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    holder TEXT COLLATE "C",
    token BIGINT NOT NULL
);

CREATE TABLE connections (
    "table" TEXT COLLATE "C" NOT NULL,
    seat BIGINT NOT NULL,
    member TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY ("table", seat, member)
);

CREATE INDEX connections_of ON connections (member);
