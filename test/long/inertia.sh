#!/bin/sh
# Inertial transitions, 100 000 at random of what they are made of and of made machines, and 3 000
# of every model here and of the real ones where MD5_CORPUS says: no joint goes farther from the new
# motion than it was, and no pose depends on how often somebody looked.
. test/build/report.sh

test_md5="${BUILD:-build/release}/test_md5"
check "${TRANSITIONS:=100000} offsets decay" \
    env MD5_TRANSITIONS="$TRANSITIONS" "$test_md5" an_offset_never_becomes_longer
check "$TRANSITIONS changes of state need no looking" \
    env MD5_TRANSITIONS="$TRANSITIONS" "$test_md5" smooth_play_needs_no_looking
check "${MODEL_TRANSITIONS:=3000} transitions of every model" \
    env MD5_TRANSITIONS="$MODEL_TRANSITIONS" "$test_md5" inertial_transitions_of_models
finish
