// Texts of the opening explorer.
export default {
  "explorer.title": "Opening explorer",
  "explorer.moves": "Moves played here, most frequent first",
  "explorer.count": "Games",
  "explorer.results": "Results",
  "explorer.games_one": "{count} game on this server",
  "explorer.games_other": "{count} games on this server",
  "explorer.none": "Nobody has played this position here yet.",
  "explorer.more_one": "{count} more move",
  "explorer.more_other": "{count} more moves",
  "explorer.rating": "average rating {rating}",
  "explorer.last": "last played on {date}",
  "explorer.ballot": "ballot {number}",
  "explorer.result": "{wins}% won, {draws}% drawn, {losses}% lost",
  "explorer.examples": "Example games",
};
