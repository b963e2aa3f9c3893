// Reads and writes Inter-Quake Model files of version 2: a model and all its clips in one file.
//
// The header contains the size and the offset of each table. Space, winding and texture coordinates
// are those of MD5. Vertices are in the bind pose, with up to four joints and weights in bytes. A
// channel is one of the ten numbers of a joint's transform; frames contain 16-bit numbers, which
// count steps of the channel's range. Table entries are structures of 4-byte words.
#include "demo/convert/assets.h"
#include "demo/convert/budget.h"
#include "demo/convert/loss.h"

// -- Layout ---------------------------------------------------------------------------------------

static const char magic[16] = "INTERQUAKEMODEL";

// Words of the header after the magic bytes.
enum { VERSION, FILE_SIZE, FLAGS, NUM_TEXT, OFS_TEXT, NUM_MESHES, OFS_MESHES, NUM_ARRAYS };
enum { NUM_VERTICES = NUM_ARRAYS + 1, OFS_ARRAYS, NUM_TRIANGLES, OFS_TRIANGLES, OFS_ADJACENCY };
enum { NUM_JOINTS = OFS_ADJACENCY + 1, OFS_JOINTS, NUM_POSES, OFS_POSES, NUM_ANIMS, OFS_ANIMS };
enum { NUM_FRAMES = OFS_ANIMS + 1, NUM_CHANNELS, OFS_FRAMES, OFS_BOUNDS, NUM_COMMENT, OFS_COMMENT };
enum { NUM_HEADER = OFS_COMMENT + 3, HEADER_SIZE = 16 + 4 * NUM_HEADER }; // two of extensions

// Entries of the tables. Names are offsets in the text block. Channels are t x y z, q x y z w, s x
// y z; MD5 joints do not have the last three, scale.
enum { CHANNELS = 10, MOVING = 7 };

typedef struct iqm_mesh {
    uint32_t name;
    uint32_t material;
    uint32_t first_vertex;
    uint32_t num_vertices;
    uint32_t first_triangle;
    uint32_t num_triangles;
} iqm_mesh;

// A vertex array. Its size is 0 if the file does not contain it.
typedef struct iqm_array {
    uint32_t type;
    uint32_t flags;
    uint32_t format;
    uint32_t size;
    uint32_t offset;
} iqm_array;

typedef struct iqm_bone {
    uint32_t name;
    uint32_t parent;
    float channels[CHANNELS]; // relative to the parent
} iqm_bone;

typedef struct iqm_pose {
    uint32_t parent;
    uint32_t mask; // bits of the channels that frames contain
    float lows[CHANNELS];
    float steps[CHANNELS];
} iqm_pose;

typedef struct iqm_clip {
    uint32_t name;
    uint32_t first;
    uint32_t count;
    float rate;
    uint32_t flags;
} iqm_clip;

typedef struct iqm_box {
    md5_bounds bounds;
    float flat_radius;
    float radius;
} iqm_box;

enum { TEXT, MESHES, ARRAYS, TRIANGLES, BONES, POSES, ANIMS, COMMENT, BOUNDS, FRAMES, NUM_TABLES };

static const struct table {
    int count;  // index in the header
    int offset; // index in the header
    uint32_t stride;
    const char *title;
} tables[NUM_TABLES] = {
    [TEXT] = {NUM_TEXT, OFS_TEXT, 1, "bytes of text"},
    [MESHES] = {NUM_MESHES, OFS_MESHES, sizeof(iqm_mesh), "meshes"},
    [ARRAYS] = {NUM_ARRAYS, OFS_ARRAYS, sizeof(iqm_array), "vertex arrays"},
    [TRIANGLES] = {NUM_TRIANGLES, OFS_TRIANGLES, 12, "triangles"}, // vertices of the file
    [BONES] = {NUM_JOINTS, OFS_JOINTS, sizeof(iqm_bone), "joints"},
    [POSES] = {NUM_POSES, OFS_POSES, sizeof(iqm_pose), "poses"},
    [ANIMS] = {NUM_ANIMS, OFS_ANIMS, sizeof(iqm_clip), "clips"},
    [COMMENT] = {NUM_COMMENT, OFS_COMMENT, 1, "bytes of comments"},
    [BOUNDS] = {NUM_FRAMES, OFS_BOUNDS, sizeof(iqm_box), "bounds"}, // offset 0: no bounds
    [FRAMES] = {NUM_FRAMES, OFS_FRAMES, 0, "frames"},               // two bytes per channel
};
enum { NUM_SLOTS = 4, LOOP = 1 };

enum { POSITION, TEXCOORD, NORMAL, TANGENT, JOINTS, WEIGHTS, NUM_TYPES }; // types of vertex arrays
// Formats of components. Formats up to UINT are integers; even formats are signed.
enum { UBYTE = 1, UINT = 5, FLOAT = 7 };

// -- Reading: tables ------------------------------------------------------------------------------

typedef struct iqm_file {
    const convert_job *job;
    const char *path;
    const uint8_t *bytes;
    size_t size;
    uint32_t header[NUM_HEADER];
    iqm_array arrays[NUM_TYPES];
    convert_joint *skeleton; // [num_joints] parents first
    convert_xform *bind;     // [num_joints] model space
    iqm_pose *poses;         // [num_joints]
    uint32_t num_joints;     // or number of poses, in a file without joints
    uint32_t first;          // first frame of the current clip
    common_list texts;       // copies of names
    md5_error *error;
    uint32_t num_cleaned; // names with replaced characters
    double scale_error;   // largest difference of a scale from 1
} iqm_file;

#define FAIL(status, ...) convert_fail(file->error, status, file->path, __VA_ARGS__)

// Copies an entry of a table.
static void get_entry(const iqm_file *file, int table, uint32_t index, void *entry)
{
    const size_t stride = tables[table].stride;
    const uint8_t *const bytes = file->bytes + file->header[tables[table].offset] + stride * index;
    for (size_t i = 0; i < stride; i += sizeof(uint32_t)) {
        const uint32_t word = common_read_little_endian(bytes + i, 4);
        memcpy((char *)entry + i, &word, sizeof word);
    }
}

// Checks the limit of numbers in models and clips.
static bool check_numbers(const iqm_file *file, const float *numbers, int count, const char *what,
                          uint32_t index)
{
    for (int i = 0; i < count; i++)
        if (!(fabsf(numbers[i]) <= 1e9f))
            return FAIL(MD5_ERROR_RANGE, "%s %u: expected a number from -1e9 to 1e9, found %g",
                        what, index, numbers[i]);
    return true;
}

// Returns true if the file contains `count` entries of `stride` bytes. All reads are checked by
// this function.
static bool has_bytes(const iqm_file *file, uint64_t offset, uint64_t count, uint64_t stride,
                      uint32_t align, const char *title)
{
    if (count == 0)
        return true;
    if (offset % align != 0)
        return FAIL(MD5_ERROR_SYNTAX, "offset of the %s: expected a multiple of %u, found %llu",
                    title, align, (unsigned long long)offset);
    // Neither the product of two 32-bit numbers nor this sum can overflow.
    if (offset >= HEADER_SIZE && offset <= file->size && count <= (file->size - offset) / stride)
        return true;
    return FAIL(MD5_ERROR_RANGE,
                "%llu %s at offset %llu are outside the file, which has %llu bytes",
                (unsigned long long)count, title, (unsigned long long)offset,
                (unsigned long long)file->size);
}

