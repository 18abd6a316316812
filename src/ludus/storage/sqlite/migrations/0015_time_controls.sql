-- compatible: 0008
-- The time control of a session, as JSON. Older servers leave it empty, which is a session without one.

ALTER TABLE sessions ADD COLUMN time_control TEXT;
