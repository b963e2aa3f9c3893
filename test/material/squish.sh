#!/bin/sh
# Compares compressed images with the results of libsquish, which is an independent implementation.
. test/build/report.sh

compiles() {
    # shellcheck disable=SC2086 # several flags
    "${CXX:-c++}" -std=c++17 -Wall -Wextra -Werror -Ibuild/include test/material/squish.cpp $archives -lsquish \
        ${MD5_LINK_FLAGS:-} -lm -o "$scratch/squish"
}
results_are_equal() {
    "$scratch/squish" >"$scratch/compared" || { cat "$scratch/compared"; false; }
}
if echo '#include <squish.h>' | "${CXX:-c++}" -E -x c++ - >/dev/null 2>&1; then
    check "the comparison compiles" compiles
    check "compressed blocks equal libsquish's" results_are_equal
    cat "$scratch/compared"
else
    skip "compressed images" "libsquish is not installed"
fi
finish
