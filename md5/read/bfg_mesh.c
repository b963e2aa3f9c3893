// Models of Doom 3 BFG: .bmd5mesh files. Mixed byte order, as Model_md5.cpp of RBDOOM-3-BFG reads
// it. Vertices are baked: a position in the bind pose, and up to four joints. They become weights,
// of which the loader makes what it makes of those in text; normals are derived again.
#include "md5/read/binary.h"
#include "md5/read/mesh_file.h"

enum { VERTEX_BYTES = 32, VERTEX_JOINTS = 4 };

typedef struct bfg_mesh_reader {
    md5_binary in;
    md5_mesh_file *file;
    md5_xform *bind;
    md5_mat34 *inverse;
} bfg_mesh_reader;

bool md5i_is_bfg_mesh(const char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "BRM", 3) == 0;
}

// -- Head -----------------------------------------------------------------------------------------

static bool read_head(md5_binary *in)
{
    enum { BOUNDS = 24, NUMBERS = 12, FLAGS = 9, TIME = 8 };
    md5_span name;
    const unsigned char *const magic = md5i_binary_take(in, 4);
    TRY(magic);
    if (magic[3] != 108 && magic[3] != 110)
        return md5i_binary_fail(in, MD5_ERROR_VERSION,
                                "BFG model of version %u: expected 108 or 110", magic[3]);
    (void)md5i_binary_take(in, TIME);
    const uint32_t num_surfaces = md5i_binary_big_32(in);
    if (num_surfaces != 0)
        return md5i_binary_fail(in, MD5_ERROR_VERSION,
                                "a BFG model with surfaces of its own: "
                                "expected one of an .md5mesh, without");
    (void)md5i_binary_take(in, BOUNDS);
    (void)md5i_binary_take(in, NUMBERS);
    TRY(md5i_binary_text(in, &name, "the model's name") && md5i_binary_take(in, FLAGS));
    const unsigned char *const second = md5i_binary_take(in, 4);
    TRY(second);
    if (memcmp(second, "5DM", 3) != 0 || second[3] != 106) {
        in->at = second;
        return md5i_binary_fail(in, MD5_ERROR_VERSION, "expected '5DM' and version 106");
    }
    return true;
}

// -- Joints ---------------------------------------------------------------------------------------

static bool read_names(bfg_mesh_reader *reader, md5_file_joint *joints, uint32_t *order)
{
    md5_binary *const in = &reader->in;
    for (uint32_t joint = 0; joint < reader->file->num_joints; joint++) {
        TRY(md5i_binary_text(in, &joints[joint].name, "a joint's name"));
        const int32_t parent = (int32_t)md5i_binary_big_32(in);
        TRY(!in->has_failed);
        if (parent >= (int32_t)joint) {
            in->at -= 4;
            return md5i_binary_fail(in, MD5_ERROR_RANGE,
                                    "joint %u has parent %d: expected one before it", joint,
                                    parent);
        }
        joints[joint].parent = parent < 0 ? -1 : parent;
        order[joint] = joint;
    }
    return true;
}

// The file has transforms relative to the parent, which comes first.
static bool read_bind_pose(bfg_mesh_reader *reader, const md5_file_joint *joints)
{
    enum { BYTES = 28 };
    md5_binary *const in = &reader->in;
    uint32_t count;
    TRY(md5i_binary_count(in, "joints of the bind pose", 1, BYTES, &count));
    if (count != reader->file->num_joints)
        return md5i_binary_fail(in, MD5_ERROR_RANGE, "%u joints of the bind pose: expected %u",
                                count, reader->file->num_joints);
    for (uint32_t joint = 0; joint < count; joint++) {
        md5_xform local = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
        TRY(md5i_binary_rotation(in, &local.rotation) && md5i_binary_point(in, &local.translation));
        const int32_t parent = joints[joint].parent;
        reader->bind[joint] = parent < 0 ? local : md5_xform_mul(reader->bind[parent], local);
        reader->bind[joint].rotation =
            md5_quat_normalize(reader->bind[joint].rotation, local.rotation);
        reader->inverse[joint] = md5_mat34_inverse(md5_mat34_from_xform(reader->bind[joint]));
    }
    return true;
}

