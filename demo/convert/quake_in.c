// Reads Quake's vertex-animated models MDL, MD2 and MD3. They contain no joints but the position of
// every vertex in every frame. Space, winding and texture coordinates are the same as in MD5 files.
//
// The reader fills the frames of a plain scene. Its nodes are one joint, `origin`, and the tags of
// MD3. A point is a vertex of the file. It becomes several vertices if triangles use it with
// several texture coordinates. Normals are not read, because readers of MD5 compute them. The main
// structure is quake_reader.
#include "demo/convert/plain_scene.h"
#include "demo/convert/quake.h"
#include "demo/looks/image.h"

enum { MAX_FRAMES = 1024, MAX_TAGS = 256, MAX_SKINS = 256, MAX_SIDE = 1 << 13 };

// Offsets of numbers in the header, and sizes in bytes.
enum { MDL, MD2, MD3 };
static const struct kind {
    uint32_t ident;
    uint32_t version;
    size_t frames;    // number of frames
    size_t sides;     // size of skins; MD3: 0
    size_t points;    // number of points; MD3: in the header of a surface
    size_t triangles; // number of triangles; MD3: in the header of a surface
    size_t triangle_size;
    size_t corner;     // offset of the vertex indices in a triangle
    size_t index_size; // size of a vertex index
    size_t texcoord_size;
} kinds[] = {
    [MDL] = {.ident = QUAKE_MDL,
             .version = QUAKE_MDL_VERSION,
             .frames = 68,
             .sides = 52,
             .points = 60,
             .triangles = 64,
             .triangle_size = 16,
             .corner = 4,
             .index_size = 4,
             .texcoord_size = 12},
    [MD2] = {.ident = QUAKE_MD2,
             .version = QUAKE_MD2_VERSION,
             .frames = 40,
             .sides = 8,
             .points = 24,
             .triangles = 32,
             .triangle_size = 12,
             .index_size = 2,
             .texcoord_size = 4},
    [MD3] = {.ident = QUAKE_MD3,
             .version = QUAKE_MD3_VERSION,
             .frames = 76,
             .points = 80,
             .triangles = 84,
             .triangle_size = 12,
             .index_size = 4,
             .texcoord_size = 8},
};

// The grid on which a frame stores its positions. A position is origin + scale * number.
typedef struct quake_grid {
    size_t points; // offset of the numbers; MD3: 0
    float scale[3];
    float origin[3];
} quake_grid;

// Data of a mesh that plain_mesh does not contain.
typedef struct quake_in_surface {
    uint32_t *sources; // [vertices] point of each vertex
    size_t points;     // MD3: offset of the positions in frame 0
    size_t step;       // MD3: bytes per frame
} quake_in_surface;

// An MDL, MD2 or MD3 file while it is read.
typedef struct quake_reader {
    plain_scene plain;
    const char *stem;
    bool has_failed; // all following results are invalid; numbers outside of the file are 0
    const uint8_t *bytes;
    size_t size;
    size_t at; // offset at which read_mdl() continues
    const struct kind *kind;
    plain_frame next;           // group and rate of the next frames
    quake_grid *grids;          // [MAX_FRAMES]
    quake_in_surface *surfaces; // [meshes]
    size_t tags;                // offset of the tags: [frames][num_tags]
    uint32_t num_tags;
    uint32_t width;  // width of skins
    uint32_t height; // height of skins
} quake_reader;

#define NOTE(text, ...) convert_note(in->plain.job, "%s: " text, in->plain.path, __VA_ARGS__)

// -- Bytes ----------------------------------------------------------------------------------------

// Charges elements before iterating over them, because several surfaces may use the same bytes.
// Returns false if the reader has failed.
static bool charge(quake_reader *in, uint64_t num_elements)
{
    in->has_failed = in->has_failed || !plain_charge(&in->plain, num_elements);
    return !in->has_failed;
}

// Charges memory before it is allocated. Returns false if the reader has failed.
static bool charge_bytes(quake_reader *in, uint64_t count, uint64_t size)
{
    in->has_failed =
        in->has_failed || !convert_charge_bytes(in->plain.job, count, size, in->plain.error);
    return !in->has_failed;
}

// Allocates memory that is freed with the reader.
static void *allocate(quake_reader *in, size_t count, size_t size)
{
    return common_add(&in->plain.memory, common_alloc(count, size));
}

// Returns false and fills the error if the bytes are not inside of the file.
static bool check_bytes(quake_reader *in, size_t at, size_t size)
{
    if (at > in->size || size > in->size - at)
        plain_fail_once(
            in,
            "truncated file: expected %zu bytes at offset %zu, but the file has %zu bytes; copy "
            "or export the file again",
            size, at, in->size);
    return !in->has_failed;
}

