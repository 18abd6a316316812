// Replaces the service worker if it's switched off: deletes the cache and unregisters itself.
self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => event.waitUntil(leave()));

async function leave() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith({{others}})).map((name) => caches.delete(name)));
  await self.registration.unregister();
}
