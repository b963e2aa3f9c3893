"""Reads and writes the text of .md5mesh, .md5anim and .md5camera files, version 10.

Independent of Blender. All values are in the files' space and units: x forward, y left, z up; joints
of a mesh in model space, joints of a clip relative to their parent; rotations as x y z without w."""

import os
import re
from dataclasses import dataclass, field


# Largest magnitude of a number in a file; larger ones are useless in single precision. Excludes NaN.
LARGEST = 1e12


class Md5Error(Exception):
    """Aborts an export or an import; the text is shown to the user."""


@dataclass
class Mesh:
    name: str
    shader: str
    uvs: list = field(default_factory=list)      # per vertex (u, v)
    spans: list = field(default_factory=list)    # per vertex (first weight, number of weights)
    tris: list = field(default_factory=list)     # vertices, clockwise seen from outside
    weights: list = field(default_factory=list)  # (joint, bias, (x, y, z))


@dataclass
class Model:
    names: list
    parents: list
    positions: list  # per joint (x, y, z), model space
    rotations: list   # per joint (x, y, z) of the rotation
    meshes: list
    warnings: list = field(default_factory=list)  # warnings of the reader
    bones: list = field(default_factory=list)  # per joint (length, x y z or None) of Rig.shapes(), or None
    command: str = ""


@dataclass
class Clip:
    names: list
    parents: list
    rate: float
    bits: list    # per joint: bit mask of the animated ones of its six components
    poses: list   # per frame and joint six components: position, rotation; constant ones are repeated
    bounds: list  # per frame ((x, y, z), (x, y, z)); may be empty
    warnings: list = field(default_factory=list)  # warnings of the reader
    command: str = ""


@dataclass
class CameraPath:
    rate: float
    cuts: list    # last frames of shots; the next shot begins with the following frame
    frames: list  # (position, rotation, horizontal field of view in degrees)


# -- Writing ----------------------------------------------------------------------------------------

def number(value, digits):
    """Formats a number without exponent (not every reader accepts one), trailing zeros and -0."""
    text = "%.*f" % (digits, value)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def triple(values, digits):
    return "( %s )" % " ".join(number(value, digits) for value in values)


def quotable(text):
    """Replaces characters that cannot occur within quotes; the format has no escapes."""
    return re.sub(r'[\x00-\x1f\x7f]', "_", text.replace('"', "'"))


def _header(command, *counts):
    return ["MD5Version 10", 'commandline "%s"' % quotable(command), ""] + [
        "%s %s" % count for count in counts]


def _comment(names, parent, bone=None):
    """Returns a comment with the parent's name and the bone's shape."""
    parts = [quotable(names[parent])] if parent >= 0 else []
    if bone:
        parts.append("bone " + number(bone[0], 9) + (" " + triple(bone[1], 9) if bone[1] else ""))
    return "\t// " + ", ".join(parts) if parts else ""


_BONE = re.compile(r"[ \t]*//(?:[^\n]*[ ,])?bone (\d{1,4}(?:\.\d+)?)"
                   r"(?: \( (-?\d(?:\.\d+)?) (-?\d(?:\.\d+)?) (-?\d(?:\.\d+)?) \))?[ \t\r]*(?:\n|$)")


def model_text(command, model):
    out = _header(command, ("numJoints", len(model.names)), ("numMeshes", len(model.meshes)))
    out += ["", "joints {"]
    bones = model.bones or [None] * len(model.names)
    for name, parent, position, rotation, bone in zip(model.names, model.parents, model.positions,
                                                      model.rotations, bones):
        # The numbers are rounded already (encode.py): nine digits reproduce them.
        out.append('\t"%s"\t%d %s %s%s' % (quotable(name), parent, triple(position, 9),
                                           triple(rotation, 9), _comment(model.names, parent, bone)))
    out.append("}")
    for mesh in model.meshes:
        out += ["", "mesh {", "\t// meshes: %s" % quotable(mesh.name),
                '\tshader "%s"' % quotable(mesh.shader), "", "\tnumverts %d" % len(mesh.uvs)]
        out += ["\tvert %d %s %d %d" % (n, triple(uv, 6), first, count)
                for n, (uv, (first, count)) in enumerate(zip(mesh.uvs, mesh.spans))]
        out += ["", "\tnumtris %d" % len(mesh.tris)]
        out += ["\ttri %d %d %d %d" % (n, a, b, c) for n, (a, b, c) in enumerate(mesh.tris)]
        out += ["", "\tnumweights %d" % len(mesh.weights)]
        out += ["\tweight %d %d %s %s" % (n, joint, number(bias, 9), triple(offset, 9))
                for n, (joint, bias, offset) in enumerate(mesh.weights)]
        out.append("}")
    return "\n".join(out) + "\n"