// Returns a little-endian number of `size` bytes, or 0 if it is outside of the file.
static uint32_t get_uint(quake_reader *in, size_t at, size_t size)
{
    return check_bytes(in, at, size) ? common_read_little_endian(in->bytes + at, size) : 0;
}

// Returns a float, or 0 if it is outside of the file or out of range.
static float get_float(quake_reader *in, size_t at)
{
    float number = 0;
    if (check_bytes(in, at, 4))
        in->has_failed = !plain_read_float(&in->plain, in->bytes, at, &number);
    return number;
}

// Reads a number from `min` to `end` - 1. Fails and returns 0 if it is out of range.
static uint32_t get_in_range(quake_reader *in, size_t at, size_t size, uint64_t min, uint64_t end,
                             const char *name)
{
    const uint32_t number = get_uint(in, at, size);
    const bool has_one_value = end == min + 1;
    if (number != min && has_one_value)
        plain_fail_once(in, "%s at offset %zu is wrong: expected %d, found %d" CONVERT_REMEDY, name,
                        at, (int32_t)min, (int32_t)number);
    if (number < min || number >= end)
        plain_fail_once(
            in, "%s at offset %zu is out of range: expected %d to %d, found %d" CONVERT_REMEDY,
            name, at, (int32_t)min, (int32_t)end - 1, (int32_t)number);
    return in->has_failed ? 0 : number;
}

// Fails if a number of four bytes does not have the only valid value.
static void require_uint(quake_reader *in, size_t at, uint32_t expected, const char *name)
{
    get_in_range(in, at, 4, expected, (uint64_t)expected + 1, name);
}

// Reads a name of at most `max_size` bytes without the characters that MD5 texts cannot contain.
static const char *get_text(quake_reader *in, size_t at, size_t max_size)
{
    const bool is_inside = charge(in, max_size) && check_bytes(in, at, max_size);
    const char *const from = is_inside ? (const char *)in->bytes + at : "";
    char *const text = convert_sanitize(from, max_size, CONVERT_QUOTE);
    if (strncmp(text, from, max_size) != 0)
        NOTE("replaced quotes and control characters with _ in the name %s", text);
    return common_add(&in->plain.memory, text);
}

// -- Frames and meshes ----------------------------------------------------------------------------

// Reads the grid of a frame. `at` is the offset of its scale and origin; 0 selects the fixed grid
// of MD3.
static void read_grid(quake_reader *in, size_t at, quake_grid *grid)
{
    const float md3_scale = 1 / 64.0f; // units per step
    for (size_t axis = 0; axis < 3; axis++) {
        grid->scale[axis] = at > 0 ? get_float(in, at + 4 * axis) : md3_scale;
        grid->origin[axis] = at > 0 ? get_float(in, at + 12 + 4 * axis) : 0;
    }
}

// Adds a frame, whose grid, name and points are at these offsets; see read_grid().
static void add_frame(quake_reader *in, size_t grid, size_t name, size_t points)
{
    if (in->plain.num_frames == MAX_FRAMES) {
        plain_fail_once(
            in,
            "file has too many frames: expected at most %d, because each frame becomes a morph "
            "target; export the frames to several files",
            MAX_FRAMES);
        return;
    }
    const size_t index = in->plain.num_frames++;
    plain_frame *const frame = &in->plain.frames[index];
    *frame = in->next;
    frame->name = get_text(in, name, QUAKE_FRAME_NAME);
    in->grids[index].points = points;
    read_grid(in, grid, &in->grids[index]);
}

// Allocates the meshes of the file.
static void add_meshes(quake_reader *in, size_t count)
{
    in->plain.meshes = common_alloc(count, sizeof *in->plain.meshes);
    in->surfaces = allocate(in, count, sizeof *in->surfaces);
}

// Reads the texture coordinate of an MDL vertex in texels. The right half of a skin shows the back
// of the model. A vertex on the seam between the halves stores the coordinate of the front. For
// triangles on the back, half of the width is therefore added. `triangle` is the offset of a
// triangle. Its first number is not 0 if the triangle is on the front.
static md5_vec2 read_mdl_texcoord(quake_reader *in, size_t at, size_t triangle)
{
    const bool is_on_seam = get_uint(in, at, 4) != 0;
    const bool is_front = get_uint(in, triangle, 4) != 0;
    const int32_t s = (int32_t)get_uint(in, at + 4, 4);
    const int32_t t = (int32_t)get_uint(in, at + 8, 4);
    const uint32_t half_width = in->width / 2;
    double center = 0.5; // center of a texel
    if (is_on_seam && !is_front)
        center += half_width;
    return (md5_vec2){(float)((s + center) / in->width), (float)((t + 0.5) / in->height)};
}

