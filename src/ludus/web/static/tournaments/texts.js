// The texts of tournaments, which other pages needn't load.
import { addTexts, language } from "../strings.js";
import english from "../strings/en/tournaments.js";

addTexts(english, language === "en" ? {} : (await import(`../strings/${language}/tournaments.js`)).default);
