# shellcheck shell=sh
# For test scripts, after report.sh: writes the two-file form to an empty folder and builds programs from it.
unset MAKEFLAGS MAKELEVEL MFLAGS
cc=${CC:-cc}
# shellcheck disable=SC2154 # set by report.sh
folder=$scratch/alone
mkdir "$folder"

amalgamate() {
    make --no-print-directory amalgamate && cp build/amalgamated/md5model/* "$folder/" &&
        cp -r build/amalgamated/small "$folder/"
}

# compiles_without_warnings COMPILER FLAGS... SOURCE: returns success if the source compiles without a warning under popular options.
compiles_without_warnings() {
    (cd "$folder" && "$@" -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion) >"$scratch/words" 2>&1 && [ ! -s "$scratch/words" ] || {
        cat "$scratch/words"
        false
    }
}

# compiles_as_cxx_without_warnings COMPILER STANDARD: returns success if all sources compile as C++ without a warning.
compiles_as_cxx_without_warnings() {
    for name in md5model md5play md5game md5ragdoll md5edit md5gl; do
        compiles_without_warnings "$1" "-std=$2" -x c++ $name.c || return 1
    done
}

cat >"$folder/game.c" <<'END'
#include "md5model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned hash(unsigned sum, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 16777619u;
    return sum;
}

#if defined(MD5_HAS_FILES) && !MD5_HAS_FILES
static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    enum { ROOM = 1 << 22 };
    FILE *file = fopen(path, "rb");
    void *bytes = file ? malloc(ROOM) : NULL;
    (void)user, (void)error;
    *size = bytes ? fread(bytes, 1, ROOM, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)bytes);
}
#endif

int main(int argc, char **argv)
{
    md5_load_opts opts;
    memset(&opts, 0, sizeof opts);
#if defined(MD5_HAS_FILES) && !MD5_HAS_FILES
    md5_error error;
    if (md5_load_model(argc > 1 ? argv[1] : "", NULL, &error) || error.status != MD5_ERROR_IO)
        return 1;
    opts.files.open = open_file;
    opts.files.close = close_file;
#endif
    md5_model *model = md5_load_model(argc > 1 ? argv[1] : "", &opts, NULL);
    md5_anim *anim = md5_load_anim(argc > 2 ? argv[2] : "", &opts, NULL);
    md5_binding *binding = model && anim ? md5_bind(model, anim, NULL, NULL) : NULL;
    if (!binding)
        return 1;
    const md5_mesh *mesh = &model->meshes[0];
    md5_xform *pose = (md5_xform *)malloc(model->skeleton.num_joints * sizeof *pose);
    md5_mat34 *joints = (md5_mat34 *)malloc(model->skeleton.num_joints * sizeof *joints);
    md5_mat34 *palette = (md5_mat34 *)malloc(model->skeleton.num_joints * sizeof *palette);
    md5_vec3 *positions = (md5_vec3 *)malloc(mesh->num_vertices * sizeof *positions);
    md5_vec3 *normals = (md5_vec3 *)malloc(mesh->num_vertices * sizeof *normals);
    unsigned sum = 2166136261u;
    for (int i = 0; i < 50; i++) {
        const md5_sample_position sample = md5_sample_position_at(anim, i * 0.037, MD5_WRAP_LOOP);
        md5_sample(binding, sample, MD5_ROOT_FILE, pose);
        md5_local_to_model(&model->skeleton, pose, joints);
        md5_build_palette(model, joints, palette);
        md5_skin(mesh, palette, positions, normals, NULL);
        sum = hash(sum, palette, model->skeleton.num_joints * sizeof *palette);
        sum = hash(sum, positions, mesh->num_vertices * sizeof *positions);
        sum = hash(sum, normals, mesh->num_vertices * sizeof *normals);
    }
    printf("%u %u %08x\n", (unsigned)model->skeleton.num_joints, (unsigned)mesh->num_vertices, sum);
    for (unsigned i = 0; argc > 3 && i < mesh->num_vertices; i++) { // directions and lengths
        const double length = sqrt((double)md5_vec3_dot(normals[i], normals[i]));
        printf("%.6f %.6f %.6f %.6f\n", normals[i].x / length, normals[i].y / length, normals[i].z / length, length);
    }
    return 0;
}
END

# game_output_matches FLAGS...: returns success if one compiler command builds the game from md5model.c or from $object_file, and the game prints
# the same output as the game that is linked with the library.
game_output_matches() {
    assets="models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim"
    # shellcheck disable=SC2086,SC2154 # the compiler may be several words
    $cc -std=c11 -Ibuild/include/md5model "$folder/game.c" "$products/libmd5model.a" ${MD5_LINK_FLAGS:-} -lm \
        -o "$scratch/linked" &&
        (cd "$folder" && ${language:-$cc} "$@" game.c "${object_file:-md5model.c}" -lm -o game) &&
        "$scratch/linked" $assets >"$scratch/expected" && "$folder/game" $assets >"$scratch/played" &&
        diff "$scratch/expected" "$scratch/played" && [ -s "$scratch/played" ]
}

# Prints the names of the kernels' functions, once for each declaration.
print_kernels() { # FILES
    sed -n '/^MD5_WIDE_\(INLINE\|CODE\) .*(/ {
        s/MD5_WIDE_NAME(\([a-z0-9_]*\))/\1/; s/^MD5_WIDE_[A-Z]* //; s/ *(.*//; s/.*[ *]//p }' "$@" | sort
}

# kernels_occur_once FILE HEADERS...: returns success if the file contains each kernel's function as often as the headers do, and
# not once for each instruction set. Clashing names have a suffix in FILE, and private copies have the library's prefix.
kernels_occur_once() {
    file=$1
    shift
    print_kernels "$@" >"$scratch/heads"
    print_kernels "$file" | sed 's/_[a-z]*_kernels$//; s/^md5i_[a-z]*_\([a-z]*_lanes\)$/md5i_\1/' | sort |
        grep -Fxf "$scratch/heads" >"$scratch/written"
    [ -s "$scratch/heads" ] && diff "$scratch/heads" "$scratch/written"
}

# count_instruction_sets FLAGS... FILE: prints the number of instruction sets for which the preprocessed file contains kernels.
count_instruction_sets() {
    $cc -std=c11 -O2 -E "$@" >"$scratch/seen" && grep -c '[ ]*void md5i_skin_[a-z0-9]*(const md5i_skin_job \*job)$' "$scratch/seen"
}

# Prints the rows of the guide's table of sizes: KB FLAGS...
print_guide_sizes() {
    sed -n 's/^| `\(-O[^`]*\)`.* | \([0-9][0-9]*\) |$/\2 \1/p' md5/docs/installing.md
}

# program_size_fits KB FLAGS...: returns success if a program that only loads, poses and skins works, and is not larger than KB when the
# compiler of the table builds it.
program_size_fits() {
    kilobytes=$1
    shift
    game_output_matches -std=c11 -DNDEBUG -ffunction-sections -fdata-sections \
        -Wl,--gc-sections "$@" || return 1
    case $(${language:-$cc} -dumpmachine),$(${language:-$cc} -dumpversion) in
    x86_64-*linux-gnu,12*) size "$folder/game" | awk -v max_kilobytes="$kilobytes" 'NR == 2 {
        print $1 + $2 " bytes, " max_kilobytes " KB are " max_kilobytes * 1024
        exit !($1 + $2 <= max_kilobytes * 1024) }' ;;
    esac
}
