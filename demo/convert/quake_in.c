// Quake's vertex-animated models in: MDL, MD2 and MD3, which have a position of every vertex in
// every frame instead of joints. Space, winding and texture coordinates' origin are those of MD5.
//
// The model is frame 0 on one joint, `origin`; each other frame is a morph target, and frames whose
// names count up are a clip in which the weight of each is 1 at its time. Tags of MD3 are joints.
// Normals are not read: MD5's readers compute them.
#include "demo/convert/quake.h"

#include "demo/common/file.h"
#include "demo/looks/image.h"
#include "md5/md5dialects.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct quake_frame {
    const char *name;
    float scale[3], origin[3];
    size_t points;   // where those of MDL and MD2 are; MD3: each surface has its own
    uint32_t group;  // of MDL, from 1; 0: none
    double interval; // seconds of a frame, in that
} quake_frame;

typedef struct quake_surface { // beside each mesh
    uint32_t num_points;
    size_t points;     // of MD3: where those of frame 0 are
    uint32_t *sources; // [vertices] the point of each
    uint32_t *next;    // [vertices] another one of its point, END; 0: no corner uses it
} quake_surface;

typedef struct quake_reader {
    const convert_job *job;
    const char *path;
    const uint8_t *bytes;
    size_t size, at; // at: up to where all was read
    md5_error *error;
    char *stem;
    uint32_t ident, num_frames;
    quake_frame *frames;     // [num_frames]
    md5_bounds *bounds;      // [num_frames]
    md5_doc doc;             // the model, in one frame after the other
    quake_surface *surfaces; // [doc.num_meshes]
    convert_joint *joints;   // [doc.num_joints] the origin, then tags
    size_t tags;             // where these are
    uint32_t first;          // frame of the clip that is made
    double farthest;         // of an axis of a tag from that of its rotation
    common_list texts;       // names, which the rest points to
    uint32_t num_cleaned;    // of them
} quake_reader;

#define FAIL(status, ...) convert_fail(in->error, status, in->path, __VA_ARGS__)

// -- Bytes ----------------------------------------------------------------------------------------

