// Inter-Quake Model files of version 2, in and out: a model and all its clips in one file.
//
// A header of numbers says how many rows each table has and where it begins. Space, winding and
// texture coordinates are those of MD5. Vertices are in the bind pose, with up to four joints and
// weights in bytes; frames are 16-bit numbers, each a step of its channel's range: a channel is one
// of the ten numbers of a joint's transform. Rows of the tables are structures.
#include "demo/convert/assets.h"
#include "demo/convert/budget.h"

// -- Layout ---------------------------------------------------------------------------------------

static const char magic[16] = "INTERQUAKEMODEL";

// The numbers that stand behind the magic bytes.
enum { VERSION, FILE_SIZE, FLAGS, NUM_TEXT, OFS_TEXT, NUM_MESHES, OFS_MESHES, NUM_ARRAYS };
enum { NUM_VERTICES = NUM_ARRAYS + 1, OFS_ARRAYS, NUM_TRIANGLES, OFS_TRIANGLES, OFS_ADJACENCY };
enum { NUM_JOINTS = OFS_ADJACENCY + 1, OFS_JOINTS, NUM_POSES, OFS_POSES, NUM_ANIMS, OFS_ANIMS };
enum { NUM_FRAMES = OFS_ANIMS + 1, NUM_CHANNELS, OFS_FRAMES, OFS_BOUNDS, NUM_COMMENT, OFS_COMMENT };
enum { NUM_HEADER = OFS_COMMENT + 3, HEADER_SIZE = 16 + 4 * NUM_HEADER }; // two of extensions

// Rows of the tables, of words of four bytes. Names are bytes of the texts.
enum { CHANNELS = 10, MOVING = 7 }; // t x y z, q x y z w, s x y z; MD5 moves all but the scale

typedef struct iqm_mesh {
    uint32_t name;
    uint32_t material;
    uint32_t first_vertex;
    uint32_t num_vertices;
    uint32_t first_triangle;
    uint32_t num_triangles;
} iqm_mesh;

typedef struct iqm_array { // of vertices; of size 0: the file has none
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
    uint32_t parent, mask; // mask: of the channels that frames have
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
    int count, offset; // of the header
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
    [BOUNDS] = {NUM_FRAMES, OFS_BOUNDS, sizeof(iqm_box), "bounds"}, // perhaps none
    [FRAMES] = {NUM_FRAMES, OFS_FRAMES, 0, "frames"},               // two bytes a channel
};
enum { NUM_SLOTS = 4, LOOP = 1 };

enum { POSITION, TEXCOORD, NORMAL, TANGENT, JOINTS, WEIGHTS, NUM_TYPES }; // of vertex arrays
enum { UBYTE = 1, UINT = 5, FLOAT = 7 }; // formats; up to UINT whole numbers, the even ones signed

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
    uint32_t num_joints;     // of frames that come alone: those of their poses
    uint32_t first;          // frame of the clip that is read
    common_list texts;       // names, which the rest points to
    md5_error *error;
    uint32_t num_cleaned; // names
    double scale_error;   // the farthest scale from 1
} iqm_file;

#define FAIL(status, ...) convert_fail(file->error, status, file->path, __VA_ARGS__)

// Copies a row of a table, which has it.
static void get_row(const iqm_file *file, int table, uint32_t index, void *row)
{
    const size_t stride = tables[table].stride;
    const uint8_t *const bytes = file->bytes + file->header[tables[table].offset] + stride * index;
    for (size_t i = 0; i < stride; i += sizeof(uint32_t)) {
        const uint32_t word = common_number(bytes + i, 4);
        memcpy((char *)row + i, &word, sizeof word);
    }
}

// Models and clips can have numbers up to 1e9.
static bool check_numbers(const iqm_file *file, const float *numbers, int count, const char *what,
                          uint32_t index)
{
    for (int i = 0; i < count; i++)
        if (!(fabsf(numbers[i]) <= 1e9f))
            return FAIL(MD5_ERROR_RANGE, "%s %u: expected a number from -1e9 to 1e9, found %g",
                        what, index, numbers[i]);
    return true;
}

// Whether the file holds `count` rows, of `stride` bytes each. Everything that is read has been
// asked for here.
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

