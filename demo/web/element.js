// The element <md5-model>, which shows a model on any page. README.md describes its attributes, properties, methods and events.
//
// #show() loads what the attributes specify and starts an element of the program (core.js, element.c). #draw() is called before
// each frame in which something changed. #goal is the camera that the attributes and the user specify; #camera follows it.
import {Md5ModelError, absolute, acquire, advance, base_name, call, draw_soon, draw_to, member, call_or_throw, numbers, pairs, player,
    release, settings, texts} from "./core.js";
export {Md5ModelError};

// For each attribute: its kind (a list of words: the allowed values), its default, and the part that a change updates.
export const attributes = {
    "src": ["text", null, "model"], "clips": ["text", null, "clip"], "textures": ["text", null, "model"], "files": ["text", null, "model"],
    "camera-path": ["text", null, "model"], "alt": ["text", null], "poster": ["text", null, "poster"],
    "loading": ["auto lazy eager", "auto", "model"], "reveal": ["auto manual", "auto", "model"],
    "fetchpriority": ["auto high low", "auto", "model"], "with-credentials": ["boolean", false, "model"], "up": ["z y", "z", "model"],
    "autoplay": ["boolean", false, "autoplay"], "animation-name": ["text", null, "clip"], "animation-crossfade-duration": ["number", 300],
    "parameters": ["text", null, "parameters"], "camera-controls": ["boolean", false],
    "camera-orbit": ["text", "25deg 78deg 105%", "camera"], "camera-target": ["text", "auto auto auto", "camera"],
    "field-of-view": ["text", "35deg", "camera"], "min-camera-orbit": ["text", "auto 2deg 40%", "camera"],
    "max-camera-orbit": ["text", "auto 178deg 400%", "camera"], "min-field-of-view": ["text", "auto", "camera"],
    "max-field-of-view": ["text", "auto", "camera"], "disable-zoom": ["boolean", false], "disable-pan": ["boolean", false],
    "touch-action": ["pan-y pan-x none", "pan-y"], "auto-rotate": ["boolean", false], "auto-rotate-delay": ["number", 3000],
    "rotation-per-second": ["text", "30deg"], "interpolation-decay": ["number", 50],
    "interaction-prompt": ["auto none", "none"], "a11y": ["text", null, "texts"],
    "shadow-intensity": ["number", 1], "shadow-softness": ["number", 0.1], "exposure": ["number", 1],
};
export const property_name = (name) => name === "fetchpriority" ? "fetchPriority" : name.replace(/-./g, (part) => part[1].toUpperCase());

// The texts for visitors. The attribute `a11y` replaces them: a JSON object with some of these names.
const default_texts = {
    error: "This model could not be shown.", partial: "Parts of this model could not be loaded.", loading: "Loading", role: "3D model", poster: "Show the model",
    turn: "Arrow keys turn", zoom: "plus and minus zoom", play: "Space plays", prompt: "Drag to turn",
    front: "View from the front", back: "View from the back", left: "View from the left", right: "View from the right",
    above: "View from above", below: "View from below",
};

const style = `:host { display: block; position: relative; inline-size: 300px; block-size: 150px; contain: content; }
    :host([hidden]) { display: none; }
    canvas, .poster, .overlay { position: absolute; inset: 0; inline-size: 100%; block-size: 100%; }
    canvas { outline: none; }
    canvas:focus-visible { outline: 2px solid var(--md5-focus-color, Highlight); outline-offset: -2px; }
    .poster img, .poster ::slotted(*) { inline-size: 100%; block-size: 100%; object-fit: contain; }
    .poster[data-dismissed] { opacity: 0; visibility: hidden; transition: 0.2s; }
    .overlay { pointer-events: none; }
    .overlay ::slotted(*) { pointer-events: auto; }
    .bar { position: absolute; inset: 0 auto auto 0; block-size: var(--progress-bar-height, 2px);
        background: var(--progress-bar-color, Highlight); animation: appear 0.3s step-end; }
    @keyframes appear { from { visibility: hidden; } }
    .controls { position: absolute; inset: auto 0 0; }
    .error { position: absolute; inset: 0 0 auto; margin: 0; padding: 0.3em; overflow-wrap: anywhere; background: Canvas; color: CanvasText; }
    .error:empty { padding: 0; }
    .status { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
    .prompt { position: absolute; inset: auto 0 12%; margin: auto; inline-size: fit-content; padding: 0.3em 0.8em; border-radius: 1em;
        background: Canvas; color: CanvasText; opacity: 0.85; pointer-events: none; animation: sway 2s ease-in-out infinite alternate; }
    .prompt[hidden] { display: none; }
    @keyframes sway { from { transform: translateX(-1em); } to { transform: translateX(1em); } }
    .hotspot { position: absolute; inset: 0 auto auto 0; inline-size: 0; block-size: 0; }
    .hotspot[hidden] { display: none; }
    .hotspot ::slotted(*) { position: absolute; transform: translate(-50%, -50%); }
    @media (prefers-reduced-motion: reduce) { .poster[data-dismissed] { transition: none; } .prompt { animation: none; } }`;
const tree = [["canvas", {part: "canvas"}],
    ["div", {class: "overlay"}, ["slot", {}]],
    ["div", {class: "poster", part: "poster", "data-dismissed": ""}, ["slot", {name: "poster"}, ["img", {alt: "", hidden: ""}]]],
    ["slot", {name: "progress-bar"}, ["div", {class: "bar", part: "progress", role: "progressbar", hidden: ""}]],
    ["slot", {name: "error"}, ["p", {class: "error", part: "error", role: "alert"}]],
    ["slot", {name: "interaction-prompt"}, ["div", {class: "prompt", part: "interaction-prompt", "aria-hidden": "true", hidden: ""}]],
    ["div", {class: "status", role: "status"}],
    ["div", {class: "controls"}, ["slot", {name: "controls"}]]];
let sheet;

