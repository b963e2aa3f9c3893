// Reads and writes Inter-Quake Model files of version 2. A file contains a model and all its clips.
//
// The header contains the size and the offset of each table. Space, winding and texture coordinates
// are the same as in MD5 files. Vertices are in the bind pose. A slot of a vertex is a joint with a
// weight; there are up to four slots, stored as bytes.
//
// A channel is one of the ten numbers of a joint's transform. A pose describes the channels of one
// joint: for each channel, its lowest value in all frames and the size of a step. A frame contains
// a 16-bit number for each channel that moves. The value is the lowest value plus this number of
// steps. Table entries are structures of 4-byte words.
#include "demo/convert/assets.h"
#include "demo/convert/plain_scene.h"

// -- Layout ---------------------------------------------------------------------------------------

static const char magic[16] = "INTERQUAKEMODEL";

// Words of the header after the magic bytes.
enum { VERSION, FILE_SIZE, FLAGS, NUM_TEXT, OFS_TEXT, NUM_MESHES, OFS_MESHES, NUM_ARRAYS };
enum { NUM_VERTICES = NUM_ARRAYS + 1, OFS_ARRAYS, NUM_TRIANGLES, OFS_TRIANGLES, OFS_ADJACENCY };
enum { NUM_JOINTS = OFS_ADJACENCY + 1, OFS_JOINTS, NUM_POSES, OFS_POSES, NUM_ANIMS, OFS_ANIMS };
enum { NUM_FRAMES = OFS_ANIMS + 1, NUM_CHANNELS, OFS_FRAMES, OFS_BOUNDS, NUM_COMMENT, OFS_COMMENT };
enum { NUM_HEADER = OFS_COMMENT + 3, HEADER_SIZE = 16 + 4 * NUM_HEADER }; // two of extensions

// Entries of the tables follow. Names are offsets in the text block. The ten channels are t x y z,
// q x y z w and s x y z. MD5 joints have no scale, so only the first seven can move.
enum { CHANNELS = 10, MOVING = 7 };

// A mesh: ranges of the file's vertices and triangles.
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

// A joint and its bind pose.
typedef struct iqm_bone {
    uint32_t name;
    uint32_t parent;
    float channels[CHANNELS]; // relative to the parent
} iqm_bone;

// The channels of a joint in all frames: which of them frames contain, and how to compute values.
typedef struct iqm_pose {
    uint32_t parent;
    uint32_t mask; // bits of the channels that frames contain; others are constant
    float lows[CHANNELS];
    float steps[CHANNELS];
} iqm_pose;

// A clip: a range of the file's frames.
typedef struct iqm_clip {
    uint32_t name;
    uint32_t first;
    uint32_t count;
    float rate;
    uint32_t flags;
} iqm_clip;

// The bounds of the vertices in a frame. `radius` is the largest distance from the origin, and
// `flat_radius` is the largest distance from the z axis.
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

// An IQM file while it is read.
typedef struct iqm_file {
    plain_scene plain;
    const uint8_t *bytes;
    size_t size;
    uint32_t header[NUM_HEADER];
    iqm_array arrays[NUM_TYPES];
    iqm_pose *poses;      // [number of poses]
    uint32_t num_joints;  // number of joints; in a file without joints, number of poses
    uint32_t num_cleaned; // names with replaced characters
} iqm_file;

#define FAIL(status, ...) convert_fail(file->plain.error, status, file->plain.path, __VA_ARGS__)

// Copies an entry of a table.
static void get_entry(const iqm_file *file, int table, uint32_t index, void *entry)
{
    const size_t stride = tables[table].stride;
    const uint8_t *const bytes = file->bytes + file->header[tables[table].offset] + stride * index;
    for (size_t i = 0; i < stride; i += sizeof(uint32_t)) {
        const uint32_t bits = common_read_little_endian(bytes + i, 4);
        memcpy((char *)entry + i, &bits, sizeof bits);
    }
}

// Checks the limit of numbers in models and clips.
static bool check_numbers(const iqm_file *file, const float *numbers, int count, const char *title,
                          uint32_t index)
{
    for (int i = 0; i < count; i++) {
        if (!(fabsf(numbers[i]) <= 1e9f))
            return FAIL(
                MD5_ERROR_RANGE,
                "%s %u: number is out of range: expected -1e9 to 1e9, found %g" CONVERT_REMEDY,
                title, index, numbers[i]);
    }
    return true;
}

// Returns true if the file contains `count` entries of `stride` bytes. All reads are checked by
// this function. Offsets need no alignment: files with clips by Blender's exporter have odd offsets
// after the text block.
static bool has_bytes(const iqm_file *file, uint64_t offset, uint64_t count, uint64_t stride,
                      const char *title)
{
    if (count == 0)
        return true;
    // Compare by a subtraction and a division, because offset + count * stride could overflow.
    if (offset >= HEADER_SIZE && offset <= file->size && count <= (file->size - offset) / stride)
        return true;
    return FAIL(MD5_ERROR_RANGE,
                "truncated file: %llu %s at offset %llu are outside the file, which has %llu "
                "bytes; copy or export the file again",
                (unsigned long long)count, title, (unsigned long long)offset,
                (unsigned long long)file->size);
}

// Returns true if a table has no entries or is inside the file.
static bool check_table(const iqm_file *file, int table)
{
    const uint32_t *const header = file->header;
    const bool has_no_bounds = table == BOUNDS && header[OFS_BOUNDS] == 0;
    const bool has_no_frames = table == FRAMES && header[NUM_CHANNELS] == 0;
    if (has_no_bounds || has_no_frames)
        return true;

    uint64_t stride = tables[table].stride;
    if (table == FRAMES)
        stride = 2 * (uint64_t)header[NUM_CHANNELS];
    return has_bytes(file, header[tables[table].offset], header[tables[table].count], stride,
                     tables[table].title);
}

// Checks the tables of the header, so that all entries can be read afterwards.
static bool check_tables(const iqm_file *file)
{
    const uint32_t *const header = file->header;
    for (int i = 0; i < NUM_TABLES; i++) {
        if (!check_table(file, i))
            return false;
    }

    const size_t text_end = (size_t)header[OFS_TEXT] + header[NUM_TEXT];
    if (header[NUM_TEXT] > 0 && file->bytes[text_end - 1] != '\0')
        return FAIL(MD5_ERROR_SYNTAX,
                    "text block is not terminated: expected a NUL byte at its end" CONVERT_REMEDY);
    const bool has_both = header[NUM_POSES] > 0 && header[NUM_JOINTS] > 0;
    if (has_both && header[NUM_POSES] != header[NUM_JOINTS])
        return FAIL(
            MD5_ERROR_MISMATCH,
            "wrong number of poses: expected %u as the number of joints, found %u" CONVERT_REMEDY,
            header[NUM_JOINTS], header[NUM_POSES]);
    return true;
}

