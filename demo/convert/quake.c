// The 162 directions of normals, and palettes.
#include "demo/convert/quake.h"

#include "demo/common/game_folder.h"

#include <stdlib.h>
#include <string.h>

// They are the points of an icosahedron whose edges are cut in four, put on the sphere, in the
// order in which a walk over its faces meets them: of each corner of a face six points, in rows
// from it.
void quake_make_normals(convert_vec *normals)
{
    static const char faces[] = "ciacfifkiikeieaegaebgkbekdbdlblgbljglhjhcjcajjagfchfhdfdkldh";
    const double side = 0.5257311121191336, top = 0.8506508083520399; // of points of length 1
    uint32_t count = 0;
    COMMON_FOR (i, 6 * (sizeof faces - 1)) {
        const char *const face = faces + i / 18 * 3;
        const int corner = (int)(i / 6 % 3), row = i % 6 > 2 ? 2 : i % 6 > 0,
                  column = (int)(i % 6) - row * (row + 1) / 2;
        const int parts[3] = {4 - row, row - column, column}; // of the corner, and the other two
        const int corners[3] = {corner, corner == 0, corner == 2 ? 1 : 2};
        double at[3] = {0.0, 0.0, 0.0};
        COMMON_FOR (k, 3) {
            const int vertex = face[corners[k]] - 'a', axis = vertex / 4;
            at[axis] += parts[k] * (vertex % 4 < 2 ? side : -side);
            at[(axis + 2) % 3] += parts[k] * (vertex % 2 == 0 ? top : -top);
        }
        const convert_vec sum = {at[0], at[1], at[2]};
        const convert_vec point = convert_times(sum, 1.0 / sqrt(convert_dot(sum, sum)));
        uint32_t same = 0;
        while (same < count && convert_dot(normals[same], point) < 0.999)
            same++;
        normals[same] = point;
        count += same == count;
    }
}

// -- Palettes -------------------------------------------------------------------------------------

static const char palette_name[] = "gfx/palette.lmp";

static void be_silent(void *user, const char *name, const char *fault)
{
    (void)user, (void)name, (void)fault;
}

// Reads the palette of a folder or, later ones first, of its archives. NULL: it has none.
static char *read_palette(const char *folder, size_t *size)
{
    const char *reason;
    md5_error unused;
    char *const path = common_find(folder, palette_name);
    char *bytes = path ? common_read_stream(path, size, &reason) : NULL;
    common_list archives = common_list_folder(folder, ".pak");
    for (size_t i = archives.count; i-- > 0 && !bytes;) {
        common_game_places places = {.warn = be_silent};
        const bool is_open = common_add_game_place(&places, archives.names[i], &unused);
        const md5_game_path *const from = places.paths;
        for (size_t k = 0; is_open && k < from->num_files && !bytes; k++)
            if (common_compare_case(from->name(from->user, k), palette_name) == 0) {
                *size = QUAKE_PALETTE; // at most
                bytes = (char *)(uintptr_t)from->open(from->user, k, size, &unused);
            }
        common_free_game_places(&places);
    }
    common_free_list(&archives);
    free(path);
    return bytes;
}

bool quake_find_palette(const convert_job *job, const char *model, uint8_t palette[QUAKE_PALETTE],
                        bool *is_found, md5_error *error)
{
    enum { MAX_LEVELS = 4 };
    const char *reason;
    size_t size = 0;
    char *bytes = NULL, *folder = NULL;
    if (job->palette) {
        bytes = common_read_stream(job->palette, &size, &reason);
        if (!bytes || size != QUAKE_PALETTE) {
            free(bytes);
            return bytes ? convert_fail(error, MD5_ERROR_SYNTAX, job->palette,
                                        "a palette of %zu bytes, expected %d", size, QUAKE_PALETTE)
                         : convert_fail(error, MD5_ERROR_IO, job->palette,
                                        "cannot read the file: %s", reason);
        }
    } else if (job->files.open) {
        md5_error unused;
        const void *const found = job->files.open(job->files.user, palette_name, &size, &unused);
        if (found && size == QUAKE_PALETTE)
            bytes = memcpy(common_alloc(size, 1), found, size);
        if (found)
            job->files.close(job->files.user, found, size);
    } else {
        char *const whole = common_whole(model);
        folder = common_folder(whole);
        free(whole);
        for (int i = 0; i < MAX_LEVELS && !bytes; i++) {
            char *const base = common_join(folder, "id1"), *const above = common_folder(folder);
            bytes = read_palette(folder, &size);
            if (!bytes)
                bytes = read_palette(base, &size);
            free(base);
            free(folder);
            folder = above;
        }
        free(folder);
    }
    *is_found = bytes && size == QUAKE_PALETTE;
    COMMON_FOR (i, QUAKE_PALETTE)
        palette[i] = *is_found ? (uint8_t)bytes[i] : (uint8_t)(i / 3);
    free(bytes);
    return true;
}