// Returns true if a table has no entries or is inside the file.
static bool check_table(const iqm_file *file, int table)
{
    const uint32_t *const header = file->header;
    uint64_t stride = tables[table].stride;
    uint32_t align = stride > 1 ? 4 : 1;
    if (table == FRAMES) {
        stride = 2 * (uint64_t)header[NUM_CHANNELS];
        align = 2;
        if (stride == 0)
            return true;
    }
    if (table == BOUNDS && header[OFS_BOUNDS] == 0)
        return true;
    return has_bytes(file, header[tables[table].offset], header[tables[table].count], stride, align,
                     tables[table].title);
}

// Reads the header and checks all tables, so that all entries can be read afterwards.
static bool read_header(iqm_file *file)
{
    uint32_t *const header = file->header;
    if (file->size < HEADER_SIZE || memcmp(file->bytes, magic, sizeof magic) != 0)
        return FAIL(MD5_ERROR_SYNTAX, "not an IQM file: expected a header that starts with %s",
                    magic);
    for (int i = 0; i < NUM_HEADER; i++)
        header[i] = common_read_little_endian(file->bytes + sizeof magic + 4 * i, 4);
    if (header[VERSION] != 2)
        return FAIL(MD5_ERROR_VERSION, "unsupported IQM version %u: expected 2", header[VERSION]);
    if (header[FILE_SIZE] < HEADER_SIZE || header[FILE_SIZE] > file->size)
        return FAIL(MD5_ERROR_RANGE,
                    "truncated or damaged file: the header declares %u bytes, but the file has %zu",
                    header[FILE_SIZE], file->size);
    file->size = header[FILE_SIZE];
    for (int i = 0; i < NUM_TABLES; i++)
        if (!check_table(file, i))
            return false;
    if (header[NUM_TEXT] > 0
        && file->bytes[(size_t)header[OFS_TEXT] + header[NUM_TEXT] - 1] != '\0')
        return FAIL(MD5_ERROR_SYNTAX, "the text block does not end with a zero byte");
    if (header[NUM_POSES] > 0 && header[NUM_JOINTS] > 0 && header[NUM_POSES] != header[NUM_JOINTS])
        return FAIL(MD5_ERROR_MISMATCH, "pose count (%u) does not match joint count (%u)",
                    header[NUM_POSES], header[NUM_JOINTS]);
    return true;
}

// Bytes per component, by format.
static const uint8_t component_sizes[] = {1, 1, 2, 2, 4, 4, 2, 4, 8};

// Finds the vertex arrays. Arrays that MD5 cannot store are counted. Normals and tangents are
// checked but not used, because MD5 readers compute both.
static bool read_arrays(iqm_file *file)
{
    static const struct type {
        const char *title;
        uint32_t min_size;
        bool is_integer; // false: float
    } types[NUM_TYPES] = {
        [POSITION] = {.title = "positions", .min_size = 3},
        [TEXCOORD] = {.title = "texture coordinates", .min_size = 2},
        [NORMAL] = {.title = "normals", .min_size = 3},
        [TANGENT] = {.title = "tangents", .min_size = 4},
        [JOINTS] = {.title = "blend joints", .min_size = 1, .is_integer = true},
        [WEIGHTS] = {.title = "blend weights", .min_size = 1, .is_integer = true},
    };
    uint32_t num_skipped = 0;
    for (uint32_t i = 0; i < file->header[NUM_ARRAYS]; i++) {
        iqm_array entry = {.type = 0};
        get_entry(file, ARRAYS, i, &entry);
        if (entry.type >= NUM_TYPES) {
            num_skipped++;
            continue;
        }
        const struct type *const type = &types[entry.type];
        if (file->arrays[entry.type].size > 0)
            return FAIL(MD5_ERROR_SYNTAX, "duplicate vertex array of %s", type->title);
        const bool is_integer = type->is_integer && entry.format <= UINT;
        const bool is_float = entry.type != JOINTS && entry.format == FLOAT;
        const bool is_supported = is_integer || is_float;
        if (!is_supported || entry.size < type->min_size || entry.size > 16)
            return FAIL(MD5_ERROR_SYNTAX,
                        "vertex array of %s has format %u and size %u: expected %s and a size of "
                        "at least %u",
                        type->title, entry.format, entry.size,
                        type->is_integer ? "integers" : "floats", type->min_size);
        const uint32_t width = component_sizes[entry.format];
        if (!has_bytes(file, entry.offset, file->header[NUM_VERTICES], (uint64_t)entry.size * width,
                       width, type->title))
            return false;
        file->arrays[entry.type] = entry;
    }
    if (num_skipped > 0)
        convert_note(file->job,
                     "%s: skipped %u vertex arrays: MD5 cannot store colors or custom "
                     "attributes",
                     file->path, num_skipped);
    if (file->arrays[POSITION].size == 0 && file->header[NUM_MESHES] > 0)
        return FAIL(MD5_ERROR_MISSING, "missing vertex array of positions");
    return true;
}

// Returns a component of a vertex, or 0 if the array does not have it. Integers are not normalized.
static double get_component(const iqm_file *file, int type, uint32_t vertex, uint32_t component)
{
    const iqm_array *const array = &file->arrays[type];
    if (component >= array->size)
        return 0;
    const uint32_t size = component_sizes[array->format];
    const uint8_t *const bytes =
        file->bytes + array->offset + ((size_t)vertex * array->size + component) * size;
    const uint32_t number = common_read_little_endian(bytes, size);
    const int64_t half = (INT64_C(1) << 8 * size) / 2; // signed numbers from here on are negative
    if (array->format % 2 == 0)
        return (double)(number < half ? number : number - 2 * half);
    if (array->format != FLOAT)
        return number;
    float real;
    memcpy(&real, &number, sizeof real);
    return real;
}

// Returns a copy of a text without the characters that MD5 texts cannot contain. Fails and returns
// NULL if the text is invalid.
static const char *get_text(iqm_file *file, uint32_t offset, const char *what)
{
    enum { MAX_BYTES = 1000 };
    if (offset == 0 && file->header[NUM_TEXT] == 0)
        return "";
    if (offset >= file->header[NUM_TEXT]) {
        FAIL(MD5_ERROR_RANGE,
             "name offset of a %s is out of range: %u; the text block has %u bytes", what, offset,
             file->header[NUM_TEXT]);
        return NULL;
    }
    const char *const text = (const char *)file->bytes + file->header[OFS_TEXT] + offset;
    const size_t available = file->header[NUM_TEXT] - offset;
    if (!memchr(text, '\0', available < MAX_BYTES ? available : MAX_BYTES)) {
        FAIL(MD5_ERROR_RANGE, "name of a %s is longer than %d bytes", what, MAX_BYTES);
        return NULL;
    }
    const size_t length = strlen(text); // charged for each use, because entries may share a text
    if (!convert_charge(file->job, length, file->error)
        || !convert_charge_bytes(file->job, length + 1, 1, file->error))
        return NULL;
    char *const copy = convert_sanitize(text, MAX_BYTES, CONVERT_QUOTE);
    file->num_cleaned += strcmp(copy, text) != 0;
    common_add(&file->texts, copy);
    return copy;
}

