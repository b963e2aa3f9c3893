#!/bin/sh
# The small form of the library in an engine's source tree: compiles like Quake ports, in C and as C++, with five flags;
# computes the same bits as the library; its header refers only to declared names, with the layout of the library; every
# part of it is reachable from the header; compile time and size have limits; unsupported files are rejected.
# MD5_ARCHIVE=FOLDER: an unpacked archive to test instead of the output of `make amalgamate`, and its quake_engine.c.
. test/build/report.sh
. test/build/amalgamate.sh

archive=${MD5_ARCHIVE:-$folder} engine=$PWD/test/build/user/engine.c
added=${MD5_ARCHIVE:-$PWD/demo/examples} # folder of quake_engine.c
tree=$scratch/tree                       # source tree of an engine; its folder md5model is a copy of small/
# Compiler flags of Quake ports. size_flags are additional flags for md5model.c.
c_flags="-std=gnu11 -Wall -Wno-trigraphs -Werror -O3 -DNDEBUG -DENGINE_BLENDS"
cxx_flags="-x c++ -std=gnu++17 -Wall -Wno-trigraphs -O3 -DNDEBUG -DENGINE_BLENDS"
size_flags="-Os -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections"
link="-Wl,--gc-sections"
bobbin="bobbin.md5mesh walk.md5anim bobbin.md5mesh idle.md5anim bobbin.md5mesh chase.md5anim"

[ -n "${MD5_ARCHIVE:-}" ] || check "make amalgamate" amalgamate
mkdir "$tree" && cp -r "$archive/small" "$tree/md5model"

# build_program NAME FLAGS...: builds a program with md5model.c of the small form.
# shellcheck disable=SC2086 # several words
build_program() {
    name=$1
    shift
    $cc $c_flags "$@" -I"$tree" -I"$added" -c "$engine" -o "$scratch/engine.o" &&
        $cc $c_flags $size_flags -c "$tree/md5model/md5model.c" -o "$scratch/md5model.o" &&
        $cc "$scratch/engine.o" "$scratch/md5model.o" $link -lm -o "$scratch/$name"
}
# shellcheck disable=SC2086
build_as_cxx() {
    c++ $cxx_flags -I"$tree" -I"$added" "$engine" "$tree/md5model/md5model.c" -lm -o "$scratch/plus"
}
# shellcheck disable=SC2086,SC2154
build_with_library() {
    $cc $c_flags -DENGINE_CHECKS -Ibuild/include -I"$added" "$engine" "$products/libmd5model.a" ${MD5_LINK_FLAGS:-} -lm -o "$scratch/whole"
}
# shellcheck disable=SC2086
run_with_bobbin() { # PROGRAM: runs it with our model
    "$scratch/$1" models/bobbin $bobbin >"$scratch/$1.txt" && [ "$(grep -c 'joints,' "$scratch/$1.txt")" = 3 ]
}
output_equals_library() { # PROGRAM
    run_with_bobbin "$1" && diff "$scratch/whole.txt" "$scratch/$1.txt"
}
small_form_compiles_without_warnings() {
    (cd "$tree/md5model" && "$@" -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-trigraphs md5model.c) >"$scratch/words" 2>&1 &&
        [ ! -s "$scratch/words" ] || { cat "$scratch/words"; false; }
}

check "the engine builds with the complete library" build_with_library
check "positions equal the results of md5_skin(), and weights sum to 255" run_with_bobbin whole
check "the engine builds with the small form in C" build_program c
check "the small form computes the same bits" output_equals_library c
# `zoo` contains clips with three joints, of which this model has one.
rejects_clip_of_other_model() {
    "$scratch/c" models/zoo fewer_joints.md5mesh rates_1.md5anim >"$scratch/refused"
    grep -q "refused: .*of 3 joints of the model .*missing: '" "$scratch/refused"
}
check "a clip of another skeleton is rejected with its reason" rejects_clip_of_other_model
check "the small form compiles in C without a warning" small_form_compiles_without_warnings "$cc" -std=gnu11
if command -v c++ >/dev/null; then
    check "the engine builds with the small form in C++" build_as_cxx
    check "the small form computes the same bits in C++" output_equals_library plus
    check "the small form compiles in C++ without a warning" small_form_compiles_without_warnings c++ -x c++ -std=gnu++17
