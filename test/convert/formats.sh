#!/bin/sh
# Each format of md5tool convert has a row in the guide with all of its file extensions and features, a line in the help, and a
# test. The viewer's search names all formats that can only be imported. The viewer in a browser, which lacks libassimp, accepts
# dropped files of all other input formats except cameras. The element for web pages accepts the images that the renderer reads, and
# WebP, which browsers decode.
. test/build/report.sh
tool=$products/md5tool
guide=demo/docs/converting.md
dropped=$(sed -n 's|.* kinds = \[\(.*\)\].*|\1|p' demo/web/view.js | grep -oE '[^/, ]+\$' | paste -sd '|')

# Lists missing documentation of the formats in a file with lines of extensions, of `in`, `out` or both, and of a title.
list_undocumented_formats() {
    "$tool" convert --help | tr ',;' '  ' >"$scratch/help"
    while read -r line; do
        endings=$(echo "$line" | grep -oE '\.[a-z0-9]+ ')
        row=$(grep -F -- "\`$(echo "$endings" | head -n 1 | tr -d ' ')\`" "$guide" | grep '^|')
        tests=0
        for ending in $endings; do
            echo "$row" | grep -qF -- "\`$ending\`" || echo "$guide has no row with $ending"
            grep -qE -- "(^| )\\$ending([. ]|$)" "$scratch/help" || echo "--help does not name $ending"
            tests=$((tests + $(cat test/convert/*.sh | grep -v '^finds_undocumented_format' | grep -cE -- "\\$ending([^a-z0-9]|$)")))
            case "$line $ending" in
            *FBX* | *'  out  '* | *' .md5camera' | *' .bcanim') ;;
            *) echo "$ending" | grep -qE -- "$dropped" || echo "demo/web/view.js does not rank $ending" ;;
            esac
        done
        [ $tests -gt 0 ] || echo "no test mentions one of: $line"
        guide_directions=$(echo "$row" | awk -F '|' '{ print ($3 ~ /yes/ ? "in" : "") ($4 ~ /yes/ ? "out" : "") }')
        help_directions=$(echo "$line" | awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^(in|in,|out)$/) printf "%s", $i }' | tr -d ,)
        [ "$guide_directions" = "$help_directions" ] || echo "$guide says '$guide_directions' of: $line"
    done <"$1"
}
# Lists formats without output that the viewer's answer to "export FORMAT" does not name.
list_formats_without_answer() {
    answer=$(grep -A 1 '"fbx dae ' demo/viewer/base/search.c | tr ',' ' ')
    grep '  in  ' "$scratch/formats" | grep -v machine | sed 's/^\.\([a-z0-9]*\).*/\1/' | while read -r ending; do
        echo "$answer" | grep -qw "$ending" && echo "$answer" | grep -qw "$(echo "$ending" | tr a-z A-Z)" ||
            echo "demo/viewer/base/search.c does not name $ending"
    done
}
"$tool" convert --formats >"$scratch/formats"
check "the list of formats is not empty" [ "$(wc -l <"$scratch/formats")" -gt 7 ]
silent "each format is in the guide, in the help and in a test" list_undocumented_formats "$scratch/formats"
silent "each format without output is in the viewer's answer to its export" list_formats_without_answer
list_image_extensions() { # FILE PATTERN: the file extensions in the line of a file with this pattern
    grep -- "$2" "$1" | grep -oE '"\.[a-z]+"' | sort
}
image_extensions_are_equal() {
    list_image_extensions demo/web/core.js 'const extensions = ' | grep -v webp >"$scratch/page"
    list_image_extensions render/pictures.c 'endings\[\] = ' >"$scratch/renderer"
    [ -s "$scratch/renderer" ] && cmp "$scratch/page" "$scratch/renderer"
}
check "the element for web pages and the renderer read the same images" image_extensions_are_equal
finds_undocumented_format() { echo '.planted  in, out  a format that is nowhere' >"$scratch/planted" && [ "$(list_undocumented_formats "$scratch/planted" | wc -l)" -eq 5 ]; }
check "an undocumented format is found" finds_undocumented_format
finish
