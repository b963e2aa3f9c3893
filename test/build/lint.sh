#!/bin/sh
# lint.sh: all checks that do not run the code; with LINT=compilers only the warnings of two compilers. Called by
# `make lint`, which generates the GL loader, fills build/include, and sets SDL_CFLAGS to the flags of SDL2's headers.
. test/build/report.sh
. test/build/built.sh
unset MAKEFLAGS MAKELEVEL MFLAGS
jobs=$(getconf _NPROCESSORS_ONLN)
# md5config.h is a template for users, with one switch per line.
all_files=$(find md5 render demo test -name '*.[ch]' ! -name md5config.h | sort)
include="-I. -Idemo/examples -isystem build/glad/include -isystem build/include -isystem build/include/md5model $SDL_CFLAGS"

# A newer compiler warns of more; test/long/compilers.sh has the others.
newest=$(newest_clang)

timed() { # TITLE COMMAND...
    start=$(date +%s)
    check "$@"
    printf '%-16s %d s\n' "$1" $(($(date +%s) - start))
}

# Real builds, because some warnings come from the optimizer only; kept, so that the next time only what has
# changed is looked at.
compile() { # COMPILER
    find_build "$1"
    make --no-print-directory -j"$jobs" config=release CC="$compiler" BUILD="$folder" CFLAGS="$flags" WERROR=yes programs \
        "$folder/test/bench/bench.o" "$folder/test/bench/bench_gl.o"
}

# Each file by itself, as many at once as there are cores. What is found in a header comes up with every
# file that includes it, and each finding has its long story: that is left in the log. demo/web needs emscripten's headers. TIDY_NODES=N ends the
# analyzer's search of a function after N states instead of 225000, where nearly all of the time goes.
tidy() {
    log=build/lint/clang-tidy.log
    mkdir -p build/lint
    # shellcheck disable=SC2086
    find ${ANALYZED:-md5 render demo test} -name '*.c' ! -path 'demo/web/*' | sort |
        xargs -P "$jobs" -I{} clang-tidy --quiet {} -- -std=c11 -DHAS_STB -DHAS_JPEG -DHAS_JANSSON $include ${TIDY_NODES:+-Xclang -analyzer-config -Xclang max-nodes=$TIDY_NODES} >$log 2>"$scratch/tidy.err" &&
        return
    grep -hE '(error|warning): ' $log "$scratch/tidy.err" | sed "s|^$PWD/||; s|^\./||" | sort -u
    echo "more in $log"
    return 1
}

# Style is left to clang-tidy, and so is what is not initialized, because cppcheck loses sight of arrays
# that are filled in loops; nor does it know a pointer to arrays from an array when it is freed, or what
# tests free at the end of a block (test/own.h). Without -D it
# reads each file once for each combination of macros that it finds, most of which nobody builds: five times
# as long.
cpp_check() {
    mkdir -p build/lint/cppcheck
    # shellcheck disable=SC2086
    cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
        --suppress=missingInclude --suppress=uninitvar --suppress=ctuuninitvar --suppress=uninitdata \
        --suppress=ctuArrayIndex --suppress=constStatement '--suppress=autovarInvalidDeallocation:test/*' '--suppress=memleak:test/*' \
        --error-exitcode=1 -j"$jobs" -D__GNUC__=12 -D__x86_64__=1 -I. \
        --cppcheck-build-dir=build/lint/cppcheck -idemo/web ${ANALYZED:-md5 render demo test}
}

layout() {
    echo "$all_files" | xargs -P "$jobs" -n 40 clang-format --dry-run -Werror
}

scripts() {
    { echo .ci/run; find test md5 render demo .ci -name '*.sh' | sort; } | xargs -P "$jobs" -n 16 shellcheck -x -S warning
}

# Names that are not used or not known, and lines over 110 columns. Texts of files are left as they are
# (tabs), columns may be aligned, and Blender's declarations of properties look like annotations to pyflakes.
python_files() {
    find test models md5 render demo -name '*.py' | sort
}
python_names() {
    # shellcheck disable=SC2046 # one word each
    $(command -v pyflakes3 || command -v pyflakes) $(python_files) 2>&1 |
        grep -vE '^models/blender/io_md5/__init__.py:.*(undefined name|forward annotation)'
}
python_layout() {
    # shellcheck disable=SC2046 # one word each
    pycodestyle --max-line-length=110 --ignore=E101,E203,E402,W191,W503,W504 $(python_files)
}
python() {
    silent "names in Python" python_names
    silent "layout of Python" python_layout
}

timed "gcc" compile gcc
timed "$newest" compile "$newest"
[ "${LINT:-}" != compilers ] || finish
timed "clang-tidy" tidy
timed "cppcheck" cpp_check
timed "clang-format" layout
timed "shellcheck" scripts
python
timed "modules" sh test/tree/modules.sh
timed "plain code" python3 test/build/plain.py
timed "compilers" sh test/tree/compilers.sh
finish