// Reads the texture coordinate of a triangle corner. MD3 stores floats, MDL and MD2 texels.
static md5_vec2 read_texcoord(quake_reader *in, size_t at, size_t triangle)
{
    if (in->kind == &kinds[MD3])
        return (md5_vec2){get_float(in, at), get_float(in, at + 4)};
    if (in->kind == &kinds[MDL])
        return read_mdl_texcoord(in, at, triangle);
    const int32_t s = (int16_t)get_uint(in, at, 2);
    const int32_t t = (int16_t)get_uint(in, at + 2, 2);
    return (md5_vec2){(float)((s + 0.5) / in->width), (float)((t + 0.5) / in->height)};
}

// A mesh while its vertices are found. All vertices of one point form a linked list. The first of
// them has the same index as the point; the others differ in their texture coordinates.
typedef struct quake_mesh {
    plain_primitive *out;
    size_t num_points;
    md5_vec2 *texcoords; // [vertices]
    uint32_t *sources;   // [vertices] point of each vertex
    uint32_t *next;      // [vertices] next vertex of the point; MD5_NONE: the last; 0: not used yet
} quake_mesh;

// Returns the vertex of a point with a texture coordinate. Adds a vertex if there is none.
static uint32_t find_vertex(const quake_mesh *mesh, uint32_t point, md5_vec2 texcoord)
{
    enum { MAX_COMPARISONS = 65 }; // vertices after these are not compared, to limit the time
    md5_vec2 *const texcoords = mesh->texcoords;
    if (mesh->next[point] == 0) {
        mesh->next[point] = MD5_NONE;
        texcoords[point] = texcoord;
        return point;
    }

    uint32_t vertex = point;
    for (int i = 0; i < MAX_COMPARISONS && vertex != MD5_NONE; i++) {
        if (memcmp(&texcoords[vertex], &texcoord, sizeof texcoord) == 0)
            return vertex;
        vertex = mesh->next[vertex];
    }

    const uint32_t added = (uint32_t)mesh->out->num_vertices++;
    mesh->sources[added] = point;
    texcoords[added] = texcoord;
    mesh->next[added] = mesh->next[point];
    mesh->next[point] = added;
    return added;
}

// Reads a corner of a triangle and returns its vertex. `corner` and `triangle` are their offsets,
// and `texcoords` is the offset of all texture coordinates. In MD2 a corner contains the index of a
// texture coordinate. In the other formats each point has exactly one.
static uint32_t read_corner(quake_reader *in, const quake_mesh *mesh, size_t texcoords,
                            size_t triangle, size_t corner)
{
    enum { NUM_MD2_TEXCOORDS = 28, MD2_TEXCOORD_INDEX = 6 }; // offsets
    const struct kind *const kind = in->kind;
    const uint32_t point =
        get_in_range(in, corner, kind->index_size, 0, mesh->num_points, "vertex index");
    uint32_t texcoord = point;
    if (kind == &kinds[MD2])
        texcoord = get_in_range(in, corner + MD2_TEXCOORD_INDEX, 2, 0,
                                get_uint(in, NUM_MD2_TEXCOORDS, 4), "texture coordinate index");
    const size_t texcoord_at = texcoords + kind->texcoord_size * texcoord;
    return find_vertex(mesh, point, read_texcoord(in, texcoord_at, triangle));
}

// Reads the triangles at an offset and finds the vertices of their corners. Plain scenes are
// counterclockwise and the file is clockwise, so the second and the third corner are exchanged.
static void read_triangles(quake_reader *in, const quake_mesh *mesh, size_t texcoords, size_t at)
{
    const struct kind *const kind = in->kind;
    for (size_t i = 0; i < mesh->out->num_indices / 3; i++) {
        const size_t triangle = at + kind->triangle_size * i;
        uint32_t *const indices = mesh->out->indices + 3 * i;
        for (size_t k = 0; k < 3; k++) {
            const size_t corner = triangle + kind->corner + kind->index_size * k;
            indices[(3 - k) % 3] = read_corner(in, mesh, texcoords, triangle, corner);
        }
    }
}

// Reads the numbers of points and triangles from the header of a mesh, which begins at `start`.
static void read_counts(quake_reader *in, size_t start, uint32_t *num_points,
                        uint32_t *num_triangles)
{
    enum { MIN_BYTES_PER_POINT = 4, MIN_BYTES_PER_TRIANGLE = 12 }; // smallest size in all formats
    const uint32_t min_points = in->kind == &kinds[MD3] ? 0 : 1;
    *num_points = get_in_range(in, start + in->kind->points, 4, min_points,
                               in->size / MIN_BYTES_PER_POINT, "number of vertices");
    *num_triangles = get_in_range(in, start + in->kind->triangles, 4, 0,
                                  in->size / MIN_BYTES_PER_TRIANGLE, "number of triangles");
}

