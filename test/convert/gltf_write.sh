#!/bin/sh
# Export of glTF: gltf.py reads the files, validates them and poses them with independent arithmetic.
. test/build/report.sh
export PYTHONDONTWRITEBYTECODE=1
tool=$products/md5tool
corpus=${MD5_CORPUS:+$MD5_CORPUS/corpus}
zoo=$models/zoo
cp "$models/zoo/triangle.md5mesh" "$scratch/try.md5mesh"
if "$tool" convert "$scratch/try.md5mesh" -o "$scratch/try.glb" 2>&1 | grep -q 'no jansson'; then
    skip 'glTF export' 'built without jansson'
    finish
fi
mkdir "$scratch/files"
files=$scratch/files

run_gltf_py() {
    python3 test/convert/gltf.py "$@"
}

# write_gltf NAME FILE... [OPTION...]: converts to files/NAME, with notes in files/NAME.notes.
write_gltf() {
    name=$1
    shift
    "$tool" convert "$@" -o "$files/$name" >"$files/$name.notes" 2>&1 || { cat "$files/$name.notes"; false; }
}

# expect_note NAME TEXT: returns success if a note about that file contains the text.
expect_note() {
    grep -qF -- "$2" "$files/$1.notes" || { cat "$files/$1.notes"; false; }
}

# poses_match NAME CLIP TOLERANCE MESH ANIM FRAMES: compares the vertices of files/NAME with md5tool dump.
# SCALE and TURN are variables.
poses_match() {
    dump=$scratch/dump
    if [ -n "$2" ]; then
        # shellcheck disable=SC2046,SC2086 # several words
        "$tool" dump "$4" "$5" $(for frame in $6; do echo "--frame $frame"; done) >"$dump" || return 1
    else
        "$tool" dump "$4" >"$dump" || return 1
    fi
    run_gltf_py poses "$files/$1" "$dump" "$2" "$3" "${SCALE:-0.0254}" "${TURN:-0}"
}

# expect_gltf_value NAME EXPRESSION VALUE: compares the output of gltf.py show.
expect_gltf_value() {
    value=$(run_gltf_py show "$files/$1" "$2")
    [ "$value" = "$3" ] || { echo "$2 is $value, not $3"; false; }
}

# -- Every model ----------------------------------------------------------------------------------

all_models_are_valid_gltf() {
    list=$scratch/models
    find "$models" ${corpus:+"$corpus"} -name '*.md5mesh' | grep -v '/invalid/\|malformed' | sort >"$list"
    awk -v output="$files/all_" '{ print "convert \"" $0 "\" -o \"" output NR ".glb\"" }' "$list" >"$scratch/lines"
    [ "$(wc -l <"$list")" -ge 40 ] && "$tool" --batch "$scratch/lines" && run_gltf_py check "$files"/all_*.glb
}
check 'each model is converted to valid glTF' all_models_are_valid_gltf

# -- Poses ----------------------------------------------------------------------------------------

