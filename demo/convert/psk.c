// Reads ActorX files of the Unreal engines. A PSK file contains a model, and a PSA file the clips
// of a model. The reader fills a plain scene.
//
// A file is a sequence of chunks. A chunk is a header and a table, whose entries have the same
// size. A wedge is a vertex: the index of a point and a texture coordinate. Weights belong to
// points. The first bone is the root. The rotations of all other bones are stored as their
// inverses.
//
// Space is right-handed with z up and -y forward. Triangles are clockwise. The format does not
// define the unit. The main structure is psk_file, which contains the location of each table.
#include "demo/convert/plain_scene.h"

enum {
    CHUNK_HEADER = 32, // bytes
    CHUNK_NAME = 20,   // bytes of the name in the header
    NAME = 64,         // bytes of names of bones, materials and clips
    MAX_CLIPS = 1024,
    MAX_MATERIALS = 256, // the index is a byte
    MAX_LINKS = 4 * PLAIN_MAX_SETS,
    NUM_SHORT_WEDGES = 1 << 16, // with more wedges, indices of points have four bytes
};

enum { POINTS, WEDGES, FACES, WIDE_FACES, MATERIALS, BONES, WEIGHTS, CLIP_BONES, CLIPS, KEYS };
enum { NUM_TABLES = KEYS + 1 };

// For each kind of table, its name and the smallest size of an entry. Entries may be longer than
// the fields that the reader uses.
static const struct kind {
    const char *name; // name of the chunk
    uint32_t min_size;
} kinds[NUM_TABLES] = {
    [POINTS] = {"PNTS0000", 12},     [WEDGES] = {"VTXW0000", 16},       [FACES] = {"FACE0000", 12},
    [WIDE_FACES] = {"FACE3200", 18}, [MATERIALS] = {"MATT0000", NAME},  [BONES] = {"REFSKELT", 120},
    [WEIGHTS] = {"RAWWEIGHTS", 12},  [CLIP_BONES] = {"BONENAMES", 120}, [CLIPS] = {"ANIMINFO", 168},
    [KEYS] = {"ANIMKEYS", 28},
};

// A table of the file, which ActorX calls a chunk.
typedef struct psk_table {
    bool is_present;
    size_t offset;
    uint32_t size; // bytes of an entry
    uint32_t count;
} psk_table;

// A PSK or PSA file while it is read.
typedef struct psk_file {
    plain_scene plain;
    const uint8_t *bytes;
    size_t size;
    bool has_failed; // the error is filled, and all later results are invalid
    psk_table tables[NUM_TABLES];
    uint32_t num_bones;
} psk_file;

// -- Bytes ----------------------------------------------------------------------------------------

// Returns the offset of a field of an entry. The entry must exist.
static size_t find_field(const psk_file *file, int table, size_t index, size_t field)
{
    return file->tables[table].offset + file->tables[table].size * index + field;
}

static uint32_t get_uint(const psk_file *file, size_t offset, size_t size)
{
    return common_read_little_endian(file->bytes + offset, size);
}

static float get_float(psk_file *file, size_t offset)
{
    float number = 0;
    if (!file->has_failed)
        file->has_failed = !plain_read_float(&file->plain, file->bytes, offset, &number);
    return number;
}

// Reads an index below `count`.
static uint32_t get_index(psk_file *file, size_t offset, size_t size, uint32_t count,
                          const char *title)
{
    const uint32_t index = get_uint(file, offset, size);
    if (index < count)
        return index;
    plain_fail_once(
        file,
        "index of a %s at offset %zu is out of range: found %u, but the file has %u" CONVERT_REMEDY,
        title, offset, index, count);
    return 0;
}

// Returns a copy of a name. Blanks at its end are padding.
static const char *get_name(psk_file *file, size_t offset)
{
    char *const name = convert_sanitize((const char *)file->bytes + offset, NAME, CONVERT_QUOTE);
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == ' ')
        length--;
    name[length] = '\0';
    return common_add(&file->plain.memory, name);
}

