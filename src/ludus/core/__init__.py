"""What a game is. Nothing here reads a clock, a file or a random number, or depends on a particular game."""
