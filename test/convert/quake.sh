#!/bin/sh
# Export of MDL, MD2 and MD3: the independent reader quake.py compares the frames with md5tool dump to half a step, and its
# error with the reported loss; also limits, names, skins and tags.
. test/build/report.sh
tool=$products/md5tool
golden=${MD5_CORPUS:-none}/golden/frames
table=- && [ -f "$golden/normals162.txt" ] && table=$golden/normals162.txt

convert() { # OUTPUT INPUT...: writes notes to a file
    output=$1
    shift
    "$tool" convert "$@" --force --output "$output" >"$scratch/notes" 2>&1 || { cat "$scratch/notes" && false; }
}
file_has_line() { # FILE LINE: searches the output of quake.py say
    python3 test/convert/quake.py say "$1" >"$scratch/say" && grep -qxF -- "$2" "$scratch/say" || { cat "$scratch/say" && false; }
}
expect_note() { grep -qF -- "$1" "$scratch/notes" || { cat "$scratch/notes" && false; }; }
is_rejected() { # MESSAGE INPUT...
    message=$1
    shift
    exits_with 1 "$message" "$tool" convert "$@"
}

# Returns success if a file has the poses of a clip at fixed intervals in milliseconds, with the reported error.
poses_match() { # FILE MESH CLIP ROOT COUNT MS
    # shellcheck disable=SC2046 # several words
    "$tool" dump "$2" "$3" --root "$4" $(seq -f '--ms %g' 0 "$6" $((($5 - 1) * $6))) >"$scratch/poses" || return 1
    python3 test/convert/quake.py same "$1" "$table" "$scratch/poses" >"$scratch/loss" || return 1
    reported_errors=$(sed -n 's/.*rounding moves vertices by \([^ ]*\) units on average, at most \([^ ;]*\).*/\1 \2/p' "$scratch/notes")
    # shellcheck disable=SC2046,SC2086
    numbers_satisfy '($1 / $3 - 1)^2 < 1e-4 && ($2 / $4 - 1)^2 < 1e-4' $(cat "$scratch/loss") $reported_errors
}

twist_model="models/zoo/twist.md5mesh models/zoo/twist.md5anim" trot="models/thimble/thimble.md5mesh models/thimble/trot.md5anim"
for ending in mdl md2 md3; do
    out=$scratch/out.$ending
    # shellcheck disable=SC2086
    {
        check ".$ending is written" convert "$out" $twist_model
        check "... with ten frames per second" poses_match "$out" $twist_model in_place 20 100
        check "... of 4 a second" convert "$out" $twist_model --rate 4
        check "... with those" poses_match "$out" $twist_model in_place 8 250
    }
    if [ -f "$golden/expected.json" ]; then
        check "the arm of the specification is written" convert "$out" "$golden/arm.md5mesh" "$golden/arm.md5anim"
        check "... with the specified values" python3 test/convert/quake.py golden "$out" "$golden/expected.json" "$table"
        check "... with its names" file_has_line "$out" "names arm1 arm2 arm3"
        [ $ending = md2 ] && from=cube || from=arm
        check "a golden .$ending is written again" convert "$out" "$golden/$from.$ending"
        check "... with its positions in each frame" python3 test/convert/quake.py again "$out" "$golden/expected.json" "$from.$ending"
    else
        skip "the arm of the specification" "not in MD5_CORPUS"
    fi
    check "a pose without a clip is written" convert "$out" models/lantern/lantern.md5mesh
    check "... as one frame" file_has_line "$out" "names frame1"
    if python3 test/convert/quake.py assimp "$out" >"$scratch/assimp" 2>&1 || ! grep -q 'libassimp.so.5: cannot' "$scratch/assimp"; then
        check "assimp reads the file" grep -qx '[12] 1\?[0-9]* [0-9]*' "$scratch/assimp"
    else
        skip "assimp reads the file" "assimp is not installed"
    fi
done
for ending in mdl md3; do
    # shellcheck disable=SC2086 # two words
    {
        check "a loop of 600 ms is written to .$ending" convert "$scratch/out.$ending" $trot
        check "... without its last frame, in place" poses_match "$scratch/out.$ending" $trot in_place 6 100
        check "... or with its path" convert "$scratch/out.$ending" $trot --root file
        check "... walks" poses_match "$scratch/out.$ending" $trot file 6 100
    }
