-- compatible: 0008
-- The processes that serve, the work that each of them does, and whose connections they have.

CREATE TABLE members (
    id TEXT NOT NULL PRIMARY KEY,
    role TEXT NOT NULL,
    address TEXT NOT NULL,
    program TEXT NOT NULL,
    secret_mark TEXT NOT NULL,
    seen INTEGER NOT NULL,
    is_leaving INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT,
    token INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE connections (
    "table" TEXT NOT NULL,
    seat INTEGER NOT NULL,
    member TEXT NOT NULL,
    PRIMARY KEY ("table", seat, member)
) STRICT, WITHOUT ROWID;

CREATE INDEX connections_of ON connections (member);
