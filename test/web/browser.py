#!/usr/bin/env python3
"""Opens pages of build/web in headless Chromium, controls it through a pipe, and reports failures.

browser.py FOLDER TASK...: serves the folder on this machine only, opens one browser, and runs the tasks:
  open PAGE            opens FOLDER/PAGE, and waits for its data-state; for pages without models, for the page
  begin PAGE           the same, but waits only for the page, not for the program
  before SCRIPT        runs the script in the next pages, before their own scripts
  started              waits for the program like `open`
  asks COUNT SCRIPT    checks that a condition holds after at most COUNT requests
  fails PAGE WORDS     opens a page that must end with these words for the user
  size WIDTH HEIGHT    sets the size of the window
  phone WIDTH HEIGHT   the same, with two pixels per point and touch input
  save FILE            saves a screenshot of the page
  take NAME FILE       saves a file that the program has written
  same FILE FILE LIMIT at most this fraction of the pixels differs by more than 2 levels; 10000 colors
  forgive              ignores the console so far: the browser itself reports missing files
  is SCRIPT            waits until a condition in JavaScript holds
  mark FILE            appends a line: milliseconds from the start of the page to its mark "picture"
  run SCRIPT           runs a shell script on this machine
  stop                 stops the server: the network is unavailable afterwards
  click X Y, key NAME  sends user input
  type TEXT            types into the focused element
  keys TEXT            presses and releases the keys of a text's characters, for the viewer's canvas
  drag X Y X Y         drags with the left button, in ten steps
  wheel X Y STEPS      rotates the wheel towards the user
  tap X Y SECONDS      a finger touches for this time
  push X Y X Y         a finger moves to the second position and stays down
  swipe X Y X Y        a finger moves in ten steps and is lifted
  pinch X Y FROM TO    two fingers move from one distance in pixels to another
  drop FILE...         drops files or folders on the middle of the page
Exits with status 1 and a message if a task fails, or if a page has written to the console.
"""
import base64
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "viewer"))
import png  # noqa: E402  in the folder of the viewer's tests

TIMEOUT = 300.0  # seconds for a page in software GL on a busy machine
# The driver's message when a page reads pixels back, as --output must.
HINT = "GPU stall due to ReadPixels"
FLAGS = ("--headless=new --no-sandbox --disable-gpu-sandbox --use-angle=swiftshader "
         "--enable-unsafe-swiftshader --hide-scrollbars --mute-audio --no-first-run "
         "--disable-background-networking --disable-extensions "
         "--remote-debugging-pipe").split()


# The state that a page reports; pages without models are ready when they are loaded.
STATE = ("document.documentElement && location.protocol !== 'about:' && "
         "(document.documentElement.dataset.state || (document.readyState === 'complete' && "
         "!document.querySelector('canvas, md5-model') ? 'started' : ''))")


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm",
                      ".js": "text/javascript"}

    requests = []

    def log_message(self, _, *words):
        Handler.requests.append(str(words[0]))


def fail(text):
    raise SystemExit("FAILED: " + text)


def read_rgb(path):
    """Returns the size of an image, and its pixels."""
    width, height, rows, step = png.read(path)
    return (width, height), [tuple(row[i:i + 3]) for row in rows for i in range(0, width * step, step)]


