// Computes the 162 directions of normals, and reads palettes. Both are parts of the games, but not
// of the model files of Quake and Quake II.
#include "demo/convert/quake.h"

// Returns the direction of a point on a face of an icosahedron. vertices[] are the three corners of
// the face, each a letter from a to l. The twelve vertices of the icosahedron are in three planes,
// with four vertices per plane. Each plane contains two axes. The coordinates of its four vertices
// along these axes are
//
//     (side, top)  (side, -top)  (-side, top)  (-side, -top)
//
// parts[] are the weights of the corners. Only their ratios matter.
static convert_vec face_direction(const char vertices[3], const int parts[3])
{
    const double side = 0.5257311121191336; // coordinates of vertices on the unit sphere
    const double top = 0.8506508083520399;
    double at[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        const int vertex = vertices[k] - 'a';
        const int axis = vertex / 4;
        at[axis] += parts[k] * (vertex % 4 < 2 ? side : -side);
        at[(axis + 2) % 3] += parts[k] * (vertex % 2 == 0 ? top : -top);
    }
    const convert_vec sum = {at[0], at[1], at[2]};
    return convert_times(sum, 1.0 / sqrt(convert_dot(sum, sum)));
}

// Stores a direction. It replaces an equal direction; if there is none, it is added at the end.
// Returns the new number of directions.
static uint32_t store_direction(convert_vec *directions, uint32_t count, convert_vec direction)
{
    const double min_cosine = 0.999; // directions with a larger cosine count as equal
    uint32_t index = 0;
    while (index < count && convert_dot(directions[index], direction) < min_cosine)
        index++;
    directions[index] = direction;
    return index == count ? count + 1 : count;
}

// Computes the directions as points of an icosahedron. Each edge is divided into four parts, and
// the points are projected onto the sphere. The order of the directions is the order in which a
// walk over the faces reaches them. Each corner of a face has six points, in rows of one, two and
// three points from the corner.
void quake_make_normals(convert_vec *normals)
{
    static const char faces[] = "ciacfifkiikeieaegaebgkbekdbdlblgbljglhjhcjcajjagfchfhdfdkldh";
    const int num_parts = 4; // parts of an edge
    uint32_t count = 0;
    for (const char *face = faces; *face != '\0'; face += 3) {
        for (int corner = 0; corner < 3; corner++) {
            const int second = corner == 0 ? 1 : 0;
            const int third = corner == 2 ? 1 : 2;
            const char vertices[3] = {face[corner], face[second], face[third]};
            for (int row = 0; row < 3; row++) {
                for (int column = 0; column <= row; column++) {
                    const int parts[3] = {num_parts - row, row - column, column};
                    count = store_direction(normals, count, face_direction(vertices, parts));
                }
            }
        }
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
    common_game_paths paths = {.paths = NULL};
    if (!bytes && pak && common_add_game_path(&paths, pak, &unused))
        for (size_t i = 0; i < paths.paths->num_files; i++) {
            if (common_compare_case(paths.paths->name(paths.paths->user, i), palette_name) == 0) {
                *size = QUAKE_PALETTE; // at most
                bytes = (char *)(uintptr_t)paths.paths->open(paths.paths->user, i, size, &unused);
            }
        }
    common_free_game_paths(&paths);
    free(path);
    free(pak);
    return bytes;
}

// Searches for the palette in all folders above a model, and in the folder id1 of each of them.
// Returns the bytes of the palette, or NULL.
static char *find_palette_near(const char *model, size_t *size)
{
    enum { MAX_LEVELS = 4 };
    char *bytes = NULL;
    char *folder = common_canonical_path(model);
    for (int i = 0; i < MAX_LEVELS && !bytes; i++) {
        char *const above = common_folder(folder);
        char *const base = common_join(above, "id1");
        bytes = read_palette(above, size);
        if (!bytes)
            bytes = read_palette(base, size);
        free(base);
        free(folder);
        folder = above;
    }
    free(folder);
    return bytes;
}

// Finds the palette for skins: the file of --palette or else the palette of the game folder that
// contains the model. If there is no palette, *is_found becomes false and the colors are grays.
bool quake_find_palette(const convert_job *job, const char *model, uint8_t palette[QUAKE_PALETTE],
                        bool *is_found, md5_error *error)
{
    const char *reason = NULL;
    md5_error unused;
    size_t size = 0;
    char *bytes = NULL;
    if (job->palette)
        bytes = common_read_stream(job->palette, &size, &reason);
    else if (job->files.open)
        bytes = view_copy_file(job->files, palette_name, &size, &unused);
    else
        bytes = find_palette_near(model, &size);

    *is_found = bytes && size == QUAKE_PALETTE;
    for (int i = 0; i < QUAKE_PALETTE; i++)
        palette[i] = (uint8_t)(*is_found ? bytes[i] : i / 3);
    free(bytes);

    if (*is_found || !job->palette)
        return true;
    if (reason)
        return convert_fail(error, MD5_ERROR_IO, job->palette, "cannot read the file: %s", reason);
    return convert_fail(error, MD5_ERROR_IO, job->palette,
                        "wrong size of the palette: expected %d bytes, found %zu", QUAKE_PALETTE,
                        size);
}