// -- Reading: joints ------------------------------------------------------------------------------

// Converts the ten channels of a joint to a transform. MD5 joints have no scale.
static convert_xform xform_from_channels(iqm_file *file, const double *v)
{
    for (int i = MOVING; i < CHANNELS; i++)
        file->scale_error = fmax(file->scale_error, fabs(v[i] - 1));
    return (convert_xform){convert_unit((convert_quat){v[3], v[4], v[5], v[6]}),
                           {v[0], v[1], v[2]}};
}

// Copies the names of the joints of the scene's model for a file that contains only poses. Returns
// false if there is no model with this skeleton.
static bool copy_joint_names(iqm_file *file, const convert_scene *scene)
{
    const convert_part *const model = convert_find_model(scene);
    const uint32_t count = file->header[NUM_POSES];
    md5_doc *const doc = model ? convert_parse_doc(model, NULL) : NULL;
    bool is_same = doc && doc->num_joints == count;
    for (uint32_t i = 0; i < count && is_same; i++) {
        iqm_pose pose = {.parent = 0};
        get_entry(file, POSES, i, &pose);
        is_same = pose.parent == doc->joints[i].parent;
    }
    if (is_same) {
        for (uint32_t i = 0; i < count; i++)
            common_add(&file->texts, common_copy(doc->joints[i].name));
    }
    md5_free_doc(doc);
    return is_same;
}

// Reads the joints or, in a file with frames only, the poses. Allocates one additional joint.
static bool read_joints(iqm_file *file, const convert_scene *scene)
{
    const bool has_joints = file->header[NUM_JOINTS] > 0;
    const uint32_t count = has_joints ? file->header[NUM_JOINTS] : file->header[NUM_POSES];
    file->skeleton = common_alloc((size_t)count + 1, sizeof *file->skeleton);
    file->bind = common_alloc((size_t)count + 1, sizeof *file->bind);
    file->poses = common_alloc((size_t)count + 1, sizeof *file->poses);
    file->num_joints = count;
    const bool is_named = has_joints || copy_joint_names(file, scene);
    for (uint32_t i = 0; i < count; i++) {
        iqm_pose *const pose = &file->poses[i];
        iqm_bone bone = {.name = 0};
        double v[CHANNELS];
        if (i < file->header[NUM_POSES])
            get_entry(file, POSES, i, pose);
        if (has_joints) {
            get_entry(file, BONES, i, &bone);
        } else {
            bone.parent = pose->parent;
            memcpy(bone.channels, pose->lows, sizeof bone.channels);
            if (!is_named)
                common_add(&file->texts, common_format("joint_%u", i));
        }
        if (bone.parent != MD5_NONE && bone.parent >= i)
            return FAIL(MD5_ERROR_RANGE, "joint %u has parent %d: expected an earlier joint or -1",
                        i, (int)bone.parent);
        if (!check_numbers(file, bone.channels, CHANNELS, "joint", i))
            return false;
        const char *const name =
            has_joints ? get_text(file, bone.name, "joint") : file->texts.names[i];
        if (!name)
            return false;
        for (int k = 0; k < CHANNELS; k++)
            v[k] = bone.channels[k];
        const convert_xform local = xform_from_channels(file, v);
        file->skeleton[i] = (convert_joint){name, bone.parent, local};
        file->bind[i] =
            bone.parent == MD5_NONE ? local : convert_mul(file->bind[bone.parent], local);
        const convert_vec at = file->bind[i].translation;
        if (!(fabs(at.x) + fabs(at.y) + fabs(at.z) <= 1e9))
            return FAIL(MD5_ERROR_RANGE, "joint %u is more than 1e9 units from the origin", i);
    }
    if (!is_named && count > 0)
        convert_note(file->job, "%s: %u joints without names were named joint_0, joint_1, ...",
                     file->path, count);
    return true;
}

// -- Reading: the model ---------------------------------------------------------------------------

// Reads a weight of a vertex and its joint.
static bool read_influence(const iqm_file *file, uint32_t vertex, uint32_t slot, double *weight,
                           double *joint)
{
    *weight = get_component(file, WEIGHTS, vertex, slot);
    *joint = get_component(file, JOINTS, vertex, slot);
    const bool is_weight_valid = *weight >= 0 && *weight <= 4294967295.0;
    const bool is_joint_valid = *joint >= 0 && *joint < file->num_joints;
    if (is_weight_valid
        && (is_joint_valid || !(*weight > 0))) // the joint of a weight of 0 is ignored
        return true;
    return FAIL(MD5_ERROR_RANGE,
                "vertex %u: invalid weight %g for joint %.0f: expected a weight of 0 or "
                "more and a joint below %u",
                vertex, *weight, *joint, file->num_joints);
}

// Reads a vertex and adds it to the mesh. Weights of one joint are summed.
static bool read_vertex(const iqm_file *file, uint32_t index, md5_doc_mesh *mesh)
{
    double v[5]; // x y z, u v
    double sum = 0;
    for (uint32_t i = 0; i < 5u; i++) {
        if (i < 3)
            v[i] = get_component(file, POSITION, index, i);
        else
            v[i] = get_component(file, TEXCOORD, index, i - 3);
        if (!(fabs(v[i]) <= 1e9))
            return FAIL(MD5_ERROR_RANGE,
                        "vertex %u: position or texture coordinate is out of range (limit 1e9)",
                        index);
    }
    md5_weight *const weights = mesh->weights + mesh->num_weights;
    uint32_t count = 0;
    for (uint32_t i = 0; i < file->arrays[JOINTS].size; i++) {
        double weight = 0;
        double joint = 0;
        if (!read_influence(file, index, i, &weight, &joint))
            return false;
        if (weight == 0)
            continue;
        uint32_t slot = 0;
        while (slot < count && weights[slot].joint != (uint32_t)joint)
            slot++;
        if (slot == count)
            weights[count++] = (md5_weight){.joint = (uint32_t)joint};
        weights[slot].bias += (float)weight;
        sum += weight;
    }
    if (count == 0)
        weights[count++] = (md5_weight){.bias = 1};
    for (uint32_t i = 0; i < count; i++) {
        const convert_xform back = convert_inverse(file->bind[weights[i].joint]);
        weights[i].bias = sum > 0 ? (float)(weights[i].bias / sum) : 1;
        weights[i].offset = convert_to_vec3(convert_point(back, (convert_vec){v[0], v[1], v[2]}));
    }
    mesh->vertices[mesh->num_vertices] = (md5_vertex){mesh->num_weights, count};
    mesh->texcoords[mesh->num_vertices++] = (md5_vec2){(float)v[3], (float)v[4]};
    mesh->num_weights += count;
    return true;
}

