// The texts of puzzles, which other pages needn't load.
import { addTexts, language } from "../strings.js";
import english from "../strings/en/puzzles.js";

addTexts(english, language === "en" ? {} : (await import(`../strings/${language}/puzzles.js`)).default);
