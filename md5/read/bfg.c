// Reads the binary files of Doom 3 BFG and RBDOOM-3-BFG: meshes, animations and cameras. Some
// values of these files are little-endian, others big-endian. The functions binary_*() read one
// value each, and check that the file does not end before it.
#include "md5/core/math.h"
#include "md5/read/tables.h"

// A binary file that is being read. After the first failure every value is read as 0. Therefore
// callers check only counts, and values that are used as indices.
typedef struct md5_binary {
    md5_arena *arena;
    const unsigned char *start;
    const unsigned char *at;
    const unsigned char *end;
    bool has_failed;
} md5_binary;

// == Values ======================================================================================

static void binary_begin(md5_binary *in, md5_arena *arena, const char *bytes, size_t size)
{
    const unsigned char *const start = (const unsigned char *)bytes;
    *in = (md5_binary){.arena = arena, .start = start, .at = start, .end = start + size};
}

// Reports an error at the next byte. Its location is line 1, with the offset of the byte as the
// column. Returns false.
static bool binary_fail(md5_binary *in, md5_status status, const char *format, ...)
{
    char message[sizeof((md5_error *)0)->message];
    MD5_PRINT(message, format);
    in->has_failed = true;
    (void)md5i_fail(in->arena->context, status, 1, (uint32_t)(in->at - in->start) + 1, "%s",
                    message);
    return false;
}

// Returns the next `size` bytes and skips them. Returns NULL if fewer bytes are left.
static const unsigned char *binary_read(md5_binary *in, size_t size)
{
    const unsigned char *const bytes = in->at;
    if (!in->has_failed && size > (size_t)(in->end - in->at))
        (void)binary_fail(in, MD5_ERROR_SYNTAX,
                          "truncated file: expected %zu more bytes, found %zu", size,
                          (size_t)(in->end - in->at));
    if (in->has_failed)
        return NULL;
    in->at += size;
    return bytes;
}

// Returns the float that consists of these bits.
static float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t binary_little_32(md5_binary *in)
{
    const unsigned char *const b = binary_read(in, 4);
    return b ? (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0] : 0;
}

static uint32_t binary_big_32(md5_binary *in)
{
    const unsigned char *const b = binary_read(in, 4);
    return b ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3] : 0;
}

static float binary_big_float(md5_binary *in)
{
    return float_from_bits(binary_big_32(in));
}

static float binary_little_float(md5_binary *in)
{
    return float_from_bits(binary_little_32(in));
}

// Reads a text: its length in little-endian order, then that many bytes. A NUL byte is an error.
static bool binary_text(md5_binary *in, md5_span *text, const char *value_name)
{
    const uint32_t size = binary_little_32(in);
    const unsigned char *const bytes = binary_read(in, size);
    TRY(bytes);
    if (size > 0 && memchr(bytes, '\0', size)) {
        in->at = bytes;
        return binary_fail(in, MD5_ERROR_SYNTAX, "%s contains a NUL byte", value_name);
    }
    *text = (md5_span){(const char *)bytes, size};
    return true;
}

// Checks `value`, which is a count of items that was just read, and writes it to *count. The count
// must be at least `min`. The rest of the file must have space for that many items of `bytes` bytes
// each. `value_name` names the items in messages. An error refers to the last four bytes, which
// contain the count.
static bool binary_count(md5_binary *in, uint32_t value, const char *value_name, uint32_t min,
                         size_t bytes, uint32_t *count)
{
    TRY(!in->has_failed);
    *count = value;
    const size_t left = (size_t)(in->end - in->at);
    const bool is_in_range = value >= min && value <= INT32_MAX;
    const bool fits = value <= left / bytes;
    if (!is_in_range || !fits) {
        in->at -= 4;
        return binary_fail(
            in, MD5_ERROR_RANGE,
            "invalid number of %s: expected at least %u, found %lld; the remaining %zu bytes "
            "can contain at most %zu",
            value_name, min, (long long)(int32_t)value, left, left / bytes);
    }
    return true;
}

