"""Tournaments as data: who meets whom next, and how they stand. Nothing here plays a game."""
