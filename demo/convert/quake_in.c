// Quake's vertex-animated models in: MDL, MD2 and MD3, which have a position of every vertex in
// every frame instead of joints. Space, winding and texture coordinates' origin are those of MD5.
//
// The model is frame 0 on one joint, `origin`; each other frame is a morph target, and frames whose
// names count up are a clip in which the weight of each is 1 at its time. Tags of MD3 are joints.
// Normals are not read: MD5's readers compute them.
#include "demo/convert/budget.h"
#include "demo/convert/quake.h"
#include "demo/looks/image.h"

enum { MAX_FRAMES = 1024, MAX_TAGS = 256, MAX_SKINS = 256, MAX_SIDE = 1 << 13 };

// Where numbers of the header are, and sizes of rows: the bytes that a number is at.
enum { MDL, MD2, MD3 };
static const struct kind {
    uint32_t ident;
    uint32_t version;
    size_t frames, sides;                  // sides: of skins
    size_t points, triangles;              // of MD3 in the header of a surface
    size_t triangle, corner, index, place; // sizes of a row, of what is before its indexes, ...
} kinds[] = {
    {QUAKE_MDL, QUAKE_MDL_VERSION, 68, 52, 60, 64, 16, 4, 4, 12},
    {QUAKE_MD2, QUAKE_MD2_VERSION, 40, 8, 24, 32, 12, 0, 2, 4},
    {QUAKE_MD3, QUAKE_MD3_VERSION, 76, 0, 80, 84, 12, 0, 4, 8},
};

typedef struct quake_frame {
    const char *name;
    size_t points; // of MDL and MD2: where they are
    float scale[3];
    float origin[3];
    size_t group; // of MDL: where it is; 0: none
    double rate;
} quake_frame;

typedef struct quake_surface { // beside each mesh
    uint32_t *sources;         // [vertices] the point of each
    size_t points, step;       // of MD3: where they are in frame 0, and how far it is to the next
} quake_surface;

typedef struct quake_reader {
    const convert_job *job;
    const char *path;
    const char *stem;
    md5_error *error;
    bool has_failed; // nothing that follows counts; numbers behind the end of the file are 0
    const uint8_t *bytes;
    size_t size, at; // at: where MDL goes on
    const struct kind *kind;
    quake_frame next;    // what all frames have that are added
    quake_frame *frames; // [num_frames]
    md5_bounds *bounds;  // [num_frames]
    md5_doc doc;         // the model, in one frame after the other
    quake_surface *surfaces;
    convert_joint *joints;      // the origin, then tags
    size_t tags;                // where these are: [num_frames][doc.num_joints - 1]
    uint32_t width, height;     // of skins
    uint32_t num_frames, first; // first: of the clip that is made
    common_list memory;
} quake_reader;

#define FAIL(...)     \
    (in->has_failed = \
         in->has_failed || !convert_fail(in->error, MD5_ERROR_RANGE, in->path, __VA_ARGS__))
#define NOTE(text, ...) convert_note(in->job, "%s: " text, in->path, __VA_ARGS__)

// -- Bytes ----------------------------------------------------------------------------------------

// Charges elements before they are walked. Several surfaces may use the same bytes. Returns false
// if the reader has failed.
static bool charge(quake_reader *in, uint64_t num_elements)
{
    in->has_failed = in->has_failed || !convert_charge(in->job, num_elements, in->error);
    return !in->has_failed;
}

// The same for memory before it is allocated.
static bool charge_bytes(quake_reader *in, uint64_t count, uint64_t size)
{
    in->has_failed = in->has_failed || !convert_charge_bytes(in->job, count, size, in->error);
    return !in->has_failed;
}

static void *hold(quake_reader *in, size_t count, size_t size)
{
    return common_add(&in->memory, common_alloc(count, size));
}

static bool has(quake_reader *in, size_t at, size_t size)
{
    if (at > in->size || size > in->size - at)
        FAIL("truncated file: %zu bytes at offset %zu are outside the file, which has %zu bytes",
             size, at, in->size);
    return !in->has_failed;
}

static uint32_t get(quake_reader *in, size_t at, size_t size)
{
    return has(in, at, size) ? common_number(in->bytes + at, size) : 0;
}

