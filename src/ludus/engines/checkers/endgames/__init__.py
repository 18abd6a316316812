"""Endgame tables: who wins a position of few pieces with best play, and in how many moves."""
