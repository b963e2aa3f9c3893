"""gltf_morphs.py OUT.gltf [WEIGHT...]: writes a triangle with two morph targets, which move it by 4 forward
and by 1 up. The mesh has the default weights 1 and 1; its node has the weights of the command line, if any.
The clip changes both weights from 0 to 1 in a second."""
import base64
import json
import struct
import sys
floats = [0, 0, 0, 2, 0, 0, 0, 3, 0] + [0, 0, 4] * 3 + [0, 1, 0] * 3 + [0, 1] + [0, 0, 1, 1]
data = struct.pack("<%df" % len(floats), *floats)
kinds = [("VEC3", 3), ("VEC3", 3), ("VEC3", 3), ("SCALAR", 2), ("SCALAR", 4)]
views, accessors, at = [], [], 0
for i, (kind, count) in enumerate(kinds):
    size = count * 4 * (3 if kind == "VEC3" else 1)
    views.append({"buffer": 0, "byteOffset": at, "byteLength": size})
    accessors.append({"bufferView": i, "componentType": 5126, "type": kind, "count": count})
    at += size
mesh = {"weights": [1, 1], "extras": {"targetNames": ["rise", "lift"]},
        "primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}, {"POSITION": 2}]}]}
weights = {"sampler": 0, "target": {"node": 0, "path": "weights"}}
node = {"name": "n", "mesh": 0}
if len(sys.argv) > 2:
    node["weights"] = [float(w) for w in sys.argv[2:]]
text = {"asset": {"version": "2.0"}, "nodes": [node], "meshes": [mesh],
        "bufferViews": views, "accessors": accessors,
        "animations": [{"name": "move", "samplers": [{"input": 3, "output": 4}], "channels": [weights]}],
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64,"
                     + base64.b64encode(data).decode()}]}
json.dump(text, open(sys.argv[1], "w"))