// Reads the numbers of the header, and checks all tables, whose rows can be read from then on.
static bool read_header(iqm_file *file)
{
    uint32_t *const header = file->header;
    if (file->size < HEADER_SIZE || memcmp(file->bytes, magic, sizeof magic) != 0)
        return FAIL(MD5_ERROR_SYNTAX, "not an IQM file: expected a header that starts with %s",
                    magic);
    for (int i = 0; i < NUM_HEADER; i++)
        header[i] = common_number(file->bytes + sizeof magic + 4 * i, 4);
    if (header[VERSION] != 2)
        return FAIL(MD5_ERROR_VERSION, "unsupported IQM version %u: expected 2", header[VERSION]);
    if (header[FILE_SIZE] < HEADER_SIZE || header[FILE_SIZE] > file->size)
        return FAIL(MD5_ERROR_RANGE,
                    "truncated or damaged file: the header declares %u bytes, but the file has %zu",
                    header[FILE_SIZE], file->size);
    file->size = header[FILE_SIZE];
    for (int i = 0; i < NUM_TABLES; i++) {
        const uint64_t stride = i == FRAMES ? 2 * (uint64_t)header[NUM_CHANNELS] : tables[i].stride;
        const bool is_there = i == FRAMES ? stride > 0 : i != BOUNDS || header[OFS_BOUNDS] != 0;
        if (is_there
            && !has_bytes(file, header[tables[i].offset], header[tables[i].count], stride,
                          i == FRAMES  ? 2
                          : stride > 1 ? 4
                                       : 1,
                          tables[i].title))
            return false;
    }
    if (header[NUM_TEXT] > 0
        && file->bytes[(size_t)header[OFS_TEXT] + header[NUM_TEXT] - 1] != '\0')
        return FAIL(MD5_ERROR_SYNTAX, "the text block does not end with a zero byte");
    if (header[NUM_POSES] > 0 && header[NUM_JOINTS] > 0 && header[NUM_POSES] != header[NUM_JOINTS])
        return FAIL(MD5_ERROR_MISMATCH, "pose count (%u) does not match joint count (%u)",
                    header[NUM_POSES], header[NUM_JOINTS]);
    return true;
}

// Bytes of a component of each format.
static const uint8_t component_sizes[] = {1, 1, 2, 2, 4, 4, 2, 4, 8};

// Finds the arrays of vertices. Those that MD5 has no place for are only counted; normals and
// tangents are checked and not used, as MD5 readers compute both.
static bool read_arrays(iqm_file *file)
{
    static const struct type {
        const char *title;
        uint32_t least_size;
        bool is_number; // else a float
    } types[NUM_TYPES] = {{"positions", 3, false},   {"texture coordinates", 2, false},
                          {"normals", 3, false},     {"tangents", 4, false},
                          {"blend joints", 1, true}, {"blend weights", 1, true}};
    uint32_t num_others = 0;
    for (uint32_t i = 0; i < file->header[NUM_ARRAYS]; i++) {
        iqm_array row = {.type = 0};
        get_row(file, ARRAYS, i, &row);
        if (row.type >= NUM_TYPES) {
            num_others++;
            continue;
        }
        const struct type *const type = &types[row.type];
        if (file->arrays[row.type].size > 0)
            return FAIL(MD5_ERROR_SYNTAX, "duplicate vertex array of %s", type->title);
        const bool is_whole = type->is_number && row.format <= UINT;
        const bool is_known = is_whole || (row.type != JOINTS && row.format == FLOAT);
        if (!is_known || row.size < type->least_size || row.size > 16)
            return FAIL(MD5_ERROR_SYNTAX,
                        "vertex array of %s has format %u and size %u: expected %s and a size of "
                        "at least %u",
                        type->title, row.format, row.size, type->is_number ? "integers" : "floats",
                        type->least_size);
        const uint32_t width = component_sizes[row.format];
        if (!has_bytes(file, row.offset, file->header[NUM_VERTICES], (uint64_t)row.size * width,
                       width, type->title))
            return false;
        file->arrays[row.type] = row;
    }
    if (num_others > 0)
        convert_note(file->job,
                     "%s: skipped %u vertex arrays: MD5 cannot store colors or custom "
                     "attributes",
                     file->path, num_others);
    return file->arrays[POSITION].size > 0 || file->header[NUM_MESHES] == 0
           || FAIL(MD5_ERROR_MISSING, "missing vertex array of positions");
}

