// Reads SMD, the text format of Source's model compiler: bones, their transforms in each frame, and
// triangles. It fills a plain scene.
//
// An SMD file is a model or a sequence. A model ("reference" in Source's documentation) contains
// triangles and usually one frame, the bind pose. A sequence contains only frames, which are an
// animation. The format does not contain a frame rate; the reader uses 30 frames per second. A bone
// that a frame omits keeps its transform. In SMD z is up, and studiomdl makes -y the forward
// direction. Texture coordinates begin in the bottom row. A unit is an inch, as in MD5.
//
// The text consists of lines. smd_file.in is the current line.
#include "demo/convert/plain_scene.h"
#include "demo/convert/tokens.h"

enum {
    MAX_BONES = 1 << 16, // limit of the numbers that identify bones
    // Weights of a vertex, to which the weight of its first bone is added.
    MAX_LINKS = 4 * PLAIN_MAX_SETS - 1,
    MAX_TIME = 1000000,   // number of a frame
    MAX_MATERIALS = 1000, // meshes of the model
    WIDTH = 3 + 4,        // numbers of a translation and a rotation
};
static const double frame_rate = 30; // frames per second of a sequence

// A bone, and its transform in the current frame.
typedef struct smd_bone {
    char *name;
    double
        values[6]; // position x y z, and angles about x, y and z in radians, in the current frame
} smd_bone;

// A vertex of a triangle. Its weights are smd_file.links.
typedef struct smd_vertex {
    float position[3];
    float texcoord[2];
    uint32_t material;
    uint32_t num_links;
    size_t first_link;
} smd_vertex;

// A bone that moves a vertex, and its weight.
typedef struct smd_link {
    uint32_t bone; // index
    float weight;
} smd_link;

// An SMD file while it is read.
typedef struct smd_file {
    plain_scene plain;
    convert_tokens in;
    const char *next; // next line
    const char *end;  // end of the text
    smd_bone *bones;  // [num_bones] parents first
    size_t num_bones;
    uint32_t *index; // [MAX_BONES] index of the bone with a number, or MD5_NONE
    float *times;    // [num_frames] seconds
    float *values;   // [num_frames][num_bones][WIDTH] translation and rotation
    size_t capacity; // capacity of `values`
    float *keys;     // [num_bones][num_frames * WIDTH] translations, then rotations of a bone
    size_t num_frames;
    double first_time;
    smd_vertex *vertices; // [num_vertices] three per triangle
    size_t num_vertices;
    smd_link *links; // [num_links]
    size_t num_links;
    common_text_index materials;
} smd_file;

// -- Lines ----------------------------------------------------------------------------------------

// Moves to the next line that contains a token. Returns false at the end of the text.
static bool next_line(smd_file *file)
{
    convert_tokens *const in = &file->in;
    while (file->next < file->end) {
        const char *const newline = memchr(file->next, '\n', (size_t)(file->end - file->next));
        in->at = file->next;
        in->line_start = file->next;
        in->line++;
        in->end = newline ? newline : file->end;
        file->next = newline ? newline + 1 : file->end;
        const size_t length = convert_next_token(in);
        const bool is_comment =
            length > 0 && (strchr("#;", *in->at) || strncmp(in->at, "//", 2) == 0);
        if (length > 0 && !is_comment)
            return true;
    }

    in->at = file->end;
    in->end = file->end;
    in->end_name = "the end of the file";
    return false;
}

// Consumes the next token of the line if it equals `word`.
static bool accept(smd_file *file, const char *word)
{
    const size_t length = convert_next_token(&file->in);
    if (length != strlen(word) || memcmp(file->in.at, word, length) != 0)
        return false;
    file->in.at += length;
    return true;
}

// Moves to the next line of a block. Returns false at the line "end" of the block. Also returns
// false at the end of the text, with an error and *has_failed set to true.
static bool next_in_block(smd_file *file, bool *has_failed)
{
    if (!next_line(file)) {
        convert_fail_token(&file->in, "end");
        *has_failed = true;
        return false;
    }
    return !accept(file, "end");
}

