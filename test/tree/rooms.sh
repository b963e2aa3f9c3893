#!/bin/sh
# The room rule: md5 <- render <- demo; inside md5 the library core <- read, pose, skin <- compress <- load, and on core alone, not
# knowing each other, motion <- play, and game; and core, read <- edit;
# beside the programs common <- looks <- convert <- tool and viewer, and inside the viewer platform, looks <- base <- assets <- motion <- crowd <- draw <- ui <- pages <- lanterns <- jobs, app.
# Each file includes only what its room may use; nothing goes in circles; each room has a README, and stays below its bound.
. test/build/report.sh

sources() {
    find "$@" \( -name '*.[ch]' -o -name '*.inc' \) | sort
}

# "file included" for every include; those of other packages and of libc as "file <name>".
includes() {
    sources md5 render demo | xargs awk '
        /^[ \t]*#[ \t]*include[ \t]/ {
            name = $0
            sub(/^[ \t]*#[ \t]*include[ \t]+/, "", name)
            sub(/[ \t]*(\/\/.*|\/\*.*)?$/, "", name)
            gsub(/"/, "", name)
            # The public headers find each other also where they are installed.
            if (FILENAME ~ /^md5\/md5[a-z]+\.h$/ && name ~ /^md5[a-z]+\.h$/) name = "md5/" name
            if (FILENAME ~ /^render\/md5gl[a-z_]*\.h$/ && name ~ /^md5gl[a-z_]*\.h$/) name = "render/" name
            # Examples are copied from here.
            if (FILENAME ~ /^demo\/examples\// && name ~ /^[a-z_]+\.h$/) name = "demo/examples/" name
            print FILENAME, name
        }'
}
includes >"$scratch/includes"

# Names the includes that the room of a file does not allow.
forbidden() {
    awk '
        function room(path) {
            if (path ~ /^md5\/md5(math|model|skin)\.h$/) return "door"
            if (path ~ /^md5\/md5(curve|pose|machine|play)\.h$/) return "playdoor"
            if (path ~ /^md5\/md5(game|decl|material|entity|actor|character|ragdoll|image|dialects)\.h$/) return "gamedoor"
            if (path == "md5/md5edit.h") return "editdoor"
            if (path == "md5/core/file.c") return "files"
            # What a binding offers to players inline.
            if (path ~ /^md5\/pose\/(plan|kernels|packed)\.h$/) return "plan"
            if (path ~ /^md5\/[a-z]+\//) { split(path, part, "/"); return part[2] }
            if (path ~ /^md5\//) return "load"
            if (path ~ /^render\/md5gl[a-z_]*\.h$/) return "md5gl"
            if (path ~ /^render\//) return "render"
            # The one file of the viewer that knows SDL, and what of it tests see.
            if (path ~ /^demo\/viewer\/platform\/platform_sdl\./) return "sdl"
            if (path ~ /^demo\/viewer\//) { split(path, part, "/"); return part[3] }
            if (path ~ /^demo\/examples\//) return "examples"
            if (path ~ /^demo\//) { split(path, part, "/"); return part[2] }
            return path
        }
        function allow(from, list,   i, n, to) {
            n = split(list, to, " ")
            for (i = 1; i <= n; i++) allowed[from, to[i]] = 1
        }
        BEGIN {
            allow("core", "door core libc")
            allow("read", "door core read libc")
            allow("plan", "door core plan libc")
            allow("pose", "door core plan pose libc")
            allow("skin", "door core skin libc")
            allow("compress", "door core plan pose compress libc")
            allow("load", "door core plan read pose skin compress load libc")
            allow("motion", "door playdoor core motion libc")
            allow("play", "door playdoor core plan motion play libc")
            allow("game", "door gamedoor core game libc")
            allow("edit", "door editdoor core read edit libc")
            allow("files", "core libc system")
            allow("door", "door libc")
            allow("playdoor", "door playdoor libc")
            allow("gamedoor", "door gamedoor libc")
            allow("editdoor", "door editdoor libc")
            allow("md5gl", "door md5gl libc")
            allow("render", "door md5gl render glad libc")
            allow("common", "door playdoor gamedoor editdoor common libc system")
            allow("examples", "examples installed libc SDL stb system")
            allow("looks", "door gamedoor md5gl common looks libc system stb")
            allow("convert", "door playdoor gamedoor editdoor md5gl common looks convert libc system jansson stb")
            allow("tool", "door playdoor gamedoor editdoor common looks convert tool libc system")
            allow("platform", "common platform libc")
            allow("web", "door playdoor gamedoor md5gl glad common platform web libc system")
            allow("sdl", "common platform sdl libc SDL system")
            doors = "door playdoor md5gl common looks platform libc system stb "
            allow("base", doors "gamedoor base")
            allow("assets", doors "gamedoor base assets convert")
            allow("motion", doors "gamedoor base assets motion")
            allow("crowd", doors "gamedoor base assets motion crowd convert")
            allow("draw", doors "gamedoor base assets motion crowd draw")
            allow("ui", doors "base assets motion crowd draw ui")
            allow("pages", doors "editdoor base assets motion crowd draw ui pages")
            allow("lanterns", doors "base assets motion crowd draw ui pages lanterns")
            allow("jobs", doors "base assets motion crowd draw pages ui lanterns jobs convert")
            allow("app", doors "base assets motion crowd draw pages ui lanterns jobs app")
            n = split("assert ctype errno fenv float inttypes limits locale math stdalign " \
                      "stdarg stdatomic stdbool stddef stdint stdio stdlib string time " \
                      "immintrin emmintrin smmintrin xmmintrin arm_neon intrin", name, " ")
            for (i = 1; i <= n; i++) libc["<" name[i] ".h>"] = 1
        }
        {
            to = room($2)
            if ($2 in libc) to = "libc"
            else if ($2 ~ /^<md5model\//) to = "installed"
            else if ($2 ~ /^<SDL/) to = "SDL"
            else if ($2 ~ /^<stb\//) to = "stb"
            else if ($2 ~ /^<glad\//) to = "glad"
            else if ($2 ~ /^</) to = "system"
            if (!((room($1), to) in allowed)) print $1 " includes " $2
        }' "$scratch/includes"
}
silent "each file includes only what its room may use" forbidden
check "there are includes to judge" [ -s "$scratch/includes" ]

# Paths are from the root, so that they can be judged.
unknown() {
    grep -v '<' "$scratch/includes" | while read -r file name; do
        [ -e "$name" ] || echo "$file includes $name, which is no file"
    done
}
silent "each include names its file from the root" unknown

# tsort names the loop when headers need each other.
circles() {
    grep -v '<' "$scratch/includes" | tsort 2>"$scratch/loops" >"$scratch/sorted"
    cat "$scratch/loops"
}
silent "no files include each other in circles" circles

# Each folder with code in it, and those that folders with code lie in. Folders of data are described above them.
folders_without_readme() {
    find md5 render demo shaders test models -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.vert' |
        while read -r folder && folder=${folder%/*}; do
            while [ "$folder" != . ]; do
                echo "$folder"
                case $folder in */*) folder=${folder%/*} ;; *) folder=. ;; esac
            done
        done | sort -u | grep -v __pycache__ | while read -r folder; do
        [ -s "$folder/README.md" ] || echo "$folder has no README.md"
    done
}
silent "each folder has a README.md" folders_without_readme

# Files that git tracks or would track; without git, all files.
entries() {
    git ls-files -co --exclude-standard 2>/dev/null || ls -A
}
other_entries() {
    entries | sed 's|/.*||' | sort -u | grep -vxE '\..*|build' |
        grep -vxE 'Makefile|CMakeLists.txt|README.md|LICENSE|md5|render|demo|shaders|test|models'
}
silent "nothing else at the top level" other_entries

third_party() {
    entries | grep -iE '(^|/)(stb_|glad|khr|sdl)[^/]*\.[ch]$'
}
silent "no third-party code in the tree" third_party

long_files() {
    sources md5 render demo test >"$scratch/files"
    find shaders -type f >>"$scratch/files"
    xargs wc -l <"$scratch/files" | awk '$2 != "total" && $1 > 1500 { print $2 ": " $1 " lines" }'
}
silent "no source file over 1500 lines" long_files

# With .clang-format only the braces of functions are alone in column 1.
long_functions() {
    sources md5 render demo test | xargs awk '
        FNR == 1 { start = 0 }
        /^\{$/ { start = FNR }
        /^\}$/ && start {
            if (FNR - start - 1 > 150) print FILENAME ":" start ": " FNR - start - 1 " lines"
            start = 0
        }'
}
silent "no function over 150 lines" long_functions

# What each room holds beside its upper bound, and whether it explains itself.
python3 test/tree/rooms.py >"$scratch/rooms" 2>&1
status=$?
cat "$scratch/rooms"
check "no room is above its bound" [ $status -eq 0 ]

# What moves a model is asked by the row of its kind, demo/viewer/motion/motion.h, and a crowd by
# view_shows_crowd(); pages have machines and legs of their own.
kinds_asked() {
    grep -nE '(machine(\.|->)player|[^a-z]player) [!=]= NULL|crowd\.count [<>=]|[.>]bind_pose|legs\.num_legs|entity\.(entity|is_played)' \
        demo/viewer/*/*.[ch] | grep -vE '^demo/viewer/(motion|pages)/|^demo/viewer/crowd/(crowd|document\.h)|draw/draw'
}
silent "only motion/ asks what moves a model" kinds_asked

unfinished() {
    entries | grep -E '\.(c|h|sh|py|md|vert|frag|glsl)$|^Makefile$' | grep -v '^test/tree/rooms.sh$' |
        xargs grep -nwE 'TODO|FIXME|XXX'
}
silent "no unfinished work is marked" unfinished

finish
