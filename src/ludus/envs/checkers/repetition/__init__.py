"""Checkers for learners with the repetitions that draw a game."""