// Reads a count of items that must equal `expected`. Each item has `bytes` bytes.
static bool binary_same_count(md5_binary *in, const char *value_name, size_t bytes,
                              uint32_t expected)
{
    uint32_t count = 0;
    TRY(binary_count(in, binary_big_32(in), value_name, 0, bytes, &count));
    if (count != expected) {
        in->at -= 4;
        return binary_fail(in, MD5_ERROR_RANGE, "wrong number of %s: expected %u, found %u",
                           value_name, expected, count);
    }
    return true;
}

// Reads a position of three floats in little-endian order. Coordinates above 1e9 are errors.
static bool binary_point(md5_binary *in, md5_vec3 *point)
{
    const unsigned char *const begin = in->at;
    const float x = binary_little_float(in);
    const float y = binary_little_float(in);
    const float z = binary_little_float(in);
    *point = (md5_vec3){x, y, z};
    TRY(!in->has_failed);
    if (!md5_vec3_in_range(*point)) {
        in->at = begin;
        return binary_fail(in, MD5_ERROR_RANGE,
                           "position is out of range: expected -1e9 to 1e9, found ( %g %g %g )",
                           point->x, point->y, point->z);
    }
    return true;
}

// Reads a rotation of four floats in big-endian order, and normalizes it. The sign of w is changed,
// because id's engine multiplies vectors from the left. If the length is far from 1, the file is
// probably damaged, which is an error.
static bool binary_rotation(md5_binary *in, md5_quat *rotation)
{
    const unsigned char *const begin = in->at;
    const float x = binary_big_float(in);
    const float y = binary_big_float(in);
    const float z = binary_big_float(in);
    const float w = binary_big_float(in);
    const float square = x * x + y * y + z * z + w * w;
    TRY(!in->has_failed);
    const bool is_near_unit_length = square >= 0.25f && square <= 4; // false for NaN
    if (!is_near_unit_length) {
        in->at = begin;
        return binary_fail(in, MD5_ERROR_RANGE,
                           "rotation is not normalized: expected length 1, found %g",
                           sqrtf(square));
    }
    const float scale = 1.0f / sqrtf(square);
    *rotation = (md5_quat){x * scale, y * scale, z * scale, -w * scale};
    return true;
}

// Reads the name and the parent of a joint. Parents precede their children.
static bool binary_joint(md5_binary *in, uint32_t number, md5_file_joint *joint)
{
    TRY(binary_text(in, &joint->name, "joint name"));
    const int32_t parent = (int32_t)binary_big_32(in);
    TRY(!in->has_failed);
    joint->parent = parent < 0 ? MD5_NONE : (uint32_t)parent;
    if (parent >= (int32_t)number) {
        in->at -= 4;
        return binary_fail(
            in, MD5_ERROR_RANGE,
            "joint %u has an invalid parent: expected a joint before it, found joint %d", number,
            parent);
    }
    return true;
}

// == Meshes ======================================================================================
//
// .bmd5mesh files, as Model_md5.cpp of RBDOOM-3-BFG reads them. A vertex has a position in the bind
// pose and up to four joints. Vertices are converted to weights, so that the loader can treat the
// mesh like one from a text. Normals are derived again.

enum { VERTEX_BYTES = 32, VERTEX_JOINTS = 4 };

// State while a .bmd5mesh is read.
typedef struct bfg_mesh_reader {
    md5_binary in;
    md5_mesh_file *file;
    md5_xform *bind;    // [num_joints] bind pose in model space
    md5_mat34 *inverse; // [num_joints] inverse matrices of the bind pose
} bfg_mesh_reader;

// -- Joints ---------------------------------------------------------------------------------------

// Reads the transforms of joints relative to their parents. Parents precede their children.
static bool read_bind_pose(bfg_mesh_reader *reader, const md5_file_joint *joints)
{
    enum { BYTES = 28 };
    md5_binary *const in = &reader->in;
    const uint32_t count = reader->file->num_joints;
    TRY(binary_same_count(in, "bind pose joints", BYTES, count));

    for (uint32_t joint = 0; joint < count; joint++) {
        md5_xform local = {.rotation = {0, 0, 0, 1}};
        TRY(binary_rotation(in, &local.rotation) && binary_point(in, &local.translation));

        const uint32_t parent = joints[joint].parent;
        reader->bind[joint] =
            parent == MD5_NONE ? local : md5_xform_mul(reader->bind[parent], local);
        reader->bind[joint].rotation =
            md5_quat_normalize(reader->bind[joint].rotation, local.rotation);
        reader->inverse[joint] = md5_mat34_inverse(md5_mat34_from_xform(reader->bind[joint]));
    }
    return true;
}

