"""Speed of rooms beside peers measured in the same run: the same games, players on another core."""
