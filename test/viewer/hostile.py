"""Writes models that need too many resources, each in a separate folder: hostile.py FOLDER"""
import os
import struct
import sys
import zlib

folder = sys.argv[1]


def make_path(name):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def model(name, shaders, num_vertices=100, num_triangles=98, scale=1):
    """Writes a mesh for each shader, of triangles within a cube. All vertices share a thousand weights."""
    with open(make_path(name), "w", encoding="ascii") as file:
        file.write(f'MD5Version 10\ncommandline ""\nnumJoints 1\nnumMeshes {len(shaders)}\n'
                   'joints {\n"origin" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n')
        num_weights = min(num_vertices, 1000)
        for shader in shaders:
            file.write(f'mesh {{\nshader "{shader}"\nnumverts {num_vertices}\n')
            file.writelines(f"vert {i} ( 0 0 ) {i % num_weights} 1\n" for i in range(num_vertices))
            file.write(f"numtris {num_triangles}\n")
            file.writelines(f"tri {i} {i % 98} {i % 98 + 1} {i % 98 + 2}\n" for i in range(num_triangles))
            file.write(f"numweights {num_weights}\n")
            file.writelines(f"weight {i} 0 1 ( {i * 7 % 100 * scale} {i * 13 % 100 * scale} "
                            f"{i * 29 % 100 * scale} )\n"
                            for i in range(num_weights))
            file.write("}\n")


def layers(name, num_large, num_points):
    """Writes a mesh of triangles that cover the thumbnail, and of triangles that are points."""
    corners = ["0 100 0", "100 0 100", "0 0 0"] + 3 * ["50 50 50"]
    with open(make_path(name), "w", encoding="ascii") as file:
        file.write('MD5Version 10\ncommandline ""\nnumJoints 1\nnumMeshes 1\n'
                   'joints {\n"origin" -1 ( 0 0 0 ) ( 0 0 0 )\n}\nmesh {\nshader "a"\nnumverts 6\n')
        file.writelines(f"vert {i} ( 0 0 ) {i} 1\n" for i in range(6))
        file.write(f"numtris {num_large + num_points}\n")
        file.writelines(f"tri {i} 0 1 2\n" for i in range(num_large))
        file.writelines(f"tri {num_large + i} 3 4 5\n" for i in range(num_points))
        file.write("numweights 6\n")
        file.writelines(f"weight {i} 0 1 ( {corner} )\n" for i, corner in enumerate(corners))
        file.write("}\n")


def machine(folder_name, num_bytes):
    """Writes a state machine with two clips that end with white space. Its files have this total size."""
    model(f"{folder_name}/v.md5mesh", ["a"])
    text(f"{folder_name}/m.md5machine",
         "machine M {\nmodel v.md5mesh\nclip a a.md5anim\nclip b b.md5anim\nlayer body {\nstate s a\n"
         "state t b\n}\n}\n")
    num_remaining = num_bytes - sum(os.path.getsize(make_path(f"{folder_name}/{name}"))
                                    for name in ("v.md5mesh", "m.md5machine"))
    clip = ('MD5Version 10\ncommandline ""\nnumFrames 1\nnumJoints 1\nframeRate 24\nnumAnimatedComponents 0\n'
            'hierarchy {\n"origin" -1 0 0\n}\nbounds {\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n( 0 0 0 ) '
            '( 0 0 0 )\n}\n'
            'frame 0 {\n}\n')
    text(f"{folder_name}/a.md5anim", clip.ljust(num_remaining // 2))
    text(f"{folder_name}/b.md5anim", clip.ljust(num_remaining - num_remaining // 2))


def png(name, width, height, data=None):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    if data is None:
        packer = zlib.compressobj(6)
        data = b"".join(packer.compress(bytes(1 + 4 * width)) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    with open(make_path(name), "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def text(name, contents):
    with open(make_path(name), "w", encoding="ascii") as file:
        file.write(contents)


model("bytes/v.md5mesh", ["a"])
os.truncate(make_path("bytes/v.md5mesh"), 40 << 20)
machine("full", 32 << 20)
machine("more", (32 << 20) + 1)
model("vertices/v.md5mesh", ["a"], num_vertices=600000)
model("triangles/v.md5mesh", ["a"], num_triangles=100000)
# A thumbnail of 256 x 256 pixels may cover 16 * 2**20 + 16 * 256**2 pixels. A triangle counts as one pixel
# more than its rectangle, which is at most the image.
pixels = 16 * 2**20 + 16 * 256**2
layers("limit/v.md5mesh", pixels // (256**2 + 1), pixels % (256**2 + 1))
layers("beyond/v.md5mesh", pixels // (256**2 + 1), pixels % (256**2 + 1) + 1)
model("far/v.md5mesh", ["a"], scale=9e6)
model("small/v.md5mesh", [f"t{i}" for i in range(65)], num_triangles=1)
for number in range(65):
    png(f"small/t{number}.png", 4, 4)
model("header/v.md5mesh", ["v"])
png("header/v.png", 30000, 30000, zlib.compress(b""))
model("large/v.md5mesh", ["v"])
png("large/v.png", 4096, 4096)
model("images/v.md5mesh", [f"t{i}" for i in range(9)])
for number in range(9):
    png(f"images/t{number}.png", 2048, 2048)
png("secret.png", 64, 64)
model("names/v.md5mesh", ["/etc/passwd", r"\\\\host\\share\\x.tga", "//host/share/x", "C:\\\\x\\\\y.tga",
                          "../secret", os.path.join(folder, "secret.png")])
model("config/in/v.md5mesh", ["a"])
text("config/in/md5.cfg", "md5load v.md5mesh\nmd5skin * ../../secret.png\n")
text("machine/m.md5machine", 'machine M {\nmodel "../names/v.md5mesh"\n}\n')
model("links/v.md5mesh", ["v"])
os.symlink("/dev/zero", make_path("links/v.png"))
os.symlink(make_path("secret.png"), make_path("links/v.tga"))
os.symlink(folder, make_path("links/v"))
os.mkfifo(make_path("pipe.md5mesh"))
