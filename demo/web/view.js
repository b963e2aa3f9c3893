// The page of the viewer. Its address says what it shows, in the options of md5view:
// index.html#model=models/bobbin/bobbin.md5mesh&model=models/bobbin/walk.md5anim&animation-time=0.5 is
// md5view --animation-time=0.5 models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
"use strict";

(async function () {
    const told = document.getElementById("told");
    const tell = (text) => told.append(text + "\n");
    const options = [...new URLSearchParams(location.hash.slice(1))];
    let program, window_of_program = 0, num_drops = 0;

    function write(path, bytes) {
        program.FS.mkdirTree(md5files.folder(path));
        program.FS.writeFile(path, bytes);
    }

    // Our models are on the site: models.json lists their files. A model needs those of its folder, but morph targets only
    // for a machine, and the folders of other models that machines name.
    async function bring_ours(model, all) {
        const wanted = new Set([model]), has_machine = model.endsWith(".md5machine");
        for (const path of wanted) {
            const folder = md5files.folder(path);
            await Promise.all(all.filter((file) => file.startsWith(folder) && (has_machine || !file.includes("/morphs/"))
                && !program.FS.analyzePath("/" + file).exists).map(async (file) => {
                const bytes = await md5files.fetch(file);
                write("/" + file, bytes);
                if (has_machine && file.endsWith(".md5machine"))
                    for (const [, name] of new TextDecoder().decode(bytes).matchAll(/"?(\.\.[\w./-]+\.md5mesh)/g))
                        wanted.add(new URL(name, "http://_/" + file).pathname.slice(1));
            }));
        }
    }

    // A model of another host: its file, the clips that the address names, and an image for each shader, beside the file.
    async function bring(url) {
        const bytes = await md5files.fetch(url), path = "/from/" + url.replace(/[?#].*/, "").replace(/^\w+:\/\//, "");
        write(path, bytes);
        for (const shader of url.endsWith(".md5mesh") ? md5files.shaders(bytes) : [])
            for (const end of ["", "_local", "_s"]) {
                const name = shader.split("/").pop().replace(/\.\w+$/, "") + end;
                for (const kind of [".png", ".tga", ".jpg"]) {
                    const image = await md5files.fetch(new URL(name + kind, new URL(url, location)).href).catch(() => null);
                    if (image)
                        write(md5files.folder(path) + name + kind, image);
                    if (image)
                        break;
                }
            }
        return path;
    }

    // Files are opened in their order, models before what belongs to one.
    async function drop(event) {
        event.preventDefault();
        const {names, files} = await md5files.dropped(event.dataTransfer), root = "/dropped/" + num_drops++;
        for (const [path, file] of files)
            write(root + path, new Uint8Array(await file.arrayBuffer()));
        const rank = (name) => [/\.md5mesh$/i, /\.md5machine$/i, /\.md5anim$/i].findIndex((kind) => kind.test(name)) >>> 0;
        for (const name of names.sort((a, b) => rank(a) - rank(b)))
            program.ccall("web_drop", null, ["number", "string", "number", "number"],
                [window_of_program, root + name, event.clientX, event.clientY]);
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

    try {
        const kind = new URLSearchParams(location.search).get("kind") || md5files.kind(); // ?kind=scalar: for tests
        await md5files.run("md5view-" + kind + ".js");
        program = await md5view({
            canvas: document.getElementById("canvas"),
            print: tell,
            printErr: tell,
            opened: (its_window) => window_of_program = its_window,
        });
        const ours = JSON.parse(new TextDecoder().decode(await md5files.fetch("models.json")));
        const words = [];
        let model = "";
        for (const [name, value] of options) {
            if (name !== "model") {
                words.push("--" + name + (value !== "" ? "=" + value : ""));
                continue;
            }
            model = ours.includes(value) ? "/" + value : await bring(value);
            words.push(model);
        }
        if (!model) // the viewer then opens our own
            model = "/" + ours.find((path) => /^models\/[^/]+\/[^/]+\.md5machine$/.test(path));
        if (ours.includes(model.slice(1)))
            await bring_ours(model.slice(1), ours);
        program.FS.mkdirTree("/saved");
        program.FS.chdir("/saved");
        window.md5 = program;
        addEventListener("dragover", (event) => event.preventDefault());
        addEventListener("drop", (event) => drop(event).catch((error) => tell(error.message)));
        addEventListener("contextmenu", (event) => event.preventDefault());
        addEventListener("paste", (event) => window_of_program && program.ccall("web_paste", null, ["number", "string"],
            [window_of_program, event.clipboardData.getData("text")]));
        addEventListener("hashchange", () => location.reload());
        const status = program.callMain(words); // undefined while its window is open
        if (window_of_program)
            setInterval(hand_out, 1000);
        document.documentElement.dataset.state = status ? "failed" : "started";
    } catch (error) {
        tell(error.message);
        document.documentElement.dataset.state = "failed";
    }
})();
