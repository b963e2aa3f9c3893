# shellcheck shell=sh
# For test scripts, after report.sh: checks that samples for users compile without a warning as C11 and C++20, with gcc and
# clang.

# compiles_as COMPILER LANGUAGE STANDARD FILE FLAGS...: returns success if the sample compiles without a warning.
compiles_as() {
    used_compiler=$1 used_language=$2 used_standard=$3 used_file=$4
    shift 4
    "$used_compiler" -x "$used_language" "-std=$used_standard" -fsyntax-only -Wall -Wextra -Wpedantic -Werror "$@" "$used_file"
}

# check_languages TITLE FILE FLAGS...: one check for each compiler and language.
check_languages() {
    sample_title=$1 sample=$2
    shift 2
    for sample_language in "gcc c c11" "clang c c11" "g++ c++ c++20" "clang++ c++ c++20"; do
        # shellcheck disable=SC2086 # three words
        set -- $sample_language "$sample" "$@"
        if command -v "$1" >/dev/null; then
            check "$sample_title compiles as $3 with $1" compiles_as "$@"
        else
            skip "$sample_title compiles as $3 with $1" "$1 is not installed"
        fi
        shift 4
    done
}