// Reads an integer from `min` to `max`. `name` is its description in messages.
static bool read_integer(smd_file *file, const char *name, double min, double max, double *number)
{
    convert_next_token(&file->in);
    const char *const position = file->in.at;
    if (!convert_read_number(&file->in, name, number))
        return false;
    if (*number >= min && *number <= max && *number == floor(*number))
        return true;
    return convert_fail_at(&file->in, MD5_ERROR_RANGE, position,
                           "%s: expected an integer from %.0f to %.0f, found %g", name, min, max,
                           *number);
}

// Reads the number of a bone and returns its index in *bone.
static bool read_bone(smd_file *file, uint32_t *bone)
{
    double number = 0;
    convert_next_token(&file->in);
    const char *const position = file->in.at;
    if (!read_integer(file, "the number of a bone", 0, MAX_BONES - 1, &number))
        return false;
    *bone = file->index[(size_t)number];
    return *bone != MD5_NONE
           || convert_fail_at(&file->in, MD5_ERROR_RANGE, position,
                              "unknown bone %.0f: expected a bone of the section 'nodes'", number);
}

// -- Blocks ---------------------------------------------------------------------------------------

// Reads the name of a bone, with or without quotes. Returns a copy in which quotes and control
// characters are replaced, which the caller frees. Returns NULL and fills the error on failure.
static char *read_name(smd_file *file)
{
    enum { MAX_BYTES = 255 };
    convert_tokens *const in = &file->in;
    size_t length = convert_next_token(in);
    const char *text = in->at;
    if (length == 0) {
        convert_fail_token(in, "the name of a bone");
        return NULL;
    }

    if (*text == '"') {
        const char *const close = memchr(text + 1, '"', (size_t)(in->end - text - 1));
        if (!close) {
            (void)convert_fail_at(in, MD5_ERROR_SYNTAX, text,
                                  "unterminated name: expected a closing quote");
            return NULL;
        }
        text++;
        length = (size_t)(close - text);
        in->at = close + 1;
    } else {
        in->at += length;
    }

    if (length > MAX_BYTES) {
        (void)convert_fail_at(in, MD5_ERROR_RANGE, text,
                              "name of a bone is too long: expected at most %d bytes", MAX_BYTES);
        return NULL;
    }
    return convert_sanitize(text, length, CONVERT_QUOTE);
}

// Reads a line of the section "nodes", which defines a bone: NUMBER "NAME" PARENT. Adds the bone
// and its node to the scene. A repeated line is ignored. Returns false and fills the error on
// failure.
static bool read_node(smd_file *file)
{
    plain_scene *const plain = &file->plain;
    const char *const start = file->in.at;
    double number = 0;
    if (file->num_frames > 0)
        return convert_fail_at(&file->in, MD5_ERROR_SYNTAX, start,
                               "section 'nodes' is missing: expected it before 'skeleton'");
    if (!read_integer(file, "the number of a bone", 0, MAX_BONES - 1, &number))
        return false;

    char *const name = read_name(file);
    if (!name)
        return false;
    uint32_t parent = MD5_NONE;
    if (!accept(file, "-1") && !read_bone(file, &parent)) {
        free(name);
        return false;
    }

    const uint32_t earlier = file->index[(size_t)number];
    if (earlier != MD5_NONE) {
        const bool is_repeated =
            strcmp(file->bones[earlier].name, name) == 0 && plain->nodes[earlier].parent == parent;
        free(name);
        if (!is_repeated)
            return convert_fail_at(&file->in, MD5_ERROR_SYNTAX, start,
                                   "duplicate bone %.0f: expected each bone once", number);
        return true;
    }

    file->index[(size_t)number] = (uint32_t)file->num_bones;
    *COMMON_ADD_ITEM(file->bones, file->num_bones) = (smd_bone){.name = name};
    plain_node node = plain_new_node();
    node.name = name;
    node.parent = parent;
    *COMMON_ADD_ITEM(plain->nodes, plain->num_nodes) = node;
    return true;
}

