"""Backgammon by self-play: every position of every game is taught what the best answers to all 21 rolls are worth."""