static float get_float(quake_reader *in, size_t at)
{
    const uint32_t word = get(in, at, 4);
    float number;
    memcpy(&number, &word, sizeof number);
    if (!(fabsf(number) <= 1e9f))
        FAIL("offset %zu: expected a number from -1e9 to 1e9, found %g", at, number);
    return number;
}

// A number within limits; else 0.
static uint32_t check(quake_reader *in, size_t at, size_t size, uint64_t min, uint64_t end,
                      const char *what)
{
    const uint32_t number = get(in, at, size);
    if (number != min && end == min + 1)
        FAIL("%s at offset %zu: expected %d, found %d", what, at, (int32_t)min, (int32_t)number);
    if (number < min || number >= end)
        FAIL("%s at offset %zu: expected %d to %d, found %d", what, at, (int32_t)min,
             (int32_t)end - 1, (int32_t)number);
    return in->has_failed ? 0 : number;
}

// A name of at most `most` bytes, in which MD5 texts can hold every byte.
static const char *get_text(quake_reader *in, size_t at, size_t most)
{
    const bool is_there = charge(in, most) && has(in, at, most);
    const char *const from = is_there ? (const char *)in->bytes + at : "";
    char *const text = convert_sanitize(from, most, CONVERT_QUOTE);
    if (strncmp(text, from, most) != 0)
        NOTE("replaced quotes and control characters with _ in the name %s", text);
    return common_add(&in->memory, text);
}

// -- Frames and meshes ----------------------------------------------------------------------------

// Adds a frame. Positions are numbers times a scale on an origin; grid 0: those of MD3.
static void add_frame(quake_reader *in, size_t grid, size_t name, size_t points)
{
    quake_frame *const frame = &in->frames[in->num_frames];
    if (in->num_frames == MAX_FRAMES) {
        FAIL("too many frames (limit %d): each frame becomes a morph target", MAX_FRAMES);
        return;
    }
    *frame = in->next;
    frame->name = get_text(in, name, QUAKE_FRAME_NAME);
    frame->points = points;
    for (size_t k = 0; k < 3; k++) {
        frame->scale[k] = grid > 0 ? get_float(in, grid + 4 * k) : 0.015625f;
        frame->origin[k] = grid > 0 ? get_float(in, grid + 12 + 4 * k) : 0;
    }
    in->num_frames++;
}

// Adds a mesh, or a surface, whose header begins at `start`. Vertices are the file's points, and
// behind them copies of those that have several texture coordinates.
static void add_mesh(quake_reader *in, size_t start, const char *name, const char *shader,
                     size_t places, size_t triangles)
{
    enum { MAX_TRIES = 64, MD2_PLACES = 28 }; // after so many, equal vertices stay apart
    enum { BYTES_PER_VERTEX = 64 };           // in all tables of a mesh
    const struct kind *const kind = in->kind;
    const bool is_mdl = kind == &kinds[MDL];
    const bool is_md2 = kind == &kinds[MD2];
    const uint32_t num_points =
        check(in, start + kind->points, 4, kind->sides > 0, in->size / 4, "number of vertices");
    const uint32_t num_triangles =
        check(in, start + kind->triangles, 4, 0, in->size / 12, "number of triangles");
    const size_t num_corners = 3 * (size_t)num_triangles;
    const size_t most = num_points + num_corners;
    if (!charge(in, 8 * (uint64_t)most) || !charge_bytes(in, most, BYTES_PER_VERTEX))
        return;
    md5_doc_mesh *const mesh = &in->doc.meshes[in->doc.num_meshes];
    uint32_t *const next = hold(in, most, sizeof *next); // a further vertex of the point; 0: unused
    uint32_t *const sources = hold(in, most, sizeof *sources);
    in->surfaces[in->doc.num_meshes++].sources = sources;
    *mesh = (md5_doc_mesh){.name = name,
                           .shader = shader,
                           .num_vertices = num_points,
                           .num_triangles = num_triangles,
                           .texcoords = hold(in, most, sizeof *mesh->texcoords),
                           .indices = hold(in, num_corners, sizeof *mesh->indices)};
    for (uint32_t i = 0; i < num_points; i++)
        sources[i] = i;
    for (size_t i = 0; i < num_corners; i++) {
        const size_t row = triangles + kind->triangle * (i / 3);
        const size_t corner = row + kind->corner + kind->index * (i % 3);
        const uint32_t point = check(in, corner, kind->index, 0, num_points, "vertex index");
        const uint32_t place =
            is_md2 ? check(in, corner + 6, 2, 0, get(in, MD2_PLACES, 4), "texture coordinate index")
                   : point;
        const size_t at = places + kind->place * place;
        md5_vec2 uv;
        if (kind == &kinds[MD3]) {
            uv = (md5_vec2){get_float(in, at), get_float(in, at + 4)};
        } else { // centers of texels
            const bool is_back = is_mdl && get(in, at, 4) != 0 && get(in, row, 4) == 0;
            const int32_t s = is_mdl ? (int32_t)get(in, at + 4, 4) : (int16_t)get(in, at, 2);
            const int32_t t = is_mdl ? (int32_t)get(in, at + 8, 4) : (int16_t)get(in, at + 2, 2);
            uv = (md5_vec2){(float)((s + 0.5 + (is_back ? in->width / 2 : 0)) / in->width),
                            (float)((t + 0.5) / in->height)};
        }
        uint32_t vertex = point;
        for (int tries = 0;
             next[vertex] && memcmp(&mesh->texcoords[vertex], &uv, sizeof uv) != 0;) {
            vertex = tries++ < MAX_TRIES ? next[vertex] : MD5_NONE;
            if (vertex == MD5_NONE) {
                vertex = mesh->num_vertices++;
                sources[vertex] = point;
                mesh->texcoords[vertex] = uv;
                next[vertex] = next[point];
                next[point] = vertex;
            }
        }
        next[vertex] = next[vertex] ? next[vertex] : MD5_NONE;
        mesh->texcoords[vertex] = uv;
        mesh->indices[i] = vertex;
    }
    mesh->num_weights = mesh->num_vertices;
    mesh->weights = hold(in, mesh->num_vertices, sizeof *mesh->weights);
    mesh->vertices = hold(in, mesh->num_vertices, sizeof *mesh->vertices);
    for (uint32_t i = 0; i < mesh->num_vertices; i++)
        mesh->vertices[i] = (md5_vertex){i, 1};
}

