// The house bots' levels, weakest first. The strings have a name for each level and for each bot.

export const LEVELS = ["beginner", "novice", "easy", "steady", "medium", "hard"];
