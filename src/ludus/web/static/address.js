// Where the server is. This file is at /static/VERSION/address.js of it; a server mounted under a path has that in front.
const ROOT = new URL("../..", import.meta.url);

/** The path the server is mounted under, such as "/games"; empty if it has a host of its own. */
export const PREFIX = ROOT.pathname.replace(/\/$/, "");

/** The server's address without a slash at its end. */
export const HOME = ROOT.origin + PREFIX;

/** The address of a path of the server on its own host. */
export const at = (path) => PREFIX + path;
