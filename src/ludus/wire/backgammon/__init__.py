"""Backgammon on the wire."""
