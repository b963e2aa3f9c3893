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

# `function()` and `file.c` in code quotes, without a folder. Functions of others are not written in lower case; files may
# be those that make writes, or NAMED by the reader.
find . \( -path ./build -o -path ./.git \) -prune -o -type f -print >"$scratch/files"
words() {
    grep -E '\.(c|h|sh|py|mk|js|glsl|vert|frag|comp)$' "$scratch/files" | tr '\n' '\0' | xargs -0 cat |
        grep -aoE '[A-Za-z_][A-Za-z0-9_]*' | sort -u
}
words >"$scratch/words"
names_of_nothing() {
    documents | grep -v CHANGELOG | while read -r document; do
        grep -oE '`[a-z_][a-z0-9_]*\(\)`' "$document" | tr -d '`()' | sed 's/^md5i_play_/md5i_/' | sort -u |
            sed "s|^|$document names the function |"
        case $document in ./.github/*) ;; *) continue ;; esac
        grep -oE '`[a-z0-9_-]+\.(c|h|sh|py|md|mk|txt|vert|frag|comp)`' "$document" | tr -d '`' | sort -u |
            grep -vxE 'md5(model|play|game|edit|gl)\.c|first\.c' | while read -r name; do
            grep -q "/$name$" "$scratch/files" || echo "$document names the file $name"
        done
    done | awk 'NR == FNR { words[$1]; next } !($4 == "function" && $NF in words)' "$scratch/words" -
}
check "there are words to look names up in" [ -s "$scratch/words" ]
silent "functions and files that documents name exist" names_of_nothing

check "faults that may be planted unnoticed can be planted" python3 -B test/long/mutants.py 0
finish
