#!/bin/sh
# FBX and SMD in, where md5tool is built with libassimp: files of Maya, 3ds Max and MotionBuilder, and the vertices that the program
# showed in a frame; a file of our own with the factors that these lack.
. test/build/report.sh
tool=$products/md5tool
: >"$scratch/none.fbx"
"$tool" convert "$scratch/none.fbx" -o "$scratch/none.md5mesh" >"$scratch/notes" 2>&1
if grep -q libassimp, "$scratch/notes"; then
    check 'a build without libassimp says how to get one with it' grep -q 'error: .*libassimp-dev and libjansson-dev, and build again' "$scratch/notes"
    finish
fi

# In centimetres, as the files of vertices are.
convert() { # FILE OPTION...
    name=$(basename "${1%.*}")
    rm -rf "$scratch/it"
    "$tool" convert "$@" --scale 100 --output "$scratch/it" >"$scratch/notes" 2>&1 || {
        cat "$scratch/notes"
        false
    }
}
shows() { # CLIP FRAME OBJ [LIMIT]
    "$tool" dump "$scratch/it/$name.md5mesh" "$scratch/it/$1.md5anim" --frame "$2" >"$scratch/dump" &&
        python3 test/convert/fbx.py shown "$3" "$scratch/dump" "${4:-1e-5}"
}

python3 test/convert/fbx.py write "$scratch/own.fbx"
check 'rotations before and behind that of a clip' convert "$scratch/own.fbx"
check '... and geometric factors of a skinned mesh' shows turn 1 "$scratch/own.fbx.obj" 1e-4

# SMD: z up, and studiomdl's turn: what looks along -y looks forward.
cat >"$scratch/figure.smd" <<'END'
version 1
nodes
0 "root" -1
1 "arm" 0
end
skeleton
time 0
0 0 0 0 0 0 0
1 0 0 40 0 0 0
time 1
0 0 0 0 0 0 0
1 0 0 40 1.57079633 0 0
end
triangles
skin.bmp
1 5 -2 60 0 -1 0 0 0
1 0 -2 60 0 -1 0 0 0
1 0 0 70 0 -1 0 0 0
end
END
printf 'v 500 3800 2000\nv 0 3800 2000\nv 0 4000 3000\n' >"$scratch/figure.obj" # left, up, forward
check 'SMD' convert "$scratch/figure.smd"
check '... stands on its feet' shows figure 1 "$scratch/figure.obj" 1e-2
check '... at 30 frames a second' grep -q '^frameRate 30$' "$scratch/it/figure.md5anim"
sed '/^triangles/,$d' "$scratch/figure.smd" >"$scratch/bow.smd"
check '... and a clip alone has the name of its file' convert "$scratch/bow.smd"
check '... and is there' test -e "$scratch/it/bow.md5anim"

files=${MD5_CORPUS:-/none}/foreign/fbx
if [ ! -d "$files" ]; then
    skip 'FBX files of other programs' 'not in MD5_CORPUS'
    finish
fi
for kind in wiggle spin; do
    check "Maya: $kind" convert "$files/maya_game_sausage_7500_binary_$kind.fbx"
    case $kind in
    wiggle) frames='9:10 17:18' ;; # the clip begins with frame 1
    spin) frames='7:7 15:15' ;;
    esac
    for frame in $frames; do
        check "... in frame ${frame#*:}" shows $kind "${frame%:*}" "$files/maya_game_sausage_${kind}_${frame#*:}.obj"
    done
done
scaled=$files/maya_game_sausage_7500_binary_combined.fbx
check 'Maya: three clips, of which one scales joints' ends_saying 1 'MD5 has no such scale' "$tool" convert "$scaled" -o "$scratch/no.md5mesh"
check '... by force' convert "$scaled" --force
check '... the first clip' shows wiggle 9 "$files/maya_game_sausage_wiggle_10.obj"
check '... the second clip' shows spin 15 "$files/maya_game_sausage_spin_15.obj"
check '... the scale alone is lost' ends_saying 1 'MD5 has no such scale' "$tool" convert "$files/maya_game_sausage_7500_binary_deform.fbx" -o "$scratch/no.md5mesh"
check 'Maya: a character of 46 joints' convert "$files/maya_kenney_character_7700_binary.fbx"
for frame in 4 9; do # of 440 units
    check "... in frame $frame" shows Take_001 $frame "$files/maya_kenney_character_$frame.obj" 0.02
done
check '... has a key for each frame' test -z "$(grep 'keys more' "$scratch/notes")"
for file in maya_transformed_skin_7700_ascii maya_transformed_skin_7700_binary; do
    check "$file: a mesh that moves beside its joints" ends_saying 1 "moves the mesh 'pCube1' itself" \
        "$tool" convert "$files/$file.fbx" -o "$scratch/no.md5mesh"
done
check 'lines between keys are noted' ends_saying 0 '1 of 1 moved nodes have keys more than a frame apart' \
    "$tool" convert "$files/maya_transformed_skin_7700_binary.fbx" --force -o "$scratch/lines.md5mesh"
check 'MotionBuilder: scales that are not inherited' ends_saying 1 'MD5 has no such scale' \
    "$tool" convert "$files/motionbuilder_sausage_rrss_7700_binary.fbx" -o "$scratch/no.md5mesh"
for file in max7_skin_5000_binary maya_game_sausage_6100_ascii_wiggle; do
    check "$file is older than what is read" ends_saying 1 'old format version' "$tool" convert "$files/$file.fbx" -o "$scratch/no.md5mesh"
done
finish
