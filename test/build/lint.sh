#!/bin/sh
# lint.sh: runs all checks that do not run the code. With LINT=compilers it shows only the warnings of two compilers. With
# LINT=quick it omits cppcheck and clang's analyzer, which take longest and rarely find anything that the others do not. Called by
# `make lint`, which generates the GL loader, fills build/include, and sets SDL_CFLAGS to the flags of SDL2's headers and
# PACKAGE_DEFINES to -DHAS_NAME for each optional package, so that the code that needs a package is analyzed too.
. test/build/report.sh
. test/build/built.sh
unset MAKEFLAGS MAKELEVEL MFLAGS
jobs=$(getconf _NPROCESSORS_ONLN)
# md5config.h is omitted, because it is a template for users, with one switch per line.
all_files=$(find md5 render demo test -name '*.[ch]' ! -name md5config.h | sort)
include="-I. -Idemo/examples -isystem build/glad/include -isystem build/include -isystem build/include/md5model $SDL_CFLAGS"

# The newest clang is used, because a newer compiler has more warnings. test/long/compilers.sh tests the older
# ones.
newest=$(print_newest_clang)

check_timed() { # TITLE COMMAND...
    start=$(date +%s)
    check "$@"
    printf '%-16s %d s\n' "$1" $(($(date +%s) - start))
}

# Builds everything with a compiler. The folder remains, so that the next run compiles only changed files. gcc
# builds with optimization, because some of its warnings come from the optimizer; usually this build exists.
# The warnings of clang come from its parser. Therefore clang builds without optimization, which takes 0.4 of
# the time; test/long/compilers.sh also builds with it.
build_with() { # COMPILER [FLAGS]
    find_build "$1"
    [ -z "${2:-}" ] || folder=build/lint/$compiler flags="$flags $2"
    make --no-print-directory -j"$jobs" config=release CC="$compiler" BUILD="$folder" CFLAGS="$flags" WERROR=yes programs \
        "$folder/test/bench/bench.o" "$folder/test/bench/bench_gl.o"
}

# An option of clang-tidy that disables the slow analyzer, or nothing.
without_analyzer=
[ "${LINT:-}" != quick ] || without_analyzer='--checks=-clang-analyzer-*'

# Analyzes each file separately, in parallel on all cores. clang-tidy repeats findings in a header for each file that
# includes it, and explains each finding at length; the log contains the complete text. demo/web needs Emscripten's headers.
run_clang_tidy() {
    log=build/lint/clang-tidy.log
    mkdir -p build/lint
    # shellcheck disable=SC2086
    find ${ANALYZED:-md5 render demo test} -name '*.c' ! -path 'demo/web/*' | sort |
        xargs -P "$jobs" -I{} clang-tidy --quiet $without_analyzer {} -- -std=c11 $PACKAGE_DEFINES $include >$log 2>"$scratch/tidy.err" &&
        return
    grep -hE '(error|warning): ' $log "$scratch/tidy.err" | sed "s|^$PWD/||; s|^\./||" | sort -u
    echo "more in $log"
    return 1
}

# clang-tidy checks style. Checks of uninitialized data are disabled, because cppcheck does not follow arrays that loops
# fill. Checks of freeing are disabled, because it confuses a pointer to arrays with an array, and does not recognize the
# macros with which tests free memory at the end of a block (test/scoped.h). Without -D it analyzes each combination of
# macros in a file, most of which are never built, and takes five times as long.
run_cppcheck() {
    mkdir -p build/lint/cppcheck
    # shellcheck disable=SC2086
    cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
        --suppress=missingInclude --suppress=uninitvar --suppress=ctuuninitvar --suppress=uninitdata \
        --suppress=ctuArrayIndex --suppress=constStatement '--suppress=autovarInvalidDeallocation:test/*' '--suppress=memleak:test/*' \
        --error-exitcode=1 -j"$jobs" -D__GNUC__=12 -D__x86_64__=1 -I. \
        --cppcheck-build-dir=build/lint/cppcheck -idemo/web ${ANALYZED:-md5 render demo test}
}

layout_is_correct() {
    echo "$all_files" | xargs -P "$jobs" -n 40 clang-format --dry-run -Werror
}

run_shellcheck() {
    { echo .ci/run; find test md5 render demo .ci -name '*.sh' | sort; } | xargs -P "$jobs" -n 16 shellcheck -x -S warning
}

# Reports unused and undefined names, and lines over 110 columns. Indentation of embedded texts (tabs) and aligned columns
# are allowed; pyflakes mistakes Blender's declarations of properties for annotations.
list_python_files() {
    find test models md5 render demo -name '*.py' | sort
}
run_pyflakes() {
    # shellcheck disable=SC2046 # one word each
    $(command -v pyflakes3 || command -v pyflakes) $(list_python_files) 2>&1 |
        grep -vE '^models/blender/io_md5/__init__.py:.*(undefined name|forward annotation)'
}
run_pycodestyle() {
    # shellcheck disable=SC2046 # one word each
    pycodestyle --max-line-length=110 --ignore=E101,E203,E402,W191,W503,W504 $(list_python_files)
}
check_python() {
    silent "names in Python" run_pyflakes
    silent "layout of Python" run_pycodestyle
}

check_timed "gcc" build_with gcc
check_timed "$newest" build_with "$newest" -O0
[ "${LINT:-}" != compilers ] || finish
check_timed "clang-tidy" run_clang_tidy
[ "${LINT:-}" = quick ] || check_timed "cppcheck" run_cppcheck
check_timed "clang-format" layout_is_correct
check_timed "shellcheck" run_shellcheck
check_python
check_timed "modules" sh test/tree/modules.sh
check_timed "plain code" python3 test/build/plain.py
finish
