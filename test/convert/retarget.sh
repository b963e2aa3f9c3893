#!/bin/sh
# Retargeting of clips to other bodies: proportions, names, maps, folders, errors. retarget.py writes the bodies and computes
# the expected positions of feet.
. test/build/report.sh
tool=$products/md5tool

run_body() {
    python3 test/convert/retarget.py body "$@"
}

# retarget_clip MODEL OPTION...: retargets the clip to MODEL.md5anim.
retarget_clip() {
    name=$1
    shift
    "$tool" convert "$scratch/own/walk.md5anim" --mesh "$scratch/$name.md5mesh" --output "$scratch/$name.md5anim" --force \
        "$@" >"$scratch/notes" 2>&1 || {
        cat "$scratch/notes"
        false
    }
}

foot_is_on_ground() { # MODEL THIGH SHIN
    python3 test/convert/retarget.py stands "$scratch/$1.md5anim" LeftFoot "$2" "$3"
}

mkdir "$scratch/own"
run_body "$scratch/own/walk.md5mesh" doom 18 17
run_body "$scratch/same.md5mesh" mixamo 18 17
run_body "$scratch/legs.md5mesh" mixamo 25.2 23.8
run_body "$scratch/thighs.md5mesh" mixamo 25.2 17
python3 test/convert/retarget.py clip "$scratch/own/walk.md5anim"

for case in "same 18 17 1" "legs 25.2 23.8 1.4" "thighs 25.2 17 1.20571"; do
    # shellcheck disable=SC2086 # four words
    set -- $case
    check "a clip is retargeted to a body with legs of $2 and $3" retarget_clip "$1"
    check "... with its foot planted" foot_is_on_ground "$1" "$2" "$3"
    check "... scaled by the legs" grep -q "scaled the motion by $4 and raised it by" "$scratch/notes"
done
check "the number of mapped joints is reported" grep -q "mapped 19 joints of the model; unmapped joints: 0 of the model, 0 of the motion" "$scratch/notes"
check "the clip's model can be an argument" "$tool" convert "$scratch/own/walk.md5mesh" "$scratch/own/walk.md5anim" \
    --mesh "$scratch/legs.md5mesh" --output "$scratch/given.md5anim"
check "... with the same result" cmp "$scratch/given.md5anim" "$scratch/legs.md5anim"
"$tool" convert "$scratch/own/walk.md5mesh" "$scratch/own/walk.md5anim" --scale 1 --output "$scratch/walk.iqm" >"$scratch/notes" 2>&1
check "as an IQM" "$tool" convert "$scratch/walk.iqm" --mesh "$scratch/legs.md5mesh" --output "$scratch/legs.md5anim" --force
check "... with its foot planted" foot_is_on_ground legs 25.2 23.8
check "a clip is retargeted to a format with models" "$tool" convert "$scratch/own/walk.md5anim" --mesh "$scratch/legs.md5mesh" --output "$scratch/legs.iqm"
check "... with the target's joints" exits_with 0 "mixamorig:LeftUpLeg" "$tool" convert "$scratch/legs.iqm" \
    --mesh "$scratch/same.md5mesh" --print-map
check "a clip is scaled to other units" "$tool" fix "$scratch/own/walk.md5anim" --scale 0.0254 --output "$scratch/own/meters.md5anim"
check "... and retargeted" "$tool" convert "$scratch/own/walk.md5mesh" "$scratch/own/meters.md5anim" --mesh "$scratch/legs.md5mesh" \
    --output "$scratch/legs.md5anim" --force
check "... with the same result" foot_is_on_ground legs 25.2 23.8

# -- Folders ------------------------------------------------------------------------------------------

cp "$scratch/own/walk.md5anim" "$scratch/own/again.md5anim"
rm "$scratch/own/meters.md5anim"
retargets_folder() {
    "$tool" convert "$scratch/own" --mesh "$scratch/legs.md5mesh" --output "$scratch/all" >"$scratch/report" 2>&1
}
check "a folder of clips is retargeted" retargets_folder
check "... with all its clips" cmp "$scratch/all/walk/again.md5anim" "$scratch/all/walk/walk.md5anim"
cp "$scratch/all/walk/again.md5anim" "$scratch/legs.md5anim"
check "... with the same result as for single clips" foot_is_on_ground legs 25.2 23.8
check "... once" retargets_folder
check "... and is up to date in a second run" grep -q "0 converted, 1 up to date" "$scratch/report"

