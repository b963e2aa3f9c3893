#!/bin/sh
# Import of SMD: weights of vertices, order of rotation angles, axes of studiomdl, clips, images, errors.
. test/build/report.sh
tool=$products/md5tool

convert() { # FILE... OPTION...
    rm -rf "$scratch/it"
    "$tool" convert "$@" --scale 100 --output "$scratch/it" >"$scratch/notes" 2>&1 || {
        cat "$scratch/notes"
        false
    }
}
vertices_match() { # MODEL CLIP FRAME OBJ: an OBJ file with x left, y up, z forward
    "$tool" dump "$scratch/it/$1.md5mesh" "$scratch/it/$2.md5anim" --frame "$3" >"$scratch/dump" &&
        python3 test/convert/fbx.py shown "$4" "$scratch/dump" 1e-3
}

# The second vertex has a quarter of its weight on the root; the rest is on the arm, the first bone of the line.
cat >"$scratch/figure.smd" <<'END'
version 1
// a comment
nodes
0 "root" -1
7 "the arm" 0
end
skeleton
time 0
0 0 0 0 0 0 0
7 0 0 40 0 0 0
time 1
7 0 0 40 1.57079633 0 0
time 2
7 0 0 40 1.57079633 1.57079633 0
time 3
0 1 2 3 0 0 0
end
triangles
skin.png
7 5 -2 60 0 -1 0 0 0
7 5 -2 60 0 -1 0 0 0.25 1 0 0.25
7 0 0 70 0 -1 0 0 0 2 7 0.5 0 0
end
END
check 'a model and its clip are read' convert "$scratch/figure.smd"
check '... a file without a rate has 30 frames per second' grep -q '^frameRate 30$' "$scratch/it/figure.md5anim"
check '... a name with a blank' grep -q '"the_arm"' "$scratch/it/figure.md5mesh"
# The position (x, y, z) of an SMD file is (x, z, -y) times 100 in an OBJ file. The arm rotates about x, which
# changes (x, y, z) to (x, -z, y), then about y, which changes (x, y, z) to (z, y, -x).
printf 'v 500 6000 200\nv 500 6000 200\nv 0 7000 0\n' >"$scratch/0.obj"
printf 'v 500 3800 2000\nv 500 4350 1550\nv 0 4000 3000\n' >"$scratch/1.obj"
printf 'v -200 3500 2000\nv -25 4125 1550\nv 0 4000 3000\n' >"$scratch/2.obj"
printf 'v -100 3800 1800\nv 75 4425 1350\nv 100 4300 2800\n' >"$scratch/3.obj"
for frame in 0 1 2 3; do
    check "... vertices of frame $frame" vertices_match figure figure $frame "$scratch/$frame.obj"
done
check '... texture coordinates from the top row' grep -qE '^	vert [0-9]+ \( 0 0\.75 \)' "$scratch/it/figure.md5mesh"

# A sequence for the model of another file, as for studiomdl. A reference file with one frame has no clip.
sed '/^time 1/,/^0 1 2 3/d' "$scratch/figure.smd" >"$scratch/body.smd"
sed '/^triangles/,$d' "$scratch/figure.smd" >"$scratch/bow.smd"
check 'a reference file and a sequence are read' convert "$scratch/body.smd" "$scratch/bow.smd"
check '... vertices' vertices_match body bow 3 "$scratch/3.obj"
check '... the bind pose is not a clip' test ! -e "$scratch/it/body.md5anim"
check 'a sequence without a model is read' convert "$scratch/bow.smd"
check '... as a clip' test -e "$scratch/it/bow.md5anim"
check '... and not as a model' test ! -e "$scratch/it/bow.md5mesh"
check 'units are unchanged' exits_with 0 'model height: 10 units' "$tool" convert "$scratch/body.smd" -o "$scratch/body.md5mesh"
sed '/^skin/i\#a comment' "$scratch/body.smd" | sed 's/$/\r/' >"$scratch/lines.smd"
check 'lines with CR LF are read' convert "$scratch/lines.smd"
cp models/zoo/zoo_local.png "$scratch/skin.png" 2>"$scratch/none" || cp "$(find models -name '*.png' | head -n 1)" "$scratch/skin.png"
check 'an image next to the file is found' "$tool" convert "$scratch/body.smd" -o "$scratch/body.glb"
check '... and written to the output' test "$(wc -c <"$scratch/body.glb")" -gt "$(wc -c <"$scratch/skin.png")"
# Models of Half-Life name .bmp images. An author converts them to a format that engines read.
sed 's/^skin.png/skin.bmp/' "$scratch/body.smd" >"$scratch/half_life.smd"
check 'an image that replaces a .bmp image is found' exits_with 0 "renamed material 'skin.bmp' to skin" "$tool" convert "$scratch/half_life.smd" -o "$scratch/half_life.glb"
check '... and written to the output' test "$(wc -c <"$scratch/half_life.glb")" -gt "$(wc -c <"$scratch/skin.png")"