// Returns false if the budget is exceeded.
static bool charge_numbers(psk_file *file, uint64_t count, uint64_t width)
{
    const bool is_charged =
        plain_charge(&file->plain, count * width)
        && convert_charge_bytes(file->plain.job, count, width * sizeof(float), file->plain.error);
    file->has_failed |= !is_charged;
    return is_charged;
}

// Charges and allocates numbers that are freed with the scene. Returns NULL if the budget is
// exceeded.
static float *allocate_floats(psk_file *file, uint64_t count, uint64_t width)
{
    float *floats = NULL;
    if (plain_charge(&file->plain, count * width))
        floats = plain_allocate_floats(&file->plain, count, width);
    file->has_failed |= floats == NULL;
    return floats;
}

// Stores the table of a chunk if its kind is known. Other chunks are skipped.
static void store_table(psk_file *file, const char *name, const psk_table *table)
{
    for (int i = 0; i < NUM_TABLES; i++) {
        if (strncmp(name, kinds[i].name, CHUNK_NAME) != 0)
            continue;
        if (file->tables[i].is_present)
            plain_fail_once(file, "duplicate chunk %s" CONVERT_REMEDY, kinds[i].name);
        if (table->count > 0 && table->size < kinds[i].min_size)
            plain_fail_once(file,
                            "chunk %s has a wrong entry size: expected at least %u bytes, found "
                            "%u" CONVERT_REMEDY,
                            kinds[i].name, kinds[i].min_size, table->size);
        file->tables[i] = *table;
    }
}

// Reads the header of the chunk at an offset. Returns the offset of the next chunk.
static size_t read_chunk(psk_file *file, size_t offset)
{
    enum { ENTRY_SIZE = 24, NUM_ENTRIES = 28 }; // offsets in the header, which begins with the name
    const char *const name = (const char *)file->bytes + offset;
    if (file->size - offset < CHUNK_HEADER) {
        plain_fail_once(
            file,
            "truncated file: expected the header of a chunk at offset %zu; copy or export the "
            "file again",
            offset);
        return file->size;
    }

    const psk_table table = {.is_present = true,
                             .offset = offset + CHUNK_HEADER,
                             .size = get_uint(file, offset + ENTRY_SIZE, 4),
                             .count = get_uint(file, offset + NUM_ENTRIES, 4)};
    const uint64_t num_bytes = (uint64_t)table.size * table.count;
    if (num_bytes > file->size - table.offset) {
        plain_fail_once(
            file,
            "truncated file: chunk %.20s has %u entries of %u bytes, but %zu bytes remain; copy "
            "or export the file again",
            name, table.count, table.size, file->size - table.offset);
        return file->size;
    }

    store_table(file, name, &table);
    return table.offset + (size_t)num_bytes;
}

// Reads the headers of all chunks. They contain the location and the number of entries of each
// table.
static void read_chunks(psk_file *file)
{
    const char *const begin = (const char *)file->bytes;
    const bool is_long = file->size >= CHUNK_HEADER;
    const bool is_model = is_long && strncmp(begin, "ACTRHEAD", CHUNK_NAME) == 0;
    const bool has_clips = is_long && strncmp(begin, "ANIMHEAD", CHUNK_NAME) == 0;
    if (!is_model && !has_clips)
        plain_fail_once(file,
                        "not a PSK or PSA file: expected the chunk ACTRHEAD or ANIMHEAD at the "
                        "start" CONVERT_REMEDY);
    for (size_t offset = 0; offset < file->size && !file->has_failed;)
        offset = read_chunk(file, offset);
}

// -- Bones ----------------------------------------------------------------------------------------

// Reads the rotation of a bone, x y z w.
static void read_rotation(psk_file *file, size_t offset, bool is_root, float rotation[4])
{
    for (size_t i = 0; i < 4; i++)
        rotation[i] = get_float(file, offset + 4 * i);
    if (!is_root)
        rotation[3] = -rotation[3]; // the inverse, up to the sign of the quaternion
}

