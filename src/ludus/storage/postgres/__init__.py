"""PostgreSQL, for many processes at once; needs asyncpg."""