// Reads the joints and the bind pose of a model. Parents precede their children.
static bool read_mesh_joints(bfg_mesh_reader *reader)
{
    enum { MIN_BYTES = 8, MATRIX_BYTES = 48 };
    md5_binary *const in = &reader->in;
    md5_mesh_file *const file = reader->file;
    uint32_t num_matrices = 0;
    TRY(binary_count(in, binary_big_32(in), "joints", 1, MIN_BYTES, &file->num_joints));

    const size_t count = file->num_joints;
    md5_file_joint *const joints = MD5_ALLOC_ZEROED(in->arena, md5_file_joint, count);
    uint32_t *const order = MD5_ALLOC_ARRAY(in->arena, uint32_t, count);
    reader->bind = MD5_ALLOC_ARRAY(in->arena, md5_xform, count);
    reader->inverse = MD5_ALLOC_ARRAY(in->arena, md5_mat34, count);
    TRY(joints && order);
    TRY(reader->bind && reader->inverse);

    for (uint32_t joint = 0; joint < reader->file->num_joints; joint++) {
        TRY(binary_joint(in, joint, &joints[joint]));
        order[joint] = joint;
    }

    TRY(read_bind_pose(reader, joints));
    TRY(binary_count(in, binary_big_32(in), "inverse matrices", 1, MATRIX_BYTES, &num_matrices));
    file->joints = joints;
    file->order = order;
    file->bind = reader->bind;
    file->has_w = true;
    return binary_read(in, (size_t)num_matrices * MATRIX_BYTES) != NULL;
}

// -- Meshes ---------------------------------------------------------------------------------------

// Converts a half-precision float, which has 1 sign bit, 5 exponent bits and 10 mantissa bits. The
// engine does not write denormals or infinities. This function gives some number for both.
static float float_from_half(const unsigned char *bytes)
{
    const uint32_t bits = (uint32_t)bytes[0] << 8 | bytes[1];
    const int exponent = (int)(bits >> 10 & 31);
    const float mantissa = (float)(bits & 1023) / 1024.0f;
    const float size =
        exponent == 0 ? ldexpf(mantissa, -14) : ldexpf(1.0f + mantissa, exponent - 15);
    return bits >> 15 ? -size : size;
}

// Reads the weights of vertex `v`. `position` is its position in model space. From `joints` on, the
// file stores VERTEX_JOINTS joint indices of one byte, and then as many weights from 0 to 255.
// Weights of 0 are skipped. The offset of a weight is the position of the vertex relative to the
// weight's joint in the bind pose.
static bool read_vertex_weights(bfg_mesh_reader *reader, md5_mesh_build *mesh, uint32_t v,
                                const unsigned char *joints, md5_vec3 position)
{
    const unsigned char *const weights = joints + VERTEX_JOINTS;
    md5_vertex *const vertex = &mesh->file_vertices[v];
    *vertex = (md5_vertex){mesh->num_weights, 0};
    for (uint32_t i = 0; i < VERTEX_JOINTS; i++) {
        const uint32_t joint = joints[i];
        if (weights[i] == 0)
            continue;
        if (joint >= reader->file->num_joints)
            return binary_fail(
                &reader->in, MD5_ERROR_RANGE,
                "vertex refers to an unknown joint: expected an index below %u, found %u",
                reader->file->num_joints, joint);
        mesh->weights[mesh->num_weights++] = (md5_weight){
            .joint = joint,
            .bias = (float)weights[i] / 255.0f,
            .offset = md5_mat34_point(reader->inverse[joint], position),
        };
        vertex->num_weights++;
    }
    if (vertex->num_weights == 0)
        vertex->first_weight = 0; // as for such vertices of a text
    return true;
}

