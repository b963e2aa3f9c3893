#!/bin/sh
# A million random machines, in a quarter of an hour of processor time: any split of a time step gives the same
# events, states and root motion, for three machines per seed; windows that open also close; saved, copied and adopted
# players continue with the same bits; states equal the states of a simulator; written machines can be read. A failure
# prints its seed; MD5_SPLIT_SEED and MD5_SAVE_SEED select one seed. SPLIT_MACHINES=40000 and similar variables set
# the numbers. A character survives CROWD_STEPS=300000 random commands.
. test/build/report.sh

test_md5=${BUILD:-build/release}/test_md5
check "any split of a step of ${SPLIT_MACHINES:=40000} times three machines" \
    env MD5_SPLIT_MACHINES="$SPLIT_MACHINES" "$test_md5" any_split_of_a_step
check "windows of ${WINDOW_MACHINES:=100000} machines" \
    env MD5_WINDOW_MACHINES="$WINDOW_MACHINES" "$test_md5" each_opened_window
check "players of ${SAVE_MACHINES:=20000} machines, in three ways" \
    env MD5_SAVE_MACHINES="$SAVE_MACHINES" "$test_md5" continues_with_the_same_bits
check "states of ${STATE_MACHINES:=40000} machines" \
    env MD5_STATE_MACHINES="$STATE_MACHINES" "$test_md5" states_equal_a_simulation
check "texts of ${TEXT_MACHINES:=680000} machines" \
    env MD5_TRANSITIONS="$TEXT_MACHINES" "$test_md5" written_machines_are_read
check "a character survives ${CROWD_STEPS:-300000} random commands" \
    env MD5_CROWD_STEPS="${CROWD_STEPS:-300000}" "$test_md5" crowd_of_any_input_is_finite
finish