// Adds a mesh. In MD3 it is a surface, whose header begins at `start`. The first vertices are the
// points of the file. Copies of points with several texture coordinates follow. `texcoords` and
// `triangles` are offsets.
static void add_mesh(quake_reader *in, size_t start, const char *name, const char *shader,
                     size_t texcoords, size_t triangles)
{
    enum { BYTES_PER_VERTEX = 64 }; // in all tables of a mesh
    uint32_t num_points;
    uint32_t num_triangles;
    read_counts(in, start, &num_points, &num_triangles);
    const size_t num_corners = 3 * (size_t)num_triangles;
    const size_t max_vertices = num_points + num_corners;
    if (!charge(in, 8 * (uint64_t)max_vertices)
        || !charge_bytes(in, max_vertices, BYTES_PER_VERTEX))
        return;

    plain_mesh *const out = &in->plain.meshes[in->plain.num_meshes];
    out->md5_name = name;
    out->shader = shader;
    const quake_mesh mesh = {.out = plain_add_primitive(out, num_points),
                             .num_points = num_points,
                             .texcoords = allocate(in, max_vertices, sizeof *mesh.texcoords),
                             .sources = allocate(in, max_vertices, sizeof *mesh.sources),
                             .next = allocate(in, max_vertices, sizeof *mesh.next)};
    mesh.out->texcoords = &mesh.texcoords->x;
    mesh.out->num_indices = num_corners;
    mesh.out->indices = common_alloc(num_corners, sizeof *mesh.out->indices);
    in->surfaces[in->plain.num_meshes++].sources = mesh.sources;
    for (uint32_t i = 0; i < num_points; i++)
        mesh.sources[i] = i;

    read_triangles(in, &mesh, texcoords, triangles);
}

// Reads a position on the grid of a frame. Each of its three numbers has `size` bytes.
static void read_position(quake_reader *in, const quake_grid *grid, size_t at, size_t size,
                          float position[3])
{
    for (size_t k = 0; k < 3; k++) {
        const uint32_t bits = get_uint(in, at + size * k, size);
        const int32_t number = size == 2 ? (int16_t)bits : (int32_t)bits; // bytes are unsigned
        position[k] = (float)((double)grid->origin[k] + (double)grid->scale[k] * number);
    }
}

// Reads the positions of a mesh's vertices in all frames. Positions are stored as integers on a
// grid, which can differ between frames. The result is one array in the order of the frames; the
// first frame is the shape at rest.
static void read_positions(quake_reader *in, size_t index)
{
    enum { ELEMENTS_PER_VERTEX = 4 }; // cost of a position
    const quake_in_surface *const surface = &in->surfaces[index];
    plain_primitive *const out = in->plain.meshes[index].primitives;
    const size_t num_frames = in->plain.num_frames;
    const size_t count = out->num_vertices;
    const size_t size = in->kind == &kinds[MD3] ? 2 : 1; // bytes per number
    const size_t vertex_size = 4 * size;                 // a position and the normal
    const uint64_t num_positions = (uint64_t)num_frames * count;
    if (!charge(in, ELEMENTS_PER_VERTEX * num_positions)
        || !charge_bytes(in, num_positions, 3 * sizeof(float)))
        return;

    float *const positions = allocate(in, num_frames * count, 3 * sizeof *positions);
    float *position = positions;
    for (size_t f = 0; f < num_frames && !in->has_failed; f++) {
        const size_t start = in->grids[f].points + surface->points + surface->step * f;
        for (size_t i = 0; i < count; i++, position += 3)
            read_position(in, &in->grids[f], start + vertex_size * surface->sources[i], size,
                          position);
    }

    out->positions = positions;
    out->frames = positions;
}

// Returns the first of the shaders, or `fallback`. The other shaders are skipped.
static const char *get_shader(quake_reader *in, size_t at, uint32_t count, size_t size,
                              const char *fallback)
{
    enum { ELEMENTS_PER_NOTE = 100 };
    for (uint32_t i = 1; i < count && charge(in, ELEMENTS_PER_NOTE); i++)
        NOTE("skipped skin %s: only the first skin is used",
             get_text(in, at + size * i, QUAKE_PATH));
    return count > 0 ? get_text(in, at, QUAKE_PATH) : fallback;
}

// -- MDL ------------------------------------------------------------------------------------------

// Reads the header of a group of skins or frames, or of a single one. Returns the number of
// elements. `size` is the number of bytes between the header of a group and the times of its
// elements. The first time defines the frame rate.
static uint32_t read_group(quake_reader *in, size_t size)
{
    const size_t header = in->at + 4;
    in->at = header;
    in->next = (plain_frame){.rate = QUAKE_RATE};
    if (get_uint(in, header - 4, 4) == 0)
        return 1;
    const uint32_t count = get_in_range(in, header, 4, 1, MAX_FRAMES + 1, "group size");
    const float time = get_float(in, header + size);
    in->at += size + 4 * (size_t)count;
    in->next.group = header;
    if (time >= 0.01f && time <= 1e6f) // engines ignore other times and use only the first time
        in->next.rate = (double)(1.0f / time);
    return count;
}

