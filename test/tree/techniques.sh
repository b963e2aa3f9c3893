#!/bin/sh
# test/techniques.md: each test that it names exists, each page too, and each page is named.
. test/build/report.sh

rows() {
    grep '^| ' test/techniques.md | tail -n +2 | grep -v '^|---'
}
rows | awk -F'|' '{ gsub(/[ `]/, "", $(NF - 2)); print $(NF - 2) }' >"$scratch/named"
rows | awk -F'|' '{ gsub(/[ `]/, "", $(NF - 1)); if ($(NF - 1) != "-") print $(NF - 1) }' | sort -u >"$scratch/shown"
check "there are techniques to judge" [ "$(wc -l <"$scratch/named")" -gt 50 ]

find test -name 'test_*.c' -exec grep -hoE '^TEST[A-Z_]* \([a-z0-9_]+' {} + | sed 's/^TEST.* (//' |
    sort -u >"$scratch/tests"
missing_tests() {
    sort -u "$scratch/named" | comm -23 - "$scratch/tests"
}
silent "each named test exists" missing_tests

grep -hoE '^        \.name = "[a-z0-9_]+"' demo/viewer/pages/*.c | sed 's/.*"\(.*\)"/\1/' | sort -u >"$scratch/pages"
check "there are pages" [ -s "$scratch/pages" ]
missing_pages() {
    comm -23 "$scratch/shown" "$scratch/pages"
}
silent "each named page exists" missing_pages
unnamed_pages() {
    comm -13 "$scratch/shown" "$scratch/pages"
}
silent "each page shows a technique of the table" unnamed_pages

finish
