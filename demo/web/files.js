// Which program a browser can run, and files: of the site, of other hosts, dropped.
"use strict";

const md5files = {
    // A file of WebAssembly with one instruction for vectors; browsers that have none reject it.
    kind: () => WebAssembly.validate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1,
        8, 0, 65, 0, 253, 15, 253, 98, 11)) ? "simd" : "scalar",

    // Runs a script, which defines the function that starts a program.
    run: (url) => new Promise((done, fail) => {
        const script = document.createElement("script");
        script.src = url;
        script.onload = done;
        script.onerror = () => fail(new Error(url + ": cannot be loaded"));
        document.head.append(script);
    }),

    // The bytes of a URL. Another host may forbid it: the browser does not say so, but this text does.
    async fetch(url) {
        let answer;
        try {
            answer = await fetch(url);
        } catch {
            throw new Error(url + ": not reachable, or its host does not let other pages read it (CORS). "
                + "Download the file, and drop it here instead.");
        }
        if (!answer.ok)
            throw new Error(url + ": the host answers " + answer.status + (answer.status === 404 ? ", no such file" : ""));
        return new Uint8Array(await answer.arrayBuffer());
    },

    folder: (path) => path.slice(0, path.lastIndexOf("/") + 1),

    // The names of the shaders of a mesh file.
    shaders: (bytes) => [...new TextDecoder().decode(bytes).matchAll(/^\s*shader\s+"([^"\n]*)"/gm)].map((found) => found[1]),

    // The names of the models and clips of a machine file.
    named: (bytes) => [...new TextDecoder().decode(bytes).matchAll(/"([^"\n]+\.md5(?:mesh|anim))"|([^\s"]+\.md5(?:mesh|anim))\b/g)]
        .map(([, quoted, plain]) => quoted ?? plain),

    // Fetches the pictures of shaders from the folder of the model's file: those of `names`, or else by the names that the
    // library seeks first. Calls take(path, bytes) for each; returns the shaders that have none.
    async pictures(shaders, model, names, take) {
        const folder = md5files.folder(model), missing = [];
        const get = (name) => md5files.fetch(folder + name).then((bytes) => take(folder + name, bytes)).then(() => true, () => false);
        await Promise.all((names ?? []).map(get));
        await Promise.all(shaders.map(async (shader) => {
            const base = shader.split("/").pop().replace(/\.\w+$/, "");
            const [is_there] = names ? [names.some((name) => name.startsWith(base))] : await Promise.all(["", "_local", "_s"].map(
                async (end) => await get(base + end + ".png") || await get(base + end + ".tga") || get(base + end + ".jpg")));
            if (!is_there)
                missing.push(shader);
        }));
        return missing;
    },

    // What was dropped, as [path, File]: folders with all that is in them.
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
            for (let some = [null]; some.length > 0; left.push(...some)) // a browser gives a hundred at a time
                some = await new Promise((done, fail) => reader.readEntries(done, fail));
        }
        return {names: entries.map((entry) => entry.fullPath), files: found};
    },
};
