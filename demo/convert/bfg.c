// Writes Doom 3 BFG's binary files .bmd5mesh, .bMD5anim and .bcanim. RBDOOM-3-BFG writes such files
// next to the text files that it has read. The layout follows Model.cpp, Model_md5.cpp, Anim.cpp
// and Camera.cpp of that engine.
//
// A file contains values of both byte orders. put_big_endian() writes big-endian values, and
// convert_append_u32() writes little-endian values.
#include "demo/convert/assets.h"

// -- Values ---------------------------------------------------------------------------------------

// Appends a number in big-endian order.
static void put_big_endian(convert_bytes *to, uint32_t number, int size)
{
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
        convert_append_uint(to, number >> shift, 1);
}

static void put_zeros(convert_bytes *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        convert_append(to, "", 1);
}

// Returns the bits of a float as an integer.
static uint32_t float_bits(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

// Writes words of four bytes, integers or floats, in big-endian byte order.
static void put_words(convert_bytes *to, const void *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
        put_big_endian(to, word, 4);
    }
}

// Writes a rotation and a position. The engine multiplies vectors from the left, so its rotations
// are the inverses of MD5's rotations. The sign of w is therefore inverted.
static void put_joint(convert_bytes *to, md5_quat q, md5_vec3 position)
{
    put_words(to, (const float[]){q.x, q.y, q.z, -q.w}, 4);
    convert_append_words(to, &position, 3);
}

static void put_text(convert_bytes *to, const char *text)
{
    convert_append_u32(to, (uint32_t)strlen(text));
    convert_append(to, text, strlen(text));
}

// Converts a number to half precision as the engine does: the mantissa is truncated, and numbers
// below 2^-14 become 0.
static uint32_t half_from_float(float number)
{
    const uint32_t bits = float_bits(number);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const int exponent = (int)(bits >> 23 & 255) - 127 + 15;
    if (exponent <= 0)
        return sign;
    return exponent > 30 ? sign | 0x7BFFu : sign | (uint32_t)exponent << 10 | (bits >> 13 & 1023u);
}

// Writes a number from -1 to 1 as a byte from 0 to 255.
static void put_unit(convert_bytes *to, float number)
{
    convert_append_uint(to, (uint32_t)((number + 1) * 127.5f + 0.5f), 1);
}

// -- Meshes ---------------------------------------------------------------------------------------

enum {
    MAX_JOINTS = 255,
    MAX_WEIGHTS = 4,          // per vertex
    PACKED = 2 * MAX_WEIGHTS, // bytes of a vertex's joints and weights
};

// Writes the vertices: a position, texture coordinates of 16 bits each, the normal and the tangent
// in bytes, and the joints and weights in `packed`.
static void put_vertices(convert_bytes *to, const md5_mesh *mesh, const uint8_t *packed)
{
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const md5_vec3 n = mesh->normals[v];
        const md5_vec4 t = mesh->tangents ? mesh->tangents[v] : (md5_vec4){1, 0, 0, 1};
        put_words(to, &mesh->positions[v], 3);
        put_big_endian(to, half_from_float(mesh->texcoords[v].x), 2);
        put_big_endian(to, half_from_float(mesh->texcoords[v].y), 2);
        const float units[] = {n.x, n.y, n.z, -1, t.x, t.y, t.z, t.w};
        for (size_t i = 0; i < COMMON_LENGTH(units); i++)
            put_unit(to, units[i]);
        convert_append(to, packed + (size_t)v * PACKED, PACKED);
    }
}

// Writes the indices of the joints of a mesh, and the largest distance between a vertex and a joint
// that moves it.
static void write_joints_and_radius(convert_bytes *to, const md5_model *model, const md5_mesh *mesh)
{
    bool is_used[MAX_JOINTS] = {false};
    uint32_t num_used = 0;
    float radius = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        for (uint32_t i = mesh->first_influence[v]; i < mesh->first_influence[v + 1]; i++) {
            const uint32_t joint = mesh->influence_joints[i];
            const md5_vec3 offset =
                md5_vec3_sub(mesh->positions[v], md5_mat34_translation(model->bind[joint]));
            radius = fmaxf(radius, md5_vec3_length(offset));
            if (!is_used[joint])
                num_used++;
            is_used[joint] = true;
        }
    }

    put_big_endian(to, num_used, 4);
    for (int joint = 0; joint < MAX_JOINTS; joint++) {
        if (is_used[joint])
            convert_append_uint(to, (uint32_t)joint, 1);
    }
    put_words(to, &radius, 1);
}

