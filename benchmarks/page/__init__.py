"""How soon a new visitor can play, and how smoothly, in a real browser on this machine."""