// Reads a bone as a node. The parent of the first bone is ignored, because this bone is the root.
static void read_bone(psk_file *file, int table, uint32_t index, plain_node *node)
{
    enum { PARENT = NAME + 8, ROTATION = NAME + 12, POSITION = NAME + 28 };
    const uint32_t parent = get_uint(file, find_field(file, table, index, PARENT), 4);
    float rotation[4];
    *node = plain_new_node();
    node->name = get_name(file, find_field(file, table, index, 0));
    read_rotation(file, find_field(file, table, index, ROTATION), index == 0, rotation);
    for (size_t i = 0; i < 4; i++)
        node->parts[PLAIN_ROTATION][i] = rotation[i];
    for (size_t i = 0; i < 3; i++)
        node->parts[PLAIN_TRANSLATION][i] =
            get_float(file, find_field(file, table, index, POSITION) + 4 * i);
    if (index == 0)
        return;
    node->parent = parent == MD5_NONE ? 0 : parent;
    if (node->parent >= index)
        plain_fail_once(
            file,
            "bone %u has an invalid parent: expected an earlier bone, found %d" CONVERT_REMEDY,
            index, (int32_t)parent);
}

// Adds a node for each bone, and their skin. Leaves space for the node of the mesh.
static void read_bones(psk_file *file)
{
    plain_scene *const plain = &file->plain;
    const int table = file->tables[BONES].count > 0 ? BONES : CLIP_BONES;
    const uint32_t count = file->tables[table].count;
    if (!charge_numbers(file, count, NAME / sizeof(float))) // copies of the names
        return;
    plain->nodes = common_alloc((size_t)count + 1, sizeof *plain->nodes);
    plain->num_nodes = count;
    file->num_bones = count;
    for (uint32_t i = 0; i < count && !file->has_failed; i++)
        read_bone(file, table, i, &plain->nodes[i]);
    if (count == 0)
        return;
    plain->num_skins = 1;
    plain->skins = common_alloc(1, sizeof *plain->skins);
    plain_bind_nodes(&plain->skins[0], 0, count);
}

// -- Weights --------------------------------------------------------------------------------------

// The weights of all points, grouped by point.
typedef struct psk_links {
    uint32_t *first; // [number of points + 1] first weight of a point in `order`
    uint32_t *order; // [number of weights] indices in the table of weights
    uint32_t max;    // largest number of weights of a point
} psk_links;

// Groups the weights by the points that they move, because the file stores weights in any order.
// The result is a counting sort. links.order contains the indices of the weights, and the weights
// of point i begin at links.first[i].
static psk_links group_weights(psk_file *file)
{
    enum { POINT = 4 }; // offset of the point's index in an entry of the table of weights
    const uint32_t num_points = file->tables[POINTS].count;
    const uint32_t count = file->num_bones > 0 ? file->tables[WEIGHTS].count : 0;
    psk_links links = {.first = common_alloc((size_t)num_points + 1, sizeof *links.first),
                       .order = common_alloc(count, sizeof *links.order)};

    // Count the weights of each point. The counts are stored one element after the point, so that
    // the sums below are the starts of the groups.
    for (uint32_t i = 0; i < count; i++) {
        const size_t offset = find_field(file, WEIGHTS, i, POINT);
        const uint32_t point = get_index(file, offset, 4, num_points, "point");
        if (file->has_failed)
            return links;
        links.first[point + 1]++;
        const uint32_t num_weights = links.first[point + 1];
        links.max = num_weights > links.max ? num_weights : links.max;
    }
    if (links.max > MAX_LINKS)
        plain_fail_once(
            file,
            "point has too many weights: expected at most %d, found %u; limit the weights per "
            "vertex and export the file again",
            MAX_LINKS, links.max);

    // Sum the counts: first[point] becomes the number of weights of all points before it.
    for (size_t i = 0; i < num_points; i++)
        links.first[i + 1] += links.first[i];

    // Insert each weight at the next free element of its point.
    uint32_t *const next = common_alloc((size_t)num_points + 1, sizeof *next);
    memcpy(next, links.first, num_points * sizeof *next);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t point = get_uint(file, find_field(file, WEIGHTS, i, POINT), 4);
        links.order[next[point]] = i;
        next[point]++;
    }
    free(next);
    return links;
}

// -- Meshes ---------------------------------------------------------------------------------------

