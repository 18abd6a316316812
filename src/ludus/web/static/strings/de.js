import pages from "./de-pages.js";
import play from "./de-play.js";

export default { ...pages, ...play };
