# shellcheck shell=sh
# For test scripts, after report.sh: extracts the program of README.md and its output.

# extract_blocks LANGUAGE FILES: writes the blocks between ```LANGUAGE and ``` to $scratch/LANGUAGE.N.
extract_blocks() {
    # shellcheck disable=SC2086,SC2154 # several files; set by report.sh
    awk -v language="$1" -v prefix="$scratch/$1." '
        $0 == "```" language { file = prefix (++count); printf "" > file; next }
        /^```/ { file = "" }
        file { print > file }
        END { print count + 0 }' $2
}

# write_first_program FILE: writes README's first program, unchanged.
write_first_program() {
    [ "$(extract_blocks c README.md)" -ge 1 ] && cp "$scratch/c.1" "$1"
}
