"""Tournaments on a server: who enters, who meets whom, and how they stand.

Pairings come from `ludus.tournaments`, which knows nothing about tables. Everything is stored: the terms in one row
with a version, entrants and pairings in rows of their own. What happens next follows from these rows alone, so any
process can take over a tournament from any other.
"""