// Reads the header, limits the size of the file to the size in the header, and checks the tables.
static bool read_header(iqm_file *file)
{
    uint32_t *const header = file->header;
    if (file->size < HEADER_SIZE || memcmp(file->bytes, magic, sizeof magic) != 0)
        return FAIL(MD5_ERROR_SYNTAX,
                    "not an IQM file: expected a header that starts with %s" CONVERT_REMEDY, magic);
    for (int i = 0; i < NUM_HEADER; i++)
        header[i] = common_read_little_endian(file->bytes + sizeof magic + 4 * i, 4);

    if (header[VERSION] != 2)
        return FAIL(
            MD5_ERROR_VERSION,
            "unsupported IQM version %u: expected 2; export the file with a current exporter",
            header[VERSION]);
    if (header[FILE_SIZE] < HEADER_SIZE || header[FILE_SIZE] > file->size)
        return FAIL(
            MD5_ERROR_RANGE,
            "invalid file size in the header: expected %d to %zu bytes, found %u" CONVERT_REMEDY,
            HEADER_SIZE, file->size, header[FILE_SIZE]);
    file->size = header[FILE_SIZE];
    return check_tables(file);
}

// Bytes per component, by format.
static const uint8_t component_sizes[] = {1, 1, 2, 2, 4, 4, 2, 4, 8};

// The requirements of a type of vertex arrays.
static const struct array_type {
    const char *title;
    uint32_t min_size; // components per vertex
    bool is_integer;   // false: float
} array_types[NUM_TYPES] = {
    [POSITION] = {.title = "positions", .min_size = 3},
    [TEXCOORD] = {.title = "texture coordinates", .min_size = 2},
    [NORMAL] = {.title = "normals", .min_size = 3},
    [TANGENT] = {.title = "tangents", .min_size = 4},
    [JOINTS] = {.title = "blend joints", .min_size = 1, .is_integer = true},
    [WEIGHTS] = {.title = "blend weights", .min_size = 1, .is_integer = true},
};

// Returns true if the format of a vertex array is supported: integers for joints and weights,
// floats for all arrays except joints.
static bool is_supported_format(const iqm_array *entry)
{
    if (entry->format == FLOAT)
        return entry->type != JOINTS;
    return array_types[entry->type].is_integer && entry->format <= UINT;
}

// Checks the format of a vertex array and that its bytes are inside of the file.
static bool check_array(const iqm_file *file, const iqm_array *entry)
{
    enum { MAX_SIZE = 16 }; // components per vertex
    const struct array_type *const type = &array_types[entry->type];
    if (file->arrays[entry->type].size > 0)
        return FAIL(MD5_ERROR_SYNTAX, "duplicate vertex array of %s" CONVERT_REMEDY, type->title);
    const bool has_valid_size = entry->size >= type->min_size && entry->size <= MAX_SIZE;
    if (!is_supported_format(entry) || !has_valid_size)
        return FAIL(MD5_ERROR_SYNTAX,
                    "vertex array of %s has format %u and size %u: expected %s and a size of "
                    "%u to %d" CONVERT_REMEDY,
                    type->title, entry->format, entry->size,
                    type->is_integer ? "integers" : "floats", type->min_size, MAX_SIZE);

    const uint64_t stride = (uint64_t)entry->size * component_sizes[entry->format];
    return has_bytes(file, entry->offset, file->header[NUM_VERTICES], stride, type->title);
}

// Finds the vertex arrays. Arrays that MD5 cannot store are counted. Normals and tangents are
// checked but not used, because MD5 readers compute both.
static bool read_arrays(iqm_file *file)
{
    uint32_t num_skipped = 0;
    for (uint32_t i = 0; i < file->header[NUM_ARRAYS]; i++) {
        iqm_array entry = {.type = 0};
        get_entry(file, ARRAYS, i, &entry);
        if (entry.type >= NUM_TYPES) {
            num_skipped++;
            continue;
        }
        if (!check_array(file, &entry))
            return false;
        file->arrays[entry.type] = entry;
    }

    if (num_skipped > 0)
        convert_note(file->plain.job,
                     "%s: skipped %u vertex %s: MD5 cannot store colors or custom attributes",
                     file->plain.path, num_skipped, common_noun(num_skipped, "array", "arrays"));
    if (file->arrays[POSITION].size == 0 && file->header[NUM_MESHES] > 0)
        return FAIL(
            MD5_ERROR_MISSING,
            "vertex array of positions is missing: expected one in the file" CONVERT_REMEDY);
    return true;
}

// Returns a component of a vertex as a number, or 0 if the array does not have it. Integers are not
// normalized: a byte is a number up to 255.
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
static const char *get_text(iqm_file *file, uint32_t offset, const char *title)
{
    enum { MAX_BYTES = 1000 };
    if (offset == 0 && file->header[NUM_TEXT] == 0)
        return "";
    if (offset >= file->header[NUM_TEXT]) {
        FAIL(MD5_ERROR_RANGE,
             "name offset of a %s is out of range: found %u, but the text block has %u "
             "bytes" CONVERT_REMEDY,
             title, offset, file->header[NUM_TEXT]);
        return NULL;
    }

    const char *const text = (const char *)file->bytes + file->header[OFS_TEXT] + offset;
    const size_t available = file->header[NUM_TEXT] - offset;
    if (!memchr(text, '\0', available < MAX_BYTES ? available : MAX_BYTES)) {
        FAIL(MD5_ERROR_RANGE,
             "name of a %s is too long: expected at most %d bytes; shorten the name and export the "
             "file again",
             title, MAX_BYTES);
        return NULL;
    }

    // Entries may share a text, so each use is charged to the budget of the file.
    const size_t length = strlen(text);
    if (!convert_charge(file->plain.job, length, file->plain.error)
        || !convert_charge_bytes(file->plain.job, length + 1, 1, file->plain.error))
        return NULL;

    char *const copy = convert_sanitize(text, MAX_BYTES, CONVERT_QUOTE);
    if (strcmp(copy, text) != 0)
        file->num_cleaned++;
    common_add(&file->plain.memory, copy);
    return copy;
}

// -- Reading: joints ------------------------------------------------------------------------------

// Sets the transform of a node to the channels of a joint.
static void set_channels(plain_node *node, const float channels[CHANNELS])
{
    for (int i = 0; i < CHANNELS; i++) {
        if (i < 3)
            node->parts[PLAIN_TRANSLATION][i] = channels[i];
        else if (i < MOVING)
            node->parts[PLAIN_ROTATION][i - 3] = channels[i];
        else
            node->parts[PLAIN_SCALE][i - MOVING] = channels[i];
    }
}

// Returns the transform of a joint in model space.
static convert_xform get_xform(const md5_doc_joint *joint)
{
    const md5_vec3 q = joint->rotation;
    return convert_from_xform(
        (md5_xform){.rotation = md5_quat_from_xyz(q.x, q.y, q.z), .translation = joint->position});
}

// Reports why the names of a model cannot be used for the joints of a file without names. Returns
// false.
static bool note_other_joints(const plain_scene *plain, const char *difference)
{
    convert_note(plain->job,
                 "%s: the file has no joint names, and its joints differ from the joints of the "
                 "model: %s",
                 plain->path, difference);
    return false;
}