# A sequence of a model with other proportions keeps the lengths of its bones. A sequence in another unit is scaled.
write_chain() { # NAME LENGTH...: writes a chain of bones with these lengths
    file=$scratch/$1.smd
    {
        printf 'version 1\nnodes\n0 "b0" -1\n'
        seq 1 $(($# - 1)) | awk '{ printf "%d \"b%d\" %d\n", $1, $1, $1 - 1 }'
        printf 'end\nskeleton\ntime 0\n0 0 0 0 0 0 0\n'
        index=0
        shift
        for length; do
            index=$((index + 1))
            echo "$index 0 0 $length 0 0 0"
        done
        echo end
        [ "$file" != "$scratch/chain.smd" ] || printf 'triangles\na\n0 0 0 0 0 0 1 0 0\n0 1 0 0 0 0 1 0 0\n5 0 1 50 0 0 1 0 0\nend\n'
    } >"$file"
}
write_chain chain 10 10 10 10 10 10
write_chain other 8.5 9 11 11 12 11
write_chain longer 11 11 11 11 11 8
convert_chain() { # NAME
    rm -rf "$scratch/chain" && "$tool" convert "$scratch/chain.smd" "$scratch/$1.smd" --output "$scratch/chain" >"$scratch/notes" 2>&1
}
check 'a sequence with other proportions' convert_chain other
check '... keeps them' grep -qF '( 0 0 12 ) ( 0 0 0 )' "$scratch/chain/other.md5anim"
check 'a sequence whose bones are longer by a factor' convert_chain longer
check '... is scaled' grep -q 'longer.smd: scaled by 0.909091 to match' "$scratch/notes"

# Doom 3 requires one root.
sed 's/^7 "the arm" 0/7 "the arm" -1/' "$scratch/body.smd" >"$scratch/roots.smd"
check 'two roots' convert "$scratch/roots.smd"
check '... are two' test "$(grep -c '^	".*	-1 (' "$scratch/it/roots.md5mesh")" -eq 2
check '... for Doom 3' convert "$scratch/roots.smd" --for doom3
mesh=$(find "$scratch/it" -name roots.md5mesh)
# The first root has a name with a blank, which is replaced in the model and in its clip.
writes_clip_for_roots() {
    sed 's/^\([0-9]* "\)root"/\1the root"/' "$scratch/roots.smd" >"$scratch/blank.smd" && grep -q '"the root"' "$scratch/blank.smd" &&
        sed '/^triangles/,$d' "$scratch/blank.smd" >"$scratch/move.smd" && rm -rf "$scratch/blank" &&
        "$tool" convert "$scratch/blank.smd" "$scratch/move.smd" --for doom3 --output "$scratch/blank" >"$scratch/notes" 2>&1 &&
        ! grep 'another parent' "$scratch/notes" && print_joints "$scratch/blank/blank.md5mesh" '(' >"$scratch/a" && print_joints "$scratch/blank/move.md5anim" '[0-9]' >"$scratch/b" &&
        [ "$(tr '\n' ' ' <"$scratch/a")" = 'origin -1 the_root 0 the_arm 0 ' ] && cmp "$scratch/a" "$scratch/b" && [ "$(sed -n '/^hierarchy/,/^}/s/.*"origin"	-1 \([0-9]*\) .*/\1/p' "$scratch/blank/move.md5anim")" = 0 ]
}
print_joints() { # FILE NEXT: names and parents, before a byte of the next value
    sed -n "s/^	\"\([^\"]*\)\"	\(-*[0-9]*\) $2.*/\1 \2/p" "$1"
}
check '... also in a clip whose first root has a blank in its name' writes_clip_for_roots
check '... have a common root' test "$(sed -n 's/^	"\(.*\)"	\(-*[0-9]\) (.*/\1 \2/p' "$mesh" | tr '\n' ' ')" = 'origin -1 root 0 the_arm 0 '
check '... at the origin' grep -qF '"origin"	-1 ( 0 0 0 ) ( 0 0 0 )' "$mesh"

check_broken_smd() { # TITLE SED MESSAGE
    sed "$2" "$scratch/figure.smd" >"$scratch/bad.smd"
    check "$1" exits_with 1 "bad.smd:$3" "$tool" convert "$scratch/bad.smd" --output "$scratch/bad"
}
check_broken_smd 'another version' 's/version 1/version 2/' "1:9: error: expected version 1, found '2'"
check_broken_smd 'an unknown bone' 's/^7 5 -2/3 5 -2/' "20:1: error: unknown bone 3: expected a bone of the section 'nodes'"
check_broken_smd 'a parent after its child' 's/"root" -1/"root" 7/' "4:10: error: unknown bone 7: expected a bone of the section 'nodes'"
sed 's/^7 "the arm".*/&\n&/' "$scratch/figure.smd" >"$scratch/repeated.smd"
check 'a line of a bone that is repeated' convert "$scratch/repeated.smd"
check_broken_smd 'a bone with two names' 's/^7 "the arm"/0 "the arm"/' '5:1: error: duplicate bone 0'
check_broken_smd 'a name without an end' 's/"root"/"root/' '4:3: error: unterminated name: expected a closing quote'
check_broken_smd 'a missing number' 's/^7 0 0 40 0 0 0/7 0 0 40 0/' '10:11: error: expected a coordinate or an angle, found the end of the line'
check_broken_smd 'a frame twice' 's/time 2/time 1/' "13:6: error: frame times are out of order: expected a later time than the previous frame, found 1"
check_broken_smd 'a transform before the first frame' '/time 0/d' "8:1: error: expected time, found '0'"
check_broken_smd 'an unknown block' 's/^triangles/pentagons/' "18:1: error: expected nodes, skeleton or triangles, found 'pentagons'"
check_broken_smd 'a triangle without its last vertex' '/^7 0 0 70/,$d' '21:34: error: expected a vertex, found the end of the file'
check_broken_smd 'a block without an end' '/^triangles/,$d;/^0 1 2 3/,/^end/d' '15:8: error: expected end, found the end of the file'
check_broken_smd 'nodes after the skeleton' 's/^triangles/nodes/;s/^skin.png/9 "late" 0/' "19:1: error: section 'nodes' is missing: expected it before 'skeleton'"
printf 'version 1\nnodes\n0 "a" -1\nend\n' >"$scratch/bones.smd"
check 'a file without frames is rejected' exits_with 1 'file is incomplete: expected at least one bone and one frame, found 1 bone and 0 frames' "$tool" convert "$scratch/bones.smd" -o "$scratch/bad"
finish
