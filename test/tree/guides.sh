#!/bin/sh
# Guides: every sample in .github/docs compiles, and whole programs run; samples of MD5 files are read
# without a warning; their commands of md5tool run; every guide is on the front page.
. test/build/report.sh

cc=${CC:-cc}
folder=.github/docs
mkdir "$scratch/md5model" && ln -s "$PWD"/md5/md5*.h "$PWD"/render/md5gl*.h "$scratch/md5model/" && ln -s "$PWD/md5" "$scratch/md5"

# Machines of samples are for our model, also where it is called hero.
mkdir "$scratch/files" && ln -s "$PWD"/models/bobbin/*.md5* "$scratch/files/" &&
    ln -s "$PWD/models/bobbin/bobbin.md5mesh" "$scratch/files/hero.md5mesh"

# For each guide: programs into GUIDE.program.N.c; all other C into one file, GUIDE.c, each sample in a function
# whose parameters are what `<!-- context: ... -->` above it declares, or, after `<!-- context: file -->`, as it
# stands. Files in other languages into GUIDE.N.LANGUAGE. Prints a line for each sample.
extract() {
    awk -v guide="$1" -v to="$scratch/files/$1" '
        function keep() {
            name = to "." language "." ++count "." language
            if (language == "c" && text ~ /int main\(/) {
                printf "#line %d \"%s\"\n%s", at, FILENAME, text > name
                kind = "program"
            } else if (language == "c" && context == "") {
                print FILENAME ":" at ": no context" > "/dev/stderr"
                kind = "lost"
            } else if (language == "c" && context == "file") {
                shared = shared sprintf("#line %d \"%s\"\n%s", at, FILENAME, text)
                kind = "part"
            } else if (language == "c") {
                shared = shared sprintf("void sample_%d(%s);\nvoid sample_%d(%s)\n{\n#line %d \"%s\"\n%s}\n", count, context, count, context, at, FILENAME, text)
                kind = "part"
            } else {
                printf "%s", text > name
                kind = "file"
            }
            print kind, FILENAME ":" at, name
            context = ""
        }
        /^```/ && inside { keep(); inside = 0; next }
        inside { text = text $0 "\n"; next }
        /^```(c|hlsl|md5mesh|md5anim|md5camera|md5machine)$/ { inside = 1; language = substr($0, 4); text = ""; at = NR + 1; next }
        /^```[a-z]*$/ { skip = !skip; next }
        /^<!-- context: .* -->$/ { context = substr($0, 15, length($0) - 18); next }
        END {
            if (inside) print FILENAME ": open sample" > "/dev/stderr"
            if (shared != "") {
                for (i = 1; i <= split("math model skin edit curve pose play game image dialects", part, " "); i++)
                    printf "#include <md5model/md5%s.h>\n", part[i] > (to ".c")
                printf "#include <md5model/md5gl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n%s", shared > (to ".c")
            }
        }' "$folder/$1.md"
}

compiles() {
    # shellcheck disable=SC2086
    $cc -std=c11 -O0 -Wall -Wextra -Wpedantic -Wno-unused-parameter -Werror ${MD5_LINK_FLAGS:-} -I"$scratch" "$@"
}
# What samples call that no library has which their page names, by itself or by one of its headers.
needs_unnamed() { # GUIDE
    libraries=$products/libmd5model.a
    for library in gl:gl play:play,pose,curve,machine game:game,decl,material,entity,actor,character,image,dialects edit:edit; do
        ! grep -qE "md5($(echo "${library#*:}" | tr , '|'))(\.h|[^a-z0-9_.]|\$)" "$folder/$1.md" || libraries="$libraries $products/libmd5${library%:*}.a"
    done
    # shellcheck disable=SC2086
    nm -g --defined-only $libraries | awk 'NF == 3 { print $3 }' | sort -u >"$scratch/offered"
    nm -u "$scratch/part.o" | awk '$NF ~ /^md5/ { print $NF }' | sort -u | comm -23 - "$scratch/offered"
}
reads() {
    "$products/md5tool" check --for md5model "$1" && ! "$products/md5tool" check --for md5model "$1" | grep -qE ': (error|warning): '
}
run_command() {
    echo "$1"
    (eval "$1") </dev/null
}
lists_guide() {
    grep -qF "]($1.md)" "$folder/README.md"
}

guides=$(find "$folder" -name '*.md' | sed 's|.*/||; s|\.md$||' | sort)
: >"$scratch/all"
for guide in $guides; do
    extract "$guide" >"$scratch/samples" 2>"$scratch/faults"
    silent "$guide: samples are closed, and have a context" cat "$scratch/faults"
    cat "$scratch/samples" >>"$scratch/all"
    [ "$guide" = README ] || check "$guide is on the front page" lists_guide "$guide"
    if [ -e "$scratch/files/$guide.c" ]; then
        check "$guide: parts of programs compile" compiles -c "$scratch/files/$guide.c" -o "$scratch/part.o"
        silent "$guide: they need no library that it does not name" needs_unnamed "$guide"
    fi
    grep '^program' "$scratch/samples" >"$scratch/programs"
    while read -r _ at file <&3; do
        # shellcheck disable=SC2086 # several files
        check "$at compiles" compiles "$file" $archives -lpthread -lm -o "$scratch/program"
        check "$at runs" "$scratch/program"
    done 3<"$scratch/programs"
    grep '^file.*hlsl$' "$scratch/samples" >"$scratch/shaders"
    while read -r _ at file <&3; do
        if command -v glslangValidator >/dev/null; then
            check "$at is a vertex shader" glslangValidator -D -V -S vert -e main "$file" -o "$scratch/shader.spv"
        else
            skip "$at is a vertex shader" "there is no glslangValidator"
        fi
    done 3<"$scratch/shaders"
    grep '^file.*md5[a-z]*$' "$scratch/samples" >"$scratch/texts"
    while read -r _ at file <&3; do
        check "$at is read without a warning" reads "$file"
    done 3<"$scratch/texts"
    awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$folder/$guide.md" | sed "s/ *#.*//; s|^build|$products|" |
        grep -v '/md5view' >"$scratch/commands" # those of the viewer: readme.sh
    while read -r command <&3; do
        check "$command" run_command "$command"
    done 3<"$scratch/commands"
done
unchecked() {
    grep -nE '^```[a-z]' $folder/*.md | grep -vE '```(c|hlsl|sh|md5mesh|md5anim|md5camera|md5machine)$'
}
silent "samples are in languages that this test knows" unchecked
# Every fence that opens a sample of C is one that was looked at.
fences=$(cat $folder/*.md | grep -c '^```c$')
counted() {
    echo "$fences samples of C in the text, $(grep -cE '^(program|part)' "$scratch/all") looked at"
    [ "$fences" -gt 0 ] && [ "$fences" -eq "$(grep -cE '^(program|part)' "$scratch/all")" ]
}
check "there are samples of C, and all were compiled" counted
finish