function append_tree(parent, [tag, properties, ...children]) {
    const element = document.createElement(tag);
    Object.entries(properties).forEach((pair) => element.setAttribute(...pair));
    children.forEach((child) => append_tree(element, child));
    parent.append(element);
}

const prefers_reduced_motion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const fraction = (value) => value - Math.floor(value);
const clamp = (value, min, max) => Math.min(Math.max(value, min), max);
const vector = (x, y, z) => ({x, y, z, toString: () => x + " " + y + " " + z});
const resolve_url = (text, base) => text ? absolute(text, base) : null;
const degree = Math.PI / 180;
const warned = new Set();
function warn(text) {
    if (!warned.has(text))
        console.warn("md5-model: " + text);
    warned.add(text);
}
function number(name, value) {
    if (Number.isNaN(Number(value)))
        throw new TypeError(name + ": expected a number, found " + value);
    return Number(value);
}

// Parses a value of a camera's attribute: an angle (kind "a") to degrees, or a distance (kind "d") to a number and true if that is
// a percentage. Returns null for "auto", and undefined for invalid text.
function parse_camera_value(text, kind) {
    const [, number, unit] = /^(auto|[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)(deg|rad|%|)$/.exec(text) ?? [];
    if (!number)
        return undefined;
    if (number === "auto")
        return null;
    if (kind === "d")
        return unit.length < 2 ? [+number, unit === "%"] : undefined;
    if (unit === "deg")
        return +number;
    return unit === "rad" ? number / degree : undefined;
}

// Parses values that blanks separate; `kinds` contains the kind of each. Returns undefined for invalid text.
function parse_camera_values(text, kinds) {
    const values = text.trim().split(/\s+/).map((part, i) => parse_camera_value(part, kinds[i]));
    return values.length === kinds.length && !values.includes(undefined) ? values : undefined;
}

// The effects of keys on the camera: the rotation around the model and down in degrees, and a factor of the distance.
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

    static #observers; // observers for all elements
    #canvas; #overlay; #poster; #image; #bar; #message; #prompt; #status; #context;
    #internals = this.attachInternals();
    #visibility = {}; // true if the element is visible, within one window height (near), within two (in_range)
    #asset = null; // the asset that is shown
    #handle = 0; // pointer to the web_element in the program
    #request = 0; // number of the last call of #show(), which cancels earlier calls
    #opening = null; // asset of the last call of #show()
    #is_stale = true; // attributes other than the clip changed and are not applied yet
    #timers = {};
    #ready; // the promise `loaded`, with its functions
    #is_settled = true; // this promise is resolved or rejected
    #error = null;
    #message_name = null; // entry of the texts for visitors that is shown as the message
    #is_loaded = false; // the model is loaded and drawn
    #is_dressed = false; // its textures are loaded, too
    #is_dirty = false;
    #is_dismissed = false;
    #was_visible = false; // detail of the last event "model-visibility"
    #progress = 1;
    #clip_name = "none"; // the current clip
    #clip = null; // its state and duration
    #num_states = 0; // states of the program's machine
    #start_time = null; // currentTime if it was set before a clip was loaded, seconds
    #is_playing = false;
    #rate = 1;
    #playback = {repetitions: Infinity, pingpong: false, count: 0, direction: 1};
    #last_frame = 0; // time of the last frame, ms; 0 if nothing moved since
    #last_input = -Infinity; // time at which the user moved the camera last, ms
    #camera_source = "none"; // source of the camera's movement for events
    #has_user_camera = false; // the user has moved the camera, so that the attributes do not apply
    #goal = null; // target of the camera: theta, phi, radius, is_percentage (of the radius), x, y, z, fov
    #camera = null; // the current camera, with the radius in units
    #pointers = new Map(); // pointers that are down
    #hotspots = new Map(); // by child element: its box, the name of its joint, and the joint
    #texts = default_texts;
    // The functions that core.js calls.
    #client = {
        is_far: () => !this.#visibility.in_range,
        draw: (time) => this.#draw(time),
        invalidate: () => this.#invalidate(),
        on_file: () => this.#advance_bar(this.#progress + (0.9 - this.#progress) / 4, "model"),
        on_context_lost: () => this.#is_loaded && this.#report_error("webglcontextlost", new Md5ModelError("gpu", "The WebGL context was lost")),
    };

    constructor() {
        super();
        const root = this.attachShadow({mode: "open"});
        if (!sheet) {
            sheet = new CSSStyleSheet();
            sheet.replaceSync(style);
        }
        root.adoptedStyleSheets = [sheet];
        tree.forEach((part) => append_tree(root, part));
        [this.#canvas, this.#overlay, this.#poster, this.#image, this.#bar, this.#message, this.#prompt, this.#status] = ["canvas", ".overlay",
            ".poster", "img", ".bar", ".error", ".prompt", ".status"].map((name) => root.querySelector(name));
        this.#context = this.#canvas.getContext("2d");
        this.#reset_promise();
        this.#listen();
    }

    connectedCallback() {
        // Properties that were set before the element was defined hide the accessors of the class.
        for (const name of Object.keys(attributes).map(property_name))
            if (Object.hasOwn(this, name)) {
                const value = this[name];
                delete this[name];
                this[name] = value;
            }
        clearTimeout(this.#timers.leave);
        Md5ModelElement.#observers ??= Object.entries({visible: "0px", near: "100%", in_range: "200%"}).map(([name, rootMargin]) =>
            new IntersectionObserver((entries) => entries.forEach(({target, isIntersecting}) => target.#set_visibility(name, isIntersecting)), {rootMargin}));
        for (const observer of [...Md5ModelElement.#observers, this.#size_observer])
            observer.observe(this);
        this.#hotspot_observer.observe(this, {childList: true, subtree: true, attributeFilter: ["slot", "data-joint"]});
        this.#update_hotspots();
        this.#is_playing ||= this.autoplay && !prefers_reduced_motion();
        this.#update_texts();
        this.#show_poster();
        this.#show(false);
    }

    disconnectedCallback() {
        for (const observer of [...Md5ModelElement.#observers, this.#size_observer])
            observer.unobserve(this);
        this.#hotspot_observer.disconnect();
        this.#visibility = {};
        this.#timers.leave = setTimeout(() => {
            this.#request++;
            this.#wait_for(null);
            this.#unload();
        }, this.#is_loaded ? 5000 : 0);
    }

    attributeChangedCallback(name, old_value, new_value) {
        if ((old_value === new_value && name !== "src") || !this.isConnected)
            return;
        const change = attributes[name]?.[2];
        if (change === "model" || change === "clip")
            this.#show(change === "model");
        else if (change === "poster")
            this.#show_poster();
        else if (change === "camera")
            this.#has_user_camera = false;
        else if (change === "parameters" && !this.#is_stale) // otherwise #start_element() sets them
            this.#set_parameters();
        else if (change === "autoplay" && new_value !== null && !prefers_reduced_motion())
            this.play();
        else if (change === "texts")
            this.#update_texts();
        this.#update_goal();
        this.#update_label();
        this.#invalidate();
    }

    // -- For pages ------------------------------------------------------------------------------

    get availableAnimations() { return this.#asset?.is_machine ? [] : [...this.#clips().keys()]; }
    get paused() { return !this.#is_playing; }
    get duration() { return this.#clip?.duration ?? 0; }
    get currentTime() {
        if (this.#start_time !== null)
            return this.#start_time;
        return this.#handle ? fraction(numbers(this.#handle)[member.cycles]) * this.duration : 0;
    }
    // Before a clip is loaded, the time is stored and applies to the first clip.
    set currentTime(seconds) {
        const time = number("currentTime", seconds);
        this.#start_time = this.duration > 0 ? null : time;
        if (this.duration > 0)
            this.#change_clip(0, fraction(time / this.duration));
    }
    get timeScale() { return this.#rate; }
    set timeScale(rate) { this.#rate = number("timeScale", rate); }
    play({repetitions = Infinity, pingpong = false} = {}) {
        this.#playback = {repetitions, pingpong, count: 0, direction: 1};
        this.#set_playing(true);
    }
    pause() { this.#set_playing(false); }
    get availableParameters() { return this.#asset?.is_machine ? texts("web_parameter_name", this.#handle) : []; }
    // Returns true if the machine has a parameter or a trigger with this name.
    setParameter(name, value = 1) {
        const i = this.availableParameters.indexOf(name);
        this.#invalidate();
        return i >= 0 && call("md5_player_set", player(this.#handle), i, +value) !== 0;
    }
    getParameter(name) {
        const i = this.availableParameters.indexOf(name);
        return i >= 0 ? call("md5_player_get", player(this.#handle), i) : undefined;
    }
    getCameraOrbit() {
        const {theta, phi, radius} = this.#camera ?? {theta: 0, phi: 0, radius: 0}, [a, b] = [theta * degree, phi * degree];
        return {theta: a, phi: b, radius, toString: () => a + "rad " + b + "rad " + radius};
    }
    getCameraTarget() { return vector(this.#camera?.x ?? 0, this.#camera?.y ?? 0, this.#camera?.z ?? 0); }
    jumpCameraToGoal() {
        this.#camera = null;
        this.#invalidate();
    }
    async updateFraming() {
        this.#has_user_camera = false;
        if (this.#handle)
            call("web_compute_bounds", this.#handle);
        this.#update_goal();
    }
    get loaded() { return this.#ready.promise; }
    get isLoaded() { return this.#is_loaded; }
    get modelIsVisible() { return this.#is_loaded && this.#visibility.visible === true && "dismissed" in this.#poster.dataset; }
    get loadError() { return this.#error; }
    get textureReport() { return this.#asset?.report ?? []; }
    reload() { this.#show(true); }
    dismissPoster() {
        this.#is_dismissed = true;
        if (this.#is_loaded)
            this.#hide_poster();
        else
            this.#show(true);
    }
    showPoster() {
        delete this.#poster.dataset.dismissed;
        this.#update_poster_button();
        this.#report_visibility();
    }
    getBounds() {
        const [min, max] = [member.min, member.max].map((index) => this.#handle ? numbers(this.#handle).slice(index, index + 3) : [0, 0, 0]);
        return {min: vector(...min), max: vector(...max)};
    }
    getDimensions() {
        const {min, max} = this.getBounds();
        return vector(max.x - min.x, max.y - min.y, max.z - min.z);
    }
    toBlob({mimeType, qualityArgument} = {}) {
        return new Promise((resolve, reject) => this.#canvas.toBlob(
            (blob) => blob ? resolve(blob) : reject(new Md5ModelError("gpu", "the browser cannot encode the image")), mimeType, qualityArgument));
    }
    toDataURL(type, quality) { return this.#canvas.toDataURL(type, quality); }

    // -- Loading --------------------------------------------------------------------------------

    // Replaces the promise `loaded`, unless it is still pending: its owner then waits for the next model.
    #reset_promise() {
        if (!this.#is_settled)
            return;
        this.#is_settled = false;
        this.#ready = Promise.withResolvers();
        this.#ready.promise.catch(() => {}); // a failure is also reported by an event, so it need not be handled
    }

    #settle_promise(error) {
        this.#is_settled = true;
        this.#ready[error ? "reject" : "resolve"](error);
    }

    // Returns the clips of the attribute `clips`: names to URLs.
    #clips() {
        return new Map(pairs(this.clips).map(([name, url]) => [name || base_name(url),
            /\.\w+$/.test(url) || !this.files ? resolve_url(url) : resolve_url(url + ".md5anim", resolve_url(this.files))]));
    }

    // If `reloads`, loads and shows the model of the attributes. Otherwise only changes to their clip. Waits until all attributes are set.
    async #show(reloads) {
        const request = ++this.#request;
        this.#is_stale ||= reloads;
        if (reloads || this.#error)
            this.#reset_promise();
        await null;
        if (request !== this.#request)
            return;
        if (!this.src) {
            this.#unload();
            this.#clear_error();
        }
        if (!this.src || !this.isConnected || (this.loading !== "eager" && !this.#visibility.near)
            || (this.reveal === "manual" && !this.#is_dismissed))
            return this.#wait_for(null);
        const camera = resolve_url(this.cameraPath), clips = this.#clips(), name = this.animationName ?? clips.keys().next().value ?? "none";
        const url = clips.get(name), is_stale = this.#is_stale, asset = !is_stale ? this.#asset : acquire({
            src: resolve_url(this.src), textures: this.textures, list: resolve_url(this.files), credentials: this.withCredentials,
            priority: this.fetchPriority, travels: camera !== null}, this.#client);
        this.#wait_for(is_stale ? asset : null);
        if (is_stale)
            this.#report_start();
        try {
            let clip_error = null; // the model is shown without the clip
            const clip_promise = url && asset.clip(url).catch((error) => {
                clip_error = error;
            });
            const [path, clip] = await Promise.all([is_stale && camera && asset.fetch(camera), clip_promise, asset.load()]);
            if (request !== this.#request)
                return;
            const is_available = clip || name === "none" || asset.is_machine;
            if (is_stale)
                this.#start_element(asset, camera, path);
            if (is_stale || (is_available && (name !== this.#clip_name || (clip && clip !== this.#clip))))
                this.#show_clip(is_available ? name : "none", clip, is_stale || prefers_reduced_motion() || !this.#is_playing ? 0
                    : this.animationCrossfadeDuration / 1000);
            if (!is_available)
                throw clip_error ?? new Md5ModelError("mismatch", "unknown clip \"" + name + "\"; available clips: " + [...clips.keys()].join(", "));
            if (!is_stale)
                this.#clear_error();
        } catch (error) {
            if (request === this.#request)
                this.#report_failure(error, this.#asset?.src !== asset.src);
        }
    }

    // Cancels the loading of another asset.
    #wait_for(asset) {
        const previous = this.#opening;
        this.#opening = asset;
        if (previous && previous !== asset && previous !== this.#asset)
            release(previous, this.#client);
    }

    #start_element(asset, camera, path) {
        if (camera)
            asset.files.set(camera, path);
        const element = asset.call_or_throw("web_create_element", asset.pointer, camera ?? "");
        this.#unload(asset);
        [this.#asset, this.#handle, this.#opening, this.#camera, this.#has_user_camera, this.#is_stale] = [asset, element, null, null, false, false];
        numbers(element)[member.follows] = Number(camera !== null);
        numbers(element)[member.up_is_y] = Number(this.up === "y");
        this.#hotspots.forEach((hotspot) => hotspot.joint = null);
        this.#set_parameters();
    }

    // Removes the model. Does not release the asset `next`.
    #unload(next) {
        if (this.#handle)
            call("web_destroy_element", this.#handle);
        if (this.#asset && this.#asset !== next)
            release(this.#asset, this.#client);
        [this.#asset, this.#handle, this.#is_loaded, this.#is_stale, this.#clip, this.#num_states] = [null, 0, false, true, null, 0];
        this.#is_dressed = false;
        if (next)
            return;
        this.#context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
        this.#hotspots.forEach(({box}) => box.hidden = true);
        this.#report_visibility();
    }

    #change_clip(seconds, cycles) {
        call("web_set_state", this.#handle, this.#clip?.state ?? 0, seconds, cycles);
        this.#invalidate();
    }

    #show_clip(name, clip, seconds) {
        if (clip?.state > this.#num_states) {
            call_or_throw("web_create_player", this.#handle);
            this.#num_states = clip.state;
        }
        [this.#clip_name, this.#clip, this.#playback.count] = [name, clip, 0];
        const start = this.duration > 0 ? this.#start_time : null;
        if (start !== null)
            this.#start_time = null;
        if (!this.#asset.is_machine)
            this.#change_clip(start === null ? seconds : 0, start === null ? 0 : fraction(start / this.duration));
        call("web_compute_bounds", this.#handle);
        this.#update_goal();
    }

    #set_parameters() {
        for (const [name, value] of pairs(this.parameters))
            if (this.#handle && !this.setParameter(name, Number(value)))
                warn("unknown parameter \"" + name + "\"; available parameters: " + this.availableParameters.join(", "));
    }

    // -- Events and accessibility ---------------------------------------------------------------

    #dispatch(kind, detail, options) {
        return this.dispatchEvent(new CustomEvent(kind, {detail, ...options}));
    }

    #set_state(name, is_set) {
        this.#internals.states[is_set ? "add" : "delete"](name);
    }

    #set_phase(phase) {
        ["loading", "loaded", "failed"].forEach((state) => this.#set_state(state, state === phase));
    }

    #set_playing(is_playing) {
        if (this.#is_playing !== is_playing)
            this.#dispatch(is_playing ? "play" : "pause");
        this.#is_playing = is_playing;
        this.#set_state("playing", is_playing);
        this.#invalidate();
    }

    #advance_bar(progress, reason) {
        if (progress <= this.#progress)
            return;
        this.#progress = progress;
        this.#bar.hidden = progress === 1;
        this.#bar.style.inlineSize = 100 * progress + "%";
        this.#bar.setAttribute("aria-valuenow", Math.round(100 * progress));
        this.#dispatch("progress", {totalProgress: progress, reason});
    }

    #report_start() {
        this.#reset_promise();
        this.#error = null;
        this.#show_message(null);
        this.#set_phase("loading");
        this.#progress = -1;
        this.#advance_bar(0, "program");
    }

    // Visitors read a sentence, the entry `text` of the texts for visitors. The address and the location in the file are for the author
    // of the page.
    #report_error(type, sourceError, text = "error") {
        if (!this.#dispatch("error", {type, sourceError}, {cancelable: true}))
            return;
        this.#show_message(text);
        console.error("md5-model: " + sourceError.message);
    }

    // Shows an entry of the texts for visitors as the message, or no message if `name` is null.
    #show_message(name) {
        this.#message_name = name;
        this.#message.textContent = this.#texts[name] ?? "";
    }

    // Removes the error after its cause was removed: by another clip, or by removing the model.
    #clear_error() {
        if (!this.#error)
            return;
        this.#error = null;
        this.#show_message(null);
        delete this.dataset.code;
        this.#set_phase(this.#is_loaded ? "loaded" : null);
        this.#reset_promise();
        if (this.#is_dressed)
            this.#settle_promise();
    }

    #report_failure(error, leaves) {
        const failure = error instanceof Md5ModelError ? error : new Md5ModelError("parse", String(error?.message ?? error));
        this.#request++;
        this.#wait_for(null);
        if (leaves) {
            this.#unload();
            this.#set_phase("failed");
            this.showPoster();
        }
        this.#is_stale = !this.#asset;
        this.#error = failure;
        this.dataset.code = failure.code;
        this.#advance_bar(1, "model");
        this.#reset_promise(); // a clip may fail after the model was loaded
        this.#report_error("loadfailure", failure, leaves ? "error" : "partial");
        this.#settle_promise(failure);
        if (failure.code === "network")
            addEventListener("online", () => this.#error === failure && this.reload(), {once: true});
    }

    // Reads the texts for visitors.
    #update_texts() {
        let page_texts = {};
        try {
            page_texts = JSON.parse(this.a11y ?? "{}") ?? {};
        } catch (error) {
            warn("invalid a11y: expected a JSON object: " + error.message);
        }
        const unknown = Object.keys(page_texts).filter((name) => !(name in default_texts));
        if (unknown.length > 0)
            warn("unknown names in a11y: " + unknown.join(", ") + "; known names: " + Object.keys(default_texts).join(", "));
        this.#texts = {...default_texts, ...page_texts};
        this.#bar.setAttribute("aria-label", this.#texts.loading);
        this.#prompt.textContent = this.#texts.prompt;
        this.#show_message(this.#message_name);
        this.#update_poster_button();
    }

    // Sets the accessible name of the element, or of its canvas if that has controls. It names only keys that have an effect.
    #update_label() {
        const name = this.getAttribute("aria-label") ?? this.alt ?? this.#texts.role, has_controls = this.cameraControls && !this.#has_poster_button();
        const actions = [this.#texts.turn, !this.disableZoom && this.#texts.zoom, this.#can_play() && this.#texts.play].filter(Boolean);
        [this.#internals.role, this.#internals.ariaLabel] = has_controls ? [null, null] : ["img", name];
        for (const [key, value] of Object.entries({tabindex: 0, role: "img", "aria-roledescription": this.#texts.role,
            "aria-label": name + ". " + actions.join(", ")}))
            if (has_controls)
                this.#canvas.setAttribute(key, value);
            else
                this.#canvas.removeAttribute(key);
        this.#canvas.style.touchAction = has_controls ? this.touchAction : "auto";
    }

    #can_play() { return Boolean(this.#asset?.is_machine || this.clips); }

    // A poster that loads the model is a button.
    #has_poster_button() { return this.reveal === "manual" && !("dismissed" in this.#poster.dataset); }

    #update_poster_button() {
        const is_button = this.#has_poster_button();
        for (const [key, value] of Object.entries({tabindex: 0, role: "button", "aria-label": this.#texts.poster + (this.alt ? ": " + this.alt : "")}))
            if (is_button)
                this.#poster.setAttribute(key, value);
            else
                this.#poster.removeAttribute(key);
        this.#update_label();
    }

    // Announces to screen readers from which side the model is seen, after keys have turned the camera.
    #announce_view() {
        clearTimeout(this.#timers.view);
        this.#timers.view = setTimeout(() => {
            const {theta, phi} = this.#goal, sides = ["front", "left", "back", "right"];
            const side = sides[Math.round(theta / 90 + 4 * 360) % 4];
            const height = phi < 45 ? this.#texts.above : phi > 135 ? this.#texts.below : null;
            this.#status.textContent = [this.#texts[side], height].filter(Boolean).join(", ");
        }, 300);
    }

    #update_prompt() {
        clearTimeout(this.#timers.prompt);
        this.#prompt.hidden = true;
        if (this.interactionPrompt === "auto" && this.cameraControls && this.#last_input === -Infinity)
            this.#timers.prompt = setTimeout(() => this.#prompt.hidden = this.#last_input !== -Infinity, 3000);
    }

    #show_poster() {
        this.#image.hidden = !this.poster;
        if (this.poster)
            this.#image.src = resolve_url(this.poster);
        if (!this.#is_loaded)
            this.showPoster();
    }

    #hide_poster() {
        const is_new = !("dismissed" in this.#poster.dataset), has_focus = this.shadowRoot.activeElement === this.#poster;
        this.#poster.dataset.dismissed = "";
        this.#update_poster_button();
        if (has_focus && this.cameraControls)
            this.#canvas.focus();
        if (is_new)
            this.#dispatch("poster-dismissed");
        this.#report_visibility();
    }

    #report_visibility() {
        if (this.#was_visible !== this.modelIsVisible)
            this.#dispatch("model-visibility", {visible: this.#was_visible = this.modelIsVisible});
    }

    // -- The camera -----------------------------------------------------------------------------

    #camera_values(name, kinds) {
        const text = this[property_name(name)], values = parse_camera_values(text, kinds);
        const defaults = parse_camera_values(attributes[name][1], kinds);
        if (!values)
            warn("invalid " + name + "=\"" + text + "\": expected "
                + [...kinds].map((kind) => kind === "a" ? "an angle such as 30deg" : "a length or a percentage").join(", ") + ", or auto");
        return defaults.map((value, i) => values?.[i] ?? value);
    }

    // Sets the goal of the camera from the attributes, unless the user has moved the camera.
    #update_goal() {
        if (!this.#handle || this.#has_user_camera)
            return;
        const [theta, phi, radius] = this.#camera_values("camera-orbit", "aad"), [fov] = this.#camera_values("field-of-view", "a");
        const {min, max} = this.getBounds(), target = this.#camera_values("camera-target", "ddd");
        const [x, y, z] = ["x", "y", "z"].map((axis, i) => target[i]?.[0] ?? (min[axis] + max[axis]) / 2);
        this.#goal = {theta, phi, radius: radius[0], is_percentage: radius[1], x, y, z, fov: clamp(fov, ...this.#fov_limits())};
        this.#limit_goal();
        this.#invalidate();
    }

    #default_fov() { return clamp(this.#camera_values("field-of-view", "a")[0], 1, 170); }

    // Returns the limits of the field of view. "auto" is the attribute field-of-view.
    #fov_limits() {
        const [min, max] = ["min", "max"].map((bound) => this.#camera_values(bound + "-field-of-view", "a")[0]), default_fov = this.#default_fov();
        return [clamp(min ?? default_fov, 1, 170), clamp(max ?? default_fov, 1, 170)];
    }

    // Returns the distance at which the cylinder around the bounding box fills the canvas with the default field of view. A cylinder
    // has the same width from all sides.
    #fit_distance({phi}) {
        const {width, height} = this.#canvas, {x, y, z} = this.getDimensions(), r = Math.hypot(x, y) / 2 || 1e-3;
        const half = Math.tan(this.#default_fov() * degree / 2), level = Math.sin(phi * degree), steep = Math.cos(phi * degree);
        return Math.max(...Array.from({length: 32}, (_, i) => {
            const ahead = r * Math.cos(i * Math.PI / 8), up = i < 16 ? z / 2 : -z / 2;
            return level * ahead + steep * up + Math.max(Math.abs(level * up - steep * ahead),
                Math.abs(r * Math.sin(i * Math.PI / 8)) * height / width || 0) / half;
        }));
    }

    #limit_goal() {
        const [min, max] = ["min", "max"].map((bound) => this.#camera_values(bound + "-camera-orbit", "aad")), goal = this.#goal;
        goal.theta = clamp(goal.theta, min[0] ?? -Infinity, max[0] ?? Infinity);
        goal.phi = clamp(goal.phi, Math.max(min[1], 0.5), Math.min(max[1], 179.5));
        const fit = this.#fit_distance(goal) / 100, units = (distance) => distance[0] * (distance[1] ? fit : 1);
        goal.radius = clamp(goal.radius, ...[min[2], max[2]].map((distance) => units(distance) / (goal.is_percentage ? fit : 1)));
    }

    // Multiplies the distance of the camera by a factor. At the limits of the distance, the field of view changes within its own
    // limits. Returns true if one of them changed.
    #zoom(factor) {
        const goal = this.#goal, {radius, fov} = goal, default_tangent = Math.tan(this.#default_fov() * degree / 2);
        const distance = radius * factor * Math.tan(fov * degree / 2) / default_tangent; // distance with the default field of view
        goal.radius = distance;
        this.#limit_goal();
        goal.fov = clamp(2 * Math.atan(default_tangent * distance / goal.radius) / degree, ...this.#fov_limits());
        return goal.radius !== radius || goal.fov !== fov;
    }

    // Moves the camera for the user: degrees, a factor of the distance, and fractions of the canvas's height. Returns true if the
    // factor had an effect.
    #move_camera(theta, phi, nearer = 1, right = 0, up = 0) {
        const goal = this.#goal, step = 2 * Math.tan(goal.fov * degree / 2) * (this.#camera?.radius ?? 0), angle = goal.theta * degree;
        this.#has_user_camera ||= nearer !== 1 || right !== 0 || up !== 0;
        this.#last_input = performance.now();
        this.#update_prompt();
        this.#camera_source = "user-interaction";
        numbers(this.#handle)[member.follows] = 0; // the camera leaves its path
        goal.theta += theta;
        goal.phi += phi;
        goal.x += step * right * Math.sin(angle);
        goal.y -= step * right * Math.cos(angle);
        goal.z -= step * up;
        this.#invalidate();
        this.#limit_goal();
        return nearer !== 1 && this.#zoom(nearer);
    }

    // Moves the camera towards its goal. Returns true if it has moved.
    #advance_camera(milliseconds) {
        const goal = {...this.#goal}, previous = this.#camera, decay = prefers_reduced_motion() ? 0 : this.interpolationDecay;
        const weight = decay > 0 ? 1 - Math.exp(-milliseconds / decay) : 1;
        goal.radius *= goal.is_percentage ? this.#fit_distance(goal) / 100 : 1;
        const is_moving = previous && Object.keys(goal).some((key) => Math.abs(previous[key] - goal[key]) > 1e-4 * Math.max(1, Math.abs(goal[key])));
        this.#camera = goal;
        if (is_moving)
            for (const key of Object.keys(goal))
                goal[key] = previous[key] + (goal[key] - previous[key]) * weight;
        return is_moving;
    }

    // Handles a key. Returns false if the key has no effect.
    #handle_key(event) {
        if (event.ctrlKey || event.altKey || event.metaKey)
            return false;
        const effect = keys[event.key], zooms = effect?.length > 2;
        if (effect && !zooms && !event.shiftKey)
            this.#announce_view();
        if (effect && !zooms && event.shiftKey && !this.disablePan)
            this.#move_camera(0, 0, 1, -effect[0] / 200, effect[1] / 200);
        else if (effect && !(zooms && this.disableZoom))
            this.#move_camera(...effect);
        else if (event.key === "Home")
            this.updateFraming();
        else if (event.key === " " && this.#can_play())
            this[this.#is_playing ? "pause" : "play"]();
        else
            return false;
        return true;
    }

    // A finger that could scroll the page does not turn the camera before its direction is known. Two fingers never scroll.
    #handle_pointer_down(event) {
        const {pointerId, pointerType, clientX: x, clientY: y} = event;
        const is_decided = pointerType !== "touch" || this.touchAction === "none" || this.#pointers.size > 0;
        this.#pointers.set(pointerId, {x, y, is_decided});
        if (is_decided)
            this.#pointers.forEach((finger) => finger.is_decided = true);
        if (event.isTrusted) // pointers of scripts cannot be captured
            this.#canvas.setPointerCapture(pointerId);
    }

    // Decides after a finger has moved a few pixels. If the page scrolls in this direction, the finger is ignored from now on;
    // otherwise it turns the camera, also by these pixels.
    #decide_direction(event, finger) {
        const right = Math.abs(event.clientX - finger.x), down = Math.abs(event.clientY - finger.y);
        if (Math.max(right, down) < 8)
            return;
        const scrolls = this.touchAction === "pan-y" ? down > right : right > down;
        if (scrolls)
            this.#pointers.delete(event.pointerId);
        else
            finger.is_decided = true;
    }

    // Handles the movement of a pointer. One pointer rotates the camera. Two pointers, or one with the right button or Shift,
    // move the camera.
    #handle_pointer_move(event) {
        const pointer = this.#pointers.get(event.pointerId), pointers = [...this.#pointers.values()];
        if (event.buttons === 0) // the button was released outside of the window, which sends no event
            this.#pointers.delete(event.pointerId);
        if (!pointer || event.buttons === 0)
            return;
        if (!pointer.is_decided)
            this.#decide_direction(event, pointer);
        if (!pointer.is_decided)
            return;
        const spread = () => pointers.length < 2 ? 1 : Math.max(Math.hypot(pointers[0].x - pointers[1].x, pointers[0].y - pointers[1].y), 1);
        const [x, y, old_spread] = [event.clientX - pointer.x, event.clientY - pointer.y, spread()];
        [pointer.x, pointer.y] = [event.clientX, event.clientY];
        const height = this.clientHeight || 1, pans = pointers.length > 1 || event.buttons & 2 || event.shiftKey;
        if (pans)
            this.#move_camera(0, 0, this.disableZoom ? 1 : old_spread / spread(),
                ...this.disablePan ? [] : [-x / height / pointers.length, -y / height / pointers.length]);
        else
            this.#move_camera(-180 * x / height, -180 * y / height);
    }

    #handle_wheel(event) {
        if (this.disableZoom || !(event.ctrlKey || this.shadowRoot.activeElement === this.#canvas))
            return;
        const pixels = event.deltaY * (event.deltaMode ? 16 : 1);
        if (this.#move_camera(0, 0, Math.exp(clamp(pixels, -100, 100) / 400)))
            event.preventDefault();
    }

    #listen() {
        const canvas = this.#canvas, listen = (kind, listener, options) => canvas.addEventListener(kind, (event) =>
            this.cameraControls && this.#handle && listener(event), options);
        listen("pointerdown", (event) => this.#handle_pointer_down(event));
        listen("pointermove", (event) => this.#handle_pointer_move(event));
        for (const kind of ["pointerup", "pointercancel"])
            canvas.addEventListener(kind, (event) => this.#pointers.delete(event.pointerId));
        listen("dblclick", () => this.updateFraming());
        listen("contextmenu", (event) => !this.disablePan && event.preventDefault());
        listen("wheel", (event) => this.#handle_wheel(event), {passive: false});
        listen("keydown", (event) => this.#handle_key(event) && event.preventDefault());
        this.#poster.addEventListener("click", () => this.reveal === "manual" && this.dismissPoster());
        this.#poster.addEventListener("keydown", (event) => {
            if (this.reveal !== "manual" || (event.key !== "Enter" && event.key !== " "))
                return;
            event.preventDefault(); // Space would scroll the page
            this.dismissPoster();
        });
    }

    // -- Hotspots -------------------------------------------------------------------------------

    #hotspot_observer = new MutationObserver(() => this.#update_hotspots());

    // Creates a box for each child with slot="hotspot-NAME". The box follows the joint that `data-joint` names.
    #update_hotspots() {
        const children = [...this.children].filter((child) => child.slot.startsWith("hotspot-"));
        for (const [child, {box}] of this.#hotspots)
            if (!children.includes(child)) {
                box.remove();
                this.#hotspots.delete(child);
            }
        for (const child of children) {
            const hotspot = this.#hotspots.get(child) ?? {box: document.createElement("div")};
            const slot = hotspot.box.firstChild ?? document.createElement("slot");
            slot.name = child.slot;
            hotspot.box.className = "hotspot";
            hotspot.box.hidden = true;
            hotspot.box.append(slot);
            this.#overlay.append(hotspot.box);
            this.#hotspots.set(child, Object.assign(hotspot, {name: child.dataset.joint ?? "", joint: null}));
        }
        this.#invalidate();
    }

    // Moves the boxes to their joints after a frame. A joint behind the camera hides its box.
    #place_hotspots() {
        for (const hotspot of this.#hotspots.values()) {
            if (hotspot.joint === null) {
                hotspot.joint = call("web_find_joint", this.#handle, hotspot.name);
                if (hotspot.joint < 0)
                    warn("unknown joint \"" + hotspot.name + "\" in data-joint; run md5tool info to list the joints of the model");
            }
            const is_shown = hotspot.joint >= 0 && call("web_project_joint", this.#handle, hotspot.joint) !== 0;
            const [right, down] = numbers(this.#handle).slice(member.spot, member.spot + 2);
            hotspot.box.hidden = !is_shown;
            hotspot.box.style.transform = "translate(" + right * this.clientWidth + "px," + down * this.clientHeight + "px)";
        }
    }

    // -- Drawing --------------------------------------------------------------------------------

    #size_observer = new ResizeObserver(([entry]) => {
        const {inlineSize, blockSize} = entry.contentBoxSize[0];
        const size = [inlineSize, blockSize].map((side) => Math.min(Math.round(side * Math.min(devicePixelRatio, 2)), 2048));
        if (this.#canvas.width === size[0] && this.#canvas.height === size[1])
            return;
        [this.#canvas.width, this.#canvas.height] = size;
        this.#invalidate();
        if (this.#is_loaded)
            this.#draw(performance.now()); // without delay, because a new size clears the canvas
    });

    #set_visibility(name, is_intersecting) {
        this.#visibility[name] = is_intersecting;
        this.#report_visibility();
        if (name === "near" && is_intersecting && !this.#opening && !this.#error)
            this.#show(false);
        clearTimeout(this.#timers.hide);
        if (!this.#visibility.in_range)
            this.#timers.hide = setTimeout(() => [...this.#asset?.users ?? []].every((client) => client.is_far()) && this.#asset?.hide(), 10000);
        this.#last_frame = 0;
        draw_soon(this.#client);
    }

    #invalidate() {
        this.#is_dirty = true;
        draw_soon(this.#client);
    }

    // Writes the camera and the light to the members of the web_element from `eye` to `has_ground`.
    #write_camera() {
        const {theta, phi, radius, x, y, z, fov} = this.#camera, {x: w, y: d, z: h} = this.getDimensions();
        const level = radius * Math.sin(phi * degree), size = Math.hypot(w, d, h) / 2 || 1e-3;
        const eye = [x + level * Math.cos(theta * degree), y + level * Math.sin(theta * degree), z + radius * Math.cos(phi * degree)];
        numbers(this.#handle).set([...eye, x, y, z, fov, 0.02 * size, radius + 100 * size, clamp(this.exposure, 0.01, 100),
            clamp(this.shadowSoftness, 0, 1), this.shadowIntensity > 0]);
    }

    // Draws if something has changed and the element is visible. Requests another frame while something moves.
    #draw(time) {
        const rotates = this.autoRotate && !prefers_reduced_motion(), is_visible = this.#visibility.visible || (this.loading === "eager" && !this.#is_loaded);
        const has_size = this.#canvas.width * this.#canvas.height !== 0;
        if (!this.#handle || !is_visible || !has_size || !(this.#is_dirty || this.#is_playing || rotates))
            return;
        const elapsed = this.#last_frame > 0 ? Math.min(time - this.#last_frame, 1000) : 0;
        [this.#last_frame, this.#is_dirty] = [time, false];
        try {
            if (this.#is_playing)
                advance(this.#handle, elapsed / 1000 * this.#rate * this.#playback.direction, (...event) => this.#handle_event(...event));
            if (rotates && performance.now() - this.#last_input > this.autoRotateDelay)
                this.#goal.theta += this.#camera_values("rotation-per-second", "a")[0] * elapsed / 1000;
            const moved = this.#advance_camera(elapsed);
            this.#write_camera();
            if (draw_to(this.#context, this.#handle, this.#asset)) {
                this.#place_hotspots();
                if (!this.#is_loaded)
                    this.#finish_loading();
            }
            this.#is_dirty ||= moved;
            if (this.#is_dirty || this.#is_playing || rotates)
                draw_soon(this.#client);
            else
                this.#last_frame = 0;
            if (moved)
                this.#dispatch("camera-change", {source: this.#camera_source});
            else
                this.#camera_source = "none";
        } catch (error) {
            this.#report_failure(error, true);
        }
    }

    // Reports that the first frame is drawn, then loads the textures.
    async #finish_loading() {
        const asset = this.#asset;
        this.#is_loaded = true;
        this.#set_phase(this.#error ? "failed" : "loaded");
        if (!this.#error)
            delete this.dataset.code;
        this.#update_label();
        this.#update_prompt();
        this.#advance_bar(0.9, "textures");
        this.#dispatch("load", {url: asset.src, missing: asset.missing});
        if (this.reveal === "auto" || this.#is_dismissed)
            this.#hide_poster();
        try {
            await asset.dress();
        } catch (error) {
            if (asset === this.#asset)
                this.#report_failure(error, false);
            return;
        }
        if (asset !== this.#asset)
            return;
        this.#advance_bar(1, "textures");
        const untextured = asset.report.filter((entry) => entry.missing).map((entry) => "\"" + entry.shader + "\"");
        if (untextured.length > 0)
            warn(base_name(asset.src) + ": no image for " + untextured.join(", ") + "; use textures=\"" + untextured[0].slice(1, -1).replaceAll(" ", "%20") + "=URL ...\"");
        this.#is_dressed = true;
        this.#dispatch("dressed", {url: asset.src, missing: asset.missing});
        if (!this.#is_stale && !this.#error) // otherwise the promise belongs to the next model or clip
            this.#settle_promise();
    }

    // Handles an event of the program. Listeners of the page run later, so that they cannot interrupt the program.
    #handle_event(kind, name, text) {
        if (kind === "event")
            queueMicrotask(() => this.#dispatch("machine-event", {name, text}));
        else if (Number(name) + 1 === this.#clip?.state)
            queueMicrotask(() => this.#end_cycle());
    }

    #end_cycle() {
        const playback = this.#playback;
        playback.count++;
        if (playback.pingpong)
            playback.direction = -playback.direction;
        if (playback.count < playback.repetitions)
            return this.#dispatch("loop", {count: playback.count, name: this.#clip_name});
        this.pause();
        this.#change_clip(0, this.#rate * playback.direction > 0 !== playback.pingpong ? 1 - 1e-6 : 0);
        this.#dispatch("finished", {name: this.#clip_name});
    }
}

for (const [name, [kind, default_value]] of Object.entries(attributes))
    Object.defineProperty(Md5ModelElement.prototype, property_name(name), {
        configurable: true,
        enumerable: true,
        get() {
            const text = this.getAttribute(name);
            if (kind === "boolean")
                return text !== null;
            if (text === null || kind === "text")
                return text ?? default_value;
            const value = kind === "number" ? Number(text) : text;
            if (kind === "number" ? text.trim() !== "" && Number.isFinite(value) : kind.split(" ").includes(text))
                return value;
            warn("invalid " + name + "=\"" + text + "\": expected " + (kind === "number" ? "a number" : "one of " + kind));
            return default_value;
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