// Reads vertex `v`: a position in model space, texture coordinates, and the weights of four joints.
static bool read_vertex(bfg_mesh_reader *reader, md5_mesh_build *mesh, uint32_t v)
{
    // Offsets of members in a vertex, and the number of bytes after its position.
    enum { TEXCOORD_OFFSET = 12, JOINTS_OFFSET = 24, REMAINING = VERTEX_BYTES - TEXCOORD_OFFSET };
    md5_binary *const in = &reader->in;

    const unsigned char *const begin = in->at;
    const float x = binary_big_float(in);
    const float y = binary_big_float(in);
    const float z = binary_big_float(in);
    const md5_vec3 position = {x, y, z};
    TRY(binary_read(in, REMAINING));
    in->at = begin;
    if (!md5_vec3_in_range(position))
        return binary_fail(in, MD5_ERROR_RANGE,
                           "position is out of range: expected -1e9 to 1e9, found ( %g %g %g )",
                           position.x, position.y, position.z);

    const unsigned char *const texcoord = begin + TEXCOORD_OFFSET;
    mesh->texcoords[v] = (md5_vec2){float_from_half(texcoord), float_from_half(texcoord + 2)};

    TRY(read_vertex_weights(reader, mesh, v, begin + JOINTS_OFFSET, position));
    in->at = begin + VERTEX_BYTES;
    return true;
}

// Reads `num_indices` 16-bit vertex indices, three for each triangle.
static bool read_indices(md5_binary *in, md5_mesh_build *mesh, uint32_t num_indices)
{
    mesh->num_triangles = num_indices / 3;
    mesh->indices = MD5_ALLOC_ARRAY(in->arena, uint32_t, num_indices);
    const unsigned char *const bytes =
        mesh->indices ? binary_read(in, 2 * (size_t)num_indices) : NULL;
    TRY(bytes);

    for (uint32_t i = 0; i < num_indices; i++) {
        mesh->indices[i] = (uint32_t)bytes[2 * i] << 8 | bytes[2 * i + 1];
        if (mesh->indices[i] >= mesh->num_file_vertices) {
            in->at = bytes + 2 * (size_t)i;
            return binary_fail(
                in, MD5_ERROR_RANGE,
                "triangle refers to an unknown vertex: expected an index below %u, found %u",
                mesh->num_file_vertices, mesh->indices[i]);
        }
    }
    return true;
}

// Reads the vertices of a mesh. Each vertex has up to VERTEX_JOINTS weights.
static bool read_bfg_vertices(bfg_mesh_reader *reader, md5_mesh_build *mesh)
{
    md5_arena *const arena = reader->in.arena;
    const size_t count = mesh->num_file_vertices;
    mesh->file_vertices = MD5_ALLOC_ARRAY(arena, md5_vertex, count);
    mesh->texcoords = MD5_ALLOC_ARRAY(arena, md5_vec2, count);
    mesh->weights = MD5_ALLOC_ARRAY(arena, md5_weight, VERTEX_JOINTS * count);
    TRY(mesh->file_vertices && mesh->texcoords && mesh->weights);
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++)
        TRY(read_vertex(reader, mesh, v));
    return true;
}

// Bytes of one item in the arrays of a mesh.
enum { INDEX_BYTES = 2, MIRRORED_BYTES = 4, DUPLICATE_BYTES = 8, EDGE_BYTES = 8 };

// Numbers of items in the arrays of a mesh. The engine has derived all arrays except the vertices
// and the indices. These arrays are skipped, so only their sizes are needed.
typedef struct bfg_mesh_counts {
    uint32_t num_indices;
    uint32_t num_mirrored;   // vertices that were copied because the texture is mirrored there
    uint32_t num_duplicates; // pairs of vertices at the same position
    uint32_t num_edges;      // edges that shadow volumes use
} bfg_mesh_counts;

// Reads the numbers of items in the arrays of a mesh, including mesh->num_file_vertices.
static bool read_mesh_counts(md5_binary *in, md5_mesh_build *mesh, bfg_mesh_counts *counts)
{
    enum { INDEX_ARRAYS = 2 }; // the indices, and indices for shadows
    TRY(binary_count(in, binary_big_32(in), "vertices", 0, VERTEX_BYTES, &mesh->num_file_vertices));
    TRY(binary_count(in, binary_big_32(in), "indices", 0, (size_t)INDEX_ARRAYS * INDEX_BYTES,
                     &counts->num_indices));
    TRY(binary_count(in, binary_big_32(in), "mirrored vertices", 0, MIRRORED_BYTES,
                     &counts->num_mirrored));
    TRY(binary_count(in, binary_big_32(in), "duplicate vertices", 0, DUPLICATE_BYTES,
                     &counts->num_duplicates));
    TRY(binary_count(in, binary_big_32(in), "edges", 0, EDGE_BYTES, &counts->num_edges));
    if (counts->num_indices % 3 != 0)
        return binary_fail(in, MD5_ERROR_RANGE,
                           "wrong number of indices: expected a multiple of 3, found %u",
                           counts->num_indices);
    return true;
}

