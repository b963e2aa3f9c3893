"""Reads glTF 2.0 with only struct and json, validates it, and poses it with independent arithmetic.

gltf.py check FILE...: checks rules of the standard for the output of md5tool; prints violations.
gltf.py poses FILE DUMP CLIP TOLERANCE [SCALE [TURN]]: compares vertices at the times of `md5tool dump`, or in
the bind pose if CLIP is ''; prints the largest distance, in units of the dump, and fails above the tolerance.
gltf.py reader FILE JSON DUMP CLIP TOLERANCE: the same for the transforms that another program read at the
times of the dump: {clip: {time: {node: [[x, y, z], ...]}}} in the scene's space.
gltf.py show FILE EXPRESSION: prints a Python expression of g, the JSON, and read(accessor).
"""
import json
import math
import os
import struct
import sys
import urllib.parse

SIZES = {5120: 'b', 5121: 'B', 5122: 'h', 5123: 'H', 5125: 'I', 5126: 'f'}
COLUMNS = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}


class File:
    def __init__(self, path):
        data = open(path, 'rb').read()
        if data[:4] == b'glTF':
            version, size, length, kind = struct.unpack_from('<4I', data, 4)
            assert version == 2 and size == len(data) and kind == 0x4E4F534A and length % 4 == 0
            self.g = json.loads(data[20 : 20 + length])
            length2, kind = struct.unpack_from('<2I', data, 20 + length)
            assert kind == 0x004E4942 and 28 + length + length2 == len(data) and length2 % 4 == 0
            self.bytes = data[28 + length :]
            assert 'uri' not in self.g['buffers'][0]
        else:
            self.g = json.loads(data)
            uri = urllib.parse.unquote(self.g['buffers'][0]['uri'])
            self.bytes = open(os.path.join(os.path.dirname(path), uri), 'rb').read()
        assert self.g['buffers'][0]['byteLength'] <= len(self.bytes)
        self.cache = {}

    def values(self, view, offset, component, count, columns):
        view = self.g['bufferViews'][view]
        letter = SIZES[component]
        size = struct.calcsize(letter) * columns
        stride = view.get('byteStride', size)
        assert offset % struct.calcsize(letter) == 0 and view['byteOffset'] % 4 == 0
        assert offset + stride * (count - 1) + size <= view['byteLength'], 'accessor beyond its view'
        begin = view['byteOffset'] + offset
        return [
            struct.unpack_from('<%d%s' % (columns, letter), self.bytes, begin + i * stride)
            for i in range(count)
        ]

    def read(self, index):
        if index in self.cache:
            return self.cache[index]
        a = self.g['accessors'][index]
        columns, component = COLUMNS[a['type']], a['componentType']
        if 'bufferView' in a:
            rows = self.values(a['bufferView'], a.get('byteOffset', 0), component, a['count'], columns)
        else:
            rows = [(0.0,) * columns] * a['count']
        if 'sparse' in a:
            s = a['sparse']
            indices = self.values(
                s['indices']['bufferView'],
                s['indices']['byteOffset'],
                s['indices']['componentType'],
                s['count'],
                1,
            )
            replacements = self.values(
                s['values']['bufferView'], s['values']['byteOffset'], component, s['count'], columns
            )
            assert all(x < y for x, y in zip(indices, indices[1:])), 'sparse indices do not ascend'
            for (i,), row in zip(indices, replacements):
                rows[i] = row
        if a.get('normalized'):
            top = {5120: 127, 5121: 255, 5122: 32767, 5123: 65535}[component]
            rows = [tuple(max(x / top, -1) for x in row) for row in rows]
        self.cache[index] = rows
        return rows


# -- Checks ---------------------------------------------------------------------------------------


def length(v):
    return math.sqrt(sum(x * x for x in v))