// Reads the texels of a skin, which begin at in->at, as a color image. The caller frees image.rgba.
static view_image read_skin_texels(quake_reader *in, const uint8_t *palette, bool has_holes)
{
    const size_t count = (size_t)in->width * in->height;
    const view_image image = {common_alloc(count, 4), in->width, in->height};
    for (size_t i = 0; i < count; i++) {
        const uint8_t texel = in->bytes[in->at++];
        const bool is_hole = has_holes && texel == QUAKE_HOLE;
        memcpy(image.rgba + 4 * i, palette + 3 * (size_t)texel, 3);
        image.rgba[4 * i + 3] = is_hole ? 0 : 255;
    }
    return image;
}

// Decodes the skin at in->at to a PNG image, and adds it as a material. The skin contains one
// palette index per texel. The mesh uses the material whose name is its shader.
static void add_skin(quake_reader *in, convert_scene *scene, const uint8_t *palette, bool has_holes,
                     const char *shader)
{
    const size_t count = (size_t)in->width * in->height;
    if (scene->num_materials == MAX_SKINS)
        plain_fail_once(in, "file has too many skins: expected at most %d; remove skins",
                        MAX_SKINS);
    if (!check_bytes(in, in->at, count))
        return;
    if (!charge(in, count) || !charge_bytes(in, count, 4))
        return;

    const view_image image = read_skin_texels(in, palette, has_holes);
    convert_image encoded = {.name = common_copy(shader)};
    encoded.bytes = view_encode_png(&image, has_holes, &encoded.size);
    free(image.rgba);
    if (!encoded.bytes)
        NOTE("skipped skin %s: PNG is not supported: built without stb", shader);
    *COMMON_ADD_ITEM(scene->materials, scene->num_materials) =
        (convert_material){.shader = common_copy(shader),
                           .maps = {encoded},
                           .alpha = has_holes ? CONVERT_MASK : CONVERT_OPAQUE,
                           .cutoff = 0.5f};
}

// Reads the skins of an MDL file, which begin at in->at, as materials. A skin can be a group of
// images that are shown one after the other. The mesh uses the first image of the first skin.
static void read_mdl_skins(quake_reader *in, convert_scene *scene, bool has_holes)
{
    enum { NUM_SKINS = 48 }; // offset
    uint8_t palette[QUAKE_PALETTE];
    bool is_found = true;
    const uint32_t num_skins = get_in_range(in, NUM_SKINS, 4, 0, MAX_SKINS + 1, "number of skins");
    if (num_skins > 0)
        in->has_failed |=
            !quake_find_palette(in->plain.job, in->plain.path, palette, &is_found, in->plain.error);
    if (!is_found)
        NOTE("skins are grayscale: palette %s not found; use --palette", "gfx/palette.lmp");

    for (uint32_t skin = 0; skin < num_skins; skin++) {
        const uint32_t count = read_group(in, 4);
        for (uint32_t image = 0; image < count && !in->has_failed; image++) {
            char name[256];
            const bool is_first = skin == 0 && image == 0;
            md5_quake_image_name(in->stem, skin, image, name, sizeof name);
            add_skin(in, scene, palette, has_holes, is_first ? in->stem : name);
        }
    }

    if (scene->num_materials > 1)
        NOTE("the mesh uses the first of %zu skins; the others were converted to unused materials",
             scene->num_materials);
}

// Reads the frames, which begin at in->at: single frames and groups of frames.
static void read_mdl_frames(quake_reader *in, uint32_t num_frames, size_t num_points)
{
    enum { SCALE = 8 };                                // offset of the grid
    enum { BOX = 8, HEADER = BOX + QUAKE_FRAME_NAME }; // sizes in a frame
    for (uint32_t i = 0; i < num_frames && !in->has_failed; i++) {
        const uint32_t count = read_group(in, 12);
        for (uint32_t k = 0; k < count && !in->has_failed; k++) {
            add_frame(in, SCALE, in->at + BOX, in->at + HEADER);
            in->at += HEADER + 4 * num_points;
        }
    }
}

