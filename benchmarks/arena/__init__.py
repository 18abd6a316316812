"""Speed of the arena beside a bare Starlette echo in the same run: the same games, agents on another core."""
