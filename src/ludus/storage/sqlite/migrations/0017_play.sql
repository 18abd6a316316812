-- compatible: 0008
-- Whether anyone may watch a game between friends, and the codes that hand a seat over to another device. Older servers keep
-- such games private.

ALTER TABLE sessions ADD COLUMN is_public INTEGER NOT NULL DEFAULT 0;

CREATE INDEX rooms_pending_first ON sessions (tenant, first_player, created_at, id)
WHERE status = 'pending' AND match_type = 'private';

CREATE INDEX rooms_pending_second ON sessions (tenant, second_player, created_at, id)
WHERE status = 'pending' AND match_type = 'private';

CREATE TABLE seat_codes (
    hash TEXT NOT NULL PRIMARY KEY,
    session TEXT NOT NULL,
    player TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX seat_codes_expiry ON seat_codes (expires_at);