// Writes one mesh: its shader, the joints that it uses, its vertices, triangles, mirrored
// vertices and duplicates. `packed` contains the joints and weights of its vertices.
static void put_mesh(convert_bytes *to, const md5_model *model, const md5_mesh *mesh,
                     uint32_t mesh_index, const uint8_t *packed)
{
    const uint32_t num_indices = 3 * mesh->num_triangles;
    const uint32_t num_mirrored = mesh->num_vertices - mesh->num_file_vertices;

    // Vertices with equal positions share one entry for shadows and normals: the first of them.
    uint32_t *const first = common_alloc(mesh->num_vertices, sizeof *first);
    common_find_equal(mesh->positions, mesh->num_vertices, sizeof *mesh->positions, first);
    uint32_t num_duplicates = 0;
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++) {
        if (first[v] != v)
            num_duplicates++;
    }

    put_text(to, mesh->shader);
    put_big_endian(to, mesh->num_file_vertices, 4);
    put_big_endian(to, mesh->num_triangles, 4);
    write_joints_and_radius(to, model, mesh);
    const uint32_t counts[] = {mesh->num_file_vertices,
                               mesh->num_vertices,
                               num_indices,
                               num_mirrored,
                               num_duplicates,
                               0}; // no edges: the engine computes them
    put_words(to, counts, COMMON_LENGTH(counts));
    put_vertices(to, mesh, packed);

    for (uint32_t i = 0; i < num_indices; i++)
        put_big_endian(to, mesh->indices[i], 2);
    for (uint32_t i = 0; i < num_indices; i++)
        put_big_endian(to, first[mesh->indices[i]], 2);
    put_words(to, mesh->sources + mesh->num_file_vertices, num_mirrored);
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++) {
        if (first[v] != v)
            put_words(to, (const uint32_t[]){v, first[v]}, 2);
    }
    put_big_endian(to, mesh_index, 4);
    free(first);
}

// Returns true if the number of joints, and of vertices of each mesh, fit in the integers of the
// format. Otherwise fills `error`.
static bool is_writable(const md5_model *model, const char *name, md5_error *error)
{
    if (model->skeleton.num_joints > MAX_JOINTS)
        return convert_fail(error, MD5_ERROR_RANGE, name,
                            "model has too many joints: expected at most %d, found %u; write "
                            ".md5mesh, or remove joints",
                            MAX_JOINTS, model->skeleton.num_joints);
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        if (model->meshes[m].num_vertices > UINT16_MAX)
            return convert_fail(error, MD5_ERROR_RANGE, name,
                                "mesh %u '%.60s' has too many vertices after seams are split: "
                                "expected at most 65535, found %u; divide the mesh with md5tool "
                                "fix --max-vertices",
                                m, model->meshes[m].shader, model->meshes[m].num_vertices);
    }
    return true;
}

// Writes the header of the render model, of which the MD5 model is a part.
static void put_model_header(const md5_model *model, const char *name, convert_bytes *to)
{
    enum { VERSION = 110, TIME_SIZE = 8, COUNT_SIZE = 4, NUMBERS_SIZE = 12 }; // sizes in bytes
    convert_append(to, (const unsigned char[]){'B', 'R', 'M', VERSION}, 4);
    put_zeros(to, TIME_SIZE);  // 0 matches every source file
    put_zeros(to, COUNT_SIZE); // no additional surfaces
    convert_append_words(to, &model->bounds, 6);
    put_zeros(to, NUMBERS_SIZE);
    char *const file = common_format("%s.md5mesh", name);
    put_text(to, file);
    free(file);
    // Nine flags of one byte. Those for reloading, drawing, lighting and casting shadows are set.
    convert_append(to, (const unsigned char[]){0, 0, 0, 0, 1, 0, 1, 1, 1}, 9);
}

