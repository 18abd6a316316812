"""The door for learning code. No rules in here: games come from `ludus.games`, these are their shapes for learners."""