def serve(folder):
    """Serves a folder on this machine only; returns the server and its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, "http://127.0.0.1:%d/" % server.server_port


class Browser:
    """One page of Chromium. It reads messages from descriptor 3 and writes to 4; a zero byte ends each
    message."""

    def __init__(self, folder):
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if program is None:
            fail("no chromium")
        self.server, self.site = serve(folder)
        self.home = tempfile.mkdtemp()
        child_input, self.output = os.pipe()
        self.input, child_output = os.pipe()
        # A shell moves the child's descriptors to 3 and 4, because subprocess has no option for this.
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec "$@" 3<&%d 4>&%d' % (child_input, child_output), "sh", program, *FLAGS,
             "--user-data-dir=" + self.home, "about:blank"],
            pass_fds=(child_input, child_output), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(child_input)
        os.close(child_output)
        self.number, self.buffer, self.console_messages, self.session = 0, b"", [], None
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self.ask(domain + ".enable")

    def read(self):
        while b"\0" not in self.buffer:
            data = os.read(self.input, 1 << 20)
            if not data:
                fail("the browser has exited")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        params = message.get("params", {})
        if message.get("method") == "Runtime.consoleAPICalled":
            words = [str(arg.get("value", arg.get("description"))) for arg in params["args"]]
            self.console_messages.append(" ".join(words))
        elif message.get("method") == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.console_messages.append(details.get("exception", {}).get("description", details["text"]))
        elif message.get("method") == "Log.entryAdded" and HINT not in params["entry"]["text"]:
            self.console_messages.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))
        return message

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    fail(method + ": " + answer["error"]["message"])
                return answer["result"]

    def value(self, script):
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            reason = answer["exceptionDetails"].get("exception", {}).get("description", "exception")
            fail(script + ": " + reason)
        return answer["result"].get("value")

    def wait(self, script):
        end = time.monotonic() + TIMEOUT
        while not self.value(script):
            if time.monotonic() > end:
                fail("not within %g s: %s; the page reports: %s" % (TIMEOUT, script, self.page_text()))
            time.sleep(0.1)

    def page_text(self):
        return self.value("(document.getElementById('log') || document.body).textContent")

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.server.shutdown()
        shutil.rmtree(self.home, ignore_errors=True)

    # -- Tasks ------------------------------------------------------------------------------------

    def task_open(self, page, state="started"):
        self.ask("Page.navigate", url="about:blank")
        begin = time.monotonic()
        self.ask("Page.navigate", url=self.site + page)
        self.wait(STATE)
        if self.value(STATE) != state:
            fail("%s has not reached the state %s: %s" % (page, state, self.page_text()))
        print("note: %s %s after %.1f s" % (page, state, time.monotonic() - begin))

    def task_begin(self, page):
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=self.site + page)
        self.wait("typeof md5files === 'object' && document.readyState !== 'loading'")

    def task_before(self, script):
        self.ask("Page.addScriptToEvaluateOnNewDocument", source=script)

    def task_started(self):
        self.wait(STATE)

    def task_asks(self, count, script):
        Handler.requests.clear()
        self.wait(script)
        if len(Handler.requests) > int(count):
            fail("more than %s requests: %s" % (count, Handler.requests))

    def task_fails(self, page, words):
        self.task_open(page, "failed")
        if words not in self.page_text():
            fail("'%s' is not in: %s" % (words, self.page_text()))
        self.console_messages.clear()  # the browser itself reports missing files

    def task_size(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=int(width), height=int(height),
                 deviceScaleFactor=1, mobile=False)

    def task_phone(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=int(width), height=int(height),
                 deviceScaleFactor=2, mobile=True)
        self.ask("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)

    def task_save(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def task_take(self, name, path):
        data = self.value("btoa(md5.FS.readFile(%s)"
                          ".reduce((text, byte) => text + String.fromCharCode(byte), ''))" % json.dumps(name))
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def task_same(self, first_path, second_path, share):
        pictures = [read_rgb(path) for path in (first_path, second_path)]
        if pictures[0][0] != pictures[1][0]:
            fail("%s is %s, %s is %s" % (first_path, pictures[0][0], second_path, pictures[1][0]))
        pairs = list(zip(pictures[0][1], pictures[1][1]))
        differ = sum(any(abs(a - b) > 2 for a, b in zip(x, y)) for x, y in pairs) / len(pairs)
        colors = min(len(set(picture[1])) for picture in pictures)
        print("note: %s: %.3f %% of the pixels differ, %d colors" % (first_path, 100 * differ, colors))
        if differ > float(share) or colors < 10000:
            fail("%.3f %% of the pixels differ, %d colors" % (100 * differ, colors))

    def task_is(self, script):
        self.wait(script)

    def task_mark(self, path):
        self.wait("performance.getEntriesByName('picture').length > 0")
        with open(path, "a") as file:
            file.write("%.0f\n" % self.value("performance.getEntriesByName('picture')[0].startTime"))

    def task_audit(self, path):
        with open(path) as file:
            self.value(file.read() + "; 0")
        for scheme, width in ("light", 1280), ("dark", 390):
            self.ask("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": scheme}])
            self.task_size(width, 800)
            found = self.value("axe.run().then(result => result.passes.length > 5 && result.violations.map("
                               "rule => rule.id + ': ' + rule.help + ': ' + rule.nodes[0].html).join('; '))")
            if found != "":
                fail("%s, %d: %s" % (scheme, width, found))

    def task_stop(self):
        self.server.shutdown()
        self.server.server_close()

    def task_run(self, script):
        subprocess.run(["sh", script], check=True)

    def task_forgive(self):
        self.console_messages.clear()

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type="mouse" + kind, x=float(x), y=float(y), **more)

    def task_click(self, x, y):
        for kind in "Moved", "Pressed", "Released":
            self.mouse(kind, x, y, button="left", clickCount=1)

    def task_drag(self, *coordinates):
        x, y, end_x, end_y = (float(coordinate) for coordinate in coordinates)
        self.mouse("Pressed", x, y, button="left", clickCount=1)
        for i in range(1, 11):
            self.mouse("Moved", x + (end_x - x) * i / 10, y + (end_y - y) * i / 10, button="left", buttons=1)
        self.mouse("Released", end_x, end_y, button="left", clickCount=1)

    def task_wheel(self, x, y, steps):
        self.mouse("Wheel", x, y, deltaX=0, deltaY=100 * float(steps))

    def touch(self, kind, *positions, at=None):
        points = [{"x": float(x), "y": float(y), "id": i} for i, (x, y) in enumerate(positions)]
        time_option = {} if at is None else {"timestamp": at}
        self.ask("Input.dispatchTouchEvent", type="touch" + kind, touchPoints=points, **time_option)

    def task_tap(self, x, y, seconds):
        begin = time.time()  # a busy page receives the event later, but with this time
        self.touch("Start", (x, y), at=begin)
        self.touch("End", at=begin + float(seconds))

    def task_push(self, x, y, end_x, end_y):
        self.touch("Start", (x, y))
        self.touch("Move", (end_x, end_y))

    def task_swipe(self, *coordinates):
        x, y, end_x, end_y = (float(coordinate) for coordinate in coordinates)
        self.touch("Start", (x, y))
        for i in range(1, 11):
            self.touch("Move", (x + (end_x - x) * i / 10, y + (end_y - y) * i / 10))
        self.touch("End")

    def task_pinch(self, x, y, begin, end):
        x, begin, end = float(x), float(begin) / 2, float(end) / 2
        self.touch("Start", (x - begin, y))  # one after the other
        for i in range(11):
            distance = begin + (end - begin) * i / 10
            self.touch("Move" if i > 0 else "Start", (x - distance, y), (x + distance, y))
        self.touch("End")

    def task_key(self, name):
        name, control = name.removeprefix("Control+"), name.startswith("Control+")
        for kind in "keyDown", "keyUp":
            code = name if len(name) > 1 else "Key" + name.upper()
            self.ask("Input.dispatchKeyEvent", type=kind, key=name, code=code, modifiers=2 if control else 0)

    def task_keys(self, text):
        for character in text:
            self.task_key(character)

    def task_type(self, text):
        self.ask("Input.insertText", text=text)

    def task_drop(self, *files):
        data = {"items": [], "files": [os.path.abspath(file) for file in files], "dragOperationsMask": 1}
        for kind in "dragEnter", "dragOver", "drop":
            self.ask("Input.dispatchDragEvent", type=kind, x=400, y=300, data=data)


TASKS = {"open": 1, "begin": 1, "before": 1, "started": 0, "asks": 2, "fails": 2, "size": 2,
         "phone": 2, "save": 1, "take": 2, "same": 3, "forgive": 0, "is": 1, "click": 2,
         "drag": 4, "tap": 3, "push": 4, "wheel": 3, "swipe": 4, "pinch": 4, "key": 1, "mark": 1, "audit":
         1, "stop": 0, "run": 1, "type": 1, "keys": 1, "drop": None}


def main(folder, words):
    browser = Browser(folder)
    try:
        while words:
            name = words.pop(0)
            if name not in TASKS:
                fail("no task %s" % name)
            count = TASKS[name]
            if count is None:
                count = next((i for i, word in enumerate(words) if word in TASKS), len(words))
            getattr(browser, "task_" + name)(*words[:count])
            del words[:count]
        browser.value("new Promise((done) => setTimeout(done, 200))")
        if browser.console_messages:
            fail("the console is not empty: " + "; ".join(browser.console_messages))
    finally:
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    main(sys.argv[1], sys.argv[2:])