// The first of the shaders; others are left out.
static const char *get_shader(quake_reader *in, size_t at, uint32_t count, size_t size,
                              const char *otherwise)
{
    enum { ELEMENTS_PER_NOTE = 100 };
    for (uint32_t i = 1; i < count && charge(in, ELEMENTS_PER_NOTE); i++)
        NOTE("skipped skin %s: only the first skin is used",
             get_text(in, at + size * i, QUAKE_PATH));
    return count > 0 ? get_text(in, at, QUAKE_PATH) : otherwise;
}

// -- MDL ------------------------------------------------------------------------------------------

// How many skins or frames come next: one, or those of a group, which has a rate.
static uint32_t read_group(quake_reader *in, size_t size)
{
    const size_t head = in->at + 4;
    in->at = head;
    in->next = (quake_frame){.rate = QUAKE_RATE};
    if (get(in, head - 4, 4) == 0)
        return 1;
    const uint32_t count = check(in, head, 4, 1, MAX_FRAMES + 1, "group size");
    const float time = get_float(in, head + size);
    in->at += size + 4 * (size_t)count;
    in->next.group = head;
    if (time >= 0.01f && time <= 1e6f) // engines use no other times, nor shorter ones
        in->next.rate = (double)(1.0f / time);
    return count;
}

// Adds a picture as a material: the first one is that of the mesh.
static void add_skin(quake_reader *in, convert_scene *scene, const uint8_t *palette, bool has_holes,
                     const char *shader)
{
    enum { HOLE = 255 };
    const size_t count = (size_t)in->width * in->height;
    if (scene->num_materials == MAX_SKINS)
        FAIL("too many skins (limit %d)", MAX_SKINS);
    if (!has(in, in->at, count))
        return;
    if (!charge(in, count) || !charge_bytes(in, count, 4))
        return;
    view_image image = {common_alloc(count, 4), in->width, in->height};
    for (size_t i = 0; i < count; i++) {
        const uint8_t texel = in->bytes[in->at++];
        memcpy(image.rgba + 4 * i, palette + 3 * (size_t)texel, 3);
        image.rgba[4 * i + 3] = has_holes && texel == HOLE ? 0 : 255;
    }
    convert_image picture = {.name = common_copy(shader)};
    picture.bytes = view_encode_png(&image, has_holes, &picture.size);
    free(image.rgba);
    if (!picture.bytes)
        NOTE("skipped skin %s: built without PNG support", shader);
    *COMMON_MORE(scene->materials, scene->num_materials) =
        (convert_material){.shader = common_copy(shader),
                           .maps = {picture},
                           .alpha = has_holes ? CONVERT_MASK : CONVERT_OPAQUE,
                           .cutoff = 0.5f};
}

