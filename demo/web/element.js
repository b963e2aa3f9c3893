// The element <md5-model>: a model on any page. README.md describes its attributes, properties, methods and events.
import {Md5ModelError, acquire, advance, base_name, call, draw_soon, draw_to, need, numbers, pairs, player, release, seats, settings, texts} from "./core.js";
export {Md5ModelError};

// Each: its kind (words: one of them, the first is the default), the default, and what it changes.
export const attributes = {
    "src": ["text", null, "model"], "clips": ["text", null, "clip"], "textures": ["text", null, "model"], "files": ["text", null, "model"],
    "camera-path": ["text", null, "model"], "alt": ["text", null, "label"], "poster": ["text", null, "poster"],
    "loading": ["auto lazy eager", "auto", "model"], "reveal": ["auto manual", "auto", "model"],
    "fetchpriority": ["auto high low", "auto", "model"], "with-credentials": ["boolean", false, "model"], "up": ["z y", "z", "model"],
    "autoplay": ["boolean", false, "autoplay"], "animation-name": ["text", null, "clip"],
    "animation-crossfade-duration": ["number", 300, ""], "parameters": ["text", null, "parameters"],
    "camera-controls": ["boolean", false, "label"], "camera-orbit": ["text", "25deg 78deg 105%", "camera"],
    "camera-target": ["text", "auto auto auto", "camera"], "field-of-view": ["text", "35deg", "camera"],
    "min-camera-orbit": ["text", "auto 2deg 40%", "camera"], "max-camera-orbit": ["text", "auto 178deg 400%", "camera"],
    "disable-zoom": ["boolean", false, ""], "disable-pan": ["boolean", false, ""], "touch-action": ["pan-y pan-x none", "pan-y", "label"],
    "auto-rotate": ["boolean", false, "view"], "auto-rotate-delay": ["number", 3000, "view"],
    "rotation-per-second": ["text", "30deg", "view"], "interpolation-decay": ["number", 50, ""],
    "shadow-intensity": ["number", 1, "view"], "shadow-softness": ["number", 0.1, "view"], "exposure": ["number", 1, "view"],
};
export const property_of = (name) => name === "fetchpriority" ? "fetchPriority" : name.replace(/-./g, (part) => part[1].toUpperCase());
// Of versions before 0.3, until that.
const renamed = {machine: "src", clip: "clips", set: "parameters", camera: "camera-orbit", background: "the background of CSS", paused: "autoplay"};

const style = `:host { display: block; position: relative; inline-size: 300px; block-size: 150px; contain: content; }
    :host([hidden]) { display: none; }
    canvas, .poster { position: absolute; inset: 0; inline-size: 100%; block-size: 100%; }
    canvas { outline: none; }
    canvas:focus-visible { outline: 2px solid var(--md5-focus-color, Highlight); outline-offset: -2px; }
    .poster img, .poster ::slotted(*) { inline-size: 100%; block-size: 100%; object-fit: contain; }
    .poster[data-gone] { opacity: 0; visibility: hidden; transition: 0.2s; }
    .over { position: absolute; inset: 0; pointer-events: none; }
    .over ::slotted(*) { pointer-events: auto; }
    .bar { position: absolute; inset: 0 auto auto 0; block-size: var(--progress-bar-height, 2px);
        background: var(--progress-bar-color, Highlight); }
    .controls { position: absolute; inset: auto 0 0; }
    p { position: absolute; inset: 0 0 auto; margin: 0; padding: 0.3em; }
    @media (prefers-reduced-motion: reduce) { .poster[data-gone] { transition: none; } }`;
const tree = [["canvas", {part: "canvas"}],
    ["div", {class: "over"}, ["slot", {}]],
    ["div", {class: "poster", part: "poster", "data-gone": ""}, ["slot", {name: "poster"}, ["img", {alt: "", hidden: ""}]]],
    ["slot", {name: "progress-bar"}, ["div", {class: "bar", part: "progress", role: "progressbar", hidden: "", "aria-label": "loading"}]],
    ["slot", {name: "error"}, ["p", {part: "error", role: "alert"}]],
    ["div", {class: "controls"}, ["slot", {name: "controls"}]]];

function grow(parent, [tag, own, ...children]) {
    const it = document.createElement(tag);
    Object.entries(own).forEach((pair) => it.setAttribute(...pair));
    children.forEach((child) => grow(it, child));
    parent.append(it);
}