else
    skip "the small form in C++" "no C++ compiler is installed"
fi

# -- Header --

check "the header refers only to declared names and matches the library" python3 test/tree/small_header.py "$archive/small"
# finds_header_fault SED_COMMAND FAULT: returns success if the check finds the fault in a changed header.
finds_header_fault() {
    mkdir -p "$scratch/broken" && cp "$archive/small/md5model.c" "$scratch/broken/" &&
        sed "$1" "$archive/small/md5model.h" >"$scratch/broken/md5model.h" &&
        ! python3 test/tree/small_header.py "$scratch/broken" >"$scratch/faults" && grep -q "$2" "$scratch/faults" ||
        { cat "$scratch/faults"; false; }
}
check "a name in a comment is found" finds_header_fault '1s/$/ md5_skin()/' 'md5model.h:1: md5_skin is not declared'
check "a member in a comment is found" finds_header_fault '1s/$/ md5_load_opts.warn/' 'does not have a member warn'
check "a missing member is found" finds_header_fault '/reserved2;/d' 'md5_load_opts.axes: [0-9]*, in the library'
check "another value is found" finds_header_fault 's/MD5_ERROR_IO = 2/MD5_ERROR_IO/' 'MD5_ERROR_IO: 1, in the library 2'
check "another function is found" finds_header_fault 's/{-q.x, -q.y/{-q.y, -q.x/' 'function md5_quat_conjugate'
check "a missing function is found" finds_header_fault 's/^MD5_API void md5_free_anim/MD5_API void md5_free_camera(md5_camera *camera);\n&/; s/^typedef struct md5_track {/typedef struct md5_camera md5_camera;\n&/' \
    'md5_free_camera'
check "a type without a use is found" finds_header_fault 's/^typedef enum md5_wrap/typedef struct md5_track_job {\n    int a;\n} md5_track_job;\n\n&/' \
    'nothing uses md5_track_job'

# -- Reachability --

# print_unreachable_code FOLDER: lists functions and tables of md5model.c that no function of md5model.h reaches, found by the linker,
# and macros and types that no other code mentions.
print_unreachable_code() {
    # shellcheck disable=SC2046 # many words
    $cc -std=gnu11 -O0 -fkeep-static-functions -fkeep-inline-functions -ffunction-sections -fdata-sections \
        -c "$1/md5model.c" -o "$scratch/all.o" &&
        $cc -nostdlib -Wl,--gc-sections,--print-gc-sections,--unresolved-symbols=ignore-all,-e,md5_bind \
            $(sed -n 's/^MD5_API.*[ *]\(md5_[a-z0-9_]*\)(.*/-Wl,-u,\1/p' "$1/md5model.h") "$scratch/all.o" -o "$scratch/all" 2>&1 |
        sed -n "s/.*unused section '\.[a-z]*\.\([A-Za-z_0-9]*\)'.*/\1/p"
    $cc -std=gnu11 -fsyntax-only -Wall -Wextra -Wunused-macros "$1/md5model.c" 2>&1 | grep 'warning:' | grep -v _POSIX_C_SOURCE
    sed -n 's/^} \([a-z0-9_]*\);.*/\1/p' "$1"/md5model.[ch] | while read -r name; do
        cat "$1"/md5model.[ch] | grep -w "$name" | grep -qv "^} $name;\|^typedef [a-z]* $name {" || echo "$name"
    done
}
finds_unreachable_code() {
    mkdir "$scratch/planted"
    cp "$archive"/small/md5*.h "$scratch/planted/"
    { cat "$archive/small/md5model.c"; echo 'typedef struct weeds {
    int of_each;
} weeds;
static int weed(int of)
{
    return of > 0 ? weed(of - 1) : 0;
}
#define WEEDS 1'; } >"$scratch/planted/md5model.c"
    print_unreachable_code "$scratch/planted" >"$scratch/weeds" 2>&1
    for word in weed weeds WEEDS; do
        grep -qw "$word" "$scratch/weeds" || { echo "$word is not found"; cat "$scratch/weeds"; return 1; }
    done
}
if $cc -fkeep-static-functions -fsyntax-only -x c /dev/null 2>/dev/null; then
    silent "the header reaches all code" print_unreachable_code "$archive/small"
    check "planted unreachable code is found" finds_unreachable_code
