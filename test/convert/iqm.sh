#!/bin/sh
# Export and import of IQM: the independent reader iqm.py checks the files, losses match the reported values, and invalid
# files are rejected.
. test/build/report.sh
tool=$products/md5tool

convert() { # OUTPUT INPUT...: writes notes to a file
    output=$1
    shift
    "$tool" convert "$@" --force --output "$output" >"$scratch/notes" 2>&1 || {
        cat "$scratch/notes"
        false
    }
}

# Returns success if the file's error equals the reported error and does not exceed the quantization bound.
reported_error_is_exact() { # FILE MESH CLIP [MORE]: MORE is the largest displacement by dropped weights
    python3 test/convert/iqm.py loss "$1" "$2" "$(basename "$3" .md5anim)=$3" >"$scratch/loss" || return 1
    reported_error=$(sed -n 's/^note: largest difference from the MD5 skin in these clips: \([^ ]*\) units.*/\1/p' "$scratch/notes")
    # shellcheck disable=SC2046
    numbers_satisfy "\$1 <= 1.02 * \$3 + 1e-5 && \$1 >= 0.9 * \$3 - 1e-5 && \$1 <= \$2 + ${4:-0}" $(cat "$scratch/loss") "$reported_error"
}

# Returns success if a round trip is exact up to steps of 16 bits. MD5's own numbers have six decimals.
round_trip_is_exact() { # MESH CLIP
    mkdir -p "$scratch/back"
    name=$(basename "$1" .md5mesh)
    convert "$scratch/$name.iqm" "$1" "$2" && convert "$scratch/back" "$scratch/$name.iqm" || return 1
    "$tool" diff "$2" "$scratch/back/$(basename "$2")" >"$scratch/diff" 2>&1
    grep -qE 'names|parents|frames:|rate' "$scratch/diff" && { cat "$scratch/diff"; return 1; }
    "$tool" diff "$1" "$scratch/back/$name.md5mesh" >"$scratch/diff" 2>&1
    grep -qE 'triangles|shader|texture coordinates|names|parents' "$scratch/diff" && { cat "$scratch/diff"; return 1; }
    moved=$(sed -n 's/.*moved in the bind pose, at most \([^ ]*\) units.*/\1/p' "$scratch/diff" | sort -g | tail -n 1)
    size=$("$tool" info "$1" | awk '/^  bounds/ { gsub(/[(),]/, ""); print $5 - $2 + $6 - $3 + $7 - $4 }')
    numbers_satisfy '$1 <= 1e-6 * $2' "${moved:-0}" "$size"
}