// A component of a vertex, integers as they are; 0 if there is none.
static double get_component(const iqm_file *file, int type, uint32_t vertex, uint32_t component)
{
    const iqm_array *const array = &file->arrays[type];
    if (component >= array->size)
        return 0;
    const uint32_t size = component_sizes[array->format];
    const uint8_t *const bytes =
        file->bytes + array->offset + ((size_t)vertex * array->size + component) * size;
    const uint32_t number = common_number(bytes, size);
    const int64_t half = (INT64_C(1) << 8 * size) / 2; // from it on signed ones are below 0
    if (array->format % 2 == 0)
        return (double)(number < half ? number : number - 2 * half);
    if (array->format != FLOAT)
        return number;
    float real;
    memcpy(&real, &number, sizeof real);
    return real;
}

// Returns a text, in which MD5 texts can hold every byte. NULL: fails.
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
    const size_t rest = file->header[NUM_TEXT] - offset;
    if (!memchr(text, '\0', rest < MAX_BYTES ? rest : MAX_BYTES)) {
        FAIL(MD5_ERROR_RANGE, "name of a %s is longer than %d bytes", what, MAX_BYTES);
        return NULL;
    }
    const size_t length = strlen(text); // many rows may name one text
    if (!convert_charge(file->job, length, file->error)
        || !convert_charge_bytes(file->job, length + 1, 1, file->error))
        return NULL;
    char *const copy = convert_sanitize(text, MAX_BYTES, CONVERT_QUOTE);
    file->num_cleaned += strcmp(copy, text) != 0;
    common_add(&file->texts, copy);
    return copy;
}

// -- Reading: joints ------------------------------------------------------------------------------

// A transform of ten numbers in its parent's space; MD5 joints have no scale.
static convert_xform local_of(iqm_file *file, const double *v)
{
    for (int i = MOVING; i < CHANNELS; i++)
        file->scale_error = fmax(file->scale_error, fabs(v[i] - 1));
    return (convert_xform){convert_unit((convert_quat){v[3], v[4], v[5], v[6]}),
                           {v[0], v[1], v[2]}};
}

// The names of a model's joints, which are those of the poses that come alone, in copies; false if
// there is no model with this skeleton.
static bool take_names(iqm_file *file, const convert_scene *scene)
{
    const convert_part *const model = convert_find_model(scene);
    const uint32_t count = file->header[NUM_POSES];
    md5_doc *const doc = model ? convert_parse_doc(model, NULL) : NULL;
    bool is_same = doc && doc->num_joints == count;
    for (uint32_t i = 0; i < count && is_same; i++) {
        iqm_pose pose = {.parent = 0};
        get_row(file, POSES, i, &pose);
        is_same = pose.parent == doc->joints[i].parent;
    }
    if (is_same) {
        for (uint32_t i = 0; i < count; i++)
            common_add(&file->texts, common_copy(doc->joints[i].name));
    }
    md5_free_doc(doc);
    return is_same;
}

