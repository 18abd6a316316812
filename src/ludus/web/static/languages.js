// The page's languages by their codes, each under its own name. `theme.js` chooses one before the first paint.
export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français" };

/** The first of these language tags that the page has, without its region; English if it has none of them. */
export function preferred(...tags) {
  const codes = tags.map((tag) => String(tag ?? "").toLowerCase().split("-")[0]);
  return codes.find((code) => Object.hasOwn(LANGUAGES, code)) ?? "en";
}

/** The texts in a language: the page's own, and those of the games by the games' names. */
export async function texts(language) {
  const parts = ["pages", "play"];
  const [games, ...page] = await Promise.all([import(`./games/${language}.js`), ...parts.map((part) => import(`./strings/${language}/${part}.js`))]);
  return { page: Object.assign({}, ...page.map((part) => part.default)), games: games.default };
}