else
    skip "the header reaches all code" "$cc cannot retain unused functions"
fi

# -- Cost --

at_most_flags() {
    [ $# -le 5 ]
}
# shellcheck disable=SC2086
check "at most five flags are needed" at_most_flags $size_flags $link
# Checks the growth of an engine's program that is built without these flags.
# shellcheck disable=SC2046,SC2086
program_growth_fits() {
    $cc $c_flags -O2 -DENGINE_ONLY "$engine" -lm -o "$scratch/before" &&
        $cc $c_flags -O2 -I"$tree" -I"$added" "$engine" "$tree/md5model/md5model.c" -lm -o "$scratch/after" &&
        numbers_satisfy '$4 + $5 - $1 - $2 <= 80 * 1024' $(size "$scratch/before" "$scratch/after" | awk 'NR > 1 { print $1, $2, $3 }')
}
case $($cc -dumpmachine),$($cc -dumpversion) in
x86_64-*linux-gnu,12*) check "the program grows by at most 80 KB" program_growth_fits ;;
esac
# md5/packaging/sizes.py compares KB and compile times with the table in the guide.
check_long "the guide lists the sizes of the forms" python3 md5/packaging/sizes.py "${MD5_ARCHIVE:-build/amalgamated}"
# Measures the two programs alternately, so that other processes slow both down equally. Compares their minimum times.
# shellcheck disable=SC2086
reads_quickly() {
    $cc $c_flags -O2 -DENGINE_TIMES -I"$tree" -I"$added" "$engine" "$tree/md5model/md5model.c" -lm -o "$scratch/times_small" &&
        $cc $c_flags -O2 -DENGINE_TIMES -Ibuild/include -I"$added" "$engine" "$products/libmd5model.a" -lm -o "$scratch/times_whole" || return 1
    for _ in 1 2 3 4 5 6; do
        for program in small whole; do
            "$scratch/times_$program" models/bobbin bobbin.md5mesh walk.md5anim | sed -n "s/^times:/$program/p"
        done
    done | awk '{ for (i = 2; i <= 3; i++) if (!(($1, i) in least) || $i < least[$1, i]) least[$1, i] = $i }
        END {
            print "mesh " least["small", 2] " and " least["whole", 2] " us, clip " least["small", 3] " and " least["whole", 3]
            exit !(least["small", 2] > 0 && least["small", 3] > 0 && least["small", 2] <= 1.3 * least["whole", 2] &&
                least["small", 3] <= 1.3 * least["whole", 3])
        }'
}
# The comparison is skipped with sanitizers, because they slow the library down.
[ -n "${MD5_LINK_FLAGS:-}" ] || check_long "reading takes at most 1.3 times the library's time" reads_quickly

# -- Omitted features --

