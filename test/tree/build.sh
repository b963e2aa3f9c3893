#!/bin/sh
# The build: its output, the packages that its goals need, and the suites that TEST= selects. No product depends on test/.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS

prints_steps() {
    rm -rf "$scratch/new"
    make --no-print-directory DEPS=no config=release BUILD="$scratch/new" "$scratch/new/demo/common/text.o" >"$scratch/steps" 2>&1
    cat "$scratch/steps"
    [ "$(cat "$scratch/steps")" = "CC demo/common/text.c" ]
}
prints_commands() {
    rm -rf "$scratch/new"
    make --no-print-directory V=1 DEPS=no config=release BUILD="$scratch/new" "$scratch/new/demo/common/text.o" >"$scratch/steps" 2>&1
    cat "$scratch/steps"
    grep -q -- ' -c demo/common/text.c -o ' "$scratch/steps"
}
check "a build prints one line per file" prints_steps
check "a build with V=1 prints commands" prints_commands

# Returns success if a goal needs exactly these sets of packages of md5/packaging/deps.sh.
goal_needs_packages() { # GOAL SET...
    goal=$1
    shift
    # shellcheck disable=SC2086 # or no goal
    sets=$(make --no-print-directory -n -B V=1 DEPS=no config=release BUILD=build/release $goal |
        sed -n 's/^DEPS=no sh md5\/packaging\/deps\.sh \(--check \)\{0,1\}//p' | sort -u | xargs)
    [ "$sets" = "$*" ] || { echo "make $goal needs '$sets', expected '$*'"; false; }
}
goals_need_packages() {
    goal_needs_packages "" viewer && goal_needs_packages run viewer && goal_needs_packages gl gl && goal_needs_packages lib && goal_needs_packages tool && goal_needs_packages test-library &&
        goal_needs_packages test viewer test && goal_needs_packages bench viewer bench && goal_needs_packages docs gl docs && goal_needs_packages lint viewer lint
}
check "each goal needs its packages" goals_need_packages

print_assimp_options() { # OPTION...: prints the linker's options for libassimp
    make --no-print-directory -n -B V=1 DEPS=no config=release BUILD=build/release "$@" build/md5tool 2>&1 | grep -oE '(-lassimp|cannot link .*)' | sort -u
}
if "${PKG_CONFIG:-pkg-config}" --exists assimp jansson; then
    check "libassimp is linked if it is installed" [ "$(print_assimp_options)" = -lassimp ]
else
    skip "libassimp is linked if it is installed" "libassimp or jansson not found"
fi
silent "libassimp is not linked with ASSIMP=no" print_assimp_options ASSIMP=no
check "ASSIMP=yes without libassimp is an error" [ "$(print_assimp_options ASSIMP=yes PKG_CONFIG=false)" = 'cannot link jansson: in Debian libjansson-dev.  Stop.' ]

print_test_files_in_build() {
    make --no-print-directory -n -B V=1 DEPS=no config=release BUILD=build/release all |
        grep -oE '(^|[ /])test/[a-z0-9_/]*\.[a-z]+'
}
silent "no product depends on files in test/" print_test_files_in_build

# The settings of md5config.h also work as compiler flags.
builds_without_formats() {
    make --no-print-directory DEPS=no config=release WERROR=yes CFLAGS='-O0 -DMD5_HAS_FORMATS=0' BUILD="$scratch/text" OUT="$scratch/text" "$scratch/text/libmd5model.a" >"$scratch/steps" 2>&1 &&
        "${CC:-cc}" -Ibuild/include test/build/user/formats.c "$scratch/text/libmd5model.a" -lm -o "$scratch/load" || { cat "$scratch/steps"; false; }
}
"$products/md5tool" convert "$models/bobbin/bobbin.md5mesh" -o "$scratch/bobbin.bmd5mesh" >"$scratch/notes" 2>&1
"$products/md5tool" compress "$models/bobbin/walk.md5anim" -o "$scratch/packed.md5anim" >"$scratch/notes" 2>&1
sed 's/MD5Version 10/MD5Version 12/' "$models/bobbin/bobbin.md5mesh" >"$scratch/later.md5mesh"
printf 'MD5Version 6\ncommandline ""\nnumbones 1\nbone 0 { name "a" bindpos 0 0 0 bindmat 1 0 0 0 1 0 0 0 1 }\nnummeshes 0\n' >"$scratch/alpha.md5mesh"
without_formats() { # FILE TEXT: checks the output of formats.c
    "$scratch/load" "$1" >"$scratch/log"
    cat "$scratch/log"
    grep -qF -- "$2" "$scratch/log"
}
check "the library builds without other formats" builds_without_formats
check "... and reads meshes of version 10" without_formats "$models/bobbin/bobbin.md5mesh" "joints, "
check "... and clips of version 10" without_formats "$models/bobbin/walk.md5anim" "frames"
check "... but not version 6" without_formats "$scratch/alpha.md5mesh" "alpha.md5mesh:1:12: error: unsupported MD5 version: expected version 10, found 6"
check "... nor version 12" without_formats "$scratch/later.md5mesh" "later.md5mesh:1:12: error: unsupported MD5 version: expected version 10, found 12"
check "... nor meshes of Doom 3 BFG" without_formats "$scratch/bobbin.bmd5mesh" "error: not an MD5 file: expected 'MD5Version'"
check "... nor compressed clips" without_formats "$scratch/packed.md5anim" "error: not an MD5 file: expected 'MD5Version'"

