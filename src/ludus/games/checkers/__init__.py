"""English draughts on 32 squares."""