const is_still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const clamp = (value, least, most) => Math.min(Math.max(value, least), most);
const vector = (x, y, z) => ({x, y, z, toString: () => x + " " + y + " " + z});
const degree = Math.PI / 180;
const warned = new Set();
function warn(text) {
    if (!warned.has(text))
        console.warn("md5-model: " + text);
    warned.add(text);
}

// Numbers as attributes of cameras have them, of kinds "a", angles, which become degrees, and "d", distances, which are pairs: how
// many, and whether these are per cents. `auto` is null. Undefined if the text is none.
function terms(text, kinds) {
    const list = text.trim().split(/\s+/).map((part, i) => {
        const [, number, unit] = /^(auto|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(deg|rad|%|)$/.exec(part) ?? [];
        if (!number || number === "auto")
            return number && null;
        return kinds[i] === "d" ? unit.length < 2 ? [+number, unit === "%"] : undefined
            : unit === "deg" ? +number : unit === "rad" ? number / degree : undefined;
    });
    return list.length === kinds.length && !list.includes(undefined) ? list : undefined;
}

let sheet;
const near = {}; // observers, for all elements
function watch(element, name, margin) {
    near[name] ??= new IntersectionObserver((entries) => entries.forEach((entry) => entry.target[seen](name, entry.isIntersecting)),
        {rootMargin: margin});
    near[name].observe(element);
}
const seen = Symbol("seen");

export class Md5ModelElement extends (globalThis.HTMLElement ?? class {}) {
    static observedAttributes = [...Object.keys(attributes), "aria-label", ...Object.keys(renamed)];
    static version = "VERSION";
    static get wasmURL() { return settings.wasmURL; }
    static set wasmURL(url) { settings.wasmURL = url; }
    static get cacheSize() { return settings.cacheSize; }
    static set cacheSize(size) { settings.cacheSize = size; }
    static mapURLs(map) { settings.map = map; }

    #canvas; #poster; #image; #bar; #told; #context; #internals;
    #near = {}; // whether it is seen; within a window's height; within two
    #asset = null; // what it shows,
    #it = 0; // in the program
    #turn = 0; // of opening: a newer one makes those before void
    #opening = null; // the asset of the last turn
    #timers = {};
    #done; #fail; #complete; // of updateComplete()
    #error = null;
    #is_loaded = false; // and drawn
    #is_dirty = false;
    #is_dismissed = false;
    #progress = 1;
    #states = new Map(); // of clips, by name
    #name = "none"; // of the clip that plays
    #is_playing = false;
    #rate = 1;
    #times = {repetitions: Infinity, pingpong: false, count: 0, direction: 1};
    #before = 0; // when it was drawn last
    #touched = -Infinity; // when somebody turned it last
    #is_held = false; // somebody has moved the camera
    #goal = null; // theta, phi, radius, is_share, x, y, z, fov: where the camera goes
    #now = null; // the same, with the radius in units
    #fingers = new Map();
    #seat = {
        drawn: 0,
        is_due: () => this.#it && (this.#near.seen || (this.loading === "eager" && !this.#is_loaded)) && this.#canvas.width * this.#canvas.height > 0
            && (this.#is_dirty || this.#is_playing || this.#turns()),
        is_far: () => !this.#near.around,
        draw: (now) => this.#draw(now),
        touch: () => this.#touch(),
        arrive: () => this.#advance_bar(this.#progress + (0.9 - this.#progress) / 4, "model"),
        lose: () => this.#is_loaded && this.#tell_error("webglcontextlost", new Md5ModelError("gpu", "The context of WebGL was lost")),
    };

    constructor() {
        super();
        const root = this.attachShadow({mode: "open"});
        if (!sheet) {
            sheet = new CSSStyleSheet();
            sheet.replaceSync(style);
        }
        root.adoptedStyleSheets = [sheet];
        tree.forEach((part) => grow(root, part));
        [this.#canvas, this.#poster, this.#image, this.#bar, this.#told] = ["canvas", ".poster", "img", ".bar", "p"].map(
            (name) => root.querySelector(name));
        this.#context = this.#canvas.getContext("2d");
        this.#internals = this.attachInternals?.();
        this.#renew();
        this.#listen();
    }

    connectedCallback() {
        for (const name of Object.keys(attributes).map(property_of)) // set before the element was defined
            if (Object.hasOwn(this, name)) {
                const value = this[name];
                delete this[name];
                this[name] = value;
            }
        clearTimeout(this.#timers.leave);
        seats.add(this.#seat);
        watch(this, "seen", "0px");
        watch(this, "near", "100%");
        watch(this, "around", "200%");
        this.#sizes.observe(this);
        this.#is_playing ||= this.autoplay && !is_still();
        this.#label();
        this.#show_poster();
        this.#open();
    }

    disconnectedCallback() {
        for (const its of Object.values(near))
            its.unobserve(this);
        this.#sizes.unobserve(this);
        this.#near = {};
        this.#timers.leave = setTimeout(() => {
            seats.delete(this.#seat);
            this.#turn++;
            this.#forget();
            this.#leave();
        }, this.#is_loaded ? 5000 : 0);
    }

    attributeChangedCallback(name, before, now) {
        if (renamed[name])
            return warn("the attribute " + name + " is now " + renamed[name]);
        if ((before === now && name !== "src") || !this.isConnected)
            return;
        const change = attributes[name]?.[2] ?? "label";
        if (change === "model")
            this.#open();
        else if (change === "clip")
            queueMicrotask(() => this.#select());
        else if (change === "camera")
            this.#is_held = false;
        else if (change === "parameters")
            this.#set_parameters();
        else if (change === "poster")
            this.#show_poster();
        else if (change === "autoplay" && now !== null && !is_still())
            this.play();
        this.#aim();
        this.#label();
        this.#touch();
    }

    // -- For pages ------------------------------------------------------------------------------

    get availableAnimations() { return this.#asset?.is_machine ? [] : [...this.#clips().keys()]; }
    get paused() { return !this.#is_playing; }
    get duration() { return this.#states.get(this.#name)?.duration ?? 0; }
    get currentTime() {
        const cycles = this.#it ? numbers(this.#it)[21] : 0;
        return (cycles - Math.floor(cycles)) * this.duration;
    }
    set currentTime(seconds) {
        if (Number.isNaN(Number(seconds)))
            throw new TypeError("currentTime: a number");
        const cycles = seconds / this.duration;
        if (this.duration > 0)
            this.#go(this.#name, 0, cycles - Math.floor(cycles));
    }
    get timeScale() { return this.#rate; }
    set timeScale(rate) {
        if (Number.isNaN(Number(rate)))
            throw new TypeError("timeScale: a number");
        this.#rate = Number(rate);
    }
    play({repetitions = Infinity, pingpong = false} = {}) {
        this.#times = {repetitions, pingpong, count: 0, direction: 1};
        this.#set_playing(true);
    }
    pause() { this.#set_playing(false); }
    get availableParameters() { return this.#asset?.is_machine ? texts("web_parameter", this.#it) : []; }
    // Returns whether the machine has a parameter, or a trigger, of that name.
    setParameter(name, value = 1) {
        const i = this.availableParameters.indexOf(name);
        this.#touch();
        return i >= 0 && call("md5_player_set", player(this.#it), i, +value) !== 0;
    }
    getParameter(name) {
        const i = this.availableParameters.indexOf(name);
        return i >= 0 ? call("md5_player_get", player(this.#it), i) : undefined;
    }
    getCameraOrbit() {
        const {theta, phi, radius} = this.#now ?? {theta: 0, phi: 0, radius: 0}, [a, b] = [theta * degree, phi * degree];
        return {theta: a, phi: b, radius, toString: () => a + "rad " + b + "rad " + radius};
    }
    getCameraTarget() { return vector(this.#now?.x ?? 0, this.#now?.y ?? 0, this.#now?.z ?? 0); }
    jumpCameraToGoal() {
        this.#now = null;
        this.#touch();
    }
    async updateFraming() {
        this.#is_held = false;
        if (this.#it)
            call("web_frame", this.#it);
        this.#aim();
    }
    get loaded() { return this.#is_loaded; }
    get modelIsVisible() { return this.#is_loaded && "gone" in this.#poster.dataset; }
    get loadError() { return this.#error; }
    get textureReport() { return this.#asset?.report ?? []; }
    updateComplete() { return this.#complete; }
    reload() { this.#open(); }
    dismissPoster() {
        this.#is_dismissed = true;
        if (this.#is_loaded)
            this.#hide_poster();
        else
            this.#open();
    }
    showPoster() { delete this.#poster.dataset.gone; }
    getBounds() {
        const its = this.#it ? numbers(this.#it).slice(14, 20) : [0, 0, 0, 0, 0, 0];
        return {min: vector(...its.slice(0, 3)), max: vector(...its.slice(3))};
    }
    getDimensions() {
        const {min, max} = this.getBounds();
        return vector(max.x - min.x, max.y - min.y, max.z - min.z);
    }
    toBlob({mimeType, qualityArgument} = {}) {
        return new Promise((done, fail) => this.#canvas.toBlob(
            (blob) => blob ? done(blob) : fail(new Md5ModelError("gpu", "no picture")), mimeType, qualityArgument));
    }
    toDataURL(type, quality) { return this.#canvas.toDataURL(type, quality); }

    // -- Loading --------------------------------------------------------------------------------

    #renew() {
        this.#complete = new Promise((done, fail) => [this.#done, this.#fail] = [done, fail]);
        this.#complete.catch(() => {}); // whoever waits hears of it, and an event tells others
    }

    #url(text) {
        return text ? new URL(text, document.baseURI).href : null;
    }

    // By name, as the attribute `clips` says.
    #clips() {
        return new Map(pairs(this.clips).map(([name, url]) => [name || base_name(url), this.#url(/\.\w+$/.test(url) || !this.files
            ? url : new URL(url + ".md5anim", this.#url(this.files)).href)]));
    }

    #wanted(clips) {
        return this.animationName ?? clips.keys().next().value ?? "none";
    }

    // What the attributes say, when all of them are set.
    async #open() {
        const turn = ++this.#turn;
        this.#forget();
        await null;
        if (turn !== this.#turn || !this.isConnected)
            return;
        if (!this.src)
            this.#leave();
        if (!this.src || (this.loading !== "eager" && !this.#near.near) || (this.reveal === "manual" && !this.#is_dismissed))
            return;
        if (this.#error || this.#is_loaded)
            this.#renew();
        this.#error = null;
        this.#told.textContent = "";
        this.#tell_state("loading");
        this.#progress = -1;
        this.#advance_bar(0, "program");
        const camera = this.#url(this.cameraPath), clips = this.#clips(), name = this.#wanted(clips);
        const asset = this.#opening = acquire({src: this.#url(this.src), textures: this.textures, list: this.#url(this.files),
            credentials: this.withCredentials, priority: this.fetchPriority, travels: camera !== null}, this.#seat);
        try {
            const [path, state] = await Promise.all([camera && asset.bring(camera), clips.has(name) && asset.clip(clips.get(name)), asset.load()]);
            if (turn !== this.#turn)
                return;
            if (camera)
                asset.files.set(camera, path);
            const it = asset.need("web_begin", camera ?? "");
            this.#leave(asset);
            [this.#asset, this.#it, this.#opening, this.#now, this.#is_held] = [asset, it, null, null, false];
            numbers(it).set([camera !== null, this.up === "y"], 12);
            this.#show_clip(state ? name : "none", state, 0);
            this.#set_parameters();
        } catch (error) {
            if (turn === this.#turn)
                this.#tell_failure(error, this.#asset?.src !== asset.src);
        }
    }

    // What is still fetched comes too late.
    #forget() {
        if (this.#opening && this.#opening !== this.#asset)
            release(this.#opening, this.#seat);
        this.#opening = null;
    }

    // Shows nothing any more; `next` is kept.
    #leave(next) {
        if (this.#it)
            call("web_end", this.#it);
        if (this.#asset && this.#asset !== next)
            release(this.#asset, this.#seat);
        [this.#asset, this.#it, this.#is_loaded] = [null, 0, false];
        this.#states.clear();
        if (!next)
            this.#context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    }

    #go(name, seconds, cycles) {
        call("web_go", this.#it, this.#states.get(name)?.state ?? 0, seconds, cycles);
        this.#touch();
    }

    #show_clip(name, state, seconds) {
        if (state && !this.#states.has(name)) {
            this.#states.set(name, state);
            need("web_play", this.#it);
        }
        this.#name = name;
        this.#times.count = 0;
        if (!this.#asset.is_machine)
            this.#go(name, seconds, 0);
        call("web_frame", this.#it);
        this.#aim();
    }

    // The clip that the attributes name; it comes when it is there.
    async #select() {
        const clips = this.#clips(), asset = this.#asset, name = this.#wanted(clips);
        if (!asset || asset.is_machine || name === this.#name)
            return;
        try {
            if (name !== "none" && !clips.has(name))
                throw new Md5ModelError("mismatch", "no clip \"" + name + "\"; there are: " + [...clips.keys()].join(", "));
            const state = name !== "none" && await asset.clip(clips.get(name));
            if (asset === this.#asset && name === this.#wanted(clips))
                this.#show_clip(name, state, is_still() || !this.#is_playing ? 0 : this.animationCrossfadeDuration / 1000);
        } catch (error) {
            if (asset === this.#asset)
                this.#tell_failure(error, false);
        }
    }

    #set_parameters() {
        for (const [name, value] of pairs(this.parameters))
            if (this.#it && !this.setParameter(name, Number(value)))
                warn("no parameter \"" + name + "\"; there are: " + this.availableParameters.join(", "));
    }

    // -- What it says ---------------------------------------------------------------------------

    #tell(kind, detail, more) {
        return this.dispatchEvent(new CustomEvent(kind, {detail, ...more}));
    }

    #tell_state(now) {
        for (const state of ["loading", "loaded", "failed"])
            this.#internals?.states?.[state === now ? "add" : "delete"](state);
    }

    #set_playing(now) {
        if (this.#is_playing !== now)
            this.#tell(now ? "play" : "pause");
        this.#is_playing = now;
        this.#internals?.states?.[now ? "add" : "delete"]("playing");
        this.#touch();
    }

    #advance_bar(share, reason) {
        if (share <= this.#progress)
            return;
        clearTimeout(this.#timers.bar);
        this.#bar.hidden &&= share > 0;
        if (share < 1)
            this.#timers.bar = setTimeout(() => this.#bar.hidden = false, 300);
        else
            this.#bar.hidden = true;
        this.#progress = share;
        this.#bar.style.inlineSize = 100 * share + "%";
        this.#bar.setAttribute("aria-valuenow", Math.round(100 * share));
        this.#tell("progress", {totalProgress: share, reason});
    }

    #tell_error(type, sourceError) {
        if (!this.#tell("error", {type, sourceError}, {cancelable: true}))
            return;
        this.#told.textContent = sourceError.message;
        console.error("md5-model: " + sourceError.message);
    }

    #tell_failure(error, leaves) {
        const own = error instanceof Md5ModelError ? error : new Md5ModelError("parse", String(error?.message ?? error));
        this.#turn++;
        this.#forget();
        if (leaves) {
            this.#leave();
            this.#tell_state("failed");
            this.showPoster();
        }
        this.#error = own;
        this.dataset.code = own.code;
        this.#advance_bar(1, "model");
        this.#tell_error("loadfailure", own);
        this.#fail(own);
        if (own.code === "network")
            addEventListener("online", () => this.#error === own && this.reload(), {once: true});
    }

    // Of the whole element without controls, else of its canvas.
    #label() {
        const name = this.getAttribute("aria-label") ?? this.alt ?? "3D model", has_controls = this.cameraControls;
        if (this.#internals)
            [this.#internals.role, this.#internals.ariaLabel] = has_controls ? [null, null] : ["img", name];
        for (const [key, value] of Object.entries({tabindex: 0, role: "img", "aria-roledescription": "3D model",
            "aria-label": name + ". Arrow keys turn, plus and minus zoom, Space plays"}))
            if (has_controls)
                this.#canvas.setAttribute(key, value);
            else
                this.#canvas.removeAttribute(key);
        this.#canvas.style.touchAction = has_controls ? this.touchAction : "auto";
    }

    #show_poster() {
        this.#image.hidden = !this.poster;
        if (this.poster)
            this.#image.src = this.#url(this.poster);
        if (!this.#is_loaded)
            this.showPoster();
    }

    #hide_poster() {
        if ("gone" in this.#poster.dataset)
            return;
        this.#poster.dataset.gone = "";
        this.#tell("poster-dismissed");
        this.#tell("model-visibility", {visible: true});
    }

    // -- The camera -----------------------------------------------------------------------------

    #terms(name, kinds) {
        const text = this[property_of(name)], found = terms(text, kinds);
        if (!found)
            warn(name + "=\"" + text + "\": " + kinds.replaceAll("a", "ANGLEdeg ").replaceAll("d", "LENGTH or PERCENT% ") + "wanted");
        return found ?? terms(attributes[name][1], kinds);
    }

    // Where the camera goes by the attributes, unless somebody holds it.
    #aim() {
        if (!this.#it || this.#is_held)
            return;
        const [theta, phi, radius] = this.#terms("camera-orbit", "aad"), [fov] = this.#terms("field-of-view", "a");
        const {min, max} = this.getBounds(), target = this.#terms("camera-target", "ddd");
        const [x, y, z] = ["x", "y", "z"].map((axis, i) => target[i]?.[0] ?? (min[axis] + max[axis]) / 2);
        this.#goal = {theta: theta ?? 25, phi: phi ?? 78, radius: radius?.[0] ?? 105, is_share: radius?.[1] ?? true,
            x, y, z, fov: clamp(fov ?? 35, 1, 170)};
        this.#bound();
        this.#touch();
    }

    // The distance at which the cylinder around the box, which is as wide from all sides, fills the picture.
    #fit({phi, fov}) {
        const {width, height} = this.#canvas, {x, y, z} = this.getDimensions(), r = Math.hypot(x, y) / 2 || 1e-3;
        const half = Math.tan(fov * degree / 2), level = Math.sin(phi * degree), steep = Math.cos(phi * degree);
        return Math.max(...Array.from({length: 32}, (_, i) => {
            const ahead = r * Math.cos(i * Math.PI / 8), up = i < 16 ? z / 2 : -z / 2;
            return level * ahead + steep * up + Math.max(Math.abs(level * up - steep * ahead),
                Math.abs(r * Math.sin(i * Math.PI / 8)) * height / width || 0) / half;
        }));
    }

    // Keeps the camera within its limits; returns whether it was.
    #bound() {
        const [least, most] = ["min", "max"].map((end) => this.#terms(end + "-camera-orbit", "aad")), goal = this.#goal;
        goal.theta = clamp(goal.theta, least[0] ?? -Infinity, most[0] ?? Infinity);
        goal.phi = clamp(goal.phi, Math.max(least[1] ?? 2, 0.5), Math.min(most[1] ?? 178, 179.5));
        const fit = this.#fit(goal) / 100, units = (distance) => distance[0] * (distance[1] ? fit : 1), before = goal.radius;
        goal.radius = clamp(before, ...[least[2] ?? [0], most[2] ?? [Infinity]].map((its) => units(its) / (goal.is_share ? fit : 1)));
        return goal.radius === before;
    }

    // What a person does: degrees, a factor of the distance, and shares of the picture's height. Returns whether it could come nearer.
    #turn_by(theta, phi, nearer = 1, right = 0, up = 0) {
        const goal = this.#goal, step = 2 * Math.tan(goal.fov * degree / 2) * (this.#now?.radius ?? 0), angle = goal.theta * degree;
        this.#is_held ||= nearer !== 1 || right !== 0 || up !== 0;
        this.#touched = performance.now();
        this.#by = "user-interaction";
        numbers(this.#it)[12] = 0; // no path
        goal.theta += theta;
        goal.phi += phi;
        goal.radius *= nearer;
        goal.x += step * right * Math.sin(angle);
        goal.y -= step * right * Math.cos(angle);
        goal.z -= step * up;
        this.#touch();
        return this.#bound();
    }

    #by = "none"; // who moves the camera

    // Brings the camera nearer to where it goes; returns whether it has moved.
    #ease(milliseconds) {
        const goal = {...this.#goal}, before = this.#now, decay = is_still() ? 0 : this.interpolationDecay;
        const share = decay > 0 ? 1 - Math.exp(-milliseconds / decay) : 1;
        goal.radius *= goal.is_share ? this.#fit(goal) / 100 : 1;
        const is_far = before && Object.keys(goal).some((key) => Math.abs(before[key] - goal[key]) > 1e-4 * Math.max(1, Math.abs(goal[key])));
        this.#now = goal;
        if (is_far)
            for (const key of Object.keys(goal))
                goal[key] = before[key] + (goal[key] - before[key]) * share;
        return is_far;
    }

    #listen() {
        const canvas = this.#canvas, listen = (kind, listener, more) => canvas.addEventListener(kind, (event) =>
            this.cameraControls && this.#it && listener(event), more);
        listen("pointerdown", (event) => this.#fingers.set(event.pointerId, {x: event.clientX, y: event.clientY, from: [event.clientX, event.clientY]}));
        listen("pointermove", (event) => {
            const its = this.#fingers.get(event.pointerId), all = [...this.#fingers.values()];
            if (!its)
                return;
            if (Math.hypot(event.clientX - its.from[0], event.clientY - its.from[1]) > 4)
                canvas.setPointerCapture(event.pointerId);
            const spread = () => all.length < 2 ? 1 : Math.max(Math.hypot(all[0].x - all[1].x, all[0].y - all[1].y), 1);
            const [x, y, before] = [event.clientX - its.x, event.clientY - its.y, spread()];
            [its.x, its.y] = [event.clientX, event.clientY];
            const height = this.clientHeight || 1, pans = all.length > 1 || event.buttons & 2 || event.shiftKey;
            if (pans)
                this.#turn_by(0, 0, this.disableZoom ? 1 : before / spread(),
                    ...this.disablePan ? [] : [-x / height / all.length, -y / height / all.length]);
            else
                this.#turn_by(-180 * x / height, -180 * y / height);
        });
        for (const kind of ["pointerup", "pointercancel"])
            canvas.addEventListener(kind, (event) => this.#fingers.delete(event.pointerId));
        listen("dblclick", () => this.updateFraming());
        listen("contextmenu", (event) => !this.disablePan && event.preventDefault());
        listen("wheel", (event) => {
            if (this.disableZoom || !(event.ctrlKey || this.shadowRoot.activeElement === canvas))
                return;
            if (this.#turn_by(0, 0, Math.exp(clamp(event.deltaY * (event.deltaMode ? 16 : 1), -100, 100) / 400)))
                event.preventDefault();
        }, {passive: false});
        listen("keydown", (event) => {
            if (event.ctrlKey || event.altKey || event.metaKey)
                return;
            const arrow = {ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
            const zoom = {"+": 0.9, "=": 0.9, PageUp: 0.9, "-": 1 / 0.9, PageDown: 1 / 0.9}[event.key];
            if (arrow && event.shiftKey && !this.disablePan)
                this.#turn_by(0, 0, 1, -arrow[0] / 20, -arrow[1] / 20);
            else if (arrow)
                this.#turn_by(10 * arrow[0], -10 * arrow[1]);
            else if (zoom && !this.disableZoom)
                this.#turn_by(0, 0, zoom);
            else if (event.key === "Home")
                this.updateFraming();
            else if (event.key === " " && (this.clips || this.#asset.is_machine))
                this[this.#is_playing ? "pause" : "play"]();
            else
                return;
            event.preventDefault();
        });
        this.#poster.addEventListener("click", () => this.reveal === "manual" && this.dismissPoster());
    }

    // -- Pictures -------------------------------------------------------------------------------

    #sizes = globalThis.ResizeObserver && new ResizeObserver(([entry]) => {
        const {inlineSize, blockSize} = entry.contentBoxSize[0];
        const size = [inlineSize, blockSize].map((side) => Math.min(Math.round(side * Math.min(devicePixelRatio, 2)), 2048));
        if (this.#canvas.width === size[0] && this.#canvas.height === size[1])
            return;
        [this.#canvas.width, this.#canvas.height] = size;
        this.#touch();
        if (this.#is_loaded && size[0] * size[1] > 0)
            this.#draw(performance.now()); // at once: a new size clears it
    });

    [seen](name, is_in) {
        this.#near[name] = is_in;
        if (name === "near" && is_in && !this.#it && !this.#opening && !this.#error)
            this.#open();
        clearTimeout(this.#timers.rest);
        if (!this.#near.around)
            this.#timers.rest = setTimeout(() => [...this.#asset?.users ?? []].every((seat) => seat.is_far()) && this.#asset?.hide(), 10000);
        this.#before = 0;
        draw_soon();
    }

    #touch() {
        this.#is_dirty = true;
        draw_soon();
    }

    #turns() {
        return this.autoRotate && !is_still();
    }

    #draw(now) {
        const passed = this.#before > 0 ? Math.min(now - this.#before, 1000) : 0;
        [this.#before, this.#seat.drawn, this.#is_dirty] = [now, now, false];
        try {
            if (this.#is_playing)
                advance(this.#it, passed / 1000 * this.#rate * this.#times.direction, (...said) => this.#hear(...said));
            if (this.#turns() && performance.now() - this.#touched > this.autoRotateDelay)
                this.#goal.theta += this.#terms("rotation-per-second", "a")[0] * passed / 1000;
            const moved = this.#ease(passed), {theta, phi, radius, x, y, z, fov} = this.#now, {x: w, y: d, z: h} = this.getDimensions();
            const level = radius * Math.sin(phi * degree), size = Math.hypot(w, d, h) / 2 || 1e-3;
            numbers(this.#it).set([x + level * Math.cos(theta * degree), y + level * Math.sin(theta * degree), z + radius * Math.cos(phi * degree),
                x, y, z, fov, 0.02 * size, radius + 100 * size, clamp(this.exposure, 0.01, 100), clamp(this.shadowSoftness, 0, 1),
                this.shadowIntensity > 0]);
            if (draw_to(this.#context, this.#it, this.#asset) && !this.#is_loaded)
                this.#welcome();
            this.#is_dirty ||= moved;
            if (!this.#is_dirty && !this.#is_playing && !this.#turns())
                this.#before = 0;
            if (moved)
                this.#tell("camera-change", {source: this.#by});
            else
                this.#by = "none";
        } catch (error) {
            this.#tell_failure(error, true);
        }
    }

    // The first picture is there.
    async #welcome() {
        const asset = this.#asset;
        this.#is_loaded = true;
        this.#tell_state("loaded");
        delete this.dataset.code;
        this.#advance_bar(0.9, "textures");
        this.#tell("load", {url: asset.src, missing: asset.missing});
        if (this.reveal === "auto" || this.#is_dismissed)
            this.#hide_poster();
        try {
            await asset.dress();
        } catch (error) {
            if (asset === this.#asset)
                this.#tell_failure(error, false);
            return;
        }
        if (asset !== this.#asset)
            return;
        this.#advance_bar(1, "textures");
        const grey = asset.report.filter((it) => it.missing).map((it) => "\"" + it.shader + "\"");
        if (grey.length > 0)
            warn(base_name(asset.src) + ": no picture for " + grey.join(", ") + "; textures=\"" + grey[0].slice(1, -1) + "=URL ...\" names them");
        this.#tell("dressed", {url: asset.src, missing: asset.missing});
        this.#done();
    }

    // After the step, which a listener may not interrupt.
    #hear(kind, name, text) {
        if (kind === "event")
            queueMicrotask(() => this.#tell("machine-event", {name, text}));
        else if (Number(name) + 1 === this.#states.get(this.#name)?.state)
            queueMicrotask(() => this.#end_cycle());
    }

    #end_cycle() {
        const its = this.#times;
        its.count++;
        if (its.pingpong)
            its.direction = -its.direction;
        if (its.count < its.repetitions)
            return this.#tell("loop", {count: its.count, name: this.#name});
        this.pause();
        this.#go(this.#name, 0, this.#rate * its.direction > 0 !== its.pingpong ? 1 - 1e-6 : 0);
        this.#tell("finished", {name: this.#name});
    }
}

for (const [name, [kind, usual]] of Object.entries(attributes))
    Object.defineProperty(Md5ModelElement.prototype, property_of(name), {
        configurable: true,
        enumerable: true,
        get() {
            const text = this.getAttribute(name);
            if (kind === "boolean")
                return text !== null;
            if (text === null || kind === "text")
                return text ?? usual;
            const value = kind === "number" ? Number(text) : text;
            if (kind === "number" ? text.trim() !== "" && Number.isFinite(value) : kind.split(" ").includes(text))
                return value;
            warn(name + "=\"" + text + "\": " + (kind === "number" ? "a number" : "one of " + kind) + " wanted");
            return usual;
        },
        set(value) {
            if (kind === "boolean")
                this.toggleAttribute(name, Boolean(value));
            else if (value === null || value === undefined)
                this.removeAttribute(name);
            else
                this.setAttribute(name, value);
        },
    });
