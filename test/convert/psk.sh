#!/bin/sh
# Tests of the import of PSK and PSA: vertices, clips, names and errors. psk.py writes the files and computes the
# expected vertices.
. test/build/report.sh
tool=$products/md5tool

convert() { # FILE...
    rm -rf "$scratch/it"
    "$tool" convert "$@" --scale 1 --output "$scratch/it" >"$scratch/notes" 2>&1 || {
        cat "$scratch/notes"
        false
    }
}
vertices_match() { # MODEL FRAME
    "$tool" dump "$scratch/it/$1.md5mesh" "$scratch/it/wave_it.md5anim" --frame "$2" >"$scratch/dump" &&
        python3 test/convert/psk.py shown "$scratch/dump" "$2"
}

python3 test/convert/psk.py write "$scratch"
for model in figure wide; do
    check "$model.psk and its clips are read" convert "$scratch/$model.psk" "$scratch/moves.psa"
    for frame in 0 1 2; do
        check "... with the vertices of frame $frame" vertices_match $model $frame
    done
done
check '... and the frame rate' grep -q '^frameRate 12$' "$scratch/it/wave_it.md5anim"
check '... and the frames of the first clip' grep -q '^numFrames 1$' "$scratch/it/rest.md5anim"
check '... and a mesh for each material' grep -q 'shader "a_cloth"' "$scratch/it/wide.md5mesh"
check '... and texture coordinates from the top row' grep -qE '^	vert 1 \( 0\.25 0\.5 \)' "$scratch/it/wide.md5mesh"
check '... and a name with a blank' grep -q '"an_arm"' "$scratch/it/wide.md5mesh"
# Counterclockwise in the file's space is wedges 2, 1, 0, which are vertices 0, 1, 2; MD5's front faces are clockwise.
check '... and front faces' grep -qE '^	tri 0 0 2 1$' "$scratch/it/wide.md5mesh"
check 'clips without a model are read' convert "$scratch/moves.psa"
check '... as clips' test -e "$scratch/it/wave_it.md5anim" -a ! -e "$scratch/it/moves.md5mesh"

check_broken_psk() { # TITLE FILE CHUNK OFFSET FORMAT NUMBER MESSAGE: replaces a number at an offset from the header of a chunk
    python3 test/convert/psk.py break "$scratch/$2" "$scratch/bad_$2" "$3" "$4" "$5" "$6"
    check "$1" names_next_step "bad_$2: error: $7" "$tool" convert "$scratch/bad_$2" --output "$scratch/bad"
}
names_next_step() { # MESSAGE COMMAND...: the error has this message and ends with the next step
    exits_with 1 "$@" && grep -qE 'error: .*; .*export the (file again|clips to several files)$' "$scratch/out" || { cat "$scratch/out" && false; }
}
check_accepted_psk() { # TITLE FILE CHUNK OFFSET FORMAT NUMBER
    python3 test/convert/psk.py break "$scratch/$2" "$scratch/good_$2" "$3" "$4" "$5" "$6"
    check "$1" "$tool" convert "$scratch/good_$2" --scale 1 --output "$scratch/good" --force
}
check '64 weights of a point are accepted' convert "$scratch/weights_64.psk"
check '65 weights are rejected' names_next_step 'point has too many weights: expected at most 64, found 65' "$tool" convert "$scratch/weights_65.psk" --output "$scratch/bad"
check '1024 clips are accepted' convert "$scratch/clips_1024.psa"
check '1025 clips are rejected' names_next_step 'file has too many clips: expected at most 1024, found 1025' "$tool" convert "$scratch/clips_1025.psa" --output "$scratch/bad"
cat "$scratch/moves.psa" "$scratch/moves.psa" >"$scratch/twice.psa"
check 'a duplicate chunk is rejected' names_next_step 'twice.psa: error: duplicate chunk BONENAMES' "$tool" convert "$scratch/twice.psa" --output "$scratch/bad"
check_broken_psk 'another first chunk' figure.psk ACTRHEAD 0 '<I' 0 'not a PSK or PSA file: expected the chunk ACTRHEAD or ANIMHEAD at the start'
check_broken_psk 'an entry more than the file' figure.psk EXTRAUVS0 28 '<I' 6 'truncated file: chunk EXTRAUVS0 has 6 entries of 8 bytes, but 40 bytes remain'
check_broken_psk 'a product of 64 bits' figure.psk EXTRAUVS0 24 '<I' 4294967295 'truncated file: chunk EXTRAUVS0 has 5 entries of 4294967295 bytes'
check_broken_psk 'an entry less than the file' figure.psk EXTRAUVS0 28 '<I' 4 'truncated file: expected the header of a chunk at offset'
check_broken_psk 'short entries' figure.psk RAWWEIGHTS 24 '<I' 11 'chunk RAWWEIGHTS has a wrong entry size: expected at least 12 bytes, found 11'
check_broken_psk 'point 4 of 4' figure.psk VTXW0000 32 '<H' 4 'index of a point at offset 144 is out of range: found 4, but the file has 4'
check_accepted_psk 'point 3 of 4' figure.psk VTXW0000 32 '<H' 3
check_broken_psk 'wedge 5 of 5' figure.psk FACE0000 32 '<H' 5 'index of a wedge at offset 256 is out of range: found 5, but the file has 5'
check_accepted_psk 'wedge 4 of 5' figure.psk FACE0000 32 '<H' 4
check_broken_psk 'a weight of point 4 of 4' figure.psk RAWWEIGHTS 36 '<I' 4 'index of a point at offset '
check_broken_psk 'a weight of bone 3 of 3' figure.psk RAWWEIGHTS 40 '<I' 3 'index of a bone at offset '
check_accepted_psk 'a weight of bone 2 of 3' figure.psk RAWWEIGHTS 40 '<I' 2
check_broken_psk 'a bone that is its parent' figure.psk REFSKELT 344 '<i' 2 'bone 2 has an invalid parent: expected an earlier bone, found 2'
check_broken_psk 'a number that is NaN' figure.psk PNTS0000 32 '<f' nan 'number at offset 64 is out of range: expected -1e9 to 1e9, found nan'
check_broken_psk 'a large number' figure.psk PNTS0000 32 '<f' 1.0000001e9 'number at offset 64 is out of range: expected -1e9 to 1e9, found 1e+09'
check_accepted_psk 'the largest number' figure.psk PNTS0000 32 '<f' 1e9
check_broken_psk 'a frame more than the keys' moves.psa ANIMINFO 364 '<I' 4 'clip 1 has a wrong number of frames: found 4, expected 1 to 3'
check_broken_psk 'a clip without frames' moves.psa ANIMINFO 196 '<I' 0 'clip 0 has a wrong number of frames: found 0'
check_broken_psk 'bones of another skeleton' moves.psa ANIMINFO 160 '<I' 2 'clip 0 has a wrong number of bones: found 2, but the file has 3'
check_broken_psk 'a rate of 0' moves.psa ANIMINFO 184 '<f' 0 'clip 0: frame rate is out of range: found 0, expected more than 0 and at most 1e6 frames per second'
check_accepted_psk 'the largest rate' moves.psa ANIMINFO 184 '<f' 1e6
finish
