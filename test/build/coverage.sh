#!/bin/sh
# coverage.sh FOLDER: after the tests have run in FOLDER (objects compiled with --coverage), the part
# of lines and of branches that they reached: each file that is not reached in full, then each room.
set -u
counts=$(mktemp) || exit 1
trap 'rm -f "$counts"' EXIT

# gcov gives a few lines for each source. Headers show up with every file that includes them; only
# our .c files are counted.
find "$1/md5" "$1/render" "$1/demo" -name '*.gcno' \
    -exec gcov --no-output --branch-probabilities {} + 2>/dev/null | awk '
    function number(text) { sub(/.*:/, "", text); return text + 0 }
    /^File / { file = $2; gsub(/\047/, "", file); ours = file ~ /^(md5|render|demo)\/.*\.c$/ }
    ours && /^Lines executed/ { lines = $4; lines_hit = number($2) }
    ours && /^No branches/ { print file, lines, lines_hit, 0, 100 }
    ours && /^Taken at least once/ { print file, lines, lines_hit, $6, number($4) }
    /^(No branches|Taken)/ { ours = 0 }
' | sort -u >"$counts"

awk '
    function room(path) { sub(/\/[^\/]*$/, "", path); return path }
    {
        name = room($1)
        lines[name] += $2; lines_hit[name] += $2 * $3 / 100
        branches[name] += $4; branches_hit[name] += $4 * $5 / 100
        if ($3 < 100 || $5 < 100) printf "%-40s %6.1f %% of %5d lines  %6.1f %% of %5d branches\n", \
                                         $1, $3, $2, $5, $4
    }
    END {
        print ""
        for (name in lines)
            printf "%-40s %6.1f %% of %5d lines  %6.1f %% of %5d branches\n", name, \
                100 * lines_hit[name] / (lines[name] ? lines[name] : 1), lines[name], \
                100 * branches_hit[name] / (branches[name] ? branches[name] : 1), branches[name] | "sort"
    }' "$counts"
