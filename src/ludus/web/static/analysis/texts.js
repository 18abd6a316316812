// The texts of the analysis board and the explorer, which most pages needn't load.
import { addTexts, language } from "../strings.js";
import board from "../strings/en/board.js";
import explorer from "../strings/en/explorer.js";

const translated = async () => (await Promise.all([import(`../strings/${language}/board.js`), import(`../strings/${language}/explorer.js`)])).map((part) => part.default);

addTexts(board, explorer, ...(language === "en" ? [] : await translated()));
