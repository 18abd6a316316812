// Runs before the first paint, so that a page chosen dark does not flash white.
(() => {
  const root = document.documentElement;
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // a browser that keeps nothing
    }
  };
  const theme = read("ludus-theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  const asked = new URLSearchParams(location.search).get("lang");
  try {
    if (/^(en|de)\b/i.test(asked ?? "")) localStorage.setItem("ludus-language", asked.slice(0, 2).toLowerCase()); // links do not carry it on
  } catch {
    // a browser that keeps nothing: it lasts as long as the address
  }
  const chosen = asked ?? read("ludus-language") ?? navigator.language ?? "en";
  root.lang = chosen.toLowerCase().startsWith("de") ? "de" : "en";
})();
