// Converts passkeys between the browser's objects and JSON, which not every browser does itself.

/** Whether passkeys work here: on https or localhost, at a host name rather than an IP address. */
export function hasPasskeys() {
  return isSecureContext && "PublicKeyCredential" in window && !/^[\d.]+$|^\[/.test(location.hostname);
}

export async function createPasskey(options) {
  const publicKey = {
    ...options,
    challenge: decoded(options.challenge),
    user: { ...options.user, id: decoded(options.user.id) },
    excludeCredentials: options.excludeCredentials.map((known) => ({ ...known, id: decoded(known.id) })),
  };
  const made = await navigator.credentials.create({ publicKey });
  return asJson(made, ["clientDataJSON", "attestationObject"]);
}

export async function usePasskey(options) {
  const publicKey = { ...options, challenge: decoded(options.challenge), allowCredentials: [] };
  const used = await navigator.credentials.get({ publicKey });
  return asJson(used, ["clientDataJSON", "authenticatorData", "signature", "userHandle"]);
}

function asJson({ id, rawId, type, response }, parts) {
  const sent = parts.filter((part) => response[part]).map((part) => [part, encoded(response[part])]);
  return { id, rawId: encoded(rawId), type, response: Object.fromEntries(sent) };
}

function decoded(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

function encoded(buffer) {
  return btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
