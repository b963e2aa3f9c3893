#!/bin/sh
# Import of VRM: an avatar whose joints have no meaningful names is retargeted by the bones that the file declares.
. test/build/report.sh
tool=$products/md5tool
python3 test/convert/walker.py write "$scratch/walk.bvh" cm 0 mixamo
"$tool" convert "$models/bobbin/bobbin.md5mesh" --force --output "$scratch/bobbin.glb" >"$scratch/notes" 2>&1
if grep -q 'built without jansson' "$scratch/notes"; then
    skip "VRM" "built without jansson"
    finish
fi
for version in 0 1; do
    python3 test/convert/vrm.py avatar "$scratch/bobbin.glb" "$scratch/avatar_$version.vrm" $version
done
retarget_to_vrm() { # MODEL FOLDER
    mkdir -p "$2" && "$tool" convert "$1" "$scratch/walk.bvh" --output "$2" >"$scratch/notes" 2>&1 || {
        cat "$scratch/notes"
        false
    }
}
check "a walk is retargeted by the names of joints" retarget_to_vrm "$scratch/bobbin.glb" "$scratch/names"
for version in 0 1; do
    check "... and for an avatar of VRM $version by its bones" retarget_to_vrm "$scratch/avatar_$version.vrm" "$scratch/bones_$version"
    check "... with the same clip" python3 test/convert/vrm.py same "$scratch/names/walk.md5anim" "$scratch/bones_$version/walk.md5anim"
done
cp "$scratch/avatar_1.vrm" "$scratch/nameless.glb"
python3 - "$scratch/nameless.glb" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
open(sys.argv[1], "wb").write(data.replace(b"VRMC_vrm", b"VRMC_xxx"))
END
check "an avatar without bones is rejected" exits_with 1 "--map FILE" "$tool" convert "$scratch/nameless.glb" "$scratch/walk.bvh" \
    --output "$scratch/none"
# An avatar with many morph targets: their models can exceed the budget of the file, but the avatar is converted.
convert_faces() { # COUNT TEXT: converts an avatar with COUNT morph targets, and expects a part of the output
    python3 test/convert/vrm.py faces "$scratch/face.vrm" "$1" && rm -rf "$scratch/face" &&
        exits_with 0 "$2" "$tool" convert "$scratch/face.vrm" --output "$scratch/face/" &&
        [ -f "$scratch/face/face.md5mesh" ]
}
converts_few_faces() { convert_faces 4 "model height" && [ "$(find "$scratch/face/morphs" -type f | wc -l)" = 4 ]; }
converts_many_faces() { convert_faces 124 "skipped all morph targets (124): MD5 stores each of them as a model" && [ ! -e "$scratch/face/morphs" ]; }
check "an avatar with four morph targets keeps them" converts_few_faces
check "an avatar with 124 morph targets is converted without them" converts_many_faces
check "VRM 0 faces backward, in meters" python3 - "$scratch" "$tool" <<'END'
import base64, json, re, struct, subprocess, sys
scratch, tool = sys.argv[1:]
def first_vertex(extensions):
    data = struct.pack("<9f", 0, 0, 1, 1, 0, 0, 0, 1, 0)
    text = {"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}], "extensions": extensions,
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
            "bufferViews": [{"buffer": 0, "byteLength": len(data)}],
            "buffers": [{"byteLength": len(data), "uri": "data:;base64," + base64.b64encode(data).decode()}]}
    with open(scratch + "/v.vrm", "w") as file:
        json.dump(text, file)
    subprocess.run([tool, "convert", scratch + "/v.vrm", "--force", "--output", scratch + "/v.md5mesh"], check=True,
                   capture_output=True)
    dump = subprocess.run([tool, "dump", scratch + "/v.md5mesh"], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"^bv (\S+) ", dump, re.M).group(1))
forward, backward = first_vertex({"VRMC_vrm": {"humanoid": {}}}), first_vertex({"VRM": {"humanoid": {}}})
assert abs(forward - 1 / 0.0254) < 1e-3 and abs(backward + 1 / 0.0254) < 1e-3, (forward, backward)
END
finish
