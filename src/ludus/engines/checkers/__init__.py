"""A player of checkers: a compiled alpha-beta search with an evaluation that was learned from its own games."""