// Reads the vertex `index` from three tables. Its wedge contains the texture coordinates and refers
// to a point. The point contains the position. The weights refer to the point; `links` groups them.
static void read_vertex(psk_file *file, uint32_t wedge, uint32_t index, const psk_links *links,
                        const plain_vertices *to)
{
    enum { U = 4, BONE = 8 }; // offsets in a wedge and in a weight
    const size_t point_size = file->tables[WEDGES].count > NUM_SHORT_WEDGES ? 4 : 2;
    const size_t at = find_field(file, WEDGES, wedge, 0);
    const uint32_t point = get_index(file, at, point_size, file->tables[POINTS].count, "point");
    if (file->has_failed)
        return;
    for (size_t i = 0; i < 2; i++)
        to->texcoords[2 * (size_t)index + i] = get_float(file, at + U + 4 * i);

    for (size_t i = 0; i < 3; i++)
        to->positions[3 * (size_t)index + i] =
            get_float(file, find_field(file, POINTS, point, 4 * i));

    for (uint32_t i = links->first[point]; i < links->first[point + 1]; i++) {
        const size_t at_weight = find_field(file, WEIGHTS, links->order[i], 0);
        const float weight = get_float(file, at_weight);
        const uint32_t bone = get_index(file, at_weight + BONE, 4, file->num_bones, "bone");
        plain_set_influence(to, index, i - links->first[point], (float)bone, weight);
    }
}

// The wedges of a primitive's vertices.
typedef struct psk_wedges {
    uint32_t *wedges; // [count] wedge of each vertex
    uint32_t count;
} psk_wedges;

// Assigns vertices to the wedges of a primitive, in the order of their first use, and replaces the
// wedges in its indices by these vertices. vertices[wedge] receives 1 + vertex. It must be 0 for
// all wedges before the call. The caller frees the result's array.
static psk_wedges number_vertices(plain_primitive *primitive, uint32_t *vertices)
{
    psk_wedges used = {NULL, 0};
    for (size_t i = 0; i < primitive->num_indices; i++) {
        const uint32_t wedge = primitive->indices[i];
        if (vertices[wedge] == 0) {
            *COMMON_ADD_ITEM(used.wedges, used.count) = wedge;
            vertices[wedge] = used.count;
        }
        primitive->indices[i] = vertices[wedge] - 1;
    }
    return used;
}

// Reads the vertices of a primitive. Its indices refer to wedges; replaces them by indices of
// vertices. `vertices` is scratch memory with an element for each wedge. Its elements are 0 before
// and after the call, so that all primitives can use it without clearing it completely.
static void read_vertices(psk_file *file, plain_primitive *primitive, const psk_links *links,
                          uint32_t *vertices)
{
    plain_vertices to;
    const psk_wedges used = number_vertices(primitive, vertices);
    file->has_failed |= !plain_allocate_vertices(&file->plain, used.count, links->max, &to);
    for (uint32_t i = 0; i < used.count; i++) {
        vertices[used.wedges[i]] = 0;
        if (!file->has_failed)
            read_vertex(file, used.wedges[i], i, links, &to);
    }
    free(used.wedges);
    primitive->num_vertices = used.count;
    if (!file->has_failed)
        plain_set_vertices(primitive, &to, 0);
}

// Adds a triangle of wedges to the primitive of its material.
static void read_face(psk_file *file, int table, uint32_t index)
{
    const uint32_t num_wedges = file->tables[WEDGES].count;
    plain_mesh *const mesh = &file->plain.meshes[0];
    const size_t index_size = table == WIDE_FACES ? 4 : 2;
    const size_t at = find_field(file, table, index, 0);
    const uint32_t material = get_uint(file, at + 3 * index_size, 1);
    plain_primitive *const primitive = &mesh->primitives[material];
    primitive->indices =
        common_grow(primitive->indices, primitive->num_indices / 3, 3 * sizeof(uint32_t));
    for (size_t i = 3; i-- > 0;) // counterclockwise
        primitive->indices[primitive->num_indices++] =
            get_index(file, at + index_size * i, index_size, num_wedges, "wedge");
}

