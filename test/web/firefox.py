#!/usr/bin/env python3
"""Opens pages of build/web in Firefox, controls it with WebDriver BiDi, and reports failures. It needs
a display, such as from xvfb-run: headless Firefox does not support WebGL without a GPU.

firefox.py FOLDER PAGE...: serves the folder on this machine only, and opens each page like browser.py.
Exits with status 1 and a message if a page fails, or if it has written to the console.
"""
import base64
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

import browser

PREFERENCES = ('user_pref("webgl.force-enabled", true);\n'
               'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n')


class Firefox:
    """A browser and its socket, which transfers frames of RFC 6455 with one text each."""

    def __init__(self):
        self.home = tempfile.mkdtemp()
        with open(os.path.join(self.home, "user.js"), "w") as file:
            file.write(PREFERENCES)
        program = shutil.which("firefox-esr") or shutil.which("firefox")
        self.process = subprocess.Popen(
            [program, "--remote-debugging-port", "0", "--profile", self.home],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        port = None
        while port is None:
            line = self.process.stderr.readline() or browser.fail("the browser has exited")
            port = re.search(r"BiDi listening on ws://127.0.0.1:(\d+)", line)
        self.socket = socket.create_connection(("127.0.0.1", int(port.group(1))))
        self.file = self.socket.makefile("rb")
        self.socket.sendall(("GET /session HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: Upgrade\r\n"
                             "Upgrade: websocket\r\n"
                             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n"
                             % (port.group(1), base64.b64encode(os.urandom(16)).decode())).encode())
        while self.file.readline().strip():
            pass
        self.number, self.console_messages = 0, []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        self.page = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def ask(self, method, **params):
        self.number += 1
        text = json.dumps({"id": self.number, "method": method, "params": params}).encode()
        text += b" " * (126 - len(text))  # so that the size has two bytes
        # Each byte is masked with 1: the mask 0, which changes nothing, is rejected.
        self.socket.sendall(struct.pack(">BBHI", 0x81, 0xFE, len(text), 0x01010101)
                            + bytes(byte ^ 1 for byte in text))
        while True:
            size = self.file.read(2)[1]
            if size > 125:
                size = int.from_bytes(self.file.read(2 if size == 126 else 8), "big")
            answer = json.loads(self.file.read(size))
            if answer.get("method") == "log.entryAdded":
                self.console_messages.append(str(answer["params"]["text"]))
            if answer.get("id") == self.number:
                if "result" not in answer:
                    browser.fail(method + ": " + answer["message"])
                return answer["result"]

    def value(self, script):
        answer = self.ask("script.evaluate", expression=script, target={"context": self.page},
                          awaitPromise=False)
        return answer["result"].get("value")

    def open(self, url):
        begin = time.monotonic()
        self.ask("browsingContext.navigate", context=self.page, url="about:blank")
        self.ask("browsingContext.navigate", context=self.page, url=url, wait="complete")
        while True:
            state = self.value(browser.STATE)
            if state or time.monotonic() > begin + browser.TIMEOUT:
                break
            time.sleep(0.1)
        time.sleep(2.0)  # late requests would fail, with a message, if the next page opened
        if state != "started" or self.console_messages:
            text = self.value("document.body.innerText.slice(0, 300)")
            browser.fail("%s: %s; %s" % (url, text, self.console_messages))
        print("note: %s after %.1f s" % (url, time.monotonic() - begin))

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


def main(folder, pages):
    server, site = browser.serve(folder)
    firefox = Firefox()
    try:
        for page in pages:
            firefox.open(site + page)
    finally:
        firefox.close()
        server.shutdown()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    main(sys.argv[1], sys.argv[2:])
