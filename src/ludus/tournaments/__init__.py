"""Tournaments as data: the next pairings and the standings. Nothing here plays a game."""