// Reads a mesh into its arrays, which have the capacity of the file's vertices and triangles. Each
// vertex and triangle belongs to one mesh, so that a small file cannot become a huge model;
// num_left[2] are the unused vertices and triangles. Vertices keep their order. The file numbers
// them across all meshes, MD5 separately in each mesh.
static bool read_mesh(iqm_file *file, uint32_t index, uint32_t num_left[2], md5_doc_mesh *mesh)
{
    const uint32_t *const header = file->header;
    iqm_mesh entry = {.name = 0};
    get_entry(file, MESHES, index, &entry);
    const uint32_t first = entry.first_vertex;
    const uint32_t count = entry.num_vertices;
    if ((uint64_t)first + count > header[NUM_VERTICES]
        || (uint64_t)entry.first_triangle + entry.num_triangles > header[NUM_TRIANGLES])
        return FAIL(MD5_ERROR_RANGE,
                    "mesh %u is out of range: it ends at vertex %llu of %u and triangle %llu of %u",
                    index, (unsigned long long)first + count, header[NUM_VERTICES],
                    (unsigned long long)entry.first_triangle + entry.num_triangles,
                    header[NUM_TRIANGLES]);
    if (count > num_left[0] || entry.num_triangles > num_left[1])
        return FAIL(MD5_ERROR_RANGE, "mesh %u overlaps another mesh's vertices or triangles",
                    index);
    num_left[0] -= count;
    num_left[1] -= entry.num_triangles;
    mesh->name = get_text(file, entry.name, "mesh");
    mesh->shader = mesh->name ? get_text(file, entry.material, "material") : NULL;
    if (!mesh->shader)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!read_vertex(file, first + i, mesh))
            return false;
    for (uint32_t i = 0; i < entry.num_triangles; i++) {
        uint32_t *const corners = mesh->indices + 3 * (size_t)mesh->num_triangles++;
        get_entry(file, TRIANGLES, entry.first_triangle + i, corners);
        for (int k = 0; k < 3; k++) {
            corners[k] -= first;
            if (corners[k] >= count)
                return FAIL(MD5_ERROR_RANGE,
                            "triangle %u of mesh %u: vertex %u is out of range; the mesh has %u "
                            "vertices from %u",
                            i, index, corners[k] + first, count, first);
        }
    }
    return true;
}

// Adds the model. A file without joints is a rigid model, which gets one joint.
static bool read_model(iqm_file *file, convert_scene *scene)
{
    if (file->num_joints == 0) {
        file->skeleton[0] = (convert_joint){.name = "origin", .parent = MD5_NONE};
        file->bind[file->num_joints++].rotation.w = 1;
    }
    uint32_t num_left[2] = {file->header[NUM_VERTICES], file->header[NUM_TRIANGLES]};
    const size_t num_vertices = (size_t)num_left[0] + 1; // of all meshes
    const size_t num_slots = (size_t)file->arrays[JOINTS].size + 1;
    if (!convert_charge(file->job, num_vertices * (uint64_t)num_slots + num_left[1], file->error)
        || !convert_charge_bytes(file->job, num_vertices, num_slots * sizeof(md5_weight),
                                 file->error))
        return false;
    // The arrays of all meshes. `next` is their unused part.
    md5_doc_mesh next = {.vertices = common_alloc(num_vertices, sizeof *next.vertices),
                         .texcoords = common_alloc(num_vertices, sizeof *next.texcoords),
                         .weights = common_alloc(num_vertices, num_slots * sizeof *next.weights),
                         .indices =
                             common_alloc((size_t)num_left[1] + 1, 3 * sizeof *next.indices)};
    const md5_doc_mesh all = next;
    md5_doc doc = {.kind = MD5_DOC_MODEL,
                   .command_line = "md5tool convert",
                   .num_joints = file->num_joints,
                   .num_meshes = file->header[NUM_MESHES]};
    doc.joints = common_alloc(doc.num_joints, sizeof *doc.joints);
    doc.meshes = common_alloc((size_t)doc.num_meshes + 1, sizeof *doc.meshes);
    for (uint32_t i = 0; i < file->num_joints; i++) {
        doc.joints[i] =
            convert_doc_joint(file->skeleton[i].name, file->skeleton[i].parent, file->bind[i]);
        // Use the bind pose with the rounding of MD5 files, so that vertices do not move. The error
        // of w is large for rotations by 180 degrees.
        const md5_vec3 q = doc.joints[i].rotation;
        file->bind[i] = convert_from_xform((md5_xform){.rotation = md5_quat_from_xyz(q.x, q.y, q.z),
                                                       .translation = doc.joints[i].position});
    }
    bool is_done = true;
    for (uint32_t i = 0; i < doc.num_meshes && is_done; i++) {
        md5_doc_mesh *const mesh = &doc.meshes[i];
        *mesh = next;
        is_done = read_mesh(file, i, num_left, mesh);
        next.vertices += mesh->num_vertices;
        next.texcoords += mesh->num_vertices;
        next.weights += mesh->num_weights;
        next.indices += 3 * (size_t)mesh->num_triangles;
    }
    if (is_done && file->arrays[WEIGHTS].size == 0)
        convert_note(file->job, "%s: vertices without weights were attached to joint 0",
                     file->path);
    char *const name = common_stem(file->path);
    is_done = is_done && convert_add_doc(file->job, scene, CONVERT_MODEL, name, &doc, file->error);
    free(name);
    free(all.vertices);
    free(all.texcoords);
    free(all.weights);
    free(all.indices);
    free(doc.meshes);
    free(doc.joints);
    return is_done;
}

// -- Reading: clips -------------------------------------------------------------------------------

// Checks that poses have the parents of the joints; otherwise the frames belong to another
// skeleton.
static bool check_poses(const iqm_file *file)
{
    uint64_t num_channels = 0;
    for (uint32_t i = 0; i < file->header[NUM_POSES]; i++) {
        const iqm_pose *const pose = &file->poses[i];
        for (int k = 0; k < CHANNELS; k++)
            num_channels += pose->mask >> k & 1;
        if (pose->parent != file->skeleton[i].parent)
            return FAIL(MD5_ERROR_MISMATCH,
                        "parent of pose %u is %d, but the parent of joint %u is %d", i,
                        (int)pose->parent, i, (int)file->skeleton[i].parent);
        if (!check_numbers(file, pose->lows, CHANNELS, "pose", i)
            || !check_numbers(file, pose->steps, CHANNELS, "pose", i))
            return false;
    }
    if (num_channels != file->header[NUM_CHANNELS])
        return FAIL(MD5_ERROR_MISMATCH, "poses have %llu channels, but frames have %u",
                    (unsigned long long)num_channels, file->header[NUM_CHANNELS]);
    return true;
}

// Returns the bytes of a frame of the current clip. Without channels there are no bytes to read.
static const uint8_t *frame_bytes(const iqm_file *file, uint32_t frame)
{
    const uint32_t num_channels = file->header[NUM_CHANNELS];
    if (num_channels == 0)
        return file->bytes;
    return file->bytes + file->header[OFS_FRAMES]
           + 2 * (size_t)num_channels * (file->first + frame);
}

// Reads the channels of a joint and returns the bytes after them.
static const uint8_t *read_channels(const iqm_file *file, uint32_t joint, const uint8_t *bytes,
                                    double v[CHANNELS])
{
    const iqm_pose *const pose = &file->poses[joint];
    for (int k = 0; k < CHANNELS; k++) {
        v[k] = pose->lows[k];
        if (pose->mask >> k & 1) {
            v[k] += (double)pose->steps[k] * common_read_little_endian(bytes, 2);
            bytes += 2;
        }
    }
    return bytes;
}