// Returns the rotation of a bone: first about x, then about y, then about z. Angles are in radians.
static convert_quat rotation_from_angles(const double angles[3])
{
    const convert_quat x = {sin(angles[0] / 2), 0, 0, cos(angles[0] / 2)};
    const convert_quat y = {0, sin(angles[1] / 2), 0, cos(angles[1] / 2)};
    const convert_quat z = {0, 0, sin(angles[2] / 2), cos(angles[2] / 2)};
    return convert_quat_mul(z, convert_quat_mul(y, x));
}

// Stores the transforms of all bones in the current frame: the translation and the rotation of each
// bone, relative to its parent.
static bool end_frame(smd_file *file)
{
    enum { ELEMENTS_PER_BONE = 8 };
    const size_t first = (file->num_frames - 1) * file->num_bones * WIDTH;
    const size_t count = file->num_bones * WIDTH;
    if (!plain_charge(&file->plain, ELEMENTS_PER_BONE * (uint64_t)file->num_bones)
        || !convert_charge_bytes(file->plain.job, 2 * count, sizeof *file->values, file->in.error))
        return false;
    if (first + count > file->capacity) {
        file->capacity = 2 * (first + count);
        file->values = common_realloc(file->values, file->capacity, sizeof *file->values);
    }

    for (size_t i = 0; i < file->num_bones; i++) {
        const double *const position = file->bones[i].values;
        const convert_quat q = rotation_from_angles(file->bones[i].values + 3);
        const float stored[WIDTH] = {(float)position[0], (float)position[1], (float)position[2],
                                     (float)q.x,         (float)q.y,         (float)q.z,
                                     (float)q.w};
        memcpy(file->values + first + i * WIDTH, stored, sizeof stored);
    }
    return true;
}

// Begins the frame that a line "time NUMBER" announces, and stores its time in seconds. Returns
// false and fills the error if the number is invalid or is not later than the previous frame.
static bool begin_frame(smd_file *file)
{
    convert_next_token(&file->in);
    const char *const position = file->in.at;
    double time = 0;
    if (!read_integer(file, "the number of a frame", -MAX_TIME, MAX_TIME, &time))
        return false;
    if (file->num_frames == 0)
        file->first_time = time;
    const float seconds = (float)((time - file->first_time) / frame_rate);
    if (file->num_frames > 0 && !(seconds > file->times[file->num_frames - 1]))
        return convert_fail_at(&file->in, MD5_ERROR_SYNTAX, position,
                               "frame times are out of order: expected a later time than the "
                               "previous frame, found %.0f",
                               time);
    *COMMON_ADD_ITEM(file->times, file->num_frames) = seconds;
    return true;
}

// Reads a line of the section "skeleton": a bone, its position and its Euler angles.
static bool read_bone_line(smd_file *file)
{
    uint32_t bone = 0;
    if (file->num_frames == 0)
        return convert_fail_token(&file->in, "time");
    if (!read_bone(file, &bone))
        return false;
    for (int i = 0; i < 6; i++) {
        if (!convert_read_number(&file->in, "a coordinate or an angle",
                                 &file->bones[bone].values[i]))
            return false;
    }
    return true;
}

// Ends the last frame, if there is one, and begins the frame of a line "time NUMBER".
static bool read_time_line(smd_file *file)
{
    if (file->num_frames > 0 && !end_frame(file))
        return false;
    return begin_frame(file);
}

// Reads the section "skeleton": for each frame a line "time N", then a line for each bone that
// moves. Bones without a line keep their last transform.
static bool read_skeleton(smd_file *file)
{
    bool has_failed = false;
    while (next_in_block(file, &has_failed)) {
        const bool is_time = accept(file, "time");
        const bool is_read = is_time ? read_time_line(file) : read_bone_line(file);
        if (!is_read)
            return false;
    }

    if (has_failed)
        return false;
    return file->num_frames == 0 || end_frame(file);
}

