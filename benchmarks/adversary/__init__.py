"""One client against fifty good games: what each attack does to the moves, the games and the server's memory."""
