import pages from "./en-pages.js";
import play from "./en-play.js";

export default { ...pages, ...play };
