// The page of the viewer, and the lesson pages. It loads the program (platform.c), passes files to it and handles its requests.
// The fragment of the URL contains options of md5view:
// view.html#model=models/bobbin/bobbin.md5mesh&model=models/bobbin/walk.md5anim&animation-time=0.5 is
// md5view --animation-time=0.5 models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
"use strict";

(async function () {
    const companion = "models/thimble/thimble.md5machine";
    const output = document.getElementById("log"), canvas = document.getElementById("canvas"), page = document.body.dataset;
    const print_line = (text) => output.append(text.replace(/\/(dropped\/\d+|from)\//g, "") + "\n"); // prints names without the program's folders
    const files = new Map(), urls = new Map(); // bytes by path, for a restart of the program; original URLs by path
    const packs = new Map(), loaded_models = new Set(); // promises of packs of our models; the models that are loaded
    const sizes = {total: 0, received: 0}; // bytes of all requested packs; bytes that have arrived
    const saved = new Set(); // paths of saved files that are not offered as downloads yet
    const pending_files = []; // [path, bytes] of files that were dropped after the last model, for the next model
    let code, module_factory, program, on_first_frame, resolve_ready, site_files, waiting_text, window_of_program = 0, num_drops = 0, num_restarts = 0;
    const ready = new Promise((resolve) => resolve_ready = resolve);

    // Replaces names of parts that are properties of every object, because the program's folders are objects.
    const safe = (path) => path.split("/").map((part) => part in {} ? part + "_" : part).join("/");

    function write(path, bytes) {
        path = safe(path);
        files.set(path, bytes);
        program?.FS.mkdirTree(md5files.folder(path));
        program?.FS.writeFile(path, bytes, {canOwn: true});
    }

    // Loads our models, which are stored on the site in packs of concatenated files. models.json contains the name, the size and the
    // pack of each file. A model requires the files of its folder, a machine also the files of the folders that it refers to.
    const load_site_models = (models) => Promise.all(models.map(async (model) => {
        const folder = model.match(/^models\/[^/]+\//)[0], listed = site_files.filter(([file]) => file.startsWith(folder));
        await Promise.all([...new Set(listed.map(([, , pack]) => pack))].map(load_pack));
        for (const [file] of model.endsWith(".md5machine") ? listed.filter(([file]) => file.endsWith(".md5machine")) : [])
            await load_site_models((await md5files.find_files(files.get("/" + file))).filter((name) => /^\.\..*mesh$/.test(name))
                .map((name) => new URL(name, "http://_/" + file).pathname.slice(1)));
        loaded_models.add(model);
    }));

    function load_pack(pack) {
        if (!packs.has(pack))
            packs.set(pack, (async () => {
                const listed = site_files.filter(([, , file_pack]) => file_pack === pack), count = (size) => (sizes.received += size, show_progress());
                const pack_size = listed.reduce((sum, [, size]) => sum + size, 0);
                sizes.total += pack_size;
                const bytes = await md5files.fetch("models/" + pack + ".gz", pack_size, count);
                let offset = 0;
                for (const [file, size] of listed)
                    write("/" + file, bytes.subarray(offset, offset += size));
            })().catch((error) => {
                packs.delete(pack); // the next request tries again
                throw error;
            }));
        return packs.get(pack);
    }

    // Loads the remaining files of our first model, which was opened with one clip, and its companion, and opens the complete machine,
    // unless the user has opened something else. Then loads all other models, so that the viewer can open them. Browsers that save
    // data load only the first model.
    async function load_remaining_models(first_model, machine) {
        const saves = navigator.connection?.saveData, opened_before = get_opened();
        if (machine) {
            await load_site_models([first_model]);
            write("/" + first_model, machine);
            await load_site_models(saves ? [first_model] : [first_model, companion]);
        }
        if (machine && num_drops === 0 && get_opened() === opened_before)
            call("web_drop", "", -1, -1);
        for (const [file] of saves ? [] : site_files)
            await load_site_models([file]);
    }

    // Returns the opened files and lesson, to detect if the user opens something else.
    const get_opened = () => current_arguments().filter((argument) => /^(\/|--lesson)/.test(argument)).join();

    // Opens a lesson when our models for it have arrived. Until then a note shows the progress. Returns true if the lesson has to wait.
    function wait_for(lesson) {
        const models = [site_files[0][0], companion];
        if (models.every((model) => loaded_models.has(model)))
            return false;
        const opened_before = get_opened();
        waiting_text = "Loading the lesson";
        show_progress();
        load_site_models(models).then(() => note(""), (error) => note(error.message)).then(() => {
            waiting_text = "";
            if (models.every((model) => loaded_models.has(model)) && get_opened() === opened_before)
                call("web_set", "lesson", lesson);
        });
        return true;
    }
    const show_progress = () => waiting_text && note(waiting_text + ": " + Math.floor(100 * sizes.received / sizes.total) + " %");

    // The requests of the program; see platform.h.
    const inputs = document.querySelectorAll("input[type=file]"), requests = {
        files: () => inputs[0].click(),
        folder: () => inputs[1].click(),
        link: () => copy_link(),
        about: () => location.href = "index.html",
        leave: () => document.querySelector("nav a").focus(),
    };
    function handle_request(request) {
        if (request.startsWith("facts"))
            document.getElementById("facts").textContent = request.slice("facts\n".length);
        return !page.show && window_of_program !== 0 && (requests[request] ? (requests[request](), true) : wait_for(request));
    }

    // Stores the program and all loaded files for offline use. A new version is used when a page is opened while no other page is open.
    async function store_for_offline_use() {
        const registration = await navigator.serviceWorker?.register("sw.js?" + md5files.kind());
        registration?.addEventListener("updatefound", () => registration.installing.addEventListener("statechange", () =>
            registration.waiting && registration.active && note("A new version is available. Reload the page to use it.")));
    }

    // Loads a model from a URL: its file, the files of a machine, and an image for each shader from the same folder. Returns its path.
    async function load_from_url(url) {
        const local_path = (url) => "/from/" + url.replace(/[?#].*/, "").replace(/^\w+:\/\//, "");
        const from = new URL(url, location).href, path = local_path(from), bytes = await md5files.fetch(from);
        write(path, bytes);
        urls.set(path, url);
        if (url.endsWith(".md5machine"))
            await Promise.allSettled((await md5files.find_files(bytes)).map((name) => load_from_url(md5files.folder(from) + name)));
        const missing = !url.endsWith(".md5mesh") ? [] : await md5files.fetch_images(bytes, from, (image, content) => write(local_path(image), content));
        if (missing.length > 0)
            note("Textures not found next to the model: " + missing.join(", ") + ". Open the model's folder here instead.");
        return path;
    }

    // Shows a message next to the canvas for some seconds.
    function note(text) {
        const line = document.getElementById("note");
        line.textContent = text;
        clearTimeout(note.timer);
        note.timer = setTimeout(() => line.textContent = "", 15000);
    }

    const archive = /\.(pk4|pk3|zip)$/i;

    // Reads files, [path, File] of each, and unpacks archives to folders. Returns [path, bytes] of each file.
    async function read_files(entries, warnings) {
        const contents = [], {unzip} = await import("./unzip.js");
        for (const [path, file] of entries)
            if (archive.test(path))
                for (const [inner_path, bytes] of await unzip(file, (text) => warnings.push(text)))
                    contents.push([path.replace(archive, "") + inner_path, bytes]);
            else
                contents.push([path, new Uint8Array(await file.arrayBuffer())]);
        return contents;
    }

    // Removes all files that were dropped before.
    function remove_dropped() {
        for (const path of [...files.keys()].filter((path) => path.startsWith("/dropped/"))) {
            files.delete(path);
            program.FS.unlink(path);
        }
    }

    // Writes files below the folder `root`. Skips a file whose path is also a folder.
    function write_opened(root, opened, warnings) {
        const folders = new Set(opened.flatMap(([path]) => [...path.matchAll(/\//g)].map((slash) => path.slice(0, slash.index))));
        for (const [path, bytes] of opened)
            if (folders.has(path))
                warnings.push(path.slice(1) + ": skipped: a folder has the same name");
            else
                write(root + path, bytes);
    }

    // Opens files, [path, File] of each, models first. Archives become folders, because the program does not read archives. Files that
    // were dropped before a model are stored in the folder of the model.
    async function open_files(names, entries, x, y) {
        const warnings = [], opened = await read_files(entries, warnings);
        await ready;
        const root = "/dropped/" + num_drops++, kinds = [/\.b?md5mesh$/i, /\.md5machine$/i, /\.(glb|gltf|vrma?|iqm|md[23l]|bvh|smd|ps[ak])$/i, /\.b?md5anim$/i];
        const rank = (name) => kinds.findIndex((kind) => kind.test(name)) >>> 0;
        const models = opened.map(([path]) => path).filter((path) => rank(path) < 3), has_model = models.length > 0;
        if (models.length === 1 && rank(models[0]) === 2)
            names = models; // the viewer does not list models of other formats in folders
        if (has_model) {
            remove_dropped();
            opened.unshift(...pending_files.splice(0));
        } else
            pending_files.push(...opened);
        write_opened(root, opened, warnings);
        if (warnings.length > 0)
            note(warnings.join("\n"));
        for (const name of names.sort((a, b) => rank(a) - rank(b)))
            if (!has_model || !/\.(png|tga|jpe?g|dds|bin|mtr|skin|def)$/i.test(name)) {
                const path = safe(root + name.replace(archive, ""));
                program.FS.mkdirTree(path); // creates empty folders; a file is unchanged
                call("web_drop", path, x, y);
            }
    }

    async function drop(event) {
        event.preventDefault();
        const dropped = md5files.read_drop(event.dataTransfer); // dataTransfer is empty after this event
        if (!window_of_program)
            note("The files open when the viewer is loaded");
        const {names, files} = await dropped;
        await open_files(names, files, event.clientX, event.clientY);
    }

    // Opens the files or the folder of a file input.
    async function choose(event) {
        const entries = [...event.target.files].map((file) => ["/" + (file.webkitRelativePath || file.name), file]);
        await open_files([...new Set(entries.map(([path]) => path.match(/^\/[^/]*/)[0]))], entries, innerWidth / 2, innerHeight / 2);
        event.target.value = "";
    }

    // Calls a function of the program. The window is its first argument.
    const call = (name, ...values) => program.ccall(name, name === "web_command_line" ? "string" : null,
        [window_of_program, ...values].map((value) => typeof value), [window_of_program, ...values]);

    // Returns the words of the command line for the current view, which is quoted for a shell.
    const current_arguments = () => call("web_command_line").match(/(?:'[^']*'|\\.|[^\s'\\])+/g).slice(1).map((argument) => argument.replace(/'([^']*)'|\\(.)/g, "$1$2"));

    // Copies a link to the current view. In the command line, files are absolute paths; other words are options or their values.
    function copy_link() {
        const pairs = [];
        for (const argument of current_arguments())
            if (argument.startsWith("--"))
                pairs.push(argument.slice(2).split(/=(.*)/s, 2).concat("").slice(0, 2));
            else if (argument.startsWith("/"))
                pairs.push(["model", urls.get(argument) ?? argument.replace(/^\/models/, "models")]);
            else
                pairs.at(-1)[1] = argument;
        const options = pairs.filter(([name]) => name !== "resolution"); // other windows have other sizes
        history.replaceState(null, "", "#" + new URLSearchParams(options));
        navigator.clipboard?.writeText(location.href).catch(() => {});
        note(options.some(([, value]) => value.startsWith("/")) ? "The link works only on this computer, because files that you opened are not uploaded."
            : "Copied: " + location.href);
    }

    // Collects the files that the program saves. The program writes a file under another name and renames it when it is complete.
    function watch_saved_files() {
        const {rename} = program.FS;
        program.FS.rename = (from, to) => {
            rename(from, to);
            if (!/\/\./.test(to)) // not the settings of the viewer
                saved.add(to);
        };
    }

    // Offers saved images, movies and models as downloads. The folder /saved contains only files that the user has not received yet.
    function offer_downloads() {
        for (const path of saved) {
            const link = document.createElement("a");
            saved.delete(path);
            link.href = URL.createObjectURL(new Blob([program.FS.readFile(path)]));
            link.download = path.slice(path.lastIndexOf("/") + 1);
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 60000);
            if (path.startsWith("/saved/"))
                program.FS.unlink(path);
        }
    }

    // Connects the sliders of a lesson's page to the program and to the URL.
    function follow_sliders(form) {
        for (const [name, value] of new URLSearchParams(location.hash.slice(1)).getAll("set").map((pair) => pair.split("=")))
            (form.elements[name] ?? {}).value = value;
        const show = () => form.querySelectorAll("output").forEach((element) => element.value = +(+element.nextElementSibling.value).toPrecision(3));
        show();
        form.addEventListener("input", ({target}) => {
            show();
            history.replaceState(null, "", location.pathname + "#" + new URLSearchParams([...new FormData(form)].map((pair) => ["set", pair.join("=")])));
            window_of_program && call("web_set", "set", target.name + "=" + target.value);
        });
    }

    // Starts the program: the first time, or again after the context was lost. Returns its exit status, or undefined while its window
    // is open.
    async function start(args) {
        program = await (await module_factory)({
            canvas,
            print: print_line,
            printErr: print_line,
            opened: (new_window) => window_of_program = new_window,
            handle_request,
            drawn: () => requestAnimationFrame(on_first_frame), // after the browser has shown the frame
            instantiateWasm: (imports, on_instance) => {
                code.then((module) => WebAssembly.instantiate(module, imports)).then(on_instance);
                return {};
            },
        });
        files.forEach((bytes, path) => write(path, bytes));
        program.FS.mkdirTree("/saved");
        program.FS.chdir("/saved");
        watch_saved_files();
        window.md5 = program;
        return program.callMain(args);
    }

    async function restart() {
        const args = current_arguments();
        program.ccall("web_stop", null, [], []);
        await start(args);
        document.documentElement.dataset.restarts = ++num_restarts;
    }

    // Explains that the address could not be opened, and adds a link to the viewer without its files and options.
    function add_link_to_viewer() {
        if (location.hash)
            output.prepend("The viewer could not open this link.\n\n");
        output.append("\n");
        const link = document.createElement("a");
        link.href = location.pathname + location.search;
        link.textContent = "Open the viewer with the model Bobbin";
        output.append(link);
    }

    const failed = (error) => {
        print_line(error.message);
        document.documentElement.dataset.state = "failed";
        add_link_to_viewer();
    };
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    addEventListener("hashchange", () => location.reload());
    if (page.show) {
        follow_sliders(document.querySelector("form"));
    } else {
        addEventListener("dragover", (event) => event.preventDefault());
        addEventListener("drop", (event) => drop(event).catch((error) => note(error.message)));
        canvas.addEventListener("pointerdown", () => canvas.focus());
        addEventListener("paste", (event) => { // passes the first line in pieces that fit into an event of the program
            for (const [piece] of event.clipboardData.getData("text").split(/[\r\n]/)[0].matchAll(/.{1,7}/gu))
                window_of_program && call("web_paste", piece);
        });
        addEventListener("keydown", (event) => /^(F6|Escape)$/.test(event.key) && event.target !== canvas && (canvas.focus(), event.preventDefault()));
        for (const input of inputs)
            input.addEventListener("change", (event) => choose(event).catch((error) => note(error.message)));
        document.getElementById("link").addEventListener("click", () => window_of_program && copy_link());
    }
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault()); // otherwise the browser does not restore it
    canvas.addEventListener("webglcontextrestored", () => restart().catch(failed));
    try {
        const kind = new URLSearchParams(location.search).get("kind") || md5files.kind(); // tests use ?kind=scalar
        module_factory = import("./md5view-" + kind + ".js").then((glue) => glue.default); // in parallel with the files
        code = WebAssembly.compileStreaming(fetch("md5view-" + kind + ".wasm"));
        site_files = JSON.parse(new TextDecoder().decode(await md5files.fetch("models.json")));
        const [first_model, , first_pack] = site_files[0], models = [], args = [];
        for (const [name, value] of new URLSearchParams((page.show ?? "") + "&" + location.hash.slice(1))) {
            if (name !== "model")
                args.push("--" + name + (value !== "" ? "=" + value : ""));
            else if (site_files.some(([path]) => path === value))
                args.push("/" + models[models.push(value) - 1]);
            else
                args.push(await load_from_url(value));
            if (name === "lesson") // lessons show one of these models
                models.push(...page.model ? [page.model] : [first_model, companion]);
        }
        // Without arguments, the viewer opens our first model. To shorten the time to the first frame, it is opened with one clip.
        const is_first = models.length === 0 && args.every((argument) => argument.startsWith("--"));
        await Promise.all([is_first && load_pack(first_pack), load_site_models(models)]);
        const machine = is_first && files.get("/" + first_model);
        if (is_first)
            write("/" + first_model, new TextEncoder().encode("machine Bobbin { model bobbin.md5mesh clip idle idle.md5anim layer body { state idle idle } }"));
        const first_frame = new Promise((resolve) => on_first_frame = resolve), status = await start(args);
        document.documentElement.dataset.state = status ? "failed" : "started";
        if (status)
            add_link_to_viewer();
        if (window_of_program) {
            resolve_ready();
            page.show || canvas.focus();
            await first_frame;
            performance.mark("picture");
            document.documentElement.dataset.drawn = "";
            store_for_offline_use().catch(() => {}); // fails without a network
            page.show || setInterval(offer_downloads, 1000);
            page.show || load_remaining_models(first_model, machine).catch(() => {});
        }
    } catch (error) {
        failed(error);
    }
})();
