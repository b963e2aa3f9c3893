// Keeps the program and what was read, for use without a network. web.mk writes a version that changes with any file; files.json has
// a hash of each, so that a new version fetches that list and what has changed of what is kept.
"use strict";
const prefix = "md5model of " + registration.scope + " ", kept = prefix + "VERSION"; // other sites may share the host
const program = "md5view-" + location.search.slice(1); // view.js says which kind
const shell = ["./", "view.html", "view.js", "files.js", "machine_text.js", "unpack.js", "unzip.js", "start.js", "style.css", "page.css", "models.json", program + ".js", program + ".wasm"];
const place = (url) => new URL(url, registration.scope).href.replace(/\/index\.html(?=$|\?)/, "/"); // both are one file
const names = async () => (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== kept);

async function install() {
    const [before] = await names(), old = before && await caches.open(before), cache = await caches.open(kept);
    const list = await fetch("files.json", {cache: "no-cache"}), hashes = await list.clone().json();
    const known = await (await old?.match(place("files.json")))?.json() ?? {};
    const wanted = new Set([...shell.map(place), ...(await old?.keys() ?? []).map((request) => request.url)]);
    await cache.put(place("files.json"), list);
    await Promise.all([...wanted].map(async (url) => {
        const name = url.slice(registration.scope.length).replace(/(^|\/)$/, "$1index.html");
        const same = hashes[name] !== undefined && hashes[name] === known[name] && await old.match(url);
        if (same)
            await cache.put(url, same);
        else if (hashes[name] !== undefined)
            await cache.add(new Request(url, {cache: "no-cache"}));
    }));
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("message", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(names().then((old) => Promise.all(old.map((name) => caches.delete(name))))
    .then(() => clients.claim())));

// From what is kept, or else from the network, and kept then; ?kind= only chooses a program. A page that is opened while no other is
// takes a new version that waits, and is loaded again with it.
async function answer(request) {
    if (request.mode === "navigate" && registration.waiting && (await clients.matchAll()).length < 2) {
        registration.waiting.postMessage("go");
        return new Response('<!doctype html><link rel="icon" href="data:,">', {headers: {"Content-Type": "text/html", Refresh: "0"}});
    }
    const cache = await caches.open(kept), found = await cache.match(place(request.url), {ignoreSearch: true});
    const got = found ?? await fetch(request);
    if (!found && got.ok)
        cache.put(place(request.url), got.clone());
    return got;
}
addEventListener("fetch", (event) => event.request.method === "GET" && event.request.url.startsWith(registration.scope)
    && event.respondWith(answer(event.request)));
