#!/bin/sh
# Compares the output of md5tool parse with the results of the original engine for a small game folder: every row of materials, skins
# and models, and every warning about them. Materials that the engine created only for its guis are requested by name. Their sort in
# the row identifies these implicit materials; all other values are compared.
. test/build/report.sh
tool=$products/md5tool
golden=${MD5_CORPUS:+$MD5_CORPUS/golden/d3}

# print_parse_results KIND [NAME...]: prints the rows of md5tool.
print_parse_results() {
    "$tool" parse --base "$golden/minigame/base" --mod "$golden/minigame/mod" "$@" 2>>"$scratch/warnings"
}

# compare_rows KIND FILE: runs one test per row.
compare_rows() {
    awk -v kind="$1" '
        NR == FNR { ours[NR] = $0; next }
        { rows++; if (ours[FNR] == $0) equal++; else print "FAILED: " kind ", row " FNR "\n    " ours[FNR] "\n    " $0 }
        END { print "note: " kind ": " equal + 0 " of " rows " rows are equal"; exit equal != rows }' \
        "$scratch/ours" "$2" >"$scratch/compared"
    result=$?
    [ $result -eq 0 ] || head -n 12 "$scratch/compared"
    return $result
}

print_implicit_names() { # SED COMMAND that selects rows
    sed -n "$1"'s/^{"material":"\([^"]*\)","file":"<implicit file>".*/\1/p' "$golden/verdicts/minigame/mini.mtr.jsonl"
}

materials_match() {
    # shellcheck disable=SC2046 # no name has blanks
    { print_parse_results materials && print_parse_results materials $(print_implicit_names '/"sort":-2,/!') &&
        print_parse_results gui-materials $(print_implicit_names '/"sort":-2,/'); } >"$scratch/ours" &&
        compare_rows materials "$golden/verdicts/minigame/mini.mtr.jsonl"
}

results_match() { # KIND FILE
    print_parse_results "$1" >"$scratch/ours" && compare_rows "$1" "$golden/verdicts/minigame/$2"
}

# Warnings about images and guis are ignored, because these are not declarations. Warnings of the engine do not have a location.
warnings_match() {
    sed -n 's/^WARNING: //p' "$golden/verdicts/minigame/warnings.txt" |
        grep -vE "^(Couldn't load (gui|image|cube image|anim):|RegisterFont|Unknown string id)" | sort -u >"$scratch/theirs"
    sed -n 's/^\([^:]*\):\([0-9]*\):[0-9]*: warning: \(.*\)/file \1, line \2: \3/p' "$scratch/warnings" | sort -u >"$scratch/placed"
    awk 'FILENAME == ARGV[1] { theirs[$0] = 1; next }
         { plain = $0; sub(/^file [^,]*, line [0-9]*: /, "", plain) }
         ($0 in theirs) { found[$0] = 1; next }
         (plain in theirs) { found[plain] = 1; next }
         { print "only ours: " $0; wrong = 1 }
         END { for (each in theirs) if (!(each in found)) { print "only theirs: " each; wrong = 1 }; exit wrong }' \
        "$scratch/theirs" "$scratch/placed"
}

if [ -z "$golden" ] || [ ! -d "$golden" ]; then
    skip "verdicts of the original engine" "MD5_CORPUS has no golden/d3"
    finish
fi
# check_and_print_count TITLE COMMAND...: a test that prints the number of equal rows.
check_and_print_count() {
    check "$@"
    grep -h '^note: ' "$scratch/compared"
}
check_and_print_count "materials are what the engine makes of them" materials_match
check_and_print_count "skins are what the engine makes of them" results_match skins mini.skin.jsonl
check_and_print_count "models are what the engine makes of them" results_match models mini.model.jsonl
check "warnings equal the engine's warnings" warnings_match
finish
