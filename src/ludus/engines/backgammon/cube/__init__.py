"""The doubling cube: match equity tables, cubeful equities, and decisions."""