// For convert_motion.pose.
static void pose_frame(void *user, uint32_t frame, convert_xform *posed)
{
    iqm_file *const file = user;
    const uint8_t *bytes = frame_bytes(file, frame);
    for (uint32_t i = 0; i < file->num_joints; i++) {
        double v[CHANNELS];
        bytes = read_channels(file, i, bytes, v);
        posed[i] = xform_from_channels(file, v);
    }
}

// Adds a clip that begins at file->first.
static bool read_clip(iqm_file *file, convert_scene *scene, const char *name, uint32_t count,
                      double rate)
{
    const bool has_bounds = file->header[OFS_BOUNDS] != 0;
    convert_motion motion = {.num_joints = file->num_joints,
                             .joints = file->skeleton,
                             .num_frames = count,
                             .rate = rate,
                             .pose = pose_frame,
                             .user = file};
    bool is_done = true;
    if (has_bounds)
        motion.bounds = common_alloc(count, sizeof *motion.bounds);
    for (uint32_t frame = 0; frame < count && is_done && has_bounds; frame++) {
        iqm_box box = {.radius = 0};
        get_entry(file, BOUNDS, file->first + frame, &box);
        motion.bounds[frame] = box.bounds;
        is_done =
            check_numbers(file, &box.bounds.min.x, 6, "the bounds of frame", file->first + frame);
    }
    is_done = is_done && convert_add_clip(file->job, scene, name, &motion, NULL, file->error);
    free(motion.bounds);
    return is_done;
}

// Reads all clips. Clips may share frames, and joints may have no channels.
static bool read_clips(iqm_file *file, convert_scene *scene)
{
    enum { MAX_CLIPS = 1024, ELEMENTS_PER_SAMPLE = 8 }; // cost of a joint in a frame
    const uint32_t num_anims = file->header[NUM_ANIMS];
    const uint32_t num_frames = file->header[NUM_FRAMES];
    uint32_t num_loops = 0;
    if (num_anims > MAX_CLIPS)
        return FAIL(MD5_ERROR_RANGE, "invalid number of clips: expected %d, found %u", MAX_CLIPS,
                    num_anims);
    if (!check_poses(file))
        return false;
    for (uint32_t i = 0; i < num_anims; i++) {
        iqm_clip entry = {.name = 0};
        get_entry(file, ANIMS, i, &entry);
        const uint32_t first = entry.first;
        file->first = first;
        const uint32_t count = entry.count;
        const double rate = entry.rate;
        const char *const text = get_text(file, entry.name, "clip");
        if (!text)
            return false;
        if (count == 0 || (uint64_t)first + count > num_frames)
            return FAIL(MD5_ERROR_RANGE,
                        "clip %u: frames are out of range: first frame %u, %u frames; the file has "
                        "%u frames",
                        i, first, count, num_frames);
        if (!(rate >= 0 && rate <= 1e6))
            return FAIL(MD5_ERROR_RANGE, "clip %u: invalid frame rate %g: expected 0 to 1e6", i,
                        rate);
        const uint64_t num_samples = ((uint64_t)file->num_joints + 1) * count;
        if (!convert_charge(file->job, ELEMENTS_PER_SAMPLE * num_samples, file->error))
            return false;
        if (rate == 0)
            convert_note(file->job, "%s: clip %s has no frame rate; using 24", file->path, text);
        char *const name = convert_file_name(text);
        const bool is_read = read_clip(file, scene, name, count, rate > 0 ? rate : 24);
        free(name);
        if (!is_read)
            return false;
        num_loops += (entry.flags & LOOP) != 0;
    }
    if (num_loops > 0)
        convert_note(file->job, "%s: skipped the loop flags of %u clips: MD5 cannot store them",
                     file->path, num_loops);
    return true;
}

// -- Reading: the loss by scale -------------------------------------------------------------------

// Transforms of all joints, with scale and without it, in a pose.
typedef struct iqm_scale {
    // [num_joints] transforms from the space of a joint in MD5 to the space of this joint in the
    // file
    convert_affine *to_bind;
    convert_affine *scaled; // [num_joints] model space, with scale
    convert_xform *rigid;   // [num_joints] model space, without scale
    convert_affine *moves;  // [num_joints] difference
} iqm_scale;

// Returns the transform of a joint with its scale, relative to its parent.
static convert_affine scaled_local(convert_xform local, const double v[CHANNELS])
{
    convert_affine scaled = convert_affine_from_xform(local);
    for (int k = 0; k < 3; k++)
        scaled.c[k] = convert_times(scaled.c[k], v[MOVING + k]);
    return scaled;
}

// Computes the model-space transforms of a joint from its channels. Parents come first.
static void place_joint(iqm_file *file, uint32_t joint, const double v[CHANNELS], iqm_scale *scale)
{
    const uint32_t parent = file->skeleton[joint].parent;
    const convert_xform local = xform_from_channels(file, v);
    scale->scaled[joint] = scaled_local(local, v);
    scale->rigid[joint] = local;
    if (parent == MD5_NONE)
        return;
    scale->scaled[joint] = convert_mul_affine(&scale->scaled[parent], &scale->scaled[joint]);
    scale->rigid[joint] = convert_mul(scale->rigid[parent], local);
}

// Computes the bind pose. Joints whose scale is 0 there, and joints of a file that contains only
// frames, are assumed to have no scale.
static void bind_scale(iqm_file *file, iqm_scale *scale)
{
    for (uint32_t i = 0; i < file->num_joints; i++)
        scale->to_bind[i] = convert_identity;
    for (uint32_t i = 0; i < file->header[NUM_JOINTS]; i++) {
        iqm_bone bone = {.name = 0};
        double v[CHANNELS];
        convert_affine inverse;
        get_entry(file, BONES, i, &bone);
        for (int k = 0; k < CHANNELS; k++)
            v[k] = bone.channels[k];
        place_joint(file, i, v, scale);
        const convert_affine rigid = convert_affine_from_xform(scale->rigid[i]);
        if (convert_invert_affine(&scale->scaled[i], &inverse))
            scale->to_bind[i] = convert_mul_affine(&inverse, &rigid);
    }
}

// Measures a clip in all frames.
static void measure_clip(iqm_file *file, const convert_loss_clip *clip, double rate,
                         iqm_scale *scale, convert_loss *worst)
{
    for (uint32_t frame = 0; frame < clip->num_frames; frame++) {
        const uint8_t *bytes = frame_bytes(file, frame);
        for (uint32_t i = 0; i < file->num_joints; i++) {
            double v[CHANNELS];
            bytes = read_channels(file, i, bytes, v);
            place_joint(file, i, v, scale);
            const convert_affine rigid = convert_affine_from_xform(scale->rigid[i]);
            convert_affine *const move = &scale->moves[i];
            *move = convert_mul_affine(&scale->scaled[i], &scale->to_bind[i]);
            for (int k = 0; k < 4; k++)
                move->c[k] = convert_sub(move->c[k], rigid.c[k]);
        }
        convert_measure_loss(worst, clip, scale->moves, frame / rate);
    }
}

