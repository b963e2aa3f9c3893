// What all elements <md5-model> of a page share: the program element.c, one context of WebGL, the order of drawing, the files
// that were fetched, and the models made of them.
import begin from "./md5core.js";

export const settings = {wasmURL: undefined, map: null, cacheSize: 2 ** 25};

export class Md5ModelError extends Error {
    constructor(code, message, more) {
        super(message);
        Object.assign(this, {name: "Md5ModelError", code}, more);
    }
}

// -- Files ---------------------------------------------------------------------------------------

const sources = new Map(); // by URL, the one used last at the end

async function get(url, signal, {is_guess, ...options}) {
    for (const pause of is_guess ? [0] : [500, 2000, 0]) {
        const answer = await fetch(url, {signal, ...options}).catch(() => null);
        signal.throwIfAborted();
        if (answer?.ok) {
            const bytes = new Uint8Array(await answer.arrayBuffer());
            return bytes[0] !== 0x1f || bytes[1] !== 0x8b ? bytes : new Uint8Array(await new Response(
                new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
        }
        const status = answer?.status;
        if (pause === 0 || (answer && status !== 429 && status < 500))
            throw answer ? new Md5ModelError("http", url + ": " + status, {url, status}) : new Md5ModelError("network",
                url + ": not reachable, or its host does not allow other pages to read it (CORS)", {url});
        await new Promise((done) => setTimeout(done, Math.min(10000, 1000 * answer?.headers.get("Retry-After") || pause)));
        signal.throwIfAborted();
    }
}

// The bytes of a URL, fetched once for all who want them at a time. Nothing that failed is remembered.
async function bring(url, signal, options) {
    signal.throwIfAborted();
    const it = sources.get(url) ?? {waiting: 0, size: 0, controller: new AbortController()};
    it.promise ??= Promise.resolve(settings.map?.(url) ?? url).then((mapped) => get(mapped, it.controller.signal, options)).then(
        (bytes) => (it.size = bytes.length, bytes));
    sources.delete(url);
    sources.set(url, it);
    it.waiting++;
    try {
        return await Promise.race([it.promise, new Promise((done, fail) => signal.addEventListener("abort", () => fail(signal.reason)))]);
    } finally {
        it.waiting--;
        if (it.waiting === 0 && it.size === 0) { // nobody wants it any more, or it has failed
            it.controller.abort();
            if (sources.get(url) === it)
                sources.delete(url);
        }
        let kept = [...sources.values()].reduce((sum, its) => sum + its.size, 0);
        for (const [key, its] of sources)
            if (kept > settings.cacheSize && its.size > 0) {
                kept -= its.size;
                sources.delete(key);
            }
    }
}

// -- The program ---------------------------------------------------------------------------------

let module, starting, problem, asset_now, listener, named = 0;

const page = {
    open: (path, is_picture) => is_picture ? asset_now.picture(path) : asset_now.files.get(path),
    name(shader, kind) {
        const name = asset_now.name_picture(shader, kind);
        module._free(named);
        return named = name === undefined ? 0 : copy(name);
    },
    tell(kind, text, more) {
        if (kind === "error")
            problem = [text, more];
        else
            listener(kind, text, more);
    },
};

async function start() {
    const url = String(settings.wasmURL ?? new URL("./md5core.wasm", import.meta.url)), answer = await fetch(url).catch(() => null);
    const fail = (code, text) => new Md5ModelError(code, text, {url});
    if (!answer?.ok)
        throw fail("program", "md5core.wasm: " + (answer?.status ?? "not reachable") + " at " + url);
    const bytes = answer.clone(); // if it is of another type
    const code = await WebAssembly.compileStreaming(answer).catch(async () => {
        const all = await bytes.arrayBuffer();
        return WebAssembly.compile(all).catch((error) => {
            throw WebAssembly.validate(all) ? fail("csp", "The page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to script-src")
                : fail("program", "md5core.wasm: " + error.message);
        });
    });
    module = await begin({page, instantiateWasm: (imports, done) => (WebAssembly.instantiate(code, imports).then(done), {})});
}

// A text in the program's memory.
function copy(text) {
    const bytes = new TextEncoder().encode(text + "\0"), it = module._malloc(bytes.length);
    module.HEAPU8.set(bytes, it);
    return it;
}

// Calls a function of element.c.
export function call(name, ...values) {
    const texts = values.map((value) => typeof value === "string" ? copy(value) : value);
    const result = module["_" + name](...texts);
    values.forEach((value, i) => value === texts[i] || module._free(texts[i]));
    return result;
}
export const numbers = (it) => module.HEAPF32.subarray(it >> 2, (it >> 2) + 22); // its table,
export const player = (it) => module.HEAPU32[(it >> 2) + 22]; // and what is behind that
export function texts(name, it) {
    const found = [];
    for (let text; (text = module.UTF8ToString(call(name, it, found.length))); found.push(text));
    return found;
}
export function advance(it, seconds, hear) {
    listener = hear;
    call("web_advance", it, seconds);
}

// What can fail, and then has told why; the numbers are those of md5_status.
export function need(name, ...values) {
    problem = ["out of memory", 3];
    const result = call(name, ...values);
    if (result)
        return result;
    const [, line, column] = /:(\d+):(\d+): /.exec(problem[0]) ?? [];
    throw new Md5ModelError({3: "memory", 7: "mismatch", 9: "gpu"}[problem[1]] ?? "parse", problem[0], line && {line: +line, column: +column});
}

// -- The context ---------------------------------------------------------------------------------

let canvas, gl, renderer = 0, idle, losses = 0;

function use_context() {
    if (!gl) {
        canvas = document.createElement("canvas");
        const its = canvas.getContext("webgl2", {antialias: true});
        if (!its)
            throw new Md5ModelError("no-webgl2", "This browser has no WebGL 2, or it is switched off");
        gl = its;
        canvas.addEventListener("webglcontextlost", (event) => {
            event.preventDefault(); // or it is not restored
            if (gl !== its)
                return;
            losses++;
            setTimeout(() => losses--, 60000);
            leave_renderer();
            setTimeout(() => gl === its && its.isContextLost() && seats.forEach((seat) => seat.lose()), 2000);
        });
        canvas.addEventListener("webglcontextrestored", () => seats.forEach((seat) => seat.touch()));
    }
    if (renderer || gl.isContextLost())
        return renderer !== 0;
    if (losses > 3)
        throw new Md5ModelError("gpu", "The GPU was lost four times in a minute");
    module.GL.makeContextCurrent(module.GL.registerContext(gl, {majorVersion: 2}));
    renderer = need("web_create_renderer");
    return true;
}

function leave_renderer() {
    assets.forEach((asset) => asset.hide());
    if (renderer)
        call("md5gl_destroy_renderer", renderer);
    renderer = 0;
}

// Draws an element's model, and moves the picture over to its own canvas. Returns whether there is a context.
export function draw_to(context, it, asset) {
    const {width, height} = context.canvas;
    if (!asset.show())
        return false;
    for (const side of ["width", "height"])
        if (canvas[side] < context.canvas[side])
            canvas[side] = Math.ceil(context.canvas[side] / 64) * 64;
    if (!call("web_draw", it, renderer, width, height)) {
        if (gl.isContextLost())
            return false;
        throw new Md5ModelError("gpu", problem[0]);
    }
    context.globalCompositeOperation = "copy";
    context.drawImage(canvas, 0, canvas.height - height, width, height, 0, 0, width, height);
    return true;
}

// A picture that the browser can decode, as pixels. The way through a texture keeps the colours of transparent ones.
async function decode(bytes) {
    if (!/^(\x89PNG|\xff\xd8|RIFF....WEBP|....ftyp)/s.test(String.fromCharCode(...bytes.subarray(0, 12))))
        return bytes; // TGA, DDS
    const options = {premultiplyAlpha: "none", colorSpaceConversion: "none"};
    let bitmap = await createImageBitmap(new Blob([bytes]), options);
    while (bitmap.width > 4096 || bitmap.height > 4096)
        bitmap = await createImageBitmap(bitmap, {...options, resizeWidth: bitmap.width + 1 >> 1, resizeHeight: bitmap.height + 1 >> 1});
    const {width, height} = bitmap, pixels = new Uint8Array(4 * width * height);
    if (!use_context())
        return bytes;
    const before = [gl.getParameter(gl.TEXTURE_BINDING_2D), gl.getParameter(gl.FRAMEBUFFER_BINDING)];
    const texture = gl.createTexture(), framebuffer = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.deleteFramebuffer(framebuffer);
    gl.deleteTexture(texture);
    gl.bindTexture(gl.TEXTURE_2D, before[0]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, before[1]);
    bitmap.close();
    return Object.assign(pixels, {width, height});
}

// -- The order of drawing ------------------------------------------------------------------------

export const seats = new Set(); // of elements: is_due(), is_far(), draw(now), drawn, touch(), lose(), arrive()
let frame = 0, times = [];

export function draw_soon() {
    frame ||= requestAnimationFrame(draw);
}

// If the last frames took long, only as many as fit are drawn, those that have waited longest first.
function draw(now) {
    frame = 0;
    times = [...times.slice(-5), now];
    const is_slow = times.length > 5 && times.every((time, i) => i === 0 || time - times[i - 1] > 34), end = performance.now() + 24;
    const due = () => [...seats].filter((seat) => seat.is_due());
    due().sort((a, b) => a.drawn - b.drawn).forEach((seat, i) => (i === 0 || !is_slow || performance.now() < end) && seat.draw(now));
    if (due().length > 0)
        draw_soon();
    else
        times = [];
}

// -- Models --------------------------------------------------------------------------------------

const folder = (path) => path.slice(0, path.lastIndexOf("/") + 1);
const plain = (url) => url.replace(/[?#].*/s, "");
const absolute = (url) => new URL(url, document.baseURI).href;
export const base_name = (path) => plain(path).split(/[/\\]/).pop().replace(/\.\w+$/, "");

// Pairs of a name, or "", and a URL: "walk.md5anim run=b.md5anim". What has a ? # or : before the first = is a URL.
export const pairs = (text) => (text ?? "").split(/\s+/).filter(Boolean).map(
    (part) => (/^([^=?#:]*)=(.*)$/s.exec(part) ?? [part, "", part]).slice(1));

const assets = new Map();
const maps = ["color", "normals", "heights", "specular", "glow"]; // those of md5gl_picture

class Asset {
    users = new Set(); // seats
    files = new Map(); // bytes by path
    it = 0; // in the program
    missing = [];
    report = []; // of textures
    #controller = new AbortController();
    #clips = new Map();
    #num_clips = 0;
    #pixels = new Map(); // of pictures by path; null: it is not there
    #asked = []; // pictures that are in neither
    #map; // of which shader the library seeks now
    #is_drawn = false;
    #dressing;
    #bending;
    #named; // textures by name and map
    #listed; // what is there, by name in lower case, if it is known
    #ending; // that pictures have

    async bring(path, more) {
        const url = new URL(path).href, bytes = await bring(this.#listed?.get(url.toLowerCase()) ?? url, this.#controller.signal,
            {credentials: this.credentials ? "include" : "same-origin", priority: this.priority, ...more});
        this.users.forEach((user) => user.arrive());
        return bytes;
    }

    // Another use of the program begins: what it opens is this asset's.
    need(name, ...values) {
        asset_now = this;
        return need(name, this.it, ...values);
    }

    load() {
        return this.loading ??= this.#load().catch((error) => {
            this.loading = undefined;
            throw error;
        });
    }

    async #load() {
        starting ??= start().catch((error) => {
            starting = undefined;
            throw error;
        });
        const path = plain(this.src), all = pairs(this.textures), list = (names, base) =>
            this.#listed = new Map(names.map((name) => new URL(name, base).href).map((url) => [url.toLowerCase(), url]));
        this.#named = new Map(all.filter(([name]) => name).map(([name, url]) => [name, url && absolute(url)]));
        if (this.list) {
            const its = JSON.parse(new TextDecoder().decode(await this.bring(this.list))), names = its.files ?? its;
            list(names, new URL(its.base ?? ".", this.list));
            const [only, other] = names.filter((name) => /\.(png|jpe?g|tga|dds|webp)$/i.test(name));
            if (only && !other && !this.#named.has("*")) // it is everybody's
                this.#named.set("*", new URL(only, new URL(its.base ?? ".", this.list)).href);
        } else if (all.some(([name]) => !name)) {
            list(all.filter(([name]) => !name).map(([, url]) => url), path);
        }
        const [bytes] = await Promise.all([this.bring(this.src), starting]), text = new TextDecoder().decode(bytes);
        if (/^\s*</.test(text))
            throw new Md5ModelError("http", this.src + " is a page of HTML, probably a 404 that says 200", {url: this.src});
        this.files.set(path, bytes);
        this.is_machine = /^(?:\s|\/\/.*|\/\*[^]*?\*\/)*machine\s/.test(text);
        const named = this.is_machine ? [...text.matchAll(/"([^"\n]+\.md5(?:mesh|anim))"|([^\s"]+\.md5(?:mesh|anim))\b/g)].map(
            ([, quoted, bare]) => folder(path) + (quoted ?? bare)) : [];
        await Promise.allSettled(named.map(async (name) => this.files.set(name, await this.bring(name))));
        this.#controller.signal.throwIfAborted();
        this.path = named.find((name) => /mesh$/.test(name)) ?? path;
        asset_now = this;
        this.it = need("web_load", path, this.is_machine);
        this.files.clear();
        use_context();
    }

    // A clip: its state in machines, and seconds.
    clip(url) {
        if (!this.#clips.has(url))
            this.#clips.set(url, Promise.all([this.bring(url), this.load()]).then(([bytes]) => {
                if (this.is_machine)
                    return null;
                this.files.set(url, bytes);
                return {duration: this.need("web_add_clip", url, this.travels), state: ++this.#num_clips};
            }).catch((error) => {
                this.#clips.delete(url);
                throw error;
            }));
        return this.#clips.get(url);
    }

    // On the GPU, if there is a context.
    show() {
        if (!use_context())
            return false;
        if (!this.#is_drawn)
            this.need("web_show", renderer);
        this.#is_drawn = true;
        clearTimeout(idle);
        this.dress();
        return true;
    }

    hide() {
        if (this.#is_drawn)
            call("web_hide", this.it, renderer);
        this.#is_drawn = false;
        this.#dressing = undefined;
        clearTimeout(idle);
        if (![...assets.values()].some((asset) => asset.#is_drawn))
            idle = setTimeout(() => {
                leave_renderer();
                const its = gl;
                gl = undefined;
                its?.getExtension("WEBGL_lose_context")?.loseContext();
            }, 30000);
    }

    // The pictures and morph targets come after the first picture of the model.
    dress() {
        return this.#dressing ??= Promise.all([this.#take_pictures(), this.#bending ??= this.#bend()]).then((missing) => {
            this.missing = missing.flat();
            this.users.forEach((user) => user.touch());
        });
    }

    // The library asks for names: those that nobody knows yet are sought between its turns.
    async #take_pictures() {
        for (let turn = 0; turn < 4 && this.#is_drawn; turn++) {
            this.#asked = [];
            this.report = [];
            this.need("web_look", renderer, this.path);
            this.users.forEach((user) => user.touch());
            if (this.#asked.length === 0)
                break;
            await this.#seek();
        }
        for (const [path, pixels] of this.#pixels)
            if (pixels)
                this.#pixels.delete(path);
        return this.report.filter((its) => its.missing).map((its) => its.shader);
    }

    #name(shader, kind) {
        return [shader, base_name(shader), "*"].map((name) => this.#named.get(name + (kind ? "." + maps[kind] : ""))).find((its) => its != null);
    }

    // What the attribute `textures` says of a map of a shader.
    name_picture(shader, kind) {
        if (kind === 0)
            this.report.push({shader, pictures: {}, missing: true});
        this.#map = {shader, kind};
        return this.#name(shader, kind);
    }

    picture(path) {
        const pixels = this.#pixels.get(path), {shader, kind} = this.#map;
        if (pixels) {
            const its = this.report.find((row) => row.shader === shader);
            its.pictures[maps[kind]] = path;
            its.missing &&= kind > 0;
        } else if (pixels === undefined) {
            this.#asked.push({path, shader, kind});
        }
        return pixels;
    }

    // Returns whether there is a picture.
    async #take(path, more) {
        if (!this.#pixels.has(path))
            this.#pixels.set(path, await this.bring(path, more).then(decode).catch(() => null));
        this.#controller.signal.throwIfAborted();
        return this.#pixels.get(path) !== null;
    }

    async #seek() {
        const asked = this.#asked, named = new Set(this.#named.values()), known = (path) => this.#listed?.has(path.toLowerCase());
        let found = 0, sought = 0;
        const work = [...new Set(asked.map((it) => it.shader))].map((shader) => async () => {
            for (const kind of maps.keys()) {
                const paths = asked.filter((it) => it.shader === shader && it.kind === kind).map((it) => it.path);
                const sure = paths.filter((path) => named.has(path) || known(path));
                for (const path of sure)
                    await this.#take(path);
                if (paths.length > 0 && !this.#listed && this.#name(shader, 0) === undefined && (found > 0 || this.#ending || sought++ < 2))
                    found += await this.#guess(paths, kind);
                for (const path of paths)
                    if (!this.#pixels.has(path))
                        this.#pixels.set(path, null);
            }
        });
        await Promise.all(work.slice(0, 2).map((it) => it())); // a folder without their pictures has no others
        await Promise.all(work.slice(2).map((it) => it()));
    }

    // Without a list of the folder the first name of a map is tried: for a color with all endings, then with that alone.
    async #guess(paths, kind) {
        const stem = paths[0].slice(0, paths[0].lastIndexOf(".") + 1), order = ["png", "jpg", "tga"].map((ending) => stem + ending);
        for (const path of kind > 0 ? [stem + this.#ending] : new Set([...order, ...paths.filter((its) => its.startsWith(stem))]))
            if (await this.#take(path, {is_guess: true})) {
                this.#ending ??= path.slice(stem.length);
                return 1;
            }
        return 0;
    }

    // The morph targets of the machine. Returns the names of those that have no file.
    async #bend() {
        const path = folder(this.path) + "morphs/", targets = texts("web_target", this.it), missing = [];
        await Promise.all(targets.map((name) => this.bring(path + name + ".md5mesh").then(
            (bytes) => this.files.set(path + name + ".md5mesh", bytes), () => missing.push(name))));
        this.#controller.signal.throwIfAborted();
        if (targets.length > 0) {
            this.need("web_bend", path);
            this.files.clear();
            if (this.#is_drawn)
                this.need("web_show", renderer);
        }
        return missing;
    }

    end() {
        this.#controller.abort();
        this.hide();
        if (this.it)
            call("web_free", this.it);
        this.it = 0;
    }
}

// The model that elements share; release() when an element shows it no more.
export function acquire(wanted, seat) {
    const key = JSON.stringify(wanted), asset = assets.get(key) ?? Object.assign(new Asset(), wanted, {key});
    assets.set(key, asset);
    asset.users.add(seat);
    return asset;
}

export function release(asset, seat) {
    if (!asset.users.delete(seat) || asset.users.size > 0)
        return;
    if (assets.get(asset.key) === asset)
        assets.delete(asset.key);
    asset.end();
}
