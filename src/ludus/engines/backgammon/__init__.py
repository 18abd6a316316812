"""A stand-in that plays backgammon: it rates what each play leads to, and may look at the other side's answers."""