// Returns true if the joints of a model have the parents that the poses of the file declare.
// Otherwise reports the first difference.
static bool has_same_parents(const iqm_file *file, const md5_doc *model)
{
    char difference[160];
    if (model->num_joints != file->num_joints) {
        COMMON_TEXT(difference, "expected %u joints, found %u", model->num_joints,
                    file->num_joints);
        return note_other_joints(&file->plain, difference);
    }
    for (uint32_t i = 0; i < file->num_joints; i++) {
        const int expected = (int)model->joints[i].parent;
        const int found = (int)file->poses[i].parent;
        if (found == expected)
            continue;
        COMMON_TEXT(difference, "expected joint %d as the parent of joint %u '%.60s', found %d",
                    expected, i, model->joints[i].name, found);
        return note_other_joints(&file->plain, difference);
    }
    return true;
}

// Copies the names and the bind pose of the scene's model for a file that contains only poses.
// Returns false if there is no model with this skeleton.
static bool copy_joints(iqm_file *file, const convert_scene *scene)
{
    const convert_part *const model = convert_find_model(scene);
    md5_doc *const doc = model ? convert_parse_doc(model, NULL) : NULL;
    const bool is_same = doc && has_same_parents(file, doc);
    for (uint32_t i = 0; i < file->num_joints && is_same; i++) {
        const md5_doc_joint *const joint = &doc->joints[i];
        convert_xform local = get_xform(joint); // relative to the parent
        if (joint->parent != MD5_NONE)
            local = convert_mul(convert_inverse(get_xform(&doc->joints[joint->parent])), local);
        plain_node *const node = &file->plain.nodes[i];
        *node = plain_new_node();
        node->name = common_add(&file->plain.memory, common_copy(joint->name));
        node->parent = joint->parent;
        memcpy(node->parts[PLAIN_TRANSLATION], &local.translation, sizeof local.translation);
        memcpy(node->parts[PLAIN_ROTATION], &local.rotation, sizeof local.rotation);
    }
    md5_free_doc(doc);
    return is_same;
}

// Reads the entry of a joint: its parent, name and bind pose relative to the parent.
static bool read_joint(iqm_file *file, uint32_t index)
{
    iqm_bone bone = {.name = 0};
    get_entry(file, BONES, index, &bone);
    if (!check_numbers(file, bone.channels, CHANNELS, "joint", index))
        return false;
    plain_node *const node = &file->plain.nodes[index];
    node->parent = bone.parent;
    node->name = get_text(file, bone.name, "joint");
    set_channels(node, bone.channels);
    return node->name;
}

// Reads the poses, which contain the parents and the ranges of the channels.
static bool read_poses(iqm_file *file)
{
    const uint32_t count = file->header[NUM_POSES];
    file->poses = common_alloc(count, sizeof *file->poses);
    for (uint32_t i = 0; i < count; i++) {
        iqm_pose *const pose = &file->poses[i];
        get_entry(file, POSES, i, pose);
        if (!check_numbers(file, pose->lows, CHANNELS, "pose", i)
            || !check_numbers(file, pose->steps, CHANNELS, "pose", i))
            return false;
    }
    return true;
}

// Reads the joints, or if there are only poses, their parents and their lowest channels.
static bool read_nodes(iqm_file *file, bool has_joints)
{
    plain_node *const nodes = file->plain.nodes;
    for (uint32_t i = 0; i < file->num_joints; i++) {
        nodes[i] = plain_new_node();
        if (has_joints && !read_joint(file, i))
            return false;
        if (!has_joints) {
            nodes[i].parent = file->poses[i].parent;
            set_channels(&nodes[i], file->poses[i].lows);
        }
        const uint32_t parent = nodes[i].parent;
        if (parent != MD5_NONE && parent >= i)
            return FAIL(MD5_ERROR_RANGE,
                        "joint %u has an invalid parent: expected an earlier joint or -1, found "
                        "%d" CONVERT_REMEDY,
                        i, (int)parent);
    }
    return true;
}

// Adds a node for each joint and the skin of all joints. Without joints, the poses are the joints;
// their names are the joint names of the scene's model, or joint_0, joint_1 ...
static bool read_joints(iqm_file *file, const convert_scene *scene)
{
    const bool has_joints = file->header[NUM_JOINTS] > 0;
    const uint32_t count = has_joints ? file->header[NUM_JOINTS] : file->header[NUM_POSES];
    plain_scene *const plain = &file->plain;
    plain->nodes = common_alloc(count + (size_t)file->header[NUM_MESHES], sizeof *plain->nodes);
    plain->num_nodes = count;
    plain->num_skins = count > 0 ? 1 : 0;
    plain->skins = common_alloc(plain->num_skins, sizeof *plain->skins);
    file->num_joints = count;
    if (!read_nodes(file, has_joints))
        return false;

    if (count > 0)
        plain_bind_nodes(&plain->skins[0], 0, count);
    if (has_joints || count == 0 || copy_joints(file, scene))
        return true;
    for (uint32_t i = 0; i < count; i++)
        plain->nodes[i].name = common_add(&file->plain.memory, common_format("joint_%u", i));
    convert_note(plain->job, "%s: named %u %s joint_0, joint_1, ...", plain->path, count,
                 common_noun(count, "joint without a name", "joints without names"));
    return true;
}

// -- Reading: meshes ------------------------------------------------------------------------------

// Returns the number of slots of a vertex, each of which contains a joint and its weight.
static uint32_t get_num_slots(const iqm_file *file)
{
    return file->num_joints > 0 ? file->arrays[JOINTS].size : 0;
}

// Reads one slot of a vertex: a weight, which is not negative, and its joint.
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
                "vertex %u has an invalid weight: expected a weight of 0 or more on a joint below "
                "%u, found weight %g on joint %.0f" CONVERT_REMEDY,
                vertex, file->num_joints, *weight, *joint);
}

// Reads a vertex's position or texture coordinate, whose components are `count` numbers.
static bool read_coordinates(const iqm_file *file, int type, uint32_t vertex, uint32_t count,
                             float *to)
{
    const float max_coordinate = 1e9f;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = (float)get_component(file, type, vertex, i);
        if (!(fabsf(to[i]) <= max_coordinate))
            return FAIL(
                MD5_ERROR_RANGE,
                "vertex %u: %s is out of range: expected -1e9 to 1e9, found %g" CONVERT_REMEDY,
                vertex, type == POSITION ? "position" : "texture coordinate", to[i]);
    }
    return true;
}

// Reads the position, the texture coordinates and the influences of a vertex.
static bool read_vertex(const iqm_file *file, uint32_t index, const plain_vertices *to)
{
    if (!read_coordinates(file, POSITION, index, 3, to->positions + 3 * (size_t)index)
        || !read_coordinates(file, TEXCOORD, index, 2, to->texcoords + 2 * (size_t)index))
        return false;

    const uint32_t num_slots = get_num_slots(file);
    for (uint32_t slot = 0; slot < num_slots; slot++) {
        double weight = 0;
        double joint = 0;
        if (!read_influence(file, index, slot, &weight, &joint))
            return false;
        plain_set_influence(to, index, slot, (float)joint, (float)weight);
    }
    return true;
}

