#!/bin/sh
# Inertial transitions: 100 000 random transitions of generated machines, and 3 000 of every model here and of the real models
# if MD5_CORPUS is set. No joint moves farther from the new motion than its initial distance, and no pose depends on the number
# of evaluations.
. test/build/report.sh

test_md5="${BUILD:-build/release}/test_md5"
check "${TRANSITIONS:=100000} offsets decay" \
    env MD5_TRANSITIONS="$TRANSITIONS" "$test_md5" an_offset_never_becomes_longer
check "$TRANSITIONS changes of state do not depend on the number of evaluations" \
    env MD5_TRANSITIONS="$TRANSITIONS" "$test_md5" smooth_play_does_not_depend_on_computed_poses
check "${MODEL_TRANSITIONS:=3000} transitions of every model stay within bounds" \
    env MD5_TRANSITIONS="$MODEL_TRANSITIONS" "$test_md5" inertial_transitions_of_models
finish
