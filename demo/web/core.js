// The objects that all elements <md5-model> of a page share: the program element.c, one WebGL context, the schedule of frames,
// the fetched files, and the models.
//
// An element calls acquire() for an Asset, which fetches files and loads them in the program. The program reads files through
// the object `page`. Each element passes a `client`, an object with functions that the assets call.
import create_module from "./md5core.js";
import {find_files, is_machine} from "./machine_text.js";
import {max_unpacked, unpack} from "./unpack.js";

export const settings = {wasmURL: undefined, map: null, cacheSize: 2 ** 25};

export class Md5ModelError extends Error {
    constructor(code, message, details) {
        super(message);
        Object.assign(this, {name: "Md5ModelError", code}, details);
    }
}

// Returns the promise stored under a key, or stores a new one. A promise that fails is removed.
function once(promises, key, create) {
    if (!promises.has(key))
        promises.set(key, create().catch((error) => {
            promises.delete(key);
            throw error;
        }));
    return promises.get(key);
}

// -- Files ---------------------------------------------------------------------------------------

const sources = new Map(); // by URL, in the order of their last use

// Returns the error of a request. `status` is undefined if there is no answer.
function request_error(url, status) {
    if (status !== undefined)
        return new Md5ModelError("http", url + ": the server returned status " + status, {url, status});
    return new Md5ModelError("network", url + ": the host is not reachable, or it does not allow cross-origin requests (CORS)", {url});
}

// Returns true if a text begins with "<". Servers of single-page applications answer requests for missing files with such a page.
const is_html = (bytes) => /^\s*</.test(new TextDecoder().decode(bytes.subarray(0, 256)));

// Fetches a URL, with further attempts after failures of the network or the server. A guessed URL gets one attempt.
async function fetch_with_retries(url, signal, {is_guess, ...options}) {
    if (!URL.canParse(url, document.baseURI))
        throw new Md5ModelError("network", url + ": invalid URL", {url});
    for (const delay of is_guess ? [0] : [500, 2000, 0]) {
        const response = await fetch(url, {signal, ...options}).catch(() => null), status = response?.status;
        signal.throwIfAborted();
        if (response?.ok) {
            const bytes = new Uint8Array(await response.arrayBuffer()), is_compressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
            if (is_html(bytes))
                throw new Md5ModelError("http", url + ": the server answered with an HTML page instead of a file. Probably the file does not exist",
                    {url, status});
            return !is_compressed ? bytes : unpack(new Response(bytes).body, "gzip", max_unpacked(bytes.length), url);
        }
        const is_final = response && status !== 429 && status < 500; // further attempts would fail, too
        if (delay === 0 || is_final)
            throw request_error(url, status);
        await new Promise((resolve) => setTimeout(resolve, Math.min(10000, 1000 * response?.headers.get("Retry-After") || delay)));
    }
}

// Removes files from the cache, beginning with the least recently used, until it has its size.
function shrink_cache() {
    let size = [...sources.values()].reduce((sum, source) => sum + source.size, 0);
    for (const [url, source] of sources)
        if (size > settings.cacheSize && source.size > 0) {
            size -= source.size;
            sources.delete(url);
        }
}

// Returns the bytes of a URL. Simultaneous calls share one request, which is cancelled when all callers have cancelled.
async function fetch_shared(url, signal, options) {
    signal.throwIfAborted();
    const source = sources.get(url) ?? {num_waiting: 0, size: 0, controller: new AbortController()};
    const remove = () => sources.get(url) === source && sources.delete(url);
    remove();
    sources.set(url, source); // as the last used one
    source.num_waiting++;
    signal.addEventListener("abort", () => {
        if (--source.num_waiting === 0 && source.size === 0) {
            remove();
            source.controller.abort();
        }
    });
    try {
        source.bytes ??= Promise.resolve(settings.map?.(url) ?? url).then((mapped) => fetch_with_retries(mapped, source.controller.signal, options));
        source.size = (await source.bytes).length;
    } finally {
        shrink_cache();
        if (source.size === 0) // failures are not stored
            remove();
    }
    signal.throwIfAborted();
    return source.bytes;
}

