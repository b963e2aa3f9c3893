// Opens pages of build/web in headless Chromium or in Firefox, controls the browser with puppeteer, and reports failures.
//
//     node browser.mjs FOLDER TASK...
//
// Serves the folder on this machine only, opens one browser, and runs the tasks. The browser is Firefox if the environment contains
// BROWSER=firefox. Firefox needs a display, such as from xvfb-run: headless Firefox has no WebGL without a GPU. The npm packages
// puppeteer-core and pngjs must be in a folder node_modules next to this file or above it: test/long/web.sh copies this file to
// a temporary folder with these packages. The tasks are:
//   open PAGE            opens FOLDER/PAGE, and waits for its data-state; for pages without models, for the page
//   begin PAGE           the same, but waits only for the page, not for the program
//   before SCRIPT        runs the script in the next pages, before their own scripts
//   started              waits for the program like `open`
//   asks COUNT SCRIPT    checks that a condition holds after at most COUNT requests
//   fails PAGE WORDS     opens a page that must end with these words for the user
//   size WIDTH HEIGHT    sets the size of the window
//   phone WIDTH HEIGHT   the same, with two pixels per point and touch input
//   save FILE            saves a screenshot of the page
//   take NAME FILE       saves a file that the program has written
//   same FILE FILE LIMIT at most this fraction of the pixels differs by more than 2 levels; 10000 colors
//   forgive              ignores the console so far: the browser itself reports missing files
//   is SCRIPT            waits until a condition in JavaScript holds
//   mark FILE            appends a line: milliseconds from the start of the page to its mark "picture"
//   audit FILE           runs axe-core, whose script is the file, in a light wide window and in a dark narrow window
//   run SCRIPT           runs a shell script on this machine
//   stop                 stops the server: the network is unavailable afterwards
//   click X Y            clicks with the left button
//   key NAMES            presses and releases keys, such as "Control+p" or "Escape Escape", without waiting for the page between them
//   type TEXT            types into the focused element
//   keys TEXT            presses and releases the keys of a text's characters, for the viewer's canvas
//   drag X Y X Y         drags with the left button, in ten steps
//   wheel X Y STEPS      rotates the wheel towards the user
//   tap X Y SECONDS      a finger touches for this time
//   push X Y X Y         a finger moves to the second position and stays down
//   swipe X Y X Y        a finger moves in ten steps and is lifted
//   pinch X Y FROM TO    two fingers move from one distance in pixels to another
//   drop FILE...         drops files or folders on the middle of a window of the default size
// Exits with status 1 and a message if a task fails, or if a page has written to the console.
import {execFileSync} from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import {setTimeout as sleep} from "node:timers/promises";
import pngjs from "pngjs";
import puppeteer from "puppeteer-core";

const timeout_seconds = 300; // for a page in software GL on a busy machine
const min_long_press = 500; // milliseconds; the viewer takes shorter touches for taps
const default_width = 800, default_height = 450; // size of the window
const protocolTimeout = 3600000; // milliseconds for one script: some checks show a thousand models
const is_firefox = process.env.BROWSER === "firefox";
const programs = is_firefox ? ["firefox-esr", "firefox"] : ["chromium", "chromium-browser"];
const chromium_flags = ["--no-sandbox", "--disable-gpu-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars"];
const firefox_preferences = {"webgl.force-enabled": true};
const firefox_phone_preferences = {"dom.w3c_touch_events.enabled": 1, "ui.primaryPointerCapabilities": 1, "ui.allPointerCapabilities": 1};
const content_types = {html: "text/html", js: "text/javascript", mjs: "text/javascript", css: "text/css", json: "application/json",
    wasm: "application/wasm", png: "image/png", jpg: "image/jpeg", svg: "image/svg+xml"};
