"""Sends random events to a window for test/viewer/window_random.sh, with only libX11 and libXtst.

random_events.py WINDOW SEED EVENTS [record] FILE...   sends this number of events: keys, with and without
modifiers, mouse moves, buttons, wheel steps, new sizes, and sometimes a drop of one of the files. The same
seed gives the same events. Keys that would end the viewer (Q, which counts as Ctrl+Q if the viewer reads the
state of the keyboard late) or change to full screen (F11) are omitted. With `record` a movie of the window is
started at the beginning and after each hundred events, Esc is pressed often, and the size does not change,
because a change would end the movie.
"""
import ctypes
import ctypes.util
import os
import random
import subprocess
import sys
import time

x = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
tst = ctypes.CDLL(ctypes.util.find_library("Xtst") or "libXtst.so.6")
Display, XID = ctypes.c_void_p, ctypes.c_ulong
x.XOpenDisplay.restype = Display
x.XStringToKeysym.restype = XID
x.XStringToKeysym.argtypes = [ctypes.c_char_p]
x.XKeysymToKeycode.restype = ctypes.c_ubyte
x.XKeysymToKeycode.argtypes = [Display, XID]
x.XResizeWindow.argtypes = [Display, XID, ctypes.c_uint, ctypes.c_uint]
x.XMoveWindow.argtypes = [Display, XID, ctypes.c_int, ctypes.c_int]
x.XSetInputFocus.argtypes = [Display, XID, ctypes.c_int, ctypes.c_ulong]
x.XSync.argtypes = [Display, ctypes.c_int]
tst.XTestFakeKeyEvent.argtypes = [Display, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
tst.XTestFakeButtonEvent.argtypes = [Display, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
tst.XTestFakeMotionEvent.argtypes = [Display, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                                     ctypes.c_ulong]

KEYS = ("a b c d e f g h i j k l m n o p r s t u v w x y z 0 1 2 3 4 5 6 7 8 9 space Left Right Up "
        "Down Home End Prior Next Return Escape BackSpace Delete Tab F1 F2 F3 F4 F5 plus minus equal "
        "period comma slash bracketleft bracketright KP_Add KP_Subtract KP_1 KP_5 KP_Enter").split()
RARE = ["F12"]  # writes a file each time
# The smallest and largest common sizes, a line, and sizes in between.
SIZES = [(320, 200), (3840, 2160), (800, 450), (64, 48), (1920, 30), (640, 480), (1280, 720)]
LONG_SIDE = 1500  # a larger window is reduced again soon, because software rendering is slow


class User:
    def __init__(self, display, window, seed, files):
        self.display, self.window = display, window
        self.random = random.Random(seed)
        self.size, self.pointer, self.large_since = (800, 450), (0, 0), None
        self.records = "record" in files[:1]
        self.files = files[self.records:]

    def key(self, name, down):
        code = x.XKeysymToKeycode(self.display, x.XStringToKeysym(name.encode()))
        tst.XTestFakeKeyEvent(self.display, code, down, 0)

    def tap(self, name):
        self.key(name, 1)
        self.key(name, 0)

    def press(self):
        modifiers = [m for m, chance in (("Shift_L", 0.2), ("Control_L", 0.08), ("Alt_L", 0.02))
                     if self.random.random() < chance]
        name = self.random.choice(RARE if self.random.random() < 0.002 else KEYS)
        for modifier in modifiers:
            self.key(modifier, 1)
        self.tap(name)
        for modifier in reversed(modifiers):
            self.key(modifier, 0)

    def move(self):
        width, height = self.size
        if self.random.random() < 0.5:
            self.pointer = self.random.randrange(width), self.random.randrange(height)
        else:
            self.pointer = tuple(max(0, min(limit - 1, at + self.random.randint(-40, 40)))
                                 for at, limit in zip(self.pointer, self.size))
        tst.XTestFakeMotionEvent(self.display, -1, *self.pointer, 0)

    def click(self):
        button = self.random.choices([1, 2, 3, 4, 5], [6, 1, 1, 3, 3])[0]
        tst.XTestFakeButtonEvent(self.display, button, 1, 0)
        for _ in range(self.random.choice([0, 0, 1, 4])):
            self.move()
        tst.XTestFakeButtonEvent(self.display, button, 0, 0)

    def resize(self):
        self.size = self.random.choice(SIZES)
        if self.random.random() < 0.3:
            self.size = self.random.randint(1, 900), self.random.randint(1, 700)
        self.apply_size()

    def apply_size(self):
        x.XResizeWindow(self.display, self.window, *self.size)
        self.large_since = time.monotonic() if max(self.size) > LONG_SIDE else None

    def drop(self):
        x.XSync(self.display, 0)
        tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "x11.py")
        # A window that is busy with a large image handles the drop late, which is not tested here.
        subprocess.run([sys.executable, tool, "drop", str(self.window),
                        self.random.choice(self.files)], check=False, stderr=subprocess.DEVNULL)

    def send_event(self):
        kinds = [self.press, self.move, self.click, self.resize, self.drop]
        if self.records and self.random.random() < 0.03:
            self.tap("Escape")
        self.random.choices(kinds, [50, 25, 22, not self.records, 0.6 if self.files else 0])[0]()
        if self.large_since is not None and time.monotonic() - self.large_since > 0.7:
            self.size = (800, 450)
            self.apply_size()


def main():
    window, seed, events, files = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    display = x.XOpenDisplay(None)
    if not display:
        sys.exit("no display")
    x.XMoveWindow(display, window, 0, 0)
    x.XSetInputFocus(display, window, 1, 0)
    user = User(display, window, seed, files)
    for i in range(events):
        if user.records and i % 100 == 0:
            user.key("Shift_L", 1)
            user.tap("F12")
            user.key("Shift_L", 0)
        user.send_event()
        if i % 8 == 7:  # time for drawing, as between the actions of a fast user
            x.XSync(display, 0)
            time.sleep(0.016)
    x.XResizeWindow(display, window, 800, 450)
    x.XSync(display, 0)


main()
