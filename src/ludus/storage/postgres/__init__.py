"""A database for many processes at once; needs asyncpg."""
