"""How the evaluation of the checkers engine is made: games against itself, and weights fitted to them."""