// Skips the indices for shadows and the other arrays that the engine derived.
static bool skip_derived_arrays(md5_binary *in, const bfg_mesh_counts *counts)
{
    const size_t shadow_index_bytes = INDEX_BYTES * (size_t)counts->num_indices;
    const size_t mirrored_bytes = MIRRORED_BYTES * (size_t)counts->num_mirrored;
    const size_t duplicate_bytes = DUPLICATE_BYTES * (size_t)counts->num_duplicates;
    const size_t edge_bytes = EDGE_BYTES * (size_t)counts->num_edges;
    return binary_read(in, shadow_index_bytes + mirrored_bytes + duplicate_bytes + edge_bytes);
}

// Reads one mesh: its material, the counts of all arrays, the vertices and the indices.
static bool read_bfg_mesh(bfg_mesh_reader *reader, md5_mesh_build *mesh)
{
    md5_binary *const in = &reader->in;
    uint32_t num_joints = 0;
    bfg_mesh_counts counts = {0};

    TRY(binary_text(in, &mesh->shader, "material name"));
    (void)binary_big_32(in); // number of vertices before seams were copied
    (void)binary_big_32(in); // number of triangles before seams were copied
    TRY(binary_count(in, binary_big_32(in), "mesh joints", 0, 1, &num_joints));
    (void)binary_read(in, num_joints);
    (void)binary_big_float(in); // largest distance of a vertex from its joint
    (void)binary_big_32(in);    // number of vertices, which the counts repeat

    TRY(read_mesh_counts(in, mesh, &counts));
    TRY(read_bfg_vertices(reader, mesh));
    TRY(read_indices(in, mesh, counts.num_indices));
    TRY(skip_derived_arrays(in, &counts));
    const unsigned char *const surface_number = binary_read(in, 4);
    return surface_number != NULL;
}

// Checks the beginning of a BFG model, up to the magic number that marks a model from an .md5mesh.
// The other values in this part are not needed.
static bool read_model_header(md5_binary *in)
{
    enum { BOUNDS_BYTES = 24, NUMBERS_BYTES = 12, FLAGS_BYTES = 9, TIME_BYTES = 8 };
    enum { VERSION = 108, LATER_VERSION = 110, MD5_MODEL_VERSION = 106 };
    md5_span name;
    const unsigned char *const magic = binary_read(in, 4); // "BRM" and the version
    TRY(magic);
    if (magic[3] != VERSION && magic[3] != LATER_VERSION)
        return binary_fail(in, MD5_ERROR_VERSION,
                           "unsupported version of a BFG model: expected 108 or 110, found %u",
                           magic[3]);

    (void)binary_read(in, TIME_BYTES);
    const uint32_t num_surfaces = binary_big_32(in);
    if (num_surfaces != 0)
        return binary_fail(
            in, MD5_ERROR_VERSION,
            "unsupported BFG model: expected a model with joints, found %u static surfaces",
            num_surfaces);

    (void)binary_read(in, BOUNDS_BYTES);
    (void)binary_read(in, NUMBERS_BYTES);
    TRY(binary_text(in, &name, "model name") && binary_read(in, FLAGS_BYTES));

    const unsigned char *const md5_magic = binary_read(in, 4);
    TRY(md5_magic);
    if (memcmp(md5_magic, "5DM", 3) != 0 || md5_magic[3] != MD5_MODEL_VERSION) {
        in->at = md5_magic;
        return binary_fail(in, MD5_ERROR_VERSION,
                           "not a BFG model of an .md5mesh: expected '5DM' and version 106, found "
                           "%s and version %u",
                           md5i_quote((const char *)md5_magic, 3).text, md5_magic[3]);
    }
    return true;
}

