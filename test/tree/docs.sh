#!/bin/sh
# Documents: their links lead somewhere, and the paths that they name exist.
. test/build/report.sh

documents() {
    find . \( -path ./build -o -path ./.git \) -prune -o -name '*.md' -print | sort
}

# Links to files, relative to the document; those to the web are left alone.
broken_links() {
    documents | while read -r document; do
        grep -oE '\]\([^)#: ]+(#[^)]*)?\)' "$document" | sed -E 's/^\]\(//; s/(#.*)?\)$//' |
            while read -r target; do
                [ -e "$(dirname "$document")/$target" ] || echo "$document links to $target"
            done
    done
}
silent "links in documents lead to files" broken_links

# Links to headings, of the same document or another one, spelled as forges derive them.
headings() {
    sed -n 's/^##* *//p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}
broken_anchors() {
    documents | while read -r document; do
        grep -oE '\]\([^): ]*#[^)]*\)' "$document" | sed -E 's/^\]\(//; s/\)$//' | while read -r link; do
            target=$document
            [ -z "${link%%#*}" ] || target=$(dirname "$document")/${link%%#*}
            [ -e "$target" ] || continue # broken_links() says so
            headings "$target" | grep -qxF -- "${link#*#}" || echo "$document links to $link"
        done
    done
}
silent "links to headings lead to headings" broken_anchors

# `path/to/file` in code quotes, from the root or from the document's folder. What make writes to build/ need not be there.
missing_paths() {
    documents | while read -r document; do
        grep -oE '`[A-Za-z0-9_./-]+/[A-Za-z0-9_.-]+\.(c|h|sh|py|md|glsl|vert|frag|comp|png|md5[a-z]+)`' "$document" |
            tr -d '`' | grep -v '^build/' | sort -u | while read -r path; do
            [ -e "$path" ] || [ -e "$(dirname "$document")/$path" ] ||
                echo "$document names $path"
        done
    done
}
silent "paths that documents name exist" missing_paths

finish