// Of the joints, or, in a file that has only frames, of the poses. There is room for one more.
static bool read_joints(iqm_file *file, const convert_scene *scene)
{
    const bool has_joints = file->header[NUM_JOINTS] > 0;
    const uint32_t count = has_joints ? file->header[NUM_JOINTS] : file->header[NUM_POSES];
    file->skeleton = common_alloc((size_t)count + 1, sizeof *file->skeleton);
    file->bind = common_alloc((size_t)count + 1, sizeof *file->bind);
    file->poses = common_alloc((size_t)count + 1, sizeof *file->poses);
    file->num_joints = count;
    const bool is_named = has_joints || take_names(file, scene);
    for (uint32_t i = 0; i < count; i++) {
        iqm_pose *const pose = &file->poses[i];
        iqm_bone bone = {.name = 0};
        double v[CHANNELS];
        if (i < file->header[NUM_POSES])
            get_row(file, POSES, i, pose);
        if (has_joints) {
            get_row(file, BONES, i, &bone);
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
        const convert_xform local = local_of(file, v);
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

// Reads a vertex with weights of different joints, which are added to the mesh.
static bool read_vertex(const iqm_file *file, uint32_t index, md5_doc_mesh *mesh)
{
    double v[5], sum = 0; // x y z, u v
    for (uint32_t i = 0; i < 5u; i++) {
        v[i] = get_component(file, i < 3 ? POSITION : TEXCOORD, index, i < 3 ? i : i - 3);
        if (!(fabs(v[i]) <= 1e9))
            return FAIL(MD5_ERROR_RANGE,
                        "vertex %u: position or texture coordinate is out of range (limit 1e9)",
                        index);
    }
    md5_weight *const weights = mesh->weights + mesh->num_weights;
    uint32_t count = 0;
    for (uint32_t i = 0; i < file->arrays[JOINTS].size; i++) {
        const double weight = get_component(file, WEIGHTS, index, i);
        const double joint = get_component(file, JOINTS, index, i);
        if (!(weight >= 0 && weight <= 4294967295.0)
            || (weight > 0 && !(joint >= 0 && joint < file->num_joints)))
            return FAIL(MD5_ERROR_RANGE,
                        "vertex %u: invalid weight %g for joint %.0f: expected a weight of 0 or "
                        "more and a joint below %u",
                        index, weight, joint, file->num_joints);
        if (weight == 0) // whatever its joint is
            continue;
        uint32_t slot = 0; // those of one joint are added up
        while (slot < count && weights[slot].joint != (uint32_t)joint)
            slot++;
        weights[slot] =
            (md5_weight){.joint = (uint32_t)joint,
                         .bias = (slot < count ? weights[slot].bias : 0) + (float)weight};
        count += slot == count;
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

// Reads a mesh into the arrays that it points to, which have room for the file's vertices and
// triangles: each belongs to one mesh, else a small file could be a huge model. *num_left counts
// down. Vertices keep their order; the file numbers them through all meshes, MD5 in each.
static bool read_mesh(iqm_file *file, uint32_t number, uint32_t num_left[2], md5_doc_mesh *mesh)
{
    const uint32_t *const header = file->header;
    iqm_mesh row = {.name = 0};
    get_row(file, MESHES, number, &row);
    const uint32_t first = row.first_vertex;
    const uint32_t count = row.num_vertices;
    if ((uint64_t)first + count > header[NUM_VERTICES]
        || (uint64_t)row.first_triangle + row.num_triangles > header[NUM_TRIANGLES])
        return FAIL(MD5_ERROR_RANGE,
                    "mesh %u is out of range: it ends at vertex %llu of %u and triangle %llu of %u",
                    number, (unsigned long long)first + count, header[NUM_VERTICES],
                    (unsigned long long)row.first_triangle + row.num_triangles,
                    header[NUM_TRIANGLES]);
    if (count > num_left[0] || row.num_triangles > num_left[1])
        return FAIL(MD5_ERROR_RANGE, "mesh %u overlaps another mesh's vertices or triangles",
                    number);
    num_left[0] -= count;
    num_left[1] -= row.num_triangles;
    mesh->name = get_text(file, row.name, "mesh");
    mesh->shader = mesh->name ? get_text(file, row.material, "material") : NULL;
    if (!mesh->shader)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!read_vertex(file, first + i, mesh))
            return false;
    for (uint32_t i = 0; i < row.num_triangles; i++) {
        uint32_t *const corners = mesh->indices + 3 * (size_t)mesh->num_triangles++;
        get_row(file, TRIANGLES, row.first_triangle + i, corners);
        for (int k = 0; k < 3; k++) {
            corners[k] -= first;
            if (corners[k] >= count)
                return FAIL(MD5_ERROR_RANGE,
                            "triangle %u of mesh %u: vertex %u is out of range; the mesh has %u "
                            "vertices from %u",
                            i, number, corners[k] + first, count, first);
        }
    }
    return true;
}

// A file without joints is a rigid model: it gets one.
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
    md5_doc_mesh rest = {.vertices = common_alloc(num_vertices, sizeof *rest.vertices),
                         .texcoords = common_alloc(num_vertices, sizeof *rest.texcoords),
                         .weights = common_alloc(num_vertices, num_slots * sizeof *rest.weights),
                         .indices =
                             common_alloc((size_t)num_left[1] + 1, 3 * sizeof *rest.indices)};
    const md5_doc_mesh all = rest;
    md5_doc doc = {.kind = MD5_DOC_MODEL,
                   .command_line = "md5tool convert",
                   .num_joints = file->num_joints,
                   .num_meshes = file->header[NUM_MESHES]};
    doc.joints = common_alloc(doc.num_joints, sizeof *doc.joints);
    doc.meshes = common_alloc((size_t)doc.num_meshes + 1, sizeof *doc.meshes);
    for (uint32_t i = 0; i < file->num_joints; i++) {
        doc.joints[i] =
            convert_doc_joint(file->skeleton[i].name, file->skeleton[i].parent, file->bind[i]);
        // As readers recover it from three numbers of the rotation: so that points relative to it
        // are where they were, also for half turns, whose w loses digits.
        const md5_vec3 q = doc.joints[i].rotation;
        file->bind[i] = convert_from_xform((md5_xform){.rotation = md5_quat_from_xyz(q.x, q.y, q.z),
                                                       .translation = doc.joints[i].position});
    }
    bool is_done = true;
    for (uint32_t i = 0; i < doc.num_meshes && is_done; i++) {
        md5_doc_mesh *const mesh = &doc.meshes[i];
        *mesh = rest;
        is_done = read_mesh(file, i, num_left, mesh);
        rest.vertices += mesh->num_vertices;
        rest.texcoords += mesh->num_vertices;
        rest.weights += mesh->num_weights;
        rest.indices += 3 * (size_t)mesh->num_triangles;
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

// Poses have the parents of the joints: frames would else be of another skeleton.
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
    return num_channels == file->header[NUM_CHANNELS]
           || FAIL(MD5_ERROR_MISMATCH, "poses have %llu channels, but frames have %u",
                   (unsigned long long)num_channels, file->header[NUM_CHANNELS]);
}

// Transforms of a frame, relative to the parents, for convert_motion.
static void pose_frame(void *user, uint32_t frame, convert_xform *posed)
{
    iqm_file *const file = user;
    const uint32_t num_channels = file->header[NUM_CHANNELS];
    // Without channels there are no bytes to begin at, nor to read.
    const uint8_t *channel = file->bytes;
    if (num_channels > 0)
        channel += file->header[OFS_FRAMES] + 2 * (size_t)num_channels * (file->first + frame);
    for (uint32_t i = 0; i < file->num_joints; i++) {
        const iqm_pose *const pose = &file->poses[i];
        double v[CHANNELS];
        for (int k = 0; k < CHANNELS; k++) {
            v[k] = pose->lows[k];
            if (pose->mask >> k & 1) {
                v[k] += (double)pose->steps[k] * common_number(channel, 2);
                channel += 2;
            }
        }
        posed[i] = local_of(file, v);
    }
}

// Adds a clip, from frame file->first on.
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
        get_row(file, BOUNDS, file->first + frame, &box);
        motion.bounds[frame] = box.bounds;
        is_done =
            check_numbers(file, &box.bounds.min.x, 6, "the bounds of frame", file->first + frame);
    }
    is_done = is_done && convert_add_clip(file->job, scene, name, &motion, NULL, file->error);
    free(motion.bounds);
    return is_done;
}

// Clips may share frames, and joints may have no numbers in frames.
static bool read_clips(iqm_file *file, convert_scene *scene)
{
    enum { MAX_CLIPS = 1024, SAMPLE = 8 }; // elements that a joint of a frame costs
    const uint32_t num_anims = file->header[NUM_ANIMS];
    const uint32_t num_frames = file->header[NUM_FRAMES];
    uint32_t num_loops = 0;
    if (num_anims > MAX_CLIPS)
        return FAIL(MD5_ERROR_RANGE, "invalid number of clips: expected %d, found %u", MAX_CLIPS,
                    num_anims);
    if (!check_poses(file))
        return false;
    for (uint32_t i = 0; i < num_anims; i++) {
        iqm_clip row = {.name = 0};
        get_row(file, ANIMS, i, &row);
        const uint32_t first = file->first = row.first;
        const uint32_t count = row.count;
        const double rate = row.rate;
        const char *const text = get_text(file, row.name, "clip");
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
        if (!convert_charge(file->job, SAMPLE * ((uint64_t)file->num_joints + 1) * count,
                            file->error))
            return false;
        if (rate == 0)
            convert_note(file->job, "%s: clip %s has no frame rate; using 24", file->path, text);
        char *const name = convert_file_name(text);
        const bool is_read = read_clip(file, scene, name, count, rate > 0 ? rate : 24);
        free(name);
        if (!is_read)
            return false;
        num_loops += (row.flags & LOOP) != 0;
    }
    if (num_loops > 0)
        convert_note(file->job, "%s: skipped the loop flags of %u clips: MD5 cannot store them",
                     file->path, num_loops);
    return true;
}

bool convert_is_clip(const char *path)
{
    uint8_t bytes[16 + 4 * (NUM_MESHES + 1)] = {0};
    FILE *const stream = common_has_ending(path, ".iqm") ? fopen(path, "rb") : NULL;
    const bool is_read = stream && fread(bytes, sizeof bytes, 1, stream) == 1;
    if (stream)
        fclose(stream);
    return is_read && common_number(bytes + 16 + 4 * NUM_MESHES, 4) == 0;
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
    if (is_done && (header[NUM_MESHES] > 0 || (file.num_joints > 0 && header[NUM_FRAMES] == 0)))
        is_done = read_model(&file, scene);
    if (is_done && file.num_cleaned > 0)
        convert_note(job, "%s: replaced quotes and control characters with _ in %u names",
                     file.path, file.num_cleaned);
    if (is_done && file.scale_error > 1e-3)
        convert_note(
            job,
            "%s: skipped joint scales, which differ from 1 by up to %.3g: MD5 joints have no scale",
            file.path, file.scale_error);
    common_free_list(&file.texts);
    free(file.skeleton);
    free(file.bind);
    free(file.poses);
    return is_done;
}

// -- Writing: what is written ---------------------------------------------------------------------

typedef struct iqm_writer {
    const convert_job *job;
    md5_error *error;
    convert_assets assets;
    uint32_t num_joints;
    size_t num_frames, next_frame; // next_frame: of the bounds
    float (*frames)[MOVING];       // [num_frames][num_joints] relative to the parent, in steps
    iqm_pose *poses;               // [num_joints]
    uint8_t *slots; // [drawn vertices of all meshes][2 * NUM_SLOTS] joints and weights
    convert_worst worst;
    convert_bytes out;
    convert_bytes text;
    uint32_t header[NUM_HEADER];
} iqm_writer;

#define REFUSE(...) convert_fail(writer->error, MD5_ERROR_RANGE, writer->job->output, __VA_ARGS__)

// The channels of a joint, w <= 0.
static void get_channels(md5_xform local, float *channels)
{
    const md5_quat q = local.rotation;
    const float sign = q.w > 0 ? -1 : 1;
    const float v[MOVING] = {local.translation.x, local.translation.y, local.translation.z,
                             sign * q.x,          sign * q.y,          sign * q.z,
                             sign * q.w};
    memcpy(channels, v, sizeof v);
}

// Samples all clips, finds the range of each channel, and the 16 bits that a step of it is.
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
        // No joint has a scale: its three channels are constant.
        *to = (iqm_pose){assets->skeleton->joints[i].parent, 0, {[MOVING] = 1, 1, 1}, {0}};
        if (writer->num_frames > 0) {
            for (int k = 0; k < MOVING; k++) {
                float low = writer->frames[i][k];
                float high = low;
                for (size_t frame = 1; frame < writer->num_frames; frame++) {
                    low = fminf(low, writer->frames[frame * count + i][k]);
                    high = fmaxf(high, writer->frames[frame * count + i][k]);
                }
                const float step = high - low > 1e-9f ? (high - low) / 65535.0f : 0;
                to->lows[k] = low;
                to->steps[k] = step;
                to->mask |= (step > 0 ? 1u : 0u) << k;
                writer->header[NUM_CHANNELS] += step > 0;
                for (size_t frame = 0; frame < writer->num_frames; frame++) {
                    float *const v = &writer->frames[frame * count + i][k];
                    *v = step > 0 ? fminf(floorf((*v - low) / step + 0.5f), 65535.0f) : 0;
                }
            }
        }
    }
}