// Reads the triangles of a mesh. The file counts vertices across all meshes, and its triangles are
// clockwise. The result counts the vertices of the mesh, and its triangles are counterclockwise.
static bool read_triangles(const iqm_file *file, uint32_t index, const iqm_mesh *mesh,
                           uint32_t *indices)
{
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        uint32_t corners[3];
        get_entry(file, TRIANGLES, mesh->first_triangle + i, corners);
        for (int k = 0; k < 3; k++) {
            // A vertex before the first vertex of the mesh becomes a very large number here.
            const uint32_t vertex = corners[k] - mesh->first_vertex;
            if (vertex >= mesh->num_vertices)
                return FAIL(MD5_ERROR_RANGE,
                            "triangle %u of mesh %u refers to an unknown vertex: found vertex %u, "
                            "but the mesh has %u vertices from vertex %u" CONVERT_REMEDY,
                            i, index, corners[k], mesh->num_vertices, mesh->first_vertex);
            corners[k] = vertex;
        }
        uint32_t *const triangle = indices + 3 * (size_t)i;
        triangle[0] = corners[0];
        triangle[1] = corners[2];
        triangle[2] = corners[1];
    }
    return true;
}

// The vertices and triangles of the file that no mesh has used so far. Each belongs to one mesh, so
// that a small file whose meshes overlap cannot become a huge model.
typedef struct unused_elements {
    uint32_t num_vertices;
    uint32_t num_triangles;
} unused_elements;

// Checks the ranges of a mesh, and removes its vertices and triangles from the unused ones. Meshes
// that together use more elements than there are must overlap.
static bool check_mesh(const iqm_file *file, uint32_t index, const iqm_mesh *mesh,
                       unused_elements *unused)
{
    const uint64_t end_vertex = (uint64_t)mesh->first_vertex + mesh->num_vertices;
    const uint64_t end_triangle = (uint64_t)mesh->first_triangle + mesh->num_triangles;
    if (end_vertex > file->header[NUM_VERTICES] || end_triangle > file->header[NUM_TRIANGLES])
        return FAIL(MD5_ERROR_RANGE,
                    "mesh %u is out of range: its end is vertex %llu of %u and triangle %llu of "
                    "%u" CONVERT_REMEDY,
                    index, (unsigned long long)end_vertex, file->header[NUM_VERTICES],
                    (unsigned long long)end_triangle, file->header[NUM_TRIANGLES]);

    const char *shared = NULL;
    if (mesh->num_vertices > unused->num_vertices)
        shared = "vertices";
    else if (mesh->num_triangles > unused->num_triangles)
        shared = "triangles";
    if (shared)
        return FAIL(
            MD5_ERROR_RANGE,
            "meshes overlap: meshes 0 to %u together use more %s than the file has" CONVERT_REMEDY,
            index, shared);
    unused->num_vertices -= mesh->num_vertices;
    unused->num_triangles -= mesh->num_triangles;
    return true;
}

// Adds a node with a mesh to the scene. The only skin contains all joints.
static void add_mesh_node(iqm_file *file, uint32_t mesh)
{
    plain_scene *const plain = &file->plain;
    plain_node *const node = &plain->nodes[plain->num_nodes++];
    *node = plain_new_node();
    node->mesh = mesh;
    node->skin = file->num_joints > 0 ? 0 : MD5_NONE;
}

// Reads a mesh, whose vertices and triangles are ranges of the arrays of the file.
static bool read_mesh(iqm_file *file, uint32_t index, const plain_vertices *vertices,
                      unused_elements *unused)
{
    plain_mesh *const mesh = &file->plain.meshes[index];
    iqm_mesh entry = {.name = 0};
    get_entry(file, MESHES, index, &entry);
    if (!check_mesh(file, index, &entry, unused))
        return false;

    mesh->md5_name = get_text(file, entry.name, "mesh");
    mesh->shader = mesh->md5_name ? get_text(file, entry.material, "material") : NULL;
    if (!mesh->shader)
        return false;
    for (uint32_t i = 0; i < entry.num_vertices; i++) {
        if (!read_vertex(file, entry.first_vertex + i, vertices))
            return false;
    }

    plain_primitive *const primitive = plain_add_primitive(mesh, entry.num_vertices);
    plain_set_vertices(primitive, vertices, entry.first_vertex);
    primitive->num_indices = 3 * (size_t)entry.num_triangles;
    primitive->indices = common_alloc(primitive->num_indices, sizeof *primitive->indices);
    mesh->num_vertices = entry.num_vertices;
    add_mesh_node(file, index);
    return read_triangles(file, index, &entry, primitive->indices);
}

// Reads the vertices, which all meshes share, and then the mesh table. Returns false on failure.
static bool read_meshes(iqm_file *file)
{
    plain_scene *const plain = &file->plain;
    plain_vertices vertices;
    unused_elements unused = {.num_vertices = file->header[NUM_VERTICES],
                              .num_triangles = file->header[NUM_TRIANGLES]};
    if (!plain_charge(plain, unused.num_triangles)
        || !plain_allocate_vertices(plain, unused.num_vertices, get_num_slots(file), &vertices))
        return false;
    plain->num_meshes = file->header[NUM_MESHES];
    plain->meshes = common_alloc(plain->num_meshes, sizeof *plain->meshes);
    for (uint32_t i = 0; i < plain->num_meshes; i++) {
        if (!read_mesh(file, i, &vertices, &unused))
            return false;
    }
    return true;
}

// -- Reading: clips -------------------------------------------------------------------------------

// Returns true if the frames store a channel of a joint. Other channels have the same value in all
// frames.
static bool has_channel(const iqm_pose *pose, int channel)
{
    return (pose->mask >> channel & 1) != 0;
}

// Checks that the poses have the parents of the joints, because otherwise the frames belong to
// another skeleton. Also checks that a frame contains as many channels as the poses declare.
static bool check_poses(const iqm_file *file)
{
    uint64_t num_channels = 0;
    for (uint32_t i = 0; i < file->header[NUM_POSES]; i++) {
        const iqm_pose *const pose = &file->poses[i];
        const uint32_t parent = file->plain.nodes[i].parent;
        for (int k = 0; k < CHANNELS; k++) {
            if (has_channel(pose, k))
                num_channels++;
        }
        if (pose->parent != parent)
            return FAIL(MD5_ERROR_MISMATCH,
                        "pose %u has the parent %d, but joint %u has the parent %d: expected equal "
                        "parents" CONVERT_REMEDY,
                        i, (int)pose->parent, i, (int)parent);
    }
    if (num_channels != file->header[NUM_CHANNELS])
        return FAIL(MD5_ERROR_MISMATCH,
                    "wrong number of channels: the poses have %llu channels, but the frames have "
                    "%u" CONVERT_REMEDY,
                    (unsigned long long)num_channels, file->header[NUM_CHANNELS]);
    return true;
}

