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
  const languages = ["en", "de", "es", "fr"];
  const codes = (...tags) => tags.map((tag) => String(tag ?? "").toLowerCase().split("-")[0]).filter((code) => languages.includes(code));
  const [asked] = codes(new URLSearchParams(location.search).get("lang"));
  try {
    if (asked) localStorage.setItem("ludus-language", asked); // other links don't carry it
  } catch {
    // no storage: the choice lasts as long as the address
  }
  root.lang = asked ?? codes(read("ludus-language"), ...(navigator.languages ?? []), "en")[0];
})();
