-- compatible: 0008
-- The trace of the command that a webhook tells of. Older servers leave it empty.

ALTER TABLE deliveries ADD COLUMN traceparent TEXT NOT NULL DEFAULT '';