def clip_text(command, clip):
    total = sum(bin(bits).count("1") for bits in clip.bits)
    out = _header(command, ("numFrames", len(clip.poses)), ("numJoints", len(clip.names)),
                  ("frameRate", number(clip.rate, 0)), ("numAnimatedComponents", total))
    out += ["", "hierarchy {"]
    first = 0
    for name, parent, bits in zip(clip.names, clip.parents, clip.bits):
        out.append('\t"%s"\t%d %d %d%s' % (quotable(name), parent, bits, first if bits else 0,
                                           _comment(clip.names, parent)))
        first += bin(bits).count("1")
    out += ["}", "", "bounds {"]
    out += ["\t%s %s" % (triple(low, 6), triple(high, 6)) for low, high in clip.bounds]
    out += ["}", "", "baseframe {"]
    out += ["\t%s %s" % (triple(six[:3], 9), triple(six[3:], 9)) for six in clip.poses[0]]
    out.append("}")
    for n, pose in enumerate(clip.poses):
        out += ["", "frame %d {" % n]
        for six, bits in zip(pose, clip.bits):
            if bits:
                out.append("\t" + " ".join(number(six[part], 9)
                                           for part in range(6) if bits >> part & 1))
        out.append("}")
    return "\n".join(out) + "\n"


def camera_path_text(command, path):
    out = _header(command, ("numFrames", len(path.frames)), ("frameRate", number(path.rate, 0)),
                  ("numCuts", len(path.cuts)))
    out += ["", "cuts {"] + ["\t%d" % cut for cut in path.cuts] + ["}", "", "camera {"]
    out += ["\t%s %s %s" % (triple(position, 6), triple(rotation, 9), number(view, 6))
            for position, rotation, view in path.frames]
    return "\n".join(out + ["}"]) + "\n"


# -- Reading ----------------------------------------------------------------------------------------

