// Functions for plain scenes that several readers need: the search for the frame rate, reading
// numbers within the budget, creating primitives and tracks, and freeing the scene.
#include "demo/convert/plain_scene.h"

const convert_affine plain_gltf_axes = {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 0, 0}}};
const convert_affine plain_back_axes = {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, 0}}};

static const double common_rates[PLAIN_NUM_RATES] = {24, 25, 30, 50, 60, 120};

bool plain_is_frame_time(double seconds, double rate)
{
    const double max_distance = 1e-4; // distance of a key from a frame, seconds
    const double frame = seconds * rate;
    const double rounding = 1e-7 * frame; // rounding error of times that are stored as floats
    return fabs(frame - floor(frame + 0.5)) < max_distance * rate + rounding;
}

void plain_add_key_time(plain_rate_search *search, double seconds)
{
    for (size_t i = 0; i < PLAIN_NUM_RATES; i++)
        search->is_excluded[i] |= !plain_is_frame_time(seconds, common_rates[i]);
}

double plain_find_rate(const plain_rate_search *search)
{
    for (size_t i = 0; i < PLAIN_NUM_RATES; i++) {
        if (!search->is_excluded[i])
            return common_rates[i];
    }
    return 60;
}

bool plain_charge(const plain_scene *scene, uint64_t count)
{
    return convert_charge(scene->job, count, scene->error);
}

// Reads a little-endian float of a binary file. Numbers above 1e9 are rejected, so that
// computations with them stay finite.
bool plain_read_float(const plain_scene *scene, const uint8_t *bytes, size_t offset, float *number)
{
    const float max_number = 1e9f;
    const uint32_t bits = common_read_little_endian(bytes + offset, sizeof bits);
    memcpy(number, &bits, sizeof bits);
    if (fabsf(*number) <= max_number)
        return true;
    return convert_fail(
        scene->error, MD5_ERROR_RANGE, scene->path,
        "number at offset %zu is out of range: expected -1e9 to 1e9, found %g" CONVERT_REMEDY,
        offset, *number);
}

float *plain_allocate_floats(plain_scene *scene, uint64_t count, uint64_t width)
{
    if (!convert_charge_bytes(scene->job, count, width * sizeof(float), scene->error))
        return NULL;
    char *const block = common_alloc((size_t)count, (size_t)width * sizeof(float));
    return (float *)(void *)common_add(&scene->memory, block);
}

bool plain_allocate_vertices(plain_scene *scene, size_t count, size_t max_influences,
                             plain_vertices *vertices)
{
    const size_t num_sets = (max_influences + 3) / 4;
    const size_t width = 3 + 2 + 8 * num_sets; // numbers per vertex
    *vertices = (plain_vertices){.count = count, .num_sets = num_sets};
    if (!plain_charge(scene, count * (uint64_t)width))
        return false;
    vertices->positions = plain_allocate_floats(scene, count, width);
    if (!vertices->positions)
        return false;
    vertices->texcoords = vertices->positions + 3 * count;
    vertices->joints = vertices->texcoords + 2 * count;
    vertices->weights = vertices->joints + 4 * num_sets * count;
    return true;
}

void plain_set_influence(const plain_vertices *vertices, size_t vertex, size_t influence,
                         float joint, float weight)
{
    const size_t set = influence / 4;
    const size_t element = 4 * (set * vertices->count + vertex) + influence % 4;
    vertices->joints[element] = joint;
    vertices->weights[element] = weight;
}

void plain_set_vertices(plain_primitive *primitive, const plain_vertices *vertices, size_t first)
{
    primitive->positions = vertices->positions + 3 * first;
    primitive->texcoords = vertices->texcoords + 2 * first;
    primitive->num_sets = vertices->num_sets;
    for (size_t set = 0; set < vertices->num_sets; set++) {
        const size_t offset = 4 * (set * vertices->count + first);
        primitive->joints[set] = vertices->joints + offset;
        primitive->weights[set] = vertices->weights + offset;
    }
}

// Frees the arrays that a mesh owns. The numbers of vertices belong to the reader of the format.
static void free_mesh(const plain_mesh *mesh)
{
    for (size_t i = 0; i < mesh->num_primitives; i++) {
        free((void *)mesh->primitives[i].moves);
        free(mesh->primitives[i].indices);
    }
    free(mesh->primitives);
    free((void *)mesh->target_names);
}

