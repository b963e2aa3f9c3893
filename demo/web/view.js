// The page of the viewer. Its address says what it shows, in the options of md5view:
// index.html#model=models/bobbin/bobbin.md5mesh&model=models/bobbin/walk.md5anim&animation-time=0.5 is
// md5view --animation-time=0.5 models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
"use strict";

(async function () {
    const guest = "models/thimble/thimble.md5machine";
    const told = document.getElementById("told"), canvas = document.getElementById("canvas");
    const tell = (text) => told.append(text + "\n");
    const files = new Map(), urls = new Map(); // bytes by path, for a program that begins anew; where paths are from
    const packs = new Map(); // of our models: when what is in them is there
    const loose = []; // [path, bytes] of what was dropped since a model was, for the next one
    let code, program, drawn, begun, window_of_program = 0, num_drops = 0, num_restarts = 0;
    const ready = new Promise((done) => begun = done);

    // The program's folders are objects, which have names of their own.
    const safe = (path) => path.split("/").map((part) => part in {} ? part + "_" : part).join("/");

    function write(path, bytes) {
        path = safe(path);
        files.set(path, bytes);
        program?.FS.mkdirTree(md5files.folder(path));
        program?.FS.writeFile(path, bytes, {canOwn: true});
    }

    // Our models are on the site, in packs, one file behind the other: models.json has names, sizes and packs, in that order.
    // A model needs those of its folder, and a machine those of the folders that it names.
    const bring_ours = (models, all) => Promise.all(models.map(async (model) => {
        const folder = model.match(/^models\/[^/]+\//)[0], listed = all.filter(([file]) => file.startsWith(folder));
        await Promise.all([...new Set(listed.map(([, , pack]) => pack))].map((pack) => bring_pack(pack, all)));
        for (const [file] of model.endsWith(".md5machine") ? listed.filter(([file]) => file.endsWith(".md5machine")) : [])
            await bring_ours(md5files.named(files.get("/" + file)).filter((name) => /^\.\..*mesh$/.test(name))
                .map((name) => new URL(name, "http://_/" + file).pathname.slice(1)), all);
    }));

    // A browser that unpacks nothing gets one file after the other.
    function bring_pack(pack, all) {
        if (!packs.has(pack))
            packs.set(pack, (async () => {
                const bytes = window.DecompressionStream && await md5files.fetch("models/" + pack + ".gz", true);
                let at = 0;
                for (const [file, size] of all.filter(([, , its]) => its === pack))
                    write("/" + file, bytes ? bytes.subarray(at, at += size) : await md5files.fetch(file));
            })());
        return packs.get(pack);
    }

    // When there is a picture of our own machine with one clip: the whole one and its files, and who visits it; unless something else was opened.
    // Then the other models, so that the viewer can open them. Not for readers who save data.
    async function bring_rest(own, all, whole) {
        const saves = navigator.connection?.saveData;
        const opened = () => words_now().filter((word) => /^(\/|--page|--game-demo)/.test(word)).join(), first = opened();
        if (whole) {
            await bring_ours([own], all);
            write("/" + own, whole);
            await bring_ours(saves ? [own] : [own, guest], all);
        }
        if (whole && num_drops === 0 && opened() === first)
            program.ccall("web_drop", null, ["number", "string", "number", "number"], [window_of_program, "", -1, -1]);
        for (const [file] of saves ? [] : all)
            await bring_ours([file], all);
    }

    // Keeps the program and what was read; a version that is ready waits for a reader who reloads.
    async function keep() {
        const kept = await navigator.serviceWorker?.register("sw.js?" + md5files.kind()), update = document.getElementById("update");
        const tell = (worker) => worker?.addEventListener("statechange", () => update.hidden = worker.state !== "installed" || !kept.active);
        update.hidden = !kept?.waiting;
        kept?.addEventListener("updatefound", () => tell(kept.installing));
        update.addEventListener("click", () => kept.waiting.postMessage("go"));
        navigator.serviceWorker?.addEventListener("controllerchange", () => update.hidden || location.reload());
    }

    // A model of another host: its file, what a machine names, and an image for each shader, beside the file.
    async function bring(url) {
        const place = (url) => "/from/" + url.replace(/[?#].*/, "").replace(/^\w+:\/\//, "");
        const from = new URL(url, location).href, path = place(from), bytes = await md5files.fetch(from);
        write(path, bytes);
        urls.set(path, url);
        if (url.endsWith(".md5machine"))
            await Promise.allSettled(md5files.named(bytes).map((name) => bring(md5files.folder(from) + name)));
        const shaders = url.endsWith(".md5mesh") ? md5files.shaders(bytes) : [];
        const missing = await md5files.pictures(shaders, from, undefined, (picture, texels) => write(place(picture), texels));
        if (missing.length > 0)
            note("No pictures beside the model for: " + missing.join(", ") + ". Drop the folder that has them here instead.");
        return path;
    }

    // A message beside the picture, for some seconds.
    function note(text) {
        const line = document.getElementById("note");
        line.textContent = text;
        clearTimeout(note.timer);
        note.timer = setTimeout(() => line.textContent = "", 15000);
    }

    // Opens files, models before what belongs to one; [path, File] of each. Archives become folders, as the viewer reads none.
    // What lies beside a model is found there. What was dropped before goes with the model that it was for.
    async function take(names, given, x, y) {
        const archive = /\.(pk4|pk3|zip)$/i, opened = [], said = [];
        for (const [path, file] of given)
            for (const [inside, bytes] of archive.test(path) ? await md5files.unzip(file, (text) => said.push(text))
                : [["", new Uint8Array(await file.arrayBuffer())]])
                opened.push([path.replace(archive, "") + inside, bytes]);
        await ready;
        const root = "/dropped/" + num_drops++, kinds = [/\.b?md5mesh$/i, /\.md5machine$/i, /\.(glb|gltf|iqm|md[23l]|bvh)$/i, /\.md5anim$/i];
        const rank = (name) => kinds.findIndex((kind) => kind.test(name)) >>> 0, has_model = opened.some(([path]) => rank(path) < 3);
        if (has_model)
            for (const path of [...files.keys()].filter((path) => path.startsWith("/dropped/"))) {
                files.delete(path);
                program.FS.unlink(path);
            }
        if (has_model)
            opened.unshift(...loose.splice(0));
        else
            loose.push(...opened);
        const folders = new Set(opened.flatMap(([path]) => [...path.matchAll(/\//g)].map((its) => path.slice(0, its.index))));
        for (const [path, bytes] of opened)
            if (folders.has(path))
                said.push(path.slice(1) + ": skipped: a folder has its name");
            else
                write(root + path, bytes);
        if (said.length > 0)
            note(said.join("\n"));
        for (const name of names.sort((a, b) => rank(a) - rank(b)))
            if (!has_model || !/\.(png|tga|jpe?g|dds|bin|mtr|skin|def)$/i.test(name))
                program.ccall("web_drop", null, ["number", "string", "number", "number"], [window_of_program, safe(root + name.replace(archive, "")), x, y]);
    }

    async function drop(event) {
        event.preventDefault();
        const dropped = md5files.dropped(event.dataTransfer); // which is empty after this event
        if (!window_of_program)
            note("Opens when the viewer is loaded");
        const {names, files} = await dropped;
        await take(names, files, event.clientX, event.clientY);
    }

    // What a file input holds: a folder, or files.
    async function choose(event) {
        const given = [...event.target.files].map((file) => ["/" + (file.webkitRelativePath || file.name), file]);
        await take([...new Set(given.map(([path]) => path.match(/^\/[^/]*/)[0]))], given, innerWidth / 2, innerHeight / 2);
        event.target.value = "";
    }

    // The words of the command line that shows what is seen now, which is quoted for a shell.
    const words_now = () => program.ccall("web_command_line", "string", ["number"], [window_of_program])
        .match(/(?:'[^']*'|\\.|[^\s'\\])+/g).slice(1).map((word) => word.replace(/'([^']*)'|\\(.)/g, "$1$2"));

    // Files are whole paths in the program; other words are options, or values of the one before.
    function copy_link() {
        const pairs = [];
        for (const word of words_now())
            if (word.startsWith("--"))
                pairs.push(word.slice(2).split(/=(.*)/s, 2).concat("").slice(0, 2));
            else if (word.startsWith("/"))
                pairs.push(["model", urls.get(word) ?? word.replace(/^\/models/, "models")]);
            else
                pairs.at(-1)[1] = word;
        const shown = pairs.filter(([name]) => name !== "resolution"); // the window has its own
        history.replaceState(null, "", "#" + new URLSearchParams(shown));
        navigator.clipboard?.writeText(location.href).catch(() => {});
        note(shown.some(([, value]) => value.startsWith("/")) ? "The link cannot give others the files of this computer."
            : "Copied: " + location.href);
    }

    // Pictures and exports are files of the page: they are handed to the user a moment after the last change.
    function hand_out() {
        for (const name of program.FS.readdir("/saved").filter((name) => name[0] !== "."))
            if (Date.now() - program.FS.stat("/saved/" + name).mtime > 500 && !program.FS.isDir(program.FS.stat("/saved/" + name).mode)) {
                const link = document.createElement("a");
                link.href = URL.createObjectURL(new Blob([program.FS.readFile("/saved/" + name)]));
                link.download = name;
                link.click();
                setTimeout(() => URL.revokeObjectURL(link.href), 60000);
                program.FS.unlink("/saved/" + name);
            }
    }

    // Starts the program, for the first time, or because all that it had on the GPU was lost.
    async function start(words) {
        program = await md5view({
            canvas,
            print: tell,
            printErr: tell,
            opened: (its_window) => window_of_program = its_window,
            drawn: () => requestAnimationFrame(drawn), // when the browser has had time to show it
            instantiateWasm: (imports, done) => {
                code.then((module) => WebAssembly.instantiate(module, imports)).then(done);
                return {};
            },
        });
        files.forEach((bytes, path) => write(path, bytes));
        program.FS.mkdirTree("/saved");
        program.FS.chdir("/saved");
        window.md5 = program;
        return program.callMain(words); // undefined while its window is open
    }

    async function restart() {
        const words = words_now();
        program.ccall("web_stop", null, [], []);
        await start(words);
        document.documentElement.dataset.restarts = ++num_restarts;
    }

    const failed = (error) => {
        tell(error.message);
        document.documentElement.dataset.state = "failed";
    };
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => drop(event).catch((error) => note(error.message)));
    canvas.addEventListener("pointerdown", () => canvas.focus());
    addEventListener("contextmenu", (event) => event.preventDefault());
    addEventListener("paste", (event) => window_of_program && program.ccall("web_paste", null, ["number", "string"],
        [window_of_program, event.clipboardData.getData("text")]));
    addEventListener("hashchange", () => location.reload());
    for (const input of document.querySelectorAll("input"))
        input.addEventListener("change", (event) => choose(event).catch((error) => note(error.message)));
    document.getElementById("link").addEventListener("click", () => window_of_program && copy_link());
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault()); // or it is not restored
    canvas.addEventListener("webglcontextrestored", () => restart().catch(failed));
    try {
        const kind = new URLSearchParams(location.search).get("kind") || md5files.kind(); // ?kind=scalar: for tests
        const loaded = md5files.run("md5view-" + kind + ".js"); // beside the files
        code = WebAssembly.compileStreaming(fetch("md5view-" + kind + ".wasm"));
        const ours = JSON.parse(new TextDecoder().decode(await md5files.fetch("models.json"))), words = [];
        const [own, , first] = ours[0], models = [];
        for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
            if (name !== "model")
                words.push("--" + name + (value !== "" ? "=" + value : ""));
            else if (ours.some(([path]) => path === value))
                words.push("/" + models[models.push(value) - 1]);
            else
                words.push(await bring(value));
            if (name === "page") { // of techniques, which show one of two models
                models.push(own, guest);
                words.push("/" + own.replace("machine", "mesh"));
            }
        }
        if (words.includes("--game-demo"))
            models.push(own, "models/lantern/lantern.md5machine");
        // The viewer opens our own without words: here its mesh with one clip, which is there soonest.
        const is_first = models.length === 0 && words.every((word) => word.startsWith("--"));
        await Promise.all([is_first && bring_pack(first, ours), bring_ours(models, ours)]);
        const whole = is_first && files.get("/" + own);
        if (is_first)
            write("/" + own, new TextEncoder().encode("machine First { model bobbin.md5mesh clip idle idle.md5anim layer body { state idle idle } }"));
        await loaded;
        const picture = new Promise((done) => drawn = done), status = await start(words);
        document.documentElement.dataset.state = status ? "failed" : "started";
        if (window_of_program) {
            begun();
            canvas.focus();
            setInterval(hand_out, 1000);
            await picture;
            performance.mark("picture");
            keep().catch(() => {}); // without a network there is no more
            bring_rest(own, ours, whole).catch(() => {});
        }
    } catch (error) {
        failed(error);
    }
})();
