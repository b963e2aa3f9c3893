// Which program a browser can run, and files: of the site, of other hosts, dropped.
"use strict";

const md5files = {
    // A file of WebAssembly with one instruction for vectors; browsers that have none reject it.
    kind: () => WebAssembly.validate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1,
        8, 0, 65, 0, 253, 15, 253, 98, 11)) ? "simd" : "scalar",

    // The bytes of a URL, unpacked if `is_packed` by gzip; tells count() how many are there, piece by piece. Another host may forbid it: the browser does not say so, but this text does.
    async fetch(url, is_packed = false, count = () => {}) {
        let answer;
        try {
            answer = await fetch(url);
        } catch {
            throw new Error(url + (location.protocol === "file:" ? ": browsers let no page that is a file read others. A server does, such as "
                + "python3 -m http.server." : ": not reachable, or its host does not let other pages read it (CORS). "
                + "Download the file, and drop it here instead."));
        }
        if (!answer.ok)
            throw new Error(url + ": the host answers " + answer.status + (answer.status === 404 ? ", no such file" : ""));
        if (!is_packed)
            return new Uint8Array(await answer.arrayBuffer());
        const counted = new TransformStream({transform(piece, to) { count(piece.length); to.enqueue(piece); }});
        return new Uint8Array(await new Response(answer.body.pipeThrough(new DecompressionStream("gzip")).pipeThrough(counted)).arrayBuffer());
    },

    folder: (path) => path.slice(0, path.lastIndexOf("/") + 1),

    // The names of the models and clips of a machine file.
    named: (bytes) => [...new TextDecoder().decode(bytes).matchAll(/"([^"\n]+\.md5(?:mesh|anim))"|([^\s"]+\.md5(?:mesh|anim))\b/g)]
        .map(([, quoted, plain]) => quoted ?? plain),

    // Fetches the pictures of a mesh file's shaders from its folder: no host lists that, so by the names that the library seeks first.
    // Calls take(path, bytes) for each; returns the shaders that have none.
    async pictures(bytes, model, take) {
        const shaders = [...new TextDecoder().decode(bytes).matchAll(/^\s*shader\s+"([^"\n]*)"/gm)].map((found) => found[1]);
        const folder = md5files.folder(model);
        const get = (name) => md5files.fetch(folder + name).then((bytes) => take(folder + name, bytes)).then(() => true, () => false);
        const found = await Promise.all(shaders.map((shader) => Promise.all(["", "_local", "_s"].map(async (end) => {
            const name = shader.split("/").pop().replace(/\.\w+$/, "") + end;
            return await get(name + ".png") || await get(name + ".tga") || get(name + ".jpg");
        }))));
        return shaders.filter((_, i) => !found[i][0]);
    },

    // The files of a zip archive, as ["/name", bytes]: by the directory at its end. Tells what it skips, in the words of the programs.
    async unzip(file, tell) {
        const bytes = new Uint8Array(await file.arrayBuffer()), view = new DataView(bytes.buffer), found = [];
        const fail = (text) => { throw new Error(file.name + ": error: " + text); };
        const torn = "its list of files is damaged or truncated";
        let end = bytes.length - 22, total = 0;
        while (end >= 0 && view.getUint32(end, true) !== 0x06054b50)
            end--;
        let at = end >= 0 ? view.getUint32(end + 16, true) : fail(torn);
        for (let count = view.getUint16(end + 10, true); count > 0; count--) {
            if (at + 46 > end || view.getUint32(at, true) !== 0x02014b50)
                fail(torn);
            const [packed, size] = [20, 24].map((place) => view.getUint32(at + place, true)), header = view.getUint32(at + 42, true);
            const [named, extra, comment] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
            const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + named)).replaceAll("\\", "/");
            const method = view.getUint16(at + 10, true), is_secret = view.getUint16(at + 8, true) & 1;
            const begin = header + 30 <= end
                ? header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true) : fail(torn);
            at += 46 + named + extra + comment;
            if (name.endsWith("/"))
                continue;
            const fault = name === "" ? "it has no name" : name[0] === "/" ? "its name is absolute"
                : name.split("/").includes("..") ? "its name leaves the archive" : is_secret ? "it is encrypted"
                : method % 8 !== 0 || method > 8 ? "it is compressed by the unknown method " + method
                : size > 1032 * packed + 64 ? size + " bytes cannot be in " + packed + " compressed ones" : ""; // deflate packs no better
            if (fault !== "") {
                tell(file.name + ": warning: " + name + ": skipped: " + fault);
                continue;
            }
            total += size;
            if (total > 2 ** 31 || begin + packed > end)
                fail(torn);
            const body = bytes.slice(begin, begin + packed);
            const plain = method === 0 ? body : new Uint8Array(await new Response(new Blob([body]).stream()
                .pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer().catch(() => fail("the archive is damaged: " + name)));
            found.push(["/" + name, plain]);
        }
        return found;
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
