#!/bin/sh
# Import of glTF 2.0: poses compared with another reader, errors with the exact fault, hostile files.
. test/build/report.sh
tool=$(realpath "$products/md5tool")
generated_files=$scratch/made
mkdir "$generated_files"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
if ! python3 test/convert/gltf_make.py "$generated_files"; then
    check "the test files are written" false
    finish
fi
"$tool" convert "$generated_files/plain.glb" --output "$scratch" 2>"$scratch/check_output"
if grep -q 'built without jansson' "$scratch/check_output"; then
    skip "glTF import" "built without jansson"
    finish
fi

# convert_to_new_folder FILE OPTION...: converts a file into a new folder, $folder.
convert_to_new_folder() {
    file=$1
    shift
    folder=$scratch/folder
    rm -rf "$folder" && mkdir "$folder" && "$tool" convert "$file" --output "$folder" "$@" 2>"$scratch/notes" ||
        { cat "$scratch/notes"; return 1; }
}
expect_note() {
    grep -qF -- "$1" "$scratch/notes" || { echo "missing text '$1' in"; cat "$scratch/notes"; false; }
}
# fails_with FILE TEXT...: returns success if the error contains all texts and no file is written.
fails_with() {
    ! convert_to_new_folder "$1" --scale 1 >"$scratch/out" || { echo "the file was accepted"; return 1; }
    shift
    for word in "$@"; do
        expect_note "$word" || return 1
    done
    [ -z "$(ls -A "$folder")" ]
}

# -- Files of our own -----------------------------------------------------------------------------

matches_reference_poser() { # CASE
    convert_to_new_folder "$generated_files/$1.glb" --scale 1 && python3 test/convert/gltf_read.py "$tool" "$generated_files/$1.glb" "$folder"
}
for case in plain scaled mirrored matrix rest joint_scale beside beside_still beside_moving; do
    check "$case: poses equal another reader's" matches_reference_poser $case