done
check "two clips are written" convert "$scratch/two.md3" models/thimble/thimble.md5mesh models/thimble/trot.md5anim models/thimble/idle.md5anim
check "... with a table" expect_note "animation.cfg: 0 6 6 10 // trot"
cp models/zoo/twist.md5anim "$scratch/abcdefghijklmno_a.md5anim" && cp models/zoo/twist.md5anim "$scratch/abcdefghijklmno_b.md5anim"
check "a long name is truncated before its number" convert "$scratch/long.mdl" models/zoo/twist.md5mesh "$scratch/abcdefghijklmno_a.md5anim" --rate 1
check "... to 15 bytes" file_has_line "$scratch/long.mdl" "names abcdefghijklmn1 abcdefghijklmn2"
check "duplicate frame names are rejected" is_rejected "duplicate frame name abcdefghijklmn1 after shortening to 15 bytes; rename a clip" models/zoo/twist.md5mesh "$scratch"/abc*_?.md5anim --rate 1 \
    --output "$scratch/none.mdl"

# -- Limits -------------------------------------------------------------------------------------------

large=$scratch/large.md5mesh
check "a large mesh is created" python3 test/convert/quake.py large "$large" 46
"$tool" dump "$large" >"$scratch/large.dump"
check "... is too large for MD2" is_rejected "too many vertices for MD2 in quake2 yquake2 kmquake2 (2209; limit 2048)" "$large" --output "$scratch/none.md2"
check "... but not for every engine" convert "$scratch/large.md2" "$large" --for darkplaces
check "... and written" python3 test/convert/quake.py same "$scratch/large.md2" "$table" "$scratch/large.dump"
check "... and as MDL not" convert "$scratch/large.mdl" "$large"
check "... with a note that Quake rejects it" expect_note "too many vertices for MDL in quake (2209; limit 1024)"
check "... and an error with --for" is_rejected "for MDL in quake (2209; limit 1024)" "$large" --for quake --output "$scratch/none.mdl"
check "... but not too large for MD3" convert "$scratch/large.md3" "$large" --for ioq3
check "... in parts, without a seam in the normals" python3 test/convert/quake.py same "$scratch/large.md3" - "$scratch/large.dump"
check "... of up to 999 vertices" file_has_line "$scratch/large.md3" \
    "skins arm-l:models/wide/arm_l.tga arm-l_part2:models/wide/arm_l.tga arm-l_part3:models/wide/arm_l.tga"
check "... with one note" [ "$(grep -c 'image path in the file is' "$scratch/notes")" = 1 ]
check "... and within 512 units" is_rejected "but MD3 supports 511.98; use --scale to reduce the model" "$large" --scale 12 --output "$scratch/none.md3"
check "an engine without MD3 is rejected" is_rejected "output format MD3 is not supported by engine cube2; name another engine with --for" "$large" --for cube2 --output "$scratch/none.md3"
check "... and an engine without MD5" is_rejected "engine ioq3 does not read MD5 files" "$large" --for ioq3 --output "$scratch/none.md5mesh"
check "the limits of all engines apply" is_rejected "too many vertices for MDL in quake (2209; limit 1024)" "$large" --for ironwail --for quake --output "$scratch/none.mdl"
check "... if they read the format" is_rejected "output format MDL is not supported by engine quake2; name another engine with --for" "$large" --for ironwail --for quake2 --output "$scratch/none.mdl"
check "... or MD5 files" is_rejected "engine ioq3 does not read MD5 files" "$large" --for doom3 --for ioq3 --output "$scratch/none.md5mesh"
# shellcheck disable=SC2086
check "too many frames are rejected" is_rejected "exceed 16777216 vertex positions" $twist_model --rate 1e6 --output "$scratch/none.mdl"
check "a clip without a model is rejected" is_rejected "model is missing: MD2 requires a model as input" models/zoo/twist.md5anim --output "$scratch/none.md2"
check "two materials are rejected" is_rejected "meshes have different materials: mesh 1 has models/bobbin/bobbin_eye, mesh 0 has models/bobbin/bobbin," models/bobbin/bobbin.md5mesh \
    --output "$scratch/none.mdl"
