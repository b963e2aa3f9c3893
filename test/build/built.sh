# shellcheck shell=sh disable=SC2034 # used by the scripts
# For scripts that build with other compilers: finds existing builds, so that no build is repeated.

# Prints the version that a compiler reports, without the name by which it was called. File names do not identify a
# compiler: with ccache all compilers can be links to one program.
print_compiler_version() { # COMPILER
    "$1" --version 2>/dev/null | sed 's/^[^ ]* //; q'
    "$1" -dumpmachine 2>/dev/null
}
is_same_compiler() {
    [ -n "$(print_compiler_version "$1")" ] && [ "$(print_compiler_version "$1")" = "$(print_compiler_version "$2")" ]
}

# Prints the name of a compiler with its version, such as clang-14 for clang, if it is installed under such a name.
print_versioned_name() { # COMPILER
    for path in "$(dirname "$(command -v "$1")")/$1"-[0-9]*; do
        [ -x "$path" ] && is_same_compiler "$1" "$path" && echo "${path##*/}" && return
    done
    echo "$1"
}

# Prints the names of all installed gcc or clang with a version in their name.
list_installed_compilers() { # PATTERN
    for folder in $(echo "$PATH" | tr ':' ' '); do
        find "$folder/" -maxdepth 1 -name "$1-[0-9]*" 2>/dev/null
    done | sed 's|.*/||' | grep -xE '[a-z]+-[0-9]+' | sort -u
}
print_newest_clang() {
    newest_installed=$(list_installed_compilers clang | sort -t- -k2n | tail -n 1)
    echo "${newest_installed:-clang}"
}

# find_build COMPILER: sets $compiler, $folder, and $flags for CFLAGS. If `make WERROR=yes` has built with the same compiler
# and without other flags, $folder is that build. Otherwise it is named after the compiler and has no debug information.
find_build() {
    compiler=$(print_versioned_name "$1") folder=build/by/$(print_versioned_name "$1") flags="-g0 ${CFLAGS:-}"
    [ -z "${CFLAGS:-}${LDFLAGS:-}" ] && [ -s build/release/flags ] || return 0
    read -r usual options <build/release/flags
    case $options in
    *' -Werror') is_same_compiler "$usual" "$1" && compiler=$usual folder=build/release flags= ;;
    esac
    return 0
}
