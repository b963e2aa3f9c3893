#!/bin/sh
# Conversion from MD5 to MD5, and to Doom 3 BFG's binary files and back; numbers are compared with independent arithmetic.
. test/build/report.sh
tool=$products/md5tool
mesh=$models/bobbin/bobbin.md5mesh clip=$models/bobbin/walk.md5anim

# vertices MESH CLIP FRAME: prints the vertices of the skin.
vertices() {
    "$tool" dump "$1" "$2" --frame "$3" | awk '$1 == "v" { print $2, $3, $4 }'
}
# rows_satisfy EXPRESSION: returns success if it is below 1e-3 units for each pair of rows of $scratch/a and b, with six columns.
rows_satisfy() {
    [ "$(wc -l <"$scratch/a")" -gt 100 ] && paste -d ' ' "$scratch/a" "$scratch/b" |
        awk "{ d = $1; if (d < 0) d = -d; if (!(d < 1e-3)) { print; exit 1 } }"
}
convert() { # OPTION...: to a folder
    rm -rf "$scratch/to" && mkdir "$scratch/to" && "$tool" convert "$mesh" "$clip" -o "$scratch/to" "$@"
}
unchanged_by_default() {
    convert && [ -z "$("$tool" diff "$mesh" "$scratch/to/bobbin.md5mesh")" ] && [ -z "$("$tool" diff "$clip" "$scratch/to/walk.md5anim")" ]
}
check 'numbers are unchanged without options' unchanged_by_default
reports_hidden_meshes() {
    convert --hide 0 --hide 1 >"$scratch/notes" 2>&1 && grep -q '^note: bobbin: all meshes are hidden, so only joints remain$' "$scratch/notes" &&
        convert --hide 0 >"$scratch/notes" 2>&1 && ! grep -q 'all meshes are hidden' "$scratch/notes"
}
check 'a model whose meshes are all hidden is reported' reports_hidden_meshes
vertices "$mesh" "$clip" 6 >"$scratch/a"
scale_and_rotate_work() { # clockwise from above is negative: a quarter turn rotates forward to the left
    convert --scale 2 --rotate 90 && vertices "$scratch/to/bobbin.md5mesh" "$scratch/to/walk.md5anim" 6 >"$scratch/b" &&
        rows_satisfy '$4 + 2 * $2' && rows_satisfy '$5 - 2 * $1' && rows_satisfy '$6 - 2 * $3'
}
check '--scale and --rotate change model and clip' scale_and_rotate_work
rate_option_works() { # every second frame is a frame of the clip
    rate=$("$tool" info "$clip" | awk '/^  frame rate/ { print $3 }')
    convert --rate "$((rate * 2))" && vertices "$scratch/to/bobbin.md5mesh" "$scratch/to/walk.md5anim" 12 >"$scratch/b" &&
        rows_satisfy '$4 - $1' && rows_satisfy '$5 - $2' && rows_satisfy '$6 - $3'
}
check '--rate adds frames between existing frames' rate_option_works
reversed_range_works() { # frame 4 of the reversed frames 2 to 10 is frame 6
    convert --range 10-2 && "$tool" info "$scratch/to/walk.md5anim" | grep -q '^  frames *9$' &&
        vertices "$scratch/to/bobbin.md5mesh" "$scratch/to/walk.md5anim" 4 >"$scratch/b" && rows_satisfy '$4 - $1' && rows_satisfy '$5 - $2' && rows_satisfy '$6 - $3' &&
        "$tool" fix "$clip" --frames 10-2 --output "$scratch/fixed.md5anim" && [ -z "$("$tool" diff "$scratch/fixed.md5anim" "$scratch/to/walk.md5anim")" ]
}
check '--range reverses frames, as fix --frames does' reversed_range_works
reversed_range_of_morph_weights() { # the weight is -1 in frame 0 and -0.5 in frame 12
    python3 test/convert/gltf_morphs.py "$scratch/morphs.gltf" && "$tool" convert "$scratch/morphs.gltf" --range 12-0 -o "$scratch/morphs" &&
        grep -q 'morph rise clip move ( 0 -0.5 .* 12 -1 )' "$scratch/morphs/morphs.md5machine"
}
check '... and the weights of morph targets' reversed_range_of_morph_weights
check '... but not a range of one frame' exits_with 2 "--range: expected A-B" "$tool" convert "$clip" --range 5-5 -o "$scratch/none.md5anim"
in_place_option_works() {
    convert --root in_place &&
        for frame in 0 9 20; do
            "$tool" dump "$scratch/to/bobbin.md5mesh" "$scratch/to/walk.md5anim" --joint origin --frame "$frame" | grep "^world"
        done | sort -u >"$scratch/places" && [ "$(wc -l <"$scratch/places")" -eq 1 ]
}
check '--root in_place keeps the root in place' in_place_option_works
# A clip in meters is scaled like its model, both as text and from another format. 0.0254 * 39.37 is 1 within 1e-5.
clip_gets_model_scale() {
    "$tool" fix "$clip" --scale 0.0254 -o "$scratch/meters.md5anim" && "$tool" fix "$mesh" --scale 0.0254 -o "$scratch/small.md5mesh" &&
        "$tool" convert "$scratch/small.md5mesh" "$scratch/meters.md5anim" --scale 1 -o "$scratch/meters.iqm" || return 1
    for input in meters.md5anim meters.iqm; do
        rm -rf "$scratch/to" && mkdir "$scratch/to" && "$tool" convert "$mesh" "$scratch/$input" -o "$scratch/to" 2>"$scratch/note" || return 1
        vertices "$mesh" "$clip" 6 >"$scratch/a" && vertices "$scratch/to/bobbin.md5mesh" "$scratch/to/meters.md5anim" 6 >"$scratch/b" &&
            rows_satisfy '$4 - $1' && rows_satisfy '$5 - $2' && rows_satisfy '$6 - $3' && grep -q "scaled by 39.370.* to match the model" "$scratch/note" && ! grep "fix --mesh" "$scratch/note" || return 1
    done
}
check 'a clip in other units gets the model'"'"'s scale' clip_gets_model_scale