// The channels of the parts of a joint, in the order of plain_part.
static const struct part {
    int first;
    int width;
} parts[PLAIN_NUM_PARTS] = {{0, 3}, {3, 4}, {MOVING, 3}};

// Returns true if the frames store any channel of a part of a joint.
static bool has_channels(const iqm_pose *pose, const struct part *part)
{
    const uint32_t bits = (1u << part->width) - 1;
    return (pose->mask >> part->first & bits) != 0;
}

// Reads the keys of a part of a joint, one in each frame from `first_frame` on. `channel` is the
// index of the part's first stored channel in a frame. Returns NULL if the budget is exceeded.
static const float *read_keys(iqm_file *file, const iqm_pose *pose, const struct part *part,
                              uint32_t first_frame, size_t num_keys, uint32_t channel)
{
    const size_t frame_size = 2 * (size_t)file->header[NUM_CHANNELS];
    const bool is_moved = has_channels(pose, part);
    float *const values = plain_allocate_floats(&file->plain, num_keys, (uint64_t)part->width);
    if (!values)
        return NULL;

    float *value = values;
    for (size_t key = 0; key < num_keys; key++) {
        size_t offset = 0; // without channels, no bytes are read
        if (is_moved)
            offset =
                file->header[OFS_FRAMES] + frame_size * (first_frame + key) + 2 * (size_t)channel;
        const uint8_t *bytes = file->bytes + offset;
        for (int k = part->first; k < part->first + part->width; k++) {
            double number = pose->lows[k];
            if (has_channel(pose, k)) {
                number += (double)pose->steps[k] * common_read_little_endian(bytes, 2);
                bytes += 2;
            }
            *value++ = (float)number;
        }
    }

    return values;
}

// The tracks of a clip while they are read.
typedef struct clip_reader {
    plain_animation *animation;
    uint32_t first_frame; // in the file
    uint32_t num_frames;
    const float *times;     // [num_frames] seconds
    const float *end_times; // [2] times of the first and the last frame
    uint32_t channel;       // index of the next channel in a frame; only moved channels are stored
} clip_reader;

// Adds the track of a part of a joint, and advances clip->channel past its channels. A part that
// does not move gets two keys, in the first and in the last frame.
static bool add_track(iqm_file *file, clip_reader *clip, uint32_t joint, int part_index)
{
    const iqm_pose *const pose = &file->poses[joint];
    const struct part *const part = &parts[part_index];
    const bool has_all_keys = has_channels(pose, part) || clip->num_frames == 1;
    const size_t num_keys = has_all_keys ? clip->num_frames : 2;
    const float *const values =
        read_keys(file, pose, part, clip->first_frame, num_keys, clip->channel);
    if (!values)
        return false;

    plain_animation *const animation = clip->animation;
    animation->tracks[animation->num_tracks++] =
        (plain_track){.part = (plain_part)part_index,
                      .node = joint,
                      .num_keys = num_keys,
                      .width = (size_t)part->width,
                      .times = has_all_keys ? clip->times : clip->end_times,
                      .values = values};
    for (int c = part->first; c < part->first + part->width; c++) {
        if (has_channel(pose, c))
            clip->channel++;
    }
    return true;
}

// Adds the tracks of all joints in `count` frames of the file: one for each part of a joint.
static bool read_tracks(iqm_file *file, plain_animation *animation, uint32_t first_frame,
                        uint32_t count)
{
    float *const times = plain_allocate_floats(&file->plain, count, 1);
    float *const end_times = times ? plain_allocate_floats(&file->plain, 2, 1) : NULL;
    if (!end_times)
        return false;
    for (uint32_t i = 0; i < count; i++)
        times[i] = (float)(i / animation->rate);
    end_times[1] = times[count - 1];

    const uint64_t max_tracks = PLAIN_NUM_PARTS * (uint64_t)file->num_joints;
    if (!convert_charge_bytes(file->plain.job, max_tracks, sizeof *animation->tracks,
                              file->plain.error))
        return false;
    animation->tracks = common_alloc((size_t)max_tracks, sizeof *animation->tracks);

    clip_reader clip = {.animation = animation,
                        .first_frame = first_frame,
                        .num_frames = count,
                        .times = times,
                        .end_times = end_times};
    for (uint32_t i = 0; i < file->num_joints; i++) {
        for (int part = 0; part < PLAIN_NUM_PARTS; part++) {
            if (!add_track(file, &clip, i, part))
                return false;
        }
    }
    return true;
}

// Fails if the frames or the rate of a clip are invalid.
static bool check_clip(const iqm_file *file, uint32_t index, const iqm_clip *entry)
{
    const uint32_t num_frames = file->header[NUM_FRAMES];
    if (entry->count == 0 || (uint64_t)entry->first + entry->count > num_frames)
        return FAIL(MD5_ERROR_RANGE,
                    "clip %u: frames are out of range: expected 1 or more frames below %u, found "
                    "%u frames from frame %u" CONVERT_REMEDY,
                    index, num_frames, entry->count, entry->first);
    if (!(entry->rate >= 0 && entry->rate <= 1e6f))
        return FAIL(MD5_ERROR_RANGE,
                    "clip %u: frame rate is out of range: expected 0 to 1e6 frames per second, "
                    "found %g" CONVERT_REMEDY,
                    index, entry->rate);
    return true;
}

// Reads a clip and counts it in *num_loops if it has the loop flag. Clips may share frames, and
// joints may have no channels.
static bool read_clip(iqm_file *file, uint32_t index, uint32_t *num_loops)
{
    const double default_rate = 24;
    plain_scene *const plain = &file->plain;
    iqm_clip entry = {.name = 0};
    get_entry(file, ANIMS, index, &entry);
    const char *const name = get_text(file, entry.name, "clip");
    if (!name || !check_clip(file, index, &entry))
        return false;

    const bool has_rate = entry.rate > 0;
    if (!has_rate)
        convert_note(
            plain->job,
            "%s: clip %s has no frame rate: using 24 frames per second; use --rate to change it",
            plain->path, name);
    if (entry.flags & LOOP)
        ++*num_loops;
    plain_animation *const animation = &plain->animations[plain->num_animations++];
    *animation =
        (plain_animation){.name = name, .rate = has_rate ? (double)entry.rate : default_rate};
    return read_tracks(file, animation, entry.first, entry.count);
}

// Reads all clips, whose frames are ranges of the frames of the file.
static bool read_clips(iqm_file *file)
{
    enum { MAX_CLIPS = 1024 };
    const uint32_t num_anims = file->header[NUM_ANIMS];
    uint32_t num_loops = 0;
    if (num_anims > MAX_CLIPS)
        return FAIL(MD5_ERROR_RANGE,
                    "file has too many clips: expected at most %d, found %u; export the clips to "
                    "several files",
                    MAX_CLIPS, num_anims);
    if (!check_poses(file))
        return false;
    file->plain.animations = common_alloc(num_anims, sizeof *file->plain.animations);
    for (uint32_t i = 0; i < num_anims; i++) {
        if (!read_clip(file, i, &num_loops))
            return false;
    }
    if (num_loops > 0)
        convert_note(file->plain.job, "%s: skipped the loop flags of %u %s: MD5 cannot store them",
                     file->plain.path, num_loops, common_noun(num_loops, "clip", "clips"));
    return true;
}

