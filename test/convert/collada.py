"""collada.py curves OUT: writes a Collada file of a mesh that is moved and rotated by curves of all kinds
between few keys, and OUT.FRAME.obj with its vertices in some frames.
collada.py baked OUT: writes a file whose curves have a key in each of ten frames at 30 Hz.
collada.py late OUT: the same with the first key after one second.
collada.py skeleton OUT: writes a file with a mesh that does not move, and bones that move and have no mesh.
collada.py nested OUT: the file of `curves`, with animations that contain each other.
collada.py actions OUT: writes a file with two animations of the same targets.
collada.py clips OUT: writes two elements <animation_clip> of equal duration, each composed of two animations,
and OUT.NAME.obj with the vertices at the end of the clip NAME.
collada.py view OUT: writes a node with a <lookat> whose up vector is not perpendicular to the direction of
view, and OUT.obj with its vertices.
collada.py skins OUT: writes two skeletons with the same sids, and a skin with an instance for each of them.
OUT.obj contains its vertices if both instances follow the first skeleton, at x = -9.
collada.py many_skins OUT COUNT: writes COUNT instances of a skin with COUNT joints, each with COUNT
skeletons.
collada.py kind OUT KIND [SECONDS]: writes a file with two keys of this type of interpolation, at 0 and at
SECONDS (1)."""
import math
import sys

POINTS = [(0, 0, 0), (9, 0, 0), (0, 5, 0), (0, 0, 3)]
FRAMES = (0, 5, 11, 12, 17, 24)
RATE = 24


def source(name, numbers, params):
    texts = [number if isinstance(number, str) else f"{number:.9g}" for number in numbers]
    kind, array = ("Name", "Name_array") if isinstance(numbers[0], str) else ("float", "float_array")
    inner = "".join(f'<param name="{param}" type="{kind}"/>' for param in params)
    return (f'<source id="{name}"><{array} id="{name}-array" count="{len(texts)}">'
            f'{" ".join(texts)}</{array}><technique_common><accessor source="#{name}-array" '
            f'count="{len(texts) // len(params)}" stride="{len(params)}">{inner}</accessor>'
            '</technique_common></source>')


def animation(target, param, times, values, kinds, tangents=None):
    """Returns an animation of a property. `tangents` are the tangents to the previous and to the next key, as
    numbers or as pairs."""
    name = target.replace("/", "-").replace(".", "-")
    arrays = {"INPUT": (times, ["TIME"]), "OUTPUT": (values, [param]),
              "INTERPOLATION": (kinds, ["INTERPOLATION"])}
    for semantic, side in zip(("IN_TANGENT", "OUT_TANGENT"), tangents or ()):
        pairs = isinstance(side[0], tuple)
        numbers = [x for pair in side for x in pair] if pairs else side
        arrays[semantic] = (numbers, ["X", "Y"] if pairs else ["Y"])
    text = f'<animation id="{name}">'
    text += "".join(source(f"{name}-{semantic}", *array) for semantic, array in arrays.items())
    text += f'<sampler id="{name}-sampler">'
    text += "".join(f'<input semantic="{semantic}" source="#{name}-{semantic}"/>' for semantic in arrays)
    return text + f'</sampler><channel source="#{name}-sampler" target="{target}"/></animation>'


def node(name, inner):
    return (f'<node id="{name}" name="{name}"><translate sid="at">0 0 0</translate>'
            f'<rotate sid="y">0 1 0 0</rotate><rotate sid="z">0 0 1 0</rotate>{inner}</node>')


MESH = '<instance_geometry url="#g"/>'


def write(path, animations, nodes=node("body", MESH), controllers=""):
    positions = source("points", [float(x) for point in POINTS for x in point], "XYZ")
    corners = "0 2 1 0 1 3 0 3 2 1 2 3"
    with open(path, "w") as out:
        print('<?xml version="1.0"?>\n'
              '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
              '<asset><up_axis>Y_UP</up_axis></asset><library_animations>', *animations,
              f'</library_animations><library_geometries><geometry id="g"><mesh>{positions}'
              '<vertices id="v"><input semantic="POSITION" source="#points"/></vertices>'
              f'<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{corners}</p>'
              '</triangles></mesh></geometry></library_geometries>'
              f'<library_controllers>{controllers}</library_controllers><library_visual_scenes>'
              f'<visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>'
              '<scene><instance_visual_scene url="#s"/></scene></COLLADA>', file=out)


