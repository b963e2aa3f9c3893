"""Reads .md5mesh and .md5anim files that these scripts wrote, as any other reader would."""

import re

from kit.maths import add, blend, mix, mul, rotate


def _numbers(text):
    return [float(n) for n in re.findall(r"-?[\d.]+", text)]


def _rotation(x, y, z):
    return (x, y, z, -abs(1.0 - x * x - y * y - z * z) ** 0.5)


class Mesh:
    """joints: (name, parent, position, rotation) in model space. Per mesh: vertices, for each a list of
    (joint, bias, offset); uvs; tris, in the order of the file."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            text = re.sub(r"//[^\n]*", "", file.read())
        self.joints, self.vertices, self.uvs, self.tris = [], [], [], []
        for name, fields in re.findall(r'"([^"]+)"\s+(-?\d+ \([^\n]*)', text.split("mesh {")[0]):
            n = _numbers(fields)
            self.joints.append((name, int(n[0]), tuple(n[1:4]), _rotation(*n[4:7])))
        for body in text.split("mesh {")[1:]:
            weights = [_numbers(line) for line in re.findall(r"\sweight ([^\n]*)", body)]
            found, uvs = [], []
            for line in re.findall(r"\svert ([^\n]*)", body):
                n = _numbers(line)
                uvs.append((n[1], n[2]))
                first, count = int(n[3]), int(n[4])
                found.append([(int(w[1]), w[2], tuple(w[3:6]))
                              for w in weights[first:first + count]])
            self.vertices.append(found)
            self.uvs.append(uvs)
            self.tris.append([tuple(int(v) for v in line.split()[1:])
                              for line in re.findall(r"\stri ([^\n]*)", body)])

    def position(self, vertex, posed):
        """Returns the position of a vertex if the joints are at posed (position, rotation)."""
        at = (0.0, 0.0, 0.0)
        for joint, bias, offset in vertex:
            position, rotation = posed[joint]
            spot = add(position, rotate(rotation, offset))
            at = (at[0] + bias * spot[0], at[1] + bias * spot[1], at[2] + bias * spot[2])
        return at


class Anim:
    """rate, names, parents; frames: per frame a list of (position, rotation) relative to the parent;
    bounds: per frame the smallest and the largest corner."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            text = re.sub(r"//[^\n]*", "", file.read())
        self.rate = int(re.search(r"frameRate (\d+)", text).group(1))
        joint_lines = re.findall(r'"([^"]+)"\s+(-?\d+) (\d+) (\d+)', text.split("hierarchy {")[1])
        self.names = [line[0] for line in joint_lines]
        self.parents = [int(line[1]) for line in joint_lines]
        base = text.split("baseframe {")[1].split("}")[0].strip().split("\n")
        base = [_numbers(line) for line in base]
        bound_lines = text.split("bounds {")[1].split("}")[0].strip().split("\n")
        self.bounds = [(n[:3], n[3:]) for n in map(_numbers, bound_lines)]
        self.frames, self._posed = [], {}
        for body in re.findall(r"frame \d+ \{([^}]*)\}", text):
            values, frame = _numbers(body), []
            for line, (_, _, bits, first) in zip(base, joint_lines):
                n, at = list(line), int(first)
                for component in range(6):
                    if int(bits) >> component & 1:
                        n[component] = values[at]
                        at += 1
                frame.append((tuple(n[:3]), _rotation(*n[3:])))
            self.frames.append(frame)

    def posed(self, n):
        """Returns (position, rotation) of all joints in model space, at a frame or between two frames."""
        if n in self._posed:
            return self._posed[n]
        out = self._posed[n] = []
        frame, part = self.frames[int(n)], n % 1
        next_frame = self.frames[int(n) + 1] if part else frame
        for (position, rotation), (next_position, next_rotation), parent in zip(
                frame, next_frame, self.parents):
            if part:
                position, rotation = mix(position, next_position, part), blend(rotation, next_rotation, part)
            if parent >= 0:
                base, swing = out[parent]
                position, rotation = add(base, rotate(swing, position)), mul(swing, rotation)
            out.append((position, rotation))
        return out
