"""Rooms: people play over Socket.IO, one namespace per game. No rules and no SQL in here."""
