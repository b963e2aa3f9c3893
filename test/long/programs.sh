#!/bin/sh
# The tests of the two test programs that take long although quicker ones find nearly the same: those that
# begin with TEST_LONG.
. test/build/report.sh

programs=${BUILD:-build/release}
check "test_md5" env MD5_TEST_LONG=only "$programs/test_md5"
check "test_gl" env MD5_TEST_LONG=only SDL_VIDEODRIVER="${SDL_VIDEODRIVER:-offscreen}" "$programs/test_gl"
finish