// Stores the names of the materials, which become shaders.
static void read_materials(psk_file *file)
{
    plain_scene *const plain = &file->plain;
    const uint32_t count = file->tables[MATERIALS].count;
    plain->num_materials = count < MAX_MATERIALS ? count : MAX_MATERIALS;
    plain->materials = common_alloc(plain->num_materials, sizeof *plain->materials);
    for (size_t i = 0; i < plain->num_materials; i++)
        plain->materials[i].name = get_name(file, find_field(file, MATERIALS, i, 0));
}

// Creates the only mesh of the scene with an empty primitive for each possible material index of
// a face. Indices without a material in the file have the material MD5_NONE.
static plain_mesh *create_mesh(plain_scene *plain)
{
    plain->num_meshes = 1;
    plain->meshes = common_alloc(1, sizeof *plain->meshes);
    plain_mesh *const mesh = &plain->meshes[0];
    mesh->num_primitives = MAX_MATERIALS;
    mesh->primitives = common_alloc(MAX_MATERIALS, sizeof *mesh->primitives);
    for (uint32_t i = 0; i < MAX_MATERIALS; i++) {
        mesh->primitives[i] = plain_new_primitive(0);
        mesh->primitives[i].material = i < plain->num_materials ? i : MD5_NONE;
    }
    return mesh;
}

// Adds the mesh of the file, with one primitive per material, and a node with the mesh and the
// skin.
static void read_mesh(psk_file *file, const char *name)
{
    plain_scene *const plain = &file->plain;
    const int table = file->tables[WIDE_FACES].count > 0 ? WIDE_FACES : FACES;
    psk_links links = group_weights(file);
    read_materials(file);
    plain_mesh *const mesh = create_mesh(plain);
    for (uint32_t i = 0; i < file->tables[table].count && !file->has_failed; i++)
        read_face(file, table, i);

    uint32_t *const vertices = common_alloc(file->tables[WEDGES].count, sizeof *vertices);
    for (uint32_t i = 0; i < MAX_MATERIALS && !file->has_failed; i++)
        read_vertices(file, &mesh->primitives[i], &links, vertices);
    free(vertices);
    free(links.first);
    free(links.order);

    plain_node *const node = &plain->nodes[plain->num_nodes++];
    *node = plain_new_node();
    node->name = name;
    node->mesh = 0;
    node->skin = file->num_bones > 0 ? 0 : MD5_NONE;
}

// -- Clips ----------------------------------------------------------------------------------------

// Adds the tracks of a bone. The keys of all bones in one frame are consecutive.
static void read_tracks(psk_file *file, plain_animation *clip, uint32_t bone, size_t first_frame,
                        size_t count, const float *times)
{
    enum { ROTATION = 12 }; // offset in a key
    float *const positions = allocate_floats(file, count, 3);
    float *const rotations = positions ? allocate_floats(file, count, 4) : NULL;
    if (!rotations)
        return;
    for (size_t f = 0; f < count && !file->has_failed; f++) {
        const size_t at = find_field(file, KEYS, (first_frame + f) * file->num_bones + bone, 0);
        for (size_t i = 0; i < 3; i++)
            positions[3 * f + i] = get_float(file, at + 4 * i);
        read_rotation(file, at + ROTATION, bone == 0, rotations + 4 * f);
    }
    plain_add_tracks(clip, bone, count, times, positions, rotations);
}

// The header of a clip in a PSA file.
typedef struct psk_clip {
    uint32_t num_bones;
    uint32_t num_frames;
    float rate; // frames per second
} psk_clip;

