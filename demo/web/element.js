// The element <md5-model>: a model on any page. README.md describes its attributes, properties, methods and events.
import {Md5ModelError, acquire, advance, base_name, call, draw_soon, draw_to, need, numbers, pairs, player, release, settings,
    texts} from "./core.js";
export {Md5ModelError};

// Each: its kind (words: one of them, the first is the default), the default, and what it changes besides the view.
export const attributes = {
    "src": ["text", null, "model"], "clips": ["text", null, "clip"], "textures": ["text", null, "model"], "files": ["text", null, "model"],
    "camera-path": ["text", null, "model"], "alt": ["text", null], "poster": ["text", null, "poster"],
    "loading": ["auto lazy eager", "auto", "model"], "reveal": ["auto manual", "auto", "model"],
    "fetchpriority": ["auto high low", "auto", "model"], "with-credentials": ["boolean", false, "model"], "up": ["z y", "z", "model"],
    "autoplay": ["boolean", false, "autoplay"], "animation-name": ["text", null, "clip"], "animation-crossfade-duration": ["number", 300],
    "parameters": ["text", null, "parameters"], "camera-controls": ["boolean", false],
    "camera-orbit": ["text", "25deg 78deg 105%", "camera"], "camera-target": ["text", "auto auto auto", "camera"],
    "field-of-view": ["text", "35deg", "camera"], "min-camera-orbit": ["text", "auto 2deg 40%", "camera"],
    "max-camera-orbit": ["text", "auto 178deg 400%", "camera"], "disable-zoom": ["boolean", false], "disable-pan": ["boolean", false],
    "touch-action": ["pan-y pan-x none", "pan-y"], "auto-rotate": ["boolean", false], "auto-rotate-delay": ["number", 3000],
    "rotation-per-second": ["text", "30deg"], "interpolation-decay": ["number", 50],
    "shadow-intensity": ["number", 1], "shadow-softness": ["number", 0.1], "exposure": ["number", 1],
};
export const property_of = (name) => name === "fetchpriority" ? "fetchPriority" : name.replace(/-./g, (part) => part[1].toUpperCase());

const style = `:host { display: block; position: relative; inline-size: 300px; block-size: 150px; contain: content; }
    :host([hidden]) { display: none; }
    canvas, .poster, .over { position: absolute; inset: 0; inline-size: 100%; block-size: 100%; }
    canvas { outline: none; }
    canvas:focus-visible { outline: 2px solid var(--md5-focus-color, Highlight); outline-offset: -2px; }
    .poster img, .poster ::slotted(*) { inline-size: 100%; block-size: 100%; object-fit: contain; }
    .poster[data-gone] { opacity: 0; visibility: hidden; transition: 0.2s; }
    .over { pointer-events: none; }
    .over ::slotted(*) { pointer-events: auto; }
    .bar { position: absolute; inset: 0 auto auto 0; block-size: var(--progress-bar-height, 2px);
        background: var(--progress-bar-color, Highlight); animation: late 0.3s step-end; }
    @keyframes late { from { visibility: hidden; } }
    .controls { position: absolute; inset: auto 0 0; }
    p { position: absolute; inset: 0 0 auto; margin: 0; padding: 0.3em; }
    @media (prefers-reduced-motion: reduce) { .poster[data-gone] { transition: none; } }`;
const tree = [["canvas", {part: "canvas"}],
    ["div", {class: "over"}, ["slot", {}]],
    ["div", {class: "poster", part: "poster", "data-gone": ""}, ["slot", {name: "poster"}, ["img", {alt: "", hidden: ""}]]],
    ["slot", {name: "progress-bar"}, ["div", {class: "bar", part: "progress", role: "progressbar", hidden: "", "aria-label": "loading"}]],
    ["slot", {name: "error"}, ["p", {part: "error", role: "alert"}]],
    ["div", {class: "controls"}, ["slot", {name: "controls"}]]];
let sheet;

function grow(parent, [tag, own, ...children]) {
    const it = document.createElement(tag);
    Object.entries(own).forEach((pair) => it.setAttribute(...pair));
    children.forEach((child) => grow(it, child));
    parent.append(it);
}

const is_still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const clamp = (value, least, most) => Math.min(Math.max(value, least), most);
const vector = (x, y, z) => ({x, y, z, toString: () => x + " " + y + " " + z});
const url_of = (text, base = document.baseURI) => text ? new URL(text, base).href : null;
const degree = Math.PI / 180;
const warned = new Set();
function warn(text) {
    if (!warned.has(text))
        console.warn("md5-model: " + text);
    warned.add(text);
}
function number(name, value) {
    if (Number.isNaN(Number(value)))
        throw new TypeError(name + ": a number");
    return Number(value);
}