// Measures all clips with the vertices of a model that has the joints of the file.
static bool measure_clips(iqm_file *file, const md5_doc *model, double size)
{
    enum { ELEMENTS_PER_SAMPLE = 16 }; // cost of a joint in a frame
    const size_t count = file->num_joints;
    iqm_scale scale = {.to_bind = common_alloc(count, sizeof *scale.to_bind),
                       .scaled = common_alloc(count, sizeof *scale.scaled),
                       .rigid = common_alloc(count, sizeof *scale.rigid),
                       .moves = common_alloc(count, sizeof *scale.moves)};
    convert_loss worst = {.distance = 0};
    bool is_done = true;
    bind_scale(file, &scale);
    for (uint32_t i = 0; i < file->header[NUM_ANIMS] && is_done; i++) {
        iqm_clip entry = {.name = 0};
        get_entry(file, ANIMS, i, &entry);
        file->first = entry.first;
        const char *const name = get_text(file, entry.name, "clip");
        const convert_loss_clip clip = {.model = model,
                                        .name = name,
                                        .num_frames = entry.count,
                                        .num_clips = file->header[NUM_ANIMS]};
        is_done = name
                  && convert_charge(file->job, ELEMENTS_PER_SAMPLE * (uint64_t)entry.count * count,
                                    file->error);
        if (is_done)
            measure_clip(file, &clip, entry.rate > 0 ? (double)entry.rate : 24, &scale, &worst);
    }
    is_done =
        is_done && convert_report_loss(file->job, &worst, model, size, 1, file->path, file->error);
    free(scale.to_bind);
    free(scale.scaled);
    free(scale.rigid);
    free(scale.moves);
    return is_done;
}

static bool has_same_joints(const iqm_file *file, const md5_doc *model)
{
    bool is_same = model->num_joints == file->num_joints;
    for (uint32_t i = 0; i < file->num_joints && is_same; i++)
        is_same = strcmp(model->joints[i].name, file->skeleton[i].name) == 0;
    return is_same;
}

// Reports the loss by scale, measured with the model of the file, or with the model that was read
// before. Without a model that has these joints, only a note contains the scale.
static bool check_scale(iqm_file *file, const convert_scene *scene)
{
    const convert_part *const part = convert_find_model(scene);
    md5_error error = {.message = ""};
    md5_doc *const doc = part ? convert_parse_doc(part, &error) : NULL;
    md5_model *const model = doc ? convert_parse_model(part, &error) : NULL;
    bool is_done = true;
    if (model && has_same_joints(file, doc))
        is_done = measure_clips(
            file, doc, md5_vec3_length(md5_vec3_sub(model->bounds.max, model->bounds.min)));
    else
        convert_note(
            file->job,
            "%s: skipped joint scales, which differ from 1 by up to %.3g: MD5 joints have no scale",
            file->path, file->scale_error);
    md5_free_model(model);
    md5_free_doc(doc);
    return is_done;
}

bool convert_is_clip(const char *path)
{
    uint8_t bytes[16 + 4 * (NUM_MESHES + 1)] = {0};
    FILE *const stream = common_has_suffix(path, ".iqm") ? fopen(path, "rb") : NULL;
    const bool is_read = stream && fread(bytes, sizeof bytes, 1, stream) == 1;
    if (stream)
        fclose(stream);
    return is_read && common_read_little_endian(bytes + 16 + 4 * NUM_MESHES, 4) == 0;
}

bool convert_read_iqm(const convert_job *job, convert_input *input, convert_scene *scene,
                      md5_error *error)
{
    iqm_file file = {.job = job,
                     .path = input->path,
                     .bytes = (const uint8_t *)input->bytes,
                     .size = input->size,
                     .error = error};
    bool is_done = read_header(&file) && read_arrays(&file) && read_joints(&file, scene);
    const uint32_t *const header = file.header;
    if (is_done && header[NUM_FRAMES] > 0 && header[NUM_POSES] > 0)
        is_done = read_clips(&file, scene);
    const bool is_skeleton = file.num_joints > 0 && header[NUM_FRAMES] == 0;
    if (is_done && (header[NUM_MESHES] > 0 || is_skeleton))
        is_done = read_model(&file, scene);
    if (is_done && file.num_cleaned > 0)
        convert_note(job, "%s: replaced quotes and control characters with _ in %u names",
                     file.path, file.num_cleaned);
    if (is_done && file.scale_error > 1e-5)
        is_done = check_scale(&file, scene);
    common_free_list(&file.texts);
    free(file.skeleton);
    free(file.bind);
    free(file.poses);
    return is_done;
}

// -- Writing: samples -----------------------------------------------------------------------------

typedef struct iqm_writer {
    const convert_job *job;
    md5_error *error;
    convert_assets assets;
    uint32_t num_joints;
    size_t num_frames;
    size_t next_frame;       // for put_bounds()
    float (*frames)[MOVING]; // [num_frames][num_joints] relative to the parent, in steps
    iqm_pose *poses;         // [num_joints]
    uint8_t *slots;          // [drawn vertices of all meshes][2 * NUM_SLOTS] joints and weights
    convert_worst worst;
    convert_bytes out;
    convert_bytes text;
    uint32_t header[NUM_HEADER];
} iqm_writer;

#define REFUSE(...) convert_fail(writer->error, MD5_ERROR_RANGE, writer->job->output, __VA_ARGS__)

// Writes the channels of a joint, with w <= 0.
static void get_channels(md5_xform local, float *channels)
{
    const md5_quat q = local.rotation;
    const float sign = q.w > 0 ? -1 : 1;
    const float v[MOVING] = {local.translation.x, local.translation.y, local.translation.z,
                             sign * q.x,          sign * q.y,          sign * q.z,
                             sign * q.w};
    memcpy(channels, v, sizeof v);
}

// Computes the range of a channel and converts its values to steps.
static void quantize_channel(iqm_writer *writer, uint32_t joint, int k)
{
    const uint32_t count = writer->num_joints;
    iqm_pose *const pose = &writer->poses[joint];
    float low = writer->frames[joint][k];
    float high = low;
    for (size_t frame = 1; frame < writer->num_frames; frame++) {
        low = fminf(low, writer->frames[frame * count + joint][k]);
        high = fmaxf(high, writer->frames[frame * count + joint][k]);
    }
    const float step = high - low > 1e-9f ? (high - low) / 65535.0f : 0;
    pose->lows[k] = low;
    pose->steps[k] = step;
    pose->mask |= (step > 0 ? 1u : 0u) << k;
    writer->header[NUM_CHANNELS] += step > 0;
    for (size_t frame = 0; frame < writer->num_frames; frame++) {
        float *const v = &writer->frames[frame * count + joint][k];
        *v = step > 0 ? fminf(floorf((*v - low) / step + 0.5f), 65535.0f) : 0;
    }
}

// Samples all clips and quantizes the channels.
static void sample_clips(iqm_writer *writer)
{
    const convert_assets *const assets = &writer->assets;
    const uint32_t count = writer->num_joints;
    for (size_t c = 0; c < assets->num_clips; c++)
        writer->num_frames += assets->clips[c].anim->num_frames;
    writer->frames = common_alloc(writer->num_frames * count + 1, sizeof *writer->frames);
    writer->poses = common_alloc(count, sizeof *writer->poses);
    md5_xform *const pose = common_alloc(count, sizeof *pose);
    float(*out)[MOVING] = writer->frames;
    for (size_t j = 0; j < assets->num_clips; j++) {
        convert_clip *const clip = &assets->clips[j];
        const md5_anim *const anim = clip->anim;
        for (uint32_t frame = 0; frame < anim->num_frames; frame++) {
            md5_sample(clip->binding, md5_sample_position_from_frames(anim, frame, frame, 0),
                       MD5_ROOT_FILE, pose);
            for (uint32_t i = 0; i < count; i++)
                get_channels(pose[i], *out++);
        }
    }
    free(pose);
    for (uint32_t i = 0; i < count; i++) {
        iqm_pose *const to = &writer->poses[i];
        // MD5 joints have no scale: these three channels are constant.
        *to =
            (iqm_pose){.parent = assets->skeleton->joints[i].parent, .lows = {[MOVING] = 1, 1, 1}};
        for (int k = 0; k < MOVING && writer->num_frames > 0; k++)
            quantize_channel(writer, i, k);
    }
}