// Reads the tables of a binary model of Doom 3 BFG that was an .md5mesh.
bool md5i_read_bfg_mesh(md5_arena *arena, const char *bytes, size_t size, md5_mesh_file *file)
{
    enum { MIN_BYTES = 48 }; // smallest size of a mesh
    *file = (md5_mesh_file){0};
    bfg_mesh_reader reader = {.file = file};
    binary_begin(&reader.in, arena, bytes, size);
    TRY(read_model_header(&reader.in));

    TRY(read_mesh_joints(&reader));
    TRY(binary_count(&reader.in, binary_big_32(&reader.in), "meshes",
                     arena->context->require_meshes, MIN_BYTES, &file->num_meshes));
    md5_mesh_build *const meshes = MD5_ALLOC_ZEROED(arena, md5_mesh_build, file->num_meshes);
    TRY(meshes);
    file->tables = md5i_arena_position(arena);
    for (uint32_t m = 0; m < file->num_meshes; m++)
        TRY(read_bfg_mesh(&reader, &meshes[m]));
    file->meshes = meshes;
    return true;
}

// == Animations ==================================================================================
//
// .bMD5anim files, as Anim.cpp of RBDOOM-3-BFG reads them.

// Reads the bounding box of each frame.
static bool read_bfg_bounds(md5_binary *in, md5_anim_file *file)
{
    enum { BOX_BYTES = 24, BOX_FLOATS = 6 };
    const uint32_t count = file->num_frames;
    TRY(binary_same_count(in, "bounds", BOX_BYTES, count));
    md5_bounds *const bounds = MD5_ALLOC_ARRAY(in->arena, md5_bounds, count);
    TRY(bounds);

    for (uint32_t i = 0; i < count; i++) {
        float values[BOX_FLOATS]; // x y z of the minimum, then of the maximum
        for (uint32_t k = 0; k < BOX_FLOATS; k++) {
            values[k] = binary_big_float(in);
            if (!md5_length_in_range(values[k])) {
                in->at -= 4;
                return binary_fail(in, MD5_ERROR_RANGE,
                                   "bounding box is out of range: expected -1e9 to 1e9, found %g",
                                   values[k]);
            }
        }
        bounds[i] =
            (md5_bounds){{values[0], values[1], values[2]}, {values[3], values[4], values[5]}};
    }

    file->bounds = bounds;
    return true;
}

// Reads the flags and the first component of a joint's track. Checks that the components exist.
static bool read_bfg_track(md5_binary *in, const md5_anim_file *file, uint32_t joint,
                           md5_track *track)
{
    enum { ALL_FLAGS = MD5_TRANSLATION_FLAGS | MD5_ROTATION_FLAGS };
    enum { TRACK_BYTES = 12 }; // parent, flags, first component
    const uint32_t num_components = file->num_components;
    *track = (md5_track){binary_big_32(in), binary_big_32(in)};
    TRY(!in->has_failed);

    if (track->flags == 0)
        track->first = 0; // any value is accepted here
    const uint32_t num_used = md5i_count_flags(track->flags);
    const bool has_components =
        track->first <= num_components && num_used <= num_components - track->first;
    if (track->flags > ALL_FLAGS || !has_components) {
        in->at -= TRACK_BYTES;
        return binary_fail(in, MD5_ERROR_RANGE,
                           "joint %u uses invalid components: flags %u and first component %u do "
                           "not fit %u components",
                           joint, track->flags, track->first, num_components);
    }
    return true;
}

// Reads the joints of an animation, with the flags and the first component of each joint.
static bool read_anim_joints(md5_binary *in, md5_anim_file *file)
{
    enum { JOINT_BYTES = 16 };
    const uint32_t count = file->num_joints;
    TRY(binary_same_count(in, "joints", JOINT_BYTES, count));
    md5_file_joint *const joints = MD5_ALLOC_ZEROED(in->arena, md5_file_joint, count);
    md5_track *const tracks = MD5_ALLOC_ZEROED(in->arena, md5_track, count);
    uint32_t *const order = MD5_ALLOC_ARRAY(in->arena, uint32_t, count);
    TRY(joints && tracks && order);

    for (uint32_t joint = 0; joint < count; joint++) {
        order[joint] = joint; // parents precede their children
        TRY(binary_joint(in, joint, &joints[joint]));
        TRY(read_bfg_track(in, file, joint, &tracks[joint]));
    }

    file->joints = joints;
    file->tracks = tracks;
    file->order = order;
    return true;
}

