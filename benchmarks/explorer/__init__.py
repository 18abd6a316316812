"""How fast the opening explorer answers, and what it costs, with a million stored games."""