// -- Reading: the file ----------------------------------------------------------------------------

// Returns true if a file contains animations without meshes. Only the start of the header is read.
bool convert_is_clip(const char *path)
{
    uint8_t bytes[16 + 4 * (NUM_MESHES + 1)] = {0};
    FILE *const stream = common_has_suffix(path, ".iqm") ? fopen(path, "rb") : NULL;
    const bool is_read = stream && fread(bytes, sizeof bytes, 1, stream) == 1;
    if (stream)
        fclose(stream);
    return is_read && common_read_little_endian(bytes + 16 + 4 * NUM_MESHES, 4) == 0;
}

// Fills the plain scene with the content of the file: joints, then clips, then meshes. Returns
// false and fills the error on failure.
static bool read_file(iqm_file *file, const convert_scene *scene)
{
    const uint32_t *const header = file->header;
    if (!read_header(file) || !read_arrays(file) || !read_poses(file) || !read_joints(file, scene))
        return false;
    if (header[NUM_FRAMES] > 0 && header[NUM_POSES] > 0 && !read_clips(file))
        return false;
    if (!read_meshes(file))
        return false;
    if (file->num_cleaned > 0)
        convert_note(file->plain.job, "%s: replaced quotes and control characters with _ in %u %s",
                     file->plain.path, file->num_cleaned,
                     common_noun(file->num_cleaned, "name", "names"));
    plain_set_order(&file->plain);
    return true;
}

// Reads an IQM file: fills a plain scene from the tables of the file, then converts it to MD5.
// IQM uses the axes and the unit of MD5.
bool convert_read_iqm(const convert_job *job, convert_input *input, convert_scene *scene,
                      md5_error *error)
{
    iqm_file file = {.plain = {.job = job,
                               .error = error,
                               .path = input->path,
                               .axes = convert_identity,
                               .unit = 1},
                     .bytes = (const uint8_t *)input->bytes,
                     .size = input->size};
    const bool is_done = read_file(&file, scene) && convert_build(&file.plain, scene);
    plain_free(&file.plain);
    free(file.poses);
    return is_done;
}

// -- Writing: samples -----------------------------------------------------------------------------

// State of writing a file. The drawn vertices are the vertices of the library's md5_mesh, which
// splits vertices at seams.
typedef struct iqm_writer {
    const convert_job *job;
    md5_error *error;
    convert_assets assets;
    uint32_t num_joints;
    size_t num_frames;
    size_t next_frame;       // for write_bounds()
    float (*frames)[MOVING]; // [num_frames][num_joints] relative to the parent, in steps
    iqm_pose *poses;         // [num_joints]
    uint8_t *slots;          // [drawn vertices of all meshes][2 * NUM_SLOTS] joints and weights
    convert_largest_error largest;
    convert_bytes out;
    convert_bytes text;
    uint32_t header[NUM_HEADER];
} iqm_writer;

#define REFUSE(...) convert_fail(writer->error, MD5_ERROR_RANGE, writer->job->output, __VA_ARGS__)

// Writes the seven moving channels of a joint: translation and rotation. Rotations have w <= 0.
static void get_channels(md5_xform local, float *channels)
{
    const md5_quat q = local.rotation;
    const float sign = q.w > 0 ? -1 : 1;
    const float v[MOVING] = {local.translation.x, local.translation.y, local.translation.z,
                             sign * q.x,          sign * q.y,          sign * q.z,
                             sign * q.w};
    memcpy(channels, v, sizeof v);
}

// Finds the range of a channel in all frames, and replaces its values in writer->frames by numbers
// of steps, 0 to 65535. A channel that does not change is not stored.
static void quantize_channel(iqm_writer *writer, uint32_t joint, int channel)
{
    const float max_step = 65535.0f;
    const float min_range = 1e-9f;
    const uint32_t num_joints = writer->num_joints;
    float low = writer->frames[joint][channel];
    float high = low;
    for (size_t frame = 1; frame < writer->num_frames; frame++) {
        const float value = writer->frames[frame * num_joints + joint][channel];
        low = fminf(low, value);
        high = fmaxf(high, value);
    }

    iqm_pose *const pose = &writer->poses[joint];
    const float step = high - low > min_range ? (high - low) / max_step : 0;
    const bool is_stored = step > 0;
    pose->lows[channel] = low;
    pose->steps[channel] = step;
    if (is_stored) {
        pose->mask |= 1u << channel;
        writer->header[NUM_CHANNELS]++;
    }

    for (size_t frame = 0; frame < writer->num_frames; frame++) {
        float *const value = &writer->frames[frame * num_joints + joint][channel];
        *value = is_stored ? fminf(floorf((*value - low) / step + 0.5f), max_step) : 0;
    }
}

// Samples the frames of all clips, one after the other, to writer->frames.
static void sample_frames(iqm_writer *writer)
{
    const convert_assets *const assets = &writer->assets;
    const uint32_t count = writer->num_joints;
    md5_xform *const pose = common_alloc(count, sizeof *pose);
    float(*next)[MOVING] = writer->frames; // the channels of the next joint
    for (size_t c = 0; c < assets->num_clips; c++) {
        const convert_clip *const clip = &assets->clips[c];
        for (uint32_t frame = 0; frame < clip->anim->num_frames; frame++) {
            const md5_sample_position position =
                md5_sample_position_from_frames(clip->anim, frame, frame, 0);
            md5_sample(clip->binding, position, MD5_ROOT_FILE, pose);
            for (uint32_t i = 0; i < count; i++)
                get_channels(pose[i], *next++);
        }
    }
    free(pose);
}

// Samples all clips and finds the ranges of the joints' channels.
static void sample_clips(iqm_writer *writer)
{
    const convert_assets *const assets = &writer->assets;
    const uint32_t count = writer->num_joints;
    for (size_t c = 0; c < assets->num_clips; c++)
        writer->num_frames += assets->clips[c].anim->num_frames;
    writer->frames = common_alloc(writer->num_frames * count + 1, sizeof *writer->frames);
    sample_frames(writer);

    writer->poses = common_alloc(count, sizeof *writer->poses);
    for (uint32_t i = 0; i < count; i++) {
        iqm_pose *const to = &writer->poses[i];
        // MD5 joints have no scale: these three channels are constant.
        *to =
            (iqm_pose){.parent = assets->skeleton->joints[i].parent, .lows = {[MOVING] = 1, 1, 1}};
        if (writer->num_frames > 0) {
            for (int k = 0; k < MOVING; k++)
                quantize_channel(writer, i, k);
        }
    }
}

// -- Writing: entries -----------------------------------------------------------------------------