// Reads the base frame: a rotation and a translation for each joint.
static bool read_bfg_base_frame(md5_binary *in, md5_anim_file *file)
{
    enum { FRAME_BYTES = 28 };
    const uint32_t count = file->num_joints;
    TRY(binary_same_count(in, "base frame joints", FRAME_BYTES, count));
    md5_xform *const frame = MD5_ALLOC_ZEROED(in->arena, md5_xform, count);
    TRY(frame);
    for (uint32_t joint = 0; joint < count; joint++) {
        md5_quat q = {0, 0, 0, 1};
        TRY(binary_rotation(in, &q));
        // Frames replace some of x y z, so w is computed later. The computed w is never positive.
        // Therefore the base frame needs the quaternion of the same rotation whose w is <= 0.
        const md5_vec3 xyz = md5_quat_to_xyz(q);
        frame[joint].rotation = (md5_quat){xyz.x, xyz.y, xyz.z, 0};
        TRY(binary_point(in, &frame[joint].translation));
    }
    file->base_frame = frame;
    return true;
}

// Reads the numbers of all frames. The file contains one number more than its count declares.
static bool read_numbers(md5_binary *in, md5_anim_file *file)
{
    const uint64_t expected = (uint64_t)file->num_frames * file->num_components;
    uint32_t count = 0;
    TRY(binary_count(in, binary_big_32(in), "animation values", 0, 4, &count));
    if (count != expected) {
        in->at -= 4;
        return binary_fail(in, MD5_ERROR_RANGE,
                           "wrong number of animation values: expected %llu, found %u",
                           (unsigned long long)expected, count);
    }

    float *const numbers = MD5_ALLOC_ARRAY(in->arena, float, count);
    TRY(numbers);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = binary_little_float(in);
        if (!md5_length_in_range(numbers[i])) {
            in->at -= 4;
            return binary_fail(in, MD5_ERROR_RANGE,
                               "animation value is out of range: expected -1e9 to 1e9, found %g",
                               numbers[i]);
        }
    }

    file->numbers = numbers;
    (void)binary_little_float(in);
    return !in->has_failed;
}

// Reads the tables of a binary animation of Doom 3 BFG.
bool md5i_read_bfg_anim(md5_arena *arena, const char *bytes, size_t size, md5_anim_file *file)
{
    enum { MAGIC = 4, TIME = 8, VERSION = 101 };
    md5_vec3 motion; // displacement of the root over the animation; not needed
    *file = (md5_anim_file){0};
    md5_binary binary;
    md5_binary *const in = &binary;

    binary_begin(in, arena, bytes, size);
    const unsigned char *const magic = binary_read(in, MAGIC);
    TRY(magic);

    if (magic[3] != VERSION)
        return binary_fail(in, MD5_ERROR_VERSION,
                           "unsupported version of a BFG animation: expected %d, found %u", VERSION,
                           magic[3]);

    (void)binary_read(in, TIME);
    TRY(binary_count(in, binary_big_32(in), "frames", 1, 1, &file->num_frames));
    uint32_t rate = 0;
    TRY(binary_count(in, binary_big_32(in), "frames per second", 1, 1, &rate));
    (void)binary_big_32(in); // length in milliseconds
    TRY(binary_count(in, binary_big_32(in), "joints", 1, 1, &file->num_joints));
    TRY(binary_count(in, binary_big_32(in), "animated components", 0, 1, &file->num_components));
    file->frame_rate = rate;

    TRY(read_bfg_bounds(in, file));
    TRY(read_anim_joints(in, file));
    TRY(read_bfg_base_frame(in, file));
    TRY(read_numbers(in, file));
    return binary_point(in, &motion);
}

// == Cameras =====================================================================================
//
// Camera paths of RBDOOM-3-BFG: .bcanim files, as CameraAnim in Camera.cpp reads them. Rotations
// are stored without w, as in text.

