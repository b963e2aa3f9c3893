// Keeps the site for use without a network. web.mk writes its files, and a version that changes with any of them.
"use strict";
const prefix = "md5model of " + registration.scope + " ", kept = prefix + "VERSION"; // other sites may share the host
const files = FILES;

addEventListener("install", (event) => event.waitUntil(caches.open(kept)
    .then((cache) => cache.addAll(files.map((file) => new Request(file, {cache: "no-cache"})))).then(() => skipWaiting())));

addEventListener("activate", (event) => event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name.startsWith(prefix) && name !== kept).map((name) => caches.delete(name))))
    .then(() => clients.claim())));

// From what is kept, or else from the network; ?kind= only chooses a program.
addEventListener("fetch", (event) => {
    if (event.request.method === "GET" && event.request.url.startsWith(registration.scope))
        event.respondWith(caches.open(kept).then((cache) => cache.match(event.request, {ignoreSearch: true}))
            .then((found) => found ?? fetch(event.request)));
});
