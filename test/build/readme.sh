# shellcheck shell=sh
# For test scripts, after report.sh: what README.md shows as program, and what it prints.

# blocks LANGUAGE FILES: the blocks between ```LANGUAGE and ```, each into $scratch/LANGUAGE.N
blocks() {
    # shellcheck disable=SC2086,SC2154 # several files; of report.sh
    awk -v language="$1" -v prefix="$scratch/$1." '
        $0 == "```" language { file = prefix (++count); printf "" > file; next }
        /^```/ { file = "" }
        file { print > file }
        END { print count + 0 }' $2
}

# first_program FILE: README's first program, as it stands.
first_program() {
    [ "$(blocks c README.md)" -ge 1 ] && cp "$scratch/c.1" "$1"
}