// Frees the lists and the memory of the scene and clears it. Data that the reader of a format owns
// remains.
void plain_free(plain_scene *scene)
{
    for (size_t i = 0; i < scene->num_nodes; i++)
        free(scene->nodes[i].weights);

    for (size_t i = 0; i < scene->num_meshes; i++)
        free_mesh(&scene->meshes[i]);

    for (size_t i = 0; i < scene->num_skins; i++)
        free(scene->skins[i].joints);

    for (size_t i = 0; i < scene->num_materials; i++)
        free(scene->materials[i].shader);

    for (size_t i = 0; i < scene->num_animations; i++) {
        free(scene->animations[i].tracks);
        free(scene->animations[i].fovs);
    }

    free(scene->nodes);
    free(scene->order);
    free(scene->meshes);
    free(scene->skins);
    free(scene->materials);
    free(scene->cameras);
    free(scene->animations);
    free(scene->frames);
    common_free_list(&scene->memory);
    *scene = (plain_scene){.job = NULL};
}

// Returns a node without a parent, mesh, skin or camera. Its transform is the identity: no
// translation, the unit quaternion (x, y, z, w), and a scale of 1.
plain_node plain_new_node(void)
{
    return (plain_node){.parent = MD5_NONE,
                        .mesh = MD5_NONE,
                        .skin = MD5_NONE,
                        .camera = MD5_NONE,
                        .is_in_scene = true,
                        .parts = {{0}, {0, 0, 0, 1}, {1, 1, 1}}};
}

plain_primitive plain_new_primitive(size_t num_vertices)
{
    return (plain_primitive){.material = MD5_NONE,
                             .num_vertices = num_vertices,
                             .texture = {{1, 0, 0}, {0, 1, 0}},
                             .has_normals = true};
}

plain_primitive *plain_add_primitive(plain_mesh *mesh, size_t num_vertices)
{
    mesh->num_primitives = 1;
    mesh->primitives = common_alloc(1, sizeof *mesh->primitives);
    *mesh->primitives = plain_new_primitive(num_vertices);
    return mesh->primitives;
}

// Makes `count` nodes, from `first`, the joints of a skin that is bound in the rest pose.
void plain_bind_nodes(plain_skin *skin, uint32_t first, uint32_t count)
{
    *skin = (plain_skin){.num_joints = count,
                         .joints = common_alloc(count, sizeof *skin->joints),
                         .is_bound_at_rest = true};
    for (uint32_t i = 0; i < count; i++)
        skin->joints[i] = first + i;
}

// Adds the translations and rotations of a node to an animation. The arrays remain owned by the
// caller.
void plain_add_tracks(plain_animation *animation, uint32_t node, size_t num_keys,
                      const float *times, const float *translations, const float *rotations)
{
    const plain_track translation = {.part = PLAIN_TRANSLATION,
                                     .node = node,
                                     .num_keys = num_keys,
                                     .width = 3,
                                     .times = times,
                                     .values = translations};
    const plain_track rotation = {.part = PLAIN_ROTATION,
                                  .node = node,
                                  .num_keys = num_keys,
                                  .width = 4,
                                  .times = times,
                                  .values = rotations};
    *COMMON_ADD_ITEM(animation->tracks, animation->num_tracks) = translation;
    *COMMON_ADD_ITEM(animation->tracks, animation->num_tracks) = rotation;
}

void plain_set_order(plain_scene *scene)
{
    scene->order = common_alloc(scene->num_nodes, sizeof *scene->order);
    for (size_t i = 0; i < scene->num_nodes; i++)
        scene->order[i] = (uint32_t)i;
}

// Returns true for ASCII letters and digits.
static bool is_letter_or_digit(char c)
{
    const char lower = (char)(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
}

// Converts a text to a file name that contains only ASCII letters, digits and '_'. Returns NULL if
// nothing remains. The caller frees the result.
char *plain_file_name(const char *text)
{
    enum { MAX_LENGTH = 100 };
    char *const name = common_copy(text ? text : "");
    size_t length = 0;
    for (const char *c = name; *c != '\0' && length < MAX_LENGTH; c++) {
        const bool can_separate = length > 0 && name[length - 1] != '_';
        if (is_letter_or_digit(*c))
            name[length++] = *c;
        else if (can_separate) // one '_' for a sequence of other characters
            name[length++] = '_';
    }

    while (length > 0 && name[length - 1] == '_')
        length--;
    name[length] = '\0';
    if (length > 0)
        return name;
    free(name);
    return NULL;
}
