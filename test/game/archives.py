"""archives.py KIND FILE: writes a valid or hostile archive; for the kind pack, an archive of a FOLDER."""
import os
import random
import struct
import sys
import zipfile
import zlib

TEXT = b"packed { { map %s } }" % (b"x" * 200)
MATERIAL = "materials/a.mtr"


def entry(name, data=TEXT, method=8, **claims):
    """Returns a local header with its data, and its entry in the list, whose numbers `claims` replace."""
    packed = zlib.compress(data)[2:-4] if method == 8 else data
    name = name.encode("latin-1")
    claims = {"size": len(data), "crc": zlib.crc32(data), "flags": 0, "mode": 0, "offset": None,
              "kind": method, **claims}
    numbers = struct.pack("<HHHHIIIHH", claims["flags"], claims["kind"], 0, 0x21, claims["crc"], len(packed),
                          claims["size"], len(name), 0)
    local = struct.pack("<4sH", b"PK\3\4", 20) + numbers + name + packed

    def directory_entry(at):
        at = at if claims["offset"] is None else claims["offset"]
        return (struct.pack("<4sHH", b"PK\1\2", 3 << 8 | 20, 20) + numbers
                + struct.pack("<HHHII", 0, 0, 0, claims["mode"] << 16, at) + name)
    return local, directory_entry


def archive(*entries):
    body, table = b"", b""
    for local, directory_entry in entries:
        table += directory_entry(len(body))
        body += local
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, len(entries), len(entries), len(table), len(body), 0)
    return body + table + end


def pak(*entries, size=None, offset=None):
    body, table = b"", b""
    for name, data, *claims in entries:
        at, length = claims or (12 + len(body), len(data))
        table += name.encode("latin-1").ljust(56, b"\0")[:56] + struct.pack("<II", at, length)
        body += data
    offset = 12 + len(body) if offset is None else offset
    return b"PACK" + struct.pack("<II", offset, len(table) if size is None else size) + body + table


def write_with_zipfile(path):
    with zipfile.ZipFile(path, "w", 8) as file:
        file.writestr(MATERIAL, TEXT)


def write_many_entries(path):
    """Writes more entries than 16 bits can count, so that the list is a zip64 list."""
    with zipfile.ZipFile(path, "w") as file:
        for i in range(70000):
            file.writestr("f%d.txt" % i, b"")
        file.writestr(MATERIAL, TEXT)


def write_folder(path, folder):
    """Writes an archive of a folder; the file extension selects the format."""
    names = sorted(os.path.join(at, name) for at, _, files in os.walk(folder) for name in files)
    files = [(os.path.relpath(name, folder), open(name, "rb").read()) for name in names]
    if path.endswith(".pak"):
        with open(path, "wb") as out:
            out.write(pak(*files))
        return
    with zipfile.ZipFile(path, "w", 8) as out:
        for name, data in files:
            out.writestr(name, data)


def overlapping():
    """Writes many entries of one local header: Fifield's zip bomb without quoting."""
    data = b"x" * 4000
    others = [(b"", entry("b%d" % i, data, 0, offset=0)[1]) for i in range(40)]
    return archive(entry(MATERIAL, data, 0), *others)


def claiming(size):
    """Writes two entries of one stored file, which claim exactly the archive's size if the file has 99
    bytes."""
    data = TEXT.replace(b"x" * (len(TEXT) - size), b"", 1)
    return archive(entry(MATERIAL, data, 0), (b"", entry("materials/b.txt", data, 0, offset=0)[1]))


def blanks(size):
    """Writes one large file of equal bytes, which deflate compresses best."""
    data = b" " * size
    return archive(entry("models/x.md5mesh", zlib.compress(data, 9)[2:-4], 0, size=size,
                         crc=zlib.crc32(data), kind=8))


def declaring(size, packed):
    """Writes a file that declares a size, and is compressed badly."""
    return archive(entry("models/x.md5mesh", bytes(packed), 0, size=size, kind=8))


def pak_end(length):
    """Writes a file whose data begin with the last byte of the archive."""
    last = 12 + len(TEXT) + 2 * 64 - 1
    return pak((MATERIAL, TEXT), ("b.txt", b"", last, length))


