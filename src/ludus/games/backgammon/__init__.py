"""Backgammon, without a doubling cube."""