// -- Writing: rows --------------------------------------------------------------------------------

// Begins a table, at a multiple of 4.
static void begin(iqm_writer *writer, int table, size_t rows)
{
    while (writer->out.size % 4 != 0)
        convert_append(&writer->out, "", 1);
    writer->header[tables[table].count] = (uint32_t)rows;
    writer->header[tables[table].offset] = rows > 0 ? (uint32_t)writer->out.size : 0;
}

static void put_row(iqm_writer *writer, int table, const void *row)
{
    convert_append_words(&writer->out, row, tables[table].stride / 4);
}

// Returns where a text is among the texts.
static uint32_t add_text(iqm_writer *writer, const char *text)
{
    const size_t at = writer->text.size;
    if (text[0] == '\0')
        return 0;
    convert_append(&writer->text, text, strlen(text) + 1);
    return (uint32_t)at;
}

// -- Writing: losses ------------------------------------------------------------------------------

// A vertex as engines skin it. `slots` are its joints and weights.
static md5_vec3 skinned(const md5_mat34 *palette, const uint8_t *slots, md5_vec3 position)
{
    md5_vec3 sum = {0, 0, 0};
    for (int k = 0; k < NUM_SLOTS; k++)
        if (slots[NUM_SLOTS + k] > 0) {
            const md5_vec3 v = md5_mat34_point(palette[slots[k]], position);
            sum = md5_vec3_add(sum, md5_vec3_scale(v, (float)slots[NUM_SLOTS + k] / 255.0f));
        }
    return sum;
}

