#!/bin/sh
# The build: its output, the packages that its goals need, no product depends on test/, the suites that TEST=
# selects.
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
check "with V=1 it prints commands" prints_commands

# The sets of packages that md5/packaging/deps.sh looks for.
needs() { # GOAL SET...
    goal=$1
    shift
    # shellcheck disable=SC2086 # or no goal
    sets=$(make --no-print-directory -n -B V=1 DEPS=no config=release BUILD=build/release $goal |
        sed -n 's/^DEPS=no sh md5\/packaging\/deps\.sh //p' | sort -u | xargs)
    [ "$sets" = "$*" ] || { echo "make $goal needs '$sets', expected '$*'"; false; }
}
needs_packages() {
    needs "" viewer && needs run viewer && needs gl gl && needs lib && needs tool && needs test-library &&
        needs test viewer test && needs bench viewer bench && needs docs gl docs && needs lint viewer lint
}
check "each goal needs its packages" needs_packages

links() { # OPTION...: what of libassimp the linker is given
    make --no-print-directory -n -B V=1 DEPS=no config=release BUILD=build/release "$@" build/md5tool 2>&1 | grep -oE '(-lassimp|cannot link .*)' | sort -u
}
if "${PKG_CONFIG:-pkg-config}" --exists assimp jansson; then
    check "libassimp is linked where it is" [ "$(links)" = -lassimp ]
else
    skip "libassimp is linked where it is" "libassimp or jansson not found"
fi
silent "... and not with ASSIMP=no" links ASSIMP=no
check "ASSIMP=yes without it is an error" [ "$(links ASSIMP=yes PKG_CONFIG=false)" = 'cannot link jansson: in Debian libjansson-dev.  Stop.' ]

from_tests() {
    make --no-print-directory -n -B V=1 DEPS=no config=release BUILD=build/release all |
        grep -oE '(^|[ /])test/[a-z0-9_/]*\.[a-z]+'
}
silent "no product is made of what lies in test/" from_tests

# Suites that say what they were given.
root=$PWD
mkdir -p "$scratch/suites/test/pose" "$scratch/suites/test/skin" "$scratch/suites/bin"
for suite in test/pose/one.sh test/skin/two.sh bin/test_md5 bin/test_gl; do
    printf '#!/bin/sh\necho "note: given ${1:-all}"\necho 1 passed, 0 failed, 0 skipped\n' >"$scratch/suites/$suite"
    chmod +x "$scratch/suites/$suite"
done
selects() { # TEST WHAT: "suite:given" of each, sorted
    (cd "$scratch/suites" && TEST=$1 sh "$root/test/build/run_tests.sh" test/pose/one.sh test/skin/two.sh bin/test_md5 bin/test_gl) |
        awk '/ passed, .*\(/ { suite = $1 } /note: given/ { print suite ":" $3 }' | sort | tr '\n' ' ' >"$scratch/selected"
    echo "TEST=$1 selects $(cat "$scratch/selected"), expected $2"
    [ "$(cat "$scratch/selected")" = "$2 " ]
}
check "without TEST all suites run" selects "" "one.sh:all test_gl:all test_md5:all two.sh:all"
check "TEST=FOLDER: its scripts, and its tests in the programs" selects pose "one.sh:all test_gl:test/pose/ test_md5:test/pose/"
check "TEST=NAME: scripts and tests of that name" selects two "test_gl:two test_md5:two two.sh:all"
check "TEST=PROGRAM: all of its tests" selects test_gl "test_gl:all"
finish