def rotate(point, axis, degrees):
    """Rotates a point around the axis 1 (y) or 2 (z)."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y, z = point
    return (c * x + s * z, y, c * z - s * x) if axis == 1 else (c * x - s * y, s * x + c * y, z)


# The curve of x is 16 t (1 - t): its two keys have the same value. The control points of a polynomial are at
# thirds of the time, so its tangents need no times. The curve of y is 2 t - 4 t^3, whose derivatives are the
# tangents of a Hermite curve. z has steps. The angle around y is linear, the angle around z has tangents with
# times.
EASE = ((0, 0), (0.6, 10), (0.7, 100), (1, 90))


def bezier(a, b, c, d, s):
    return (1 - s) ** 3 * a + 3 * (1 - s) ** 2 * s * b + 3 * (1 - s) * s ** 2 * c + s ** 3 * d


def ease(time):
    s = time
    for _ in range(200):  # s moves toward the parameter at which the curve has this time
        s += 0.3 * (time - bezier(*(point[0] for point in EASE), s))
    return bezier(*(point[1] for point in EASE), s)


def pose(time):
    at = (16 * time * (1 - time), 2 * time - 4 * time ** 3, 1 if time < 0.5 else 4 if time < 1 else 2)
    rotated_points = [rotate(rotate(point, 2, ease(time)), 1, 170 * time) for point in POINTS]
    return [tuple(x + y for x, y in zip(at, point)) for point in rotated_points]


def group(name, *animations):
    return f'<animation id="{name}" name="{name}">{"".join(animations)}</animation>'


def curves():
    return [
        animation("body/at.X", "X", [0, 1], [0, 0], ["BEZIER"] * 2, ([0, 16 / 3], [16 / 3, 0])),
        animation("body/at.Y", "Y", [0, 1], [0, -2], ["HERMITE"] * 2, ([(1, 0), (1, -10)], [(1, 2), (1, 0)])),
        animation("body/at.Z", "Z", [0, 0.5, 1], [1, 4, 2], ["STEP"] * 3),
        animation("body/y.ANGLE", "ANGLE", [0, 1], [0, 170], ["LINEAR"] * 2),
        animation("body/z.ANGLE", "ANGLE", [0, 1], [0, 90], ["BEZIER"] * 2,
                  ([(0, 0), EASE[2]], [EASE[1], (1, 90)]))]


def write_curves(path, animations):
    write(path, animations)
    for frame in FRAMES:
        with open(f"{path}.{frame}.obj", "w") as out:
            for point in pose(frame / RATE):
                print("v", *point, file=out)


def write_baked(path, start):
    times = [start + frame / 30 for frame in range(10)]
    values = [math.sin(frame) for frame in range(10)]
    tangents = [(time, 0) for time in times]
    write(path, [animation("body/at.X", "X", times, values, ["BEZIER"] * 10, (tangents, tangents))])


def write_skeleton(path):
    linear = ([0, 1], [0, 90], ["LINEAR"] * 2)
    bones = node("hips", node("spine", ""))
    write(path, [animation(f"{bone}/z.ANGLE", "ANGLE", *linear) for bone in ("hips", "spine")],
          node("box", MESH) + bones)


def write_actions(path):
    def action(name, angle):
        keys = ("ANGLE", [0, 1], [0, angle], ["LINEAR"] * 2)
        channels = [animation(f"body/{axis}.ANGLE", *keys) for axis in "yz"]
        return group(name, *channels).replace("body-", f"{name}-")
    write(path, [action("wave", 20), action("bow", 40)])


def write_clips(path):
    animations, clips = [], []
    for name, angle in ("wave", 20), ("bow", 40):
        keys = ("ANGLE", [0, 1], [0, angle], ["LINEAR"] * 2)
        texts = [animation(f"body/{axis}.ANGLE", *keys).replace("body-", f"{name}-") for axis in "yz"]
        ids = [text.split('"')[1] for text in texts]
        animations += texts
        references = "".join(f'<instance_animation url="#{id}"/>' for id in ids)
        clips.append(f'<animation_clip name="{name}" start="0" end="1">{references}</animation_clip>')
        with open(f"{path}.{name}.obj", "w") as out:
            for point in POINTS:
                print("v", *rotate(rotate(point, 2, angle), 1, angle), file=out)
    write(path, animations)
    with open(path) as file:
        text = file.read()
    library = f'<library_animation_clips>{"".join(clips)}</library_animation_clips><library_animations>'
    with open(path, "w") as out:
        out.write(text.replace("<library_animations>", library))


def write_view(path):
    """Writes a node that looks from (1, 2, 3) along -x, which is its -z axis. Its y axis is the part of the
    up vector (1, 1, 0) that is perpendicular to x."""
    view = '<lookat sid="view">1 2 3 -4 2 3 1 1 0</lookat>'
    write(path, [], f'<node id="body" name="body">{view}{MESH}</node>')
    with open(f"{path}.obj", "w") as out:
        for x, y, z in POINTS:
            print("v", 1 + z, 2 + y, 3 - x, file=out)


def skin_controller(joints):
    """A skin whose four points belong to the first two joints."""
    identity = [float(i % 5 == 0) for i in range(16)]
    return (
        f'<controller id="skin"><skin source="#g">{source("joints", joints, ["JOINT"])}'
        f'{source("weights", [1.0], ["WEIGHT"])}'
        f'{source("binds", len(joints) * identity, ["TRANSFORM"] * 16)}'
        '<joints><input semantic="JOINT" source="#joints"/>'
        '<input semantic="INV_BIND_MATRIX" source="#binds"/></joints>'
        '<vertex_weights count="4"><input semantic="JOINT" source="#joints" offset="0"/>'
        '<input semantic="WEIGHT" source="#weights" offset="1"/>'
        '<vcount>1 1 1 1</vcount><v>0 0 1 0 1 0 0 0</v></vertex_weights></skin></controller>')


def skin_instance(*skeletons):
    elements = "".join(f"<skeleton>#{name}</skeleton>" for name in skeletons)
    return f'<instance_controller url="#skin">{elements}</instance_controller>'


def write_skins(path):
    def skeleton(name, x):
        return (f'<node id="{name}" sid="hips" type="JOINT"><translate>{x} 0 0</translate>'
                f'<node id="{name}-spine" sid="spine" type="JOINT"/></node>'
                f'<node id="{name}-body">{skin_instance(name)}</node>\n')
    write(path, [], skeleton("left", -9) + skeleton("right", 9), skin_controller(["hips", "spine"]))
    with open(f"{path}.obj", "w") as out:
        for x, y, z in POINTS:
            print("v", x - 9, y, z, file=out)


def write_many_skins(path, count):
    """Writes `count` instances of a skin. A search for each joint of each instance in each skeleton takes a
    time that grows with the third power of `count`, while the size of the file grows with the second
    power."""
    names = [f"bone{i}" for i in range(count)]
    nodes = "".join(f'<node id="{name}" sid="{name}" type="JOINT"/>' for name in names)
    instances = "".join(f'<node id="body{i}">{skin_instance(*names)}</node>\n' for i in range(count))
    write(path, [], nodes + instances, skin_controller(names))


def main(command, path, kind=None, seconds=1):
    if command == "curves":
        write_curves(path, curves())
    elif command == "nested":
        moves, rotations = curves()[:3], curves()[3:]
        inner = group("inner", rotations[1])
        write_curves(path, [group("move", *moves), group("rotate", rotations[0], inner)])
    elif command == "actions":
        write_actions(path)
    elif command == "clips":
        write_clips(path)
    elif command == "view":
        write_view(path)
    elif command == "skins":
        write_skins(path)
    elif command == "many_skins":
        write_many_skins(path, int(kind))
    elif command == "skeleton":
        write_skeleton(path)
    elif command == "kind":
        write(path, [animation("body/at.X", "X", [0, float(seconds)], [0, 1], [kind] * 2)])
    else:
        write_baked(path, 1 if command == "late" else 0)


main(*sys.argv[1:])