def check(path):
    f = File(path)
    g = f.g
    assert g['asset']['version'] == '2.0'
    for i, a in enumerate(g['accessors']):
        rows = f.read(i)
        assert rows and all(math.isfinite(x) for row in rows for x in row), 'accessor %d' % i
        for key, pick in (('min', min), ('max', max)):
            if key in a:
                bounds = [pick(column) for column in zip(*rows)]
                assert [struct.pack('<f', x) for x in a[key]] == [struct.pack('<f', x) for x in bounds], key
    nodes = g.get('nodes', [])
    parents = {}
    for i, node in enumerate(nodes):
        for child in node.get('children', []):
            assert child not in parents and child != i, 'node %d has two parents' % child
            parents[child] = i
        if 'rotation' in node:
            assert abs(length(node['rotation']) - 1) < 1e-6, 'rotation of node %d' % i
        assert 'scale' not in node and 'matrix' not in node
    tops = g['scenes'][g['scene']]['nodes']
    assert sorted(tops) == [
        i for i in range(len(nodes)) if i not in parents
    ], 'nodes without parent are the scene'
    names = [
        ''.join(c for c in n['name'] if c not in '[].:/').replace(' ', '_').encode()[:63] for n in nodes
    ]
    assert len(set(names)) == len(names), 'names of nodes are not unique'
    assert len({a['name'] for a in g.get('animations', [])}) == len(g.get('animations', []))
    for skin in g.get('skins', []):
        binds = f.read(skin['inverseBindMatrices'])
        assert len(binds) == len(skin['joints']) and skin['skeleton'] in tops
        assert all((m[3], m[7], m[11], m[15]) == (0, 0, 0, 1) for m in binds)
        for joint in skin['joints']:
            while joint in parents:
                joint = parents[joint]
            assert joint == skin['skeleton'], 'a joint is not below the root'
    for mesh in g.get('meshes', []):
        for p in mesh['primitives']:
            at = p['attributes']
            count = g['accessors'][at['POSITION']]['count']
            assert all(g['accessors'][i]['count'] == count for i in at.values())
            indices = [i for (i,) in f.read(p['indices'])]
            assert len(indices) % 3 == 0 and max(indices) < count
            rounding = 1e-5 if g['accessors'][at['NORMAL']]['componentType'] == 5126 else 0.01
            assert all(abs(length(n) - 1) < rounding for n in f.read(at['NORMAL']))
            assert all(
                abs(length(t[:3]) - 1) < rounding and abs(t[3]) == 1
                for t in f.read(at.get('TANGENT', at['WEIGHTS_0']))
                if 'TANGENT' in at
            )
            for v in range(count):
                joints, weights = [], []
                for s in range(4):
                    if 'JOINTS_%d' % s in at:
                        joints += f.read(at['JOINTS_%d' % s])[v]
                        weights += f.read(at['WEIGHTS_%d' % s])[v]
                assert min(weights) >= 0 and abs(sum(weights) - 1) < 1e-6, 'weights of vertex %d' % v
                assert all(x >= y - 1e-6 for x, y in zip(weights, weights[1:])), (
                    'weights of vertex %d do not descend' % v
                )
                used = [j for j, w in zip(joints, weights) if w > 0]
                assert len(set(used)) == len(used) and all(
                    j == 0 for j, w in zip(joints, weights) if w == 0
                )
            for target in p.get('targets', []):
                assert all(g['accessors'][i]['count'] == count for i in target.values())
            assert len(mesh.get('extras', {}).get('targetNames', [])) == len(p.get('targets', []))
    for a in g.get('animations', []):
        targets = set()
        for c in a['channels']:
            sampler, target = a['samplers'][c['sampler']], c['target']
            assert (target['node'], target['path']) not in targets
            targets.add((target['node'], target['path']))
            times, values = f.read(sampler['input']), f.read(sampler['output'])
            assert times[0] == (0,) and all(x < y for x, y in zip(times, times[1:])), 'times do not ascend'
            if target['path'] == 'weights':
                mesh = g['meshes'][nodes[target['node']]['mesh']]
                assert len(values) == len(times) * len(mesh['primitives'][0]['targets'])
                continue
            assert len(values) == len(times)
            if target['path'] == 'rotation':
                assert all(abs(length(q) - 1) < 1e-6 for q in values)
                assert all(sum(x * y for x, y in zip(p, q)) >= 0 for p, q in zip(values, values[1:]))
    tracks = [
        {
            (c['target']['node'], c['target']['path'])
            for c in a['channels']
            if 'camera' not in nodes[c['target']['node']]
        }
        for a in g.get('animations', [])
    ]
    tracks = [m for m in tracks if m]
    assert all(m == tracks[0] for m in tracks), 'clips have different tracks'


# -- Poses ----------------------------------------------------------------------------------------


def slerp(a, b, t):
    d = sum(x * y for x, y in zip(a, b))
    if d < 0:
        d, b = -d, [-x for x in b]
    if d > 0.999999:
        q = [x + (y - x) * t for x, y in zip(a, b)]
    else:
        angle = math.acos(d)
        q = [
            (math.sin((1 - t) * angle) * x + math.sin(t * angle) * y) / math.sin(angle)
            for x, y in zip(a, b)
        ]
    return [x / length(q) for x in q]


def matrix(translation, q):
    x, y, z, w = q
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), translation[0]],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), translation[1]],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), translation[2]],
    ]


def product(a, b):
    return [
        [sum(a[r][k] * b[k][c] for k in range(3)) + (a[r][3] if c == 3 else 0) for c in range(4)]
        for r in range(3)
    ]