# The binary form stores four weights in bytes, so vertices are compared with a model that has at most four.
thimble=$models/thimble/thimble.md5mesh trot=$models/thimble/trot.md5anim
binary_round_trip_is_exact() {
    "$tool" convert "$thimble" "$trot" -o "$scratch/thimble.bmd5mesh" && "$tool" convert "$scratch/thimble.bmd5mesh" \
        "$scratch/trot.bMD5anim" -o "$scratch/back.md5mesh" && vertices "$thimble" "$trot" 5 >"$scratch/a" &&
        vertices "$scratch/back.md5mesh" "$scratch/trot.md5anim" 5 | head -n "$(wc -l <"$scratch/a")" >"$scratch/b" &&
        rows_satisfy '$4 - $1' && rows_satisfy '$5 - $2' && rows_satisfy '$6 - $3'
}
check 'BFG: the skin is unchanged' binary_round_trip_is_exact
reports_half_float_loss() { # texture coordinates become half floats, as diff measures
    "$tool" convert "$thimble" -o "$scratch/lossy.bmd5mesh" 2>"$scratch/note" && "$tool" convert "$scratch/lossy.bmd5mesh" \
        -o "$scratch/lossy.md5mesh" || return 1
    "$tool" diff "$thimble" "$scratch/lossy.md5mesh" | sed -n 's/.*texture coordinates differ by up to //p' | sort -g | tail -n 1 >"$scratch/lost"
    sed -n 's/.*texture coordinates.*largest change is \([^ ]*\) .*/\1/p' "$scratch/note" >>"$scratch/lost"
    cat "$scratch/lost" && awk 'NR == 1 { a = $1 } NR == 2 { b = $1 } END { exit !(NR == 2 && a > 0 && b > 0.9 * a && b < 1.1 * a) }' "$scratch/lost"
}
check 'BFG: the loss of texture coordinates is reported' reports_half_float_loss
# Compares bytes with the layout: magic, versions, an even number of matrices.
binary_layout_is_correct() {
    python3 - "$scratch/thimble.bmd5mesh" "$scratch/trot.bMD5anim" <<'END'
import struct
import sys

mesh, anim = (open(name, 'rb').read() for name in sys.argv[1:])
assert mesh[:4] == b'BRM\x6e' and anim[:4] == b'BMD\x65'
at = 4 + 8 + 4 + 24 + 12
at += 4 + struct.unpack_from('<i', mesh, at)[0] + 9
assert mesh[at:at + 4] == b'5DM\x6a'
joints, = struct.unpack_from('>i', mesh, at + 4)
at += 8
for joint in range(joints):
    at += 4 + struct.unpack_from('<i', mesh, at)[0]
    parent, = struct.unpack_from('>i', mesh, at)
    assert -1 <= parent < joint or joint == 0 and parent == -1
    at += 4
assert struct.unpack_from('>i', mesh, at)[0] == joints
at += 4 + 28 * joints
assert struct.unpack_from('>i', mesh, at)[0] == joints + joints % 2
frames, rate, length, joints_too, components, boxes = struct.unpack_from('>6i', anim, 12)
assert joints_too == joints and boxes == frames and length == -(-(frames - 1) * 1000 // rate)
END
}
check 'BFG: bytes match the layout' binary_layout_is_correct
check 'BFG: existing files are overwritten only with --force' exits_with 1 "the file already exists" "$tool" convert "$thimble" -o "$scratch/thimble.bmd5mesh"

# A model is scaled only once, even after several conversions: 2 meters of glTF are 2 units with a scale of 1.
scales_once_through_formats() {
    "$tool" convert "$mesh" -o "$scratch/a.glb" --scale 0.5 && "$tool" convert "$scratch/a.glb" -o "$scratch/b.iqm" --scale 3 --force &&
        "$tool" convert "$scratch/b.iqm" -o "$scratch/c.md5mesh" &&
        print_height "$mesh" >"$scratch/a" && print_height "$scratch/c.md5mesh" >"$scratch/b" &&
        paste "$scratch/a" "$scratch/b" | awk '{ d = $2 / $1 - 1.5; exit !(d > -1e-3 && d < 1e-3) }'
}
print_height() {
    "$tool" info "$1" | sed -n 's/^  bounds .* \([-0-9.e]*\)) to (.* \([-0-9.e]*\))$/\1 \2/p' | awk '{ print $2 - $1 }'
}
! "$tool" convert --formats | grep -q glTF || check 'glTF to IQM is scaled once' scales_once_through_formats
# A root is added above Bobbin's root, which then carries the walk like the hips of a motion capture. --root in_place names the
# joint, --root-motion moves the walk to the new root, and the vertices of a frame keep their positions.
print_skin() { # MESH CLIP
    "$tool" dump "$1" "$2" --frame 12 | awk '/^v / { printf "%.3f %.3f %.3f\n", $2, $3, $4 }'
}
skins_are_near() { # FILE FILE
    paste -d ' ' "$1" "$2" | awk 'function off(a, b) { return a > b ? a - b : b - a }
        off($1, $4) + off($2, $5) + off($3, $6) > 0.004 { bad++ } END { exit !(NR > 6000 && !bad) }'
}
root_motion() {
    walk=models/bobbin/walk.md5anim
    "$tool" convert "$mesh" --add-root top -o "$scratch/top.md5mesh" && "$tool" convert "$walk" --add-root top -o "$scratch/hips.md5anim" &&
        exits_with 0 "clip hips: the root does not move; joint 'origin' carries the motion along the ground; use --root-motion 'origin'" \
            "$tool" convert "$scratch/hips.md5anim" --root in_place -o "$scratch/place.md5anim" &&
        exits_with 1 "hips.md5anim: error: joint 'nobody' not found: expected the joint that contains the root motion" \
            "$tool" convert "$scratch/hips.md5anim" --root-motion nobody -o "$scratch/none.md5anim" &&
        exits_with 1 "walk.md5anim: error: --root-motion: joint 'origin' is the first joint: use --add-root NAME" \
            "$tool" convert "$walk" --root-motion origin -o "$scratch/none.md5anim" &&
        exits_with 2 "have no effect without --root-motion JOINT" "$tool" convert "$walk" --root-height -o "$scratch/none.md5anim" &&
        exits_with 1 "--add-root hips: 2 joints would get the same name; choose another name" "$tool" convert "$walk" --add-root hips -o "$scratch/none.md5anim" &&
        exits_with 0 "clip walk: moved the root motion of joint 'origin' to joint 'top'" \
            "$tool" convert "$walk" --add-root top --root-motion origin -o "$scratch/moved.md5anim" &&
        "$tool" info "$scratch/moved.md5anim" | grep -q "root motion        joint 'top' moves by (20," &&
        print_skin "$mesh" "$walk" >"$scratch/before" && print_skin "$scratch/top.md5mesh" "$scratch/moved.md5anim" >"$scratch/after" &&
        skins_are_near "$scratch/before" "$scratch/after" &&
        exits_with 0 "clip moved: removed a root motion of 20 units" \
            "$tool" convert "$scratch/moved.md5anim" --root in_place -o "$scratch/still.md5anim"
}
check '--root-motion moves the root motion of any joint' root_motion
# QSS reads out of bounds if a model has more meshes than joints. The meshes of this model have one joint that moves, and different materials.
write_flags() { # COUNT NAME: of the meshes and of the joint
    {
        printf 'MD5Version 10\ncommandline ""\nnumJoints 1\nnumMeshes %d\njoints {\n"%s" -1 ( 1 2 3 ) ( 0.5 0 0 )\n}\n' "$1" "$2"
        for i in $(seq "$1"); do
            printf 'mesh {\nshader "flag%d"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\nnumtris 1\ntri 0 0 1 2\n' "$i"
            printf 'numweights 3\nweight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 9 0 0 )\nweight 2 0 1 ( 0 9 5 )\n}\n'
        done
    } >"$scratch/flags.md5mesh"
    printf 'MD5Version 10\ncommandline ""\nnumFrames 2\nnumJoints 1\nframeRate 24\nnumAnimatedComponents 1\nhierarchy {\n"%s" -1 1 0\n}\nbounds {\n( 0 0 0 ) ( 9 9 9 )\n( 0 0 0 ) ( 9 9 9 )\n}\nbaseframe {\n( 1 2 3 ) ( 0.5 0 0 )\n}\nframe 0 {\n1\n}\nframe 1 {\n7\n}\n' "$2" >"$scratch/flags.md5anim"
}
convert_flags() { # STATUS ENGINE: to a folder with the name of the engine; the images of the flags are missing
    rm -rf "${scratch:?}/$2" && mkdir "$scratch/$2" &&
        exits_with "$1" "" "$tool" convert "$scratch"/flags.md5* --for "$2" -o "$scratch/$2" && cp "$scratch/out" "$scratch/notes"
}
adds_joints_for_qss() {
    write_flags 3 pole && exits_with 1 'remedy for more-meshes-than-joints: use md5tool fix --merge, or md5tool convert --for qss if the materials differ' \
        "$tool" check --for qss "$scratch/flags.md5mesh" && convert_flags 0 qss &&
        grep -qx 'note: flags: added 2 unused joints: qss needs as many joints as meshes' "$scratch/notes" &&
        grep -qx 'note: clip flags: changed 3 joints to match the mesh and the engine' "$scratch/notes" &&
        "$tool" check --for qss --ignore no-skin "$scratch/qss/progs/flags.md5mesh" && convert_flags 0 ironwail && ! grep -q 'unused joint' "$scratch/notes" &&
        vertices "$scratch/flags.md5mesh" "$scratch/flags.md5anim" 1 >"$scratch/a" && [ "$(wc -l <"$scratch/a")" = 9 ] &&
        vertices "$scratch/qss/progs/flags.md5mesh" "$scratch/qss/progs/flags.md5anim" 1 >"$scratch/b" &&
        cmp "$scratch/a" "$scratch/b" && write_flags 2 unused_1 && convert_flags 0 qss &&
        grep -qx 'note: flags: added 1 unused joint: qss needs as many joints as meshes' "$scratch/notes" && grep -q '^	"unused_2"	0' "$scratch/qss/progs/flags.md5mesh"
}
check 'models for QSS have as many joints as meshes' adds_joints_for_qss
# QSS supports at most 256 joints, so more joints cannot repair a model with 257 meshes.
adds_no_joints_above_limit() {
    write_flags 256 pole && convert_flags 0 qss && grep -q '^numJoints 256$' "$scratch/qss/progs/flags.md5mesh" && write_flags 257 pole && convert_flags 1 qss &&
        grep -q '^note: flags: too many meshes: qss .* at most 256 joints: expected at most 256 meshes, found 257; merge meshes of the same material with md5tool fix --merge, or' "$scratch/notes" &&
        grep -q '^numJoints 1$' "$scratch/qss/progs/flags.md5mesh" && ! grep -q 'unused joint' "$scratch/notes"
}
check '... but no joints are added above the limit of QSS' adds_no_joints_above_limit
# Doom 3 and FTE reject several roots. Clips get the added root, and vertices keep their positions.
joins_roots() {
    write_flags 1 pole && sed -i 's/^numJoints 1/numJoints 2/; s/^"pole".*/&\n"rope" -1 ( 4 5 6 ) ( 0 0 0 )/; s/^weight 2 0/weight 2 1/' "$scratch/flags.md5mesh" &&
        sed -i 's/^numJoints 1/numJoints 2/; s/^"pole".*/&\n"rope" -1 0 0/; s/^( 1 2 3 ) .*/&\n( 4 5 6 ) ( 0 0 0 )/' "$scratch/flags.md5anim" &&
        vertices "$scratch/flags.md5mesh" "$scratch/flags.md5anim" 1 >"$scratch/a" && [ "$(wc -l <"$scratch/a")" = 3 ] || return 1
    for engine in doom3 rbdoom fte; do
        convert_flags 0 $engine && grep -qx "note: flags: added the joint 'origin' above 2 roots: $engine accepts only one root" "$scratch/notes" || return 1
        folder=$scratch/$engine && [ $engine != fte ] || folder=$scratch/fte/progs
        vertices "$folder/flags.md5mesh" "$folder/flags.md5anim" 1 >"$scratch/b" && cmp "$scratch/a" "$scratch/b" || return 1
    done
    sed -i 's/rope/origin/' "$scratch/flags.md5mesh" "$scratch/flags.md5anim" && convert_flags 0 doom3 && grep -q "added the joint 'origin_1' above" "$scratch/notes" &&
        convert_flags 0 ironwail && ! grep -q 'added the joint' "$scratch/notes"
}
check 'models for Doom 3 and FTE have one root' joins_roots
# Without an engine all roots remain, and a note names the options for Doom 3. The previous test has written the files.
reports_roots() {
    rm -rf "$scratch/any" && exits_with 0 'note: clip flags: 2 roots: Doom 3, its derivatives and FTE accept only one root; use --for doom3, or --add-root NAME for' \
        "$tool" convert "$scratch"/flags.md5* -o "$scratch/any" && "$tool" convert "$scratch"/flags.md5* --add-root ground --force -o "$scratch/any" >"$scratch/out" 2>&1 &&
        ! grep ' roots' "$scratch/out" && "$tool" convert "$scratch/flags.md5mesh" --force -o "$scratch/any" >"$scratch/out" 2>&1 && ! grep ' roots' "$scratch/out" &&
        "$tool" convert "$scratch"/flags.md5* -o "$scratch/any.iqm" >"$scratch/out" 2>&1 && ! grep ' roots' "$scratch/out"
}
check 'clips with several roots are reported without an engine' reports_roots
# Doom 3 replaces a modelDef by its default if the name of a clip has one character, or digits after the first character.
names_clips_for_doom3() {
    write_flags 1 pole && for name in x a12 7 ab; do cp "$scratch/flags.md5anim" "$scratch/$name.md5anim" || return 1; done
    rm -rf "$scratch/doom3" && exits_with 0 'clip a12 is called anim_a12 in the modelDef' "$tool" convert "$scratch/flags.md5mesh" "$scratch/x.md5anim" "$scratch/a12.md5anim" \
        "$scratch/7.md5anim" "$scratch/ab.md5anim" --for doom3 -o "$scratch/doom3" &&
        grep -q 'replaces 0 with defaults' "$scratch/out" && grep -o 'anim	.*' "$scratch/doom3/def/flags.def" | sed 's/"//g' | tr '\t\n' ' ;' |
            grep -qx 'anim anim_x x.md5anim;anim anim_a12 a12.md5anim;anim anim_7 7.md5anim;anim ab ab.md5anim;'
}
check 'clips for Doom 3 get valid names' names_clips_for_doom3
# A clip without a model gets boxes of its joints: 0 0 0 for the root, 7 9 9 in frame 1 for its child. The first component of the child is
# outside of the frame, which Doom 3 rejects.
encloses_joints() {
    write_flags 1 pole && rm "$scratch/flags.md5mesh" && sed -i '/^bounds/,/^}/d; s/^numJoints 1/numJoints 2/; s/^"pole".*/&\n"rope" 0 0 9/; s/^( 1 2 3 ) .*/( 1 0 0 ) ( 0 0 0 )\n( 0 9 9 ) ( 0 0 0 )/' "$scratch/flags.md5anim" &&
        convert_flags 0 doom3 && grep -q '^note: clip flags: the bounding boxes enclose only the joints; convert the clip together with its model' "$scratch/notes" &&
        [ "$(sed -n '/^bounds/,/^}/p' "$scratch/doom3/flags.md5anim" | tr -d '\t\n')" = 'bounds {( 1 0 0 ) ( 1 9 9 )( 7 0 0 ) ( 7 9 9 )}' ] &&
        printf 'HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 9 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n\n' >"$scratch/one.bvh" &&
        exits_with 0 'the bounding boxes of 1 clip enclose only the joints; convert clips together' "$tool" convert "$scratch/one.bvh" -o "$scratch/one.md5anim"
}
check 'clips without a model get boxes of their joints' encloses_joints
replaces_blanks_for_cube2() {
    write_flags 1 'flag pole' && rm "$scratch/flags.md5anim" && convert_flags 0 ironwail &&
        grep -qx 'note: clip flags: computed 1 bounding box from the skin' "$scratch/notes" || return 1
    write_flags 1 'flag pole' && convert_flags 0 cube2 && grep -qx "note: replaced blanks by '_' in the names of 1 joint" "$scratch/notes" &&
        grep -q '^	"flag_pole"' "$scratch/cube2/flags.md5mesh" && grep -q '^	"flag_pole"' "$scratch/cube2/flags.md5anim"
}
check 'joints for Cube 2 get names without blanks' replaces_blanks_for_cube2
# Quake stores at most 63 bytes of the image path progs/SHADER_00_00, so a shader name has at most 51 bytes. A longer name ends with _ and the
# lower 32 bits of its FNV-1a hash of 64 bits. The digits must be the same in each release, because the names of image files contain them. The
# expected names follow from the definition in http://www.isthe.com/chongo/tech/comp/fnv/: hash = (hash XOR byte) * 1099511628211 modulo 2^64
# for each byte, starting with 14695981039346656037. The published hashes of "a" and "foobar" test this computation.
cat >"$scratch/shorten.py" <<'PYTHON'
import sys


def fnv1a(data):
    value = 14695981039346656037
    for byte in data:
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


assert fnv1a(b"a") == 0xAF63DC4C8601EC8C and fnv1a(b"foobar") == 0x85944171F73967E8
for name in sys.argv[1:]:
    print(f"{name[:42]}_{fnv1a(name.encode()) % 2**32:08x}")
PYTHON
shortens_shaders_for_quake() {
    long=$(printf 'a%.0s' $(seq 51)) && write_flags 3 pole && sed -i "s/flag1/$long/; s/flag2/${long}b/; s/flag3/${long}c/" "$scratch/flags.md5mesh" && convert_flags 0 ironwail &&
        sed -n 's/.*shader "\(.*\)"/\1/p' "$scratch/ironwail/progs/flags.md5mesh" >"$scratch/shaders" &&
        { echo "$long" && python3 "$scratch/shorten.py" "${long}b" "${long}c"; } >"$scratch/expected" && cmp "$scratch/expected" "$scratch/shaders"
}
check 'shaders for Quake fit its paths' shortens_shaders_for_quake
missing_images_are_warnings() {
    write_flags 1 pole || return 1
    for engine in doom3 darkmod quake4 rbdoom ironwail ironwail:0.8.1 vkquake qss fte q2pro yquake2 cube2 daemon; do
        convert_flags 0 $engine && grep -q '^note: material flag1: image not found' "$scratch/notes" || return 1
    done
    convert_flags 0 ironwail && grep -q ': warning: image not found: flag1_00_00 \[no-skin\]' "$scratch/notes" &&
        exits_with 1 ': error: image not found: flag1_00_00 [no-skin]' "$tool" check --for ironwail "$scratch/ironwail"
}
check 'a missing image is a warning for every engine' missing_images_are_warnings
finish