// Adds a weight to the last vertex.
static void add_link(smd_file *file, uint32_t bone, double weight)
{
    if (!(weight > 0))
        return;
    *COMMON_ADD_ITEM(file->links, file->num_links) = (smd_link){bone, (float)weight};
    file->vertices[file->num_vertices - 1].num_links++;
}

// Reads the weights of a vertex. Their sum may be less than 1. The rest is the weight of the first
// bone of the line.
static bool read_links(smd_file *file, uint32_t first_bone)
{
    double num_links = 0;
    double sum = 0;
    if (convert_next_token(&file->in) > 0
        && !read_integer(file, "the number of weights", 0, MAX_LINKS, &num_links))
        return false;
    for (int i = 0; i < (int)num_links; i++) {
        uint32_t bone = 0;
        double weight = 0;
        if (!read_bone(file, &bone) || !convert_read_number(&file->in, "a weight", &weight))
            return false;
        add_link(file, bone, weight);
        sum += fmax(weight, 0.0);
    }
    const double negligible = 1e-3; // files have six decimals
    if (!(sum > 1 - negligible))
        add_link(file, first_bone, 1 - sum);
    return true;
}

// Reads a line of a vertex: BONE, position, normal, texture coordinates, and weights.
static bool read_vertex(smd_file *file, uint32_t material)
{
    // Indices of the numbers of a line.
    enum { X, Y, Z, NORMAL_X, NORMAL_Y, NORMAL_Z, U, V, NUM_NUMBERS };
    uint32_t bone = 0;
    double numbers[NUM_NUMBERS];
    if (!read_bone(file, &bone))
        return false;
    for (int i = 0; i < NUM_NUMBERS; i++) {
        if (!convert_read_number(&file->in, "a number of a vertex", &numbers[i]))
            return false;
    }
    *COMMON_ADD_ITEM(file->vertices, file->num_vertices) =
        (smd_vertex){.position = {(float)numbers[X], (float)numbers[Y], (float)numbers[Z]},
                     .texcoord = {(float)numbers[U], (float)(1 - numbers[V])},
                     .material = material,
                     .first_link = file->num_links};
    return read_links(file, bone);
}

// Reads a triangle: a line with the name of the material, and three lines of vertices.
static bool read_triangle(smd_file *file)
{
    convert_tokens *const in = &file->in;
    const char *stop = in->end;
    while (isspace((unsigned char)stop[-1]))
        stop--;
    const uint32_t material =
        (uint32_t)common_index_text(&file->materials, in->at, (size_t)(stop - in->at));
    if (material >= MAX_MATERIALS)
        return convert_fail_at(in, MD5_ERROR_RANGE, in->at,
                               "file has too many materials: expected at most %d", MAX_MATERIALS);
    for (int i = 0; i < 3; i++) {
        if (!next_line(file))
            return convert_fail_token(in, "a vertex");
        if (!read_vertex(file, material))
            return false;
    }
    return true;
}

// Reads all lines of a section with a function. Returns false on failure.
static bool read_lines(smd_file *file, bool (*read)(smd_file *file))
{
    bool has_failed = false;
    while (next_in_block(file, &has_failed)) {
        if (!read(file))
            return false;
    }
    return !has_failed;
}

// Skips the section "vertexanimation" and reports it.
static bool skip_section(smd_file *file)
{
    bool has_failed = false;
    convert_note(file->plain.job, "%s: skipped the section 'vertexanimation': MD5 cannot store it",
                 file->plain.path);
    while (next_in_block(file, &has_failed))
        continue;
    return !has_failed;
}

// Reads one section, whose name is the next token.
static bool read_section(smd_file *file)
{
    if (accept(file, "nodes"))
        return read_lines(file, read_node);
    if (accept(file, "skeleton"))
        return read_skeleton(file);
    if (accept(file, "triangles"))
        return read_lines(file, read_triangle);
    if (accept(file, "vertexanimation"))
        return skip_section(file);
    return convert_fail_token(&file->in, "nodes, skeleton or triangles");
}