// -- The program ---------------------------------------------------------------------------------

const shared = new Map(); // the promise of the program
let module, last_error, current_asset, listener, image_name = 0;

const page = {
    open: (path, is_image) => is_image ? current_asset.image(path) : current_asset.files.get(path),
    name(shader, kind) {
        const name = current_asset.name_image(shader, kind);
        module._free(image_name);
        return image_name = name === undefined ? 0 : copy_text(name);
    },
    report(kind, text, details) {
        if (kind === "error")
            last_error = [text, details];
        else
            listener(kind, text, details);
    },
};

async function start() {
    const url = String(settings.wasmURL ?? new URL("./md5core.wasm", import.meta.url)), response = await fetch(url).catch(() => null);
    const create_error = (code, text) => new Md5ModelError(code, text, {url});
    if (!response?.ok)
        throw create_error("program", url + ": " + (response ? "the server returned status " + response.status : "the host is not reachable"));
    const code = await WebAssembly.compileStreaming(response.clone()).catch(async () => { // the server can send a wrong MIME type
        const bytes = await response.arrayBuffer();
        return WebAssembly.compile(bytes).catch((error) => {
            throw WebAssembly.validate(bytes) ? create_error("csp", "The page's Content-Security-Policy forbids WebAssembly: "
                + "add 'wasm-unsafe-eval' to script-src") : create_error("program", url + ": " + error.message);
        });
    });
    module = await create_module({page, instantiateWasm: (imports, on_instance) => (WebAssembly.instantiate(code, imports).then(on_instance), {})});
}

// Copies a text to the program's memory.
function copy_text(text) {
    const bytes = new TextEncoder().encode(text + "\0"), pointer = module._malloc(bytes.length);
    module.HEAPU8.set(bytes, pointer);
    return pointer;
}

// Calls a function of element.c. Texts are copied for the call.
export function call(name, ...values) {
    const texts = values.map((value) => typeof value === "string" ? copy_text(value) : value);
    const result = module["_" + name](...texts);
    values.forEach((value, i) => value === texts[i] || module._free(texts[i]));
    return result;
}
// Indices of members of a web_element, in words of four bytes. element.c checks them.
export const member = {eye: 0, follows: 12, up_is_y: 13, min: 14, max: 17, cycles: 21, spot: 22, player: 24};
// The numbers of a web_element, and its pointer to the player.
export const numbers = (element) => module.HEAPF32.subarray(element >> 2, (element >> 2) + member.player);
export const player = (element) => module.HEAPU32[(element >> 2) + member.player];
// Returns the texts that a function returns for the indices 0, 1 and so on.
export function texts(name, pointer) {
    const results = [];
    for (let text; (text = module.UTF8ToString(call(name, pointer, results.length))); results.push(text));
    return results;
}
export function advance(element, seconds, on_event) {
    listener = on_event;
    call("web_advance", element, seconds);
}

const status = {memory: 3, mismatch: 7, gpu: 9}; // values of md5_status with a separate error code; element.c checks them

// Calls a function of element.c that can fail. Throws the error that the function has reported.
export function call_or_throw(name, ...values) {
    last_error = ["out of memory", status.memory];
    const result = call(name, ...values);
    if (result)
        return result;
    const [, line, column] = /:(\d+):(\d+): /.exec(last_error[0]) ?? [];
    const code = Object.keys(status).find((key) => status[key] === Number(last_error[1])) ?? "parse";
    throw new Md5ModelError(code, last_error[0], line && {line: +line, column: +column});
}

// -- The context ---------------------------------------------------------------------------------

let gl, renderer = 0, idle, losses = 0;