// Writes the joints: names and parents, the bind pose, and the inverse bind matrices.
static void put_joints(const md5_model *model, convert_bytes *to)
{
    const uint32_t count = model->skeleton.num_joints;
    put_big_endian(to, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        const md5_joint *const joint = &model->skeleton.joints[i];
        put_text(to, joint->name);
        put_big_endian(to, joint->parent, 4); // MD5_NONE is -1
    }

    put_big_endian(to, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        const md5_xform *const local = &model->bind_local[i];
        put_joint(to, local->rotation, local->translation);
    }

    // The format contains an even number of matrices, so the last matrix is repeated if their
    // number is odd.
    const uint32_t num_added = count % 2;
    put_big_endian(to, count + num_added, 4);
    put_words(to, model->inverse_bind, 12 * (size_t)count);
    put_words(to, &model->inverse_bind[count - 1], 12 * (size_t)num_added);
}

// Writes a complete model file: the header of the render model, the skeleton and the meshes.
// `packed` contains the joints and weights of the vertices of all meshes.
static void put_model(const md5_model *model, const char *name, const uint8_t *packed,
                      convert_bytes *to)
{
    enum { MESH_VERSION = 106 };
    put_model_header(model, name, to);
    convert_append(to, (const unsigned char[]){'5', 'D', 'M', MESH_VERSION}, 4);
    put_joints(model, to);
    put_big_endian(to, model->num_meshes, 4);
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        put_mesh(to, model, &model->meshes[m], m, packed);
        packed += (size_t)model->meshes[m].num_vertices * PACKED;
    }
}

// Returns the difference between a texture coordinate and its value in half precision.
static double half_error(float number)
{
    const uint32_t half = half_from_float(number);
    const uint32_t exponent = half >> 10 & 31u;
    const uint32_t mantissa = half & 1023u;
    const double size = exponent > 0 ? ldexp(1024.0 + mantissa, (int)exponent - 25) : 0;
    return fabs(fabs((double)number) - size);
}

// Reports the largest change of a texture coordinate, because the format stores texture coordinates
// in half precision.
static void note_half_error(const convert_job *job, const md5_model *model)
{
    double max_error = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        for (uint32_t v = 0; v < mesh->num_vertices; v++)
            max_error = fmax(max_error, fmax(half_error(mesh->texcoords[v].x),
                                             half_error(mesh->texcoords[v].y)));
    }
    if (max_error > 0)
        convert_note(job,
                     "texture coordinates were rounded to 11 bits, as the format requires; the "
                     "largest change is %.2g of the image's size",
                     max_error);
}

// Converts a document of a model to the bytes of a binary model file. The document is written as
// text and loaded again as a model. Only the model has derived geometry, such as copies of vertices
// at mirror seams.
static bool make_model(const convert_job *job, const md5_doc *doc, const char *name,
                       convert_bytes *to, md5_error *error)
{
    convert_part part = {.kind = CONVERT_MODEL, .name = (char *)(uintptr_t)name};
    md5_model *const model = convert_print_doc(doc, &part.bytes, &part.size, error)
                                 ? convert_parse_model(&part, error)
                                 : NULL;
    const bool is_created = model && is_writable(model, name, error);
    uint8_t *const packed = is_created ? convert_pack_bytes(job, model, MAX_WEIGHTS) : NULL;
    if (is_created) {
        note_half_error(job, model);
        put_model(model, name, packed, to);
    }
    free(packed);
    md5_free_model(model);
    free(part.bytes);
    return is_created;
}

// -- Animations and cameras -----------------------------------------------------------------------

// Writes the header of a binary clip: the version, the counts, and the bounds of each frame. The
// format requires an integer frame rate and bounds, so a rounded frame rate and missing bounds
// are reported.
static void put_anim_header(const convert_job *job, const md5_doc *doc, convert_bytes *to)
{
    enum { VERSION = 101, TIME = 8 };
    const uint32_t rate = (uint32_t)fmax(floor(doc->frame_rate + 0.5), 1.0);
    if (rate != doc->frame_rate)
        convert_note(job,
                     "frame rate %g was rounded to %u: the format stores integer frame rates only",
                     doc->frame_rate, rate);
    if (!doc->bounds)
        convert_note(job, "the clip has no bounds: empty bounds were written");

    convert_append(to, (const unsigned char[]){'B', 'M', 'D', VERSION}, 4);
    put_zeros(to, TIME);
    // Duration in milliseconds, rounded up.
    const uint32_t length = (uint32_t)(((uint64_t)(doc->num_frames - 1) * 1000 + rate - 1) / rate);
    const uint32_t counts[] = {doc->num_frames,     rate,           length, doc->num_joints,
                               doc->num_components, doc->num_frames};
    put_words(to, counts, COMMON_LENGTH(counts));
    if (doc->bounds)
        put_words(to, doc->bounds, 6 * (size_t)doc->num_frames);
    else
        put_zeros(to, sizeof(md5_bounds) * doc->num_frames);
}

