#!/bin/sh
# Export of OBJ: the bind pose and frames equal md5tool dump; md5tool bind reads them.
. test/build/report.sh
tool=$products/md5tool
mesh=models/thimble/thimble.md5mesh
clip=models/thimble/trot.md5anim

matches_dump() { # FILE DUMP-ARGUMENT...
    file=$1
    shift
    "$tool" dump "$@" >"$scratch/dump" && python3 test/convert/obj.py "$scratch/$file" "$scratch/dump"
}

check "a model is written" "$tool" convert "$mesh" --output "$scratch/still.obj"
check "... in the bind pose" matches_dump still.obj "$mesh"
check "... with its material" grep -q '^newmtl models/thimble/thimble$' "$scratch/still.mtl"
check "... without overwriting a file" exits_with 1 "the file already exists" "$tool" convert "$mesh" --output "$scratch/still.obj"
check "a clip is written" "$tool" convert "$mesh" "$clip" --output "$scratch/trot.obj"
check "... its first frame" matches_dump trot_0000.obj "$mesh" "$clip" --frame 0
check "... and its last" matches_dump trot_0012.obj "$mesh" "$clip" --frame 12
last=$("$tool" info "$clip" | awk '/^  frames/ { printf "trot_%04d.obj", $2 - 1 }')
check "... no more" test -f "$scratch/$last" -a "$(find "$scratch" -name 'trot_*.obj' | wc -l)" = \
    "$("$tool" info "$clip" | awk '/^  frames/ { print $2 }')"
check "content that OBJ does not support is reported" exits_with 0 "skipped camera paths and morph targets (1): OBJ does not support them" "$tool" convert "$mesh" \
    models/bobbin/flight.md5camera --output "$scratch/seen.obj"
check "fewer frames" "$tool" convert "$mesh" "$clip" --rate 15 --force --output "$scratch/few.obj"
check "... at their times" matches_dump few_0003.obj "$mesh" "$clip" --ms 200
check "two clips are written" "$tool" convert "$mesh" "$clip" models/thimble/walk.md5anim --rate 1 --output "$scratch/two.obj"
check "... with their names" test -f "$scratch/two_trot_0000.obj" -a -f "$scratch/two_walk_0000.obj"
check "y up" "$tool" convert "$mesh" --y-up --force --output "$scratch/up.obj"
check "... is the same turned" "$tool" bind "$scratch/up.obj" "$mesh" --y-up --output "$scratch/up.md5mesh"
check "... as z up" "$tool" bind "$scratch/still.obj" "$mesh" --output "$scratch/still.md5mesh"
check "... and reads as the same mesh" cmp "$scratch/up.md5mesh" "$scratch/still.md5mesh"
check "a clip without a model is rejected" exits_with 1 "model is missing: OBJ requires a model as input" "$tool" convert "$clip" --output "$scratch/none.obj"
finish
