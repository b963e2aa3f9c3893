#!/bin/sh
# Import of BVH: motion for a model with other names, proportions and rest pose; a clip of the file's own skeleton; errors.
# walker.py writes the files and computes the expected directions of limbs.
. test/build/report.sh
tool=$products/md5tool
bobbin=$models/bobbin/bobbin.md5mesh

run_walker_py() {
    python3 test/convert/walker.py "$@"
}

# convert_bvh NAME OPTION...: converts NAME.bvh to the clip NAME.md5anim for Bobbin.
convert_bvh() {
    name=$1
    shift
    "$tool" convert "$scratch/$name.bvh" --mesh "$bobbin" --output "$scratch/$name.md5anim" "$@" >"$scratch/notes" 2>&1 || {
        cat "$scratch/notes"
        false
    }
}

expect_no_note() {
    ! grep -F -- "$1" "$scratch/notes"
}

check_limbs() { # NAME TURN HOW
    name=$1
    shift
    run_walker_py limbs "$scratch/$name.md5anim" "$bobbin" "$@"
}

expect_note() {
    grep -qF -- "$1" "$scratch/notes" || {
        cat "$scratch/notes"
        false
    }
}

run_walker_py write "$scratch/walk.bvh" cm 0 mixamo
run_walker_py write "$scratch/meters.bvh" m 0 mixamo
# A clip without a model: Ironwail ignores the base frame, so frames contain all components. The poses do not change.
ironwail_frames_are_complete() {
    "$tool" convert "$scratch/walk.bvh" --output "$scratch/any/walk.md5anim" && "$tool" convert "$scratch/walk.bvh" --for ironwail --output "$scratch/full/" &&
        "$tool" check --for ironwail "$scratch/full" && grep -q '^numAnimatedComponents' "$scratch/full/progs/walk.md5anim" &&
        joints=$(sed -n 's/^numJoints //p' "$scratch/any/walk.md5anim") && grep -q "^numAnimatedComponents $((6 * joints))$" "$scratch/full/progs/walk.md5anim"
}
mkdir "$scratch/any"
check 'a clip without a model has all components, for Ironwail' ironwail_frames_are_complete
run_walker_py write "$scratch/classic.bvh" cm 0 classic
run_walker_py write "$scratch/odd.bvh" cm 0 odd
run_walker_py write "$scratch/hanging.bvh" cm 0 hanging
run_walker_py write "$scratch/z_up.bvh" cm 0 z_up
run_walker_py write "$scratch/own_axes.bvh" cm 0 own_axes
run_walker_py write "$scratch/aside.bvh" cm 90 mixamo
run_walker_py write "$scratch/right.bvh" cm -90 mixamo
run_walker_py write "$scratch/behind.bvh" cm 180 mixamo
run_walker_py write "$scratch/askew.bvh" cm 30 mixamo
tr '\n' '\r' <"$scratch/walk.bvh" | sed 's/\r/\r\n/g' >"$scratch/windows.bvh"

check "a walk is retargeted" convert_bvh walk
check "... and its limbs have the walker's directions" check_limbs walk 0 model
check "... and the map of joints can be printed" exits_with 0 "mixamorig:LeftUpLeg thigh_l" "$tool" convert "$scratch/walk.bvh" \
    --mesh "$bobbin" --print-map
check "... and all engines accept the clip" exits_with 0 "0 errors, 0 warnings" "$tool" check "$scratch/walk.md5anim"
check "a walk in meters is retargeted" convert_bvh meters
check "... to the same clip" check_limbs meters 0 model
check "a walk with classic names is retargeted" convert_bvh classic
check "... to the same clip" check_limbs classic 0 model
for names in old small; do
    run_walker_py write "$scratch/$names.bvh" cm 0 $names
    check "a walk with $names names is retargeted" convert_bvh $names
    check "... to the same clip" check_limbs $names 0 model
done
check "a walk with a rest pose with hanging arms is retargeted" convert_bvh hanging
check "... to the same clip" check_limbs hanging 0 model
check "... and the file's rest pose is used" expect_no_note "as the rest pose"
check "a walk in a space with z up is retargeted" convert_bvh z_up
check "... to the same clip" check_limbs z_up 0 model
check "a walk with separate axes for each joint is retargeted" convert_bvh own_axes
check "... to the same clip" check_limbs own_axes 0 first_frame
check "... and the rest pose is noted" expect_note "the first frame is used as the rest pose"
sed 's/End Site/End Site4/' "$scratch/walk.bvh" >"$scratch/numbered.bvh"
check "a walk with numbered end sites is retargeted" convert_bvh numbered
check "... to the same clip" cmp "$scratch/numbered.md5anim" "$scratch/walk.md5anim"
check "a walk with CR LF line ends is retargeted" convert_bvh windows
check "... to the same clip" cmp "$scratch/windows.md5anim" "$scratch/walk.md5anim"
check "unknown joint names are rejected" exits_with 1 "--map FILE" "$tool" convert "$scratch/odd.bvh" --mesh "$bobbin" \
    --output "$scratch/none.md5anim"
