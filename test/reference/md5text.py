"""Reads .md5mesh and .md5anim text: any line breaks, tokens in the order of the grammar.

Only as strict as necessary to detect a syntax error. Numbers with a fraction become binary32 here, as in the
engine, so that all computations start from the same values as in a C reader.
"""

import re
from dataclasses import dataclass, field

import binary32

# Bytes above 0x7f count as white space outside strings, as in the engine. So a UTF-8 byte order mark at the
# start of a file is skipped without a message.
TOKEN = re.compile(
    r"""
    (?P<skip>   [\x00-\x20\x80-\xff]+ | //[^\n]* | /\*.*?\*/ )
  | (?P<string> "[^"\n]*" )
  | (?P<mark>   [(){}] )
  | (?P<word>   (?: [^\x00-\x20\x80-\xff(){}"/] | /(?![/*]) )+ )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass
class Joint:
    name: str
    parent: int
    translation: tuple  # model space in a mesh, relative to the parent in an anim
    rotation: tuple  # x y z; w is computed


@dataclass
class Submesh:
    shader: str
    vertices: list = field(default_factory=list)  # (u, v, first weight, number of weights)
    triangles: list = field(default_factory=list)  # (a, b, c)
    weights: list = field(default_factory=list)  # (joint, bias, offset)


@dataclass
class Mesh:
    joints: list
    submeshes: list


@dataclass
class Track:
    name: str
    parent: int
    flags: int
    first: int  # index in a frame of the joint's first value


@dataclass
class Anim:
    frame_rate: int
    num_components: int
    tracks: list
    bounds: list  # per frame (minimum, maximum)
    base: list  # per joint (translation, rotation x y z)
    frames: list  # per frame the numbers


class Reader:
    """Reads the tokens of one file in order."""

    def __init__(self, text):
        self.tokens = []
        position = 0
        while position < len(text):
            match = TOKEN.match(text, position)
            if match is None:
                raise ValueError(f"unreadable text at byte {position}")
            if match.lastgroup == "string":
                self.tokens.append(match.group()[1:-1])
            elif match.lastgroup != "skip":
                self.tokens.append(match.group())
            position = match.end()
        self.position = 0

    def next(self):
        if self.position == len(self.tokens):
            raise ValueError("the text ends too early")
        self.position += 1
        return self.tokens[self.position - 1]

    def accept(self, keyword):
        """Consumes `keyword` if it is the next token. Returns true if it was."""
        found = self.position < len(self.tokens) and self.tokens[self.position] == keyword
        if found:
            self.position += 1
        return found

    def expect(self, *keywords):
        for keyword in keywords:
            found = self.next()
            if found != keyword:
                raise ValueError(f"expected {keyword!r} but found {found!r}")

    def integer(self):
        return int(self.next())

    def number(self):
        return binary32.value_from_text(self.next())

    def numbers(self, count):
        self.expect("(")
        values = tuple(self.number() for _ in range(count))
        self.expect(")")
        return values

    def count_after(self, keyword):
        self.expect(keyword)
        return self.integer()

    def header(self):
        self.expect("MD5Version", "10", "commandline")
        self.next()


def read_joint(reader):
    name = reader.next()
    parent = reader.integer()
    return Joint(name, parent, reader.numbers(3), reader.numbers(3))


def read_vertex(reader):
    # The number after the keyword is ignored: the position in the file is the index of a vertex.
    reader.expect("vert")
    reader.integer()
    u, v = reader.numbers(2)
    return u, v, reader.integer(), reader.integer()


def read_triangle(reader):
    reader.expect("tri")
    reader.integer()
    return reader.integer(), reader.integer(), reader.integer()


def read_weight(reader):
    reader.expect("weight")
    reader.integer()
    return reader.integer(), reader.number(), reader.numbers(3)


def read_submesh(reader):
    reader.expect("mesh", "{")
    if reader.accept("name"):
        reader.next()
    reader.expect("shader")
    submesh = Submesh(reader.next())
    for keyword, rows, read_row in (
        ("numverts", submesh.vertices, read_vertex),
        ("numtris", submesh.triangles, read_triangle),
        ("numweights", submesh.weights, read_weight),
    ):
        rows.extend(read_row(reader) for _ in range(reader.count_after(keyword)))
    reader.expect("}")
    return submesh


def read_mesh(text):
    reader = Reader(text)
    reader.header()
    num_joints = reader.count_after("numJoints")
    num_submeshes = reader.count_after("numMeshes")
    reader.expect("joints", "{")
    joints = [read_joint(reader) for _ in range(num_joints)]
    reader.expect("}")
    return Mesh(joints, [read_submesh(reader) for _ in range(num_submeshes)])


def read_track(reader):
    return Track(reader.next(), reader.integer(), reader.integer(), reader.integer())


def read_pairs(reader, keyword):
    """Reads `word { ( x y z ) ( x y z ) ... }`, which is the form of the bounds and of the base frame. Reads
    up to the brace instead of a number of pairs, because some exporters write one box more than there are
    frames."""
    reader.expect(keyword, "{")
    pairs = []
    while not reader.accept("}"):
        pairs.append((reader.numbers(3), reader.numbers(3)))
    return pairs


def read_frame(reader, index, num_components):
    if reader.count_after("frame") != index:
        raise ValueError(f"frame {index} is out of order")
    reader.expect("{")
    values = [reader.number() for _ in range(num_components)]
    reader.expect("}")
    return values


def read_anim(text):
    reader = Reader(text)
    reader.header()
    num_frames = reader.count_after("numFrames")
    num_joints = reader.count_after("numJoints")
    frame_rate = reader.count_after("frameRate")
    num_components = reader.count_after("numAnimatedComponents")
    reader.expect("hierarchy", "{")
    tracks = [read_track(reader) for _ in range(num_joints)]
    reader.expect("}")
    bounds = read_pairs(reader, "bounds")
    base = read_pairs(reader, "baseframe")
    if len(bounds) < num_frames or len(base) != num_joints:
        raise ValueError("too few bounds, or a base frame of another length")
    frames = [read_frame(reader, index, num_components) for index in range(num_frames)]
    return Anim(frame_rate, num_components, tracks, bounds, base, frames)