// Creates the context and the renderer if they do not exist. Returns false if the context is lost.
function ensure_context() {
    if (!gl) {
        const canvas = document.createElement("canvas"), context = gl = canvas.getContext("webgl2", {antialias: true});
        if (!context)
            throw new Md5ModelError("no-webgl2", "This browser does not support WebGL 2, or WebGL 2 is disabled");
        canvas.addEventListener("webglcontextlost", (event) => {
            event.preventDefault(); // otherwise the browser does not restore the context
            if (gl !== context)
                return;
            losses++;
            setTimeout(() => losses--, 60000);
            destroy_renderer();
            setTimeout(() => gl === context && context.isContextLost() && notify_users("on_context_lost"), 2000);
        });
        canvas.addEventListener("webglcontextrestored", () => notify_users("invalidate"));
    }
    if (renderer || gl.isContextLost())
        return renderer !== 0;
    if (losses > 3)
        throw new Md5ModelError("gpu", "The WebGL context was lost four times in one minute");
    module.GL.makeContextCurrent(module.GL.registerContext(gl, {majorVersion: 2}));
    renderer = call_or_throw("web_create_renderer");
    return true;
}

// Calls a function of all clients.
const notify_users = (name) => assets.forEach((asset) => asset.users.forEach((client) => client[name]()));

function destroy_renderer() {
    assets.forEach((asset) => asset.hide());
    if (renderer)
        call("md5gl_destroy_renderer", renderer);
    renderer = 0;
}

// Draws an element's model and copies the image to the element's canvas. Returns false if the context is lost.
export function draw_to(context, element, asset) {
    const {width, height} = context.canvas;
    if (!asset.show())
        return false;
    for (const side of ["width", "height"])
        if (gl.canvas[side] < context.canvas[side])
            gl.canvas[side] = Math.ceil(context.canvas[side] / 64) * 64;
    if (!call("web_draw", element, renderer, width, height)) {
        if (gl.isContextLost())
            return false;
        throw new Md5ModelError("gpu", last_error[0]);
    }
    context.globalCompositeOperation = "copy";
    context.drawImage(gl.canvas, 0, gl.canvas.height - height, width, height, 0, 0, width, height);
    return true;
}

// Decodes an image to pixels if the browser supports its format; otherwise returns the bytes. The pixels are read from a texture,
// which preserves the colors of transparent pixels.
async function decode(bytes) {
    if (!/^(\x89PNG|\xff\xd8|RIFF....WEBP|....ftyp)/s.test(String.fromCharCode(...bytes.subarray(0, 12))))
        return bytes; // TGA, DDS
    const options = {premultiplyAlpha: "none", colorSpaceConversion: "none"};
    let bitmap = await createImageBitmap(new Blob([bytes]), options);
    while (bitmap.width > 4096 || bitmap.height > 4096)
        bitmap = await createImageBitmap(bitmap, {...options, resizeWidth: bitmap.width + 1 >> 1, resizeHeight: bitmap.height + 1 >> 1});
    const {width, height} = bitmap, pixels = new Uint8Array(4 * width * height);
    if (!ensure_context())
        return bytes;
    const texture = gl.createTexture(), framebuffer = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.deleteFramebuffer(framebuffer); // also unbinds it; the renderer leaves no framebuffer bound
    gl.deleteTexture(texture);
    bitmap.close();
    return Object.assign(pixels, {width, height});
}

// -- Schedule of frames --------------------------------------------------------------------------

const waiting = new Set(); // clients, the longest waiting first
let frame = 0, times = [];

export function draw_soon(client) {
    waiting.add(client);
    frame ||= requestAnimationFrame(draw);
}

// Draws the elements that requested a frame. If the last frames took long, draws only as many as fit into the frame's time.
function draw(time) {
    frame = 0;
    times = [...times.slice(-5), time];
    const is_slow = times.length > 5 && times.every((start, i) => i === 0 || start - times[i - 1] > 34), deadline = performance.now() + 24;
    for (const client of [...waiting]) {
        waiting.delete(client);
        client.draw(time);
        if (is_slow && performance.now() > deadline)
            break;
    }
    if (waiting.size > 0)
        frame ||= requestAnimationFrame(draw);
    else
        times = [];
}

