"""How the engines' networks are made: self-play on the games' kernels, learned from in torch.

Above engines and environments, below the command line. Nothing in here is needed to play; torch is imported by these
modules alone, and only when a training begins.
"""