static void read_mdl(quake_reader *in, uint32_t num_frames, convert_scene *scene)
{
    enum { SCALE = 8, EYE = 36, SKINS = 48, SYNC = 72, FLAGS = 76, HOLEY = 0x4000 };
    uint8_t palette[QUAKE_PALETTE];
    char name[256];
    bool is_found = true;
    const uint32_t num_skins = check(in, SKINS, 4, 0, MAX_SKINS + 1, "number of skins");
    const uint32_t flags = get(in, FLAGS, 4);
    const uint32_t sync = get(in, SYNC, 4);
    const size_t num_points = get(in, in->kind->points, 4);
    const size_t num_triangles = get(in, in->kind->triangles, 4);
    if (num_skins > 0)
        in->has_failed |= !quake_find_palette(in->job, in->path, palette, &is_found, in->error);
    if (!is_found)
        NOTE("skins are grayscale: palette %s not found; use --palette", "gfx/palette.lmp");
    in->at = QUAKE_MDL_HEADER;
    for (uint32_t skin = 0; skin < num_skins; skin++) {
        const uint32_t count = read_group(in, 4);
        for (uint32_t image = 0; image < count && !in->has_failed; image++) {
            md5_quake_image_name(in->stem, skin, image, name, sizeof name);
            add_skin(in, scene, palette, (flags & HOLEY) != 0, skin + image > 0 ? name : in->stem);
        }
    }
    if (scene->num_materials > 1)
        NOTE("the mesh uses the first of %zu skins; the others were converted to unused materials",
             scene->num_materials);
    const size_t triangles = in->at + 12 * num_points;
    add_mesh(in, 0, "", in->stem, in->at, triangles);
    in->at = triangles + 16 * num_triangles;
    for (uint32_t i = 0; i < num_frames && !in->has_failed; i++) {
        const uint32_t count = read_group(in, 12);
        for (uint32_t k = 0; k < count && !in->has_failed; k++) {
            const size_t points = in->at + 8 + QUAKE_FRAME_NAME;
            add_frame(in, SCALE, in->at + 8, points);
            in->at = points + 4 * num_points;
        }
    }
    const float x = get_float(in, EYE);
    const float y = get_float(in, EYE + 4);
    const float z = get_float(in, EYE + 8);
    if (sync != 0 || (flags & ~(uint32_t)HOLEY) != 0 || fabsf(x) + fabsf(y) + fabsf(z) > 0)
        NOTE("skipped the model's flags 0x%x, synctype %u and eye position %g %g %g", flags, sync,
             x, y, z);
}

// -- MD2 and MD3 ----------------------------------------------------------------------------------

static void read_md2(quake_reader *in, uint32_t num_frames)
{
    enum { FRAME_SIZE = 16, SKINS = 20, OFS_SKINS = 44, OFS_PLACES = 48, OFS_TRIANGLES = 52 };
    enum { OFS_FRAMES = 56, OFS_END = 64, HEAD = 24 + QUAKE_FRAME_NAME };
    const uint64_t least = HEAD + 4 * (uint64_t)get(in, in->kind->points, 4);
    const size_t size = check(in, FRAME_SIZE, 4, least, in->size, "frame size");
    const uint32_t num_skins = check(in, SKINS, 4, 0, in->size / QUAKE_PATH, "number of skins");
    check(in, OFS_END, 4, QUAKE_MD2_HEADER, in->size + 1, "end offset");
    add_mesh(in, 0, "", get_shader(in, get(in, OFS_SKINS, 4), num_skins, QUAKE_PATH, in->stem),
             get(in, OFS_PLACES, 4), get(in, OFS_TRIANGLES, 4));
    for (uint32_t i = 0; i < num_frames; i++) {
        const size_t row = get(in, OFS_FRAMES, 4) + size * i;
        add_frame(in, row, row + 24, row + HEAD);
    }
}