// Reports the properties of MDL that other formats do not have.
static void note_mdl_properties(quake_reader *in, uint32_t flags)
{
    enum { EYE = 36, SYNC = 72 }; // offsets
    const uint32_t sync = get_uint(in, SYNC, 4);
    const float x = get_float(in, EYE);
    const float y = get_float(in, EYE + 4);
    const float z = get_float(in, EYE + 8);
    const bool has_eye = fabsf(x) + fabsf(y) + fabsf(z) > 0;
    if (sync != 0 || (flags & ~(uint32_t)QUAKE_MDL_HAS_HOLES) != 0 || has_eye)
        NOTE("skipped the flags 0x%x, synctype %u and eye position %g %g %g of the model: MD5 "
             "cannot store them",
             flags, sync, x, y, z);
}

// Reads an MDL file: the header, the skins, texture coordinates of the points, triangles, frames.
// Each part begins at the end of the previous one.
static void read_mdl(quake_reader *in, uint32_t num_frames, convert_scene *scene)
{
    enum { FLAGS = 76 }; // offset
    const uint32_t flags = get_uint(in, FLAGS, 4);
    const size_t num_points = get_uint(in, in->kind->points, 4);
    const size_t num_triangles = get_uint(in, in->kind->triangles, 4);
    in->at = QUAKE_MDL_HEADER;
    read_mdl_skins(in, scene, (flags & QUAKE_MDL_HAS_HOLES) != 0);

    const size_t triangles = in->at + in->kind->texcoord_size * num_points;
    add_meshes(in, 1);
    add_mesh(in, 0, "", in->stem, in->at, triangles);
    in->at = triangles + in->kind->triangle_size * num_triangles;
    read_mdl_frames(in, num_frames, num_points);
    note_mdl_properties(in, flags);
}

// -- MD2 and MD3 ----------------------------------------------------------------------------------

// Reads an MD2 file: one mesh, whose skins, texture coordinates, triangles and frames begin at
// offsets in the header. A frame consists of the scale and origin of its positions, its name, and a
// position of 4 bytes for each point.
static void read_md2(quake_reader *in, uint32_t num_frames)
{
    // Offsets of numbers in the header, of which the last five are offsets in the file.
    enum { FRAME_SIZE = 16, NUM_SKINS = 20, SKINS = 44, TEXCOORDS = 48, TRIANGLES = 52 };
    enum { FRAMES = 56, END = 64 };

    // Sizes in a frame: the grid and the name are before the positions.
    enum { GRID = 24, HEADER = GRID + QUAKE_FRAME_NAME };
    const uint64_t min_size = HEADER + 4 * (uint64_t)get_uint(in, in->kind->points, 4);
    const size_t size = get_in_range(in, FRAME_SIZE, 4, min_size, in->size, "frame size");
    const uint32_t num_skins =
        get_in_range(in, NUM_SKINS, 4, 0, in->size / QUAKE_PATH, "number of skins");
    get_in_range(in, END, 4, QUAKE_MD2_HEADER, in->size + 1, "end offset");
    const char *const shader =
        get_shader(in, get_uint(in, SKINS, 4), num_skins, QUAKE_PATH, in->stem);
    add_meshes(in, 1);
    add_mesh(in, 0, "", shader, get_uint(in, TEXCOORDS, 4), get_uint(in, TRIANGLES, 4));

    for (uint32_t i = 0; i < num_frames; i++) {
        const size_t frame = get_uint(in, FRAMES, 4) + size * i;
        add_frame(in, frame, frame + GRID, frame + HEADER);
    }
}

// Reads the transform of a tag in a frame. A tag consists of a name of QUAKE_PATH bytes and 12
// floats. These are its origin and its three axes, which are the columns of a rotation matrix. Tags
// are stored as [frames][num_tags]. Returns how far the matrix is from a rotation.
static float get_tag(quake_reader *in, size_t frame, size_t tag, md5_xform *transform)
{
    // Columns of the matrix: the origin, then the axes.
    static const size_t columns[] = {3, 0, 1, 2};
    const size_t at = in->tags + QUAKE_PATH + QUAKE_MD3_TAG * (frame * in->num_tags + tag);
    float error = 0;
    md5_mat34 m;
    for (size_t i = 0; i < 12; i++) {
        const size_t row = i % 3;
        m.m[4 * row + columns[i / 3]] = get_float(in, at + 4 * i);
    }
    *transform = md5_xform_from_mat34(m);
    for (int i = 0; i < 12; i++)
        error = fmaxf(error, fabsf(m.m[i] - md5_mat34_from_xform(*transform).m[i]));
    return error;
}

// Adds the tracks of a tag. Returns how far its matrices are from rotations.
static float add_tag_tracks(quake_reader *in, plain_animation *animation, uint32_t tag)
{
    const size_t num_frames = in->plain.num_frames;
    md5_vec3 *const translations = allocate(in, num_frames, sizeof *translations);
    md5_quat *const rotations = allocate(in, num_frames, sizeof *rotations);
    float error = 0;
    for (size_t f = 0; f < num_frames; f++) {
        md5_xform transform;
        error = fmaxf(error, get_tag(in, f, tag, &transform));
        translations[f] = transform.translation;
        rotations[f] = transform.rotation;
    }
    plain_add_tracks(animation, tag + 1, num_frames, NULL, &translations->x, &rotations->x);
    return error;
}

