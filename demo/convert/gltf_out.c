// Builds glTF files with jansson. jansson returns NULL if it cannot create a value, and the value
// would silently be missing. Such failures are therefore stored in is_broken, and gltf_make()
// reports them.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON
#include "demo/common/manual.h"
#include "demo/convert/gltf_out.h"

// -- Values ---------------------------------------------------------------------------------------

void gltf_put(gltf_out *out, json_t *object, const char *key, json_t *value)
{
    out->is_broken |= json_object_set_new(object, key, value) != 0;
}

size_t gltf_append(gltf_out *out, json_t *array, json_t *value)
{
    out->is_broken |= json_array_append_new(array, value) != 0;
    return json_array_size(array) - 1;
}

size_t gltf_add(gltf_out *out, const char *list, json_t *value)
{
    return gltf_append(out, gltf_member(out, out->root, list, true), value);
}

size_t gltf_num_added(const gltf_out *out, const char *list)
{
    return json_array_size(json_object_get(out->root, list));
}

json_t *gltf_member(gltf_out *out, json_t *object, const char *key, bool is_list)
{
    if (!json_object_get(object, key))
        gltf_put(out, object, key, is_list ? json_array() : json_object());
    return json_object_get(object, key);
}

void gltf_set_parent(gltf_out *out, size_t child, size_t parent_index)
{
    json_t *const parent = json_array_get(json_object_get(out->root, "nodes"), parent_index);
    gltf_append(out, gltf_member(out, parent, "children", true), gltf_integer(child));
}

void gltf_put_extra(gltf_out *out, json_t *object, const char *key, json_t *value)
{
    gltf_put(out, gltf_member(out, gltf_member(out, object, "extras", false), "md5", false), key,
             value);
}

json_t *gltf_put_extension(gltf_out *out, json_t *object, const char *name)
{
    if (!gltf_find_or_add(out, GLTF_EXTENSION, name, &(size_t){0}))
        gltf_add(out, "extensionsUsed", json_string(name));
    return gltf_member(out, gltf_member(out, object, "extensions", false), name, false);
}

// Adds a texture to a material, as the member that glTF defines for this kind of map.
void gltf_put_map(gltf_out *out, json_t *material, int map, size_t texture)
{
    static const char *const keys[CONVERT_NUM_MAPS] = {"baseColorTexture", "normalTexture",
                                                       "specularColorTexture", "emissiveTexture"};
    json_t *owner = material;
    if (map == CONVERT_MAP_COLOR)
        owner = gltf_member(out, material, "pbrMetallicRoughness", false);
    else if (map == CONVERT_MAP_SPECULAR)
        owner = gltf_put_extension(out, material, "KHR_materials_specular");
    gltf_put(out, owner, keys[map], json_pack("{s:I}", "index", (json_int_t)texture));
    if (map == CONVERT_MAP_GLOW)
        gltf_put(out, material, "emissiveFactor", json_pack("[f,f,f]", 1.0, 1.0, 1.0));
}

json_t *gltf_integer(size_t value)
{
    return json_integer((json_int_t)value);
}

