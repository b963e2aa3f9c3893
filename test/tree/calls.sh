#!/bin/sh
# Calls and names, found in the compiled objects: no two files call each other, directly or through
# others; every global symbol of the library has the library's prefix; a type name means one thing.
. test/build/report.sh

build=${BUILD:-build/release}
rooms="md5 render demo/common demo/looks demo/convert demo/tool demo/viewer"

objects() {
    for room in $rooms; do
        find "$room" -name '*.c' | sed "s|^|$build/|; s|\.c\$|.o|"
    done
}

# "object name" for every symbol that an object defines, and for every one that it needs. Names with
# two underscores in front are the compiler's own.
objects | xargs nm -A -g --defined-only 2>/dev/null | grep -v ' __' |
    sed "s|^$build/||" | awk '{ sub(/:.*/, "", $1); print $1, $NF }' >"$scratch/defined"
objects | xargs nm -A -g -u 2>/dev/null |
    sed "s|^$build/||" | awk '{ sub(/:.*/, "", $1); print $1, $NF }' >"$scratch/needed"
check "there are objects to judge" [ -s "$scratch/defined" ]

# tsort names the loop if there is one. Both programs have a main(), which nobody calls.
circles() {
    awk 'NR == FNR { if ($2 != "main") home[$2] = $1; next }
         ($2 in home) && home[$2] != $1 { print $1, home[$2] }' \
        "$scratch/defined" "$scratch/needed" | sort -u | tsort 2>"$scratch/loops" >"$scratch/sorted"
    cat "$scratch/loops"
}
silent "no files call each other in circles" circles

foreign_symbols() {
    awk '$1 ~ /^md5\// && $2 !~ /^md5i?_/ { print $1 ": " $2 }
         $1 ~ /^render\// && $2 !~ /^md5gli?_/ { print $1 ": " $2 }' "$scratch/defined"
}
silent "global symbols begin with md5_ or md5gl_" foreign_symbols

# Each instruction set has its own form of the SIMD types, which are the vocabulary of core/wide.h, and each
# system of the viewer's window.
types_with_two_meanings() {
    find md5 render demo -name '*.[ch]' ! -path 'md5/core/wide_*' ! -path 'demo/web/*' | sort | xargs awk '
        /^(typedef )?(struct|enum|union) [a-z0-9_]+ \{/ {
            name = $1 == "typedef" ? $3 : $2
            if (name in place) print name ": " place[name] " and " FILENAME
            place[name] = FILENAME
        }'
}
silent "a type name means one thing" types_with_two_meanings

finish