// Begins a table with `count` entries at a multiple of 4 bytes, and stores it in the header.
static void begin_table(iqm_writer *writer, int table, size_t count)
{
    while (writer->out.size % 4 != 0)
        convert_append(&writer->out, "", 1);
    writer->header[tables[table].count] = (uint32_t)count;
    writer->header[tables[table].offset] = count > 0 ? (uint32_t)writer->out.size : 0;
}

static void write_entry(iqm_writer *writer, int table, const void *entry)
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

// Returns the position of a vertex after skinning, as engines compute it from the written bytes.
// `slots` are its joints, then its weights, in 255ths.
static md5_vec3 skin_vertex(const md5_mat34 *palette, const uint8_t *slots, md5_vec3 position)
{
    const uint8_t *const joints = slots;
    const uint8_t *const weights = slots + NUM_SLOTS;
    md5_vec3 sum = {0, 0, 0};
    for (int k = 0; k < NUM_SLOTS; k++) {
        if (weights[k] == 0)
            continue;
        const md5_vec3 v = md5_mat34_point(palette[joints[k]], position);
        sum = md5_vec3_add(sum, md5_vec3_scale(v, (float)weights[k] / 255.0f));
    }
    return sum;
}

// Computes the palette of a frame as engines read it from the written file, with quantized
// channels.
static void compute_written_palette(const iqm_writer *writer, size_t frame, md5_mat34 *palette)
{
    const uint32_t count = writer->num_joints;
    md5_xform *const pose = common_alloc(count, sizeof *pose);
    for (uint32_t i = 0; i < count; i++) {
        const float *const steps = writer->frames[frame * count + i];
        float v[MOVING];
        for (int k = 0; k < MOVING; k++)
            v[k] = writer->poses[i].lows[k] + writer->poses[i].steps[k] * steps[k];
        const md5_quat q = {v[3], v[4], v[5], v[6]};
        pose[i] = (md5_xform){md5_quat_normalize(q, q), {v[0], v[1], v[2]}, 0};
    }
    md5_local_to_palette(writer->assets.model, pose, NULL, palette);
    free(pose);
}

// Extends a box so that it contains a position. Also extends its radius (distance from the origin)
// and its flat radius (distance from the z axis).
static void extend_box(iqm_box *box, md5_vec3 position, bool is_first)
{
    const md5_bounds point = {position, position};
    box->bounds = is_first ? point : md5_bounds_union(box->bounds, point);
    box->radius = fmaxf(box->radius, md5_vec3_length(position));
    box->flat_radius = fmaxf(box->flat_radius, hypotf(position.x, position.y));
}

// A callback for convert_visit_frames() that writes the bounds of a frame. Also finds the largest
// error. This is the distance between a vertex that the library skins, and the same vertex as an
// engine skins it from the written file.
static void write_bounds(void *user, size_t clip, uint32_t frame, const md5_mat34 *palette)
{
    iqm_writer *const writer = user;
    const md5_model *const model = writer->assets.model;
    md5_vec3 *const exact = common_alloc((size_t)model->max_vertices + 1, sizeof *exact);
    md5_mat34 *const written = common_alloc(writer->num_joints, sizeof *written);
    compute_written_palette(writer, writer->next_frame++, written);
    iqm_box box = {.radius = 0};
    const uint8_t *slots = writer->slots; // slots of the next vertex

    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        md5_skin(mesh, palette, exact, NULL, NULL);
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            const bool is_first = slots == writer->slots;
            const md5_vec3 position = skin_vertex(written, slots, mesh->positions[v]);
            const double distance = md5_vec3_length(md5_vec3_sub(position, exact[v]));
            convert_update_largest_error(&writer->largest,
                                         (convert_largest_error){distance, clip, frame, m, v});
            extend_box(&box, position, is_first);
            slots += 2 * NUM_SLOTS;
        }
    }

    write_entry(writer, BOUNDS, &box);
    free(written);
    free(exact);
}

// -- Writing: tables ------------------------------------------------------------------------------

// Appends the tangents of a mesh. All meshes of a file share one array of tangents, so a mesh
// without tangents gets the same tangent for each vertex.
static void write_tangents(convert_bytes *out, const md5_mesh *mesh)
{
    if (mesh->tangents) {
        convert_append_words(out, mesh->tangents, 4 * (size_t)mesh->num_vertices);
        return;
    }
    const md5_vec4 default_tangent = {1, 0, 0, 1};
    for (uint32_t v = 0; v < mesh->num_vertices; v++)
        convert_append_words(out, &default_tangent, 4);
}

// Appends the values of a vertex array for one mesh. slots[vertices][2 * NUM_SLOTS] are joints and
// weights.
static void write_vertices(convert_bytes *out, int type, const md5_mesh *mesh, const uint8_t *slots)
{
    const size_t count = mesh->num_vertices;
    const size_t first_slot = type == WEIGHTS ? NUM_SLOTS : 0;
    switch (type) {
    case POSITION:
        convert_append_words(out, mesh->positions, 3 * count);
        break;

    case NORMAL:
        convert_append_words(out, mesh->normals, 3 * count);
        break;
    case TEXCOORD:
        convert_append_words(out, mesh->texcoords, 2 * count);
        break;
    case TANGENT:
        write_tangents(out, mesh);
        break;
    default:
        for (size_t v = 0; v < count; v++)
            convert_append(out, slots + 2 * NUM_SLOTS * v + first_slot, NUM_SLOTS);
    }
}

// Writes the table of meshes: their names, and their ranges of vertices and triangles. Sets the
// total numbers of vertices and triangles. Fails if they are too large for 32-bit offsets.
static bool write_mesh_table(iqm_writer *writer, size_t *num_vertices, size_t *num_triangles)
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
        write_entry(writer, MESHES, &entry);
        *num_vertices += mesh->num_vertices;
        *num_triangles += mesh->num_triangles;
    }
    if (*num_vertices > UINT32_MAX / 128 || *num_triangles > UINT32_MAX / 128)
        return REFUSE(
            "model has too many vertices or triangles: expected at most %u; divide the model",
            UINT32_MAX / 128);
    return true;
}

// Writes the table of vertex arrays, then the arrays: one for each type of data, with the vertices
// of all meshes.
static void write_vertex_arrays(iqm_writer *writer, size_t num_vertices)
{
    static const uint8_t sizes[NUM_TYPES] = {3, 2, 3, 4, NUM_SLOTS, NUM_SLOTS}; // per vertex
    const md5_model *const model = writer->assets.model;
    const uint32_t num_arrays = num_vertices > 0 ? NUM_TYPES : 0;
    begin_table(writer, ARRAYS, num_arrays);
    size_t offset = writer->out.size + (size_t)NUM_TYPES * tables[ARRAYS].stride;

    for (uint32_t type = 0; type < num_arrays; type++) {
        const uint32_t format = type >= JOINTS ? UBYTE : FLOAT;
        const iqm_array entry = {type, 0, format, sizes[type], (uint32_t)offset};
        write_entry(writer, ARRAYS, &entry);
        offset += num_vertices * sizes[type] * component_sizes[format];
    }

    for (int type = 0; type < NUM_TYPES; type++) {
        const uint8_t *slots = writer->slots;
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            const md5_mesh *const mesh = &model->meshes[i];
            write_vertices(&writer->out, type, mesh, slots);
            slots += 2 * NUM_SLOTS * (size_t)mesh->num_vertices;
        }
    }
}

