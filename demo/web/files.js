// Loads files for the viewer's page: of the site, of other hosts, and dropped files. Also selects the program that the browser supports.
"use strict";

const md5files = {
    // Returns the kind of the program. The bytes are a WebAssembly module with a SIMD instruction, which old browsers reject.
    kind: () => WebAssembly.validate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1,
        8, 0, 65, 0, 253, 15, 253, 98, 11)) ? "simd" : "scalar",

    // Returns the bytes of a URL. With a size they are unpacked by gzip, at most so many; count() is called with the size of each
    // piece. Another host may forbid it: the browser does not report that, but the error of this function does.
    async fetch(url, size = 0, count = () => {}) {
        let answer;
        try {
            answer = await fetch(url);
        } catch {
            throw new Error(url + (location.protocol === "file:" ? ": cannot be read, because this page was opened as a file. "
                + "Use a web server, for example python3 -m http.server."
                : ": cannot be fetched: the host is not reachable, or it does not allow cross-origin requests (CORS). "
                + "Download the file and drop it here instead."));
        }
        if (!answer.ok)
            throw new Error(url + ": the server returned status " + answer.status + (answer.status === 404 ? " (not found)" : ""));
        if (size === 0)
            return new Uint8Array(await answer.arrayBuffer());
        const {unpack} = await import("./unpack.js");
        return unpack(answer.body, "gzip", size, url, count);
    },

    folder: (path) => path.slice(0, path.lastIndexOf("/") + 1),

    // Returns the names of the models and clips of a machine file.
    named: async (bytes) => (await import("./machine_text.js")).find_files(new TextDecoder().decode(bytes)),

    // Fetches the images of a mesh file's shaders from its folder. Hosts do not list folders, so only the names that the library searches
    // first are tried. Calls take(path, bytes) for each image. Returns the shaders without images.
    async pictures(bytes, model, take) {
        const shaders = [...new TextDecoder().decode(bytes).matchAll(/^[ \t]*shader[ \t]+"([^"\n]*)"/gm)].map((found) => found[1]);
        const folder = md5files.folder(model);
        const get = (name) => md5files.fetch(folder + name).then((bytes) => take(folder + name, bytes)).then(() => true, () => false);
        const found = await Promise.all(shaders.map((shader) => Promise.all(["", "_local", "_s"].map(async (end) => {
            const name = shader.split("/").pop().replace(/\.\w+$/, "") + end;
            return await get(name + ".png") || await get(name + ".tga") || get(name + ".jpg");
        }))));
        return shaders.filter((_, i) => !found[i][0]);
    },

    // Returns the dropped files as [path, File], including the files in folders, and the names of the dropped files and folders.
    async dropped(transfer) {
        const entries = [...transfer.items].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(Boolean);
        const found = [], left = [...entries];
        while (left.length > 0) {
            const entry = left.pop();
            if (entry.isFile) {
                found.push([entry.fullPath, await new Promise((done, fail) => entry.file(done, fail))]);
                continue;
            }
            const reader = entry.createReader();
            for (let some = [null]; some.length > 0; left.push(...some)) // browsers return at most 100 entries per call
                some = await new Promise((done, fail) => reader.readEntries(done, fail));
        }
        return {names: entries.map((entry) => entry.fullPath), files: found};
    },
};
