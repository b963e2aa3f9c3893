# shellcheck shell=sh
# For test scripts, after report.sh: extracts the program of README.md and its output.

# blocks LANGUAGE FILES: writes the blocks between ```LANGUAGE and ``` to $scratch/LANGUAGE.N.
blocks() {
    # shellcheck disable=SC2086,SC2154 # several files; set by report.sh
    awk -v language="$1" -v prefix="$scratch/$1." '
        $0 == "```" language { file = prefix (++count); printf "" > file; next }
        /^```/ { file = "" }
        file { print > file }
        END { print count + 0 }' $2
}

# first_program FILE: writes README's first program, unchanged.
first_program() {
    [ "$(blocks c README.md)" -ge 1 ] && cp "$scratch/c.1" "$1"
}
