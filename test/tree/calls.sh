#!/bin/sh
# Calls and names in the compiled objects: files do not call each other in a cycle; global symbols of a library have its
# prefix; no two types have the same name; local names are unique within a library.
. test/build/report.sh

build=${BUILD:-build/release}
modules="md5 render demo/common demo/looks demo/convert demo/tool demo/viewer"

list_objects() {
    for module in $modules; do
        find "$module" -name '*.c' | sed "s|^|$build/|; s|\.c\$|.o|"
    done
}

# "object name" for every symbol that an object defines, and for every symbol that it needs. Names that begin with
# two underscores belong to the compiler.
list_objects | xargs nm -A -g --defined-only 2>/dev/null | grep -v ' __' |
    sed "s|^$build/||" | awk '{ sub(/:.*/, "", $1); print $1, $NF }' >"$scratch/defined"
list_objects | xargs nm -A -g -u 2>/dev/null |
    sed "s|^$build/||" | awk '{ sub(/:.*/, "", $1); print $1, $NF }' >"$scratch/needed"
check "the build contains objects" [ -s "$scratch/defined" ]

# tsort prints the files of a cycle. Both programs define main().
print_cycles() {
    awk 'NR == FNR { if ($2 != "main") home[$2] = $1; next }
         ($2 in home) && home[$2] != $1 { print $1, home[$2] }' \
        "$scratch/defined" "$scratch/needed" | sort -u | tsort 2>"$scratch/loops" >"$scratch/sorted"
    cat "$scratch/loops"
}
silent "calls between files have no cycle" print_cycles

print_symbols_without_prefix() {
    awk '$1 ~ /^md5\// && $2 !~ /^md5i?_/ { print $1 ": " $2 }
         $1 ~ /^render\// && $2 !~ /^md5gli?_/ { print $1 ": " $2 }' "$scratch/defined"
}
silent "global symbols begin with md5_ or md5gl_" print_symbols_without_prefix

# Exceptions: the SIMD types of core/wide_*.h are defined once per instruction set, and demo/web replaces the viewer's
# platform, and the header of the small form declares types of the public headers (small_header.py).
print_duplicate_types() {
    find md5 render demo -name '*.[ch]' ! -path 'md5/core/wide_*' ! -path md5/small/md5model.h ! -path 'demo/web/*' | sort | xargs awk '
        /^(typedef )?(struct|enum|union) [a-z0-9_]+ \{/ {
            name = $1 == "typedef" ? $3 : $2
            if (name in defined_in) print name ": " defined_in[name] " and " FILENAME
            defined_in[name] = FILENAME
        }'
}
silent "type names are unique" print_duplicate_types

# The two-file form of a library contains all its sources in one file. Kernels are compiled once per instruction set.
print_repeated_names() {
    python3 -B -c '
import collections, glob, sys
sys.path.insert(0, "md5/packaging")
import amalgamate, small
folders = {library: row[2].split() for library, row in amalgamate.LIBRARIES.items()}
for library, names in [*folders.items(), ("md5gl", ["../render"])]:
    files = collections.defaultdict(list)
    paths = glob.glob("md5/*.c") if "md5" in names else []
    for path in sum((sorted(glob.glob("md5/%s/*.[ch]" % name)) for name in names), paths):
        if not amalgamate.is_kernel(path):
            for name in set().union(*map(small.declared_names, small.pieces(amalgamate.body(path)))):
                files[name].append(path)
    for name, declaring in files.items():
        if len(declaring) > 1 and not name.lower().startswith("md5"):
            print(library + ":", name, "is declared in", *declaring)'
}
silent "local names are unique within each library" print_repeated_names

finish
