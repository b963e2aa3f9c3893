#!/bin/sh
# Runs the slow tests of the two test programs, which begin with TEST_LONG and find nearly the same faults as faster tests.
. test/build/report.sh

programs=${BUILD:-build/release}
check "test_md5" env MD5_TEST_LONG=only "$programs/test_md5"
check "test_gl" env MD5_TEST_LONG=only SDL_VIDEODRIVER="${SDL_VIDEODRIVER:-offscreen}" "$programs/test_gl"
finish
