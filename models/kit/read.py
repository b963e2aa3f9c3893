"""Reads .md5mesh and .md5anim files that these scripts wrote, as any other reader would."""

import re

from kit.maths import add, blend, mix, mul, rotate


def _numbers(text):
    return [float(n) for n in re.findall(r"-?[\d.]+", text)]


def _turn(x, y, z):
    return (x, y, z, -abs(1.0 - x * x - y * y - z * z) ** 0.5)


class Mesh:
    """joints: (name, parent, position, turn) in model space. Per mesh: vertices, for each a list of rows
    (joint, bias, offset); uvs; tris, in the order of the file."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            text = re.sub(r"//[^\n]*", "", file.read())
        self.joints, self.vertices, self.uvs, self.tris = [], [], [], []
        for name, rest in re.findall(r'"([^"]+)"\s+(-?\d+ \([^\n]*)', text.split("mesh {")[0]):
            n = _numbers(rest)
            self.joints.append((name, int(n[0]), tuple(n[1:4]), _turn(*n[4:7])))
        for body in text.split("mesh {")[1:]:
            weights = [_numbers(row) for row in re.findall(r"\sweight ([^\n]*)", body)]
            found, uvs = [], []
            for row in re.findall(r"\svert ([^\n]*)", body):
                n = _numbers(row)
                uvs.append((n[1], n[2]))
                first, count = int(n[3]), int(n[4])
                found.append([(int(w[1]), w[2], tuple(w[3:6]))
                              for w in weights[first:first + count]])
            self.vertices.append(found)
            self.uvs.append(uvs)
            self.tris.append([tuple(int(v) for v in row.split()[1:])
                              for row in re.findall(r"\stri ([^\n]*)", body)])

    def position(self, vertex, posed):
        """Returns the position of a vertex if the joints are at posed (position, turn)."""
        at = (0.0, 0.0, 0.0)
        for joint, bias, offset in vertex:
            position, turn = posed[joint]
            spot = add(position, rotate(turn, offset))
            at = (at[0] + bias * spot[0], at[1] + bias * spot[1], at[2] + bias * spot[2])
        return at


class Anim:
    """rate, names, parents; frames: per frame a list of (position, turn) relative to the parent;
    bounds: per frame the smallest and the largest corner."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            text = re.sub(r"//[^\n]*", "", file.read())
        self.rate = int(re.search(r"frameRate (\d+)", text).group(1))
        rows = re.findall(r'"([^"]+)"\s+(-?\d+) (\d+) (\d+)', text.split("hierarchy {")[1])
        self.names = [row[0] for row in rows]
        self.parents = [int(row[1]) for row in rows]
        base = text.split("baseframe {")[1].split("}")[0].strip().split("\n")
        base = [_numbers(row) for row in base]
        rows_of_bounds = text.split("bounds {")[1].split("}")[0].strip().split("\n")
        self.bounds = [(n[:3], n[3:]) for n in map(_numbers, rows_of_bounds)]
        self.frames, self._posed = [], {}
        for body in re.findall(r"frame \d+ \{([^}]*)\}", text):
            values, frame = _numbers(body), []
            for row, (_, _, bits, first) in zip(base, rows):
                n, at = list(row), int(first)
                for component in range(6):
                    if int(bits) >> component & 1:
                        n[component] = values[at]
                        at += 1
                frame.append((tuple(n[:3]), _turn(*n[3:])))
            self.frames.append(frame)

    def posed(self, n):
        """Returns (position, turn) of all joints in model space, at a frame or between two."""
        if n in self._posed:
            return self._posed[n]
        out = self._posed[n] = []
        one, part = self.frames[int(n)], n % 1
        two = self.frames[int(n) + 1] if part else one
        for (position, turn), (place, way), parent in zip(one, two, self.parents):
            if part:
                position, turn = mix(position, place, part), blend(turn, way, part)
            if parent >= 0:
                base, swing = out[parent]
                position, turn = add(base, rotate(swing, position)), mul(swing, turn)
            out.append((position, turn))
        return out