// Reads the file: a version, then the sections in any order.
static bool read_text(smd_file *file)
{
    if (!next_line(file) || !accept(file, "version") || !accept(file, "1"))
        return convert_fail_token(&file->in, "version 1");
    while (next_line(file)) {
        if (!read_section(file))
            return false;
    }
    return true;
}

// -- The scene ------------------------------------------------------------------------------------

// Sets the rest pose and the bind pose, which are the first frame, and adds the skin of all bones.
static void add_skin(smd_file *file)
{
    plain_scene *const plain = &file->plain;
    plain->num_skins = 1;
    plain->skins = common_alloc(1, sizeof *plain->skins);
    plain_bind_nodes(&plain->skins[0], 0, (uint32_t)file->num_bones);
    for (size_t i = 0; i < file->num_bones; i++) {
        const float *const value = file->values + i * WIDTH;
        plain_node *const node = &plain->nodes[i];
        for (size_t k = 0; k < WIDTH; k++) {
            if (k < 3)
                node->parts[PLAIN_TRANSLATION][k] = value[k];
            else
                node->parts[PLAIN_ROTATION][k - 3] = value[k];
        }
    }
}

// Adds the clip: one track for the translation and one for the rotation of each bone.
static void add_animation(smd_file *file, const char *name)
{
    plain_scene *const plain = &file->plain;
    const size_t num_frames = file->num_frames;
    plain->num_animations = 1;
    plain->animations = common_alloc(1, sizeof *plain->animations);
    plain_animation *const clip = &plain->animations[0];
    *clip = (plain_animation){.name = name, .rate = frame_rate};
    file->keys = common_alloc(file->num_bones * num_frames, WIDTH * sizeof *file->keys);
    for (size_t i = 0; i < file->num_bones; i++) {
        float *const translations = file->keys + i * num_frames * WIDTH;
        float *const rotations = translations + 3 * num_frames;
        for (size_t f = 0; f < num_frames; f++) {
            const float *const value = file->values + (f * file->num_bones + i) * WIDTH;
            memcpy(translations + 3 * f, value, 3 * sizeof *value);
            memcpy(rotations + 4 * f, value + 3, 4 * sizeof *value);
        }
        plain_add_tracks(clip, (uint32_t)i, num_frames, file->times, translations, rotations);
    }
}

// Stores a vertex as vertex `index` of its material.
static void store_vertex(const smd_file *file, const smd_vertex *vertex,
                         const plain_vertices *vertices, size_t index)
{
    memcpy(vertices->positions + 3 * index, vertex->position, sizeof vertex->position);
    memcpy(vertices->texcoords + 2 * index, vertex->texcoord, sizeof vertex->texcoord);
    for (size_t i = 0; i < vertex->num_links; i++) {
        const smd_link link = file->links[vertex->first_link + i];
        plain_set_influence(vertices, index, i, (float)link.bone, link.weight);
    }
}

// Adds an empty mesh for each material, with a node that has the skin of the file. The triangles
// are added afterwards.
static void create_meshes(smd_file *file)
{
    plain_scene *const plain = &file->plain;
    const size_t count = file->materials.count;
    plain->num_meshes = count;
    plain->meshes = common_alloc(count, sizeof *plain->meshes);
    plain->num_materials = count;
    plain->materials = common_alloc(count, sizeof *plain->materials);
    for (size_t i = 0; i < count; i++) {
        plain_add_primitive(&plain->meshes[i], 0)->material = (uint32_t)i;
        plain->materials[i].name = file->materials.texts[i];
        plain_node node = plain_new_node();
        node.name = common_base(file->materials.texts[i]);
        node.mesh = (uint32_t)i;
        node.skin = 0;
        *COMMON_ADD_ITEM(plain->nodes, plain->num_nodes) = node;
    }
}

