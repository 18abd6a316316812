-- Private rooms are left out of public lists.

ALTER TABLE tables ADD COLUMN is_private BIGINT NOT NULL DEFAULT 0;

UPDATE tables SET is_private = 1
WHERE status = 'live' AND id IN (SELECT "table" FROM sessions WHERE match_type = 'private');
