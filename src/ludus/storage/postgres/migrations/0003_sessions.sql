CREATE INDEX sessions_by ON sessions (tenant, created_at DESC);