// Writes the bounds of a frame, and finds the largest error of what is written: a vertex as the
// library skins it against the same as engines will.
static void put_bounds(void *user, size_t clip, uint32_t frame, const md5_mat34 *palette)
{
    iqm_writer *const writer = user;
    const md5_model *const model = writer->assets.model;
    md5_vec3 *const exact = common_alloc((size_t)model->max_vertices + 1, sizeof *exact);
    md5_xform *const pose = common_alloc(writer->num_joints, sizeof *pose);
    md5_mat34 *const written = common_alloc(writer->num_joints, sizeof *written);
    for (uint32_t i = 0; i < writer->num_joints; i++) { // as readers pose it
        const float *const steps = writer->frames[writer->next_frame * writer->num_joints + i];
        float v[MOVING];
        for (int k = 0; k < MOVING; k++)
            v[k] = writer->poses[i].lows[k] + writer->poses[i].steps[k] * steps[k];
        const md5_quat q = {v[3], v[4], v[5], v[6]};
        pose[i] = (md5_xform){md5_quat_normalize(q, q), {v[0], v[1], v[2]}, 0};
    }
    writer->next_frame++;
    md5_local_to_palette(model, pose, NULL, written);
    iqm_box row = {.radius = 0};
    const uint8_t *slots = writer->slots;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        md5_skin(mesh, palette, exact, NULL, NULL);
        for (uint32_t v = 0; v < mesh->num_vertices; v++, slots += 2 * NUM_SLOTS) {
            const md5_vec3 is = skinned(written, slots, mesh->positions[v]);
            const double distance = md5_vec3_length(md5_vec3_sub(is, exact[v]));
            convert_find_worst(&writer->worst, (convert_worst){distance, clip, frame, m, v});
            const md5_bounds point = {is, is};
            row.bounds = slots == writer->slots ? point : md5_bounds_union(row.bounds, point);
            row.radius = fmaxf(row.radius, md5_vec3_length(is));
            row.flat_radius = fmaxf(row.flat_radius, hypotf(is.x, is.y));
        }
    }
    put_row(writer, BOUNDS, &row);
    free(written);
    free(pose);
    free(exact);
}