VALID_ENTRY = entry(MATERIAL)
PACKED = len(zlib.compress(TEXT)[2:-4])
NOISE = random.Random(1).randbytes(0x500000)
KINDS = {
    "sound": lambda: archive(VALID_ENTRY),
    "stored": lambda: archive(entry(MATERIAL, TEXT, 0)),
    "folders": lambda: archive(entry("materials/", b"", 0), VALID_ENTRY),
    "backslash": lambda: archive(entry("Materials\\A.MTR")),
    "dots": lambda: archive(entry("materials/../../a.mtr"), VALID_ENTRY),
    "absolute": lambda: archive(entry("/materials/b.mtr"), entry("\\materials\\b.mtr"), VALID_ENTRY),
    "drive": lambda: archive(entry("C:materials/b.mtr"), VALID_ENTRY),
    "control": lambda: archive(entry("materials/\33[31mb.mtr"), VALID_ENTRY),
    "link": lambda: archive(entry("materials/b.mtr", b"/etc/passwd", 0, mode=0o120777), VALID_ENTRY),
    "encrypted": lambda: archive(entry("materials/b.mtr", flags=1), VALID_ENTRY),
    "method": lambda: archive(entry("materials/b.mtr", TEXT, 12), VALID_ENTRY),
    "huge": lambda: archive(entry("materials/b.mtr", NOISE, size=0xFFFFFFF0), VALID_ENTRY),
    "bomb": lambda: archive(entry("materials/b.mtr", size=0x1FFFFFFF), VALID_ENTRY),
    "large": lambda: archive(entry("b.tga", NOISE, size=1 << 29), VALID_ENTRY),
    "larger": lambda: archive(entry("b.tga", NOISE, size=(1 << 29) + 1), VALID_ENTRY),
    "possible": lambda: archive(entry("b.tga", size=1032 * (PACKED + 65) - 1), VALID_ENTRY),
    "impossible": lambda: archive(entry("b.tga", size=1032 * (PACKED + 65)), VALID_ENTRY),
    "stored-size": lambda: archive(entry("b.tga", TEXT, 0, size=len(TEXT) + 1), VALID_ENTRY),
    "full": lambda: claiming(99),
    "fuller": lambda: claiming(100),
    "free": lambda: blanks(1 << 27),
    "free-1": lambda: blanks((1 << 27) + 1),
    "ratio": lambda: declaring(134217800, 1342178),
    "ratio-1": lambda: declaring(134217801, 1342178),
    "overlap": overlapping,
    "duplicate": lambda: archive(entry(MATERIAL, b"first { }"), entry("MATERIALS\\a.mtr")),
    "short": lambda: archive(entry(MATERIAL, size=len(TEXT) - 1)),
    "long": lambda: archive(entry(MATERIAL, size=len(TEXT) + 1)),
    "checksum": lambda: archive(entry(MATERIAL, crc=7)),
    "cut": lambda: archive(VALID_ENTRY)[:-30],
    "empty": lambda: archive(),
    "nothing": lambda: b"",
    "text": lambda: b"no archive",
    "many": lambda: archive(*[entry("/%d" % i, b"", 0) for i in range(50)]),
    "ten": lambda: archive(VALID_ENTRY, *[entry("/%d" % i, b"", 0) for i in range(10)]),
    "eleven": lambda: archive(VALID_ENTRY, *[entry("/%d" % i, b"", 0) for i in range(11)]),
    "pak": lambda: pak(("Materials/A.mtr", TEXT)),
    "pak-duplicate": lambda: pak((MATERIAL, b"first { }"), (MATERIAL, TEXT)),
    "pak-dots": lambda: pak(("../a.mtr", TEXT), (MATERIAL, TEXT)),
    "pak-outside": lambda: pak(("b.mtr", TEXT, 12, 1 << 20), ("c.mtr", b"", 0xFFFFFFFF, 1),
                               (MATERIAL, TEXT)),
    "pak-end": lambda: pak_end(1),
    "pak-beyond": lambda: pak_end(2),
    "pak-cut": lambda: pak((MATERIAL, TEXT), size=128),
    "pak-odd": lambda: pak((MATERIAL, TEXT), size=63),
    "pak-wrapped": lambda: pak((MATERIAL, TEXT), offset=0xFFFFFFC0),
    "pak-header": lambda: b"PACK\0\0",
    "pak-name": lambda: pak(("m" * 56, b"x"), (MATERIAL, TEXT)),
    "pak-overlap": lambda: pak((MATERIAL, TEXT), *[("f%d" % i, b"", 12, len(TEXT)) for i in range(40)]),
}

if __name__ == "__main__":
    kind, path = sys.argv[1:3]
    writers = {"zipfile": write_with_zipfile, "crowd": write_many_entries, "pack": write_folder}
    if kind in writers:
        writers[kind](path, *sys.argv[3:])
    else:
        with open(path, "wb") as out:
            out.write(KINDS[kind]())
