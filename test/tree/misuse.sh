#!/bin/sh
# Every public function of md5*.h that takes a pointer to an object has a test with a freed object in
# test/core/freed_rows.h. test_freed.c tests arrays of objects.
. test/build/report.sh

kinds='skeleton|model|mesh|anim|camera|binding|pose_buffers|morph|baked|curve|squad|retarget|machine|machine_file|player|character|doc|check|weights|game|entity|actor|script|states|figure|monster|ragdoll|cube2|scales|image'

# Prints the names of these functions, from the declarations of the public headers.
list_object_functions() {
    cat md5/md5*.h | sed 's|//.*||' | tr '\n' ' ' | tr ';' '\n' | grep -E 'MD5[A-Z_]*_API ' |
        grep -E "[(,] *(const )?md5_($kinds) \*[a-z_0-9]+[,)]" | grep -oE '\<md5_[a-z0-9_]+\(' | tr -d '(' | sort -u
}
print_untested_functions() {
    list_object_functions | while read -r name; do
        grep -q "^FREED($name, " test/core/freed_rows.h || echo "$name"
    done
}
finds_functions() {
    [ "$(list_object_functions | wc -l)" -gt 150 ]
}
check "the headers have functions with objects" finds_functions
silent "each function with objects is tested with a freed object" print_untested_functions
finish