// Writes the hierarchy and the base frame. The root is moved to the origin, because frames store
// its translation relative to the base frame.
static void put_anim_joints(const md5_doc *doc, convert_bytes *to)
{
    put_big_endian(to, doc->num_joints, 4);
    for (uint32_t i = 0; i < doc->num_joints; i++) {
        const md5_doc_joint *const joint = &doc->joints[i];
        const md5_track track = joint->track;
        put_text(to, joint->name);
        put_words(to, (const uint32_t[]){joint->parent, track.flags, track.first}, 3);
    }

    const md5_vec3 origin = {0, 0, 0};
    put_big_endian(to, doc->num_joints, 4);
    for (uint32_t i = 0; i < doc->num_joints; i++) {
        const md5_vec3 q = doc->joints[i].rotation;
        put_joint(to, md5_quat_from_xyz(q.x, q.y, q.z), i == 0 ? origin : doc->joints[i].position);
    }
}

// Returns the axis of the root's translation that a component of the frames contains: 0 to 2 for x
// to z. Returns 3 if the component belongs to another joint or to the rotation.
static int find_root_axis(const md5_track *root, uint32_t component)
{
    uint32_t index = root->first;
    for (int axis = 0; axis < 3; axis++) {
        const bool is_animated = (root->flags >> axis & 1) != 0;
        if (is_animated && index == component)
            return axis;
        if (is_animated)
            index++;
    }
    return 3;
}

// Writes the components of all frames, and then the translation of the root in the last frame.
static void put_anim_frames(const md5_doc *doc, convert_bytes *to)
{
    const md5_doc_joint *const root = &doc->joints[0];
    const float base[] = {root->position.x, root->position.y, root->position.z};
    float last_translation[3] = {0};
    put_big_endian(to, doc->num_frames * doc->num_components, 4);

    for (uint32_t frame = 0; frame < doc->num_frames; frame++) {
        const float *const numbers = doc->numbers + (size_t)frame * doc->num_components;
        for (uint32_t i = 0; i < doc->num_components; i++) {
            const int axis = find_root_axis(&root->track, i);
            float number = numbers[i];
            if (axis < 3) {
                number -= base[axis];
                last_translation[axis] = number;
            }
            convert_append_words(to, &number, 1);
        }
    }

    put_zeros(to, 4); // the engine writes one number more than the count
    convert_append_words(to, last_translation, 3);
}

// Writes a clip. The root's translation becomes relative to its base frame, so that the clip begins
// at the origin.
static void put_anim(const convert_job *job, const md5_doc *doc, convert_bytes *to)
{
    put_anim_header(job, doc, to);
    put_anim_joints(doc, to);
    put_anim_frames(doc, to);
}

// Writes a camera file. The format stores the frame rate as an integer of at least 1, so the
// rate is rounded.
static void put_camera(const md5_doc *doc, convert_bytes *to)
{
    enum { VERSION = 100 };
    convert_append(to, (const unsigned char[]){'A', 'C', 'B', VERSION}, 4);
    const uint32_t counts[] = {(uint32_t)fmax(floor(doc->frame_rate + 0.5), 1.0), doc->num_cuts};
    convert_append_words(to, counts, 2);
    convert_append_words(to, doc->cuts, doc->num_cuts);
    convert_append_u32(to, doc->num_frames);
    for (uint32_t i = 0; i < doc->num_frames; i++) {
        md5_camera_view *const view = &doc->views[i];
        put_words(to, &view->fov, 1);
        put_words(to, &view->rotation, 3);
        convert_append_words(to, &view->position, 3);
    }
}

// Writes a document in the binary format of Doom 3 BFG Edition for its kind.
bool convert_create_bfg(const convert_job *job, const md5_doc *doc, const char *name,
                        convert_bytes *to, md5_error *error)
{
    if (doc->kind == MD5_DOC_CAMERA) {
        put_camera(doc, to);
        return true;
    }
    if (doc->kind == MD5_DOC_MODEL)
        return make_model(job, doc, name, to, error);
    put_anim(job, doc, to);
    return true;
}
