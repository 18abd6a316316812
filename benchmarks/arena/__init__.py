"""Speed of the arena beside a bare Starlette echo: the same games, with agents on another core."""