done
# A mesh that is not a child of the skeleton is attached to a root that does not move: a root of the skeleton or, if there is
# none, an additional root. Doom 3 allows only one root.
check_attached_mesh() { # CASE NUMBER_OF_ROOTS TEXT OPTION...
    case=$1
    roots=$2
    text=$3
    shift 3
    convert_to_new_folder "$generated_files/$case.glb" --scale 1 "$@" && expect_note "mesh prop has neither a skin nor a joint above it: it was attached to the root joint $text" &&
        [ "$(find "$folder" -name '*.md5mesh' ! -path '*/morphs/*' -exec grep -ch '^[[:space:]].*"[[:space:]]-1[[:space:]]' {} +)" = "$roots" ]
}
check 'beside: an additional root' check_attached_mesh beside 2 'origin, which does not move'
check 'beside: the root, for Doom 3' check_attached_mesh beside 1 'origin and moves with it' --for doom3
check 'beside: the root of the skeleton, which does not move' check_attached_mesh beside_still 1 'joint_0, which does not move'
# Doom 3 and FTE reject several roots. The roots of this file have parents that are not joints; they get a common root.
roots_get_common_parent() { # ENGINE
    convert_to_new_folder "$generated_files/beside_moving.glb" --scale 1 --for "$1" || return 1
    ! expect_note '[roots]' >"$scratch/out"
}
check 'beside_moving: a common root, for FTE' roots_get_common_parent fte
check 'beside_moving: a common root, for Doom 3' roots_get_common_parent doom3
check '... without a change of the poses' python3 test/convert/gltf_read.py "$tool" "$generated_files/beside_moving.glb" "$folder"

print_first_joint_position() { # FILE: prints the first joint's position
    awk '/^joints/ { getline; print $4, $5, $6 }' "$1"
}
# shellcheck disable=SC2046,SC2086 # several words
scale_option_works() {
    convert_to_new_folder "$generated_files/plain.glb" --scale 1 && first=$(print_first_joint_position "$folder/plain.md5mesh") &&
        convert_to_new_folder "$generated_files/plain.glb" --scale 2 && numbers_satisfy '($4 - 2 * $1)^2 + ($5 - 2 * $2)^2 + ($6 - 2 * $3)^2 < 1e-10' \
            $first $(print_first_joint_position "$folder/plain.md5mesh")
}
# shellcheck disable=SC2046,SC2086 # several words
rotate_option_works() { # rotates counterclockwise: forward becomes left
    convert_to_new_folder "$generated_files/plain.glb" --scale 1 && first=$(print_first_joint_position "$folder/plain.md5mesh") &&
        convert_to_new_folder "$generated_files/plain.glb" --scale 1 --rotate 90 &&
        numbers_satisfy '($4 + $2)^2 + ($5 - $1)^2 + ($6 - $3)^2 < 1e-10' $first $(print_first_joint_position "$folder/plain.md5mesh")
}
guesses_meters() { # meters
    convert_to_new_folder "$generated_files/plain.glb" && expect_note "scale is 39.3701" && expect_note "in meters"
}
rate_option_works() {
    convert_to_new_folder "$generated_files/plain.glb" --scale 1 --rate 20 && expect_note "20 frames per second" &&
        grep -q '^frameRate 20' "$folder/Wave_twice.md5anim"
}
in_place_option_works() {
    convert_to_new_folder "$generated_files/plain.glb" --scale 1 --root in_place && expect_note "removed a root motion" || return 1
    "$tool" dump "$folder/plain.md5mesh" "$folder/Wave_twice.md5anim" --frame 0 --frame 20 --joint joint_0 >"$scratch/dump"
    awk '/^local 0/ { print $7, $8 }' "$scratch/dump" | uniq | wc -l | grep -qx 1
}
reduces_weights_for_ironwail() { # other diagnostics are ignored
    convert_to_new_folder "$generated_files/plain.glb" --scale 1 --for ironwail >"$scratch/out"
    expect_note "reduced the weights" && mesh=$(find "$folder" -name plain.md5mesh) && [ -n "$mesh" ] &&
        awk '$1 == "vert" { n++ } $1 == "vert" && $8 > 4 { exit 1 } END { exit n == 0 }' "$mesh"
}
doom3_root_is_origin() {
    convert_to_new_folder "$generated_files/plain.glb" --for doom3 && grep -q '^	"origin"	-1' "$folder/plain.md5mesh" &&
        grep -q '^	"origin"	-1' "$folder/Wave_twice.md5anim"
}
takes_only_clips_for_other_model() { # for another model in the command
    convert_to_new_folder "$generated_files/plain.glb" --scale 1 && mv "$folder" "$scratch/model" &&
        convert_to_new_folder "$scratch/model/plain.md5mesh" "$generated_files/plain.glb" --scale 1 && expect_note "only the animations were read" &&
        cmp "$folder/Wave_twice.md5anim" "$scratch/model/Wave_twice.md5anim"
}
check "--scale" scale_option_works
check "--rotate" rotate_option_works
check "the unit is estimated" guesses_meters
check "--rate" rate_option_works
check "--root in_place" in_place_option_works
check "weights are reduced to an engine's limit" reduces_weights_for_ironwail
scene_option_works() {
    convert_to_new_folder "$generated_files/plain.glb" --scene 0 && ! convert_to_new_folder "$generated_files/plain.glb" --scene Attic >"$scratch/out" &&
        expect_note "none of the 1 scenes and no node has the name Attic"
}
check "the root gets the name that Doom 3 requires" doom3_root_is_origin
check "--scene" scene_option_works
check "clips are read for another model" takes_only_clips_for_other_model

# -- Round trips ------------------------------------------------------------------------------------

# Returns success if two dumps have the same number of records, and their numbers differ by at most 1e-3 units.
dumps_match() { # WORD FIRST SECOND
    for file in "$2" "$3"; do
        awk -v word="$1" '$1 == word' "$file" >"$file.$1"
    done
    [ -s "$2.$1" ] && [ "$(wc -l <"$2.$1")" = "$(wc -l <"$3.$1")" ] &&
        paste -d ' ' "$2.$1" "$3.$1" | awk '{ for (i = 2; i <= NF / 2; i++) { off = $i - $(i + NF / 2); if (off * off > 1e-6) {
            print NR ": " $0; exit 1 } } }'
}
bobbin_survives_round_trip() {
    bobbin=models/bobbin
    "$tool" convert $bobbin/bobbin.md5mesh $bobbin/walk.md5anim $bobbin/dance.md5anim --influences 8 \
        --output "$scratch/bobbin.glb" 2>"$scratch/notes" && convert_to_new_folder "$scratch/bobbin.glb" || return 1
    for clip in walk dance; do
        for frame in 0 9; do
            "$tool" dump $bobbin/bobbin.md5mesh $bobbin/$clip.md5anim --frame $frame >"$scratch/before" &&
                "$tool" dump "$folder/bobbin.md5mesh" "$folder/$clip.md5anim" --frame $frame >"$scratch/after" &&
                dumps_match v "$scratch/before" "$scratch/after" && dumps_match tri "$scratch/before" "$scratch/after" &&
                dumps_match st "$scratch/before" "$scratch/after" && dumps_match bv "$scratch/before" "$scratch/after" ||
                return 1
        done
        [ "$(grep -E '^(numFrames|frameRate)' $bobbin/$clip.md5anim)" = "$(grep -E '^(numFrames|frameRate)' "$folder/$clip.md5anim")" ] ||
            return 1
    done
    [ "$(awk '/^joints/,/^}/ { print $1, $2 }' $bobbin/bobbin.md5mesh)" = \
        "$(awk '/^joints/,/^}/ { print $1, $2 }' "$folder/bobbin.md5mesh")" ] &&
        [ "$(grep shader $bobbin/bobbin.md5mesh)" = "$(grep shader "$folder/bobbin.md5mesh")" ]
}
check "MD5 to glTF and back: joints, triangles, poses, frames, shaders" bobbin_survives_round_trip