static bool read_joints(bfg_mesh_reader *reader)
{
    enum { LEAST_BYTES = 8, MATRIX_BYTES = 48 };
    md5_binary *const in = &reader->in;
    md5_mesh_file *const file = reader->file;
    uint32_t num_matrices;
    TRY(md5i_binary_count(in, "joints", 1, LEAST_BYTES, &file->num_joints));
    const size_t count = file->num_joints;
    md5_file_joint *const joints =
        (md5_file_joint *)md5i_arena_alloc(in->arena, count, sizeof *joints);
    uint32_t *const order = (uint32_t *)md5i_arena_room(in->arena, count, sizeof *order);
    reader->bind = (md5_xform *)md5i_arena_room(in->arena, count, sizeof *reader->bind);
    reader->inverse = (md5_mat34 *)md5i_arena_room(in->arena, count, sizeof *reader->inverse);
    TRY(joints && order && reader->bind && reader->inverse);
    TRY(read_names(reader, joints, order) && read_bind_pose(reader, joints));
    TRY(md5i_binary_count(in, "inverse matrices", 1, MATRIX_BYTES, &num_matrices));
    file->joints = joints;
    file->order = order;
    file->bind = reader->bind;
    return md5i_binary_take(in, (size_t)num_matrices * MATRIX_BYTES) != NULL;
}

// -- Meshes ---------------------------------------------------------------------------------------

// Half precision: 1 sign, 5 exponent, 10 mantissa bits. The engine writes neither denormals nor
// infinities; they are read as numbers all the same.
static float half_of(const unsigned char *bytes)
{
    const uint32_t bits = (uint32_t)bytes[0] << 8 | bytes[1];
    const int exponent = (int)(bits >> 10 & 31);
    const float mantissa = (float)(bits & 1023) / 1024.0f;
    const float size =
        exponent == 0 ? ldexpf(mantissa, -14) : ldexpf(1.0f + mantissa, exponent - 15);
    return bits >> 15 ? -size : size;
}

static bool read_vertex(bfg_mesh_reader *reader, md5_file_mesh *mesh, uint32_t vertex)
{
    enum { TEXCOORD = 12, JOINTS = 24, WEIGHTS = 28 };
    md5_binary *const in = &reader->in;
    const unsigned char *const at = in->at;
    const float x = md5i_binary_big_float(in), y = md5i_binary_big_float(in);
    const md5_vec3 position = {x, y, md5i_binary_big_float(in)};
    TRY(md5i_binary_take(in, VERTEX_BYTES - TEXCOORD));
    in->at = at;
    if (!(fabsf(position.x) <= 1e9f && fabsf(position.y) <= 1e9f && fabsf(position.z) <= 1e9f))
        return md5i_binary_fail(in, MD5_ERROR_RANGE, "a position beyond 1e9");
    mesh->texcoords[vertex] = (md5_vec2){half_of(at + TEXCOORD), half_of(at + TEXCOORD + 2)};
    mesh->vertices[vertex] = (md5_vertex){mesh->num_weights, 0};
    for (int i = 0; i < VERTEX_JOINTS; i++) {
        const uint32_t joint = at[JOINTS + i], weight = at[WEIGHTS + i];
        if (weight == 0)
            continue;
        if (joint >= reader->file->num_joints)
            return md5i_binary_fail(in, MD5_ERROR_RANGE, "joint %u, but there are %u", joint,
                                    reader->file->num_joints);
        mesh->weights[mesh->num_weights++] = (md5_weight){
            joint, (float)weight / 255.0f, md5_mat34_point(reader->inverse[joint], position)};
        mesh->vertices[vertex].num_weights++;
    }
    if (mesh->vertices[vertex].num_weights == 0)
        mesh->vertices[vertex].first_weight = 0;
    in->at = at + VERTEX_BYTES;
    return true;
}

static bool read_vertices(bfg_mesh_reader *reader, md5_file_mesh *mesh)
{
    md5_arena *const arena = reader->in.arena;
    const size_t count = mesh->num_vertices;
    mesh->vertices = (md5_vertex *)md5i_arena_room(arena, count, sizeof *mesh->vertices);
    mesh->texcoords = (md5_vec2 *)md5i_arena_room(arena, count, sizeof *mesh->texcoords);
    mesh->weights =
        (md5_weight *)md5i_arena_room(arena, VERTEX_JOINTS * count, sizeof *mesh->weights);
    TRY(mesh->vertices && mesh->texcoords && mesh->weights);
    for (uint32_t v = 0; v < mesh->num_vertices; v++)
        TRY(read_vertex(reader, mesh, v));
    return true;
}