_BLANK = re.compile(r"(?:[\x00-\x20\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TOKEN = re.compile(r'"([^"\n]*)"|([(){}]|[^\x00-\x20(){}"]+)')


def _shown(token):
    """Returns a token for an error message."""
    return "'%s'" % token.strip('"') if token else "the end of the file"


class Reader:
    """Splits a text into tokens; errors name the file and the line."""

    def __init__(self, text, file):
        self.text, self.file = text, file
        self.warnings = []  # faults that do not prevent reading, reported as warnings
        self.at = self.start = 0
        self.command = ""

    def fail(self, message):
        line = self.text.count("\n", 0, self.start) + 1
        raise Md5Error("%s:%d: %s" % (self.file, line, message))

    def peek(self):
        """Returns the next token, "" at the end. A quoted token keeps its opening quote as a mark."""
        self.at = self.start = _BLANK.match(self.text, self.at).end()
        found = _TOKEN.match(self.text, self.at)
        if not found:
            if self.at < len(self.text):
                self.fail("missing closing quote")
            return "", self.at
        return ('"' + found[1] if found[1] is not None else found[2]), found.end()

    def token(self):
        token, self.at = self.peek()
        return token

    def expect(self, keyword):
        token = self.token()
        if token != keyword:
            self.fail("expected '%s', found %s" % (keyword, _shown(token)))

    def string(self):
        token = self.token()
        if not token or token in "(){}":
            self.fail("expected a name, found %s" % _shown(token))
        return token[1:] if token[0] == '"' else token

    def number(self):
        token = self.token()
        try:
            value = float(token)
        except ValueError:
            self.fail("expected a number, found %s" % _shown(token))
        if not abs(value) <= LARGEST:
            self.fail("expected a number, found %s" % _shown(token))
        return value

    def whole(self, low, high):
        value = self.number()
        if value != int(value) or not low <= value <= high:
            self.fail("expected an integer from %d to %d, found '%g'" % (low, high, value))
        return int(value)

    def count(self, keyword):
        """Reads a keyword and its count, which is at most the length of the text."""
        self.expect(keyword)
        return self.whole(0, len(self.text))

    def numbers(self, count):
        self.expect("(")
        values = tuple(self.number() for _ in range(count))
        self.expect(")")
        return values

    def warn(self, message):
        line = self.text.count("\n", 0, self.start) + 1
        self.warnings.append("%s:%d: %s" % (self.file, line, message))

    def header(self):
        if self.peek()[0] in ("commandline", "numJoints", "numFrames"):
            self.warn("MD5Version is missing")
        else:
            self.expect("MD5Version")
            version = self.whole(0, 1 << 30)
            if version not in (10, 12):
                self.fail("version %d is not supported, only 10 and 12" % version)
        token, after = self.peek()
        if token == "commandline":
            self.at = after
            self.command = self.string()


def decoded(data):
    """Decodes the bytes of a file: the format has no declared encoding, Blender requires Unicode."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_model(text, file):
    reader = Reader(text, file)
    reader.header()
    num_joints, num_meshes = reader.count("numJoints"), reader.count("numMeshes")
    model = Model([], [], [], [], [])
    reader.expect("joints")
    reader.expect("{")
    for _ in range(num_joints):
        model.names.append(reader.string())
        model.parents.append(reader.whole(-1, num_joints - 1))
        model.positions.append(reader.numbers(3))
        model.rotations.append(reader.numbers(3))
        bone = _BONE.match(text, reader.at)
        model.bones.append(bone and (float(bone[1]), bone[2] and [float(bone[n]) for n in (2, 3, 4)]))
    reader.expect("}")
    _check_hierarchy(reader, model.parents)
    for _ in range(num_meshes):
        if not reader.peek()[0]:
            break
        model.meshes.append(_read_mesh(reader, num_joints))
    if len(model.meshes) < num_meshes:
        reader.warn("%d meshes found, %d declared" % (len(model.meshes), num_meshes))
    model.warnings, model.command = reader.warnings, reader.command
    return model


def _check_hierarchy(reader, parents):
    """Fails if a joint is its own ancestor. Parents may follow their children."""
    done = [False] * len(parents)
    for joint in range(len(parents)):
        chain = []
        while joint >= 0 and not done[joint]:
            if len(chain) > len(parents):
                reader.fail("joint %d: cyclic parent" % joint)
            chain.append(joint)
            joint = parents[joint]
        for passed in chain:
            done[passed] = True


_MESH_KEYWORDS = ("", "}", "name", "shader", "numverts", "numtris", "numweights", "numvertexcolors", "vert",
                  "tri", "weight", "vertexcolor")


def _read_mesh(reader, num_joints):
    reader.expect("mesh")
    reader.expect("{")
    opened = reader.at
    mesh = Mesh("", "")
    biggest = len(reader.text)
    while True:
        keyword = reader.token()
        if keyword == "}":
            break
        if keyword == "name":
            mesh.name = reader.string()
        elif keyword == "shader":
            mesh.shader = reader.string()
        elif keyword in ("numverts", "numtris", "numweights", "numvertexcolors"):
            reader.whole(0, biggest)
        elif keyword == "vertexcolor":
            reader.whole(0, biggest)
            reader.numbers(4)
        elif keyword == "vert":
            reader.whole(0, biggest)
            mesh.uvs.append(reader.numbers(2))
            mesh.spans.append((reader.whole(0, biggest), reader.whole(0, biggest)))
            # Normal and tangent of version 12: ignored, Blender computes its own.
            if reader.peek()[0] == "(":
                reader.numbers(3)
                reader.numbers(4)
        elif keyword == "tri":
            reader.whole(0, biggest)
            mesh.tris.append(tuple(reader.whole(0, len(mesh.uvs) - 1) for _ in range(3)))
        elif keyword == "weight":
            reader.whole(0, biggest)
            mesh.weights.append((reader.whole(0, num_joints - 1), reader.number(),
                                 reader.numbers(3)))
        elif not keyword:
            reader.fail("unexpected end of file inside a mesh")
        else:
            reader.warn("unknown keyword '%s' in a mesh ignored" % keyword.strip('"'))
            while reader.peek()[0] not in _MESH_KEYWORDS:
                reader.token()
    for n, (first, count) in enumerate(mesh.spans):
        if first + count > len(mesh.weights):
            reader.fail("vertex %d uses weights %d to %d, but the mesh has %d"
                        % (n, first, first + count - 1, len(mesh.weights)))
    if not mesh.name:
        comment = re.compile(r"\s*//[ \t]*meshes:[ \t]*([^\r\n]*)").match(reader.text, opened)
        mesh.name = comment[1].strip() if comment else ""
    return mesh


def read_clip(text, file):
    reader = Reader(text, file)
    reader.header()
    num_frames, num_joints = reader.count("numFrames"), reader.count("numJoints")
    reader.expect("frameRate")
    rate = reader.number()
    num_numbers = reader.count("numAnimatedComponents")
    if num_frames < 1 or rate <= 0.0:
        reader.fail("expected at least one frame and a frame rate above 0")
    clip = Clip([], [], rate, [], [], [])
    firsts = []
    reader.expect("hierarchy")
    reader.expect("{")
    for joint in range(num_joints):
        clip.names.append(reader.string())
        clip.parents.append(reader.whole(-1, num_joints - 1))
        clip.bits.append(reader.whole(0, 63))
        firsts.append(reader.whole(0, len(text)))
        if clip.bits[joint] and firsts[joint] + bin(clip.bits[joint]).count("1") > num_numbers:
            reader.fail("joint %d uses components %d to %d, but a frame has %d" % (
                joint, firsts[joint], firsts[joint] + bin(clip.bits[joint]).count("1") - 1, num_numbers))
    reader.expect("}")
    _check_hierarchy(reader, clip.parents)
    if reader.peek()[0] == "bounds":
        reader.token()
        reader.expect("{")
        while reader.peek()[0] == "(":
            clip.bounds.append((reader.numbers(3), reader.numbers(3)))
        reader.expect("}")
    reader.expect("baseframe")
    reader.expect("{")
    base = [reader.numbers(3) + reader.numbers(3) for _ in range(num_joints)]
    reader.expect("}")
    # (joint, component, index in the frame's numbers) of each animated component.
    targets = [(joint, part, firsts[joint] + bin(bits & ((1 << part) - 1)).count("1"))
               for joint, bits in enumerate(clip.bits) for part in range(6) if bits >> part & 1]
    for _ in range(num_frames):
        values = _read_frame(reader, num_numbers)
        pose = [list(six) for six in base]
        for joint, part, index in targets:
            pose[joint][part] = values[index]
        clip.poses.append(pose)
    clip.warnings, clip.command = reader.warnings, reader.command
    return clip


def _read_frame(reader, count):
    reader.expect("frame")
    reader.whole(-1 << 31, 1 << 31)
    reader.expect("{")
    values = [reader.number() for _ in range(count)]
    reader.expect("}")
    return values


def save(texts):
    """Writes {path: text}. Writes temporary files in the same folders first: if that fails, as on a full
    disk, the old files are unchanged and no temporary files remain."""
    temporary = {path: "%s.md5-%d" % (path, os.getpid()) for path in texts}
    try:
        for path, text in texts.items():
            with open(temporary[path], "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        for path in texts:
            os.replace(temporary[path], path)
    except OSError as error:
        raise Md5Error("Cannot write '%s': %s" % (path, error.strerror or error)) from error
    finally:
        for name in filter(os.path.lexists, temporary.values()):
            os.remove(name)