// The driver's message when a page reads pixels back, as --output must.
const ignored_message = "GPU stall due to ReadPixels";
// The state that a page reports; pages without models are ready when they are loaded.
const page_state = `document.documentElement && location.protocol !== "about:" && (document.documentElement.dataset.state ||
    (document.readyState === "complete" && !document.querySelector("canvas, md5-model") ? "started" : ""))`;

class Failure extends Error {}

function fail(text) {
    throw new Failure(text);
}

// Serves a folder on this machine only, and records the requests.
class Server {
    requests = [];

    constructor(folder) {
        this.folder = path.resolve(folder);
        this.http = http.createServer((request, response) => this.answer(request, response));
    }

    async start() {
        await new Promise((resolve) => this.http.listen(0, "127.0.0.1", resolve));
        return `http://127.0.0.1:${this.http.address().port}/`;
    }

    stop() {
        this.http.close();
        this.http.closeAllConnections();
    }

    answer(request, response) {
        this.requests.push(`${request.method} ${request.url}`);
        const name = decodeURIComponent(new URL(request.url, "http://host").pathname);
        const file = path.join(this.folder, name.replace(/\/$/, "/index.html"));
        if (!file.startsWith(this.folder) || !fs.statSync(file, {throwIfNoEntry: false})?.isFile())
            return response.writeHead(404, {"Content-Type": "text/plain"}).end("not found");
        response.writeHead(200, {"Content-Type": content_types[path.extname(file).slice(1)] ?? "application/octet-stream",
            "Content-Length": fs.statSync(file).size, "Last-Modified": fs.statSync(file).mtime.toUTCString()});
        return request.method === "HEAD" ? response.end() : fs.createReadStream(file).pipe(response);
    }
}

// Returns the path of the first program that is installed.
function find_program(names) {
    const folders = process.env.PATH.split(path.delimiter);
    const found = names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => fs.existsSync(file));
    return found ?? fail(`${names.join(" or ")} is not installed`);
}

function launch(is_phone) {
    const executablePath = find_program(programs);
    if (is_firefox)
        return puppeteer.launch({browser: "firefox", executablePath, headless: false, protocolTimeout,
            extraPrefsFirefox: {...firefox_preferences, ...is_phone ? firefox_phone_preferences : {}}});
    return puppeteer.launch({executablePath, pipe: true, protocolTimeout, args: chromium_flags});
}

// Returns the pixels of an image, each as a number.
function read_pixels(file) {
    const {width, height, data} = pngjs.PNG.sync.read(fs.readFileSync(file));
    return {width, height, pixels: Array.from({length: width * height}, (_, i) => data.readUIntBE(4 * i, 3))};
}

// Returns whether a component of two pixels differs by more than 2 levels.
const is_different = (a, b) => [16, 8, 0].some((shift) => Math.abs((a >> shift & 255) - (b >> shift & 255)) > 2);

// Describes a file or folder for drop_in_page().
function describe_file(file) {
    const name = path.basename(file);
    if (fs.statSync(file).isDirectory())
        return {name, children: fs.readdirSync(file).map((child) => describe_file(path.join(file, child)))};
    return {name, base64: fs.readFileSync(file, "base64")};
}

// Runs in the page: sends the events of dropped files. Scripts cannot make a DataTransfer that contains folders, so if there is one,
// this function itself makes the entries that the page reads.
function drop_in_page(nodes, x, y) {
    const make_file = ({name, base64}) => new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name);
    function make_entry(node, folder) {
        const fullPath = folder + "/" + node.name, entry = {name: node.name, fullPath, isFile: !node.children, isDirectory: !!node.children};
        if (entry.isFile)
            return {...entry, file: (done) => done(make_file(node))};
        const children = node.children.map((child) => make_entry(child, fullPath));
        return {...entry, createReader: () => ({readEntries: (done) => done(children.splice(0))})};
    }
    const transfer = new DataTransfer(), target = document.elementFromPoint(x, y);
    if (nodes.some((node) => node.children))
        Object.defineProperty(transfer, "items", {value: nodes.map((node) => ({kind: "file", webkitGetAsEntry: () => make_entry(node, "")}))});
    else
        nodes.forEach((node) => transfer.items.add(make_file(node)));
    for (const kind of ["dragenter", "dragover", "drop"])
        target.dispatchEvent(new DragEvent(kind, {bubbles: true, cancelable: true, clientX: x, clientY: y, dataTransfer: transfer}));
}