run_walker_py map "$scratch/map.txt"
check "unknown joint names are retargeted with a map" convert_bvh odd --map "$scratch/map.txt"
check "... to the same clip" check_limbs odd 0 model
echo '"bone_1" nobody' >>"$scratch/map.txt"
check "a map with an unknown joint is rejected" exits_with 1 "map.txt:21:10: error: unknown joint: the model bobbin.md5mesh has no joint 'nobody'" "$tool" \
    convert "$scratch/odd.bvh" --mesh "$bobbin" --map "$scratch/map.txt" --output "$scratch/none.md5anim"
check "a walk to the side is retargeted" convert_bvh aside
check "... swings forward" check_limbs aside 0 model
check "a walk to the other side is retargeted" convert_bvh right
check "... with a note that names the side" expect_note "the motion starts rotated by 90 degrees to the right: it was rotated by 90 degrees to face forward"
check "a walk backward in the file's space is retargeted" convert_bvh behind
check "... swings forward" check_limbs behind 0 model
check "a walk in an oblique direction is retargeted" convert_bvh askew
check "... with a note how to rotate it" expect_note "use --rotate -30 to make it face forward"
check "... in the same direction" check_limbs askew 30 askew
check "... and rotated by an option" convert_bvh askew --rotate -30 --force
check "... to the forward direction" check_limbs askew 0 model
check "a walk in place is retargeted" convert_bvh walk --root in_place --force
check "... and does not move" check_limbs walk 0 still

# A model that faces to its left.
check "a rotated model is written" "$tool" convert "$bobbin" --rotate 90 --force --output "$scratch/turned.iqm"
check "... and converted to MD5" "$tool" convert "$scratch/turned.iqm" --output "$scratch/turned.md5mesh"
check "... walks" "$tool" convert "$scratch/walk.bvh" --mesh "$scratch/turned.md5mesh" --force --output "$scratch/walk.md5anim"
check "... and the walk follows its front" run_walker_py limbs "$scratch/walk.md5anim" "$scratch/turned.md5mesh" 90 model

check "without a model the clip is for the file's skeleton" "$tool" convert "$scratch/walk.bvh" --force --output "$scratch/own.md5anim"
check "... in inches" run_walker_py own "$scratch/own.md5anim" 0.3937007874
check "... also with z up" "$tool" convert "$scratch/z_up.bvh" --force --output "$scratch/own.md5anim"
check "... the same" run_walker_py own "$scratch/own.md5anim" 0.3937007874
check "... or with another scale" "$tool" convert "$scratch/walk.bvh" --force --scale 2 --output "$scratch/own.md5anim"
check "... from the option" run_walker_py own "$scratch/own.md5anim" 2
check "a clip with a model in one command is for that model" "$tool" convert "$bobbin" "$scratch/classic.bvh" --output "$scratch/both.iqm" --force
# Scale 1 keeps the model's size, scale 2 doubles it, with a clip and without one.
hips_have_height() { # FOLDER HEIGHT: checks z of the hips
    awk -v height="$2" '$1 == "\"hips\"" { z = $6 } END { exit !(z > height - 1e-3 && z < height + 1e-3) }' "$scratch/$1/small.md5mesh"
}
check "a model in meters is written" "$tool" convert "$bobbin" --output "$scratch/small.glb" --force
for scale in 1 2; do
    check "... read with a clip at scale $scale" "$tool" convert "$scratch/small.glb" "$scratch/walk.bvh" --scale $scale --output "$scratch/with$scale" --force
    check "... and without a clip" "$tool" convert "$scratch/small.glb" --scale $scale --output "$scratch/without$scale" --force
done
check "the model's height at scale 1" hips_have_height with1 0.420624
check "... at scale 2" hips_have_height with2 0.841248
check "... the same without a clip" cmp "$scratch/with2/small.md5mesh" "$scratch/without2/small.md5mesh"
check "another rate" convert_bvh walk --rate 60 --force
check "... with a different number of frames" exits_with 0 "frames             61" "$tool" info "$scratch/walk.md5anim"

# write_hand NAME DEGREES: writes an arm whose thumb is bent.
write_hand() { # NAME DEGREES
    at=0
    {
        echo HIERARCHY
        for joint in 'ROOT Hips' 'JOINT LeftShoulder' 'JOINT LeftArm' 'JOINT LeftForeArm' 'JOINT LeftHand' \
            'JOINT LeftHandThumb1' 'JOINT LeftHandThumb2'; do
            printf '%s\n{\nOFFSET %s 0 0\nCHANNELS 1 Zrotation\n' "$joint" "$at"
            at=10
        done
        printf 'End Site\n{\nOFFSET 3 0 0\n}\n}\n}\n}\n}\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n'
        printf '0 0 0 0 0 0 0\n0 0 0 0 0 0 %s\n' "$2"
    } >"$scratch/$1.bvh"
}
write_hand open 0
write_hand bent 60
echo LeftArm upperarm_l >"$scratch/hand.txt" # a single arm needs a map
check "an open hand is retargeted" convert_bvh open --map "$scratch/hand.txt"
check "a hand with a bent thumb is retargeted" convert_bvh bent --map "$scratch/hand.txt"
thumb_is_rotated() {
    "$tool" diff "$scratch/open.md5anim" "$scratch/bent.md5anim" >"$scratch/diff" 2>&1
    grep -q 'rotated by up to \(60\|60.000.*\|59.999.*\) degrees (thumb_2_l, frame 1)$' "$scratch/diff" || { cat "$scratch/diff"; false; }
}
check "... and bends the model's thumb" thumb_is_rotated