compare_round_trip() { # KIND BEFORE AFTER
    python3 test/convert/gltf_back.py "$@"
}
machine_survives_round_trip() {
    "$tool" convert models/bobbin/bobbin.md5machine -o "$scratch/machine.glb" 2>"$scratch/notes" && convert_to_new_folder "$scratch/machine.glb" &&
        compare_round_trip morphs models/bobbin/bobbin.md5machine "$folder/machine.md5machine" &&
        "$tool" convert "$folder/machine.md5machine" -o "$scratch/again.glb" 2>"$scratch/notes" && convert_to_new_folder "$scratch/again.glb" &&
        compare_round_trip morphs models/bobbin/bobbin.md5machine "$folder/again.md5machine" &&
        [ "$(cd "$folder/morphs" && echo *)" = "$(cd models/bobbin/morphs && echo *)" ]
}
# An editor may truncate the name of a material. The scene also contains the shader; if the name is the beginning of this
# shader, the shader is used. A name that the user has changed in the editor is the new shader. The blanks preserve the size
# of the file.
restores_shader() { # NAME SHADER
    LC_ALL=C sed "s|\"name\":\"models/imp/skin\",\"pbr|\"name\":$(printf '%-17s' "\"$1\""),\"pbr|" "$scratch/imp.glb" >"$scratch/edited.glb" &&
        convert_to_new_folder "$scratch/edited.glb" && [ "$(awk '$1 == "shader" { print $2 }' "$folder/edited.md5mesh" | sort -u)" = "\"$2\"" ]
}
restores_edited_shader_names() {
    sed 's|shader "[^"]*"|shader "models/imp/skin"|' models/zoo/apart.md5mesh >"$scratch/imp.md5mesh" &&
        "$tool" convert "$scratch/imp.md5mesh" -o "$scratch/imp.glb" 2>"$scratch/notes" || return 1
    restores_shader models/imp/skin models/imp/skin && restores_shader models/imp models/imp/skin && restores_shader models/imp/fur models/imp/fur
}
camera_path_survives_round_trip() {
    "$tool" convert models/bobbin/flight.md5camera -o "$scratch/flight.glb" 2>"$scratch/notes" && convert_to_new_folder "$scratch/flight.glb" &&
        [ "$(ls "$folder")" = flight.md5camera ] && compare_round_trip path models/bobbin/flight.md5camera "$folder/flight.md5camera"
}
reads_camera() {
    convert_to_new_folder "$generated_files/film.glb" --scale 1 && [ "$(ls "$folder")" = Film.md5camera ] && expect_note "skipped cameras/1" &&
        compare_round_trip film "$generated_files/film.glb" "$folder"
}
attaches_mesh_without_skin() { # each vertex of the hat has one weight, on its parent joint
    convert_to_new_folder "$generated_files/plain.glb" --scale 1 && expect_note "mesh hat has no skin: it was attached to joint joint_6" &&
        awk '/^	"/ { if ($1 == "\"joint_6\"") joint = n; n++ } /meshes:/ { in_hat = $3 == "hat" }
            in_hat && $1 == "weight" { all++; good += $3 == joint && $4 == 1 } END { exit all != 9 || good != 9 }' "$folder/plain.md5mesh"
}
check "a machine with morph targets survives two round trips" machine_survives_round_trip
check "shaders survive names of materials that are cut off" restores_edited_shader_names
check "a camera path survives a round trip" camera_path_survives_round_trip
check "a third-party camera with a cut is read" reads_camera
check "a mesh without a skin is attached to its joint" attaches_mesh_without_skin

