"""Matches between programs without a server: who plays, in what order, and what the result proves. No clocks."""