// Numbers as attributes of cameras have them, of kinds "a", angles, which become degrees, and "d", distances, which are pairs: how
// many, and whether these are per cents. `auto` is null. Undefined if the text is none.
function terms(text, kinds) {
    const list = text.trim().split(/\s+/).map((part, i) => {
        const [, number, unit] = /^(auto|[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)(deg|rad|%|)$/.exec(part) ?? [];
        if (!number || number === "auto")
            return number && null;
        return kinds[i] === "d" ? unit.length < 2 ? [+number, unit === "%"] : undefined
            : unit === "deg" ? +number : unit === "rad" ? number / degree : undefined;
    });
    return list.length === kinds.length && !list.includes(undefined) ? list : undefined;
}

// What keys do: degrees around and down, and a factor of the distance.
const keys = {ArrowLeft: [10, 0], ArrowRight: [-10, 0], ArrowUp: [0, -10], ArrowDown: [0, 10], "+": [0, 0, 0.9], "=": [0, 0, 0.9],
    PageUp: [0, 0, 0.9], "-": [0, 0, 1 / 0.9], PageDown: [0, 0, 1 / 0.9]};

export class Md5ModelElement extends (globalThis.HTMLElement ?? class {}) {
    static observedAttributes = [...Object.keys(attributes), "aria-label"];
    static version = "VERSION";
    static get wasmURL() { return settings.wasmURL; }
    static set wasmURL(url) { settings.wasmURL = url; }
    static get cacheSize() { return settings.cacheSize; }
    static set cacheSize(size) { settings.cacheSize = size; }
    static mapURLs(map) { settings.map = map; }

    static #sights; // observers for all elements
    #canvas; #poster; #image; #bar; #told; #context;
    #internals = this.attachInternals();
    #near = {}; // whether it is seen; within a window's height; within two
    #asset = null; // what it shows,
    #it = 0; // in the program
    #turn = 0; // of #show(): a newer one makes those before void
    #opening = null; // the asset of the last turn
    #is_stale = true; // it does not show yet what the attributes say, but for the clip
    #timers = {};
    #ready; // of updateComplete()
    #error = null;
    #is_loaded = false; // and drawn
    #is_dirty = false;
    #is_dismissed = false;
    #was_visible = false; // when that was told last
    #progress = 1;
    #name = "none"; // of the clip that plays,
    #clip = null; // and the clip: state and duration
    #num_states = 0; // that it can play
    #is_playing = false;
    #rate = 1;
    #times = {repetitions: Infinity, pingpong: false, count: 0, direction: 1};
    #before = 0; // when it was drawn last
    #touched = -Infinity; // when somebody turned it last
    #by = "none"; // who moves the camera
    #is_held = false; // somebody has moved the camera
    #goal = null; // theta, phi, radius, is_share, x, y, z, fov: where the camera goes
    #now = null; // the same, with the radius in units
    #fingers = new Map();
    #seat = {
        is_far: () => !this.#near.around,
        draw: (now) => this.#draw(now),
        touch: () => this.#touch(),
        arrive: () => this.#advance_bar(this.#progress + (0.9 - this.#progress) / 4, "model"),
        lose: () => this.#is_loaded && this.#tell_error("webglcontextlost", new Md5ModelError("gpu", "The WebGL context was lost")),
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
        Md5ModelElement.#sights ??= Object.entries({seen: "0px", near: "100%", around: "200%"}).map(([name, rootMargin]) =>
            new IntersectionObserver((entries) => entries.forEach(({target, isIntersecting}) => target.#see(name, isIntersecting)), {rootMargin}));
        for (const its of [...Md5ModelElement.#sights, this.#sizes])
            its.observe(this);
        this.#is_playing ||= this.autoplay && !is_still();
        this.#label();
        this.#show_poster();
        this.#show(false);
    }

    disconnectedCallback() {
        for (const its of [...Md5ModelElement.#sights, this.#sizes])
            its.unobserve(this);
        this.#near = {};
        this.#timers.leave = setTimeout(() => {
            this.#turn++;
            this.#wait_for(null);
            this.#leave();
        }, this.#is_loaded ? 5000 : 0);
    }

    attributeChangedCallback(name, before, now) {
        if ((before === now && name !== "src") || !this.isConnected)
            return;
        const change = attributes[name]?.[2];
        if (change === "model" || change === "clip")
            this.#show(change === "model");
        else if (change === "poster")
            this.#show_poster();
        else if (change === "camera")
            this.#is_held = false;
        else if (change === "parameters" && !this.#is_stale) // or they are the next model's, which takes them when it is there
            this.#set_parameters();
        else if (change === "autoplay" && now !== null && !is_still())
            this.play();
        this.#aim();
        this.#label();
        this.#touch();
    }

    // -- For pages ------------------------------------------------------------------------------

    get availableAnimations() { return this.#asset?.is_machine ? [] : [...this.#clips().keys()]; }
    get paused() { return !this.#is_playing; }
    get duration() { return this.#clip?.duration ?? 0; }
    get currentTime() {
        const cycles = this.#it ? numbers(this.#it)[21] : 0;
        return (cycles - Math.floor(cycles)) * this.duration;
    }
    set currentTime(seconds) {
        const cycles = number("currentTime", seconds) / this.duration;
        if (this.duration > 0)
            this.#go(0, cycles - Math.floor(cycles));
    }
    get timeScale() { return this.#rate; }
    set timeScale(rate) { this.#rate = number("timeScale", rate); }
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
    get modelIsVisible() { return this.#is_loaded && this.#near.seen === true && "gone" in this.#poster.dataset; }
    get loadError() { return this.#error; }
    get textureReport() { return this.#asset?.report ?? []; }
    updateComplete() { return this.#ready.promise; }
    reload() { this.#show(true); }
    dismissPoster() {
        this.#is_dismissed = true;
        if (this.#is_loaded)
            this.#hide_poster();
        else
            this.#show(true);
    }
    showPoster() {
        delete this.#poster.dataset.gone;
        this.#tell_visibility();
    }
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
        this.#ready = Promise.withResolvers();
        this.#ready.promise.catch(() => {}); // whoever waits hears of it, and an event tells others
    }

    // By name, as the attribute `clips` says.
    #clips() {
        return new Map(pairs(this.clips).map(([name, url]) => [name || base_name(url),
            /\.\w+$/.test(url) || !this.files ? url_of(url) : url_of(url + ".md5anim", url_of(this.files))]));
    }

    // Shows what the attributes say, when all of them are set: from the beginning, or another clip of what is there.
    async #show(is_anew) {
        const turn = ++this.#turn;
        this.#is_stale ||= is_anew;
        await null;
        if (turn !== this.#turn)
            return;
        if (!this.src)
            this.#leave();
        if (!this.src || !this.isConnected || (this.loading !== "eager" && !this.#near.near)
            || (this.reveal === "manual" && !this.#is_dismissed))
            return this.#wait_for(null);
        const camera = url_of(this.cameraPath), clips = this.#clips(), name = this.animationName ?? clips.keys().next().value ?? "none";
        const url = clips.get(name), is_stale = this.#is_stale, asset = !is_stale ? this.#asset : acquire({
            src: url_of(this.src), textures: this.textures, list: url_of(this.files), credentials: this.withCredentials,
            priority: this.fetchPriority, travels: camera !== null}, this.#seat);
        this.#wait_for(is_stale ? asset : null);
        if (is_stale)
            this.#tell_begin();
        try {
            const [path, clip] = await Promise.all([is_stale && camera && asset.bring(camera), url && asset.clip(url), asset.load()]);
            if (turn !== this.#turn)
                return;
            const is_there = clip || name === "none" || asset.is_machine;
            if (is_stale)
                this.#begin(asset, camera, path);
            if (is_stale || (is_there && (name !== this.#name || (clip && clip !== this.#clip))))
                this.#show_clip(is_there ? name : "none", clip, is_stale || is_still() || !this.#is_playing ? 0
                    : this.animationCrossfadeDuration / 1000);
            if (!is_there)
                throw new Md5ModelError("mismatch", "unknown clip \"" + name + "\"; available clips: " + [...clips.keys()].join(", "));
        } catch (error) {
            if (turn === this.#turn)
                this.#tell_failure(error, this.#asset?.src !== asset.src);
        }
    }

    // What is still fetched, but for this, comes too late.
    #wait_for(asset) {
        const before = this.#opening;
        this.#opening = asset;
        if (before && before !== asset && before !== this.#asset)
            release(before, this.#seat);
    }

    #begin(asset, camera, path) {
        if (camera)
            asset.files.set(camera, path);
        const it = asset.need("web_begin", asset.it, camera ?? "");
        this.#leave(asset);
        [this.#asset, this.#it, this.#opening, this.#now, this.#is_held, this.#is_stale] = [asset, it, null, null, false, false];
        numbers(it).set([camera !== null, this.up === "y"], 12);
        this.#set_parameters();
    }

    // Shows nothing any more; `next` is kept.
    #leave(next) {
        if (this.#it)
            call("web_end", this.#it);
        if (this.#asset && this.#asset !== next)
            release(this.#asset, this.#seat);
        [this.#asset, this.#it, this.#is_loaded, this.#is_stale, this.#clip, this.#num_states] = [null, 0, false, true, null, 0];
        if (!next)
            this.#context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    }

    #go(seconds, cycles) {
        call("web_go", this.#it, this.#clip?.state ?? 0, seconds, cycles);
        this.#touch();
    }

    #show_clip(name, clip, seconds) {
        if (clip?.state > this.#num_states) {
            need("web_play", this.#it);
            this.#num_states = clip.state;
        }
        [this.#name, this.#clip, this.#times.count] = [name, clip, 0];
        if (!this.#asset.is_machine)
            this.#go(seconds, 0);
        call("web_frame", this.#it);
        this.#aim();
    }

    #set_parameters() {
        for (const [name, value] of pairs(this.parameters))
            if (this.#it && !this.setParameter(name, Number(value)))
                warn("unknown parameter \"" + name + "\"; available parameters: " + this.availableParameters.join(", "));
    }

    // -- What it says ---------------------------------------------------------------------------

    #tell(kind, detail, more) {
        return this.dispatchEvent(new CustomEvent(kind, {detail, ...more}));
    }

    #set_state(name, is_so) {
        this.#internals.states[is_so ? "add" : "delete"](name);
    }

    #tell_state(now) {
        ["loading", "loaded", "failed"].forEach((state) => this.#set_state(state, state === now));
    }

    #set_playing(now) {
        if (this.#is_playing !== now)
            this.#tell(now ? "play" : "pause");
        this.#is_playing = now;
        this.#set_state("playing", now);
        this.#touch();
    }

    #advance_bar(share, reason) {
        if (share <= this.#progress)
            return;
        this.#progress = share;
        this.#bar.hidden = share === 1;
        this.#bar.style.inlineSize = 100 * share + "%";
        this.#bar.setAttribute("aria-valuenow", Math.round(100 * share));
        this.#tell("progress", {totalProgress: share, reason});
    }

    #tell_begin() {
        if (this.#error || this.#is_loaded)
            this.#renew();
        this.#error = null;
        this.#told.textContent = "";
        this.#tell_state("loading");
        this.#progress = -1;
        this.#advance_bar(0, "program");
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
        this.#wait_for(null);
        if (leaves) {
            this.#leave();
            this.#tell_state("failed");
            this.showPoster();
        }
        this.#is_stale = !this.#asset;
        this.#error = own;
        this.dataset.code = own.code;
        this.#advance_bar(1, "model");
        this.#tell_error("loadfailure", own);
        this.#ready.reject(own);
        if (own.code === "network")
            addEventListener("online", () => this.#error === own && this.reload(), {once: true});
    }

    // Of the whole element without controls, else of its canvas.
    #label() {
        const name = this.getAttribute("aria-label") ?? this.alt ?? "3D model", has_controls = this.cameraControls;
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
            this.#image.src = url_of(this.poster);
        if (!this.#is_loaded)
            this.showPoster();
    }

    #hide_poster() {
        const is_new = !("gone" in this.#poster.dataset);
        this.#poster.dataset.gone = "";
        if (is_new)
            this.#tell("poster-dismissed");
        this.#tell_visibility();
    }

    #tell_visibility() {
        if (this.#was_visible !== this.modelIsVisible)
            this.#tell("model-visibility", {visible: this.#was_visible = this.modelIsVisible});
    }

    // -- The camera -----------------------------------------------------------------------------

    #terms(name, kinds) {
        const text = this[property_of(name)], found = terms(text, kinds), usual = terms(attributes[name][1], kinds);
        if (!found)
            warn("invalid " + name + "=\"" + text + "\": expected " + kinds.replaceAll("a", "ANGLEdeg ").replaceAll("d", "LENGTH or PERCENT% ").trim());
        return usual.map((its, i) => found?.[i] ?? its);
    }

    // Where the camera goes by the attributes, unless somebody holds it.
    #aim() {
        if (!this.#it || this.#is_held)
            return;
        const [theta, phi, radius] = this.#terms("camera-orbit", "aad"), [fov] = this.#terms("field-of-view", "a");
        const {min, max} = this.getBounds(), target = this.#terms("camera-target", "ddd");
        const [x, y, z] = ["x", "y", "z"].map((axis, i) => target[i]?.[0] ?? (min[axis] + max[axis]) / 2);
        this.#goal = {theta, phi, radius: radius[0], is_share: radius[1], x, y, z, fov: clamp(fov, 1, 170)};
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
        goal.phi = clamp(goal.phi, Math.max(least[1], 0.5), Math.min(most[1], 179.5));
        const fit = this.#fit(goal) / 100, units = (distance) => distance[0] * (distance[1] ? fit : 1), before = goal.radius;
        goal.radius = clamp(before, ...[least[2], most[2]].map((its) => units(its) / (goal.is_share ? fit : 1)));
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
            const by = keys[event.key], zooms = by?.length > 2;
            if (by && !zooms && event.shiftKey && !this.disablePan)
                this.#turn_by(0, 0, 1, -by[0] / 200, by[1] / 200);
            else if (by && !(zooms && this.disableZoom))
                this.#turn_by(...by);
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

    #sizes = new ResizeObserver(([entry]) => {
        const {inlineSize, blockSize} = entry.contentBoxSize[0];
        const size = [inlineSize, blockSize].map((side) => Math.min(Math.round(side * Math.min(devicePixelRatio, 2)), 2048));
        if (this.#canvas.width === size[0] && this.#canvas.height === size[1])
            return;
        [this.#canvas.width, this.#canvas.height] = size;
        this.#touch();
        if (this.#is_loaded)
            this.#draw(performance.now()); // at once: a new size clears it
    });

    #see(name, is_in) {
        this.#near[name] = is_in;
        this.#tell_visibility();
        if (name === "near" && is_in && !this.#opening && !this.#error)
            this.#show(false);
        clearTimeout(this.#timers.rest);
        if (!this.#near.around)
            this.#timers.rest = setTimeout(() => [...this.#asset?.users ?? []].every((seat) => seat.is_far()) && this.#asset?.hide(), 10000);
        this.#before = 0;
        draw_soon(this.#seat);
    }

    #touch() {
        this.#is_dirty = true;
        draw_soon(this.#seat);
    }

    // Draws if anything has changed and can be seen, and goes on while it moves.
    #draw(now) {
        const turns = this.autoRotate && !is_still(), is_seen = this.#near.seen || (this.loading === "eager" && !this.#is_loaded);
        if (!this.#it || !is_seen || this.#canvas.width * this.#canvas.height === 0 || !(this.#is_dirty || this.#is_playing || turns))
            return;
        const passed = this.#before > 0 ? Math.min(now - this.#before, 1000) : 0;
        [this.#before, this.#is_dirty] = [now, false];
        try {
            if (this.#is_playing)
                advance(this.#it, passed / 1000 * this.#rate * this.#times.direction, (...said) => this.#hear(...said));
            if (turns && performance.now() - this.#touched > this.autoRotateDelay)
                this.#goal.theta += this.#terms("rotation-per-second", "a")[0] * passed / 1000;
            const moved = this.#ease(passed), {theta, phi, radius, x, y, z, fov} = this.#now, {x: w, y: d, z: h} = this.getDimensions();
            const level = radius * Math.sin(phi * degree), size = Math.hypot(w, d, h) / 2 || 1e-3;
            numbers(this.#it).set([x + level * Math.cos(theta * degree), y + level * Math.sin(theta * degree), z + radius * Math.cos(phi * degree),
                x, y, z, fov, 0.02 * size, radius + 100 * size, clamp(this.exposure, 0.01, 100), clamp(this.shadowSoftness, 0, 1),
                this.shadowIntensity > 0]);
            if (draw_to(this.#context, this.#it, this.#asset) && !this.#is_loaded)
                this.#welcome();
            this.#is_dirty ||= moved;
            if (this.#is_dirty || this.#is_playing || turns)
                draw_soon(this.#seat);
            else
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
        this.#ready.resolve();
    }

    // After the step, which a listener may not interrupt.
    #hear(kind, name, text) {
        if (kind === "event")
            queueMicrotask(() => this.#tell("machine-event", {name, text}));
        else if (Number(name) + 1 === this.#clip?.state)
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
        this.#go(0, this.#rate * its.direction > 0 !== its.pingpong ? 1 - 1e-6 : 0);
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
            warn("invalid " + name + "=\"" + text + "\": expected " + (kind === "number" ? "a number" : "one of " + kind));
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