// Returns the name of a tag, with its index if another tag has the same name.
static const char *get_tag_name(quake_reader *in, uint32_t tag)
{
    const plain_scene *const plain = &in->plain;
    const char *name = get_text(in, in->tags + QUAKE_MD3_TAG * (size_t)tag, QUAKE_PATH);
    for (size_t k = 0; k < plain->num_nodes; k++) {
        if (strcmp(plain->nodes[k].name, name) == 0)
            name = common_add(&in->plain.memory, common_format("%s_%u", name, tag));
    }
    return name;
}

// Reads the tags of an MD3 file. Each tag becomes a child of the node `origin`. One animation
// contains the transforms of all tags in all frames. Reports tags with transforms that are not
// rigid, because joints cannot store them.
static void read_md3_tags(quake_reader *in, uint32_t num_frames)
{
    enum { NUM_TAGS_AT = 80 };         // offset of the number of tags in the header of the file
    enum { ELEMENTS_PER_TAG = 16 };    // cost of a tag in a frame
    const float max_error = 1e-3f;     // error of an element of the matrix
    const uint32_t end = MAX_TAGS + 1; // get_in_range() accepts numbers below it
    plain_scene *const plain = &in->plain;
    in->num_tags = get_in_range(in, NUM_TAGS_AT, 4, 0, end, "number of tags");
    for (uint32_t i = 0; i < in->num_tags; i++) {
        const char *const name = get_tag_name(in, i);
        // read_file() has allocated space for `origin` and MAX_TAGS tags.
        plain_node *const node = &plain->nodes[plain->num_nodes++];
        *node = plain_new_node();
        node->name = name;
        node->parent = 0;
    }

    if (!charge(in, ELEMENTS_PER_TAG * (uint64_t)num_frames * in->num_tags))
        return;
    plain->num_animations = 1;
    plain->animations = common_alloc(1, sizeof *plain->animations);
    float error = 0;
    for (uint32_t tag = 0; tag < in->num_tags; tag++)
        error = fmaxf(error, add_tag_tracks(in, &plain->animations[0], tag));
    if (error > max_error)
        NOTE("skipped scale, mirroring or skew of tags (up to %g): joints cannot store them",
             error);
}

// Adds the mesh of a surface, whose header begins at `start`. Returns the size of the surface.
static uint32_t read_md3_surface(quake_reader *in, size_t start, uint32_t num_frames)
{
    // Offsets of data in the header, of which the last five are offsets in the surface.
    enum { NAME = 4, NUM_FRAMES = 72, NUM_SHADERS = 76, TRIANGLES = 88, SHADERS = 92 };
    enum { TEXCOORDS = 96, POINTS = 100, END = 104 };
    require_uint(in, start, QUAKE_MD3, "surface ident");
    require_uint(in, start + NUM_FRAMES, num_frames, "surface frame count");
    const uint32_t num_shaders = get_in_range(in, start + NUM_SHADERS, 4, 0,
                                              in->size / QUAKE_MD3_SHADER, "number of shaders");
    const char *const name = get_text(in, start + NAME, QUAKE_PATH);
    const char *const shader = get_shader(in, start + get_uint(in, start + SHADERS, 4), num_shaders,
                                          QUAKE_MD3_SHADER, name);
    quake_in_surface *const surface = &in->surfaces[in->plain.num_meshes];
    surface->points = start + get_uint(in, start + POINTS, 4);
    surface->step = 8 * (size_t)get_uint(in, start + in->kind->points, 4);
    add_mesh(in, start, name, shader, start + get_uint(in, start + TEXCOORDS, 4),
             start + get_uint(in, start + TRIANGLES, 4));
    return get_in_range(in, start + END, 4, QUAKE_MD3_SURFACE, in->size, "surface size");
}

// Reads an MD3 file: the names of the frames, the tags, and the surfaces, each of which is a mesh.
// Surfaces follow each other; the header of a surface contains its size.
static void read_md3(quake_reader *in, uint32_t num_frames)
{
    // Offsets of numbers in the header, of which the last three are offsets in the file.
    enum { FLAGS = 72, NUM_SURFACES = 84, FRAMES = 92, TAGS = 96, SURFACES = 100 };
    enum { FRAME_NAME = 40 }; // offset in a frame
    const uint32_t num_surfaces = get_in_range(
        in, NUM_SURFACES, 4, 0, in->size / QUAKE_MD3_SURFACE + 1, "number of surfaces");
    const uint32_t flags = get_uint(in, FLAGS, 4);
    in->tags = get_uint(in, TAGS, 4);
    for (uint32_t i = 0; i < num_frames; i++)
        add_frame(in, 0, get_uint(in, FRAMES, 4) + QUAKE_MD3_FRAME * (size_t)i + FRAME_NAME, 0);

    read_md3_tags(in, num_frames);
    if (in->has_failed)
        return;

    add_meshes(in, num_surfaces);
    size_t start = get_uint(in, SURFACES, 4);
    for (uint32_t i = 0; i < num_surfaces && !in->has_failed; i++)
        start += read_md3_surface(in, start, num_frames);

    if (flags != 0)
        NOTE("skipped the flags 0x%x of the model: MD5 cannot store them", flags);
}

