#!/bin/sh
# The models in models/ are what the scripts beside them make, to the byte and the pixel.
. test/build/report.sh

for script in models/make_*.py; do
    check "$script makes what is committed" python3 "$script" --check
done
finish
