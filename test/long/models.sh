#!/bin/sh
# The models in models/ are what the scripts beside them make, to the byte and the pixel, and move
# as an animator would let them: loops close, feet stand still, joints keep to their limits.
. test/build/report.sh

for script in models/make_*.py; do
    check "$script makes what is committed" python3 "$script" --check
done
# The figures, clip by clip.
python3 models/check_clips.py 2>/dev/null
check "the clips satisfy the rules of models/check_clips.py" python3 models/check_clips.py
check "md5tool check models finds nothing" "$products/md5tool" check models --ignore zoo/
finish