// Where a tag is; its axes are the columns of a rotation. Returns how far it is from one.
static float get_tag(quake_reader *in, uint32_t frame, uint32_t tag, convert_xform *place)
{
    const size_t at = in->tags + QUAKE_PATH
                      + QUAKE_MD3_TAG * (frame * ((size_t)in->doc.num_joints - 1) + tag - 1);
    float off = 0;
    md5_mat34 m;
    for (size_t i = 0; i < 12; i++) // the origin, then the axes
        m.m[4 * (i % 3) + (i / 3 + 3) % 4] = get_float(in, at + 4 * i);
    const md5_xform joint = md5_xform_from_mat34(m);
    *place = convert_from_xform(joint);
    for (int i = 0; i < 12; i++)
        off = fmaxf(off, fabsf(m.m[i] - md5_mat34_from_xform(joint).m[i]));
    return off;
}

static void read_md3(quake_reader *in, uint32_t num_frames)
{
    enum {
        FLAGS = 72,
        TAGS = 80,
        SURFACES = 84,
        OFS_FRAMES = 92,
        OFS_TAGS = 96,
        OFS_SURFACES = 100
    };
    enum { TAG = 16 };        // elements that a tag costs
    enum { FRAME_NAME = 40 }; // of a frame; then of a surface:
    enum { NAME = 4, FRAMES = 72, SHADERS = 76, OFS_TRIANGLES = 88, OFS_SHADERS = 92 };
    enum { OFS_PLACES = 96, OFS_POINTS = 100, OFS_END = 104 };
    const uint32_t num_tags = check(in, TAGS, 4, 0, MAX_TAGS + 1, "number of tags");
    const uint32_t num_surfaces =
        check(in, SURFACES, 4, 0, in->size / QUAKE_MD3_SURFACE + 1, "number of surfaces");
    const uint32_t flags = get(in, FLAGS, 4);
    size_t start = get(in, OFS_SURFACES, 4);
    convert_xform unused;
    float off = 0;
    in->tags = get(in, OFS_TAGS, 4);
    for (uint32_t i = 0; i < num_frames; i++)
        add_frame(in, 0, get(in, OFS_FRAMES, 4) + QUAKE_MD3_FRAME * (size_t)i + FRAME_NAME, 0);
    for (uint32_t i = 0; i < num_tags; i++) {
        const char *name = get_text(in, in->tags + QUAKE_MD3_TAG * (size_t)i, QUAKE_PATH);
        for (uint32_t k = 0; k < i + 1; k++)
            if (strcmp(in->joints[k].name, name) == 0)
                name = common_add(&in->memory, common_format("%s_%u", name, i));
        in->joints[in->doc.num_joints++] = (convert_joint){.name = name};
    }
    if (!charge(in, TAG * (uint64_t)num_frames * num_tags))
        return;
    for (uint32_t i = 0; i < num_frames * num_tags; i++)
        off = fmaxf(off, get_tag(in, i / num_tags, i % num_tags + 1, &unused));
    if (off > 1e-3f)
        NOTE("skipped scale, mirroring or skew of tags (up to %g): joints cannot store them", off);
    in->doc.meshes = hold(in, num_surfaces, sizeof *in->doc.meshes);
    in->surfaces = hold(in, num_surfaces, sizeof *in->surfaces);
    for (uint32_t i = 0; i < num_surfaces && !in->has_failed; i++) {
        check(in, start, 4, QUAKE_MD3, QUAKE_MD3 + 1, "surface ident");
        check(in, start + FRAMES, 4, num_frames, num_frames + 1, "surface frame count");
        const uint32_t num_shaders =
            check(in, start + SHADERS, 4, 0, in->size / QUAKE_MD3_SHADER, "number of shaders");
        const char *const name = get_text(in, start + NAME, QUAKE_PATH);
        in->surfaces[i].points = start + get(in, start + OFS_POINTS, 4);
        in->surfaces[i].step = 8 * (size_t)get(in, start + in->kind->points, 4);
        add_mesh(in, start, name,
                 get_shader(in, start + get(in, start + OFS_SHADERS, 4), num_shaders,
                            QUAKE_MD3_SHADER, name),
                 start + get(in, start + OFS_PLACES, 4), start + get(in, start + OFS_TRIANGLES, 4));
        start += check(in, start + OFS_END, 4, QUAKE_MD3_SURFACE, in->size, "surface size");
    }
    if (flags != 0)
        NOTE("skipped the model's flags 0x%x", flags);
}