# Writes suites that only print their arguments.
root=$PWD
mkdir -p "$scratch/suites/test/pose" "$scratch/suites/test/skin" "$scratch/suites/bin"
for suite in test/pose/one.sh test/skin/two.sh bin/test_md5 bin/test_gl; do
    printf '#!/bin/sh\necho "note: given ${1:-all}"\necho 1 passed, 0 failed, 0 skipped\n' >"$scratch/suites/$suite"
    chmod +x "$scratch/suites/$suite"
done
selects_suites() { # TEST SUITES: checks the sorted list of "suite:arguments"
    (cd "$scratch/suites" && TEST=$1 sh "$root/test/build/run_tests.sh" test/pose/one.sh test/skin/two.sh bin/test_md5 bin/test_gl) |
        awk '/ passed, .*\(/ { suite = $1 } /note: given/ { print suite ":" $3 }' | sort | tr '\n' ' ' >"$scratch/selected"
    echo "TEST=$1 selects $(cat "$scratch/selected"), expected $2"
    [ "$(cat "$scratch/selected")" = "$2 " ]
}
check "all suites run without TEST" selects_suites "" "one.sh:all test_gl:all test_md5:all two.sh:all"
check "TEST=FOLDER selects scripts and tests of the folder" selects_suites pose "one.sh:all test_gl:test/pose/ test_md5:test/pose/"
check "TEST=NAME selects scripts and tests by name" selects_suites two "test_gl:two test_md5:two two.sh:all"
check "TEST=PROGRAM selects all tests of the program" selects_suites test_gl "test_gl:all"

# A program exits with status 3 if none of its tests has the name.
printf '#!/bin/sh\necho "$0: no test"\nexit 3\n' >"$scratch/suites/bin/test_gl"
ends_with() { # TEST TEXT SUITE...: checks the last lines of run_tests.sh, and that it fails if nothing is selected
    name=$1 expected=$2
    shift 2
    (cd "$scratch/suites" && TEST=$name sh "$root/test/build/run_tests.sh" "$@") >"$scratch/ends" 2>&1
    status=$?
    cat "$scratch/ends"
    [ "$(tail -n 3 "$scratch/ends" | grep -vE ' s\)$|^    ' | tr '\n' '|')" = "$expected" ] || return
    case $expected in *" 0 failed"*) [ $status -eq 0 ] ;; *) [ $status -eq 1 ] ;; esac
}
check "a suite without selected tests does not fail if another suite has some" ends_with two "1 passed, 0 failed, 0 skipped|" bin/test_md5 bin/test_gl
check "TEST=NAME fails if no suite has the name" \
    ends_with three "bin/test_gl: no test|TEST=three selects no test and no script|0 passed, 1 failed, 0 skipped|" test/pose/one.sh bin/test_gl
check "a program without selected tests fails without TEST" ends_with "" "FAILED: test_gl ended with status 3 and no count|0 passed, 1 failed, 0 skipped|" bin/test_gl

test_md5=${BUILD:-build/release}/test_md5
rejects_name() {
    "$test_md5" lex_counts no_such_test >"$scratch/log" 2>&1
    status=$?
    cat "$scratch/log"
    [ $status -eq 3 ] && [ "$(cat "$scratch/log")" = "$test_md5: no test has \"no_such_test\" in its name or file" ]
}
accepts_empty_share() {
    MD5_TEST_SHARE=2/2 "$test_md5" lex_counts_lines_of_every_kind >"$scratch/log" 2>&1 && cat "$scratch/log" &&
        [ "$(cat "$scratch/log")" = '0 passed, 0 failed, 0 skipped' ]
}
check "a test program rejects a name that no test has" rejects_name
check "a test program accepts a share without tests" accepts_empty_share
finish
