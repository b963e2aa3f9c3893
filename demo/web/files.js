// Loads files for the viewer's page: of the site, of other hosts, and dropped files. Also selects the program that the browser supports.
"use strict";

const md5files = {
    // Returns the kind of the program. The bytes are a WebAssembly module with a SIMD instruction, which old browsers reject.
    kind: () => WebAssembly.validate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1,
        8, 0, 65, 0, 253, 15, 253, 98, 11)) ? "simd" : "scalar",

    // Returns the bytes of a URL. If `size` is not 0, decompresses them with gzip to at most `size` bytes, and calls count() with the
    // size of each piece. If another host does not allow requests from this page, the browser reports only a network failure, so the
    // error of this function also names this cause.
    async fetch(url, size = 0, count = () => {}) {
        let response;
        try {
            response = await fetch(url);
        } catch {
            throw new Error(url + (location.protocol === "file:" ? ": cannot be read, because this page was opened as a file. "
                + "Use a web server, for example python3 -m http.server."
                : ": cannot be fetched: the host is not reachable, or it does not allow cross-origin requests (CORS). "
                + "Download the file and open it here instead."));
        }
        if (!response.ok)
            throw new Error(url + ": the server returned status " + response.status + (response.status === 404 ? " (not found)" : ""));
        if (size === 0)
            return new Uint8Array(await response.arrayBuffer());
        const {unpack} = await import("./unpack.js");
        return unpack(response.body, "gzip", size, url, count);
    },

    folder: (path) => path.slice(0, path.lastIndexOf("/") + 1),

    // Returns the names of the models and clips of a machine file.
    find_files: async (bytes) => (await import("./machine_text.js")).find_files(new TextDecoder().decode(bytes)),

    // Fetches the images of a mesh file's shaders from its folder. Hosts do not list folders, so only the names that the library searches
    // first are tried. Calls on_image(path, bytes) for each image. Returns the shaders without images.
    async fetch_images(bytes, model, on_image) {
        const shaders = [...new TextDecoder().decode(bytes).matchAll(/^[ \t]*shader[ \t]+"([^"\n]*)"/gm)].map((match) => match[1]);
        const folder = md5files.folder(model);
        const get = (name) => md5files.fetch(folder + name).then((bytes) => on_image(folder + name, bytes)).then(() => true, () => false);
        const has_images = await Promise.all(shaders.map((shader) => Promise.all(["", "_local", "_s"].map(async (suffix) => {
            const name = shader.split("/").pop().replace(/\.\w+$/, "") + suffix;
            return await get(name + ".png") || await get(name + ".tga") || get(name + ".jpg");
        }))));
        return shaders.filter((_, i) => !has_images[i][0]);
    },

    // Returns the dropped files as [path, File], including the files in folders, and the names of the dropped files and folders.
    async read_drop(transfer) {
        const entries = [...transfer.items].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(Boolean);
        const files = [], pending = [...entries];
        while (pending.length > 0) {
            const entry = pending.pop();
            if (entry.isFile) {
                files.push([entry.fullPath, await new Promise((resolve, reject) => entry.file(resolve, reject))]);
                continue;
            }
            const reader = entry.createReader();
            for (let batch = [null]; batch.length > 0; pending.push(...batch)) // browsers return at most 100 entries per call
                batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        }
        return {names: entries.map((entry) => entry.fullPath), files};
    },
};
