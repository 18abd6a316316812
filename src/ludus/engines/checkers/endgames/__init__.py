"""Checkers with few pieces, solved: who wins with the best play of both, and in how many moves."""
