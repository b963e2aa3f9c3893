// The element <md5-model>: a model on any page, with files.js before it in one script, md5-model.js. README.md describes its
// attributes, methods and events. Each element has a program of its own, element.c, of code that is compiled once.
"use strict";

{
    const home = new URL(".", document.currentScript.src).href;
    let code, decoder; // for all elements

    async function load_code() {
        const program = home + "md5element-" + md5files.kind();
        const fetched = WebAssembly.compileStreaming(fetch(program + ".wasm"));
        await md5files.run(program + ".js");
        return fetched;
    }

    // A picture as a file of plain pixels, which the program reads: browsers have decoders for PNG and JPEG. The way through a
    // texture keeps the colours of transparent pixels, which a 2D canvas does not.
    async function plain_picture(bytes) {
        const is_packed = (bytes[0] === 0x89 && bytes[1] === 0x50) || (bytes[0] === 0xff && bytes[1] === 0xd8);
        if (!is_packed)
            return bytes; // TGA, DDS
        const bitmap = await createImageBitmap(new Blob([bytes]), {premultiplyAlpha: "none", colorSpaceConversion: "none"});
        const {width, height} = bitmap;
        if (width * height > 2 ** 26)
            throw new Error("a picture of " + width + " x " + height);
        decoder ??= document.createElement("canvas").getContext("webgl2");
        const gl = decoder, texture = gl.createTexture(), framebuffer = gl.createFramebuffer();
        const file = new Uint8Array(128 + 4 * width * height), header = new DataView(file.buffer);
        gl.bindTexture(gl.TEXTURE_2D, texture);
        gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
        gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
        gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, file.subarray(128));
        gl.deleteFramebuffer(framebuffer);
        gl.deleteTexture(texture);
        bitmap.close();
        // DDS: "DDS ", sizes, flags, then 32 bits a pixel with these masks.
        for (const [word, value] of [[0, 0x20534444], [1, 124], [2, 0x1007], [3, height], [4, width], [19, 32], [20, 0x41], [22, 32],
            [23, 0xff], [24, 0xff00], [25, 0xff0000], [26, 0xff000000], [27, 0x1000]])
            header.setUint32(4 * word, value, true);
        return file;
    }

    customElements.define("md5-model", class extends HTMLElement {
        static observedAttributes = ["src", "machine", "clip", "textures", "camera", "set", "background", "paused"];

        #canvas = document.createElement("canvas");
        #told = document.createElement("p");
        #program; // the promise of it
        #module; // when it is there
        #it = 0; // what it shows, in its memory; 0: nothing
        #files = new Map(); // bytes by URL, of this model
        #opening = 0; // counts: a newer one makes those before void
        #frame = 0;
        #before = 0; // when it was drawn last, if it plays
        #is_seen = false;
        #orbit = [25, 12, 2.4];
        #gl;

        constructor() {
            super();
            const root = this.attachShadow({mode: "open"}), style = document.createElement("style");
            style.textContent = ":host { display: block; position: relative; width: 320px; height: 320px; }"
                + ":host([hidden]) { display: none; } canvas { display: block; width: 100%; height: 100%; touch-action: pan-y; }"
                + "p { position: absolute; inset: 0 0 auto; margin: 0; }";
            this.#told.setAttribute("role", "alert");
            this.#canvas.tabIndex = 0;
            this.#canvas.setAttribute("role", "img");
            root.append(style, this.#canvas, this.#told);
            this.#canvas.addEventListener("pointermove", (event) =>
                event.buttons & 1 && this.#turn(-event.movementX / 2, event.movementY / 2));
            this.#canvas.addEventListener("pointerdown", (event) => this.#canvas.setPointerCapture(event.pointerId));
            this.#canvas.addEventListener("keydown", (event) => {
                const step = {ArrowLeft: [10, 0], ArrowRight: [-10, 0], ArrowUp: [0, 10], ArrowDown: [0, -10],
                    "+": [0, 0, 0.9], "-": [0, 0, 1.1]}[event.key];
                if (step) {
                    event.preventDefault();
                    this.#turn(...step);
                }
            });
            this.#canvas.addEventListener("webglcontextlost", (event) => {
                event.preventDefault(); // or it is not restored
                if (this.#it)
                    this.#run("web_hide", null);
            });
            this.#canvas.addEventListener("webglcontextrestored", () => this.#restore());
            new IntersectionObserver(([entry]) => {
                this.#is_seen = entry.isIntersecting;
                this.#draw_soon();
            }).observe(this);
            new ResizeObserver(() => this.#draw_soon()).observe(this);
        }

        connectedCallback() {
            if (matchMedia("(prefers-reduced-motion: reduce)").matches)
                this.pause();
            this.#open();
        }

        disconnectedCallback() {
            this.#opening++;
            this.#close();
            this.#files.clear();
        }

        attributeChangedCallback(name, before, now) {
            if (before === now || !this.isConnected)
                return;
            if (name === "src" || name === "machine")
                this.#files.clear();
            if (name === "set") {
                this.#set_all();
            } else if (name === "paused" || name === "background" || (name === "camera" && !/\.md5camera/.test(before + now))) {
                this.#read();
                this.#draw_soon();
            } else {
                this.#open();
            }
        }

        // -- For pages --------------------------------------------------------------------------

        play() { this.removeAttribute("paused"); }
        pause() { this.setAttribute("paused", ""); }
        get time() { return this.#it ? this.#run("web_time", "number") : 0; }
        // Sets a parameter of the machine, or a trigger; returns whether there is one.
        set(name, value = 1) { return this.#it !== 0 && this.#run("web_set", "boolean", name, value); }

        // -- Loading ----------------------------------------------------------------------------

        #run(name, returns, ...values) {
            const kinds = values.map((value) => typeof value);
            return this.#module.ccall(name, returns, ["number", ...kinds], [this.#it, ...values]);
        }

        // What can fail, and then has told why.
        #do(name, ...values) {
            if (!this.#run(name, "boolean", ...values))
                throw new Error(this.#problem);
        }

        #url(name) {
            const value = this.getAttribute(name);
            return value ? new URL(value, document.baseURI).href : "";
        }

        async #fetch(url) {
            if (!this.#files.has(url))
                this.#files.set(url, await md5files.fetch(url));
            return this.#files.get(url);
        }

        async #start() {
            const module = await (code ??= load_code());
            return md5element({
                files: this.#files,
                tell: (kind, text, more) => this.#hear(kind, text, more),
                instantiateWasm: (imports, done) => {
                    WebAssembly.instantiate(module, imports).then(done);
                    return {};
                },
            });
        }

        // Another model, clip, machine or camera path, when all of its attributes are set.
        async #open() {
            const turn = ++this.#opening;
            await null;
            if (turn !== this.#opening)
                return;
            try {
                const model = this.#url("src"), machine = this.#url("machine"), clip = this.#url("clip");
                const camera = this.getAttribute("camera")?.endsWith(".md5camera") ? this.#url("camera") : "";
                this.#program ??= this.#start();
                await Promise.all([model, machine, clip, camera].filter((url) => url).map((url) => this.#fetch(url)));
                if (machine)
                    await Promise.allSettled(md5files.named(this.#files.get(machine)).map(
                        (name) => this.#fetch(md5files.folder(machine) + name)));
                const program = await this.#program;
                if (turn !== this.#opening || !(model || machine))
                    return;
                if (!this.#module) {
                    this.#module = program;
                    this.#use_canvas();
                }
                this.#it = program._web_begin(this.#it);
                this.#do("web_load", model, clip, machine, camera);
                this.#do("web_show");
                this.#told.textContent = "";
                this.#read();
                this.#set_all();
                const missing = (await Promise.all([this.#dress(turn, model || machine), this.#bend(turn, machine)])).flat();
                if (turn === this.#opening)
                    this.dispatchEvent(new CustomEvent("load", {detail: {missing}}));
            } catch (error) {
                if (turn === this.#opening)
                    this.#fail(error);
            }
        }

        // The pictures come after the first picture of the model. Returns the shaders that have none.
        async #dress(turn, path) {
            const shaders = new Set();
            for (let mesh = 0, text; (text = this.#run("web_shader", "string", mesh)) !== ""; mesh++)
                shaders.add(text);
            const missing = await md5files.pictures([...shaders], path, this.getAttribute("textures")?.split(/\s+/).filter(Boolean),
                async (url, bytes) => this.#files.set(url, await plain_picture(bytes)));
            if (turn === this.#opening)
                this.#do("web_look", path);
            this.#draw_soon();
            return missing;
        }

        // So do the morph targets of the machine, one after the other. Returns the names of those that have no file.
        async #bend(turn, machine) {
            const model = machine && md5files.named(this.#files.get(machine)).find((name) => name.endsWith(".md5mesh"));
            const folder = md5files.folder(md5files.folder(machine) + model) + "morphs/", missing = [];
            let target = 0;
            for (let name; turn === this.#opening && (name = this.#run("web_target", "string", target)) !== ""; target++) {
                const url = folder + name + ".md5mesh";
                await this.#fetch(url).catch(() => missing.push(name));
                if (turn === this.#opening)
                    this.#do("web_load_target", target, url);
                this.#files.delete(url);
            }
            if (turn === this.#opening && target > 0)
                this.#do("web_bend");
            this.#draw_soon();
            return missing;
        }

        // The program draws into the canvas: from now on, and again when its context was lost.
        #use_canvas() {
            const GL = this.#module.GL;
            this.#gl ??= this.#canvas.getContext("webgl2", {antialias: true, alpha: true});
            if (!this.#gl)
                throw new Error("this browser has no WebGL 2, or it is switched off");
            GL.makeContextCurrent(GL.registerContext(this.#gl, {majorVersion: 2}));
        }

        #restore() {
            if (!this.#it)
                return;
            try {
                this.#use_canvas();
                this.#do("web_show");
                this.#do("web_look", this.#url("src") || this.#url("machine"));
                this.#draw_soon();
            } catch (error) {
                this.#fail(error);
            }
        }

        #close() {
            cancelAnimationFrame(this.#frame);
            this.#frame = 0;
            if (this.#it)
                this.#run("web_end", null);
            this.#it = 0;
        }

        // -- What it says -----------------------------------------------------------------------

        #problem = "";

        #hear(kind, text, more) {
            if (kind === "error")
                this.#problem = text;
            else // after the step, which a listener may not interrupt
                queueMicrotask(() => this.dispatchEvent(new CustomEvent(kind === "end" ? "clipend" : "machineevent",
                    {detail: {name: text, text: more}})));
        }

        #fail(error) {
            this.#opening++; // what is still fetched comes too late
            this.#close();
            this.#told.textContent = error.message;
            this.dispatchEvent(new CustomEvent("error", {detail: {message: error.message}}));
        }

        // -- Pictures ---------------------------------------------------------------------------

        #read() {
            const numbers = (this.getAttribute("camera") ?? "").split(/[\s,]+/).map(Number);
            if (numbers.length >= 2 && numbers.every(Number.isFinite))
                this.#orbit = [numbers[0], numbers[1], numbers[2] ?? this.#orbit[2]];
            this.#canvas.style.background = this.getAttribute("background") ?? "";
            this.#canvas.setAttribute("aria-label", this.getAttribute("aria-label") ?? "a model");
        }

        #set_all() {
            for (const [, name, value] of (this.getAttribute("set") ?? "").matchAll(/(\S+)=(\S+)/g))
                this.set(name, Number(value));
            this.#draw_soon();
        }

        #turn(azimuth, elevation, nearer = 1) {
            const [before, height, distance] = this.#orbit;
            this.#orbit = [before + azimuth, Math.min(Math.max(height + elevation, -85), 85),
                Math.min(Math.max(distance * nearer, 1.2), 20)];
            this.#draw_soon();
        }

        #draw_soon() {
            if (this.#it && this.#is_seen && this.#frame === 0)
                this.#frame = requestAnimationFrame((now) => this.#draw(now));
        }

        #draw(now) {
            const passed = this.#before > 0 ? (now - this.#before) / 1000 : 0;
            this.#frame = this.#before = 0;
            if (!this.#it || !this.#is_seen || this.#gl.isContextLost())
                return;
            if (!this.hasAttribute("paused")) {
                this.#run("web_advance", null, Math.min(passed, 1)); // of a tab that was hidden
                this.#before = now;
                this.#draw_soon();
            }
            const [width, height] = [this.clientWidth, this.clientHeight].map((side) => Math.max(1, Math.round(side * devicePixelRatio)));
            if (this.#canvas.width !== width || this.#canvas.height !== height)
                [this.#canvas.width, this.#canvas.height] = [width, height];
            try {
                this.#do("web_draw", width, height, ...this.#orbit);
            } catch (error) {
                if (!this.#gl.isContextLost())
                    this.#fail(error);
            }
        }
    });
}