// Runs in the page: sends the events of a finger that touches a point. A short tap has no pause, because a timer of a busy page is
// late, and the tap would become a long press.
async function touch_in_page(x, y, milliseconds, min_pause) {
    const target = document.elementFromPoint(x, y), touch = new Touch({identifier: 1, target, clientX: x, clientY: y});
    const send = (kind, touches) => target.dispatchEvent(new TouchEvent(kind, {bubbles: true, cancelable: true, touches,
        targetTouches: touches, changedTouches: [touch]}));
    send("touchstart", [touch]);
    if (milliseconds >= min_pause)
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
    send("touchend", []);
}

// One page of a browser. Each method of the class Tasks is a task.
class Page {
    console_messages = [];

    constructor(folder) {
        this.server = new Server(folder);
    }

    async start(is_phone) {
        this.site = await this.server.start();
        this.browser = await launch(is_phone);
        [this.page] = await this.browser.pages();
        await this.page.setViewport({width: default_width, height: default_height});
        this.page.on("console", (message) => this.note_message(`${message.text()} ${message.location().url ?? ""}`));
        this.page.on("pageerror", (error) => this.note_message(error.stack ?? String(error)));
    }

    async close() {
        this.server.stop();
        await this.browser?.close();
    }

    note_message(text) {
        if (!text.includes(ignored_message))
            this.console_messages.push(text);
    }

    async value(script) {
        try {
            return await this.page.evaluate(script);
        } catch (error) {
            return fail(`${script}: ${error.message}`);
        }
    }

    // Waits until a condition holds. The page may be left while the script runs, for example because the script has clicked a link.
    async wait(script) {
        const end = performance.now() + 1000 * timeout_seconds;
        while (!await this.page.evaluate(script).catch((error) => is_page_left(error) ? false : fail(`${script}: ${error.message}`))) {
            if (performance.now() > end)
                fail(`not within ${timeout_seconds} s: ${script}; the page reports: ${await this.page_text()}`);
            await sleep(100);
        }
    }

    page_text() {
        return this.value("(document.getElementById('log') || document.body).textContent");
    }

    // Opens a page. The empty page before makes sure that the same page with another fragment is loaded again.
    async navigate(name) {
        await this.page.goto("about:blank");
        await this.page.goto(this.site + name, {waitUntil: "domcontentloaded", timeout: 1000 * timeout_seconds})
            .catch((error) => is_page_left(error) || fail(`${name}: ${error.message}`));
    }