for pair in zoo/weights:zoo/weights zoo/twist:zoo/twist zoo/half_turn:zoo/half_turn zoo/chain:zoo/chain \
    thimble/thimble:thimble/fold lantern/lantern:lantern/swing; do
    mesh=models/${pair%:*}.md5mesh clip=models/${pair#*:}.md5anim
    check "${pair%:*} is written" convert "$scratch/out.iqm" "$mesh" "$clip"
    check "... an independent reader confirms the reported loss" reported_error_is_exact "$scratch/out.iqm" "$mesh" "$clip" \
        "$(sed -n 's/.*this moves vertices by at most \([^ ]*\) units.*/\1/p' "$scratch/notes")"
done
check "dropped weights are reported" convert "$scratch/out.iqm" models/bobbin/bobbin.md5mesh models/bobbin/wave.md5anim
check "... with their number" grep -q 'weights of 596 of 6376 vertices were reduced to 4 influences (from up to 6)' "$scratch/notes"
for pair in zoo/twist:zoo/twist zoo/chain:zoo/chain lantern/lantern:lantern/swing; do
    check "${pair%:*} comes back" round_trip_is_exact "models/${pair%:*}.md5mesh" "models/${pair#*:}.md5anim"
done
if [ -n "${MD5_CORPUS:-}" ]; then
    for pair in redeclipse/drone/mesh:redeclipse/drone/forward cube2/ffflag/ffflag:cube2/ffflag/ffflag; do
        mesh=$MD5_CORPUS/corpus/${pair%:*}.md5mesh clip=$MD5_CORPUS/corpus/${pair#*:}.md5anim
        [ -f "$mesh" ] && [ -f "$clip" ] || { skip "${pair%:*}" "not in MD5_CORPUS"; continue; }
        check "${pair%:*} is written" convert "$scratch/out.iqm" "$mesh" "$clip"
        check "... an independent reader confirms the reported loss" reported_error_is_exact "$scratch/out.iqm" "$mesh" "$clip" \
            "$(sed -n 's/.*this moves vertices by at most \([^ ]*\) units.*/\1/p' "$scratch/notes")"
    done
fi
check "a large loss is rejected" exits_with 1 "use --force to write the file anyway" "$tool" convert models/zoo/negative_bias.md5mesh \
    models/zoo/negative_bias.md5anim --output "$scratch/none.iqm"
check "... and writes no file" test ! -e "$scratch/none.iqm"
check "clips without a model are written" convert "$scratch/clips.iqm" models/thimble/trot.md5anim models/thimble/walk.md5anim
mkdir "$scratch/clips"
check "... and read" convert "$scratch/clips" "$scratch/clips.iqm"
check "... as two" test -f "$scratch/clips/trot.md5anim" -a -f "$scratch/clips/walk.md5anim"
check "two sizes" convert "$scratch/large.iqm" models/lantern/lantern.md5mesh models/lantern/swing.md5anim --scale 2
check "... are that" convert "$scratch/large.md5mesh" "$scratch/large.iqm" --scale 0.5
"$tool" diff models/lantern/lantern.md5mesh "$scratch/large.md5mesh" >"$scratch/diff" 2>&1
moved=$(sed -n 's/.*moved in the bind pose, at most \([^ ]*\) units.*/\1/p' "$scratch/diff" | sort -g | tail -n 1)
check "... and back" numbers_satisfy '$1 < 1e-4' "${moved:-0}"

if [ -n "${MD5_CORPUS:-}" ] && [ -f "$MD5_CORPUS/golden/found2/iqm_picture/figure.iqm" ]; then
    picture=$MD5_CORPUS/golden/found2/iqm_picture
    check "a file with an image is converted to glTF" convert "$scratch/picture.glb" "$picture/figure.iqm"
    check "... with the image" test "$(wc -c <"$scratch/picture.glb")" -gt "$(wc -c <"$picture/figure.png")"
    mkdir "$scratch/picture"
    check "... and for Doom 3" convert "$scratch/picture" "$picture/figure.iqm" --for doom3
    check "... with an image and a material" test -s "$scratch/picture/figure.tga" -a -s "$scratch/picture/materials/figure.mtr"
fi

# -- Test file ----------------------------------------------------------------------------------------

mkdir "$scratch/made"
check "the test file is written" python3 test/convert/iqm.py make "$scratch/made.iqm"
check "... and read" convert "$scratch/made" "$scratch/made.iqm"
check "... with its numbers" python3 test/convert/iqm.py made "$scratch/made/made.md5mesh" "$scratch/made"
check "... and a note about a quote in a name" grep -qF "made.iqm: replaced quotes and control characters with _ in 1 name" "$scratch/notes"
check "... and about a clip that loops" grep -qF "made.iqm: skipped the loop flags of 1 clip: MD5 cannot store them" "$scratch/notes"
for form in IB iB hB bB if IH Ih; do # types of joints and weights that programs write, as in Python's struct
    python3 test/convert/iqm.py make "$scratch/made.iqm" $form
    rm -rf "$scratch/form" && mkdir "$scratch/form"
    check "joints and weights of the types $form are read" convert "$scratch/form" "$scratch/made.iqm"
    check "... with the same values" python3 test/convert/iqm.py made "$scratch/form/made.md5mesh" "$scratch/form"
done
python3 test/convert/iqm.py make "$scratch/made.iqm" odd
rm -rf "$scratch/odd" && mkdir "$scratch/odd"
check "tables at odd offsets are read" convert "$scratch/odd" "$scratch/made.iqm"
check "... with the same values" python3 test/convert/iqm.py made "$scratch/odd/made.md5mesh" "$scratch/odd"
python3 test/convert/iqm.py make "$scratch/made.iqm"
check "frames alone" python3 test/convert/iqm.py make "$scratch/frames.iqm" frames
mkdir "$scratch/frames"
check "... are clips" convert "$scratch/frames" "$scratch/frames.iqm"
check "... with numbered joints" python3 test/convert/iqm.py clips "$scratch/frames"
check "... and without a model" test ! -e "$scratch/frames/frames.md5mesh"
check "... and with bounds of the joints" grep -qF "( 0 0 1 ) ( 0 0 3 )" "$scratch/frames/lift_up.md5anim"
mkdir "$scratch/both" "$scratch/named"
cp "$scratch/made.iqm" "$scratch/frames.iqm" "$scratch/both"
check "frames after their model are read" convert "$scratch/named" "$scratch/both/made.iqm" "$scratch/both/frames.iqm"
print_joint_names() { # FILE: prints the names of its joints
    sed -n 's/^\t\("[^"]*"\)\t.*/\1/p' "$1"
}
check "... with the model's joint names" test "$(print_joint_names "$scratch/named/made.md5mesh")" = "$(print_joint_names "$scratch/named/lift_up_2.md5anim")"
check "... and no numbers" test -z "$(grep joint_0 "$scratch/notes")"
check "a folder with a model and frames is converted" grep -q '^1 model: 1 converted' <<END
$("$tool" convert "$scratch/both" --output "$scratch/folder")
END

# check_broken_iqm TITLE PLACE NUMBER MESSAGE
check_broken_iqm() {
    python3 test/convert/iqm.py break "$scratch/made.iqm" "$scratch/bad.iqm" "$2" "$3"
    check "$1" names_next_step "bad.iqm: error: $4" "$tool" convert "$scratch/bad.iqm" --force --output "$scratch/made"
}
names_next_step() { # MESSAGE COMMAND...: the error has this message and ends with the next step
    exits_with 1 "$@" && grep -qE 'error: .*; (copy or )?export the file (again|with a current exporter)$' "$scratch/out" || { cat "$scratch/out" && false; }
}

# Sets the x scale of joint `arm` in all frames. The last vertex, 2 units from the joint along x, moves most. The model size is
# sqrt(17). So a scale of 1.02 moves it by 0.97 % of the size, and 1.021 by 1.02 %.
check_joint_scale() { # SCALE OPTION...
    python3 test/convert/iqm.py break "$scratch/made.iqm" "$scratch/scaled.iqm" poses+124 "$1"
    shift
    rm -rf "$scratch/scaled"
    "$tool" convert "$scratch/scaled.iqm" --output "$scratch/scaled" "$@"
}
scale_message='MD5 cannot store the scale of joint arm in clip'
check "a loss below 1 % of the size is reported as a note" exits_with 0 "note: $scale_message lift_up: vertices move by up to 0.04 units" check_joint_scale 1.02
check "... above it an error" exits_with 1 "scaled.iqm: error: $scale_message lift_up: vertices move by up to 0.042 units" check_joint_scale 1.021
check "... with a remedy" exits_with 1 "; remove the scale keys, or use --force to ignore them" check_joint_scale 1.021
check "... that writes no file" test ! -e "$scratch/scaled/scaled.md5mesh"
check "... and accepted with --force" exits_with 0 "$scale_message" check_joint_scale 1.021 --force
measures_clip_of_other_file() { # clips of a file for the model of another file
    python3 test/convert/iqm.py break "$scratch/frames.iqm" "$scratch/scaled.iqm" poses+124 1.021
    "$tool" convert "$scratch/made.iqm" "$scratch/scaled.iqm" --output "$scratch/scaled_2"
}
check "... also in a file with clips for the model of another file" exits_with 1 "$scale_message" measures_clip_of_other_file

# The arm is 2 units above the root, whose z scale is 1.5 in all frames.
applies_parent_scale() {
    python3 test/convert/iqm.py break "$scratch/made.iqm" "$scratch/scaled.iqm" poses+44 1.5
    "$tool" convert "$scratch/scaled.iqm" --output "$scratch/longer" --force && grep -q '( 0 0 3 ) (' "$scratch/longer/lift_up.md5anim"
}
check "the scale of a joint moves its children" applies_parent_scale

# The head is below the root in one file, and below the spine in the other. The spine is rotated by 90 degrees in frame 1, and with it
# the head if it is below the spine. A clip for the model of the other file keeps this motion.
write_body() { # NAME HEAD_PARENT Z: a model and its clip; z of the head relative to its parent
    printf 'MD5Version 10\ncommandline ""\nnumJoints 3\nnumMeshes 1\njoints {\n"root" -1 ( 0 0 0 ) ( 0 0 0 )\n"spine" 0 ( 0 0 10 ) ( 0 0 0 )
"head" %d ( 0 5 20 ) ( 0 0 0 )\n}\nmesh {\nshader "s"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1
numtris 1\ntri 0 0 1 2\nnumweights 3\nweight 0 0 1 ( 0 0 0 )\nweight 1 1 1 ( 1 0 0 )\nweight 2 2 1 ( 0 1 0 )\n}\n' "$2" >"$scratch/$1.md5mesh" &&
        printf 'MD5Version 10\ncommandline ""\nnumFrames 2\nnumJoints 3\nframeRate 24\nnumAnimatedComponents 1\nhierarchy {\n"root" -1 0 0
"spine" 0 32 0\n"head" %d 0 0\n}\nbounds {\n( 0 0 0 ) ( 9 9 9 )\n( 0 0 0 ) ( 9 9 9 )\n}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n( 0 0 10 ) ( 0 0 0 )
( 0 5 %d ) ( 0 0 0 )\n}\nframe 0 {\n0\n}\nframe 1 {\n0.7071068\n}\n' "$2" "$3" >"$scratch/$1.md5anim" && convert "$scratch/$1.iqm" "$scratch/$1.md5anim"
}
keeps_motion() { # MODEL CLIP EXPECTED FOUND X Y: the position of the head in frame 1
    rm -rf "$scratch/fit" && mkdir "$scratch/fit" && convert "$scratch/fit" "$scratch/$1.md5mesh" "$scratch/$2.iqm" &&
        grep -q "^note: .*$2.iqm: 1 joint has another parent than in the model, such as 'head': expected $3, found $4; " "$scratch/notes" &&
        ! grep 'scaled by' "$scratch/notes" || { cat "$scratch/notes" && return 1; }
    "$tool" dump "$scratch/fit/$1.md5mesh" "$scratch/fit/$2.md5anim" --frame 1 --joint head >"$scratch/dump" &&
        numbers_satisfy "(\$4 - $5) ^ 2 + (\$8 - $6) ^ 2 + (\$12 - 20) ^ 2 < 1e-8" "$(sed -n 's/^world 2 //p' "$scratch/dump")"
}
check "a model whose head follows the spine" write_body spine_head 1 10
check "... and one whose head follows the root" write_body root_head 0 20
check "a clip of other parents moves the head with the spine, as in its file" keeps_motion root_head spine_head root spine 5 0
check "... and not with it, if it does not in its file" keeps_motion spine_head root_head spine root 0 5
python3 test/convert/iqm.py break "$scratch/root_head.iqm" "$scratch/nameless.iqm" num_joints 0
check "a clip without names reports why it cannot have the joints of the model" exits_with 1 \
    "nameless.iqm: the file has no joint names, and its joints differ from the joints of the model: expected joint 1 as the parent of joint 2 'head', found 0" \
    "$tool" convert "$scratch/spine_head.md5mesh" "$scratch/nameless.iqm" --output "$scratch/nameless"
