// The start page. Its button keeps everything of the site for use without a network, also what nobody has opened.
"use strict";

if (location.hash) // an address of the viewer, of the time when it was here
    location.replace("view.html" + location.search + location.hash);
document.getElementById("keep").addEventListener("click", async () => {
    const kept = document.getElementById("kept"), workers = navigator.serviceWorker;
    try {
        await workers.register("sw.js?" + md5files.kind());
        for (kept.textContent = "The browser prepares"; !workers.controller;) // it keeps what this page asks for, once it has it
            await new Promise((done) => setTimeout(done, 100));
        const left = Object.keys(JSON.parse(new TextDecoder().decode(await md5files.fetch("files.json")))), whole = left.length;
        await Promise.all([1, 2, 3, 4].map(async () => {
            for (let name = left.pop(); name; name = left.pop(), kept.textContent = whole - left.length + " of " + whole + " files")
                await md5files.fetch(name);
        }));
        kept.textContent = "All is kept";
    } catch (error) {
        kept.textContent = error.message;
    }
});