// Fails unless a clip is valid. It must have the bones of the file, a valid frame rate, and keys
// for all of its frames, which begin at frame `first`.
static void check_clip(psk_file *file, uint32_t index, const psk_clip *clip, uint64_t first)
{
    const float max_rate = 1e6f;
    const uint32_t num_keys = file->tables[KEYS].count;
    const uint64_t max_frames = clip->num_bones > 0 ? num_keys / clip->num_bones : 0;
    const bool has_keys = clip->num_frames > 0 && first + clip->num_frames <= max_frames;
    const bool has_valid_rate = clip->rate > 0 && clip->rate <= max_rate;
    if (clip->num_bones != file->num_bones)
        plain_fail_once(
            file,
            "clip %u has a wrong number of bones: found %u, but the file has %u" CONVERT_REMEDY,
            index, clip->num_bones, file->num_bones);
    else if (!has_keys)
        plain_fail_once(
            file,
            "clip %u has a wrong number of frames: found %u, expected 1 to %llu, because the file "
            "has %u keys for %u bones" CONVERT_REMEDY,
            index, clip->num_frames, (unsigned long long)(max_frames - first), num_keys,
            clip->num_bones);
    if (!has_valid_rate)
        plain_fail_once(
            file,
            "clip %u: frame rate is out of range: found %g, expected more than 0 and at most 1e6 "
            "frames per second" CONVERT_REMEDY,
            index, clip->rate);
}

// Reads a clip. Its keys follow the keys of the previous clip. The file also stores the first frame
// of a clip, but it is wrong in some files, so it is ignored. *next_frame receives the first frame
// of the next clip.
static void read_clip(psk_file *file, uint32_t index, uint64_t *next_frame)
{
    enum { NUM_BONES = 128, RATE = 152, NUM_FRAMES = 164 }; // offsets
    const size_t at = find_field(file, CLIPS, index, 0);
    const uint64_t first = *next_frame;
    const psk_clip header = {.num_bones = get_uint(file, at + NUM_BONES, 4),
                             .num_frames = get_uint(file, at + NUM_FRAMES, 4),
                             .rate = get_float(file, at + RATE)};
    check_clip(file, index, &header, first);

    const uint32_t count = header.num_frames;
    float *const times = file->has_failed ? NULL : allocate_floats(file, count, 1);
    if (!times)
        return;
    for (uint32_t i = 0; i < count; i++)
        times[i] = (float)(i / (double)header.rate);
    plain_animation *const clip = &file->plain.animations[file->plain.num_animations++];
    *clip = (plain_animation){.name = get_name(file, at), .rate = header.rate};
    for (uint32_t bone = 0; bone < header.num_bones && !file->has_failed; bone++)
        read_tracks(file, clip, bone, (size_t)first, count, times);
    *next_frame += count;
}

// Reads all clips of a PSA file. Their frames follow each other in one table.
static void read_clips(psk_file *file)
{
    const uint32_t count = file->tables[CLIPS].count;
    if (count > MAX_CLIPS)
        plain_fail_once(
            file,
            "file has too many clips: expected at most %d, found %u; export the clips to several "
            "files",
            MAX_CLIPS, count);
    if (count > 0 && file->num_bones == 0)
        plain_fail_once(file,
                        "chunk BONENAMES is missing: expected it before the clips" CONVERT_REMEDY);
    if (file->has_failed)
        return;
    uint64_t next_frame = 0;
    file->plain.animations = common_alloc(count, sizeof *file->plain.animations);
    for (uint32_t i = 0; i < count && !file->has_failed; i++)
        read_clip(file, i, &next_frame);
}

// -- The file -------------------------------------------------------------------------------------

// Fills the plain scene with the content of a PSK or PSA file.
static void read_file(psk_file *file, const char *name)
{
    read_chunks(file);
    if (!file->has_failed)
        read_bones(file);
    if (!file->has_failed)
        read_clips(file);
    if (!file->has_failed && file->tables[WEDGES].count > 0)
        read_mesh(file, name);
    if (!file->has_failed)
        plain_set_order(&file->plain);
}

// Reads a PSK or PSA file: fills a plain scene from the chunks of the file, then converts it to
// MD5. The name of the file without its extension becomes the name of the mesh, which the format
// does not store.
bool convert_read_psk(const convert_job *job, convert_input *input, convert_scene *scene,
                      md5_error *error)
{
    psk_file file = {
        .plain = {.job = job, .error = error, .path = input->path, .axes = plain_back_axes},
        .bytes = (const uint8_t *)input->bytes,
        .size = input->size};
    char *const name = common_stem(input->path);
    read_file(&file, name);
    const bool is_read = !file.has_failed && convert_build(&file.plain, scene);
    plain_free(&file.plain);
    free(name);
    return is_read;
}