# The vertices differ only by rounding of floats, at most a millionth of the size.
for model in base_frame:3 chain:3 fewer_joints:3 flags:3 half_turn:3 no_components:3 one_frame:0 travels:3 twist:3; do
    last=${model#*:} model=${model%:*}
    model_poses_match() {
        write_gltf "$model.glb" "$zoo/$model.md5mesh" "$zoo/$model.md5anim" && run_gltf_py check "$files/$model.glb" &&
            poses_match "$model.glb" '' 1e-4 "$zoo/$model.md5mesh" &&
            poses_match "$model.glb" "$model" 1e-4 "$zoo/$model.md5mesh" "$zoo/$model.md5anim" "$last"
    }
    check "poses of $model" model_poses_match
done

bobbin_poses_match() {
    bobbin=$models/bobbin/bobbin.md5mesh
    write_gltf eight.glb "$bobbin" "$models"/bobbin/walk.md5anim "$models"/bobbin/dance.md5anim --influences 8 &&
        run_gltf_py check "$files/eight.glb" && poses_match eight.glb dance 1e-3 "$bobbin" "$models/bobbin/dance.md5anim" '0 33' &&
        expect_gltf_value eight.glb '[a["name"] for a in g["animations"]]' "['walk', 'dance']" &&
        expect_gltf_value eight.glb '"JOINTS_1" in g["meshes"][0]["primitives"][0]["attributes"]' True
}
check 'poses of a character with 8 influences are exact' bobbin_poses_match

SCALE=0.5 TURN=33
rotated_poses_match() {
    write_gltf turned.glb "$zoo/travels.md5mesh" "$zoo/travels.md5anim" --scale 0.5 --rotate 33 && run_gltf_py check "$files/turned.glb" &&
        poses_match turned.glb travels 1e-4 "$zoo/travels.md5mesh" "$zoo/travels.md5anim" '0 3' &&
        expect_gltf_value turned.glb '[g["asset"]["extras"]["md5"][k] for k in ("scale", "turn")]' '[0.5, 33.0]'
}
check 'scale and rotation are applied' rotated_poses_match
unset SCALE TURN

corpus_poses_match() {
    for name in stromar/stromar:stromar/s_melee_attack terasology/gooeysquests/skeleton:terasology/gooeysquests/skeletonStand \
        redeclipse/drone/mesh:redeclipse/drone/death; do
        mesh=$corpus/${name%:*}.md5mesh clip=$corpus/${name#*:}.md5anim
        write_gltf real.glb "$mesh" "$clip" --force && run_gltf_py check "$files/real.glb" &&
            poses_match real.glb "$(basename "$clip" .md5anim)" 0.01 "$mesh" "$clip" '0 7' || return 1
    done
}
if [ -d "$corpus" ]; then
    check 'poses of real models are exact' corpus_poses_match
fi

# -- Losses ---------------------------------------------------------------------------------------

# The reported error must equal the error that gltf.py measures over all frames, and be below the bound for any pose.
reported_error_is_exact() {
    mesh=$zoo/$1.md5mesh clip=$zoo/$1.md5anim
    frames=$(awk '/numFrames/ { for (i = 0; i < $2; i++) print i }' "$clip")
    # shellcheck disable=SC2086 # several words
    write_gltf lost.glb "$mesh" "$clip" --force ${2:-} && run_gltf_py check "$files/lost.glb" || return 1
    named=$(sed -n 's/.*largest difference from the MD5 skin in these clips: \([^ ]*\) units.*/\1/p' "$files/lost.glb.notes")
    bound=$(sed -n 's/.*in any other pose: \([^ ]*\) units.*/\1/p' "$files/lost.glb.notes")
    measured=$(poses_match lost.glb "$1" 1e9 "$mesh" "$clip" "$frames")
    # shellcheck disable=SC2016 # variables of awk
    numbers_satisfy '$1 > 0.01 && $1 < $2 * 1.01 && $1 > $2 * 0.99 && $2 < $3' "$named" "${measured%% *}" "$bound"
}
check 'the loss of 4 influences is reported' reported_error_is_exact weights
check 'the loss of a fit is reported' reported_error_is_exact weights --fit
check 'the loss of negative weights is reported' reported_error_is_exact negative_bias
reports_visible_difference() {
    expect_note lost.glb 'the difference is visible'
}
check 'a loss above 1 % is reported as visible' reports_visible_difference

# -- Skeletons and names --------------------------------------------------------------------------

several_roots_get_parent() {
    write_gltf roots.glb "$zoo/roots.md5mesh" && run_gltf_py check "$files/roots.glb" && expect_note roots.glb md5_root &&
        expect_gltf_value roots.glb '[g["nodes"][j]["name"] for j in g["skins"][0]["joints"]][-1]' md5_root &&
        expect_gltf_value roots.glb 'g["nodes"][4]["children"]' '[0, 2, 3]' && poses_match roots.glb '' 1e-4 "$zoo/roots.md5mesh"
}
check 'several roots get a common parent' several_roots_get_parent

escapes_names() {
    sed 's/"left_tip"/"a.b"/; s/"middle"/"ab"/; s/"right"/"caf\xe9\x80"/' "$zoo/roots.md5mesh" >"$scratch/names.md5mesh"
    write_gltf names.glb "$scratch/names.md5mesh" && run_gltf_py check "$files/names.glb" &&
        expect_gltf_value names.glb '[n["name"] for n in g["nodes"]][1:4]' "['a.b', 'ab_2', 'café\\x80']" &&
        expect_gltf_value names.glb 'g["nodes"][2]["extras"]["md5"]["name"]' ab
}
PYTHONIOENCODING=utf-8 check 'names that programs confuse become different' escapes_names

# -- Clips ----------------------------------------------------------------------------------------

in_place_option_works() {
    write_gltf still.glb "$zoo/travels.md5mesh" "$zoo/travels.md5anim" --root in_place && run_gltf_py check "$files/still.glb" || return 1
    # The remaining motion of the root is along y, and a note reports the removed motion.
    expect_gltf_value still.glb '[max(c) - min(c) < 1e-6 for c in zip(*read(g["animations"][0]["samplers"][0]["output"]))][::2]' \
        '[True, True]' && expect_gltf_value still.glb 'len(g["animations"][0]["extras"]["md5"]["rootMotion"])' 3 &&
        expect_gltf_value still.glb 'max(map(abs, g["animations"][0]["extras"]["md5"]["rootMotion"])) > 0.01' True
}
check 'in place' in_place_option_works

# A clip without a model contains its joints in the base frame; the clip travels moves the first of two joints.
writes_clip_without_model() {
    write_gltf alone.glb "$zoo/travels.md5anim" && run_gltf_py check "$files/alone.glb" &&
        expect_gltf_value alone.glb '["skins" in g, len(g["nodes"]), len(g["animations"])]' '[False, 2, 1]' || return 1
    "$tool" dump "$zoo/travels.md5mesh" "$zoo/travels.md5anim" --frame 3 >"$scratch/dump" || return 1
    expected=$(awk '/^local/ && !n++ { printf "[%.4f, %.4f, %.4f]", $(NF - 1) * 0.0254, $NF * 0.0254, $(NF - 2) * 0.0254 }' \
        "$scratch/dump")
    python3 test/convert/gltf.py show "$files/alone.glb" \
        '"[%.4f, %.4f, %.4f]" % read(g["animations"][0]["samplers"][0]["output"])[3]' >"$scratch/said2"
    [ "$(cat "$scratch/said2")" = "$expected" ] || { cat "$scratch/said2"; echo "$expected"; false; }
}
check 'a clip without a model is written' writes_clip_without_model

# Errors at the skin are below the requested tolerance, with fewer keys.
# shellcheck disable=SC2016,SC2046 # variables of awk; two words
error_option_reduces_keys() {
    write_gltf fewer.glb "$bobbin" "$models/bobbin/dance.md5anim" --influences 8 --error 0.5 && run_gltf_py check "$files/fewer.glb" &&
        poses_match fewer.glb dance 0.5 "$bobbin" "$models/bobbin/dance.md5anim" '3 34 61' &&
        numbers_satisfy '$1 < 0.8 * $2' $(sed -n 's/^note: \([0-9]*\) of \([0-9]*\) keys.*/\1 \2/p' "$files/fewer.glb.notes")
}
check 'keys are reduced within a tolerance' error_option_reduces_keys

quantize_option_works() {
    write_gltf small.glb "$bobbin" "$models/bobbin/dance.md5anim" --influences 8 --quantize && run_gltf_py check "$files/small.glb" &&
        poses_match small.glb dance 0.002 "$bobbin" "$models/bobbin/dance.md5anim" '0 33' &&
        expect_gltf_value small.glb '[g["extensionsRequired"], g["accessors"][g["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]\
["componentType"]]' "[['KHR_mesh_quantization'], 5123]"
}
check 'quantized' quantize_option_works

# Texture coordinates are integers if all of them are between 0 and 1. Here only the first u is outside.
outer_texcoords_stay_floats() {
    sed 's/vert 0 ( [^ ]*/vert 0 ( -0.5/' "$scratch/try.md5mesh" >"$scratch/outside.md5mesh" &&
        write_gltf inside.glb "$scratch/try.md5mesh" --quantize && write_gltf outside.glb "$scratch/outside.md5mesh" --quantize &&
        expect_gltf_value inside.glb "$texcoord" 5123 && expect_gltf_value outside.glb "$texcoord" 5126
}
texcoord='g["accessors"][g["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"]]["componentType"]'
check 'texture coordinates outside of 0 to 1 are not quantized' outer_texcoords_stay_floats

# -- Morph targets, cameras -----------------------------------------------------------------------

writes_machine_morphs() {
    write_gltf machine.glb "$models/bobbin/bobbin.md5machine" && run_gltf_py check "$files/machine.glb" &&
        expect_gltf_value machine.glb 'sorted(g["meshes"][0]["extras"]["targetNames"])' \
            "['blink', 'fright', 'oh', 'oo', 'pain', 'shut', 'sleepy', 'smile']" || return 1
    # The line `morph smile clip dance ( 0 0.8 120 0.8 )` of the machine means the weight 0.8 in every frame. The line `morph
    # oh clip yawn ( 6 0 14 0.4 ... )` means the weight 0.2 in frame 10.
    for curve in dance:smile:0:0.8 dance:smile:60:0.8 yawn:oh:6:0.0 yawn:oh:10:0.2; do
        IFS=: read -r clip target frame weight <<END
$curve
END
        expect_gltf_value machine.glb "next(round(read(a['samplers'][c['sampler']]['output'])[$frame * 8 + g['meshes'][0]['extras']['targetNames']\
.index('$target')][0], 5) for a in g['animations'] if a['name'] == '$clip' for c in a['channels'] if c['target']['path'] == \
'weights')" "$weight" || return 1
    done
    # A separate target contains its vertices in the bind pose.
    "$tool" dump "$models/bobbin/morphs/oh.md5mesh" >"$scratch/dump" &&
        python3 - "$files/machine.glb" "$scratch/dump" <<'END'
import sys
sys.path.insert(0, 'test/convert')
import gltf
f = gltf.File(sys.argv[1])
mesh = f.g['meshes'][0]
moved = [list(v) for v in f.read(mesh['primitives'][0]['attributes']['POSITION'])]
deltas = f.read(mesh['primitives'][0]['targets'][mesh['extras']['targetNames'].index('oh')]['POSITION'])
worst = 0
for v, d, (x, y, z) in zip(moved, deltas, gltf.read_dump(sys.argv[2], False)[0.0][0]):
    worst = max(worst, *(abs(p + q - r * 0.0254) for p, q, r in zip(v, d, (y, z, x))))
print(worst, max(map(gltf.length, deltas)))
sys.exit(not (worst < 1e-5 and max(map(gltf.length, deltas)) > 1e-3))
END
}
check 'a machine file is written with clips, morph targets and their curves' writes_machine_morphs

# Two clips of one file become one clip. At half the frame rate, frame 6 corresponds to frame 12 of the original clip, where
# the weight is 4/10 of the way from 0 to 0.6.
resamples_clips_of_one_name() {
    mkdir -p "$scratch/twice/morphs" && cp "$models/bobbin/bobbin.md5mesh" "$models/bobbin/yawn.md5anim" "$scratch/twice" &&
        cp "$models/bobbin/morphs/oh.md5mesh" "$scratch/twice/morphs" && cat >"$scratch/twice/twice.md5machine" <<'END' || return 1
machine twice {
    model bobbin.md5mesh
    clip yawn yawn.md5anim
    clip again yawn.md5anim
    layer all { state a yawn }
    morph oh clip again ( 8 0 18 0.6 31 0.6 42 0 )
}
END
    write_gltf twice.glb "$scratch/twice/twice.md5machine" --rate 12 && run_gltf_py check "$files/twice.glb" &&
        expect_gltf_value twice.glb "[(a['name'], len(keys), *(round(keys[i][0], 5) for i in (4, 6, 9, 18))) for a in g['animations'] \
for c in a['channels'] if c['target']['path'] == 'weights' for keys in [read(a['samplers'][c['sampler']]['output'])]]" \
            "[('yawn', 37, 0.0, 0.24, 0.6, 0.32727)]" && expect_gltf_value twice.glb 'len(g["animations"])' 1
}
check 'weights of a resampled clip are exact' resamples_clips_of_one_name

# In the glTF file of cuts.md5camera, the time between the last view of a shot and the first view of the next shot is a
# thousandth of a frame.
writes_cameras() {
    write_gltf cuts.glb "$zoo/cuts.md5camera" && run_gltf_py check "$files/cuts.glb" || return 1
    python3 - "$files/cuts.glb" "$zoo/cuts.md5camera" <<'END'
import re, sys
sys.path.insert(0, 'test/convert')
import gltf
f = gltf.File(sys.argv[1])
text = re.sub(r'//.*', '', open(sys.argv[2]).read())
rate = float(re.search(r'frameRate\s+(\S+)', text).group(1))
cuts = [int(x) for x in re.search(r'cuts\s*{([^}]*)}', text).group(1).split() if x.isdigit()]
rows = [[float(x) for x in re.findall(r'[-+.\deE]+', line)]
        for line in re.search(r'camera\s*{([^}]*)}', text).group(1).strip().split('\n')]
a = f.g['animations'][0]
assert len(cuts) > 0 and a['extras']['md5']['cuts'] == cuts
times = [t for (t,) in f.read(a['samplers'][0]['input'])]
assert len(times) == len(rows)
for i, t in enumerate(times):
    before = sum(c < i for c in cuts)
    expected = (i - before + (0.001 if i - 1 in cuts else 0)) / rate
    assert abs(t - expected) < 1e-6, (i, t, expected)
    x, y, z = rows[i][:3]
    where = f.read(a['samplers'][0]['output'])[i]
    assert gltf.length([p - q * 0.0254 for p, q in zip(where, (y, z, x))]) < 1e-5
    # id's rotation: w is the negative root. The camera looks along its x axis, glTF's along -z; up is z in id's space and y in
    # glTF.
    q = rows[i][3:6]
    w = -abs(1 - sum(v * v for v in q)) ** 0.5
    id_matrix = gltf.matrix((0, 0, 0), (*q, w))
    ours = gltf.matrix((0, 0, 0), f.read(a['samplers'][1]['output'])[i])
    look, up = [-row[2] for row in ours], [row[1] for row in ours]
    for got, column in ((look, 0), (up, 2)):
        x, y, z = (row[column] for row in id_matrix)
        assert gltf.length([p - r for p, r in zip(got, (y, z, x))]) < 1e-4, (i, got)
END
}
check 'camera paths jump at their cuts' writes_cameras

# -- Materials ------------------------------------------------------------------------------------

colors_are_equal() { # IMAGE IMAGE: compares the colors of two images, with or without alpha
    python3 - "$@" <<'END'
import sys
sys.path.insert(0, 'test/viewer')
import png
(w, h, ours, a), (w2, h2, theirs, b) = map(png.read, sys.argv[1:])
assert (w, h) == (w2, h2)
for p, q in zip(ours, theirs):
    assert all(bytes(p)[c::a] == bytes(q)[c::b] for c in range(3))
END
}

# A .gltf file uses the images next to the model. In glTF, green in a normal map points up, so it is 255 minus the value in
# id's maps.
writes_materials() {
    write_gltf looks.gltf "$models/thimble/thimble.md5mesh" && run_gltf_py check "$files/looks.gltf" &&
        expect_gltf_value looks.gltf 'sorted(i["uri"] for i in g["images"])' \
            "['thimble.png', 'thimble_add.png', 'thimble_local_n.png', 'thimble_s.png']" &&
        expect_gltf_value looks.gltf '[g["images"][g["textures"][t["index"]]["source"]]["name"] for m in g["materials"] for t in
            (m["pbrMetallicRoughness"]["baseColorTexture"], m["normalTexture"], m["emissiveTexture"])]' \
            "['thimble', 'thimble_local_n', 'thimble_add']" &&
        colors_are_equal "$files/thimble.png" "$models/thimble/thimble.png" || return 1
    python3 - "$files/thimble_local_n.png" "$models/thimble/thimble_local.png" <<'END'
import sys
sys.path.insert(0, 'test/viewer')
import png
(w, h, ours, a), (w2, h2, theirs, b) = map(png.read, sys.argv[1:])
assert (w, h) == (w2, h2)
greens = set()
for p, q in zip(ours, theirs):
    p, q = bytes(p), bytes(q)
    assert p[0::a] == q[0::b] and p[2::a] == q[2::b] and p[1::a] == bytes(255 - x for x in q[1::b])
    greens |= set(p[1::a])
assert len(greens) > 10
END
}
# If no image is found, the material has the shader's name and is white.
writes_white_material() {
    mkdir "$scratch/bare" && cp "$zoo/triangle.md5mesh" "$scratch/bare" && write_gltf bare.glb "$scratch/bare/triangle.md5mesh" &&
        expect_gltf_value bare.glb '[sorted(m) for m in g["materials"]]' "[['name', 'pbrMetallicRoughness']]"
}
if "$tool" convert "$models/thimble/thimble.md5mesh" -o "$scratch/try2.glb" 2>&1 | grep -q 'left out'; then
    skip 'images' 'built without image support'
else
    check 'materials have their images' writes_materials
fi
check 'a shader without an image is a white material' writes_white_material

# -- Files ----------------------------------------------------------------------------------------

writes_gltf_with_bin() {
    write_gltf 'two files.gltf' "$zoo/twist.md5mesh" "$zoo/twist.md5anim" && run_gltf_py check "$files/two files.gltf" &&
        expect_gltf_value 'two files.gltf' 'g["buffers"][0]["uri"]' two%20files.bin &&
        poses_match 'two files.gltf' twist 1e-4 "$zoo/twist.md5mesh" "$zoo/twist.md5anim" 0
}
check 'a .gltf is written with a separate buffer file' writes_gltf_with_bin
reports_renamed_clip() {
    sed 's/"twist"/"Twist A"/g' "$files/two files.gltf" >"$files/capital.gltf" && ! cmp -s "$files/two files.gltf" "$files/capital.gltf" &&
        exits_with 0 "renamed clip 'Twist A' to Twist_A" "$tool" convert "$files/capital.gltf" -o "$files/capital.md5mesh"
}
check 'a renamed clip is reported' reports_renamed_clip
check 'more influences are not suggested if all are written' exits_with 0 'note: use --fit to reduce the difference' \
    "$tool" convert "$zoo/negative_bias.md5mesh" "$zoo/negative_bias.md5anim" --influences 16 --force -o "$files/fit.glb"
renames_case_variants() { # also in file systems that ignore case
    cp "$zoo/twist.md5anim" "$files/queenWalk.md5anim" && cp "$zoo/twist.md5anim" "$files/QUEENwalk.md5anim" &&
        write_gltf queen.glb "$zoo/twist.md5mesh" "$files/queenWalk.md5anim" "$files/QUEENwalk.md5anim" &&
        "$tool" convert "$files/queen.glb" -o "$files/queen" && [ -e "$files/queen/queenWalk.md5anim" ] &&
        [ -e "$files/queen/QUEENwalk_2.md5anim" ]
}
check 'names of clips keep their case' renames_case_variants
check 'existing files are not overwritten' exits_with 1 '--force' "$tool" convert "$zoo/twist.md5mesh" -o "$files/twist.glb"
check 'a clip of another model is an error' exits_with 1 'error' "$tool" convert "$zoo/twist.md5mesh" \
    "$models/bobbin/walk.md5anim" -o "$files/none.glb"
no_file_was_written() {
    [ ! -e "$files/none.glb" ]
}
check 'a failed conversion writes no file' no_file_was_written
finish
