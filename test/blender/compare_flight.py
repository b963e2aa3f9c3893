"""compare_flight.py LIBRARY FLIGHT.md5camera TRUTH.json: compares the library's camera with Blender's in each
frame. Prints the differences and exits with status 1 if one exceeds 1e-4."""

import ctypes
import json
import sys

TOLERANCE = 1e-4


class View(ctypes.Structure):
    _fields_ = [(name, ctypes.c_float) for name in "x y z qx qy qz qw fov".split()]


def axes(q):
    """Returns the columns of the textbook matrix of a quaternion: forward, left, up."""
    x, y, z, w = q
    return ([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
            [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
            [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])


def main(library, path, truth_path):
    md5 = ctypes.CDLL(library)
    md5.md5_load_camera.restype = ctypes.c_void_p
    md5.md5_camera_at.restype = View
    md5.md5_camera_at.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_int]
    camera = md5.md5_load_camera(path.encode(), None, None)
    with open(truth_path, encoding="utf-8") as file:
        truth = json.load(file)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    cuts = [int(cut) for cut in text.split("cuts {")[1].split("}")[0].split()]
    num_failed = 0
    if not camera or cuts != truth["cuts"]:
        print("cuts are %s, expected %s" % (cuts, truth["cuts"]))
        num_failed += 1
    largest = 0.0
    for frame, expected in enumerate(truth["views"]):
        view = md5.md5_camera_at(camera, (frame + 1e-7) / truth["rate"], 2)
        forward, left, up = axes((view.qx, view.qy, view.qz, view.qw))
        found_values = [view.x, view.y, view.z, view.fov] + forward + left + up
        expected_values = (expected["position"] + [expected["fov"]] + expected["forward"] + expected["left"]
                           + expected["up"])
        difference = max(abs(a - b) for a, b in zip(found_values, expected_values))
        largest = max(largest, difference)
        if not difference <= TOLERANCE:
            print("frame %d: off by %g" % (frame, difference))
            num_failed += 1
    print("note: camera path: %.1e" % largest)
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
