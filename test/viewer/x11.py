"""Sends the messages of other programs to a window for test/viewer/window.sh, with only libX11.

x11.py drop WINDOW FILE...   drops files on the window, as a file manager does (XDND, version 5);
                                  fails if the window does not accept them within 2 minutes
x11.py abandon WINDOW WHAT   begins a drag, a drop, or a paste of the window's text, and disappears
                                  before the window can answer
x11.py close WINDOW          requests closing, as the button of the title bar does
"""
import ctypes
import ctypes.util
import sys
import time
import urllib.parse

x = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
Display, XID, Atom, Time = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong
CLIENT_MESSAGE, SELECTION_REQUEST, SELECTION_NOTIFY = 33, 30, 31


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int),
                ("display", Display), ("window", XID), ("message", Atom), ("format", ctypes.c_int),
                ("data", ctypes.c_long * 5)]


class SelectionRequest(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int),
                ("display", Display), ("owner", XID), ("requestor", XID), ("selection", Atom),
                ("target", Atom), ("property", Atom), ("time", Time)]


class SelectionNotify(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int),
                ("display", Display), ("requestor", XID), ("selection", Atom), ("target", Atom),
                ("property", Atom), ("time", Time)]


class Event(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("client", ClientMessage), ("request", SelectionRequest),
                ("notify", SelectionNotify), ("room", ctypes.c_long * 24)]


x.XOpenDisplay.restype = Display
x.XInternAtom.restype = Atom
x.XInternAtom.argtypes = [Display, ctypes.c_char_p, ctypes.c_int]
x.XDefaultRootWindow.restype = XID
x.XDefaultRootWindow.argtypes = [Display]
x.XCreateSimpleWindow.restype = XID
x.XCreateSimpleWindow.argtypes = [Display, XID] + [ctypes.c_int] * 2 + [ctypes.c_uint] * 3 + \
    [ctypes.c_ulong] * 2
x.XConvertSelection.argtypes = [Display] + [XID] * 3 + [XID, Time]
x.XGrabServer.argtypes = x.XUngrabServer.argtypes = [Display]
x.XDestroyWindow.argtypes = [Display, XID]
x.XSync.argtypes = [Display, ctypes.c_int]
x.XSetSelectionOwner.argtypes = [Display, Atom, XID, Time]
x.XSendEvent.argtypes = [Display, XID, ctypes.c_int, ctypes.c_long, ctypes.POINTER(Event)]
x.XChangeProperty.argtypes = [Display, XID, Atom, Atom, ctypes.c_int, ctypes.c_int,
                              ctypes.c_char_p, ctypes.c_int]
x.XPending.argtypes = x.XFlush.argtypes = [Display]
x.XNextEvent.argtypes = [Display, ctypes.POINTER(Event)]


def send(display, window, name, *data):
    event = Event()
    event.client.type = CLIENT_MESSAGE
    event.client.window = window
    event.client.message = x.XInternAtom(display, name, 0)
    event.client.format = 32
    for i, value in enumerate(data):
        event.client.data[i] = value
    x.XSendEvent(display, window, 0, 0, ctypes.byref(event))
    x.XFlush(display)


def send_file_list(display, request, text):
    """Sends the list of files to the window, which requests it after the drop."""
    x.XChangeProperty(display, request.requestor, request.property, request.target, 8, 0, text,
                      len(text))
    event = Event()
    event.notify.type = SELECTION_NOTIFY
    event.notify.requestor = request.requestor
    event.notify.selection = request.selection
    event.notify.target = request.target
    event.notify.property = request.property
    event.notify.time = request.time
    x.XSendEvent(display, request.requestor, 0, 0, ctypes.byref(event))
    x.XFlush(display)


def make_window(display):
    return x.XCreateSimpleWindow(display, x.XDefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0)


def begin_drag(display, window):
    source = make_window(display)
    x.XSetSelectionOwner(display, x.XInternAtom(display, b"XdndSelection", 0), source, 0)
    copy = x.XInternAtom(display, b"XdndActionCopy", 0)
    send(display, window, b"XdndEnter", source, 5 << 24,
         x.XInternAtom(display, b"text/uri-list", 0))
    send(display, window, b"XdndPosition", source, 0, 100 << 16 | 100, 0, copy)
    return source


def exit_during(display, window, action):
    x.XGrabServer(display)  # the server handles no other program meanwhile
    if action == "paste":
        source = make_window(display)
        x.XConvertSelection(display, x.XInternAtom(display, b"CLIPBOARD", 0),
                            x.XInternAtom(display, b"UTF8_STRING", 0),
                            x.XInternAtom(display, b"PASTED", 0), source, 0)
    else:
        source = begin_drag(display, window)
        if action == "drop":
            send(display, window, b"XdndDrop", source, 0, 0)
    x.XDestroyWindow(display, source)
    x.XUngrabServer(display)
    x.XSync(display, 0)


def drop(display, window, files):
    text = "".join("file://" + urllib.parse.quote(file) + "\r\n" for file in files).encode()
    status = x.XInternAtom(display, b"XdndStatus", 0)
    finished = x.XInternAtom(display, b"XdndFinished", 0)
    source = begin_drag(display, window)

    end = time.monotonic() + 120
    event = Event()
    while time.monotonic() < end:
        if x.XPending(display) == 0:
            time.sleep(0.01)
            continue
        x.XNextEvent(display, ctypes.byref(event))
        if event.type == SELECTION_REQUEST:
            send_file_list(display, event.request, text)
        elif event.type == CLIENT_MESSAGE and event.client.message == status:
            if not event.client.data[1] & 1:
                sys.exit("the window does not take drops")
            send(display, window, b"XdndDrop", source, 0, 0)
        elif event.type == CLIENT_MESSAGE and event.client.message == finished:
            return
    sys.exit("the window did not finish the drop")


def main():
    command, window, files = sys.argv[1], int(sys.argv[2], 0), sys.argv[3:]
    display = x.XOpenDisplay(None)
    if not display:
        sys.exit("no display")
    if command == "drop":
        drop(display, window, files)
    elif command == "abandon":
        exit_during(display, window, files[0])
    elif command == "close":
        send(display, window, b"WM_PROTOCOLS", x.XInternAtom(display, b"WM_DELETE_WINDOW", 0))
    else:
        sys.exit(__doc__)


main()