// -- The file -------------------------------------------------------------------------------------

// Returns advice for files of other programs that have the extension of a Quake model. `begin` is
// the start of the file.
static const char *third_party_advice(const uint8_t begin[4])
{
    if (memcmp(begin, "IDST", 4) == 0 || memcmp(begin, "IDSQ", 4) == 0)
        return "Half-Life models are not supported: decompile the model to .smd files, for example "
               "with Crowbar";
    if (memcmp(begin, "MDL", 3) == 0)
        return "models of 3D GameStudio are not supported: export the model as .fbx or .x";
    return "if it is a model of another game, open it in a program for this game, and export it "
           "as .glb, .fbx or .smd";
}

// Fails because the file does not begin with the name of a Quake format.
static void fail_by_ident(quake_reader *in, const uint8_t begin[4])
{
    bool is_text = true;
    for (int i = 0; i < 4; i++)
        is_text = is_text && begin[i] > ' ' && begin[i] < 127;
    char found[16];
    if (is_text)
        COMMON_TEXT(found, "'%.4s'", (const char *)begin);
    else
        COMMON_TEXT(found, "bytes %02x%02x%02x%02x", begin[0], begin[1], begin[2], begin[3]);
    plain_fail_once(in, "not a Quake model: expected IDPO, IDP2 or IDP3 at the start, found %s; %s",
                    found, third_party_advice(begin));
}

// Sets in->kind, and checks the first eight bytes of the file: the format and its version.
static void find_kind(quake_reader *in)
{
    const uint32_t ident = get_uint(in, 0, 4);
    in->kind = NULL;
    for (size_t i = 0; i < COMMON_LENGTH(kinds); i++) {
        if (kinds[i].ident == ident)
            in->kind = &kinds[i];
    }
    if (in->kind)
        require_uint(in, 4, in->kind->version, "version");
    else if (!in->has_failed)
        fail_by_ident(in, in->bytes);
}

// Reads the file into the reader's tables, and the skins of MDL into the scene.
static void read_file(quake_reader *in, convert_scene *scene)
{
    plain_scene *const plain = &in->plain;
    in->grids = allocate(in, MAX_FRAMES, sizeof *in->grids);
    plain->frames = common_alloc(MAX_FRAMES, sizeof *plain->frames);
    plain->nodes = common_alloc(MAX_TAGS + 1, sizeof *plain->nodes);
    plain->nodes[0] = plain_new_node();
    plain->nodes[0].name = "origin";
    plain->num_nodes = 1;
    const uint32_t num_frames =
        get_in_range(in, in->kind->frames, 4, 1, MAX_FRAMES + 1, "number of frames");
    if (in->kind->sides > 0) {
        in->width = get_in_range(in, in->kind->sides, 4, 1, MAX_SIDE, "skin width");
        in->height = get_in_range(in, in->kind->sides + 4, 4, 1, MAX_SIDE, "skin height");
    }
    if (in->has_failed)
        return;

    if (in->kind == &kinds[MDL])
        read_mdl(in, num_frames, scene);
    else if (in->kind == &kinds[MD2])
        read_md2(in, num_frames);
    else
        read_md3(in, num_frames);

    for (size_t i = 0; i < plain->num_meshes && !in->has_failed; i++)
        read_positions(in, i);
}

// Reads an MDL, MD2 or MD3 file as a model with a morph target for each further frame. The first
// bytes select the format.
bool convert_read_quake(const convert_job *job, convert_input *input, convert_scene *scene,
                        md5_error *error)
{
    quake_reader reader = {
        .plain = {.job = job, .error = error, .path = input->path, .axes = convert_identity},
        .bytes = (const uint8_t *)input->bytes,
        .size = input->size,
        .next = {.rate = QUAKE_RATE}};
    quake_reader *const in = &reader;
    in->stem = common_add(&in->plain.memory, common_stem(input->path));
    find_kind(in);
    if (!in->has_failed)
        read_file(in, scene);
    const bool is_read = !in->has_failed && convert_build(&in->plain, scene);
    plain_free(&in->plain);
    return is_read;
}
