#!/bin/sh
# Runs all tests of drawing with OpenGL ES 3.0. Features that OpenGL ES lacks are not counted as skipped.
. test/build/report.sh

MD5_TEST_GL=es SDL_VIDEODRIVER=${SDL_VIDEODRIVER:-offscreen} \
    "${BUILD:-build/release}/test_gl" test/render/ >"$scratch/log" 2>&1
counts=$(tail -n 1 "$scratch/log" | grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$')
IFS=' ,' read -r passed _ failed _ <<END
${counts:-0 passed, 1 failed}
END
[ "$failed" -eq 0 ] || cat "$scratch/log"
if grep -q '^skipped: no OpenGL ES 3.0 context' "$scratch/log"; then
    skip "drawing in OpenGL ES" "no context"
fi
finish