rejects_file() { # MESSAGE MESH ANIM
    "$scratch/c" "" "$2" "$3" | tee "$scratch/refusal.txt" | grep -q "refused: .*$1" || { cat "$scratch/refusal.txt"; false; }
}
walk=$PWD/models/bobbin/walk.md5anim
printf 'BRM\n' >"$scratch/model.bmd5mesh"
printf 'M5CCxxxxxxxx' >"$scratch/clip.md5anim"
printf 'MD5Version 6\ncommandline ""\nnumbones 1\n' >"$scratch/old.md5mesh"
printf 'commandline ""\nnumbones 1\n' >"$scratch/bones.md5mesh"
sed 's/^numMeshes.*/numMeshes 0/; /^mesh/,$d' models/bobbin/bobbin.md5mesh >"$scratch/bare.md5mesh"
check "a skeleton without meshes is rejected" rejects_file "bare.md5mesh: no meshes" "$scratch/bare.md5mesh" "$walk"
check "a file of Doom 3 BFG is rejected" rejects_file "model.bmd5mesh:1:1: error" "$scratch/model.bmd5mesh" "$walk"
check "a compressed clip is rejected" rejects_file "clip.md5anim:1:1: error" "${walk%walk*}bobbin.md5mesh" "$scratch/clip.md5anim"
check "version 6 is rejected" rejects_file "unsupported MD5 version: expected version 10, found 6" "$scratch/old.md5mesh" "$walk"
check "a keyword of version 6 is rejected" rejects_file "bones.md5mesh:2:1: error: expected a keyword of version 10, found 'numbones'" \
    "$scratch/bones.md5mesh" "$walk"
expression_compiles() { # EXPRESSION: in a function of a program
    printf '#include "md5model.h"\nvoid f(md5_load_opts *opts);\nvoid f(md5_load_opts *opts)\n{\n(void)opts;\n(void)(%s);\n}\n' "$1" |
        $cc -std=gnu11 -Werror -fsyntax-only -I"$archive/small" -x c - >"$scratch/words" 2>&1
}
does_not_compile() {
    ! expression_compiles "$1" && grep -q "${2:-$1}" "$scratch/words" || { cat "$scratch/words"; false; }
}
check "a program compiles" expression_compiles opts-\>flip_v
for name in MD5_INTERPOLATE_CUBIC md5_create_baked md5_compress_anim md5_load_camera; do
    check "$name is not declared" does_not_compile $name
done
for name in md5_pose_job md5_blend_job md5_threads; do
    check "$name is not declared" does_not_compile "sizeof($name)" $name
done
check "warnings are not declared" does_not_compile "opts->warn" warn
# Prints fields, types and functions for warnings in the code of both files.
print_warning_names() {
    sed 's|//.*||' "$archive"/small/md5model.[ch] |
        grep -wE '(md5i?_|lex_)?warn(_[a-z]+)?|(max|num)_warnings|md5_held_[a-z]*|MD5_WARNING[A-Z_]*'
}
silent "the code contains no warning functions" print_warning_names
# -- Third-party models, each with the first animation in its folder --

list_corpus_pairs() {
    find "$MD5_CORPUS" -name '*.md5mesh' -size -2000k | sort | while read -r mesh; do
        anim=$(find "$(dirname "$mesh")" -maxdepth 1 -name '*.md5anim' | sort | head -n 1)
        [ -n "$anim" ] && printf '%s\n%s\n' "$mesh" "$anim"
    done | grep -v ' ' | head -n 80
}
corpus_output_equals_library() {
    # shellcheck disable=SC2046 # many words
    set -- $(list_corpus_pairs)
    for program in whole c; do
        "$scratch/$program" "" "$@" >"$scratch/$program.txt" || { tail -n 5 "$scratch/$program.txt"; return 1; }
    done
    awk 'NR == FNR { whole[FNR] = $0; next }
        /this build|a keyword of version 10/ { refused++; next }
        $0 != whole[FNR] { print whole[FNR]; print; differ++ }
        / joints, / { accepted++ }
        END { print accepted + 0 " pairs, " refused + 0 " rejected by this build"; exit differ > 0 || accepted < 10 }' \
        "$scratch/whole.txt" "$scratch/c.txt"
}
if [ -n "${MD5_CORPUS:-}" ]; then
    check "third-party models have the same bits" corpus_output_equals_library
else
    skip "third-party models" "MD5_CORPUS is not set"
fi
finish
