// Computes the 162 directions of normals, and reads palettes.
#include "demo/convert/quake.h"

// The directions are points of an icosahedron whose edges are divided into four, projected onto the
// sphere. Their order is the order in which a walk over its faces reaches them; each corner of a
// face has six points, in rows beginning at the corner.
void quake_make_normals(convert_vec *normals)
{
    static const char faces[] = "ciacfifkiikeieaegaebgkbekdbdlblgbljglhjhcjcajjagfchfhdfdkldh";
    const double side = 0.5257311121191336; // coordinates of vertices on the unit sphere
    const double top = 0.8506508083520399;
    uint32_t count = 0;
    for (size_t i = 0; i < 6 * (sizeof faces - 1); i++) {
        const char *const face = faces + i / 18 * 3;
        const int corner = (int)(i / 6 % 3);
        int row = 0;
        if (i % 6 > 2)
            row = 2;
        else if (i % 6 > 0)
            row = 1;
        const int column = (int)(i % 6) - row * (row + 1) / 2;
        const int parts[3] = {4 - row, row - column, column}; // weights of the three corners
        const int corners[3] = {corner, corner == 0, corner == 2 ? 1 : 2};
        double at[3] = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            const int vertex = face[corners[k]] - 'a';
            const int axis = vertex / 4;
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

// Reads the palette of a folder or of its first archive. Returns NULL if it is missing.
static char *read_palette(const char *folder, size_t *size)
{
    const char *reason;
    md5_error unused;
    char *const path = common_find(folder, palette_name);
    char *const pak = common_find(folder, "pak0.pak");
    char *bytes = path ? common_read_stream(path, size, &reason) : NULL;
    common_game_paths places = {.paths = NULL};
    if (!bytes && pak && common_add_game_path(&places, pak, &unused))
        for (size_t i = 0; i < places.paths->num_files; i++)
            if (common_compare_case(places.paths->name(places.paths->user, i), palette_name) == 0) {
                *size = QUAKE_PALETTE; // at most
                bytes = (char *)(uintptr_t)places.paths->open(places.paths->user, i, size, &unused);
            }
    common_free_game_paths(&places);
    free(path);
    free(pak);
    return bytes;
}

bool quake_find_palette(const convert_job *job, const char *model, uint8_t palette[QUAKE_PALETTE],
                        bool *is_found, md5_error *error)
{
    enum { MAX_LEVELS = 4 };
    const char *reason = NULL;
    md5_error unused;
    size_t size = 0;
    char *bytes = job->palette ? common_read_stream(job->palette, &size, &reason) : NULL;
    char *folder = common_canonical_path(model);
    if (job->files.open && !job->palette)
        bytes = view_copy_file(job->files, palette_name, &size, &unused);
    const bool searches_folders = !job->palette && !job->files.open;
    for (int i = 0; i < MAX_LEVELS && !bytes && searches_folders; i++) {
        char *const above = common_folder(folder);
        char *const base = common_join(above, "id1");
        bytes = read_palette(above, &size);
        if (!bytes)
            bytes = read_palette(base, &size);
        free(base);
        free(folder);
        folder = above;
    }
    *is_found = bytes && size == QUAKE_PALETTE;
    for (int i = 0; i < QUAKE_PALETTE; i++)
        palette[i] = (uint8_t)(*is_found ? bytes[i] : i / 3);
    free(folder);
    free(bytes);
    if (*is_found || !job->palette)
        return true;
    if (reason)
        return convert_fail(error, MD5_ERROR_IO, job->palette, "cannot read the file: %s", reason);
    return convert_fail(error, MD5_ERROR_IO, job->palette,
                        "invalid palette: expected %d bytes, found %zu", QUAKE_PALETTE, size);
}