# Rigify's skeletons contain several thighs of the same name, of which one moves the skin and has another parent.
rig=${MD5_CORPUS:-}/corpus/terasology/gooeysquests/skeleton.md5mesh
if [ -f "$rig" ]; then
    joints_coincide() {
        "$tool" dump "$rig" "$scratch/rig.md5anim" --frame 8 --joint DEF-thigh.01.L --joint ORG-thigh.L |
            awk '$1 == "world" { x[++n] = $6; y[n] = $10; z[n] = $14 }
                END { exit !(n == 2 && (x[1] - x[2]) ^ 2 + (y[1] - y[2]) ^ 2 + (z[1] - z[2]) ^ 2 < 1e-6) }'
    }
    check "a rig with joints of the same name at the same position is retargeted" "$tool" convert "$scratch/walk.bvh" --mesh "$rig" --output "$scratch/rig.md5anim"
    check "... and these joints move together" joints_coincide
else
    skip "a rig with joints of the same name" "not in MD5_CORPUS"
fi

# In a folder, a motion capture with the name of a mesh is its clip.
mkdir "$scratch/pair" && cp "$bobbin" "$scratch/pair/walk.md5mesh" && cp "$scratch/walk.bvh" "$scratch/pair"
check "a motion capture next to the mesh of its name is converted" exits_with 0 "1 model: 1 converted, 0 up to date, 0 failed" "$tool" convert \
    "$scratch/pair" --to iqm --output "$scratch/paired"
check "... to its clip" exits_with 0 "" "$tool" convert "$scratch/paired/walk.iqm" --output "$scratch/paired/walk.md5anim"
check "... for the model's joints" grep -q '^numFrames 31$' "$scratch/paired/walk.md5anim"

# -- Errors -------------------------------------------------------------------------------------------

# check_broken_bvh TITLE 'SED' LINE:COLUMN:TEXT
check_broken_bvh() {
    sed "$2" "$scratch/walk.bvh" >"$scratch/bad.bvh"
    check "$1" exits_with 1 "bad.bvh:$3" "$tool" convert "$scratch/bad.bvh" --output "$scratch/bad.md5anim"
}

check_broken_bvh "no hierarchy" '1d' "1:1: error: expected HIERARCHY, found 'ROOT'"
check_broken_bvh "no brace" '3d' "3:2: error: expected {, found 'OFFSET'"
check_broken_bvh "a word for a number" '4s/0.000000/zero/' "4:9: error: expected the X offset, found 'zero'"
check_broken_bvh "a number that is NaN" '4s/0.000000/nan/' "4:9: error: expected the X offset, found 'nan'"
check_broken_bvh "too many channels" '5s/6/7/' "5:11: error: the number of channels: expected an integer from 0 to 6, found 7"
check_broken_bvh "an unknown channel" '5s/Xposition/Wposition/' "5:13: error: expected a channel, such as Xrotation, found 'Wposition'"
check_broken_bvh "a joint that is not closed" '/^MOTION/s/.*/JOINT/' "127:1: error: expected ROOT or MOTION, found 'JOINT'"
check_broken_bvh "frames beyond the file" 's/^Frames: 31/Frames: 2000000/' "128:9: error: truncated file, or wrong number of frames: expected 132000000 numbers for 2000000 frames of 66 channels, found at most"
# If a file contains one frame more than it declares, this frame is also read.
reads_undeclared_frame() {
    sed 's/^Frames: 31/Frames: 30/' "$scratch/walk.bvh" >"$scratch/more.bvh" && convert_bvh more &&
        expect_note 'wrong number of frames: found 31, but Frames declares 30; all frames were read' && check_limbs more 0 model &&
        grep -q '^numFrames 31$' "$scratch/more.md5anim"
}
check "a frame more than the file declares is read" reads_undeclared_frame
check_broken_bvh "a part of a frame more" '$s/$/ 0.5/' "161:1: error: expected value 2 of 66 in frame 32 of 32, found the end of the file"
check_broken_bvh "more frames" 's/^Frames: 31/Frames: 32/' "161:1: error: expected value 1 of 66 in frame 32 of 32, found the end of the file"
check_broken_bvh "no frames" 's/^Frames: 31/Frames: 0/' "128:9: error: number of frames is out of range: expected at least 1, found 0"
check_broken_bvh "a frame without time" 's/0.0333333/0/' "129:13: error: invalid frame time: expected 1e-5 seconds or more, found 0"
finish