# -- Errors -----------------------------------------------------------------------------------------

# edit_glb OLD NEW: replaces one value in the JSON of a .glb.
edit_glb() { # OLD NEW
    python3 -c '
import struct, sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack_from("<I", data, 12)[0]
text, old, new = data[20:20 + size], sys.argv[3].encode(), sys.argv[4].encode()
assert old in text
text = text.replace(old, new, 1)
text += b" " * (-len(text) % 4)
data = data[:8] + struct.pack("<I", len(data) - size + len(text)) + struct.pack("<I", len(text)) + data[16:20] + text + data[20 + size:]
open(sys.argv[2], "wb").write(data)' "$generated_files/plain.glb" "$scratch/changed.glb" "$1" "$2"
}
rejects_edited_glb() { # OLD NEW WORD...
    edit_glb "$1" "$2" && shift 2 && fails_with "$scratch/changed.glb" "$@"
}
check "another version" rejects_edited_glb '"version": "2.0"' '"version": "1.0"' "asset/version: unsupported version: expected 2.0, found 1.0; convert the file to glTF 2.0"
check "JSON" rejects_edited_glb '"asset": {' '"asset": [' "JSON:"
check "a list of the wrong type is rejected" rejects_edited_glb '"accessors": [' '"accessors":1,"x":[' "accessors: invalid value: expected an array or an object, found 1; export the file again"
check "an unknown component type is rejected" rejects_edited_glb '"componentType": 5126' '"componentType": 5127' accessors/0 "componentType: unknown type: expected 5120 to 5123, 5125 or 5126, found 5127"
check "another shape" rejects_edited_glb '"type": "MAT4"' '"type": "VEC4"' accessors/0 MAT4
check "an unknown joint is rejected" rejects_edited_glb '"joints": [6, 2' '"joints": [6222' "skins/0/joints/0: index is out of range: expected less than 11, the number of nodes, found 6222"
check "a node that is its own parent is rejected" rejects_edited_glb '"children": [7]' '"children": [8]' nodes/8
check "a node with two parents is rejected" rejects_edited_glb '"children": [7]' '"children": [1]' "nodes/1: expected at most one parent, found nodes/4 and nodes/8"
skips_lines_and_points() {
    edit_glb '"mode": 4' '"mode": 1' && convert_to_new_folder "$scratch/changed.glb" && expect_note "expected triangles, found points or lines"
}
check "line primitives are skipped" skips_lines_and_points

