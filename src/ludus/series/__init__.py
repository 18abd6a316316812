"""Matches between programs without a server: who plays, in what order, and how significant the result is. No clocks."""