// Allocates the arrays of each mesh. They have the exact size, so the vertices and their largest
// number of weights are counted first. Returns false if the budget is exceeded.
static bool allocate_meshes(smd_file *file, plain_vertices *arrays)
{
    const size_t count = file->materials.count;
    // Number of influences of each vertex.
    size_t *const num_influences = common_alloc(count, sizeof *num_influences);
    for (size_t v = 0; v < file->num_vertices; v++) {
        const smd_vertex *const vertex = &file->vertices[v];
        file->plain.meshes[vertex->material].primitives->num_vertices++;
        if (vertex->num_links > num_influences[vertex->material])
            num_influences[vertex->material] = vertex->num_links;
    }

    bool is_allocated = true;
    for (size_t i = 0; i < count && is_allocated; i++) {
        plain_primitive *const primitive = file->plain.meshes[i].primitives;
        is_allocated = plain_allocate_vertices(&file->plain, primitive->num_vertices,
                                               num_influences[i], &arrays[i]);
        if (is_allocated)
            plain_set_vertices(primitive, &arrays[i], 0);
    }
    free(num_influences);
    return is_allocated;
}

// Adds a mesh with its node for each material.
static bool add_meshes(smd_file *file)
{
    const size_t count = file->materials.count;
    create_meshes(file);
    plain_vertices *const arrays = common_alloc(count, sizeof *arrays);
    const bool is_allocated = allocate_meshes(file, arrays);
    size_t *const num_stored = common_alloc(count, sizeof *num_stored); // vertices of a material
    for (size_t v = 0; v < file->num_vertices && is_allocated; v++) {
        const uint32_t i = file->vertices[v].material;
        store_vertex(file, &file->vertices[v], &arrays[i], num_stored[i]++);
    }
    free(num_stored);
    free(arrays);
    return is_allocated;
}

// Fills the plain scene after the whole file was read. Adds the skin and the meshes. If the frames
// contain more than the bind pose, also adds an animation. Returns false on failure.
static bool fill_scene(smd_file *file, const char *name)
{
    plain_scene *const plain = &file->plain;
    if (file->num_bones == 0 || file->num_frames == 0)
        return plain_fail(plain,
                          "file is incomplete: expected at least one bone and one frame, found %zu "
                          "%s and %zu %s",
                          file->num_bones, common_noun(file->num_bones, "bone", "bones"),
                          file->num_frames, common_noun(file->num_frames, "frame", "frames"));
    add_skin(file);
    if (!add_meshes(file))
        return false;
    // The single frame of a file with triangles is the bind pose, not an animation.
    if (file->num_frames > 1 || file->num_vertices == 0)
        add_animation(file, name);
    plain_set_order(plain);
    return true;
}

// Frees everything that the reader has allocated, including the plain scene.
static void free_file(smd_file *file)
{
    for (size_t i = 0; i < file->num_bones; i++)
        free(file->bones[i].name);

    free(file->bones);
    free(file->index);
    free(file->times);
    free(file->values);
    free(file->keys);
    free(file->vertices);
    free(file->links);
    common_free_text_index(&file->materials);
    plain_free(&file->plain);
}

// Reads an SMD file. Parses the whole text, fills a plain scene from the bones, frames and
// triangles, and converts it to MD5. file.index maps the number of a bone in the file to its index
// in file.bones.
bool convert_read_smd(const convert_job *job, convert_input *input, convert_scene *scene,
                      md5_error *error)
{
    smd_file file = {.plain = {.job = job,
                               .error = error,
                               .path = input->path,
                               .axes = plain_back_axes,
                               .unit = 1},
                     .in = {.path = input->path,
                            .error = error,
                            .at = input->bytes,
                            .end = input->bytes,
                            .end_name = "the end of the line",
                            .max_shown = 40},
                     .next = input->bytes,
                     .end = input->bytes + input->size,
                     .index = common_alloc(MAX_BONES, sizeof *file.index)};
    char *const name = common_stem(input->path);
    for (size_t i = 0; i < MAX_BONES; i++)
        file.index[i] = MD5_NONE;

    const bool is_read =
        read_text(&file) && fill_scene(&file, name) && convert_build(&file.plain, scene);
    free(name);
    free_file(&file);
    return is_read;
}