static uint32_t get_u16(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static int32_t get_i16(const uint8_t *at)
{
    return (int32_t)(get_u16(at) ^ 0x8000) - 0x8000;
}

static void get_floats(const uint8_t *at, size_t count, float *numbers)
{
    COMMON_FOR (i, count) {
        const uint32_t word = convert_get_u32(at + 4 * i);
        memcpy(&numbers[i], &word, sizeof word);
    }
}

// Moves behind `count` rows at `offset`, which the file has; returns them. NULL: it has not.
// Everything that is read has been asked for here.
static const uint8_t *take(quake_reader *in, uint64_t offset, uint64_t count, uint64_t stride,
                           const char *title)
{
    // Neither this product, of at most 2^31 and 2^32, nor the sum can overflow.
    if (offset <= in->size && count <= INT32_MAX && count * stride <= in->size - offset) {
        in->at = (size_t)(offset + count * stride);
        return in->bytes + offset;
    }
    (void)FAIL(MD5_ERROR_RANGE, "%d %s of %llu bytes at byte %llu, but the file has %zu bytes",
               (int32_t)count, title, (unsigned long long)stride, (unsigned long long)offset,
               in->size);
    return NULL;
}

static bool check_number(const quake_reader *in, const char *what, size_t at, uint32_t number,
                         uint32_t min, uint32_t max)
{
    return (number >= min && number <= max)
           || FAIL(MD5_ERROR_RANGE, "%s at byte %zu: %d, expected %u to %u", what, at,
                   (int32_t)number, min, max);
}

// A name of at most `most` bytes, in which MD5 texts can hold every byte.
static const char *get_text(quake_reader *in, const uint8_t *at, size_t most)
{
    char *const copy = convert_clean((const char *)at, most, CONVERT_QUOTE);
    in->num_cleaned += strncmp(copy, (const char *)at, most) != 0;
    return common_add(&in->texts, copy);
}

// -- Frames and meshes ----------------------------------------------------------------------------

enum { MAX_FRAMES = 1024, MAX_TRIES = 64, END = -1 };

// Adds a frame, whose positions are numbers times a scale on an origin.
static bool add_frame(quake_reader *in, const quake_frame *frame)
{
    COMMON_FOR (k, 3)
        if (!(255.0 * fabs(frame->scale[k]) + fabs(frame->origin[k]) <= 1e9))
            return FAIL(MD5_ERROR_RANGE,
                        "frame %u: scale %g from %g on: expected positions from -1e9 to 1e9",
                        in->num_frames, (double)frame->scale[k], (double)frame->origin[k]);
    in->frames = common_grow(in->frames, in->num_frames, sizeof *in->frames);
    in->frames[in->num_frames++] = *frame;
    return in->num_frames <= MAX_FRAMES
           || FAIL(MD5_ERROR_RANGE,
                   "more than %d frames, each of which would become a morph target", MAX_FRAMES);
}

// Adds a mesh whose vertices are its points; corners add those that points have more than one of.
static quake_surface *add_mesh(quake_reader *in, const char *name, const char *shader,
                               uint32_t num_points, uint32_t num_triangles)
{
    const size_t corners = 3 * (size_t)num_triangles, most = num_points + corners;
    md5_doc *const doc = &in->doc;
    doc->meshes = common_grow(doc->meshes, doc->num_meshes, sizeof *doc->meshes);
    in->surfaces = common_grow(in->surfaces, doc->num_meshes, sizeof *in->surfaces);
    doc->meshes[doc->num_meshes] =
        (md5_doc_mesh){.name = name,
                       .shader = shader,
                       .num_vertices = num_points,
                       .num_triangles = num_triangles,
                       .texcoords = common_alloc(most, sizeof(md5_vec2)),
                       .indices = common_alloc(corners, sizeof(uint32_t))};
    quake_surface *const surface = &in->surfaces[doc->num_meshes++];
    *surface = (quake_surface){.num_points = num_points,
                               .sources = common_alloc(most, sizeof *surface->sources),
                               .next = common_alloc(most, sizeof *surface->next)};
    COMMON_FOR (i, num_points)
        surface->sources[i] = i;
    return surface;
}

// Sets a corner of the last mesh: the vertex of its point that is at (u, v), or a new one.
static void set_corner(quake_reader *in, size_t corner, uint32_t point, md5_vec2 uv)
{
    md5_doc_mesh *const mesh = &in->doc.meshes[in->doc.num_meshes - 1];
    quake_surface *const surface = &in->surfaces[in->doc.num_meshes - 1];
    uint32_t *const next = surface->next, at = point;
    for (int tries = 0; next[at] != 0 && memcmp(&mesh->texcoords[at], &uv, sizeof uv) != 0;) {
        at = tries++ < MAX_TRIES ? next[at] : (uint32_t)END; // after so many, equal ones stay apart
        if (at == (uint32_t)END) {
            at = mesh->num_vertices++;
            surface->sources[at] = point;
            mesh->texcoords[at] = uv;
            next[at] = next[point];
            next[point] = at;
        }
    }
    next[at] = next[at] != 0 ? next[at] : (uint32_t)END;
    mesh->texcoords[at] = uv;
    mesh->indices[corner] = at;
}

// Reads a vertex of a triangle, `at` of `size` bytes.
static bool get_index(const quake_reader *in, const uint8_t *at, size_t size, const char *what,
                      uint32_t count, uint32_t *index)
{
    *index = size == 4 ? convert_get_u32(at) : get_u16(at);
    return *index < count
           || FAIL(MD5_ERROR_RANGE, "a triangle at byte %zu has the %s %d, but there are %u",
                   (size_t)(at - in->bytes), what, (int32_t)*index, count);
}

// A texel's center.
static md5_vec2 texel(int64_t s, int64_t t, uint32_t width, uint32_t height)
{
    return (md5_vec2){(float)(((double)s + 0.5) / width), (float)(((double)t + 0.5) / height)};
}

// -- MDL ------------------------------------------------------------------------------------------

// The pictures of MDL: indexes of a palette, which Quake has.
typedef struct quake_skins {
    uint32_t width, height, count;
    bool has_palette, has_holes;
    uint8_t palette[QUAKE_PALETTE];
} quake_skins;

// Adds a picture as a material of its own: the first one is that of the mesh.
static void add_skin(quake_reader *in, quake_skins *skins, convert_scene *scene,
                     const uint8_t *texels, uint32_t skin, uint32_t number)
{
    enum { HOLE = 255 };
    const size_t count = (size_t)skins->width * skins->height;
    view_image image = {common_alloc(count, 4), skins->width, skins->height};
    char name[256];
    COMMON_FOR (i, count) {
        memcpy(image.rgba + 4 * i, skins->palette + 3 * (size_t)texels[i], 3);
        image.rgba[4 * i + 3] = skins->has_holes && texels[i] == HOLE ? 0 : 255;
    }
    (void)md5_quake_image_name(in->stem, skin, number, name, sizeof name);
    const char *const shader = skins->count++ == 0 ? in->stem : name;
    scene->materials =
        common_grow(scene->materials, scene->num_materials, sizeof *scene->materials);
    convert_material *const to = &scene->materials[scene->num_materials++];
    *to = (convert_material){.shader = common_copy(shader),
                             .alpha = skins->has_holes ? CONVERT_MASK : CONVERT_OPAQUE,
                             .cutoff = 0.5f};
    convert_picture *const picture = &to->maps[CONVERT_MAP_COLOR];
    picture->name = common_copy(shader);
    picture->bytes = view_encode_png(&image, skins->has_holes, &picture->size);
    if (!picture->bytes)
        convert_note(in->job, "%s: skin %u is left out: this build cannot write PNG", in->path,
                     skin);
    free(image.rgba);
}

static bool read_skins(quake_reader *in, quake_skins *skins, uint32_t num_skins,
                       convert_scene *scene)
{
    enum { MAX_SKINS = 256 };
    const uint64_t size = (uint64_t)skins->width * skins->height;
    if (num_skins > 0
        && !quake_find_palette(in->job, in->path, skins->palette, &skins->has_palette, in->error))
        return false;
    for (uint32_t i = 0; i < num_skins; i++) {
        const uint8_t *head = take(in, in->at, 1, 4, "skin");
        const bool is_group = head && convert_get_u32(head) != 0;
        uint32_t count = 1;
        if (is_group && (head = take(in, in->at, 1, 4, "group of skins")) != NULL) {
            count = convert_get_u32(head);
            if (!take(in, in->at, count, 4, "times of skins"))
                return false;
        }
        if (!head || !check_number(in, "the skins of a group", in->at, count, 1, MAX_SKINS))
            return false;
        COMMON_FOR (k, count) {
            const uint8_t *const texels = take(in, in->at, 1, size, "skin");
            if (!texels
                || !check_number(in, "skins up to here", in->at, skins->count + 1, 1, MAX_SKINS))
                return false;
            add_skin(in, skins, scene, texels, i, k);
        }
    }
    if (skins->count > 0 && !skins->has_palette)
        convert_note(in->job,
                     "%s: skins are gray: there is no gfx/palette.lmp of its game, and no "
                     "--palette",
                     in->path);
    if (skins->count > 1)
        convert_note(in->job,
                     "%s: %u skins: the first one is that of the mesh; the others are "
                     "materials that no mesh uses",
                     in->path, skins->count);
    return true;
}

// Reads a frame, or the frames of a group.
static bool read_mdl_frames(quake_reader *in, const quake_frame *pattern, uint32_t num_points,
                            uint32_t *group)
{
    enum { HEAD = 8 + QUAKE_FRAME_NAME };
    const uint8_t *head = take(in, in->at, 1, 4, "frame");
    const uint32_t kind = head ? convert_get_u32(head) : 0;
    uint32_t count = 1;
    quake_frame frame = *pattern;
    if (!head || !check_number(in, "the kind of a frame", in->at - 4, kind, 0, 1))
        return false;
    if (kind == 1) {
        if (!(head = take(in, in->at, 1, 12, "group of frames")))
            return false;
        count = convert_get_u32(head);
        const uint8_t *const times = take(in, in->at, count, 4, "times of frames");
        if (!times || !check_number(in, "the frames of a group", in->at, count, 1, MAX_FRAMES))
            return false;
        float first = 0.0f, time = 0.0f, last = 0.0f;
        bool is_even = true;
        COMMON_FOR (i, count) {
            get_floats(times + 4 * i, 1, &time);
            first = i == 0 ? time : first;
            is_even &= fabsf(time - last - first) <= 1e-3f * first;
            last = time;
        }
        frame.group = ++*group;
        frame.interval = first >= 0.01f && first <= 1e6f ? (double)first : 1.0 / QUAKE_RATE;
        if (!is_even)
            convert_note(in->job,
                         "%s: the frames of group %u last for other times: each is taken for %g "
                         "seconds, as engines do",
                         in->path, *group, frame.interval);
    }
    COMMON_FOR (i, count) {
        if (!(head = take(in, in->at, 1, HEAD, "frame")))
            return false;
        frame.name = get_text(in, head + 8, QUAKE_FRAME_NAME);
        frame.points = in->at;
        if (!take(in, in->at, num_points, 4, "vertices") || !add_frame(in, &frame))
            return false;
    }
    return true;
}

static bool read_mdl(quake_reader *in, convert_scene *scene)
{
    enum { SCALE = 8, EYE = 36, SKINS = 48, WIDTH = 52, HEIGHT = 56, POINTS = 60, TRIANGLES = 64 };
    enum { FRAMES = 68, SYNC = 72, FLAGS = 76, HOLEY = 0x4000, MAX_SIDE = 1 << 13 };
    const uint8_t *const head = take(in, 0, 1, QUAKE_MDL_HEADER, "header");
    if (!head)
        return false;
    quake_skins skins = {.width = convert_get_u32(head + WIDTH),
                         .height = convert_get_u32(head + HEIGHT),
                         .has_holes = (convert_get_u32(head + FLAGS) & HOLEY) != 0};
    const uint32_t num_points = convert_get_u32(head + POINTS);
    const uint32_t num_triangles = convert_get_u32(head + TRIANGLES);
    const uint32_t num_frames = convert_get_u32(head + FRAMES);
    if (!check_number(in, "the width of skins", WIDTH, skins.width, 1, MAX_SIDE)
        || !check_number(in, "the height of skins", HEIGHT, skins.height, 1, MAX_SIDE)
        || !check_number(in, "the number of frames", FRAMES, num_frames, 1, MAX_FRAMES)
        || !read_skins(in, &skins, convert_get_u32(head + SKINS), scene))
        return false;
    const uint8_t *const places = take(in, in->at, num_points, 12, "texture coordinates");
    const uint8_t *const triangles =
        places ? take(in, in->at, num_triangles, 16, "triangles") : NULL;
    if (!triangles)
        return false;
    (void)add_mesh(in, "", in->stem, num_points, num_triangles);
    COMMON_FOR (i, 3 * (size_t)num_triangles) {
        const uint8_t *const row = triangles + 16 * (i / 3);
        uint32_t point = 0;
        if (!get_index(in, row + 4 + 4 * (i % 3), 4, "vertex", num_points, &point))
            return false;
        const uint8_t *const place = places + 12 * (size_t)point;
        const bool is_back = convert_get_u32(row) == 0 && convert_get_u32(place) != 0;
        const int64_t s =
            (int64_t)(int32_t)convert_get_u32(place + 4) + (is_back ? skins.width / 2 : 0);
        set_corner(in, i, point,
                   texel(s, (int32_t)convert_get_u32(place + 8), skins.width, skins.height));
    }
    quake_frame pattern = {.name = NULL};
    uint32_t group = 0;
    get_floats(head + SCALE, 3, pattern.scale);
    get_floats(head + SCALE + 12, 3, pattern.origin);
    COMMON_FOR (i, num_frames)
        if (!read_mdl_frames(in, &pattern, num_points, &group))
            return false;
    float eye[3];
    get_floats(head + EYE, 3, eye);
    if (fabsf(eye[0]) + fabsf(eye[1]) + fabsf(eye[2]) > 0.0f)
        convert_note(in->job, "%s: its eye, at %g %g %g, is left out", in->path, (double)eye[0],
                     (double)eye[1], (double)eye[2]);
    if (convert_get_u32(head + SYNC) != 0)
        convert_note(in->job, "%s: that it begins at a random time is left out", in->path);
    if ((convert_get_u32(head + FLAGS) & ~(uint32_t)HOLEY) != 0)
        convert_note(in->job, "%s: its flags 0x%x, of trails and turning, are left out", in->path,
                     convert_get_u32(head + FLAGS));
    return true;
}

// -- MD2 ------------------------------------------------------------------------------------------

static bool read_md2(quake_reader *in)
{
    enum { WIDTH = 8, HEIGHT = 12, FRAME_SIZE = 16, SKINS = 20, POINTS = 24, PLACES = 28 };
    enum { TRIANGLES = 32, FRAMES = 40, OFS_SKINS = 44, OFS_PLACES = 48, OFS_TRIANGLES = 52 };
    enum { OFS_FRAMES = 56, OFS_END = 64, MAX_INDEX = 1 << 16, HEAD = 24 + QUAKE_FRAME_NAME };
    const uint8_t *const head = take(in, 0, 1, QUAKE_MD2_HEADER, "header");
    if (!head || !take(in, 0, convert_get_u32(head + OFS_END), 1, "rows"))
        return false;
    const uint32_t width = convert_get_u32(head + WIDTH), height = convert_get_u32(head + HEIGHT);
    const uint32_t num_points = convert_get_u32(head + POINTS);
    const uint32_t num_places = convert_get_u32(head + PLACES);
    const uint32_t num_triangles = convert_get_u32(head + TRIANGLES);
    const uint32_t num_frames = convert_get_u32(head + FRAMES);
    const uint32_t num_skins = convert_get_u32(head + SKINS);
    const uint32_t frame_size = convert_get_u32(head + FRAME_SIZE);
    if (!check_number(in, "the width of skins", WIDTH, width, 1, INT16_MAX)
        || !check_number(in, "the height of skins", HEIGHT, height, 1, INT16_MAX)
        || !check_number(in, "the number of vertices", POINTS, num_points, 1, MAX_INDEX)
        || !check_number(in, "the number of frames", FRAMES, num_frames, 1, MAX_FRAMES)
        || !check_number(in, "the size of a frame", FRAME_SIZE, frame_size, HEAD + 4 * num_points,
                         INT32_MAX))
        return false;
    const uint8_t *const paths =
        take(in, convert_get_u32(head + OFS_SKINS), num_skins, QUAKE_PATH, "skins");
    const uint8_t *const places =
        take(in, convert_get_u32(head + OFS_PLACES), num_places, 4, "texture coordinates");
    const uint8_t *const triangles =
        take(in, convert_get_u32(head + OFS_TRIANGLES), num_triangles, 12, "triangles");
    const uint8_t *row =
        take(in, convert_get_u32(head + OFS_FRAMES), num_frames, frame_size, "frames");
    if (!paths || !places || !triangles || !row)
        return false;
    (void)add_mesh(in, "", num_skins > 0 ? get_text(in, paths, QUAKE_PATH) : in->stem, num_points,
                   num_triangles);
    for (uint32_t i = 1; i < num_skins; i++)
        convert_note(in->job, "%s: skin %u is left out: %s", in->path, i,
                     get_text(in, paths + (size_t)QUAKE_PATH * i, QUAKE_PATH));
    COMMON_FOR (i, 3 * (size_t)num_triangles) {
        const uint8_t *const corner = triangles + 12 * (i / 3) + 2 * (i % 3);
        uint32_t point = 0, place = 0;
        if (!get_index(in, corner, 2, "vertex", num_points, &point)
            || !get_index(in, corner + 6, 2, "texture coordinate", num_places, &place))
            return false;
        set_corner(in, i, point,
                   texel(get_i16(places + 4 * (size_t)place),
                         get_i16(places + 4 * (size_t)place + 2), width, height));
    }
    COMMON_FOR (i, num_frames) {
        quake_frame frame = {.name = get_text(in, row + 24, QUAKE_FRAME_NAME),
                             .points = (size_t)(row - in->bytes) + HEAD};
        get_floats(row, 3, frame.scale);
        get_floats(row + 12, 3, frame.origin);
        if (!add_frame(in, &frame))
            return false;
        row += frame_size;
    }
    return true;
}

// -- MD3 ------------------------------------------------------------------------------------------

// Reads a surface, which begins at in->at and says where it ends.
static bool read_surface(quake_reader *in)
{
    enum { NAME = 4, FRAMES = 72, SHADERS = 76, POINTS = 80, TRIANGLES = 84, OFS_TRIANGLES = 88 };
    enum { OFS_SHADERS = 92, OFS_PLACES = 96, OFS_POINTS = 100, OFS_END = 104 };
    const size_t start = in->at, size = in->size;
    const uint8_t *const head = take(in, start, 1, QUAKE_MD3_SURFACE, "surface");
    if (!head)
        return false;
    const uint32_t num_frames = convert_get_u32(head + FRAMES);
    const uint32_t num_points = convert_get_u32(head + POINTS);
    const uint32_t num_triangles = convert_get_u32(head + TRIANGLES);
    const uint32_t num_shaders = convert_get_u32(head + SHADERS);
    const uint32_t length = convert_get_u32(head + OFS_END);
    if (!check_number(in, "the ident of a surface", start, convert_get_u32(head), QUAKE_MD3,
                      QUAKE_MD3)
        || !check_number(in, "the frames of a surface", start + FRAMES, num_frames, in->num_frames,
                         in->num_frames)
        || !check_number(in, "the size of a surface", start + OFS_END, length, QUAKE_MD3_SURFACE,
                         INT32_MAX)
        || !take(in, start, 1, length, "surface"))
        return false;
    in->size = start + length; // so that none shares bytes with another
    const uint8_t *const shaders = take(in, start + convert_get_u32(head + OFS_SHADERS),
                                        num_shaders, QUAKE_MD3_SHADER, "shaders");
    const uint8_t *const triangles =
        take(in, start + convert_get_u32(head + OFS_TRIANGLES), num_triangles, 12, "triangles");
    const uint8_t *const places =
        take(in, start + convert_get_u32(head + OFS_PLACES), num_points, 8, "texture coordinates");
    const uint8_t *const points = take(in, start + convert_get_u32(head + OFS_POINTS),
                                       (uint64_t)num_points * num_frames, 8, "vertices");
    if (!shaders || !triangles || !places || !points)
        return false;
    const char *const name = get_text(in, head + NAME, QUAKE_PATH);
    add_mesh(in, name, num_shaders > 0 ? get_text(in, shaders, QUAKE_PATH) : name, num_points,
             num_triangles)
        ->points = (size_t)(points - in->bytes);
    for (uint32_t i = 1; i < num_shaders; i++)
        convert_note(in->job, "%s: surface %s: shader %u is left out: %s", in->path, name, i,
                     get_text(in, shaders + (size_t)QUAKE_MD3_SHADER * i, QUAKE_PATH));
    md5_doc_mesh *const mesh = &in->doc.meshes[in->doc.num_meshes - 1];
    COMMON_FOR (i, num_points) {
        get_floats(places + 8 * i, 2, &mesh->texcoords[i].x);
        if (!(fabsf(mesh->texcoords[i].x) + fabsf(mesh->texcoords[i].y) <= 1e9f))
            return FAIL(MD5_ERROR_RANGE, "surface %s: vertex %u is at %g %g of the picture", name,
                        i, (double)mesh->texcoords[i].x, (double)mesh->texcoords[i].y);
    }
    COMMON_FOR (i, 3 * (size_t)num_triangles)
        if (!get_index(in, triangles + 4 * i, 4, "vertex", num_points, &mesh->indices[i]))
            return false;
    in->size = size;
    in->at = start + length;
    return true;
}

// Where a tag is; its axes are the columns of a rotation.
static bool get_tag(quake_reader *in, uint32_t frame, uint32_t tag, convert_xform *place)
{
    const size_t at =
        in->tags + QUAKE_MD3_TAG * (frame * ((size_t)in->doc.num_joints - 1) + tag - 1);
    float v[12]; // the origin, and the directions of x, y and z
    get_floats(in->bytes + at + QUAKE_PATH, 12, v);
    COMMON_FOR (i, 12)
        if (!(fabsf(v[i]) <= 1e9f))
            return FAIL(MD5_ERROR_RANGE, "tag %s at byte %zu: %g, expected a number to 1e9",
                        in->joints[tag].name, at, (double)v[i]);
    const md5_quat q = md5_quat_from_mat34(
        (md5_mat34){{v[3], v[6], v[9], 0.0f, v[4], v[7], v[10], 0.0f, v[5], v[8], v[11], 0.0f}});
    *place = convert_from_xform((md5_xform){.rotation = q, .translation = {v[0], v[1], v[2]}});
    COMMON_FOR (k, 3) {
        const convert_vec axis = convert_rotate(
            place->rotation, (convert_vec){k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2});
        const convert_vec off = convert_sub(
            axis, convert_from_vec3((md5_vec3){v[3 + 3 * k], v[4 + 3 * k], v[5 + 3 * k]}));
        in->farthest = fmax(in->farthest, sqrt(convert_dot(off, off)));
    }
    return true;
}

static bool read_md3(quake_reader *in)
{
    enum { FLAGS = 72, FRAMES = 76, TAGS = 80, SURFACES = 84, OFS_FRAMES = 92, OFS_TAGS = 96 };
    enum { OFS_SURFACES = 100, CENTER = 24, NAME = 40, MAX_TAGS = 256 };
    const uint8_t *const head = take(in, 0, 1, QUAKE_MD3_HEADER, "header");
    if (!head)
        return false;
    const uint32_t num_frames = convert_get_u32(head + FRAMES);
    const uint32_t num_tags = convert_get_u32(head + TAGS);
    if (!check_number(in, "the number of frames", FRAMES, num_frames, 1, MAX_FRAMES)
        || !check_number(in, "the number of tags", TAGS, num_tags, 0, MAX_TAGS))
        return false;
    const uint8_t *const rows =
        take(in, convert_get_u32(head + OFS_FRAMES), num_frames, QUAKE_MD3_FRAME, "frames");
    const uint8_t *const tags = take(in, convert_get_u32(head + OFS_TAGS),
                                     (uint64_t)num_tags * num_frames, QUAKE_MD3_TAG, "tags");
    if (!rows || !tags)
        return false;
    in->tags = (size_t)(tags - in->bytes);
    COMMON_FOR (i, num_frames) {
        const uint8_t *const row = rows + QUAKE_MD3_FRAME * i;
        if (!add_frame(in, &(quake_frame){.name = get_text(in, row + NAME, QUAKE_FRAME_NAME),
                                          .scale = {0.015625f, 0.015625f, 0.015625f}}))
            return false;
    }
    convert_xform unused;
    COMMON_FOR (i, num_tags) {
        const char *name = get_text(in, tags + QUAKE_MD3_TAG * i, QUAKE_PATH);
        for (uint32_t k = 0; k < in->doc.num_joints; k++)
            if (strcmp(in->joints[k].name, name) == 0)
                name = common_add(&in->texts, common_format("%s_%u", name, i));
        in->joints = common_grow(in->joints, in->doc.num_joints, sizeof *in->joints);
        in->joints[in->doc.num_joints++] = (convert_joint){.name = name, .parent = 0};
    }
    COMMON_FOR (frame, num_frames)
        for (uint32_t tag = 1; tag <= num_tags; tag++)
            if (!get_tag(in, (uint32_t)frame, tag, &unused))
                return false;
    if (in->farthest > 1e-3)
        convert_note(in->job,
                     "%s: tags are scaled, mirrored or skewed, which joints are not: %.3g off",
                     in->path, in->farthest);
    in->at = convert_get_u32(head + OFS_SURFACES);
    COMMON_FOR (i, convert_get_u32(head + SURFACES))
        if (!read_surface(in))
            return false;
    if (convert_get_u32(head + FLAGS) != 0)
        convert_note(in->job, "%s: its flags 0x%x are left out", in->path,
                     convert_get_u32(head + FLAGS));
    return true;
}

// -- The scene ------------------------------------------------------------------------------------

// Brings the model to a frame, and finds its box.
static void set_frame(quake_reader *in, uint32_t frame)
{
    const quake_frame *const f = &in->frames[frame];
    md5_bounds *const box = &in->bounds[frame];
    bool is_first = true;
    COMMON_FOR (m, in->doc.num_meshes) {
        const quake_surface *const surface = &in->surfaces[m];
        const md5_doc_mesh *const mesh = &in->doc.meshes[m];
        COMMON_FOR (i, mesh->num_vertices) {
            const size_t point = surface->sources[i];
            const uint8_t *const at = in->ident != QUAKE_MD3
                                          ? in->bytes + f->points + 4 * point
                                          : in->bytes + surface->points
                                                + 8 * (surface->num_points * (size_t)frame + point);
            float v[3];
            COMMON_FOR (k, 3)
                v[k] = (float)((in->ident != QUAKE_MD3 ? at[k] : get_i16(at + 2 * k))
                                   * (double)f->scale[k]
                               + (double)f->origin[k]);
            const md5_bounds at_point = {{v[0], v[1], v[2]}, {v[0], v[1], v[2]}};
            mesh->weights[i] = (md5_weight){.bias = 1.0f, .offset = at_point.min};
            *box = is_first ? at_point : md5_bounds_union(*box, at_point);
            is_first = false;
        }
    }
    convert_xform place = {.rotation.w = 1.0};
    for (uint32_t i = 0; i < in->doc.num_joints && frame == 0; i++) {
        if (i > 0)
            (void)get_tag(in, 0, i, &place);
        in->doc.joints[i] = convert_doc_joint(in->joints[i].name, in->joints[i].parent, place);
    }
}

static void pose_frame(void *user, uint32_t frame, convert_xform *local)
{
    quake_reader *const in = user;
    local[0] = (convert_xform){.rotation.w = 1.0};
    for (uint32_t i = 1; i < in->doc.num_joints; i++)
        (void)get_tag(in, in->first + frame, i, &local[i]);
}

// A name for a file, which no other part of its kind has.
static char *name_part(const convert_scene *scene, convert_part_kind kind, const char *name,
                       uint32_t frame)
{
    char *unique = convert_file_name(name);
    for (size_t i = 0; i < scene->num_parts; i++)
        if (scene->parts[i].kind == kind
            && common_compare_case(scene->parts[i].name, unique) == 0) {
            free(unique);
            return common_format("%.90s_%u", scene->parts[i].name, frame);
        }
    return unique;
}

// Adds all frames: the model, and morph targets of which targets[num_frames] become the names.
static bool add_frames(quake_reader *in, convert_scene *scene, const char **targets)
{
    size_t size = 0;
    COMMON_FOR (frame, in->num_frames) {
        char *const name =
            frame == 0 ? common_copy(in->stem)
                       : name_part(scene, CONVERT_TARGET, in->frames[frame].name, (uint32_t)frame);
        set_frame(in, (uint32_t)frame);
        const bool is_added = convert_add_doc(scene, frame == 0 ? CONVERT_MODEL : CONVERT_TARGET,
                                              name, &in->doc, in->error);
        free(name);
        if (!is_added)
            return false;
        targets[frame] = scene->parts[scene->num_parts - 1].name;
        size += scene->parts[scene->num_parts - 1].size;
    }
    if (in->num_frames > 1)
        convert_note(in->job, "%s: %u frames: frame 0 and %u morph targets, of %.1f MB", in->path,
                     in->num_frames, in->num_frames - 1, (double)size / 1e6);
    return true;
}

// The length of a clip's name in that of its first frame: without its number, which is 0 or 1 if it
// has more digits: stand01, pain101.
static size_t find_stem(const char *name)
{
    const size_t length = strlen(name);
    size_t digits = length;
    while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
        digits--;
    if (digits == length || name[length - 1] > '1')
        return digits;
    size_t end = length - 1;
    while (end > digits && name[end - 1] == '0')
        end--;
    return end;
}

// How many frames a clip has that begins with one: a group, or those whose numbers go up.
static uint32_t count_frames(const quake_reader *in, uint32_t first, size_t stem)
{
    const quake_frame *const frames = in->frames;
    uint32_t end = first + 1;
    for (; end < in->num_frames && frames[end].group == frames[first].group; end++) {
        const char *const name = frames[end].name, *const number = name + stem;
        const char *const before = frames[end - 1].name + stem;
        if (frames[first].group == 0
            && (strncmp(name, frames[first].name, stem) != 0
                || number[strspn(number, "0123456789")] != '\0'
                || (before[0] == '\0' ? number[0] != '\0'
                                      : strtoull(number, NULL, 10) <= strtoull(before, NULL, 10))))
            break;
    }
    return end - first;
}

static bool add_clips(quake_reader *in, convert_scene *scene, const char *const *targets)
{
    for (uint32_t first = 0, count; first < in->num_frames && in->num_frames > 1; first += count) {
        const quake_frame *const frame = &in->frames[first];
        const size_t stem = find_stem(frame->name);
        size_t length = stem;
        while (length > 0 && strchr("_-. ", frame->name[length - 1]))
            length--;
        count = count_frames(in, first, stem);
        in->first = first;
        const convert_motion motion = {
            .path = in->path,
            .num_joints = in->doc.num_joints,
            .num_frames = count,
            .rate = frame->group > 0 ? (double)(float)(1.0 / frame->interval) : QUAKE_RATE,
            .joints = in->joints,
            .bounds = in->bounds + first,
            .pose = pose_frame,
            .user = in};
        char *const title =
            length > 0 ? common_format("%.*s", (int)length, frame->name) : common_copy(in->stem);
        char *const name = name_part(scene, CONVERT_CLIP, title, first);
        const bool is_added = convert_add_clip(scene, name, &motion, NULL, in->error);
        free(name);
        free(title);
        if (!is_added)
            return false;
        for (uint32_t i = first == 0; i < count; i++) {
            scene->weights =
                common_grow(scene->weights, scene->num_weights, sizeof *scene->weights);
            convert_weights *const row = &scene->weights[scene->num_weights++];
            *row = (convert_weights){common_copy(scene->parts[scene->num_parts - 1].name),
                                     common_copy(targets[first + i]),
                                     common_alloc(count, sizeof(float)), count};
            row->keys[i] = 1.0f;
        }
    }
    return true;
}

// Makes the parts of what was read.
static bool add_parts(quake_reader *in, convert_scene *scene)
{
    enum { ROWS_OF_BYTE = 16, FIXED_ROWS = 1 << 16 };
    uint64_t num_rows = 0; // of a frame
    COMMON_FOR (i, in->doc.num_meshes) {
        md5_doc_mesh *const mesh = &in->doc.meshes[i];
        num_rows += (uint64_t)mesh->num_vertices + mesh->num_triangles;
        mesh->num_weights = mesh->num_vertices;
        mesh->weights = common_alloc(mesh->num_vertices, sizeof *mesh->weights);
        mesh->vertices = common_alloc(mesh->num_vertices, sizeof *mesh->vertices);
        COMMON_FOR (v, mesh->num_vertices)
            mesh->vertices[v] = (md5_vertex){(uint32_t)v, 1};
    }
    if (num_rows * in->num_frames > ROWS_OF_BYTE * (uint64_t)in->size + FIXED_ROWS)
        return FAIL(
            MD5_ERROR_RANGE,
            "%u frames of %llu vertices and triangles are more than %d for each byte of the "
            "file",
            in->num_frames, (unsigned long long)num_rows, ROWS_OF_BYTE);
    in->bounds = common_alloc(in->num_frames, sizeof *in->bounds);
    in->doc.joints = common_alloc(in->doc.num_joints, sizeof *in->doc.joints);
    const char **const targets = common_alloc(in->num_frames, sizeof *targets);
    const bool is_added = add_frames(in, scene, targets) && add_clips(in, scene, targets);
    free((void *)targets);
    return is_added;
}

bool convert_read_quake(const convert_job *job, convert_input *input, convert_scene *scene,
                        md5_error *error)
{
    enum { VERSION = 4 };
    static const struct kind {
        uint32_t ident, version;
    } kinds[] = {{QUAKE_MDL, QUAKE_MDL_VERSION},
                 {QUAKE_MD2, QUAKE_MD2_VERSION},
                 {QUAKE_MD3, QUAKE_MD3_VERSION},
                 {0, 0}};
    const struct kind *kind = kinds;
    quake_reader in = {.job = job,
                       .path = input->path,
                       .bytes = (const uint8_t *)input->bytes,
                       .size = input->size,
                       .error = error,
                       .doc = {.kind = MD5_DOC_MODEL, .command_line = "md5tool convert"}};
    if (convert_find_model(scene))
        return convert_fail(error, MD5_ERROR_MISMATCH, input->path,
                            "its frames are those of a model of its own, but there is one already");
    const uint8_t *const head = take(&in, 0, 2, 4, "numbers");
    if (!head)
        return false;
    in.ident = convert_get_u32(head);
    while (kind->ident != 0 && kind->ident != in.ident)
        kind++;
    if (kind->ident == 0) {
        char *const begin = convert_clean(input->bytes, 4, "");
        (void)convert_fail(error, MD5_ERROR_SYNTAX, input->path,
                           "it begins with %s, expected IDPO, IDP2 or IDP3%s", begin,
                           strcmp(begin, "IDST") == 0 ? ": models of Half-Life are not read" : "");
        free(begin);
        return false;
    }
    const uint32_t version = convert_get_u32(head + VERSION);
    if (version != kind->version)
        return convert_fail(error, MD5_ERROR_VERSION, input->path,
                            "version %d at byte %d, expected %u", (int32_t)version, VERSION,
                            kind->version);
    in.stem = common_stem(input->path);
    in.joints = common_grow(NULL, 0, sizeof *in.joints);
    in.joints[in.doc.num_joints++] = (convert_joint){.name = "origin", .parent = MD5_NONE};
    const bool is_read = (in.ident == QUAKE_MDL   ? read_mdl(&in, scene)
                          : in.ident == QUAKE_MD2 ? read_md2(&in)
                                                  : read_md3(&in))
                         && add_parts(&in, scene);
    if (is_read && in.num_cleaned > 0)
        convert_note(job, "%s: %u names have quotes or control bytes, now _", in.path,
                     in.num_cleaned);
    COMMON_FOR (i, in.doc.num_meshes) {
        free(in.surfaces[i].sources);
        free(in.surfaces[i].next);
        free(in.doc.meshes[i].texcoords);
        free(in.doc.meshes[i].indices);
        free(in.doc.meshes[i].weights);
        free(in.doc.meshes[i].vertices);
    }
    free(in.surfaces);
    free(in.doc.meshes);
    free(in.doc.joints);
    free(in.joints);
    free(in.frames);
    free(in.bounds);
    free(in.stem);
    common_free_list(&in.texts);
    return is_read;
}
