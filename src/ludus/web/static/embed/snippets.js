// The snippets to copy.

/** For the page, for the back end, and for the server's operator. */
export function snippets({ game, level, kind, lang, theme }, server) {
  const language = lang ? ` lang="${lang}"` : "";
  const session = { game, matchType: "bot", botDifficulty: level, players: [{ id: "user_42", displayName: "Ann" }], ...(Object.keys(theme).length ? { theme } : {}) };
  const element = `<script type="module" src="${server}/embed/ludus-game.js"></script>

<ludus-game game="${game}" token="SESSION_TOKEN"${language}></ludus-game>`;
  const frame = `<iframe src="${server}/frame?tenant=TENANT_ID#game=${game}&amp;token=SESSION_TOKEN${lang ? `&amp;lang=${lang}` : ""}"
        title="${game}" width="100%" height="680" allow="autoplay"></iframe>`;
  return {
    page: kind === "frame" ? frame : element,
    server: `curl ${server}/v1/sessions \\
  -H "Authorization: Bearer $LUDUS_LIVE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(session)}'`,
    origin: `ludus tenant set "My app" --origin https://app.example`,
  };
}