// -- Models --------------------------------------------------------------------------------------

const folder = (path) => path.slice(0, path.lastIndexOf("/") + 1);
const plain = (url) => url.replace(/[?#].*/s, "");
// Returns an absolute URL. An invalid URL is returned unchanged, and fetch_with_retries() reports it.
export const absolute = (url, base = document.baseURI) => URL.canParse(url, base) ? new URL(url, base).href : url;
export const base_name = (path) => plain(path).split(/[/\\]/).pop().replace(/\.\w+$/, "");

// Decodes %20 and other escapes. Text with invalid escapes remains as it is.
function unescape(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}
// Returns pairs of a name, or "", and a URL: "walk.md5anim run=b.md5anim two%20words=c.md5anim". Text with ? # or : before the first
// = is a URL.
export const pairs = (text) => (text ?? "").split(/\s+/).filter(Boolean).map((part) => {
    const [, name, url] = /^([^=?#:]*)=(.*)$/s.exec(part) ?? [part, "", part];
    return [unescape(name), url];
});

const assets = new Map();
const missing_urls = new Set(); // URLs of guessed images that the server does not have
const maps = ["color", "normals", "heights", "specular", "glow"]; // in the order of md5gl_image_kind
const extensions = [".png", ".jpg", ".tga", ".dds", ".jpeg", ".webp"]; // most common first

// Parses the file of the attribute `files`. Returns the names of the listed files and the URL of their folder.
function parse_list(text, url) {
    let names, base;
    try {
        const list = JSON.parse(text);
        [names, base] = [list.files ?? list, list.base ?? "."];
    } catch (error) {
        throw new Md5ModelError("parse", url + ": " + error.message, {url});
    }
    if (!Array.isArray(names) || !names.every((name) => typeof name === "string"))
        throw new Md5ModelError("parse", url + ": expected a list of file names, as printed by md5tool list --json", {url});
    return [names, absolute(base, url)];
}

// A model with its clips and textures, shared by all elements with the same attributes.
class Asset {
    users = new Set(); // clients of elements: is_far(), draw(time), invalidate(), on_context_lost(), on_file()
    files = new Map(); // bytes by path
    pointer = 0; // pointer to the web_asset in the program
    missing = []; // shaders and morph targets without files
    report = []; // textures of each shader
    #controller = new AbortController();
    #promises = new Map(); // promises of the model, and of clips by URL
    #num_clips = 0;
    #pixels = new Map(); // decoded images by path; null if the file does not exist
    #requested = new Map(); // paths of images to fetch; true if the path is a guess
    #current; // the map that the library searches: its entry of the report, kind, name and stem
    #is_uploaded = false; // the asset is on the GPU
    #textures; // promise of dress()
    #morphs; // promise of #load_morphs()
    #named_textures; // URLs of textures by name and map
    #named_shaders = new Set(); // shaders with an entry in #named_textures
    #listing; // URLs of the existing files by URL in lower case, if they are known

    async fetch(path, options) {
        const url = absolute(path), known_url = this.#listing?.get(url.toLowerCase()) ?? url;
        const bytes = await fetch_shared(known_url, this.#controller.signal,
            {credentials: this.credentials ? "include" : "same-origin", priority: this.priority, ...options});
        this.users.forEach((user) => user.on_file());
        return bytes;
    }

    // Calls a function of the program, which opens files of this asset.
    call_or_throw(name, ...values) {
        current_asset = this;
        return call_or_throw(name, ...values);
    }

    load() {
        return once(this.#promises, "model", () => this.#load());
    }

    // Reads the attributes `textures` and `files`: named textures, and the list of existing files.
    async #read_lists(path) {
        const entries = pairs(this.textures);
        this.#named_textures = new Map(entries.filter(([name]) => name).map(([name, url]) => [name, url && absolute(url)]));
        let names = entries.filter(([name]) => !name).map(([, url]) => url), base = path;
        if (this.list) {
            [names, base] = parse_list(new TextDecoder().decode(await this.fetch(this.list)), this.list);
            const images = names.filter((name) => extensions.some((extension) => name.toLowerCase().endsWith(extension)));
            if (images.length === 1 && !this.#named_textures.has("*")) // the only image is used by all shaders
                this.#named_textures.set("*", absolute(images[0], base));
        }
        if (this.list || names.length > 0)
            this.#listing = new Map(names.map((name) => absolute(name, base)).map((url) => [url.toLowerCase(), url]));
    }

    // Loads the model, or the machine with its model and clips.
    async #load() {
        const path = plain(this.src);
        await this.#read_lists(path);
        const [bytes] = await Promise.all([this.fetch(this.src), once(shared, "program", start)]), text = new TextDecoder().decode(bytes);
        this.files.set(path, bytes);
        this.is_machine = is_machine(text);
        const used_files = this.is_machine ? find_files(text).map((name) => folder(path) + name) : [];
        await Promise.allSettled(used_files.map(async (name) => this.files.set(name, await this.fetch(name))));
        this.#controller.signal.throwIfAborted();
        this.path = used_files.find((name) => /mesh$/.test(name)) ?? path;
        this.pointer = this.call_or_throw("web_load", path, this.is_machine);
        this.files.clear();
        ensure_context();
    }

    // Loads a clip. Returns its state and its duration in seconds, or null if the asset is a machine.
    clip(url) {
        return once(this.#promises, url, async () => {
            const [bytes] = await Promise.all([this.fetch(url), this.load()]);
            if (this.is_machine)
                return null;
            this.files.set(url, bytes);
            return {duration: this.call_or_throw("web_add_clip", this.pointer, url, this.travels), state: ++this.#num_clips};
        });
    }

    // Uploads the asset to the GPU. Returns false if the context is lost.
    show() {
        if (!ensure_context())
            return false;
        if (!this.#is_uploaded)
            this.call_or_throw("web_upload", this.pointer, renderer);
        this.#is_uploaded = true;
        clearTimeout(idle);
        this.dress();
        return true;
    }

    // Removes the asset from the GPU. If no other asset is on the GPU for 30 seconds, destroys the context.
    hide() {
        if (this.#is_uploaded)
            call("web_release", this.pointer, renderer);
        this.#is_uploaded = false;
        this.#textures = undefined;
        clearTimeout(idle);
        if (![...assets.values()].some((asset) => asset.#is_uploaded))
            idle = setTimeout(() => {
                const old_context = gl;
                destroy_renderer();
                gl = undefined;
                old_context?.getExtension("WEBGL_lose_context")?.loseContext();
            }, 30000);
    }

    // Loads the textures and morph targets. This begins when the model is drawn without them.
    dress() {
        return this.#textures ??= Promise.all([this.#load_textures(), this.#morphs ??= this.#load_morphs()]).then((missing) => {
            this.missing = missing.flat();
            this.users.forEach((user) => user.invalidate());
        });
    }

    // Loads the textures. web_load_materials() calls name_image() and image(), which collect the paths that can exist, one for
    // each map. After they are fetched, web_load_materials() is called again, until no path is left.
    async #load_textures() {
        do {
            this.#requested.clear();
            this.report = [];
            this.call_or_throw("web_load_materials", this.pointer, renderer, this.path);
            this.users.forEach((user) => user.invalidate());
            await Promise.all([...this.#requested].map(async ([path, is_guess]) => {
                const pixels = await this.fetch(path, {is_guess}).then(decode).catch((error) => this.#note_missing(path, error));
                this.#pixels.set(path, pixels);
            }));
            this.#controller.signal.throwIfAborted();
        } while (this.#requested.size > 0 && this.#is_uploaded);
        this.#pixels.forEach((pixels, path) => pixels && this.#pixels.delete(path));
        return this.report.filter((entry) => entry.missing).map((entry) => entry.shader);
    }

    // Remembers an image that the server does not have, so that other models do not request it again. Returns null.
    #note_missing(path, error) {
        if (error.status === 404 || error.status === 200) // 200: an HTML page
            missing_urls.add(path);
        return null;
    }

    // Returns the URL of the attribute `textures` for a map of a shader, or undefined.
    name_image(shader, kind) {
        if (kind === 0)
            this.report.push({shader, pictures: {}, missing: true});
        const suffix = kind > 0 ? "." + maps[kind] : "", entry = this.report.findLast((candidate) => candidate.shader === shader);
        const urls = [shader, base_name(shader), "*"].map((name) => this.#named_textures.get(name + suffix));
        const url = urls.find((candidate) => candidate !== undefined);
        if (url !== undefined)
            this.#named_shaders.add(shader);
        this.#current = {entry, kind, name: url};
        return url;
    }

    // Returns the pixels of an image, null if it does not exist, or undefined after requesting it.
    image(path) {
        const pixels = this.#pixels.get(path), current = this.#current, {entry, kind} = current;
        current.stem ??= path.slice(0, path.lastIndexOf(".")); // first path without its extension
        if (pixels) {
            entry.pictures[maps[kind]] = path;
            entry.missing &&= kind > 0;
        } else if (pixels === undefined && !current.has_request) {
            this.#request(path);
        }
        return pixels;
    }

    // Adds an image to the requested ones, if it exists or may exist.
    #request(path) {
        const current = this.#current, dot = path.lastIndexOf(".");
        const is_known = path === current.name || this.#listing?.has(path.toLowerCase());
        const is_guess = path.slice(0, dot) === current.stem && this.#may_guess(path, dot);
        if (!is_known && !is_guess)
            return;
        current.has_request = true;
        this.#requested.set(path, !is_known);
    }

    // Returns true if a path without a listing should be tried: only the first name of a color, with all extensions in turn. If the
    // first two shaders have no images, no others are tried. Other maps are never guessed, because most models do not have them.
    #may_guess(path, dot) {
        const {entry, kind} = this.#current, extension = path.slice(dot);
        if (this.#listing || this.#named_shaders.has(entry.shader) || kind > 0 || missing_urls.has(path))
            return false;
        const tried = extensions.slice(0, extensions.indexOf(extension)), has_image = this.report.some((candidate) => !candidate.missing);
        return tried.every((ending) => this.#is_missing(path.slice(0, dot) + ending)) && (this.report.length < 3 || has_image);
    }

    #is_missing(path) {
        return this.#pixels.get(path) === null || missing_urls.has(path);
    }

    // Loads the morph targets of the machine. Returns the names of targets without files.
    async #load_morphs() {
        const path = folder(this.path) + "morphs/", targets = texts("web_morph_name", this.pointer), missing = [];
        await Promise.all(targets.map((name) => this.fetch(path + name + ".md5mesh").then(
            (bytes) => this.files.set(path + name + ".md5mesh", bytes), () => missing.push(name))));
        this.#controller.signal.throwIfAborted();
        if (targets.length > 0) {
            this.call_or_throw("web_load_morphs", this.pointer, path);
            this.files.clear();
            if (this.#is_uploaded)
                this.call_or_throw("web_upload", this.pointer, renderer);
        }
        return missing;
    }

    destroy() {
        this.#controller.abort();
        this.hide();
        if (this.pointer)
            call("web_free_asset", this.pointer);
        this.pointer = 0;
    }
}

// Returns the asset with these properties. Call release() when the element does not show it any longer.
export function acquire(properties, client) {
    const key = JSON.stringify(properties), asset = assets.get(key) ?? Object.assign(new Asset(), properties, {key});
    assets.set(key, asset);
    asset.users.add(client);
    return asset;
}

export function release(asset, client) {
    if (!asset.users.delete(client) || asset.users.size > 0)
        return;
    if (assets.get(asset.key) === asset)
        assets.delete(asset.key);
    asset.destroy();
}