// -- Writing: entries -----------------------------------------------------------------------------

// Begins a table at a multiple of 4 bytes.
static void begin_table(iqm_writer *writer, int table, size_t count)
{
    while (writer->out.size % 4 != 0)
        convert_append(&writer->out, "", 1);
    writer->header[tables[table].count] = (uint32_t)count;
    writer->header[tables[table].offset] = count > 0 ? (uint32_t)writer->out.size : 0;
}

static void put_entry(iqm_writer *writer, int table, const void *entry)
{
    convert_append_words(&writer->out, entry, tables[table].stride / 4);
}

// Adds a text to the text block and returns its offset.
static uint32_t add_text(iqm_writer *writer, const char *text)
{
    const size_t offset = writer->text.size;
    if (text[0] == '\0')
        return 0;
    convert_append(&writer->text, text, strlen(text) + 1);
    return (uint32_t)offset;
}

// -- Writing: losses ------------------------------------------------------------------------------

// Returns a skinned vertex, as engines compute it. `slots` are its joints and weights.
static md5_vec3 skin_vertex(const md5_mat34 *palette, const uint8_t *slots, md5_vec3 position)
{
    md5_vec3 sum = {0, 0, 0};
    for (int k = 0; k < NUM_SLOTS; k++)
        if (slots[NUM_SLOTS + k] > 0) {
            const md5_vec3 v = md5_mat34_point(palette[slots[k]], position);
            sum = md5_vec3_add(sum, md5_vec3_scale(v, (float)slots[NUM_SLOTS + k] / 255.0f));
        }
    return sum;
}

// Writes the bounds of a frame, and finds the largest error: the distance between a vertex skinned
// by the library and the same vertex skinned by an engine from the written file.
static void put_bounds(void *user, size_t clip, uint32_t frame, const md5_mat34 *palette)
{
    iqm_writer *const writer = user;
    const md5_model *const model = writer->assets.model;
    md5_vec3 *const exact = common_alloc((size_t)model->max_vertices + 1, sizeof *exact);
    md5_xform *const pose = common_alloc(writer->num_joints, sizeof *pose);
    md5_mat34 *const written = common_alloc(writer->num_joints, sizeof *written);
    for (uint32_t i = 0; i < writer->num_joints; i++) { // the pose that readers get
        const float *const steps = writer->frames[writer->next_frame * writer->num_joints + i];
        float v[MOVING];
        for (int k = 0; k < MOVING; k++)
            v[k] = writer->poses[i].lows[k] + writer->poses[i].steps[k] * steps[k];
        const md5_quat q = {v[3], v[4], v[5], v[6]};
        pose[i] = (md5_xform){md5_quat_normalize(q, q), {v[0], v[1], v[2]}, 0};
    }
    writer->next_frame++;
    md5_local_to_palette(model, pose, NULL, written);
    iqm_box entry = {.radius = 0};
    const uint8_t *slots = writer->slots;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        md5_skin(mesh, palette, exact, NULL, NULL);
        for (uint32_t v = 0; v < mesh->num_vertices; v++, slots += 2 * NUM_SLOTS) {
            const md5_vec3 position = skin_vertex(written, slots, mesh->positions[v]);
            const double distance = md5_vec3_length(md5_vec3_sub(position, exact[v]));
            convert_find_worst(&writer->worst, (convert_worst){distance, clip, frame, m, v});
            const md5_bounds point = {position, position};
            entry.bounds = slots == writer->slots ? point : md5_bounds_union(entry.bounds, point);
            entry.radius = fmaxf(entry.radius, md5_vec3_length(position));
            entry.flat_radius = fmaxf(entry.flat_radius, hypotf(position.x, position.y));
        }
    }
    put_entry(writer, BOUNDS, &entry);
    free(written);
    free(pose);
    free(exact);
}

// -- Writing: tables ------------------------------------------------------------------------------

// Appends the values of a vertex array for one mesh.
static void put_vertices(convert_bytes *out, int type, const md5_mesh *mesh, const uint8_t *slots)
{
    const md5_vec4 no_tangent = {1, 0, 0, 1};
    const size_t count = mesh->num_vertices;
    if (type == POSITION || type == NORMAL)
        convert_append_words(out, type == POSITION ? mesh->positions : mesh->normals, 3 * count);
    else if (type == TEXCOORD)
        convert_append_words(out, mesh->texcoords, 2 * count);
    else if (type == TANGENT && mesh->tangents)
        convert_append_words(out, mesh->tangents, 4 * count);
    for (size_t v = 0; v < count; v++, slots += 2 * NUM_SLOTS)
        if (type == TANGENT && !mesh->tangents)
            convert_append_words(out, &no_tangent, 4);
        else if (type >= JOINTS)
            convert_append(out, slots + (type == WEIGHTS ? NUM_SLOTS : 0), NUM_SLOTS);
}

// Writes the names, and the ranges of vertices and triangles, of all meshes.
static bool put_mesh_table(iqm_writer *writer, size_t *num_vertices, size_t *num_triangles)
{
    const md5_model *const model = writer->assets.model;
    *num_vertices = 0;
    *num_triangles = 0;
    begin_table(writer, MESHES, model->num_meshes);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        const iqm_mesh entry = {add_text(writer, mesh->name), add_text(writer, mesh->shader),
                                (uint32_t)*num_vertices,      mesh->num_vertices,
                                (uint32_t)*num_triangles,     mesh->num_triangles};
        put_entry(writer, MESHES, &entry);
        *num_vertices += mesh->num_vertices;
        *num_triangles += mesh->num_triangles;
    }
    if (*num_vertices > UINT32_MAX / 128 || *num_triangles > UINT32_MAX / 128)
        return REFUSE("too many vertices or triangles (limit %u)", UINT32_MAX / 128);
    return true;
}

// Writes the table of vertex arrays, then the arrays: one for each type of data, with the vertices
// of all meshes.
static void put_vertex_arrays(iqm_writer *writer, size_t num_vertices)
{
    static const uint8_t sizes[NUM_TYPES] = {3, 2, 3, 4, NUM_SLOTS, NUM_SLOTS}; // per vertex
    const md5_model *const model = writer->assets.model;
    const uint32_t num_arrays = num_vertices > 0 ? NUM_TYPES : 0;
    begin_table(writer, ARRAYS, num_arrays);
    size_t offset = writer->out.size + (size_t)NUM_TYPES * tables[ARRAYS].stride;
    for (uint32_t type = 0; type < num_arrays; type++) {
        const uint32_t format = type >= JOINTS ? UBYTE : FLOAT;
        const iqm_array entry = {type, 0, format, sizes[type], (uint32_t)offset};
        put_entry(writer, ARRAYS, &entry);
        offset += num_vertices * sizes[type] * component_sizes[format];
    }
    for (int type = 0; type < NUM_TYPES; type++) {
        const uint8_t *slots = writer->slots;
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            const md5_mesh *const mesh = &model->meshes[i];
            put_vertices(&writer->out, type, mesh, slots);
            slots += 2 * NUM_SLOTS * (size_t)mesh->num_vertices;
        }
    }
}