// Reads the cuts of a camera, which are indices of frames, and sets *cuts_at to their position in
// the file. The number of frames follows the cuts, so check_bfg_cuts() checks them later.
static bool read_bfg_cuts(md5_binary *in, md5_camera_file *file, const unsigned char **cuts_at)
{
    enum { CUT_BYTES = 4 };
    TRY(binary_count(in, binary_little_32(in), "cuts", 0, CUT_BYTES, &file->num_cuts));
    uint32_t *const cuts = MD5_ALLOC_ZEROED(in->arena, uint32_t, file->num_cuts);
    TRY(cuts);
    *cuts_at = in->at;
    for (uint32_t i = 0; i < file->num_cuts; i++)
        cuts[i] = binary_little_32(in);
    file->cuts = cuts;
    return true;
}

// Checks that all cuts are frames of the camera. `cuts_at` is the position of the cuts.
static bool check_bfg_cuts(md5_binary *in, const md5_camera_file *file,
                           const unsigned char *cuts_at)
{
    for (uint32_t i = 0; i < file->num_cuts; i++) {
        if (file->cuts[i] < file->num_frames)
            continue;
        in->at = cuts_at + 4 * (size_t)i;
        return binary_fail(in, MD5_ERROR_RANGE,
                           "cut is out of range: expected a frame below %u, found %lld",
                           file->num_frames, (long long)(int32_t)file->cuts[i]);
    }
    return true;
}

// Reads the field of view, x y z of the rotation and the position of a frame.
static bool read_bfg_view(md5_binary *in, md5_camera_view *view)
{
    const unsigned char *const begin = in->at;
    view->fov = binary_big_float(in);
    const float x = binary_big_float(in);
    const float y = binary_big_float(in);
    const float z = binary_big_float(in);
    TRY(!in->has_failed);

    if (!md5_length_in_range(view->fov)) {
        in->at = begin;
        return binary_fail(in, MD5_ERROR_RANGE,
                           "field of view is out of range: expected -1e9 to 1e9, found %g",
                           (double)view->fov);
    }
    if (!md5_vec3_in_range((md5_vec3){x, y, z})) {
        in->at = begin;
        return binary_fail(in, MD5_ERROR_RANGE,
                           "rotation is out of range: expected -1e9 to 1e9, found ( %g %g %g )",
                           (double)x, (double)y, (double)z);
    }
    if (!(view->fov > 0 && view->fov < 180))
        md5i_warn(in->arena->context, 1, (uint32_t)(begin - in->start) + 1,
                  "field of view is out of range: expected more than 0 and less than 180 "
                  "degrees, found %g",
                  (double)view->fov);

    view->rotation = (md5_quat){x, y, z, 0};
    return binary_point(in, &view->position);
}

// Reads the tables of a binary camera path of RBDOOM-3-BFG.
bool md5i_read_bfg_camera(md5_arena *arena, const char *bytes, size_t size, md5_camera_file *file)
{
    enum { VERSION = 100, FRAME_BYTES = 28 };
    *file = (md5_camera_file){0};
    md5_binary binary;
    md5_binary *const in = &binary;
    binary_begin(in, arena, bytes, size);
    const unsigned char *const magic = binary_read(in, 4);
    TRY(magic);
    if (magic[3] != VERSION)
        return binary_fail(in, MD5_ERROR_VERSION,
                           "unsupported version of a BFG camera: expected %d, found %u", VERSION,
                           magic[3]);

    const int32_t rate = (int32_t)binary_little_32(in);
    TRY(!in->has_failed);
    if (rate <= 0) {
        in->at -= 4;
        return binary_fail(in, MD5_ERROR_RANGE,
                           "frame rate is out of range: expected at least 1, found %d", rate);
    }
    file->frame_rate = rate;

    const unsigned char *cuts_at;
    TRY(read_bfg_cuts(in, file, &cuts_at));
    TRY(binary_count(in, binary_little_32(in), "frames", 1, FRAME_BYTES, &file->num_frames));
    TRY(check_bfg_cuts(in, file, cuts_at));

    md5_camera_view *const frames = MD5_ALLOC_ZEROED(arena, md5_camera_view, file->num_frames);
    TRY(frames);
    for (uint32_t i = 0; i < file->num_frames; i++)
        TRY(read_bfg_view(in, &frames[i]));
    file->frames = frames;
    return true;
}
