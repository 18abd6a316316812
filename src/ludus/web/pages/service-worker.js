// Caches the offline page and this version's files. Other documents always come from the server, and requests to the APIs
// don't pass through it.
const { cache: CACHE, others: OTHERS, base: BASE, offline: OFFLINE, apis: APIS, files: FILES, languages: LANGUAGES } = {{setup}};

/** Pauses before a file is requested again. A page whose script failed to load stays empty, and the network may be back for
 * the page a moment before it is for the worker. */
const RETRY_MS = [250, 1000, 3000];

self.addEventListener("install", (event) => event.waitUntil(keep()));

/** A newer worker takes over once the pages of the older version are closed; until then they can load their files. */
self.addEventListener("activate", (event) => event.waitUntil(start()));

self.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin || APIS.some((path) => pathname.startsWith(path))) return;
  if (event.request.mode === "navigate") event.respondWith(documentOf(event));
  else if (pathname.startsWith(BASE)) event.respondWith(file(event.request));
});

async function keep() {
  const language = navigator.language.slice(0, 2);
  const cache = await caches.open(CACHE);
  await cache.addAll(new Set([OFFLINE, ...FILES, ...(LANGUAGES[language] ?? LANGUAGES.en)]));
}

async function start() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(OTHERS) && name !== CACHE).map((name) => caches.delete(name)));
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

async function documentOf({ request, preloadResponse }) {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch {
    return (await caches.match(OFFLINE, { cacheName: CACHE })) ?? Response.error();
  }
}

async function file(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  if (kept) return kept;
  const found = await fetchWithRetries(request);
  if (found.ok) await cache.put(request, found.clone());
  return found;
}

/** A request that the page has given up is not made again. */
async function fetchWithRetries(request) {
  for (const pause of RETRY_MS) {
    try {
      return await fetch(request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return fetch(request);
}
