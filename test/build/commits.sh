#!/bin/sh
# commits.sh [RANGE]: checks commit messages before they are pushed. Default: the commits since the last release, or, without
# a tag, the commits that are not pushed yet. Each subject is `area: Imperative verb and object` of at most 72 characters,
# where the area is a folder, a document or a word of the list below. Commits without a body are listed, but are not faults.
set -u
cd "$(dirname "$0")/../.." || exit 1
last=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || git rev-parse --abbrev-ref '@{upstream}' 2>/dev/null)
range=${1:-${last:+$last..}HEAD}
areas=$( (git ls-tree -d --name-only -r HEAD && git ls-files '*.md' '*.txt' Makefile) | sed 's|.*/||; s/\.[a-z]*$//; s/^\.//' |
    tr '[:upper:]' '[:lower:]' | sort -u | paste -sd ' ')
git log --no-merges --reverse --format='%h%x09%s%x09%b%x00' "$range" | tr '\n\0' ' \n' | awk -F '\t' -v areas="$areas" '
    BEGIN { split(areas " build tool platform web readme docs changelog", each, " "); for (i in each) known[each[i]] }
    { sub(/^ /, "", $1); head = $2; sub(/: .*/, "", head) }
    function complain(text) { print $1 " " text ": " $2; faults++ }
    NF < 2 { next }
    { count++ }
    length($2) > 72 { complain(length($2) " characters") }
    head == $2 { complain("no area") ; next }
    {
        split(head, part, ", ")
        for (i in part) if (!(part[i] in known)) { complain("unknown area \"" part[i] "\""); break }
        first = substr($2, length(head) + 3); sub(/ .*/, "", first)
        if (first ~ /^(a|an|the|what|where|it|he|his|its|there|no|each|that)$|(ed|ing)$/ && first !~ /^(Bring|Embed|Feed|Speed)$/)
            complain("\"" first "\" is not an imperative")
    }
    $3 ~ /^ *$/ { bare = bare "    " $1 " " $2 "\n"; num_bare++ }
    END {
        if (num_bare) printf "%d of %d without a body: check that the subject contains the reason\n%s", num_bare, count, bare
        printf "%d commits, %d to reword\n", count, faults
        exit faults > 0
    }'
