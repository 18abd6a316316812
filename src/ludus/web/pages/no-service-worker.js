// Replaces the service worker where it's switched off: it forgets the files that were kept, and itself.
self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => event.waitUntil(leave()));

async function leave() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith({{others}})).map((name) => caches.delete(name)));
  await self.registration.unregister();
}
