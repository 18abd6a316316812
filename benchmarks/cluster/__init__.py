"""What a second process, PostgreSQL and Redis cost, beside one process on SQLite and boardgame.io in the same run."""
