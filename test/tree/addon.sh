#!/bin/sh
# Checks the Blender add-on without Blender; test/blender tests it with Blender.
. test/build/report.sh
if python3 -c 'import tomllib' 2>/dev/null; then
    make -s addon >"$scratch/make_output"
    check "the add-on is valid for Blender 3.4 to 5.0, as add-on and as extension" \
        python3 -B test/blender/api.py models/blender/io_md5 build/io_md5.zip
else
    skip "the Blender add-on" "python3 has no tomllib, which needs Python 3.11"
fi
finish
