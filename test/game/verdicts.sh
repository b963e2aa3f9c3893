#!/bin/sh
# Compares the output of md5tool parse with the results of the original engine for a small game folder: every row of materials, skins
# and models, and every warning about them. Materials that the engine created only for its guis are requested by name. Their sort in
# the row identifies these implicit materials; all other values are compared.
. test/build/report.sh
tool=$products/md5tool
golden=${MD5_CORPUS:+$MD5_CORPUS/golden/d3}

# verdicts KIND [NAME...]: prints the rows of md5tool.
verdicts() {
    "$tool" parse --base "$golden/minigame/base" --mod "$golden/minigame/mod" "$@" 2>>"$scratch/warnings"
}

# compares KIND FILE: runs one test per row.
compares() {
    awk -v kind="$1" '
        NR == FNR { ours[NR] = $0; next }
        { rows++; if (ours[FNR] == $0) equal++; else print "FAILED: " kind ", row " FNR "\n    " ours[FNR] "\n    " $0 }
        END { print "note: " kind ": " equal + 0 " of " rows " rows are equal"; exit equal != rows }' \
        "$scratch/ours" "$2" >"$scratch/compared"
    result=$?
    [ $result -eq 0 ] || head -n 12 "$scratch/compared"
    return $result
}

implicit_names() { # SED COMMAND that selects rows
    sed -n "$1"'s/^{"material":"\([^"]*\)","file":"<implicit file>".*/\1/p' "$golden/verdicts/minigame/mini.mtr.jsonl"
}

materials() {
    # shellcheck disable=SC2046 # no name has blanks
    { verdicts materials && verdicts materials $(implicit_names '/"sort":-2,/!') &&
        verdicts gui-materials $(implicit_names '/"sort":-2,/'); } >"$scratch/ours" &&
        compares materials "$golden/verdicts/minigame/mini.mtr.jsonl"
}

rows() { # KIND FILE
    verdicts "$1" >"$scratch/ours" && compares "$1" "$golden/verdicts/minigame/$2"
}

# Warnings about images and guis are ignored, because these are not declarations. Warnings of the engine do not have a location.
warnings() {
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
# compared TITLE COMMAND...: a test that prints the number of equal rows.
compared() {
    check "$@"
    grep -h '^note: ' "$scratch/compared"
}
compared "materials are what the engine makes of them" materials
compared "skins are what the engine makes of them" rows skins mini.skin.jsonl
compared "models are what the engine makes of them" rows models mini.model.jsonl
check "warnings are those of the engine" warnings
finish
