#!/bin/sh
# The clips of our models satisfy rules of animation: feet are planted, loops are closed, and no part stops abruptly
# or passes through the floor or the body.
. test/build/report.sh

check "the clips satisfy the rules of models/check_clips.py" python3 models/check_clips.py
finish
