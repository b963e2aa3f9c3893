// The start page. Its button stores all files of the site for offline use, including files that were never opened.
"use strict";

if (location.hash) // an old address of the viewer, which was at this URL in earlier versions
    location.replace("view.html" + location.search + location.hash);
document.getElementById("keep").addEventListener("click", async () => {
    const kept = document.getElementById("kept"), workers = navigator.serviceWorker;
    try {
        await workers.register("sw.js?" + md5files.kind());
        for (kept.textContent = "Preparing"; !workers.controller;) // files are stored only after the worker controls this page
            await new Promise((done) => setTimeout(done, 100));
        const left = Object.keys(JSON.parse(new TextDecoder().decode(await md5files.fetch("files.json")))), whole = left.length;
        await Promise.all([1, 2, 3, 4].map(async () => {
            for (let name = left.pop(); name; name = left.pop(), kept.textContent = whole - left.length + " of " + whole + " files stored")
                await md5files.fetch(name);
        }));
        kept.textContent = "All files are stored";
    } catch (error) {
        kept.textContent = error.message;
    }
});
