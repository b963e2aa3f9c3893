#!/bin/sh
# coverage.sh FOLDER: prints the percentage of lines and branches that the tests reached in FOLDER
# (objects compiled with --coverage): first each file below 100 %, with the missing lines if its
# module has a limit, then each module. Exits with 1 if a module is below its limits.
set -u

# Module, minimum percentage of lines, minimum percentage of branches; `-` for no limit. One line of md5/skin runs only
# for meshes of gigabytes.
limits='
md5       100   95
md5/core  100   95
md5/compress 99  95
md5/motion 99   95
md5/read  100   95
md5/edit  100   95
md5/load  100   95
md5/pose  100   95
md5/pose/simd   100 95
md5/play  100   95
md5/play/make  100 93
md5/play/run    99  95
md5/skin  99.9  95
'

counts=$(mktemp) || exit 1
trap 'rm -f "$counts"' EXIT

# On machines without AVX-512 neither its kernels nor the code that only they call can run. Therefore they are
# not counted.
unreachable=
if ! grep -qs avx512f /proc/cpuinfo; then
    echo "this machine has no AVX-512: its kernels are not counted"
    unreachable='*avx512*'
    limits=$(echo "$limits" | sed -E '/simd/s/100/95/; /(pose|core) /s/100/99/; /skin /s/99.9/99/')
fi

# gcov prints each source with its counts, once for each object that includes it. A line of a header counts as reached
# if any object reaches it. Objects without a source are left from earlier builds. Four libraries contain md5/core, and two
# contain md5/read.
find "$1/md5" "$1/of" "$1/render" "$1/demo" -name '*.gcno' ! -name "$unreachable" | sort | while read -r notes; do
    source=$(echo "${notes#"$1"/}" | sed 's|^of/[a-z]*/||')
    [ -f "${source%.gcno}.c" ] &&
        gcov --stdout --branch-probabilities --branch-counts "$notes" 2>/dev/null
done | awk '
    function add(key, is_hit) { all[key] = 1; if (is_hit) hit[key] = 1 }
    /^ *-: *0:Source:/ {
        file = $0
        sub(/^[^S]*Source:(\.\/)?/, "", file)
        ours = file ~ /^(md5|render|demo)\//
    }
    ours && /^ *([0-9]+\*?|#####|=====): *[0-9]+:/ {
        split($0, part, ":")
        line = part[2] + 0
        add(file " " line, part[1] ~ /[0-9]/)
    }
    # A failed assertion ends the program. Therefore the branches of assertions, and of functions that only assertions
    # call, are not counted; tests of misuse check the messages. The lines of assertions are counted.
    ours && /^ *[^ :]+: *[0-9]+:/ {
        if (/#if !defined\(NDEBUG\)/) in_check = 1
        if (/#endif/) in_check = 0
        if (/MD5_(ASSERT|VALIDATE)[A-Z_]*\(/) asserting = 1
        in_assert = asserting || in_check
        if (/;$/) asserting = 0
    }
    # Kernels for wide registers are templates: each is compiled for many sets of constants, and most branches can
    # have only one result in each copy. Therefore only their lines are counted. Other tests compare their bits.
    ours && /^branch/ && !in_assert && file !~ /(wide|wide_[a-z0-9]+|lanes_[a-z0-9]+|points_[a-z0-9]+)\.h$/ { add(file " " line " " $2, $3 == "taken" && $4 != 0) }
    END { for (key in all) print key (split(key, part) == 2 ? " line " : " ") (key in hit ? 1 : 0) }
' | sort -k1,1 -k2,2n >"$counts"

# Format of the lines: file, line, "line" or the number of a branch, 1 if it is reached.
echo "$limits" | awk '
    function percent(part, whole) { return whole ? 100 * part / whole : 100 }
    function show(name) {
        printf "%-40s %6.1f %% of %5d lines  %6.1f %% of %5d branches\n", name, \
            percent(lines_hit[name], lines[name]), lines[name], \
            percent(branches_hit[name], branches[name]), branches[name]
    }
    function is_below(part, whole, limit) { return limit != "-" && percent(part, whole) < limit }
    function is_module_below(module) {
        return is_below(lines_hit[module], lines[module], least_lines[module]) \
            || is_below(branches_hit[module], branches[module], least_branches[module])
    }
    NR == FNR {
        if (NF == 3) { limited[++num_limited] = $1; least_lines[$1] = $2; least_branches[$1] = $3 }
        next
    }
    {
        file = module = $1
        sub(/\/[^\/]*$/, "", module)
        if (!(file in module_of)) { files[++num_files] = file; module_of[file] = module }
        if (!(module in is_module)) { modules[++num_modules] = module; is_module[module] = 1 }
        if ($3 == "line") {
            lines[file]++; lines_hit[file] += $4
            lines[module]++; lines_hit[module] += $4
            if (!$4) missing[file] = missing[file] " " $2
        } else {
            branches[file]++; branches_hit[file] += $4
            branches[module]++; branches_hit[module] += $4
        }
    }
    END {
        for (i = 1; i <= num_files; i++) {
            file = files[i]
            if (lines_hit[file] == lines[file] && branches_hit[file] == branches[file]) continue
            show(file)
            if (file in missing && least_lines[module_of[file]] > 0)
                print "    lines never reached:" missing[file]
        }
        print ""
        for (i = 1; i <= num_modules; i++) show(modules[i])
        for (i = 1; i <= num_limited; i++) {
            module = limited[i]
            has_limit = least_lines[module] != "-" || least_branches[module] != "-"
            if (has_limit && (!(module in lines) || is_module_below(module))) {
                printf "%s is below its limits: %s %% of lines, %s %% of branches\n", module, \
                    least_lines[module], least_branches[module]
                failed = 1
            }
        }
        exit failed
    }' - "$counts"
