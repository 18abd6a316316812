// The levels of the house bots, from the weakest to the strongest. Their names are in the strings, by level and by bot.

export const LEVELS = ["beginner", "novice", "easy", "steady", "medium", "hard"];
