#!/bin/sh
# The scripts reproduce the models in models/, to the byte and the pixel, and the motion satisfies rules of animation: loops
# close, feet are planted, joints stay within their limits.
. test/build/report.sh

for script in models/make_*.py; do
    check "$script reproduces the committed files" python3 "$script" --check
done
# Prints the measurements of each clip.
python3 models/check_clips.py 2>/dev/null
check "the clips satisfy the rules of models/check_clips.py" python3 models/check_clips.py
check "md5tool check reports no problems in models" "$products/md5tool" check models --ignore zoo/
finish