check "... but written as two surfaces of MD3" convert "$scratch/bobbin.md3" models/bobbin/bobbin.md5mesh
sed '/tri /d; s/numtris.*/numtris 0/' models/zoo/twist.md5mesh >"$scratch/empty.md5mesh"
check "a model without triangles is rejected" is_rejected "model is empty: expected at least 1 triangle, found 0" "$scratch/empty.md5mesh" --output "$scratch/none.mdl"
for count in 59 60; do # the path of the image is 4 bytes longer, and MD2 stores 63 bytes
    sed "s/shader .*/shader \"$(printf "%0${count}d" 0)\"/" models/zoo/twist.md5mesh >"$scratch/path$count.md5mesh"
done
check "an image path of 63 bytes is written" convert "$scratch/path.md2" "$scratch/path59.md5mesh"
check "... and a longer path is rejected" is_rejected "0.pcx is too long: found 64 bytes, but MD2 supports 63; shorten the name" "$scratch/path60.md5mesh" --output "$scratch/none.md2"
check "rejected files are not written" test ! -e "$scratch/none.mdl" -a ! -e "$scratch/none.md2" -a ! -e "$scratch/none.md3"

# -- Tags, skins --------------------------------------------------------------------------------------

# shellcheck disable=SC2086
check "tags are written" convert "$scratch/tags.md3" $twist_model --rate 2 --tag top=tag_head --tag root
"$tool" dump models/zoo/twist.md5mesh models/zoo/twist.md5anim --ms 500 >"$scratch/pose"
joint=$(awk '$1 == "world" && $2 == 1 { printf "%.3f %.3f %.3f %.3f %.3f %.3f %.3f %.3f %.3f %.3f %.3f %.3f", $6, $10, $14, $3, $7, $11, \
    $4, $8, $12, $5, $9, $13 }' "$scratch/pose")
check "... at the positions of the joints" file_has_line "$scratch/tags.md3" "tag tag_head $(echo "$joint" | sed 's/-0\.000/0.000/g')"
check "... both" grep -q "^tag tag_root 0.000 " "$scratch/say"
check "a tag of an unknown joint is rejected" is_rejected "joint not found: expected the name of a joint of the model" "$large" --tag hand --output "$scratch/none.md3"
check "a tag without a name is rejected" is_rejected "expected a tag name after '='" "$large" --tag root= --output "$scratch/none.md3"
check "... and a duplicate tag" is_rejected "duplicate tag name" "$large" --tag root --tag root --output "$scratch/none.md3"
check "a tag in MD2 is rejected" exits_with 2 "--tag has no effect on these files" "$tool" convert "$large" --tag root --output "$scratch/none.md2"
check "a palette in MD3 is rejected" exits_with 2 "--palette has no effect on these files" "$tool" convert "$large" --palette x --output "$scratch/none.md3"
check "a palette" python3 test/convert/quake.py palette "$scratch/palette.lmp"
check "... and colors a skin without an image" convert "$scratch/gray.mdl" "$large" --palette "$scratch/palette.lmp"
check "... gray" file_has_line "$scratch/gray.mdl" "texels 8 256 256"
check "a palette of the wrong size is rejected" is_rejected "wrong size of the palette: expected 768 bytes, found 236370" "$large" --palette "$large" --output "$scratch/none.mdl"
check "a missing palette is reported" is_rejected "none.lmp: error: cannot read the file: No such" "$large" --palette "$scratch/none.lmp" \
    --output "$scratch/none.mdl"
mkdir -p "$scratch/game/progs" "$scratch/game/gfx" && cp "$large" "$scratch/game/progs/large.md5mesh"
{ # 2 x 2 texels of TGA, blue green red
    printf '\000\000\002\000\000\000\000\000\000\000\000\000\002\000\002\000\030\040'
    printf '\000\000\377\000\000\377\000\000\377\000\000\377'
} >"$scratch/game/progs/arm_l.tga"
check "an image is written without a palette" convert "$scratch/game/progs/large.mdl" "$scratch/game/progs/large.md5mesh"
check "... is gray" file_has_line "$scratch/game/progs/large.mdl" "texels 5 4 2"
check "... with a note" expect_note "grayscale: gfx/palette.lmp not found, use --palette"
cp "$scratch/palette.lmp" "$scratch/game/gfx"
check "... and with the palette of the game" convert "$scratch/game/progs/large.mdl" "$scratch/game/progs/large.md5mesh"
check "... with the nearest color that is not fullbright" file_has_line "$scratch/game/progs/large.mdl" "texels 31 4 2"
finish