// -- Writing: tables ------------------------------------------------------------------------------

// What an array has of a mesh.
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

// Meshes, their vertices array by array, and triangles. Vertices are the drawn ones, since two
// sides of a mirror seam need two tangents.
static bool put_meshes(iqm_writer *writer)
{
    const md5_model *const model = writer->assets.model;
    size_t num_vertices = 0;
    size_t num_triangles = 0;
    begin(writer, MESHES, model->num_meshes);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        const iqm_mesh row = {add_text(writer, mesh->name), add_text(writer, mesh->shader),
                              (uint32_t)num_vertices,       mesh->num_vertices,
                              (uint32_t)num_triangles,      mesh->num_triangles};
        put_row(writer, MESHES, &row);
        num_vertices += mesh->num_vertices;
        num_triangles += mesh->num_triangles;
    }
    if (num_vertices > UINT32_MAX / 128 || num_triangles > UINT32_MAX / 128)
        return REFUSE("too many vertices or triangles (limit %u)", UINT32_MAX / 128);
    writer->slots = convert_pack_bytes(writer->job, model, NUM_SLOTS);
    if (!writer->slots)
        return REFUSE("%u joints exceed IQM's limit of 256", writer->num_joints);
    static const uint8_t sizes[NUM_TYPES] = {3, 2, 3, 4, NUM_SLOTS, NUM_SLOTS}; // of a vertex
    begin(writer, ARRAYS, num_vertices > 0 ? NUM_TYPES : 0);
    writer->header[NUM_VERTICES] = (uint32_t)num_vertices;
    size_t offset = writer->out.size + (size_t)NUM_TYPES * tables[ARRAYS].stride;
    for (uint32_t type = 0; type < NUM_TYPES && num_vertices > 0; type++) {
        const uint32_t format = type >= JOINTS ? UBYTE : FLOAT;
        const iqm_array row = {type, 0, format, sizes[type], (uint32_t)offset};
        put_row(writer, ARRAYS, &row);
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
    begin(writer, TRIANGLES, num_triangles);
    uint32_t first = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        for (size_t k = 0; k < 3 * (size_t)mesh->num_triangles; k++)
            convert_append_u32(&writer->out, first + mesh->indices[k]);
        first += mesh->num_vertices;
    }
    return true;
}

