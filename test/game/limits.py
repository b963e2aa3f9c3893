"""limits.py KIND FOLDER: writes a game folder with valid declarations, and a hostile archive of 1.5 MB that
unpacks to 1.5 GB, or declarations that request far more memory than their size."""
import os
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import archives  # noqa: E402

MB = 1 << 20


def repeated(unit, size):
    return unit * (size // len(unit))


def numbered(form, count):
    return b"".join(form % i for i in range(count))


def archive(*files):
    """Writes an archive. Files of equal bytes are compressed once."""
    packed, entries = {}, []
    for name, data in files:
        if data not in packed:
            packed[data] = zlib.compress(data, 9)[2:-4], zlib.crc32(data)
        body, crc = packed[data]
        entries.append(archives.entry(name, body, 0, size=len(data), crc=crc, kind=8))
    return archives.archive(*entries)


def write_archive_of_copies(folder, extension, count, data):
    return archive(*[("%s/aaa%04d.%s" % (folder, i, extension), data) for i in range(count)])


ARCHIVES = {
    "one": lambda: write_archive_of_copies("materials", "mtr", 3, repeated(b" ", 500 * MB)),
    "blanks": lambda: write_archive_of_copies("materials", "mtr", 100, repeated(b" ", 15 * MB)),
    "small": lambda: write_archive_of_copies("materials", "mtr", 1400, repeated(b"\n", MB)),
    "comments": lambda: write_archive_of_copies("skins", "skin", 100, repeated(b"//\n", 15 * MB)),
    "twins": lambda: write_archive_of_copies("materials", "mtr", 100, repeated(b"twin{}\n", 15 * MB)),
    "long": lambda: write_archive_of_copies("def", "def", 100,
                                            b"entityDef e {\n" + repeated(b'"a" "b"\n', 15 * MB) + b"}\n"),
    "table": lambda: write_archive_of_copies("materials", "mtr", 100,
                                             b"table t {{" + repeated(b"0,", 15 * MB) + b"0}}"),
    "tiny": lambda: archive(*[("materials/aaa%d.mtr" % i, numbered(b"m%d_%%d{}\n" % i, 40000))
                              for i in range(12)]),
}


def mesh(count):
    joints = "".join('"j%d" %d ( 0 0 0 ) ( 0 0 0 )\n' % (i, 0 if i else -1) for i in range(count))
    return 'MD5Version 10\ncommandline ""\nnumJoints %d\nnumMeshes 0\njoints {\n%s}\n' % (count, joints)


ANIM = ('MD5Version 10\ncommandline ""\nnumFrames 1\nnumJoints 1\nframeRate 24\n'
        'numAnimatedComponents 0\nhierarchy {\n"j0" -1 0 0\n}\nbounds {\n( 0 0 0 ) ( 1 1 1 )\n}\n'
        'baseframe {\n( 0 0 0 ) ( 0 0 0 )\n}\nframe 0 {\n}\n')
X = "mesh x.md5mesh "
TEXTS = {
    # A model of 30 000 joints whose channel repeats the names of all joints, and models with a list of all
    # joints each.
    "channel": (30000, "model m { %schannel torso ( %s ) }" % (X, "*j0 -*j0 " * 40000)),
    "names": (30000, "model m { %schannel torso ( %s ) }" % (X, "nobody " * 60000)),
    "channels": (30000, "".join("model m%d { %schannel torso ( *j0 ) }\n" % (i, X) for i in range(6000))),
    "meshes": (30000, "model m { %s }" % (X * 20000)),
    "chain": (1, "model m0 { %sanim aa x.md5anim }\n" % X + "".join(
        "model m%d { inherit m%d anim aa%d x.md5anim }\n" % (i + 1, i, i) for i in range(8000))),
    "heirs": (1, "model m { %s%s }\n" % (X, "".join("anim a%da x.md5anim\n" % i for i in range(6000))) +
              "".join("model m%d { inherit m }\n" % i for i in range(6000))),
    "skin": (0, "skin s {%s}" % "".join("from%d to%d\n" % (i, i) for i in range(80000))),
}

if __name__ == "__main__":
    kind, folder = sys.argv[1:]
    for name, text in (("materials/zz.mtr", "good { { map a } }"), ("skins/zz.skin", "skin good { a b }"),
                       ("def/zz.def", "entityDef good { }")):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path))
        with open(path, "w") as out:
            out.write(text)
    if kind in ARCHIVES:
        with open(os.path.join(folder, "evil.pk4"), "wb") as out:
            out.write(ARCHIVES[kind]())
    else:
        joints, text = TEXTS[kind]
        for name, content in (("x.md5mesh", mesh(joints)), ("x.md5anim", ANIM),
                              ("skins/a.skin" if kind == "skin" else "def/a.def", text)):
            with open(os.path.join(folder, name), "w") as out:
                out.write(content)
