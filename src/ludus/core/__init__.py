"""What a game is. Nothing in here reads a clock, a file or a random number, and nothing knows a particular game."""