rejects_truncated_files() {
    size=$(wc -c <"$generated_files/plain.glb")
    for part in 1 4 11 12 19 20 100 3000 $((size / 2)) $((size - 1)); do
        head -c "$part" "$generated_files/plain.glb" >"$scratch/cut.glb" && fails_with "$scratch/cut.glb" || return 1
    done
}
check "a truncated file is rejected" rejects_truncated_files
printf '\211PNG\r\n' >"$scratch/picture.glb"
check "another kind of file is rejected" fails_with "$scratch/picture.glb" "not a glTF file: expected 'glTF' or '{' at the start, found 89 50 4e 47"
: >"$scratch/empty.gltf"
check "an empty file is rejected" fails_with "$scratch/empty.gltf" "not a glTF file: expected 'glTF' or '{' at the start, found an empty file"
printf '{"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"type":"VEC3","count":4000000000}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}]}' >"$scratch/large.gltf"
check "4e9 vertices in 200 bytes are rejected" fails_with "$scratch/large.gltf" "the file requests too much processing for its size of 177 bytes (limit: 33568592 elements)"
printf '{"asset":{"version":"2.0"},"buffers":[{"uri":"%%2e%%2e/secret","byteLength":1}]}' >"$scratch/outside.gltf"
check "a path outside the folder is rejected" fails_with "$scratch/outside.gltf" buffers/0 "the uri is not a path inside the file's folder"
printf '{"asset":{"version":"2.0"},"buffers":[{"uri":"away.bin","byteLength":1}]}' >"$scratch/alone.gltf"
check "a missing buffer is reported" fails_with "$scratch/alone.gltf" "buffers/0: cannot read away.bin: No such file"
rejects_30_year_clip() { # writes a clip of 30 years
    python3 -c '
import base64, json, struct
data = base64.b64encode(struct.pack("<2f8f9f", 0, 1e9, *[0, 0, 0, 1] * 2, *range(9))).decode()
accessor = lambda view, count, kind: {"bufferView": view, "componentType": 5126, "count": count, "type": kind}
json.dump({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 76, "uri": "data:;base64," + data}],
  "bufferViews": [{"buffer": 0, "byteOffset": a, "byteLength": n} for a, n in ((0, 8), (8, 32), (40, 36))],
  "accessors": [accessor(0, 2, "SCALAR"), accessor(1, 2, "VEC4"), accessor(2, 3, "VEC3")],
  "meshes": [{"primitives": [{"attributes": {"POSITION": 2}}]}], "nodes": [{"mesh": 0}],
  "animations": [{"samplers": [{"input": 0, "output": 1}], "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}]}]},
  open("'"$scratch"'/endless.gltf", "w"))' && fails_with "$scratch/endless.gltf" "clip clip_1 is too large"
}
check "a clip of 30 years is rejected" rejects_30_year_clip
rejects_deep_node_tree() {
    python3 -c '
import json
nodes = [{"children": [i + 1]} for i in range(5000)] + [{}]
json.dump({"asset": {"version": "2.0"}, "nodes": nodes}, open("'"$scratch"'/deep.gltf", "w"))' &&
        fails_with "$scratch/deep.gltf" "node hierarchy is too deep: expected at most 1000 levels, found more at node 1001 "
}
check "5000 nodes deep" rejects_deep_node_tree

# -- Ten cases that were tested with other readers ----------------------------------------------------

golden=${MD5_CORPUS:-/none}/golden/gltf
if [ ! -f "$golden/expected.json" ]; then
    skip "the ten cases" "not in MD5_CORPUS"
    finish
fi
matches_golden_table() { # FILE
    convert_to_new_folder "$golden/$1" --scale 1 &&
        python3 test/convert/gltf_read.py "$tool" "$golden/$1" "$folder" "$golden/expected.json"
}
for file in 01_minimal.glb 02_two_skins.glb 03_matrices.glb 04_sparse.gltf 05_quantised.glb 06_cubic_step.glb; do
    check "$file: poses equal the poses of other readers" matches_golden_table $file
done
reads_minimal_file() {
    convert_to_new_folder "$golden/01_minimal.glb" --scale 1 && [ "$(cd "$folder" && echo *.md5*)" = "01_minimal.md5mesh bend.md5anim" ] &&
        grep -q '^numJoints 2' "$folder/01_minimal.md5mesh" && grep -q 'numverts 12$' "$folder/01_minimal.md5mesh" &&
        grep -q 'numtris 16$' "$folder/01_minimal.md5mesh" && grep -q 'shader "models/tube"' "$folder/01_minimal.md5mesh" &&
        [ "$("$tool" dump "$folder/01_minimal.md5mesh" | awk '/^st / { printf "%.4f %.4f\n", $2, $3 }' | sort | md5sum)" = \
            "$(for v in 1 0.5 0; do for u in 0 0.33333 0.66667 1; do printf '%.4f %.4f\n' $u $v; done; done | sort | md5sum)" ]
}
merges_two_skins() {
    convert_to_new_folder "$golden/02_two_skins.glb" --scale 1 && grep -q '^numJoints 3' "$folder/02_two_skins.md5mesh" &&
        grep -q '^numMeshes 2' "$folder/02_two_skins.md5mesh" && [ "$(grep -vc 'model height' "$scratch/notes")" = 0 ] &&
        [ ! -e "$folder/rest.md5anim" ]
}
reads_node_matrices() { # the arm is 2 above the root, without the factor 2 of its matrix 2 * R
    convert_to_new_folder "$golden/03_matrices.glb" --scale 1 && grep -q '"root"	-1 ( 0 5 0 )' "$folder/03_matrices.md5mesh" &&
        grep -q '"arm"	0 ( 2 5 0 )' "$folder/03_matrices.md5mesh"
}
reports_key_choices() {
    convert_to_new_folder "$golden/06_cubic_step.glb" --scale 1 && expect_note "the first key is at 0.5 s" && expect_note "2 stepped keys" &&
        grep -q '^numFrames 1$' "$folder/hold.md5anim" && grep -q '^numFrames 37$' "$folder/swing.md5anim"
}
rejects_nonuniform_scale() {
    fails_with "$golden/07_nonuniform.glb" "joint root" "clip stretch" "0.88" "--force" &&
        convert_to_new_folder "$golden/07_nonuniform.glb" --scale 1 --force && expect_note "scale of joint root in clip stretch" && expect_note 0.88 &&
        "$tool" dump "$folder/07_nonuniform.md5mesh" "$folder/stretch.md5anim" --frame 24 >"$scratch/dump" &&
        awk '/^world 1/ { exit !($14 > 1.9999 && $14 < 2.0001) }' "$scratch/dump"
}
check "01: joints, vertices, triangles" reads_minimal_file
check "02: one model is written without losses" merges_two_skins
check "03: scale is removed" reads_node_matrices
check "06: ambiguous interpretations are reported" reports_key_choices
check "07: scale that MD5 does not support is reported" rejects_nonuniform_scale
check "08: cyclic nodes are rejected" fails_with "$golden/08_cyclic.gltf" root arm
check "09: a skin out of range is rejected" fails_with "$golden/09_out_of_range.glb" "nodes/2/skin: index is out of range: expected less than 1, the number of skins, found 4294967295"
sed 's/"skin":4294967295/"skin":         0/' "$golden/09_out_of_range.glb" >"$scratch/09.glb"
check "09: an accessor out of range is rejected" fails_with "$scratch/09.glb" accessors/0 4294967295 144
check "10: a truncated file is rejected" fails_with "$golden/10_truncated.glb" "offset 2288: truncated file: expected 940 bytes of the binary chunk, found 540"
finish
