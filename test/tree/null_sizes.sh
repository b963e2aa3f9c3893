#!/bin/sh
# Every public function that takes a pointer and a size, or an array and a count, accepts NULL and 0. The tests call all
# these functions, and run with clang's undefined behavior sanitizer, which reports NULL + 0.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS

tests="test/core/test_null_size.c test/render/test_gl_null_size.c"

# Prints the names of these functions, from the declarations of the public headers. A few functions take a count that is
# not the size of an array argument.
list_functions_with_sizes() {
    cat md5/md5*.h render/md5gl*.h | sed 's|//.*||' | tr '\n' ' ' | tr ';' '\n' |
        grep -E 'MD5[A-Z]*_(PLAY_|GAME_|EDIT_|RAGDOLL_)?API .*\<(size_t|uint32_t) (size|count|num_[a-z]+)\>' |
        grep -oE '\<md5(gl)?_[a-z0-9_]+\(' | tr -d '(' | sort -u |
        grep -vxE 'md5_cube2_anim_range|md5_find_loop|md5_create_pose_buffers|md5gl_set_num_skins'
}
print_untested_functions() {
    # shellcheck disable=SC2086 # two files
    list_functions_with_sizes | while read -r name; do
        grep -qw "$name" $tests || echo "$name"
    done
}
finds_functions() {
    [ "$(list_functions_with_sizes | wc -l)" -gt 40 ]
}
check "the headers have functions with a pointer and a size" finds_functions
silent "each function with a size is tested with NULL and 0" print_untested_functions

command -v clang >/dev/null || {
    skip "clang's undefined behavior sanitizer" "clang is not installed"
    finish
}
sanitizer="-fsanitize=undefined -fno-sanitize-recover=all"
folder=build/undefined
build_library() {
    make --no-print-directory DEPS=no config=debug CC=clang BUILD=$folder CFLAGS="-g0 $sanitizer" LDFLAGS="$sanitizer" lib
}
compile_tests() {
    # shellcheck disable=SC2086 # several flags
    clang -std=c11 -O0 -I. $sanitizer -o "$scratch/null_sizes" test/test.c test/core/test_null_size.c \
        test/game/test_entity_case.c test/decl/test_game_case.c \
        -Wl,--start-group $folder/libmd5*.a -Wl,--end-group -lpthread -lm
}
run_tests() {
    MD5_ROOT=. "$scratch/null_sizes"
}
check "the library is built" build_library
check "the test is built" compile_tests
check "NULL and 0 are defined behavior" run_tests
finish
