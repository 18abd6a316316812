"""How soon a stranger can play, and how smoothly, in a real browser on this machine."""