// -- The scene ------------------------------------------------------------------------------------

// Brings the model to a frame, and finds its box.
static void set_frame(quake_reader *in, uint32_t frame)
{
    const quake_frame *const f = &in->frames[frame];
    md5_bounds *const box = &in->bounds[frame];
    const size_t size =
        in->kind == &kinds[MD3] ? 2 : 1; // of a number, and a fourth one with the normal
    for (uint32_t m = 0; m < in->doc.num_meshes; m++) {
        const quake_surface *const surface = &in->surfaces[m];
        for (uint32_t i = 0; i < in->doc.meshes[m].num_vertices; i++) {
            const size_t at = f->points + surface->points + surface->step * frame
                              + 4 * size * surface->sources[i];
            float v[3];
            for (size_t k = 0; k < 3; k++) {
                const uint32_t number = get(in, at + size * k, size);
                v[k] = (float)((double)f->origin[k]
                               + (double)f->scale[k]
                                     * (size == 2 ? (int16_t)number : (int32_t)number));
            }
            const md5_vec3 p = {v[0], v[1], v[2]};
            in->doc.meshes[m].weights[i] = (md5_weight){.bias = 1, .offset = p};
            *box = m + i == 0 ? (md5_bounds){p, p} : md5_bounds_union(*box, (md5_bounds){p, p});
        }
    }
    *box = md5_bounds_union(*box, in->bounds[0]); // which engines show that know no targets
}

static void pose_frame(void *user, uint32_t frame, convert_xform *local)
{
    quake_reader *const in = user;
    local[0] = (convert_xform){.rotation.w = 1};
    for (uint32_t i = 1; i < in->doc.num_joints; i++)
        get_tag(in, in->first + frame, i, &local[i]);
}

// The length of a clip's name in that of its first frame: without its number, which is 0 or 1 if it
// has more digits: stand01, pain101.
static size_t find_stem(const char *name)
{
    size_t end = strlen(name);
    const char last = end > 0 ? name[end - 1] : 'a';
    if (last == '0' || last == '1')
        while (--end > 0 && name[end - 1] == '0')
            ;
    else
        while (end > 0 && isdigit((unsigned char)name[end - 1]))
            end--;
    return end;
}

// Whether a frame goes on with the clip of the one before: in a group, or as its number is higher.
static bool goes_on(const quake_frame *frame, const char *first, size_t stem)
{
    const char *const number = frame->name + stem;
    const char *const before = frame[-1].name + stem;
    if (frame->group > 0 || frame[-1].group > 0)
        return frame->group == frame[-1].group;
    return strncmp(frame->name, first, stem) == 0 && number[strspn(number, "0123456789")] == '\0'
           && (before[0] == '\0' ? number[0] == '\0'
                                 : strtoull(number, NULL, 10) > strtoull(before, NULL, 10));
}

// Adds the clip that begins with frame in->first, and moves behind it.
static bool add_clip(quake_reader *in, convert_scene *scene, const char *const *targets)
{
    const quake_frame *const frame = &in->frames[in->first];
    const size_t stem = find_stem(frame->name);
    int length = (int)stem;
    uint32_t count = 1;
    while (length > 0 && strchr("_-. ", frame->name[length - 1]))
        length--;
    while (in->first + count < in->num_frames && goes_on(frame + count, frame->name, stem))
        count++;
    char *const title =
        common_format("%.*s", length > 0 ? length : -1, length > 0 ? frame->name : in->stem);
    char *const name = convert_file_name(title);
    const convert_motion motion = {.path = in->path,
                                   .num_joints = in->doc.num_joints,
                                   .num_frames = count,
                                   .rate = frame->rate,
                                   .joints = in->joints,
                                   .bounds = in->bounds + in->first,
                                   .pose = pose_frame,
                                   .user = in};
    const bool is_added = convert_add_clip(in->job, scene, name, &motion, NULL, in->error);
    free(name);
    free(title);
    for (uint32_t i = in->first == 0; i < count && is_added; i++) {
        convert_weights *const row = COMMON_MORE(scene->weights, scene->num_weights);
        *row = (convert_weights){common_copy(scene->parts[scene->num_parts - 1].name),
                                 common_copy(targets[in->first + i]),
                                 common_alloc(count, sizeof *row->keys), count};
        row->keys[i] = 1;
    }
    in->first += count;
    return is_added;
}