# -- Maps ---------------------------------------------------------------------------------------------

retarget_clip legs
cp "$scratch/legs.md5anim" "$scratch/guessed.md5anim"
"$tool" convert "$scratch/own/walk.md5anim" --mesh "$scratch/legs.md5mesh" --print-map >"$scratch/map" 2>&1
check "a printed map is accepted" retarget_clip legs --map "$scratch/map"
check "... and has the same result as the automatic map" cmp "$scratch/legs.md5anim" "$scratch/guessed.md5anim"
joint_is_rotated() { # JOINT: compares with the automatic result
    "$tool" diff "$scratch/guessed.md5anim" "$scratch/legs.md5anim" 2>&1 | grep -q "rotated by .* ($1"
}
echo 'Luparm -' >"$scratch/map"
check "a joint without a target is accepted" retarget_clip legs --map "$scratch/map"
check "... and is not counted" grep -q "mapped 18 joints of the model; unmapped joints: 1 of the model, 1 of the motion" "$scratch/notes"
# The arm of the model hangs in the bind pose, at a right angle to the arm of the motion. Retargeting first aligns the two
# arms, unless the map contains ~.
sed 's/\(LeftForeArm".* ( 0\) 18 73 )/\1 7 62 )/;s/\(LeftHand".* ( 0\) 28 73 )/\1 7 52 )/' "$scratch/legs.md5mesh" >"$scratch/hangs.md5mesh"
echo 'Luparm mixamorig:LeftArm' >"$scratch/map"
check "a hanging arm is aligned" retarget_clip hangs --map "$scratch/map"
check "... to the direction of the motion" grep -q "limb directions differ from the motion by at most [0-9.]*e-0[5-9] degrees" "$scratch/notes"
echo 'Luparm mixamorig:LeftArm ~' >"$scratch/map"
check "a hanging arm with ~ is not aligned" retarget_clip hangs --map "$scratch/map"
check "... and keeps the difference of a right angle" grep -q "limb directions differ from the motion by at most 90 degrees" "$scratch/notes"
echo 'Waist mixamorig:Spine align' >"$scratch/map"
check "a joint with alignment is accepted" retarget_clip legs --map "$scratch/map"
check "... and --print-map prints the alignment" exits_with 0 'mixamorig:Spine align' "$tool" convert "$scratch/own/walk.md5anim" --mesh "$scratch/legs.md5mesh" \
    --map "$scratch/map" --print-map
echo '~' >"$scratch/map"
check "a body without alignment is accepted" retarget_clip hangs --map "$scratch/map"
check "... and its arm differs by a right angle" grep -q "limb directions differ from the motion by at most 90 degrees" "$scratch/notes"
echo '- mixamorig:LeftUpLeg' >"$scratch/map"
check "an unmapped joint is accepted" retarget_clip legs --map "$scratch/map"
check "... and keeps its bind pose" joint_is_rotated mixamorig:LeftUpLeg
printf 'chain Waist..Chest mixamorig:Spine..mixamorig:Head\n# a comment\n' >"$scratch/map"
check "a chain" retarget_clip legs --map "$scratch/map"
check "... is taken" grep -q "mapped 19 joints" "$scratch/notes"
sed 's/"mixamorig:Spine"/"align"/' "$scratch/legs.md5mesh" >"$scratch/align.md5mesh"
echo 'chain Waist..Chest align..mixamorig:Spine1' >"$scratch/map"
"$tool" convert "$scratch/own/walk.md5anim" --mesh "$scratch/align.md5mesh" --map "$scratch/map" --print-map >"$scratch/printed"
check "a chain that begins at a joint 'align' is not aligned" grep -qx "Waist align" "$scratch/printed"

