// Runs before the first paint, so that a dark page doesn't flash white.
(() => {
  const root = document.documentElement;
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // no storage
    }
  };
  const theme = read("ludus-theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  const asked = new URLSearchParams(location.search).get("lang");
  try {
    if (/^(en|de)\b/i.test(asked ?? "")) localStorage.setItem("ludus-language", asked.slice(0, 2).toLowerCase()); // other links don't carry it
  } catch {
    // no storage: the choice lasts as long as the address
  }
  const chosen = asked ?? read("ludus-language") ?? navigator.language ?? "en";
  root.lang = chosen.toLowerCase().startsWith("de") ? "de" : "en";
})();