static bool read_triangles(bfg_mesh_reader *reader, md5_file_mesh *mesh, uint32_t num_indices)
{
    md5_binary *const in = &reader->in;
    mesh->num_triangles = num_indices / 3;
    mesh->triangles = (uint32_t *)md5i_arena_room(in->arena, num_indices, sizeof *mesh->triangles);
    const unsigned char *const bytes =
        mesh->triangles ? md5i_binary_take(in, 2 * (size_t)num_indices) : NULL;
    TRY(bytes);
    for (uint32_t i = 0; i < num_indices; i++) {
        mesh->triangles[i] = (uint32_t)bytes[2 * i] << 8 | bytes[2 * i + 1];
        if (mesh->triangles[i] >= mesh->num_vertices) {
            in->at = bytes + 2 * (size_t)i;
            return md5i_binary_fail(in, MD5_ERROR_RANGE, "vertex %u, but there are %u",
                                    mesh->triangles[i], mesh->num_vertices);
        }
    }
    return true;
}

static bool read_mesh(bfg_mesh_reader *reader, md5_file_mesh *mesh)
{
    md5_binary *const in = &reader->in;
    uint32_t num_joints, num_indices, num_mirrored, num_duplicates, num_edges;
    TRY(md5i_binary_text(in, &mesh->shader, "a material's name"));
    (void)md5i_binary_big_32(in); // vertices and triangles before seams were copied
    (void)md5i_binary_big_32(in);
    TRY(md5i_binary_count(in, "joints of a mesh", 0, 1, &num_joints));
    (void)md5i_binary_take(in, num_joints);
    (void)md5i_binary_big_float(in); // largest distance of a vertex from its joint
    (void)md5i_binary_big_32(in);    // vertices again
    TRY(md5i_binary_count(in, "vertices", 0, VERTEX_BYTES, &mesh->num_vertices));
    TRY(md5i_binary_count(in, "indices", 0, 4, &num_indices));
    TRY(md5i_binary_count(in, "mirrored vertices", 0, 4, &num_mirrored));
    TRY(md5i_binary_count(in, "duplicate vertices", 0, 8, &num_duplicates));
    TRY(md5i_binary_count(in, "edges", 0, 8, &num_edges));
    if (num_indices % 3 != 0)
        return md5i_binary_fail(in, MD5_ERROR_RANGE, "%u indices: expected three for a triangle",
                                num_indices);
    TRY(read_vertices(reader, mesh) && read_triangles(reader, mesh, num_indices));
    // Indices, mirrored and equal vertices and edges of shadows; the number of the surface.
    const size_t rest = 2 * (size_t)num_indices + 4 * (size_t)num_mirrored
                        + 8 * (size_t)num_duplicates + 8 * (size_t)num_edges;
    return md5i_binary_take(in, rest) && md5i_binary_take(in, 4);
}

bool md5i_read_bfg_mesh(md5_arena *arena, const char *bytes, size_t size, size_t note_size,
                        md5_mesh_file *file)
{
    enum { LEAST_BYTES = 48 };
    *file = (md5_mesh_file){0};
    bfg_mesh_reader reader = {.file = file};
    md5i_binary_begin(&reader.in, arena, bytes, size);
    TRY(read_head(&reader.in) && read_joints(&reader));
    TRY(md5i_binary_count(&reader.in, "meshes", 0, LEAST_BYTES, &file->num_meshes));
    md5_file_mesh *const meshes =
        (md5_file_mesh *)md5i_arena_alloc(arena, file->num_meshes, sizeof *meshes);
    file->notes = md5i_arena_alloc(arena, file->num_meshes, note_size);
    TRY(meshes && file->notes);
    file->tables = md5i_arena_here(arena);
    for (uint32_t m = 0; m < file->num_meshes; m++)
        TRY(read_mesh(&reader, &meshes[m]));
    file->meshes = meshes;
    return true;
}