// The bind pose and, if there are clips, the range of each channel.
static bool put_joints(iqm_writer *writer)
{
    const md5_joint *const joints = writer->assets.skeleton->joints;
    begin(writer, BONES, writer->num_joints);
    for (uint32_t i = 0; i < writer->num_joints; i++) {
        if (joints[i].parent != MD5_NONE && joints[i].parent >= i)
            return REFUSE("joint '%s' precedes its parent", joints[i].name);
        iqm_bone row = {add_text(writer, joints[i].name), joints[i].parent, {[MOVING] = 1, 1, 1}};
        get_channels(writer->assets.rest[i], row.channels);
        put_row(writer, BONES, &row);
    }
    begin(writer, POSES, writer->num_frames > 0 ? writer->num_joints : 0);
    for (uint32_t i = 0; i < writer->header[NUM_POSES]; i++)
        put_row(writer, POSES, &writer->poses[i]);
    return true;
}

// Whether the last frame is the first one again but for where the root is.
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
    begin(writer, ANIMS, assets->num_clips);
    for (size_t i = 0; i < assets->num_clips; i++) {
        convert_clip *const clip = &assets->clips[i];
        const md5_anim *const anim = clip->anim;
        const bool loops = is_loop(writer, first, anim->num_frames);
        const iqm_clip row = {add_text(writer, clip->name), (uint32_t)first, anim->num_frames,
                              (float)anim->frame_rate, loops ? LOOP : 0};
        put_row(writer, ANIMS, &row);
        num_loops += loops;
        first += anim->num_frames;
    }
    if (num_loops > 0)
        convert_note(writer->job,
                     "marked %u of %zu clips as loops: their first and last frames are equal",
                     num_loops, assets->num_clips);
    begin(writer, FRAMES, writer->num_frames);
    for (size_t frame = 0; frame < writer->num_frames; frame++)
        for (uint32_t i = 0; i < writer->num_joints; i++)
            for (int k = 0; k < MOVING; k++)
                if (writer->poses[i].mask >> k & 1) {
                    const uint32_t v = (uint32_t)writer->frames[frame * writer->num_joints + i][k];
                    convert_append_uint(&writer->out, v, 2);
                }
}

// Texts come last, as all other tables add to them; then the header is known.
static bool end_file(iqm_writer *writer)
{
    begin(writer, TEXT, writer->text.size);
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
    convert_append(&writer->text, "", 1); // the empty text is number 0
    writer->num_joints = writer->assets.skeleton->num_joints;
    sample_clips(writer);
    if ((model && !put_meshes(writer)) || !put_joints(writer))
        return false;
    put_clips(writer);
    if (model && writer->num_frames > 0) {
        begin(writer, BOUNDS, writer->num_frames);
        convert_visit_frames(&writer->assets, 1, put_bounds, writer);
        if (!convert_note_worst(writer->job, &writer->assets, &writer->worst)
            && !writer->job->is_forced)
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