// Writes the triangles of all meshes, with indices of the vertices of all meshes.
static void write_triangles(iqm_writer *writer, size_t num_triangles)
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

// Writes the tables of meshes, vertex arrays and triangles. The two sides of a mirror seam need
// different tangents, so that vertices are split there as in the library's meshes.
static bool write_meshes(iqm_writer *writer)
{
    size_t num_vertices;
    size_t num_triangles;
    if (!write_mesh_table(writer, &num_vertices, &num_triangles))
        return false;
    writer->slots = convert_pack_bytes(writer->job, writer->assets.model, NUM_SLOTS);
    if (!writer->slots)
        return REFUSE("model has too many joints: expected at most 256, found %u; write .glb, or "
                      "remove joints",
                      writer->num_joints);
    writer->header[NUM_VERTICES] = (uint32_t)num_vertices;
    write_vertex_arrays(writer, num_vertices);
    write_triangles(writer, num_triangles);
    return true;
}

// Writes the bind pose and, if there are clips, the range of each channel.
static bool write_joints(iqm_writer *writer)
{
    const md5_joint *const joints = writer->assets.skeleton->joints;
    begin_table(writer, BONES, writer->num_joints);
    for (uint32_t i = 0; i < writer->num_joints; i++) {
        if (joints[i].parent != MD5_NONE && joints[i].parent >= i)
            return REFUSE("joint '%s' comes before its parent: expected the parent first",
                          joints[i].name);
        iqm_bone entry = {add_text(writer, joints[i].name), joints[i].parent, {[MOVING] = 1, 1, 1}};
        get_channels(writer->assets.rest[i], entry.channels);
        write_entry(writer, BONES, &entry);
    }
    begin_table(writer, POSES, writer->num_frames > 0 ? writer->num_joints : 0);
    for (uint32_t i = 0; i < writer->header[NUM_POSES]; i++)
        write_entry(writer, POSES, &writer->poses[i]);
    return true;
}

// Returns true if the last frame equals the first, apart from the position of the root.
static bool is_loop(const iqm_writer *writer, size_t first, uint32_t num_frames)
{
    const float max_change = 1e-3f;
    const size_t count = writer->num_joints;
    const size_t last = first + num_frames - 1;
    for (size_t i = 0; i < count; i++) {
        const float *const begin = writer->frames[first * count + i];
        const float *const end = writer->frames[last * count + i];
        for (int k = i == 0 ? 3 : 0; k < MOVING; k++) {
            if (fabsf(begin[k] - end[k]) * writer->poses[i].steps[k] > max_change)
                return false;
        }
    }
    return num_frames > 1;
}

// Writes the steps of all channels that move, frame by frame.
static void write_frames(iqm_writer *writer)
{
    begin_table(writer, FRAMES, writer->num_frames);
    for (size_t frame = 0; frame < writer->num_frames; frame++) {
        for (uint32_t i = 0; i < writer->num_joints; i++) {
            const float *const steps = writer->frames[frame * writer->num_joints + i];
            for (int k = 0; k < MOVING; k++) {
                if (has_channel(&writer->poses[i], k))
                    convert_append_uint(&writer->out, (uint32_t)steps[k], 2);
            }
        }
    }
}

// Writes the table of clips, then the frames of all clips. A clip is marked as a loop if its
// first and its last frame are equal.
static void write_clips(iqm_writer *writer)
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
        write_entry(writer, ANIMS, &entry);
        num_loops += loops;
        first += anim->num_frames;
    }

    if (num_loops > 0)
        convert_note(writer->job,
                     "marked %u of %zu clips as loops: their first and last frames are equal",
                     num_loops, assets->num_clips);
    write_frames(writer);
}

// Writes the texts, to which all other tables add, and then the header.
static bool end_file(iqm_writer *writer)
{
    begin_table(writer, TEXT, writer->text.size);
    convert_append(&writer->out, writer->text.bytes, writer->text.size);
    if (writer->out.size > INT32_MAX)
        return REFUSE("file is too large: expected at most 2 GiB; write fewer clips");
    writer->header[VERSION] = 2;
    writer->header[FILE_SIZE] = (uint32_t)writer->out.size;
    convert_bytes header = {writer->out.bytes, sizeof magic, writer->out.capacity};
    convert_append_words(&header, writer->header, NUM_HEADER);
    return convert_write_file(writer->job, writer->job->output, writer->out.bytes, writer->out.size,
                              writer->error);
}

// Writes the bounds of all frames. Fails if skinning by the written tables moves a vertex too far
// from its position in MD5.
static bool write_all_bounds(iqm_writer *writer)
{
    begin_table(writer, BOUNDS, writer->num_frames);
    convert_visit_frames(&writer->assets, 1, write_bounds, writer);
    const bool is_small =
        convert_note_largest_error(writer->job, &writer->assets, &writer->largest);
    if (is_small || writer->job->is_forced)
        return true;
    return convert_fail(writer->error, MD5_ERROR_MISMATCH, writer->job->output,
                        "vertices would move by %.3g units, more than 1 %% of the model's "
                        "size; use --force to write the file anyway",
                        writer->largest.distance);
}

// Writes the file. It begins with a header, which end_file() fills at the end. One table after the
// other follows.
static bool write_tables(iqm_writer *writer)
{
    static const uint8_t zeros[HEADER_SIZE - sizeof magic];
    const md5_model *const model = writer->assets.model;
    convert_append(&writer->out, magic, sizeof magic);
    convert_append(&writer->out, zeros, sizeof zeros);
    convert_append(&writer->text, "", 1); // the empty text has offset 0
    writer->num_joints = writer->assets.skeleton->num_joints;
    sample_clips(writer);

    if (model && !write_meshes(writer))
        return false;
    if (!write_joints(writer))
        return false;
    write_clips(writer);
    const bool has_bounds = model && writer->num_frames > 0;
    if (has_bounds && !write_all_bounds(writer))
        return false;
    return end_file(writer);
}

// Writes a model and its clips as an IQM file. Reports camera paths and morph targets, which IQM
// cannot store. At least one model or clip is required, because the file needs joints.
bool convert_write_iqm(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    iqm_writer writer = {.job = job, .error = error};
    bool is_done = convert_load_assets(job, scene, &writer.assets, error);
    convert_note_unsupported_parts(job, scene, "IQM", true);
    if (is_done && !writer.assets.skeleton)
        is_done = convert_fail(error, MD5_ERROR_MISSING, job->output,
                               "inputs are empty: expected a model or a clip");
    is_done = is_done && write_tables(&writer);
    convert_free_assets(&writer.assets);
    free(writer.frames);
    free(writer.poses);
    free(writer.slots);
    free(writer.out.bytes);
    free(writer.text.bytes);
    return is_done;
}