// Writes the triangles of all meshes, with indices of the vertices of all meshes.
static void put_triangles(iqm_writer *writer, size_t num_triangles)
{
    const md5_model *const model = writer->assets.model;
    begin_table(writer, TRIANGLES, num_triangles);
    uint32_t first_vertex = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        for (size_t k = 0; k < 3 * (size_t)mesh->num_triangles; k++)
            convert_append_u32(&writer->out, first_vertex + mesh->indices[k]);
        first_vertex += mesh->num_vertices;
    }
}

// Writes meshes, vertex arrays and triangles. Vertices are the drawn vertices, because the two
// sides of a mirror seam need different tangents.
static bool put_meshes(iqm_writer *writer)
{
    size_t num_vertices;
    size_t num_triangles;
    if (!put_mesh_table(writer, &num_vertices, &num_triangles))
        return false;
    writer->slots = convert_pack_bytes(writer->job, writer->assets.model, NUM_SLOTS);
    if (!writer->slots)
        return REFUSE("%u joints exceed IQM's limit of 256", writer->num_joints);
    writer->header[NUM_VERTICES] = (uint32_t)num_vertices;
    put_vertex_arrays(writer, num_vertices);
    put_triangles(writer, num_triangles);
    return true;
}

// Writes the bind pose and, if there are clips, the range of each channel.
static bool put_joints(iqm_writer *writer)
{
    const md5_joint *const joints = writer->assets.skeleton->joints;
    begin_table(writer, BONES, writer->num_joints);
    for (uint32_t i = 0; i < writer->num_joints; i++) {
        if (joints[i].parent != MD5_NONE && joints[i].parent >= i)
            return REFUSE("joint '%s' precedes its parent", joints[i].name);
        iqm_bone entry = {add_text(writer, joints[i].name), joints[i].parent, {[MOVING] = 1, 1, 1}};
        get_channels(writer->assets.rest[i], entry.channels);
        put_entry(writer, BONES, &entry);
    }
    begin_table(writer, POSES, writer->num_frames > 0 ? writer->num_joints : 0);
    for (uint32_t i = 0; i < writer->header[NUM_POSES]; i++)
        put_entry(writer, POSES, &writer->poses[i]);
    return true;
}

// Returns true if the last frame equals the first, apart from the position of the root.
static bool is_loop(const iqm_writer *writer, size_t first, uint32_t num_frames)
{
    const size_t count = writer->num_joints;
    const size_t last = first + num_frames - 1;
    for (size_t i = 0; i < count; i++)
        for (int k = i == 0 ? 3 : 0; k < MOVING; k++)
            if (fabsf(writer->frames[first * count + i][k] - writer->frames[last * count + i][k])
                    * writer->poses[i].steps[k]
                > 1e-3f)
                return false;
    return num_frames > 1;
}

static void put_clips(iqm_writer *writer)
{
    const convert_assets *const assets = &writer->assets;
    uint32_t num_loops = 0;
    size_t first = 0;
    begin_table(writer, ANIMS, assets->num_clips);
    for (size_t i = 0; i < assets->num_clips; i++) {
        convert_clip *const clip = &assets->clips[i];
        const md5_anim *const anim = clip->anim;
        const bool loops = is_loop(writer, first, anim->num_frames);
        const iqm_clip entry = {add_text(writer, clip->name), (uint32_t)first, anim->num_frames,
                                (float)anim->frame_rate, loops ? LOOP : 0};
        put_entry(writer, ANIMS, &entry);
        num_loops += loops;
        first += anim->num_frames;
    }
    if (num_loops > 0)
        convert_note(writer->job,
                     "marked %u of %zu clips as loops: their first and last frames are equal",
                     num_loops, assets->num_clips);
    begin_table(writer, FRAMES, writer->num_frames);
    for (size_t frame = 0; frame < writer->num_frames; frame++)
        for (uint32_t i = 0; i < writer->num_joints; i++)
            for (int k = 0; k < MOVING; k++)
                if (writer->poses[i].mask >> k & 1) {
                    const uint32_t v = (uint32_t)writer->frames[frame * writer->num_joints + i][k];
                    convert_append_uint(&writer->out, v, 2);
                }
}

// Writes the texts, to which all other tables add, and then the header.
static bool end_file(iqm_writer *writer)
{
    begin_table(writer, TEXT, writer->text.size);
    convert_append(&writer->out, writer->text.bytes, writer->text.size);
    if (writer->out.size > INT32_MAX)
        return REFUSE("the file would be larger than 2 GiB");
    writer->header[VERSION] = 2;
    writer->header[FILE_SIZE] = (uint32_t)writer->out.size;
    convert_bytes header = {writer->out.bytes, sizeof magic, writer->out.capacity};
    convert_append_words(&header, writer->header, NUM_HEADER);
    return convert_write_file(writer->job, writer->job->output, writer->out.bytes, writer->out.size,
                              writer->error);
}

static bool write_tables(iqm_writer *writer)
{
    static const uint8_t zeros[HEADER_SIZE - sizeof magic];
    const md5_model *const model = writer->assets.model;
    convert_append(&writer->out, magic, sizeof magic);
    convert_append(&writer->out, zeros, sizeof zeros);
    convert_append(&writer->text, "", 1); // the empty text has offset 0
    writer->num_joints = writer->assets.skeleton->num_joints;
    sample_clips(writer);
    if ((model && !put_meshes(writer)) || !put_joints(writer))
        return false;
    put_clips(writer);
    if (model && writer->num_frames > 0) {
        begin_table(writer, BOUNDS, writer->num_frames);
        convert_visit_frames(&writer->assets, 1, put_bounds, writer);
        const bool is_small = convert_note_worst(writer->job, &writer->assets, &writer->worst);
        if (!is_small && !writer->job->is_forced)
            return convert_fail(writer->error, MD5_ERROR_MISMATCH, writer->job->output,
                                "vertices would move by %.3g units, more than 1 %% of the model's "
                                "size; use --force to write the file anyway",
                                writer->worst.distance);
    }
    return end_file(writer);
}

bool convert_write_iqm(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    iqm_writer writer = {.job = job, .error = error};
    bool is_done = convert_load_assets(job, scene, &writer.assets, error);
    convert_note_unsupported_parts(job, scene, "IQM", true);
    if (is_done && !writer.assets.skeleton)
        is_done = convert_fail(error, MD5_ERROR_MISSING, job->output,
                               "the inputs contain neither a model nor a clip");
    is_done = is_done && write_tables(&writer);
    convert_free_assets(&writer.assets);
    free(writer.frames);
    free(writer.poses);
    free(writer.slots);
    free(writer.out.bytes);
    free(writer.text.bytes);
    return is_done;
}