    async open_until(name, state) {
        const begin = performance.now();
        await this.navigate(name);
        await this.wait(page_state);
        if (await this.value(page_state) !== state)
            fail(`${name} has not reached the state ${state}: ${await this.page_text()}`);
        console.log(`note: ${name} ${state} after ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    }

    // Sends keys one after the other without waiting for the page, because a busy page answers late.
    press(names) {
        const {keyboard} = this.page, sent = [];
        for (const name of names) {
            const keys = name === "+" ? [name] : name.split("+");
            keys.forEach((key) => sent.push(keyboard.down(key)));
            keys.reverse().forEach((key) => sent.push(keyboard.up(key)));
        }
        return Promise.all(sent);
    }

    async tap_at(timestamp, point, seconds) {
        const session = await this.page.createCDPSession();
        await session.send("Input.dispatchTouchEvent", {type: "touchStart", touchPoints: [point], timestamp});
        await session.send("Input.dispatchTouchEvent", {type: "touchEnd", touchPoints: [], timestamp: timestamp + seconds});
        await session.detach();
    }

    // A finger that moves in steps; returns the finger.
    async slide(num_steps, x, y, end_x, end_y) {
        const finger = await this.page.touchscreen.touchStart(x, y);
        for (let i = 1; i <= num_steps; i++)
            await finger.move(x + (end_x - x) * i / num_steps, y + (end_y - y) * i / num_steps);
        return finger;
    }
}

// Returns whether a script or a navigation ended because the page was left.
const is_page_left = (error) => /context was destroyed|ERR_ABORTED|navigat|disposed|no such frame|Cannot find context|detached/i.test(error.message);

class Tasks extends Page {
    open(name) {
        return this.open_until(name, "started");
    }

    async begin(name) {
        await this.navigate(name);
        await this.wait("typeof md5files === 'object' && document.readyState !== 'loading'");
    }

    before(script) {
        return this.page.evaluateOnNewDocument(script);
    }

    started() {
        return this.wait(page_state);
    }

    async asks(count, script) {
        this.server.requests.length = 0;
        await this.wait(script);
        if (this.server.requests.length > Number(count))
            fail(`more than ${count} requests: ${this.server.requests.join(", ")}`);
    }

    async fails(name, words) {
        await this.open_until(name, "failed");
        const text = await this.page_text();
        if (!text.includes(words))
            fail(`'${words}' is not in: ${text}`);
        this.forgive();
    }

    size(width, height) {
        return this.page.setViewport({width: Number(width), height: Number(height)});
    }

    phone(width, height) {
        return this.page.setViewport({width: Number(width), height: Number(height), deviceScaleFactor: 2, isMobile: true, hasTouch: true});
    }

    save(file) {
        return this.page.screenshot({path: file, captureBeyondViewport: false});
    }

    async take(name, file) {
        const base64 = await this.value(`btoa(md5.FS.readFile(${JSON.stringify(name)}).reduce((text, byte) => text + String.fromCharCode(byte), ""))`);
        fs.writeFileSync(file, base64, "base64");
    }

    same(first_file, second_file, limit) {
        const [first, second] = [first_file, second_file].map(read_pixels);
        if (first.width !== second.width || first.height !== second.height)
            fail(`${first_file} is ${first.width} x ${first.height}, ${second_file} is ${second.width} x ${second.height}`);
        const share = first.pixels.filter((pixel, i) => is_different(pixel, second.pixels[i])).length / first.pixels.length;
        const num_colors = Math.min(...[first, second].map((image) => new Set(image.pixels).size));
        const result = `${(100 * share).toFixed(3)} % of the pixels differ, ${num_colors} colors`;
        console.log(`note: ${first_file}: ${result}`);
        if (share > Number(limit) || num_colors < 10000)
            fail(result);
    }

    forgive() {
        this.console_messages.length = 0;
    }

    is(script) {
        return this.wait(script);
    }

    async mark(file) {
        await this.wait("performance.getEntriesByName('picture').length > 0");
        const time = await this.value("performance.getEntriesByName('picture')[0].startTime");
        fs.appendFileSync(file, `${Math.round(time)}\n`);
    }

    async audit(file) {
        await this.value(`${fs.readFileSync(file, "utf8")}; 0`);
        for (const [scheme, width] of [["light", 1280], ["dark", 390]]) {
            // Only Chromium can change the color scheme. The colors of a page do not depend on the browser.
            if (!is_firefox)
                await this.page.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme}]);
            await this.size(width, 800);
            const found = await this.value(`axe.run().then((result) => result.passes.length > 5 ? result.violations.map((rule) =>
                rule.id + ": " + rule.help + ": " + rule.nodes[0].html).join("; ") : "too few rules were checked")`);
            if (found !== "")
                fail(`${scheme}, ${width}: ${found}`);
        }
    }

    run(script) {
        execFileSync("sh", [script], {stdio: "inherit"});
    }

    stop() {
        this.server.stop();
    }

    click(x, y) {
        return this.page.mouse.click(Number(x), Number(y));
    }

    key(names) {
        return this.press(names.split(" "));
    }

    type(text) {
        return this.page.keyboard.type(text);
    }

    keys(text) {
        return this.press([...text]);
    }

    async drag(x, y, end_x, end_y) {
        await this.page.mouse.move(Number(x), Number(y));
        await this.page.mouse.down();
        await this.page.mouse.move(Number(end_x), Number(end_y), {steps: 10});
        await this.page.mouse.up();
    }

    async wheel(x, y, steps) {
        await this.page.mouse.move(Number(x), Number(y));
        await this.page.mouse.wheel({deltaY: 100 * Number(steps)});
    }

    // A busy page receives events late. In Chromium they therefore contain their times. Firefox's protocol cannot set them, so the page
    // itself makes the events there.
    tap(x, y, seconds) {
        if (is_firefox)
            return this.page.evaluate(touch_in_page, Number(x), Number(y), 1000 * Number(seconds), min_long_press);
        return this.tap_at(Date.now() / 1000, {x: Number(x), y: Number(y)}, Number(seconds));
    }

    push(x, y, end_x, end_y) {
        return this.slide(1, Number(x), Number(y), Number(end_x), Number(end_y));
    }

    async swipe(x, y, end_x, end_y) {
        const finger = await this.slide(10, Number(x), Number(y), Number(end_x), Number(end_y));
        await finger.end();
    }

    async pinch(x, y, from, to) {
        const left = await this.page.touchscreen.touchStart(Number(x) - from / 2, Number(y)); // one after the other
        const right = await this.page.touchscreen.touchStart(Number(x) + from / 2, Number(y));
        for (let i = 1; i <= 10; i++) {
            const distance = Number(from) + (to - from) * i / 10;
            await left.move(Number(x) - distance / 2, Number(y));
            await right.move(Number(x) + distance / 2, Number(y));
        }
        await left.end();
        await right.end();
    }

    async drop(...files) {
        const target = {x: default_width / 2, y: default_height / 2};
        if (is_firefox) // its protocol has no command that drops files
            return this.page.evaluate(drop_in_page, files.map(describe_file), target.x, target.y);
        const data = {items: [], files: files.map((file) => path.resolve(file)), dragOperationsMask: 1};
        await this.page.mouse.dragEnter(target, data);
        await this.page.mouse.dragOver(target, data);
        return this.page.mouse.drop(target, data);
    }
}

const task_names = Object.getOwnPropertyNames(Tasks.prototype).filter((name) => name !== "constructor");

// Splits the words of the command line into tasks, each an array of a name and its arguments.
function split_tasks(words) {
    const tasks = [];
    for (let i = 0; i < words.length;) {
        const name = words[i];
        if (!task_names.includes(name))
            fail(`no task ${name}`);
        let end = i + 1 + Tasks.prototype[name].length;
        while (name === "drop" && end < words.length && !task_names.includes(words[end]))
            end++;
        if (end > words.length)
            fail(`the task ${name} needs ${Tasks.prototype[name].length} arguments`);
        tasks.push(words.slice(i, end));
        i = end;
    }
    return tasks;
}

async function main(folder, ...words) {
    if (words.length === 0)
        fail("usage: node browser.mjs FOLDER TASK...");
    const tasks = split_tasks(words), page = new Tasks(folder);
    try {
        await page.start(words.includes("phone"));
        for (const [name, ...values] of tasks)
            await page[name](...values);
        await sleep(200);
        if (page.console_messages.length > 0)
            fail(`the console is not empty: ${page.console_messages.join("; ")}`);
    } finally {
        await page.close();
    }
}

await main(...process.argv.slice(2)).catch((error) => {
    console.log(`FAILED: ${error instanceof Failure ? error.message : error.stack}`);
    process.exitCode = 1;
});
