#!/bin/sh
# Modules and their dependencies. Each folder with code is a module. A file includes only files of its own module and of
# the modules to the left of it:
#
#   repository      md5 <- render <- demo
#   md5             core <- read, pose, skin <- compress <- load;    core <- motion <- play;
#                   core <- decl <- material <- game <- ragdoll;  decl <- dialects;  core, read <- edit
#   demo            common <- looks <- convert <- tool, viewer
#   demo/viewer     platform <- base <- assets <- motion <- crowd <- draw <- ui <- pages <- jobs, app
#
# print_forbidden_includes() contains the complete table. The script also checks that no files include each other in a cycle, and that each
# module has a README.
. test/build/report.sh

list_sources() {
    find "$@" \( -name '*.[ch]' -o -name '*.inc' \) | sort
}

# Prints "file included" for every include, and "file <name>" for headers of other packages and of libc.
print_includes() {
    list_sources md5 render demo | xargs awk '
        /^[ \t]*#[ \t]*include[ \t]/ {
            name = $0
            sub(/^[ \t]*#[ \t]*include[ \t]+/, "", name)
            sub(/[ \t]*(\/\/.*|\/\*.*)?$/, "", name)
            gsub(/"/, "", name)
            # Public headers include each other by bare names, so that they also work after installation.
            if (FILENAME ~ /^md5\/md5[a-z]+\.h$/ && name ~ /^md5[a-z]+\.h$/) name = "md5/" name
            if (FILENAME ~ /^render\/md5gl[a-z_]*\.h$/ && name ~ /^md5gl[a-z_]*\.h$/) name = "render/" name
            # Users copy examples together with the files in their folder, so these files may include each other.
            if (FILENAME ~ /^demo\/examples\// && name ~ /^[a-z_]+\.h$/) name = "demo/examples/" name
            print FILENAME, name
        }'
}
print_includes >"$scratch/includes"

# Prints the includes that are not allowed in the module of the including file.
print_forbidden_includes() {
    awk '
        function module(path) {
            if (path ~ /^md5\/md5(math|model|skin)\.h$/) return "public"
            if (path ~ /^md5\/md5(curve|pose|machine|play)\.h$/) return "play_public"
            if (path == "md5/md5decl.h") return "decl_public"
            if (path ~ /^md5\/md5(image|material)\.h$/) return "material_public"
            if (path ~ /^md5\/md5(entity|actor|character|figure)\.h$/) return "entity_public"
            if (path == "md5/md5game.h") return "game_public"
            if (path == "md5/md5ragdoll.h") return "ragdoll_public"
            if (path == "md5/md5dialects.h") return "dialects_public"
            if (path == "md5/md5edit.h") return "edit_public"
            if (path == "md5/core/file.c") return "files"
            # These files contain only inline functions, which the code of players uses.
            if (path ~ /^md5\/pose\/(plan|kernels|packed)\.h$/) return "plan"
            if (path ~ /^md5\/[a-z]+\//) { split(path, part, "/"); return part[2] }
            if (path ~ /^md5\//) return "load"
            if (path ~ /^render\/md5gl[a-z_]*\.h$/) return "md5gl"
            if (path ~ /^render\//) return "render"
            # platform_sdl.c is the only file of the viewer that calls SDL, and platform_sdl.h is its header
            # for tests.
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
            all_game = "decl_public material_public entity_public game_public ragdoll_public dialects_public "
            allow("core", "public core libc")
            allow("read", "public core read libc")
            allow("plan", "public core plan libc")
            allow("pose", "public core plan pose libc")
            allow("skin", "public core skin libc")
            allow("compress", "public core plan pose compress libc")
            allow("load", "public core plan read pose skin compress load libc")
            allow("small", "public core plan read pose skin load small libc")
            allow("motion", "public play_public core motion libc")
            allow("play", "public play_public core plan motion play libc")
            allow("decl", "public decl_public core decl libc")
            allow("material", "public decl_public material_public core decl material libc")
            allow("game", "public decl_public material_public entity_public core decl material game libc")
            allow("ragdoll", "public entity_public ragdoll_public core ragdoll libc")
            allow("dialects", "public dialects_public core decl dialects libc")
            allow("edit", "public edit_public core read edit libc")
            allow("files", "core libc system")
            allow("public", "public libc")
            allow("play_public", "public play_public libc")
            allow("decl_public", "public libc")
            allow("material_public", "public decl_public material_public libc")
            allow("entity_public", "public material_public entity_public libc")
            allow("game_public", "public decl_public material_public entity_public ragdoll_public")
            allow("ragdoll_public", "entity_public libc")
            allow("dialects_public", "public libc")
            allow("edit_public", "public edit_public libc")
            allow("md5gl", "public md5gl libc")
            allow("render", "public md5gl render glad libc")
            allow("common", "public play_public " all_game "edit_public common libc system")
            allow("examples", "examples installed libc SDL stb system")
            allow("looks", "public " all_game "md5gl common looks libc system stb")
            allow("convert", "public play_public " all_game "edit_public md5gl common looks convert libc system jansson stb")
            allow("tool", "public play_public " all_game "edit_public common looks convert tool libc system")
            allow("platform", "common platform libc")
            allow("web", "public play_public " all_game "md5gl glad common platform web libc system stb")
            allow("sdl", "common platform sdl libc SDL system")
            shared = "public play_public md5gl common looks platform libc system stb "
            allow("base", shared all_game "base")
            allow("assets", shared all_game "base assets convert")
            allow("motion", shared all_game "base assets motion")
            allow("crowd", shared all_game "base assets motion crowd convert")
            allow("draw", shared all_game "base assets motion crowd draw")
            allow("ui", shared "base assets motion crowd draw ui")
            allow("pages", shared "edit_public base assets motion crowd draw ui pages")
            allow("jobs", shared "base assets motion crowd draw pages ui jobs convert")
            allow("app", shared "base assets motion crowd draw pages ui jobs app")
            n = split("assert ctype errno fenv float inttypes limits locale math stdalign " \
                      "stdarg stdatomic stdbool stddef stdint stdio stdlib string time " \
                      "immintrin emmintrin smmintrin xmmintrin arm_neon intrin", name, " ")
            for (i = 1; i <= n; i++) libc["<" name[i] ".h>"] = 1
        }
        {
            to = module($2)
            if ($2 in libc) to = "libc"
            else if ($2 ~ /^<md5model\//) to = "installed"
            else if ($2 ~ /^<SDL/) to = "SDL"
            else if ($2 ~ /^<stb\//) to = "stb"
            else if ($2 ~ /^<glad\//) to = "glad"
            else if ($2 ~ /^</) to = "system"
            if (!((module($1), to) in allowed)) print $1 " includes " $2
        }' "$scratch/includes"
}
silent "files include only modules to the left of their own" print_forbidden_includes
check "the list of includes is not empty" [ -s "$scratch/includes" ]

# Paths start at the root, so that print_forbidden_includes() can classify them.
print_missing_includes() {
    grep -v '<' "$scratch/includes" | while read -r file name; do
        [ -e "$name" ] || echo "$file includes $name, which does not exist"
    done
}
silent "included files exist below the root" print_missing_includes

# tsort prints the files of a cycle.
print_cycles() {
    grep -v '<' "$scratch/includes" | tsort 2>"$scratch/loops" >"$scratch/sorted"
    cat "$scratch/loops"
}
silent "includes have no cycle" print_cycles

# Prints folders with code, and parents of such folders, that have no README. Folders that contain only data,
# and package recipes, are described in the README of the parent folder.
print_folders_without_readme() {
    find md5 render demo shaders test models -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.vert' |
        while read -r folder && folder=${folder%/*}; do
            while [ "$folder" != . ]; do
                echo "$folder"
                case $folder in */*) folder=${folder%/*} ;; *) folder=. ;; esac
            done
        done | sort -u | grep -v '__pycache__\|^md5/packaging/' | while read -r folder; do
        [ -s "$folder/README.md" ] || echo "$folder has no README.md"
    done
}
silent "folders with code have a README.md" print_folders_without_readme

# Lists the files that git tracks or would track. If this is not a git repository, lists all files.
list_repository_files() {
    git ls-files -co --exclude-standard 2>/dev/null || ls -A
}
print_third_party_files() {
    list_repository_files | grep -iE '(^|/)(stb_|glad|khr|sdl)[^/]*\.[ch]$'
}
silent "the repository contains no third-party code" print_third_party_files

# Tests call public functions. A test includes an internal header only if a public function cannot show the fault.
python3 test/tree/internal_tests.py >"$scratch/internal" 2>&1
status=$?
cat "$scratch/internal"
check "few tests include internal headers" [ $status -eq 0 ]

# The viewer calls the source of motion (clip, machine, legs, entity) through the table in demo/viewer/motion/motion.h, and
# tests for a crowd by view_shows_crowd(). Code outside motion/ does not distinguish the sources. pages/ has its own
# machines and legs.
print_motion_source_tests() {
    grep -nE '(machine(\.|->)player|[^a-z]player) [!=]= NULL|crowd\.count [<>=]|[.>]bind_pose|legs\.num_legs|entity\.(entity|is_played)' \
        demo/viewer/*/*.[ch] | grep -vE '^demo/viewer/(motion|pages)/|^demo/viewer/crowd/(members|advance|posing|document\.h)'
}
silent "only motion/ distinguishes the sources of motion" print_motion_source_tests

print_unfinished_markers() {
    list_repository_files | grep -E '\.(c|h|sh|py|md|vert|frag|glsl)$|^Makefile$' | grep -v '^test/tree/modules.sh$' |
        xargs grep -nwE 'TODO|FIXME|XXX'
}
silent "no file contains TODO, FIXME or XXX" print_unfinished_markers

finish
