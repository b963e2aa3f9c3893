#!/bin/sh
# 100 000 random machines: any split of a step of time brings the same events, states and root
# motion. Half a minute of processor time. SPLIT_MACHINES=100000 says how many; a failure says which
# seed, and MD5_SPLIT_SEED tries that one alone. A character survives CROWD_STEPS=300000 random commands.
. test/build/report.sh

check "any split of a step of ${SPLIT_MACHINES:-100000} machines" \
    env MD5_SPLIT_MACHINES="${SPLIT_MACHINES:-100000}" \
    "${BUILD:-build/release}/test_md5" test_play_split
check "a character survives ${CROWD_STEPS:-300000} random commands" \
    env MD5_CROWD_STEPS="${CROWD_STEPS:-300000}" "${BUILD:-build/release}/test_md5" crowd_survives_anything
finish