def posed(f, clip, time):
    """Returns local translation, rotation and weights of each node, then matrices in the scene."""
    g = f.g
    local = [
        [list(n.get('translation', (0, 0, 0))), list(n.get('rotation', (0, 0, 0, 1))), None]
        for n in g['nodes']
    ]
    for a in g.get('animations', []):
        if a['name'] != clip:
            continue
        for c in a['channels']:
            sampler, target = a['samplers'][c['sampler']], c['target']
            times, values = [t for (t,) in f.read(sampler['input'])], f.read(sampler['output'])
            last = max((i for i, t in enumerate(times) if t <= time + 1e-6), default=0)
            following = min(last + 1, len(times) - 1)
            fraction = (time - times[last]) / (times[following] - times[last]) if following > last else 0.0
            fraction = min(max(fraction, 0.0), 1.0)
            n = len(values) // len(times)
            if target['path'] == 'rotation':
                local[target['node']][1] = slerp(values[last], values[following], fraction)
            else:
                rows = [
                    [x + (y - x) * fraction for x, y in zip(values[last * n + k], values[following * n + k])]
                    for k in range(n)
                ]
                if target['path'] == 'weights':
                    local[target['node']][2] = [w for (w,) in rows]
                else:
                    local[target['node']][0] = rows[0]
    world = {}
    stack = [(i, None) for i in g['scenes'][0]['nodes']]
    while stack:
        i, parent = stack.pop()
        m = matrix(*local[i][:2])
        world[i] = m if parent is None else product(world[parent], m)
        stack += [(child, i) for child in g['nodes'][i].get('children', [])]
    return local, world


def vertices(f, clip, time):
    g = f.g
    local, world = posed(f, clip, time)
    out = []
    for i, node in enumerate(g['nodes']):
        if 'mesh' not in node:
            continue
        skin = g['skins'][node['skin']]
        binds = f.read(skin['inverseBindMatrices'])
        palette = [
            product(world[j], [[m[4 * c + r] for c in range(4)] for r in range(3)])
            for j, m in zip(skin['joints'], binds)
        ]
        p = g['meshes'][node['mesh']]['primitives'][0]
        rows = [list(v) for v in f.read(p['attributes']['POSITION'])]
        for weight, target in zip(local[i][2] or [], p.get('targets', [])):
            for v, d in zip(rows, f.read(target['POSITION'])):
                for k in range(3):
                    v[k] += weight * d[k]
        sets = [
            (f.read(p['attributes']['JOINTS_%d' % s]), f.read(p['attributes']['WEIGHTS_%d' % s]))
            for s in range(4)
            if 'JOINTS_%d' % s in p['attributes']
        ]
        mesh = []
        for v, (x, y, z) in enumerate(rows):
            sums = [0.0, 0.0, 0.0]
            for joints, weights in sets:
                for j, w in zip(joints[v], weights[v]):
                    if w > 0:
                        for r in range(3):
                            m = palette[j][r]
                            sums[r] += w * (m[0] * x + m[1] * y + m[2] * z + m[3])
            mesh.append(sums)
        out.append(mesh)
    return out


def read_dump(path, has_clip):
    """Returns {time: [mesh, ...]} of vertices; without a clip the bind pose, at time 0."""
    poses, time, mesh = {}, 0.0, None
    for line in open(path, encoding='latin-1'):
        keyword, *fields = line.split()
        if keyword == 'time':
            time = float(fields[1]) / 1000
        elif keyword in ('skin', 'submesh'):
            mesh = []
            if (keyword == 'skin') == has_clip:
                poses.setdefault(time, []).append(mesh)
        elif keyword == ('v' if has_clip else 'bv'):
            mesh.append([float(x) for x in fields])
    return {time: [mesh for mesh in meshes if mesh] for time, meshes in poses.items()}


def compare(path, dump, clip, tolerance, scale=0.0254, angle=0.0, their_poses=None):
    """Compares poses. `their_poses` contains the transforms of another program; without it our own poses
    are compared."""
    f = File(path)
    names = [n['name'] for n in f.g['nodes'] if 'mesh' in n]
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    largest, location = 0.0, None
    poses = read_dump(dump, clip != '')
    assert poses
    for time, meshes in poses.items():
        if their_poses:
            rows = next(
                rows
                for key, rows in their_poses[clip].items()
                if key != 'duration' and abs(float(key) - time) < 1e-6
            )
            found = [rows.get(name) or rows[''.join(c for c in name if c not in '[].:/')] for name in names]
        else:
            found = vertices(f, clip, time)
        assert len(found) == len(meshes), 'meshes: %d, not %d' % (len(found), len(meshes))
        for m, (a, b) in enumerate(zip(found, meshes)):
            assert len(a) >= len(b)
            for v, (p, (x, y, z)) in enumerate(zip(a, b)):
                x, y = c * x - s * y, s * x + c * y
                distance = length((p[0] - y * scale, p[1] - z * scale, p[2] - x * scale)) / scale
                if distance > largest:
                    largest, location = distance, (time, m, v)
    print('%.3g' % largest, location)
    return largest <= tolerance


if __name__ == '__main__':
    command, *arguments = sys.argv[1:]
    if command == 'check':
        for name in arguments:
            try:
                check(name)
            except AssertionError as error:
                sys.exit('%s: %s, line %d' % (name, error, error.__traceback__.tb_next.tb_lineno))
    elif command == 'poses':
        sys.exit(not compare(*arguments[:3], *map(float, arguments[3:])))
    elif command == 'reader':
        their_poses = json.load(open(arguments[1]))
        sys.exit(not compare(arguments[0], *arguments[2:4], float(arguments[4]), their_poses=their_poses))
    else:
        file = File(arguments[0])
        print(eval(arguments[1], {'g': file.g, 'read': file.read}))