check "... also if the model has another number of joints" exits_with 1 \
    "nameless.iqm: the file has no joint names, and its joints differ from the joints of the model: expected 2 joints, found 3" \
    "$tool" convert models/zoo/twist.md5mesh "$scratch/nameless.iqm" --output "$scratch/nameless"

check_broken_iqm "version 1" version 1 "unsupported IQM version 1: expected 2"
size=$(($(wc -c <"$scratch/made.iqm")))
check_broken_iqm "a longer file" filesize 100000 "invalid file size in the header: expected 124 to $size bytes, found 100000"
check_broken_iqm "a shorter one" filesize 100 "invalid file size in the header: expected 124 to $size bytes, found 100"
check_broken_iqm "joints that do not fit" num_joints 4000000000 "truncated file: 4000000000 joints at offset"
check_broken_iqm "joints in the header" ofs_joints 0 "truncated file: 2 joints at offset 0"
check_broken_iqm "joints beyond the end" ofs_joints 4294967292 "truncated file: 2 joints at offset 4294967292"
check_broken_iqm "frames that do not fit" num_frames 4294967295 "truncated file: 4294967295 frames at offset"
check_broken_iqm "channels that do not fit" num_channels 4294967295 "truncated file: 3 frames at offset"
check_broken_iqm "channels that do not match the poses" num_channels 0 "wrong number of channels: the poses have 1 channels, but the frames have 0"
check_broken_iqm "vertices that do not fit" num_vertices 4000000000 "truncated file: 4000000000 positions at offset"
check_broken_iqm "fewer poses than joints" num_poses 1 "wrong number of poses: expected 2 as the number of joints, found 1"
check_broken_iqm "texts without an end" num_text 3 "text block is not terminated: expected a NUL byte at its end"
check_broken_iqm "a name beyond the texts" meshes+0 5000 "name offset of a mesh is out of range: found 5000"
check_broken_iqm "a mesh of more vertices" meshes+12 5 "mesh 0 is out of range: its end is vertex 5 of 4"
check_broken_iqm "a mesh of more triangles" meshes+20 3 "mesh 0 is out of range: its end is vertex 4 of 4 and triangle 3 of 2"
check_broken_iqm "a triangle outside of the mesh" triangles+8 4 "triangle 0 of mesh 0 refers to an unknown vertex: found vertex 4"
check_broken_iqm "positions of another format" arrays+8 1 "vertex array of positions has format 1 and size 3"
check_broken_iqm "positions of two numbers" arrays+12 2 "vertex array of positions has format 7 and size 2"
check_broken_iqm "an array twice" arrays+20 0 "duplicate vertex array of positions"
check_broken_iqm "an array beyond the end" arrays+16 4294967292 "truncated file: 4 positions at offset 4294967292"
check_broken_iqm "a parent behind the joint" joints+4 1 "joint 0 has an invalid parent: expected an earlier joint or -1, found 1"
check_broken_iqm "an own parent" joints+52 1 "joint 1 has an invalid parent: expected an earlier joint or -1, found 1"
check_broken_iqm "a number that is NaN" joints+8 nan "joint 0: number is out of range: expected -1e9 to 1e9, found nan"
check_broken_iqm "a huge number" joints+8 1e30 "joint 0: number is out of range: expected -1e9 to 1e9, found 1e+30"
check_broken_iqm "a pose with another parent" poses+88 4294967295 "pose 1 has the parent -1, but joint 1 has the parent 0: expected equal parents"
check_broken_iqm "a clip of more frames" anims+8 4 "clip 0: frames are out of range: expected 1 or more frames below 3, found 4 frames from frame 0"
check_broken_iqm "a clip of no frames" anims+8 0 "clip 0: frames are out of range: expected 1 or more frames below 3, found 0 frames from frame 0"
check_broken_iqm "a rate that is NaN" anims+12 nan "clip 0: frame rate is out of range: expected 0 to 1e6 frames per second, found nan"
check_broken_iqm "a huge texture coordinate" meshes+72 1e30 "vertex 0: texture coordinate is out of range: expected -1e9 to 1e9, found 1e+30"
write_chain() { # JOINTS: a model with one triangle
    awk -v n="$1" 'BEGIN { printf "MD5Version 10\ncommandline \"\"\n\nnumJoints %d\nnumMeshes 1\n\njoints {\n", n
        for (i = 0; i < n; i++) printf "\t\"j%d\" %d ( 0 0 %d ) ( 0 0 0 )\n", i, i - 1, i
        print "}\n\nmesh {\n\tshader \"a\"\n\tnumverts 3\n\tvert 0 ( 0 0 ) 0 1\n\tvert 1 ( 0 0 ) 1 1\n\tvert 2 ( 0 0 ) 2 1\n\tnumtris 1\n\ttri 0 0 1 2\n\tnumweights 3"
        print "\tweight 0 0 1 ( 0 0 0 )\n\tweight 1 0 1 ( 1 0 0 )\n\tweight 2 0 1 ( 0 1 0 )\n}" }' >"$scratch/chain.md5mesh"
}
write_chain 256
check "256 joints are written" convert "$scratch/chain.iqm" "$scratch/chain.md5mesh"
write_chain 257
check "257 joints are rejected" exits_with 1 "model has too many joints: expected at most 256, found 257; write .glb, or remove joints" "$tool" convert "$scratch/chain.md5mesh" \
    --output "$scratch/longer.iqm"
# Joints of version 12 are not reordered. Its vertices also have a normal, a tangent and a side.
write_chain 3
sed 's/MD5Version 10/MD5Version 12/; s/"j1" 0/"j1" 2/; s/"j2" 1/"j2" 0/; s/^\tvert .*/& ( 0 0 1 ) ( 1 0 0 1 )/' "$scratch/chain.md5mesh" >"$scratch/order.md5mesh"
check "a joint before its parent is rejected" exits_with 1 "joint 'j1' comes before its parent: expected the parent first" "$tool" convert "$scratch/order.md5mesh" \
    --output "$scratch/order.iqm"
cp "$scratch/notes" "$scratch/text.iqm"
check "a text file is rejected" names_next_step "text.iqm: error: not an IQM file: expected a header that starts with INTERQUAKEMODEL" "$tool" convert "$scratch/text.iqm" \
    --output "$scratch/made"
finish
