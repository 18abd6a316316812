"""The rooms door: people play over Socket.IO, in one namespace a game. No rules and no SQL in here."""