// Makes the parts of what was read.
static bool add_parts(quake_reader *in, convert_scene *scene)
{
    enum { VERTEX = 8 }; // elements that a vertex of a frame costs
    size_t size = 0;
    const char *targets[MAX_FRAMES];
    uint64_t num_vertices = 0;
    for (uint32_t i = 0; i < in->doc.num_meshes; i++)
        num_vertices += in->doc.meshes[i].num_vertices;
    if (!charge(in, VERTEX * num_vertices * in->num_frames))
        return false;
    in->doc.joints = hold(in, in->doc.num_joints, sizeof *in->doc.joints);
    convert_xform *const places = hold(in, in->doc.num_joints, sizeof *places);
    pose_frame(in, 0, places);
    for (uint32_t i = 0; i < in->doc.num_joints; i++)
        in->doc.joints[i] = convert_doc_joint(in->joints[i].name, in->joints[i].parent, places[i]);
    for (uint32_t i = 0; i < in->num_frames; i++) {
        set_frame(in, i);
        char *const name = i > 0 ? convert_file_name(in->frames[i].name) : common_copy(in->stem);
        const bool is_added =
            !in->has_failed
            && convert_add_doc(in->job, scene, i > 0 ? CONVERT_TARGET : CONVERT_MODEL, name,
                               &in->doc, in->error);
        free(name);
        if (!is_added)
            return false;
        targets[i] = scene->parts[scene->num_parts - 1].name;
        size += scene->parts[scene->num_parts - 1].size;
    }
    if (in->num_frames > 1)
        NOTE("converted %u frames to the model and %u morph targets (%.1f MB); the format does not "
             "store which clips are loops",
             in->num_frames, in->num_frames - 1, (double)size / 1e6);
    while (in->first < in->num_frames && in->num_frames > 1)
        if (!add_clip(in, scene, targets))
            return false;
    return true;
}

bool convert_read_quake(const convert_job *job, convert_input *input, convert_scene *scene,
                        md5_error *error)
{
    quake_reader reader = {
        .job = job,
        .path = input->path,
        .bytes = (const uint8_t *)input->bytes,
        .size = input->size,
        .error = error,
        .kind = kinds,
        .next = {.rate = QUAKE_RATE},
        .doc = {.kind = MD5_DOC_MODEL, .command_line = "md5tool convert", .num_joints = 1}};
    quake_reader *const in = &reader;
    const char *const begin = get_text(in, 0, 4);
    while (in->kind < kinds + MD3 && in->kind->ident != get(in, 0, 4))
        in->kind++;
    if (convert_find_model(scene))
        FAIL("cannot add the file's frames: another model is already loaded");
    if (in->kind->ident != get(in, 0, 4))
        FAIL("not a Quake model: the file starts with %s; expected IDPO, IDP2 or IDP3%s", begin,
             strcmp(begin, "IDST") == 0 ? "; Half-Life models are not supported" : "");
    check(in, 4, 4, in->kind->version, in->kind->version + 1, "version");
    in->stem = common_add(&in->memory, common_stem(in->path));
    in->frames = hold(in, MAX_FRAMES, sizeof *in->frames);
    in->bounds = hold(in, MAX_FRAMES, sizeof *in->bounds);
    in->joints = hold(in, MAX_TAGS + 1, sizeof *in->joints);
    in->joints[0] = (convert_joint){.name = "origin", .parent = MD5_NONE};
    in->doc.meshes = hold(in, 1, sizeof *in->doc.meshes);
    in->surfaces = hold(in, 1, sizeof *in->surfaces);
    const uint32_t num_frames =
        check(in, in->kind->frames, 4, 1, MAX_FRAMES + 1, "number of frames");
    if (in->kind->sides > 0) {
        in->width = check(in, in->kind->sides, 4, 1, MAX_SIDE, "skin width");
        in->height = check(in, in->kind->sides + 4, 4, 1, MAX_SIDE, "skin height");
    }
    if (in->kind == &kinds[MDL] && !in->has_failed)
        read_mdl(in, num_frames, scene);
    else if (in->kind == &kinds[MD2])
        read_md2(in, num_frames);
    else if (!in->has_failed)
        read_md3(in, num_frames);
    const bool is_read = add_parts(in, scene);
    common_free_list(&in->memory);
    return is_read;
}
