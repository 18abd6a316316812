// The texts of the dashboard, which other pages needn't load.
import { addTexts, language } from "../strings.js";
import english from "../strings/en/dashboard.js";

addTexts(english, language === "en" ? {} : (await import(`../strings/${language}/dashboard.js`)).default);