// Returns a JSON array of `count` numbers. Returns NULL if memory runs out or a number is not
// finite, which JSON cannot represent.
json_t *gltf_floats(const float *values, size_t count)
{
    json_t *const array = json_array();
    for (size_t i = 0; i < count; i++) {
        if (json_array_append_new(array, json_real(values[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

// Returns a JSON string with a text of an MD5 file. MD5 files do not specify an encoding. A text
// that is not valid UTF-8 is assumed to be Latin-1, which old programs use.
json_t *gltf_string(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    char *const wide = common_alloc(2 * strlen(text) + 1, 1);
    char *end = wide;
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c >= 0x80)
            *end++ = (char)(0xc0 | c >> 6);
        *end++ = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
    }
    value = json_string(wide);
    free(wide);
    return value;
}

// Returns true if a URI can contain a character unescaped.
static bool is_uri_character(unsigned char c)
{
    const unsigned char lower = c | 0x20;
    const bool is_letter = lower >= 'a' && lower <= 'z';
    const bool is_digit = c >= '0' && c <= '9';
    return is_letter || is_digit || strchr("-._~", c);
}

// Returns the name of a file as a JSON string with a relative URI. Characters that a URI cannot
// contain are replaced by %XX. Returns NULL if memory runs out or the name is not UTF-8.
json_t *gltf_uri(const char *name)
{
    char *const text = common_alloc(3 * strlen(name) + 1, 1);
    char *end = text;
    for (; *name != '\0'; name++) {
        const unsigned char c = (unsigned char)*name;
        const bool is_plain = is_uri_character(c);
        *end++ = is_plain ? (char)c : '%';
        if (!is_plain) {
            *end++ = "0123456789ABCDEF"[c >> 4];
            *end++ = "0123456789ABCDEF"[c & 15];
        }
    }
    json_t *const value = json_string(text);
    free(text);
    return value;
}

// -- Numbers --------------------------------------------------------------------------------------

static void pad(convert_bytes *to, char filler)
{
    while (to->size % 4 != 0)
        convert_append(to, &filler, 1);
}

// Returns the buffer view to which the next values of a purpose are appended. Each image gets a
// view of its own.
static gltf_view *open_view(gltf_out *out, gltf_purpose purpose, size_t stride)
{
    size_t unused = 0;
    size_t *last = &unused;
    if (purpose != GLTF_IMAGES)
        last = &out->last_views[purpose][stride];
    if (*last > 0)
        return &out->views[*last - 1];

    static const int targets[] = {
        [GLTF_VERTICES] = 34962, [GLTF_INDICES] = 34963, [GLTF_IMAGES] = 0};
    json_t *const view = json_object();
    gltf_add(out, "bufferViews", view);
    if (purpose == GLTF_VERTICES)
        gltf_put(out, view, "byteStride", gltf_integer(stride));
    if (targets[purpose] != 0)
        gltf_put(out, view, "target", json_integer(targets[purpose]));
    *COMMON_ADD_ITEM(out->views, out->num_views) =
        (gltf_view){.purpose = purpose, .stride = stride};
    *last = out->num_views;
    return &out->views[out->num_views - 1];
}

static size_t component_size(int type)
{
    if (type <= GLTF_UBYTE)
        return 1;
    return type <= GLTF_USHORT ? 2 : 4;
}

// Returns the integer that stores the value 1.
static float integer_one(int type, gltf_use use)
{
    if (use == GLTF_BOUNDED)
        return 1;
    return type == GLTF_BYTE ? 127 : 65535;
}

// Appends values to a buffer view and returns their location. Vertices are padded to multiples
// of four bytes, as glTF requires.
json_t *gltf_add_values(gltf_out *out, gltf_purpose purpose, int type, const void *values,
                        size_t count, size_t columns, gltf_use use)
{
    const size_t size = component_size(type);
    const size_t element = columns * size;
    const bool is_rounded = use != GLTF_PLAIN && type != GLTF_FLOAT;
    const float one = integer_one(type, use);
    gltf_view *const view =
        open_view(out, purpose, purpose == GLTF_VERTICES ? (element + 3) / 4 * 4 : element);
    json_t *const location = json_pack("{s:I, s:I}", "bufferView", (json_int_t)(view - out->views),
                                       "byteOffset", (json_int_t)view->bytes.size);

    for (size_t i = 0; i < count * columns; i++) {
        uint32_t value;
        memcpy(&value, (const char *)values + 4 * i, 4);
        if (is_rounded)
            value = (uint32_t)(int32_t)roundf(one * ((const float *)values)[i]);
        convert_append_uint(&view->bytes, value, size);
        if ((i + 1) % columns == 0 && purpose == GLTF_VERTICES)
            pad(&view->bytes, 0);
    }

    return location;
}

// Sets `min` and `max` of an accessor to the minimum and maximum of each column. If `has_zero` is
// true, 0 is included: elements of a sparse accessor that are not in values[] are 0.
void gltf_put_bounds(gltf_out *out, json_t *accessor, const float *values, size_t count,
                     size_t columns, bool has_zero)
{
    float low[4] = {0};
    float high[4] = {0};
    for (size_t i = 0; i < count * columns; i++) {
        const size_t column = i % columns;
        const bool is_first_row = i < columns;
        const bool is_initial = is_first_row && !has_zero;
        if (is_initial || values[i] < low[column])
            low[column] = values[i];
        if (is_initial || values[i] > high[column])
            high[column] = values[i];
    }
    gltf_put(out, accessor, "min", gltf_floats(low, columns));
    gltf_put(out, accessor, "max", gltf_floats(high, columns));
}

// Adds values and an accessor that describes them. Returns the index of the accessor.
size_t gltf_add_accessor(gltf_out *out, gltf_purpose purpose, int type, const void *values,
                         size_t count, size_t columns, gltf_use use)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    json_t *const accessor = gltf_add_values(out, purpose, type, values, count, columns, use);
    gltf_put(out, accessor, "componentType", json_integer(type));
    gltf_put(out, accessor, "count", gltf_integer(count));
    gltf_put(out, accessor, "type", json_string(columns == 16 ? "MAT4" : types[columns]));
    if (use == GLTF_NORMALIZED && type != GLTF_FLOAT)
        gltf_put(out, accessor, "normalized", json_true());
    if (use == GLTF_BOUNDED)
        gltf_put_bounds(out, accessor, values, count, columns, false);
    return gltf_add(out, "accessors", accessor);
}

// Adds an attribute of vertices. Integers of `type` are used if the values fit in their range,
// otherwise floats.
void gltf_put_attribute(gltf_out *out, json_t *attributes, const char *name, int type,
                        const void *values, size_t count, size_t columns, gltf_use use)
{
    bool fits = use == GLTF_PLAIN || out->is_quantized;
    if (use == GLTF_NORMALIZED && type != GLTF_BYTE) {
        for (size_t i = 0; i < count * columns; i++)
            fits &= ((const float *)values)[i] >= 0 && ((const float *)values)[i] <= 1;
    }
    const size_t accessor = gltf_add_accessor(out, GLTF_VERTICES, fits ? type : GLTF_FLOAT, values,
                                              count, columns, use);
    gltf_put(out, attributes, name, gltf_integer(accessor));
}

// Copies the influences of one set, which has four slots, for each vertex. Returns false if all
// weights of the set are 0.
static bool copy_set(const uint32_t *joints, const float *weights, size_t count, size_t slots,
                     size_t set, uint32_t *set_joints, float *set_weights)
{
    bool is_used = false;
    for (size_t i = 0; i < 4 * count; i++) {
        const size_t from = i / 4 * slots + 4 * set + i % 4;
        set_joints[i] = joints[from];
        set_weights[i] = weights[from];
        is_used |= weights[from] > 0;
    }
    return is_used;
}

// Adds joints and weights as attributes in sets of four, as glTF requires. Sets that no vertex
// uses are omitted.
void gltf_put_influences(gltf_out *out, json_t *attributes, size_t num_joints,
                         const uint32_t *joints, const float *weights, size_t count, size_t slots)
{
    const int joint_type = num_joints > 256 ? GLTF_USHORT : GLTF_UBYTE;
    uint32_t *const set_joints = common_alloc(count, 4 * sizeof *set_joints);
    float *const set_weights = common_alloc(count, 4 * sizeof *set_weights);
    for (size_t set = 0; set < slots / 4; set++) {
        const bool is_used = copy_set(joints, weights, count, slots, set, set_joints, set_weights);
        if (!is_used && set > 0) // the following sets are not used either
            break;
        char joint_name[32];
        char weight_name[32];
        COMMON_TEXT(joint_name, "JOINTS_%zu", set);
        COMMON_TEXT(weight_name, "WEIGHTS_%zu", set);
        gltf_put_attribute(out, attributes, joint_name, joint_type, set_joints, count, 4,
                           GLTF_PLAIN);
        gltf_put_attribute(out, attributes, weight_name, GLTF_USHORT, set_weights, count, 4,
                           GLTF_NORMALIZED);
    }
    free(set_weights);
    free(set_joints);
}

size_t gltf_add_image(gltf_out *out, const void *bytes, size_t size)
{
    convert_append(&open_view(out, GLTF_IMAGES, 0)->bytes, bytes, size);
    return out->num_views - 1;
}

// -- Names ----------------------------------------------------------------------------------------

// Looks up a value by a key, or stores it if the key is new. `kind` separates keys for different
// purposes.
bool gltf_find_or_add(gltf_out *out, char kind, const char *text, size_t *value)
{
    char *const key = common_format("%c%s", kind, text);
    const json_t *const found = json_object_get(out->names, key);
    if (found)
        *value = (size_t)json_integer_value(found);
    else // keys need not be UTF-8
        out->is_broken |= json_object_set_new_nocheck(out->names, key, gltf_integer(*value)) != 0;
    free(key);
    return found;
}

// Looks up bytes by a hash, so that equal content is written once.
bool gltf_find_or_add_bytes(gltf_out *out, char kind, const char *name, const void *bytes,
                            size_t size, size_t *value)
{
    const uint64_t hash = common_hash(COMMON_HASH_START, bytes, size);
    char *const key = common_format("%llx %zu %s", (unsigned long long)hash, size, name);
    const bool is_found = gltf_find_or_add(out, kind, key, value);
    free(key);
    return is_found;
}

// Simplifies a name as other programs do. three.js removes the characters that it reserves, and
// Blender truncates names.
static void simplify_name(const char *name, char *plain, size_t max_length)
{
    const char *const limit = plain + max_length;
    for (; *name != '\0' && plain < limit; name++) {
        if (strchr("[].:/", *name))
            continue;
        *plain++ = strchr(" \t\r\n\f\v", *name) ? '_' : *name;
    }
    *plain = '\0';
}

// Returns "NAME_NUMBER", shortened to the limit without splitting a UTF-8 character.
static char *append_number(const char *name, size_t number, size_t max_length)
{
    char suffix[24];
    const size_t suffix_length = (size_t)snprintf(suffix, sizeof suffix, "_%zu", number);
    size_t length = strlen(name);
    if (length > max_length - suffix_length)
        length = max_length - suffix_length;
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
        length--;
    return common_format("%.*s%s", (int)length, name, suffix);
}

// Returns a name that no object of this kind has. Names must also stay different after other
// programs simplify them. The caller frees the result.
char *gltf_unique_name(gltf_out *out, char kind, const char *name, const char *fallback)
{
    enum { MAX_LENGTH = 63 };      // limit of Blender
    enum { MAX_SMALL_NUMBER = 4 }; // largest number that is tried in order
    json_t *const value = gltf_string(name[0] != '\0' ? name : fallback);
    const char *const base = value ? json_string_value(value) : fallback;
    char *unique = common_copy(base);
    char plain[MAX_LENGTH + 1];
    simplify_name(unique, plain, MAX_LENGTH);

    for (size_t k = 2; gltf_find_or_add(out, kind, plain, &(size_t){0}); k++) {
        free(unique);
        // After a few tries, use a number that was not used yet. To try all numbers would take
        // quadratic time for many equal names.
        const size_t number = k <= MAX_SMALL_NUMBER ? k : json_object_size(out->names) + k;
        unique = append_number(base, number, MAX_LENGTH);
        simplify_name(unique, plain, MAX_LENGTH);
    }
    json_decref(value);
    return unique;
}

// -- Animations ----------------------------------------------------------------------------------

// Adds an animation with a unique name to the file, and returns its JSON object. The animation
// has no samplers and channels yet. `extras`, which the animation owns afterwards, contains the
// values of the clip that only MD5 stores.
json_t *gltf_add_animation(gltf_out *out, const char *name, json_t *extras)
{
    char *const unique = gltf_unique_name(out, GLTF_ANIMATION_NAME, name, "clip");
    json_t *const animation = json_pack("{s:s, s:[], s:[], s:{s:o}}", "name", unique, "samplers",
                                        "channels", "extras", "md5", extras);
    gltf_add(out, "animations", animation);
    free(unique);
    return animation;
}

// Adds a channel with its sampler to an animation. Channels with equal times share one accessor
// of times.
void gltf_add_channel(gltf_out *out, json_t *animation, const gltf_channel *channel)
{
    const size_t num_keys = channel->num_keys;
    size_t input = gltf_num_added(out, "accessors");
    if (!gltf_find_or_add_bytes(out, GLTF_TIMES, "", channel->times, num_keys * sizeof(float),
                                &input))
        gltf_add_accessor(out, GLTF_KEYS, GLTF_FLOAT, channel->times, num_keys, 1, GLTF_BOUNDED);
    const size_t output = gltf_add_accessor(out, GLTF_KEYS, GLTF_FLOAT, channel->values,
                                            channel->num_values, channel->columns, GLTF_PLAIN);

    const size_t sampler = gltf_append(
        out, json_object_get(animation, "samplers"),
        json_pack("{s:I, s:I}", "input", (json_int_t)input, "output", (json_int_t)output));
    gltf_append(out, json_object_get(animation, "channels"),
                json_pack("{s:I, s:{s:I, s:s}}", "sampler", (json_int_t)sampler, "target", "node",
                          (json_int_t)channel->node, "path", channel->path));
}

// -- The file -------------------------------------------------------------------------------------

// Begins a file with one scene, whose nodes are added to out->root_nodes.
void gltf_begin(gltf_out *out)
{
    *out = (gltf_out){.root = json_object(), .root_nodes = json_array(), .names = json_object()};
    gltf_put(out, out->root, "asset",
             json_pack("{s:s, s:s}", "version", "2.0", "generator", "md5tool " COMMON_VERSION));
    gltf_put(out, out->root, "scene", json_integer(0));
    gltf_add(out, "scenes", json_pack("{s:o}", "nodes", out->root_nodes));
}

// Frees the JSON document, the names that were used, and the binary buffer with the bytes of all
// views.
void gltf_free(gltf_out *out)
{
    json_decref(out->root);
    json_decref(out->names);
    for (size_t i = 0; i < out->num_views; i++)
        free(out->views[i].bytes.bytes);
    free(out->views);
    free(out->binary.bytes);
}

// Writes the bytes of all views to out->binary, the buffer of the file.
static void write_buffer(gltf_out *out, const char *bin)
{
    json_t *const views = json_object_get(out->root, "bufferViews");
    for (size_t i = 0; i < out->num_views; i++) {
        const convert_bytes *const bytes = &out->views[i].bytes;
        json_t *const view = json_array_get(views, i);
        gltf_put(out, view, "buffer", json_integer(0));
        gltf_put(out, view, "byteOffset", gltf_integer(out->binary.size));
        gltf_put(out, view, "byteLength", gltf_integer(bytes->size));
        convert_append(&out->binary, bytes->bytes, bytes->size);
        pad(&out->binary, 0);
    }
    json_t *const buffer = json_pack("{s:I}", "byteLength", (json_int_t)out->binary.size);
    gltf_add(out, "buffers", buffer);
    if (bin)
        gltf_put(out, buffer, "uri", gltf_uri(bin));
}

// Appends a .glb file: a header, the JSON text and the buffer as chunks. Returns false if the file
// would be too large for sizes of 32 bits.
static bool append_glb(const gltf_out *out, const char *text, convert_bytes *file)
{
    const uint32_t glb_magic = 0x46546c67;    // "glTF"
    const uint32_t json_chunk = 0x4e4f534a;   // "JSON"
    const uint32_t binary_chunk = 0x004e4942; // "BIN"
    const uint32_t version = 2;
    enum { HEADER_SIZE = 12, CHUNK_HEADER_SIZE = 8 };
    const size_t length = strlen(text);
    const size_t text_size = (length + 3) / 4 * 4; // padded with blanks
    const size_t binary_size = out->binary.size;
    const uint64_t file_size =
        HEADER_SIZE + 2 * CHUNK_HEADER_SIZE + (uint64_t)text_size + binary_size;
    if (file_size > UINT32_MAX)
        return false;

    const uint32_t header[] = {glb_magic, version, (uint32_t)file_size, (uint32_t)text_size,
                               json_chunk};
    convert_append_words(file, header, COMMON_LENGTH(header));
    convert_append(file, text, length);
    pad(file, ' ');
    convert_append_u32(file, (uint32_t)binary_size);
    convert_append_u32(file, binary_chunk);
    convert_append(file, out->binary.bytes, binary_size);
    return true;
}

// Creates the bytes of the file. This is JSON text that refers to the file `bin`. If `bin` is NULL,
// it is a binary .glb file.
bool gltf_make(gltf_out *out, const char *bin, const char *path, convert_bytes *file,
               md5_error *error)
{
    write_buffer(out, bin);
    if (out->is_broken)
        return convert_fail(error, MD5_ERROR_RANGE, path,
                            "cannot write glTF: a number is not finite after scaling, or memory "
                            "ran out; use a smaller --scale");
    const size_t flags = JSON_REAL_PRECISION(9) | (!bin ? JSON_COMPACT : JSON_INDENT(1));
    char *const text = json_dumps(out->root, flags);
    if (!text)
        return convert_fail(error, MD5_ERROR_RANGE, path,
                            "cannot write glTF: jansson cannot convert the scene to JSON text");

    bool fits = true;
    if (bin)
        convert_append(file, text, strlen(text));
    else
        fits = append_glb(out, text, file);
    free(text);
    if (!fits)
        return convert_fail(
            error, MD5_ERROR_RANGE, path,
            "file is too large: a .glb file has at most 4 GB; write a .gltf file instead");
    return true;
}
#endif
