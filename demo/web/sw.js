// The service worker: stores the program and all loaded files for offline use. web.mk replaces VERSION by a hash of all files.
// files.json contains a hash of each file, so that a new version fetches only the list and the changed files.
"use strict";
const prefix = "md5model of " + registration.scope + " ", cache_name = prefix + "VERSION"; // other sites can use the same host
const program = "md5view-" + location.search.slice(1); // view.js passes the kind
const shell = ["./", "view.html", "view.js", "files.js", "machine_text.js", "unpack.js", "unzip.js", "start.js", "style.css", "page.css", "models.json", program + ".js", program + ".wasm"];
const cache_key = (url) => new URL(url, registration.scope).href.replace(/\/index\.html(?=$|\?)/, "/"); // both URLs are one file
const find_old_caches = async () => (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== cache_name);

async function install() {
    const [old_name] = await find_old_caches(), old_cache = old_name && await caches.open(old_name), cache = await caches.open(cache_name);
    const list = await fetch("files.json", {cache: "no-cache"}), hashes = await list.clone().json();
    const old_hashes = await (await old_cache?.match(cache_key("files.json")))?.json() ?? {};
    const urls = new Set([...shell.map(cache_key), ...(await old_cache?.keys() ?? []).map((request) => request.url)]);
    await cache.put(cache_key("files.json"), list);
    await Promise.all([...urls].map(async (url) => {
        const name = url.slice(registration.scope.length).replace(/(^|\/)$/, "$1index.html");
        const unchanged = hashes[name] !== undefined && hashes[name] === old_hashes[name] && await old_cache.match(url);
        if (unchanged)
            await cache.put(url, unchanged);
        else if (hashes[name] !== undefined)
            await cache.add(new Request(url, {cache: "no-cache"}));
    }));
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("message", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(find_old_caches().then((names) => Promise.all(names.map((name) => caches.delete(name))))
    .then(() => clients.claim())));

// Answers a request from the cache, or from the network and stores the answer. The search part of a URL is ignored, because ?kind=
// only selects a program. If a new version waits and no other page is open, activates it and reloads the page.
async function respond(request) {
    if (request.mode === "navigate" && registration.waiting && (await clients.matchAll()).length < 2) {
        registration.waiting.postMessage("go");
        return new Response('<!doctype html><link rel="icon" href="data:,">', {headers: {"Content-Type": "text/html", Refresh: "0"}});
    }
    const cache = await caches.open(cache_name), cached = await cache.match(cache_key(request.url), {ignoreSearch: true});
    const response = cached ?? await fetch(request);
    if (!cached && response.ok)
        cache.put(cache_key(request.url), response.clone());
    return response;
}
addEventListener("fetch", (event) => event.request.method === "GET" && event.request.url.startsWith(registration.scope)
    && event.respondWith(respond(event.request)));
