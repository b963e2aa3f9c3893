// The start page. Its button stores all files of the site for offline use, including files that were never opened.
"use strict";

if (location.hash) // an old address of the viewer, which was at this URL in earlier versions
    location.replace("view.html" + location.search + location.hash);
document.getElementById("store").addEventListener("click", async () => {
    const message = document.getElementById("message"), workers = navigator.serviceWorker;
    try {
        await workers.register("sw.js?" + md5files.kind());
        for (message.textContent = "Preparing"; !workers.controller;) // files are stored only after the worker controls this page
            await new Promise((resolve) => setTimeout(resolve, 100));
        const pending = Object.keys(JSON.parse(new TextDecoder().decode(await md5files.fetch("files.json")))), total = pending.length;
        await Promise.all([1, 2, 3, 4].map(async () => {
            for (let name = pending.pop(); name; name = pending.pop(), message.textContent = total - pending.length + " of " + total + " files stored")
                await md5files.fetch(name);
        }));
        message.textContent = "All files are stored";
    } catch (error) {
        message.textContent = error.message;
    }
});