check_rejected_map() { # LINE COLUMN:TEXT
    printf '\n%s\n' "$1" >"$scratch/map"
    check "a map of '$1' is rejected" exits_with 1 "map:2:$2" "$tool" convert "$scratch/own/walk.md5anim" \
        --mesh "$scratch/legs.md5mesh" --map "$scratch/map" --output "$scratch/none.md5anim"
}
check_rejected_map 'Hips' "1: error: invalid line: expected SOURCE TARGET"
check_rejected_map 'Hips mixamorig:Hips more' "21: error: invalid line: expected SOURCE TARGET"
check_rejected_map 'Hips "nobody"' "7: error: unknown joint: the model legs.md5mesh has no joint 'nobody'; use --print-map to print the names of all joints"
check_rejected_map 'Hips mixamorig:LeftUpLegs' "6: error: unknown joint: the model legs.md5mesh has no joint 'mixamorig:LeftUpLegs': did you mean 'mixamorig:LeftUpLeg'?"
check_rejected_map 'Hips hips' "6: error: unknown joint: the model legs.md5mesh has no joint 'hips': did you mean 'mixamorig:Hips'?"
check_rejected_map 'hips mixamorig:Hips' "1: error: unknown joint: the motion walk.md5anim has no joint 'hips': did you mean 'Hips'?"
check_rejected_map '- -' "3: error: unknown joint: the model legs.md5mesh has no joint '-'; use --print-map"
check_rejected_map 'chain Chest..Waist Root..Root' "7: error: invalid chain in the motion: expected the descendant of the first joint at the end, found 'Waist'"
printf 'Hips mixamorig:Hips\n' >"$scratch/first"
check "a joint in two lines is rejected" exits_with 1 "map:2:7: error: duplicate joint 'mixamorig:Hips': an earlier line already maps it" sh -c \
    "cat '$scratch/first' >'$scratch/map'; echo 'Waist mixamorig:Hips' >>'$scratch/map'; '$tool' convert '$scratch/own/walk.md5anim' \
    --mesh '$scratch/legs.md5mesh' --map '$scratch/map' --output '$scratch/none.md5anim'"

write_long_map() { # COUNT of comments before one line
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "#"; print "Hips mixamorig:Hips" }' >"$scratch/map"
}
write_long_map 9999
check "a map of 10000 lines is accepted" retarget_clip legs --map "$scratch/map"
write_long_map 10000
check "a map of 10001 lines is rejected" exits_with 1 "map:10001:1: error: map has too many lines: expected at most 10000" "$tool" convert "$scratch/own/walk.md5anim" \
    --mesh "$scratch/legs.md5mesh" --map "$scratch/map" --output "$scratch/none.md5anim"

# -- Errors -------------------------------------------------------------------------------------------

cp "$scratch/own/walk.md5anim" "$scratch/lone.md5anim"
check "a clip without a known model is rejected" exits_with 1 "lone.md5anim: error: model of the clip is missing: add the model for which the clip was made" "$tool" \
    convert "$scratch/lone.md5anim" --mesh "$scratch/legs.md5mesh" --output "$scratch/none.md5anim"
check "a map without a model is rejected" exits_with 1 "--map has no effect without --mesh MODEL" "$tool" convert \
    "$scratch/own/walk.md5anim" --map "$scratch/first" --output "$scratch/none.md5anim"
check "unrecognized joint names are rejected" exits_with 1 "--map FILE" "$tool" convert "$scratch/own/walk.md5anim" \
    --mesh "$models/lantern/lantern.md5mesh" --output "$scratch/none.md5anim"

# -- Golden cases -------------------------------------------------------------------------------------

golden=${MD5_CORPUS:-}/golden/retarget
if [ -f "$golden/expected.json" ]; then
    for case in names long_legs a_pose; do
        for ending in md5anim bvh; do
            for map in "" "--map $golden/$case.map"; do
                # shellcheck disable=SC2086 # an option with its value, or none
                check "$case is retargeted from .$ending $map" "$tool" convert "$golden/source.$ending" --mesh "$golden/$case.md5mesh" $map \
                    --output "$scratch/golden.md5anim" --force
                check "... with the expected result" python3 test/convert/retarget.py golden "$scratch/golden.md5anim" "$golden/expected.json" $case
            done
        done
    done
    check "long thighs" "$tool" convert "$golden/source.md5anim" --mesh "$golden/long_thighs.md5mesh" --output "$scratch/golden.md5anim" --force
    reports_sliding_feet() {
        "$tool" convert "$golden/source.md5anim" --mesh "$golden/long_thighs.md5mesh" --output "$scratch/golden.md5anim" --force 2>&1 |
            grep -q "slide by .*e-0[5-9] units.* soles are up to .*e-0[5-9] units below"
    }
    check "... without sliding or sinking feet" reports_sliding_feet
else
    skip "golden cases" "not in MD5_CORPUS"
fi
finish
