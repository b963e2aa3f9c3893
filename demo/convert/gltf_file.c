// Reads glTF containers (.glb and .gltf): JSON, buffers, buffer views and accessors. The structure
// of the file is checked completely here. All other files can rely on the types and ranges that the
// table `members` lists.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON

#include "demo/convert/gltf_file.h"

#ifdef HAS_MESHOPTIMIZER
#include <meshoptimizer.h>
#endif

// -- JSON -----------------------------------------------------------------------------------------

size_t gltf_count(const gltf_file *file, const char *list)
{
    return json_array_size(json_object_get(file->root, list));
}

const json_t *gltf_item(const gltf_file *file, const char *list, size_t index)
{
    return json_array_get(json_object_get(file->root, list), index);
}

const char *gltf_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

double gltf_number(const json_t *object, const char *key, double missing)
{
    const json_t *const value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : missing;
}

uint32_t gltf_index(const json_t *object, const char *key)
{
    return (uint32_t)gltf_number(object, key, MD5_NONE);
}

uint32_t gltf_index_at(const json_t *array, size_t i)
{
    return (uint32_t)json_number_value(json_array_get(array, i));
}

// Reads `count` numbers from an array in a JSON object. Returns false if the array is missing.
// The array has at least `count` numbers, because the file was checked when it was opened.
bool gltf_numbers(const json_t *object, const char *key, size_t count, double *numbers)
{
    const json_t *const array = json_object_get(object, key);
    if (array) {
        for (size_t i = 0; i < count; i++)
            numbers[i] = json_number_value(json_array_get(array, i));
    }
    return array;
}

const json_t *gltf_extras(const json_t *object)
{
    return json_object_get(json_object_get(object, "extras"), "md5");
}

// Returns a member that is a non-negative integer, or 0 if it is missing.
static size_t get_size(const json_t *object, const char *key)
{
    return (size_t)gltf_number(object, key, 0);
}

// The members that the functions above read. A member is described by its path from the root. '|'
// separates names. '*' stands for each item of an array or each member of an object.
enum { OBJECTS = 99 };
static const struct member {
    const char *path;
    const char *list; // list in the root of which the member is an index; NULL: not an index
    size_t count;     // numbers in the member's array; OBJECTS: the member is an object; 0: integer
} members[] = {
    {.path = "accessors|animations|buffers|bufferViews|cameras|images|materials/*",
     .count = OBJECTS},
    {.path = "meshes|nodes|scenes|skins|textures/*", .count = OBJECTS},
    {.path = "scene", .list = "scenes"},
    {.path = "scenes/*/nodes/*", .list = "nodes"},
    {.path = "nodes/*/children/*", .list = "nodes"},
    {.path = "nodes/*/mesh", .list = "meshes"},
    {.path = "nodes/*/skin", .list = "skins"},
    {.path = "nodes/*/camera", .list = "cameras"},
    {.path = "nodes/*/translation|scale", .count = 3},
    {.path = "nodes/*/rotation", .count = 4},
    {.path = "nodes/*/matrix", .count = 16},
    {.path = "skins/*/joints/*", .list = "nodes"},
    {.path = "skins/*/inverseBindMatrices", .list = "accessors"},
    {.path = "meshes/*/primitives/*/mode"},
    {.path = "meshes/*/primitives/*/indices", .list = "accessors"},
    {.path = "meshes/*/primitives/*/attributes/*", .list = "accessors"},
    {.path = "meshes/*/primitives/*/targets/*/*", .list = "accessors"},
    {.path = "meshes/*/primitives/*/material", .list = "materials"},
    {.path = "animations/*/channels/*/sampler"},
    {.path = "animations/*/channels/*/target/node", .list = "nodes"},
    {.path = "animations/*/samplers/*/input|output", .list = "accessors"},
    {.path = "materials/*/emissiveFactor", .count = 3},
    {.path = "materials/*/normalTexture|emissiveTexture/index", .list = "textures"},
    {.path = "materials/*/pbrMetallicRoughness/baseColorFactor", .count = 4},
    {.path = "materials/*/pbrMetallicRoughness/baseColorTexture/index", .list = "textures"},
    {.path = "materials/*/pbrMetallicRoughness/baseColorTexture/texCoord"},
    {.path = "materials/*/pbrMetallicRoughness/baseColorTexture/extensions/*/texCoord"},
    {.path = "materials/*/pbrMetallicRoughness/baseColorTexture/extensions/*/offset|scale",
     .count = 2},
    {.path = "materials/*/extensions/*/diffuseTexture/texCoord"},
    {.path = "materials/*/extensions/*/diffuseTexture/extensions/*/texCoord"},
    {.path = "materials/*/extensions/*/diffuseTexture/extensions/*/offset|scale", .count = 2},
    {.path = "materials/*/extensions/*/diffuseFactor", .count = 4},
    {.path = "materials/*/extensions/*/"
             "diffuseTexture|specularGlossinessTexture|specularColorTexture/index",
     .list = "textures"},
    {.path = "textures/*/source", .list = "images"},
    {.path = "textures/*/extensions/*/source", .list = "images"},
    {.path = "images/*/bufferView", .list = "bufferViews"},
    {.path = "accessors/*/bufferView", .list = "bufferViews"},
    {.path = "accessors/*/byteOffset|componentType|count"},
    {.path = "accessors/*/sparse/count"},
    {.path = "accessors/*/sparse/indices|values/bufferView", .list = "bufferViews"},
    {.path = "accessors/*/sparse/indices|values/byteOffset|componentType"},
    {.path = "bufferViews/*/buffer", .list = "buffers"},
    {.path = "bufferViews/*/byteOffset|byteLength|byteStride"},
    {.path = "bufferViews/*/extensions/*/buffer", .list = "buffers"},
    {.path = "bufferViews/*/extensions/*/byteOffset|byteLength|byteStride|count"},
    {.path = "buffers/*/byteLength"},
};

// A short description of a JSON value for messages.
typedef struct json_description {
    char text[48];
} json_description;

static json_description describe_json(const json_t *value)
{
    json_description found = {""};
    if (json_is_number(value))
        COMMON_TEXT(found.text, "%.9g", json_number_value(value));
    else if (json_is_string(value))
        COMMON_TEXT(found.text, "the string '%.20s'", json_string_value(value));
    else if (json_is_array(value))
        COMMON_TEXT(found.text, "an array of %zu %s", json_array_size(value),
                    common_noun(json_array_size(value), "value", "values"));
    else if (json_is_object(value))
        COMMON_TEXT(found.text, "an object");
    else
        COMMON_TEXT(found.text, "true, false or null");
    return found;
}

// Fills the file's error with an invalid value and the expected value. Returns false.
static bool fail_value(gltf_file *file, const json_t *value, const char *expected,
                       const char *location)
{
    return gltf_fail(file, "%s: invalid value: expected %s, found %s" CONVERT_REMEDY, location,
                     expected, describe_json(value).text);
}

// Checks that a value is an integer. If `list` is not NULL, the value is an index of an item in
// that list of the file and must be below its length.
static bool check_integer(gltf_file *file, const json_t *value, const char *list,
                          const char *location)
{
    const double number = json_number_value(value);
    const bool is_in_range = number >= 0 && number < 9e15 && number < (double)SIZE_MAX;
    // Some programs write integers as 3.0.
    if (!json_is_number(value) || !is_in_range || number != floor(number))
        return fail_value(file, value, "an integer of 0 or more", location);
    if (list && number >= (double)gltf_count(file, list))
        return gltf_fail(file,
                         "%s: index is out of range: expected less than %zu, the number of %s, "
                         "found %.0f" CONVERT_REMEDY,
                         location, gltf_count(file, list), list, number);
    return true;
}

// Checks a value against its entry in the table of members: an object, an integer, or an array
// of numbers.
static bool check_value(gltf_file *file, const json_t *value, const struct member *member,
                        const char *location)
{
    if (member->count == OBJECTS) {
        if (!json_is_object(value))
            return fail_value(file, value, "an object", location);
        return true;
    }
    if (member->count == 0)
        return check_integer(file, value, member->list, location);
    char expected[48];
    COMMON_TEXT(expected, "an array of %zu numbers", member->count);
    if (json_array_size(value) != member->count)
        return fail_value(file, value, expected, location);
    for (size_t i = 0; i < member->count; i++) {
        const json_t *const item = json_array_get(value, i);
        char item_location[220];
        COMMON_TEXT(item_location, "%s/%zu", location, i);
        // The limit is far above the limits of MD5 and prevents overflows in products.
        if (!json_is_number(item) || !(fabs(json_number_value(item)) < 1e30))
            return fail_value(file, item, "a number from -1e30 to 1e30", item_location);
    }
    return true;
}

static bool check_member(gltf_file *file, json_t *value, const struct member *member,
                         const char *path, const char *location);

// Checks each item of an array or each member of an object. `path` is the rest of the path after
// the '*'. NOLINTNEXTLINE(misc-no-recursion): as deep as a path of the table
static bool check_items(gltf_file *file, json_t *value, const struct member *member,
                        const char *path, const char *location)
{
    char inner[200];
    const char *const slash = location[0] != '\0' ? "/" : "";
    if (!json_is_array(value) && !json_is_object(value))
        return fail_value(file, value, "an array or an object", location);
    for (size_t i = 0; i < json_array_size(value); i++) {
        COMMON_TEXT(inner, "%s%s%zu", location, slash, i);
        if (!check_member(file, json_array_get(value, i), member, path, inner))
            return false;
    }
    for (void *item = json_object_iter(value); item; item = json_object_iter_next(value, item)) {
        COMMON_TEXT(inner, "%s%s%.40s", location, slash, json_object_iter_key(item));
        if (!check_member(file, json_object_iter_value(item), member, path, inner))
            return false;
    }
    return true;
}

// Checks all values to which a path of the table leads from `value`. `location` is the position of
// `value` in the file, for error messages. Missing members are valid. The recursion is as deep as a
// path of the table. NOLINTNEXTLINE(misc-no-recursion)
static bool check_member(gltf_file *file, json_t *value, const struct member *member,
                         const char *path, const char *location)
{
    const size_t length = strcspn(path, "/");
    const char *const part_end = path + length;
    const char *const inner_path = *part_end == '/' ? part_end + 1 : part_end;
    if (length == 0)
        return check_value(file, value, member, location);
    if (path[0] == '*')
        return check_items(file, value, member, inner_path, location);

    char inner[200];
    const size_t used = strlen(location);
    const char *const slash = used > 0 ? "/" : "";
    size_t i = 0;

    while (i < length) {
        const size_t end = i + strcspn(path + i, "|/");
        COMMON_TEXT(inner, "%s%s%.*s", location, slash, (int)(end - i), path + i);
        json_t *const named = json_object_get(value, inner + used + strlen(slash));
        if (named && !check_member(file, named, member, inner_path, inner))
            return false;
        i = end + 1;
    }

    return true;
}

// -- Buffers --------------------------------------------------------------------------------------

// Decodes base64, also with the characters of URLs. Returns NULL if a character is invalid.
static char *decode_base64(const char *text, size_t *size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = strlen(text);
    size_t used = 0;
    while (length > 0 && text[length - 1] == '=')
        length--;

    char *const bytes = common_alloc(length / 4 * 3 + 3, 1);
    uint32_t bits = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == '-')
            c = '+';
        else if (c == '_')
            c = '/';
        const char *const digit = strchr(digits, c);
        if (!digit) {
            free(bytes);
            return NULL;
        }
        bits = bits << 6 | (uint32_t)(digit - digits);
        if (i % 4 > 0) // after this byte 4, 2 or 0 bits remain
            bytes[used++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
    }

    *size = used;
    return bytes;
}

char *gltf_decode_uri(const char *uri)
{
    char *const name = common_copy(uri);
    char *end = name;
    const char *at = uri;
    while (*at != '\0') {
        char c = *at++;
        if (c == '%' && isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1])) {
            c = (char)strtol((const char[]){at[0], at[1], '\0'}, NULL, 16);
            at += 2;
        }
        const bool is_unsafe = (unsigned char)c < ' ' || c == '\\' || c == ':';
        *end++ = is_unsafe ? '/' : c;
    }
    *end = '\0';
    return name;
}

// Returns the path of a file whose name is relative to the glTF file, or NULL if it is outside of
// the folder of the glTF file. The caller frees the path.
static char *find_path(const gltf_file *file, const char *name)
{
    char *const relative_folder = common_folder(file->path);
    char *const folder = common_absolute(relative_folder);
    char *path = common_join(folder, name);
    char *const clean_path = common_normalize_path(path);
    char *const clean_folder = common_normalize_path(folder);
    if (!common_is_in(clean_path, clean_folder)) {
        free(path);
        path = NULL;
    }

    free(clean_path);
    free(clean_folder);
    free(relative_folder);
    free(folder);
    return path;
}

// Returns the bytes of a data URI. They are owned by the result.
static gltf_bytes decode_data(const char *uri)
{
    gltf_bytes found = {.reason = "the data URI is not valid base64"};
    const char *const comma = strchr(uri, ',');
    if (comma && comma - uri >= 7 && strncmp(comma - 7, ";base64", 7) == 0)
        found.owned = decode_base64(comma + 1, &found.size);
    found.bytes = (const uint8_t *)found.owned;
    return found;
}

// Returns the bytes of a file. Each file is read once, and file->named owns its bytes. Its size is
// added to the budget of the .gltf file, which may be much smaller than its buffers and images.
static gltf_bytes read_named(gltf_file *file, const char *path)
{
    const size_t num_paths = file->paths.count;
    const size_t index = common_index_text(&file->paths, path, strlen(path));
    const bool is_new = index == num_paths;
    if (is_new) {
        file->named = common_grow(file->named, index, sizeof *file->named);
        gltf_bytes *const added = &file->named[index];
        *added = (gltf_bytes){.reason = NULL};
        added->owned = common_read_stream(path, &added->size, &added->reason);
        added->bytes = (const uint8_t *)added->owned;
        if (added->bytes)
            convert_extend_budget(file->job->budget, added->size);
    }
    gltf_bytes found = file->named[index];
    found.owned = NULL;
    return found;
}

// Returns the bytes of a file whose name is relative to the glTF file.
static gltf_bytes read_relative(gltf_file *file, const char *name)
{
    gltf_bytes found = {.reason = "the uri is not a path inside the file's folder"};
    char *const path = find_path(file, name);
    if (path)
        found = read_named(file, path);
    free(path);
    return found;
}

// Returns the bytes to which a URI refers: the data in the URI itself, or a file.
static gltf_bytes resolve(gltf_file *file, const char *uri)
{
    if (!uri)
        return (gltf_bytes){.reason = "the member 'uri' is missing"};
    if (strncmp(uri, "data:", 5) == 0)
        return decode_data(uri);
    char *const name = gltf_decode_uri(uri);
    const gltf_bytes found = read_relative(file, name);
    free(name);
    return found;
}

// Returns the bytes of an image. If `is_moved` is true, ignores the folders in the path of an image
// file and reads the file from the folder of the model.
gltf_bytes gltf_image(gltf_file *file, uint32_t index, bool is_moved)
{
    gltf_bytes *const image = &file->images[index];
    const char *const uri = gltf_text(gltf_item(file, "images", index), "uri");
    if (is_moved && !image->bytes && uri) {
        char *const name = gltf_decode_uri(uri);
        *image = read_relative(file, common_base(name));
        free(name);
    } else if (!image->bytes && !image->reason) {
        *image = resolve(file, uri);
    }
    return *image;
}

// Returns the extension by which a view is compressed or a buffer is marked as a fallback, or NULL.
// A fallback is for readers that cannot decompress views.
static const json_t *find_packed(const json_t *object)
{
    return json_object_get(json_object_get(object, "extensions"), "EXT_meshopt_compression");
}

// Returns the bytes of a range of a buffer, and their number. `object` describes the range; it is a
// buffer view or the extension that compresses the view. `index` is the index of the view, for
// messages. Returns NULL and fills the file's error on failure.
static const uint8_t *find_bytes(gltf_file *file, uint32_t index, const json_t *object,
                                 size_t *size)
{
    const uint32_t buffer_index = gltf_index(object, "buffer");
    if (buffer_index == MD5_NONE) {
        gltf_fail(
            file,
            "bufferViews/%u: missing member 'buffer': expected an index of buffers" CONVERT_REMEDY,
            index);
        return NULL;
    }

    const gltf_bytes *const buffer = &file->buffers[buffer_index];
    if (!buffer->bytes) {
        gltf_fail(file,
                  "bufferViews/%u: buffers/%u has no data: expected a 'uri' or a binary "
                  "chunk" CONVERT_REMEDY,
                  index, buffer_index);
        return NULL;
    }

    const size_t offset = get_size(object, "byteOffset");
    *size = get_size(object, "byteLength");
    if (offset > buffer->size || *size > buffer->size - offset) {
        gltf_fail(
            file,
            "bufferViews/%u: range is outside of buffers/%u: expected at most %zu bytes, found %zu "
            "bytes at offset %zu" CONVERT_REMEDY,
            index, buffer_index, buffer->size, *size, offset);
        return NULL;
    }
    return buffer->bytes + offset;
}

// -- Compressed views -----------------------------------------------------------------------------

#ifdef HAS_MESHOPTIMIZER

// Returns true if a buffer is only for readers that cannot decompress views.
static bool is_fallback(const json_t *buffer)
{
    return json_is_true(json_object_get(find_packed(buffer), "fallback"));
}

// Compression of a view by EXT_meshopt_compression.
typedef struct packed_view {
    const char *mode;
    const char *filter;
    size_t stride;
    size_t count;
    bool is_list;        // mode: triangle list
    bool is_sequence;    // mode: index sequence
    bool is_plain;       // filter: none
    bool is_octahedral;  // filter
    bool is_quaternion;  // filter
    bool is_exponential; // filter
} packed_view;

// Returns the properties of a compressed buffer view (EXT_meshopt_compression). Missing
// properties have the defaults of the extension.
static packed_view get_packed_view(const json_t *packed)
{
    const char *mode = gltf_text(packed, "mode");
    const char *filter = gltf_text(packed, "filter");
    if (!mode)
        mode = "ATTRIBUTES";
    if (!filter)
        filter = "NONE";
    return (packed_view){
        .mode = mode,
        .filter = filter,
        .stride = get_size(packed, "byteStride"),
        .count = get_size(packed, "count"),
        .is_list = strcmp(mode, "TRIANGLES") == 0,
        .is_sequence = strcmp(mode, "INDICES") == 0,
        .is_plain = strcmp(filter, "NONE") == 0,
        .is_octahedral = strcmp(filter, "OCTAHEDRAL") == 0,
        .is_quaternion = strcmp(filter, "QUATERNION") == 0,
        .is_exponential = strcmp(filter, "EXPONENTIAL") == 0,
    };
}

// Returns true if a compressed view contains indices of 2 or 4 bytes, complete triangles in a
// triangle list, and no filter.
static bool is_valid_index_view(const packed_view *view)
{
    const bool has_complete_triangles = !view->is_list || view->count % 3 == 0;
    const bool is_index = view->stride == 2 || view->stride == 4;
    return view->is_plain && has_complete_triangles && is_index;
}

// Returns true if EXT_meshopt_compression allows the mode, the filter and the stride of a
// compressed buffer view that has `size` bytes after decompression.
static bool is_valid_packed_view(const packed_view *view, size_t size)
{
    const size_t stride = view->stride;
    if (stride == 0 || size % stride != 0 || size / stride != view->count)
        return false;
    if (view->is_list || view->is_sequence)
        return is_valid_index_view(view);

    const bool is_attribute = strcmp(view->mode, "ATTRIBUTES") == 0;
    const bool has_valid_stride = stride % 4 == 0 && stride <= 256;
    if (!is_attribute || !has_valid_stride)
        return false;
    if (view->is_octahedral)
        return stride <= 8;
    if (view->is_quaternion)
        return stride == 8;
    return view->is_plain || view->is_exponential;
}

// Decompresses the bytes of a buffer view. Returns 0 on success, as the functions of meshoptimizer
// do.
static int decode_view(const packed_view *view, const uint8_t *packed, size_t packed_size,
                       uint8_t *to)
{
    if (view->is_list)
        return meshopt_decodeIndexBuffer(to, view->count, view->stride, packed, packed_size);
    if (view->is_sequence)
        return meshopt_decodeIndexSequence(to, view->count, view->stride, packed, packed_size);
    return meshopt_decodeVertexBuffer(to, view->count, view->stride, packed, packed_size);
}

// Applies the filter of a view to `capacity` decompressed elements.
static void apply_filter(const packed_view *view, uint8_t *elements, size_t capacity)
{
    if (view->is_octahedral)
        meshopt_decodeFilterOct(elements, capacity, view->stride);
    else if (view->is_quaternion)
        meshopt_decodeFilterQuat(elements, capacity, view->stride);
    else if (view->is_exponential)
        meshopt_decodeFilterExp(elements, capacity, view->stride);
}

// Decompresses a view of `size` bytes, which `object` (its extension) describes. Fills the file's
// error and returns NULL on failure. The caller frees the result.
static uint8_t *unpack(gltf_file *file, uint32_t index, const json_t *object, size_t size)
{
    const packed_view view = get_packed_view(object);
    if (!is_valid_packed_view(&view, size)) {
        gltf_fail(
            file,
            "bufferViews/%u: invalid meshopt compression: found %zu bytes for %zu elements of "
            "%zu bytes, mode %.20s, filter %.20s; export the file without compression",
            index, size, view.count, view.stride, view.mode, view.filter);
        return NULL;
    }

    size_t packed_size = 0;
    const uint8_t *const packed = find_bytes(file, index, object, &packed_size);
    const size_t capacity =
        (view.count + 3) / 4 * 4; // some versions filter four elements in one step
    if (!packed || !gltf_charge(file, size / 4)
        || !convert_charge_bytes(file->job, capacity, view.stride, file->error))
        return NULL;

    uint8_t *const elements = common_alloc(capacity, view.stride);
    if (decode_view(&view, packed, packed_size, elements) != 0) {
        gltf_fail(file,
                  "bufferViews/%u: cannot decompress %zu bytes: the meshopt data are damaged; "
                  "export the file again",
                  index, packed_size);
        free(elements);
        return NULL;
    }
    apply_filter(&view, elements, capacity);
    return elements;
}

// Returns the decompressed bytes of a buffer view. Each view is decompressed once, and the file
// owns the result.
static const uint8_t *read_packed_view(gltf_file *file, uint32_t index, const json_t *view,
                                       size_t *size)
{
    *size = get_size(view, "byteLength");
    if (!file->unpacked[index])
        file->unpacked[index] = unpack(file, index, find_packed(view), *size);
    return file->unpacked[index];
}

#else

static bool is_fallback(const json_t *buffer)
{
    (void)buffer;
    return false;
}

// Returns the bytes of the fallback buffer if the file contains them.
static const uint8_t *read_packed_view(gltf_file *file, uint32_t index, const json_t *view,
                                       size_t *size)
{
    const uint32_t buffer = gltf_index(view, "buffer");
    if (buffer == MD5_NONE || file->buffers[buffer].bytes)
        return find_bytes(file, index, view, size);
    gltf_fail(file,
              "bufferViews/%u: meshopt compression is not supported: built without meshoptimizer; "
              "export the file without compression",
              index);
    return NULL;
}

#endif

// Returns the bytes of a view, decompressed if necessary, and their number.
const uint8_t *gltf_view(gltf_file *file, uint32_t index, size_t *size)
{
    const json_t *const view = gltf_item(file, "bufferViews", index);
    if (find_packed(view))
        return read_packed_view(file, index, view, size);
    return find_bytes(file, index, view, size);
}

// Opens all buffers. The first buffer without a URI is `chunk`, the binary chunk of a .glb file.
static bool open_buffers(gltf_file *file, gltf_bytes chunk)
{
    file->num_buffers = gltf_count(file, "buffers");
    file->buffers = common_alloc(file->num_buffers, sizeof *file->buffers);
    for (size_t i = 0; i < file->num_buffers; i++) {
        gltf_bytes *const buffer = &file->buffers[i];
        const json_t *const object = gltf_item(file, "buffers", i);
        const size_t size = get_size(object, "byteLength");
        if (is_fallback(object))
            continue;
        if (gltf_text(object, "uri")) {
            *buffer = resolve(file, gltf_text(object, "uri"));
            if (!buffer->bytes)
                return gltf_fail(file,
                                 "buffers/%zu: cannot read %.80s: %s; export the file as .glb, "
                                 "which contains its buffers",
                                 i, gltf_text(object, "uri"), buffer->reason);
        } else if (i == 0) {
            *buffer = chunk;
        } // other buffers have no bytes, which is an error only if a view uses them
        if (buffer->bytes && size > buffer->size)
            return gltf_fail(file,
                             "buffers/%zu: truncated file: expected %zu bytes, found %zu; copy or "
                             "export the file again",
                             i, size, buffer->size);
        buffer->size = size;
    }

    return true;
}

// -- Accessors ------------------------------------------------------------------------------------

static const struct component {
    size_t code;
    size_t size;
    double max; // value that becomes 1 in normalized accessors; 0: the type cannot be normalized
    bool is_signed;
} components[] = {
    {.code = 5126, .size = 4},
    {.code = 5120, .size = 1, .max = 127, .is_signed = true},
    {.code = 5121, .size = 1, .max = 255},
    {.code = 5122, .size = 2, .max = 32767, .is_signed = true},
    {.code = 5123, .size = 2, .max = 65535},
    {.code = 5125, .size = 4},
};
enum { FLOAT, NUM_COMPONENTS = COMMON_LENGTH(components) };

// Returns the component type with a number of the standard, or NULL.
static const struct component *find_component(size_t code)
{
    for (size_t i = 0; i < NUM_COMPONENTS; i++) {
        if (components[i].code == code)
            return &components[i];
    }
    return NULL;
}

static const struct shape {
    const char *name;
    size_t width;
} shapes[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};

// Returns one number of an element. Normalized integers are converted to fractions, as the glTF
// standard defines.
static float read_component(const uint8_t *bytes, const struct component *type, bool is_normalized)
{
    const uint32_t sign_bit = 1u << (8 * type->size - 1);
    const uint32_t bits = common_read_little_endian(bytes, type->size);
    if (type == &components[FLOAT]) {
        float number;
        memcpy(&number, &bits, sizeof bits);
        return number;
    }
    const double number = type->is_signed && bits >= sign_bit ? bits - 2.0 * sign_bit : bits;
    if (is_normalized && type->max > 0)
        return (float)fmax(number / type->max, -1); // -128 and -127 both become -1
    return (float)number;
}

// A table of elements in the file, which read_elements() reads. An accessor is such a table. A
// sparse accessor contains two more: the indices of the elements that it replaces, and their new
// values.
typedef struct element_request {
    uint32_t accessor;    // index of the accessor, for error messages
    const json_t *object; // JSON object with the members bufferView and byteOffset
    size_t component;     // componentType in glTF, such as 5126 for floats
    size_t count;         // number of elements
    size_t width;         // numbers per element
    bool is_normalized;
} element_request;

// The location in memory of the elements that an element_request describes.
typedef struct element_range {
    const struct component *type;
    const uint8_t *bytes; // first element; NULL without a view, then all numbers are 0
    size_t stride;        // bytes between elements
} element_range;

// Returns the distance between the elements of a view in bytes. Without the member byteStride, the
// elements of `size` bytes follow each other.
static size_t get_stride(const gltf_file *file, uint32_t view, size_t size)
{
    const size_t stride = get_size(gltf_item(file, "bufferViews", view), "byteStride");
    return stride > 0 ? stride : size;
}

// Finds the first of the requested elements in its view, and the distance between elements. The
// caller has set range->type. If the request has no view, range->bytes remains NULL. If the
// elements are not inside of the view, fills the file's error and returns false.
static bool find_elements(gltf_file *file, const element_request *request, element_range *range)
{
    const uint32_t view = gltf_index(request->object, "bufferView");
    if (view == MD5_NONE)
        return true;
    size_t view_size = 0;
    const uint8_t *const bytes = gltf_view(file, view, &view_size);
    if (!bytes)
        return false;

    const size_t count = request->count;
    const size_t size = request->width * range->type->size; // size of an element
    const size_t offset = get_size(request->object, "byteOffset");
    const size_t stride = get_stride(file, view, size);
    if (stride < size)
        return gltf_fail(file,
                         "bufferViews/%u/byteStride: value is too small for accessors/%u: expected "
                         "at least %zu, the size of an element, found %zu" CONVERT_REMEDY,
                         view, request->accessor, size, stride);
    const bool has_first = offset <= view_size && size <= view_size - offset;
    const bool has_all = has_first && count - 1 <= (view_size - offset - size) / stride;
    if (!has_all)
        return gltf_fail(file,
                         "accessors/%u: elements are outside of bufferViews/%u: expected at most "
                         "%zu bytes, found %zu elements of %zu bytes at offset %zu" CONVERT_REMEDY,
                         request->accessor, view, view_size, count, stride, offset);

    range->bytes = bytes + offset;
    range->stride = stride;
    return true;
}

// Reads the numbers of all elements to values[count][width]. Fails if a number is not finite.
static bool read_components(gltf_file *file, const element_request *request,
                            const element_range *range, float *values)
{
    const float max_number = 1e30f;
    for (size_t i = 0; i < request->count * request->width; i++) {
        const size_t element = i / request->width;
        const size_t component = i % request->width;
        const uint8_t *const bytes =
            range->bytes + element * range->stride + component * range->type->size;
        values[i] = read_component(bytes, range->type, request->is_normalized);
        if (!(fabsf(values[i]) < max_number))
            return gltf_fail(file,
                             "accessors/%u: element %zu is out of range: expected numbers from "
                             "-1e30 to 1e30, found %g; repair the value and export the file again",
                             request->accessor, element, values[i]);
    }
    return true;
}

// Reads elements, [count][width]. Without a view the numbers are 0. Fills the file's error and
// returns NULL on failure. The caller frees the result.
static float *read_elements(gltf_file *file, const element_request *request)
{
    const size_t count = request->count;
    const size_t width = request->width;
    element_range range = {.type = find_component(request->component)};
    if (!range.type) {
        gltf_fail(file,
                  "accessors/%u/componentType: unknown type: expected 5120 to 5123, 5125 or 5126, "
                  "found %zu" CONVERT_REMEDY,
                  request->accessor, request->component);
        return NULL;
    }
    if (count == 0) {
        gltf_fail(file,
                  "accessors/%u/count: value is out of range: expected at least 1, found "
                  "0" CONVERT_REMEDY,
                  request->accessor);
        return NULL;
    }
    if (!find_elements(file, request, &range))
        return NULL;

    const size_t cost = count > SIZE_MAX / 64 ? SIZE_MAX : count * width; // without an overflow
    if (!gltf_charge(file, cost)
        || !convert_charge_bytes(file->job, count, width * sizeof(float), file->error))
        return NULL;
    float *const values = common_alloc(count, width * sizeof *values);
    if (!range.bytes || read_components(file, request, &range, values))
        return values;
    free(values);
    return NULL;
}

// Replaces elements of an accessor by replacements[num_sparse]. positions[num_sparse] contains
// their indices. Returns false if an index is out of range; some elements are then already
// replaced.
static bool scatter_elements(gltf_file *file, const element_request *accessor,
                             const float *positions, const float *replacements, size_t num_sparse,
                             float *values)
{
    const size_t width = accessor->width;
    for (size_t i = 0; i < num_sparse; i++) {
        const bool is_inside = positions[i] >= 0 && positions[i] < (float)accessor->count;
        if (!is_inside)
            return gltf_fail(file,
                             "accessors/%u/sparse/indices: element %zu is out of range: expected "
                             "less than %zu, the number of elements, found %.9g" CONVERT_REMEDY,
                             accessor->accessor, i, accessor->count, positions[i]);
        float *const element = values + (size_t)positions[i] * width;
        memcpy(element, replacements + i * width, width * sizeof *values);
    }
    return true;
}

// Applies the sparse part of an accessor: replaces the elements whose indices it lists. Before the
// call, values[count * width] contains the numbers of the accessor's view, or 0.
static bool replace_sparse(gltf_file *file, const element_request *accessor, float *values)
{
    enum { MAX_ELEMENTS = 1 << 24 }; // positions are read as floats, which are exact up to here
    const json_t *const sparse = json_object_get(accessor->object, "sparse");
    const json_t *const indices = json_object_get(sparse, "indices");
    const size_t num_sparse = get_size(sparse, "count");
    if (accessor->count > MAX_ELEMENTS)
        return gltf_fail(
            file,
            "accessors/%u/count: too large for a sparse accessor (%zu; limit %d); divide "
            "the mesh or the animation",
            accessor->accessor, accessor->count, MAX_ELEMENTS);
    if (num_sparse > accessor->count)
        return gltf_fail(
            file,
            "accessors/%u/sparse/count: value is out of range: expected at most %zu, the "
            "number of elements, found %zu" CONVERT_REMEDY,
            accessor->accessor, accessor->count, num_sparse);

    const element_request index_request = {.accessor = accessor->accessor,
                                           .object = indices,
                                           .component = get_size(indices, "componentType"),
                                           .count = num_sparse,
                                           .width = 1};
    float *const positions = read_elements(file, &index_request);
    if (!positions)
        return false;

    element_request value_request = *accessor;
    value_request.object = json_object_get(sparse, "values");
    value_request.count = num_sparse;
    float *const replacements = read_elements(file, &value_request);
    const bool is_done =
        replacements
        && scatter_elements(file, accessor, positions, replacements, num_sparse, values);
    free(positions);
    free(replacements);
    return is_done;
}

// Reads all values of an accessor: `count` elements of `width` numbers. Then applies its sparse
// values, which replace single elements. Returns NULL on failure. The caller frees the result.
static float *read_values(gltf_file *file, uint32_t index, const json_t *object, size_t width,
                          size_t count)
{
    const element_request accessor = {
        .accessor = index,
        .object = object,
        .component = get_size(object, "componentType"),
        .count = count,
        .width = width,
        .is_normalized = json_is_true(json_object_get(object, "normalized")),
    };
    float *const values = read_elements(file, &accessor);
    if (!values || !json_object_get(object, "sparse"))
        return values;
    if (replace_sparse(file, &accessor, values))
        return values;
    free(values);
    return NULL;
}

// Returns the values of an accessor as floats. They are converted once and freed with the file.
// Returns NULL after an error.
const float *gltf_read(gltf_file *file, uint32_t index, gltf_shape shape, size_t *count)
{
    const json_t *const object = gltf_item(file, "accessors", index);
    const char *const type = gltf_text(object, "type");
    *count = get_size(object, "count");
    if (!type || strcmp(type, shapes[shape].name) != 0) {
        gltf_fail(file, "accessors/%u/type: wrong type: expected %s, found %.20s" CONVERT_REMEDY,
                  index, shapes[shape].name, type ? type : "no type");
        return NULL;
    }
    if (!file->values[index])
        file->values[index] = read_values(file, index, object, shapes[shape].width, *count);
    return file->values[index];
}

// -- Files ----------------------------------------------------------------------------------------

bool gltf_charge(gltf_file *file, uint64_t count)
{
    return convert_charge(file->job, count, file->error);
}

// Prefixes of the names of supported extensions. The reader supports them, or they do not affect
// the data that it reads.
static const char *const supported_extensions[] = {
    "KHR_mesh_quantization",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_animation_pointer",
    "KHR_node_visibility",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_dds",
    "KHR_materials_",
    "KHR_techniques_webgl",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_xmp",
    "KHR_draco_mesh_compression", // if uncompressed data exist; see gltf_read.c
};

// Returns true if an extension that a file requires is supported.
static bool is_supported_extension(const char *name)
{
    for (size_t i = 0; i < COMMON_LENGTH(supported_extensions); i++) {
        const char *const prefix = supported_extensions[i];
        if (strncmp(name, prefix, strlen(prefix)) == 0)
            return true;
    }
    return false;
}

// Fails if the file requires an extension that would make the result wrong, such as instances.
// Draco is accepted at this point, because some files also contain uncompressed data.
static bool check_extensions(gltf_file *file)
{
    const json_t *const list = json_object_get(file->root, "extensionsRequired");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *const name = json_string_value(json_array_get(list, i));
        if (!name || !is_supported_extension(name))
            return gltf_fail(file,
                             "extensionsRequired/%zu: extension %.80s is not supported; export the "
                             "file without it",
                             i, name ? name : "?");
    }
    return true;
}

static const char old_format[] = "; convert the file to glTF 2.0";

// Finds the chunks of a .glb file. If there are several chunks of one type, the first is used.
// Chunks of unknown types are skipped.
static bool open_chunks(gltf_file *file, const uint8_t *bytes, size_t size, gltf_bytes *text,
                        gltf_bytes *binary)
{
    // The header is "glTF", the version and the size of the file. A chunk is its size, its type
    // and its data.
    enum { HEADER_SIZE = 12, CHUNK_HEADER_SIZE = 8 };
    if (size < HEADER_SIZE + CHUNK_HEADER_SIZE)
        return gltf_fail(
            file,
            "truncated file: expected at least %d bytes, found %zu; copy or export the file again",
            HEADER_SIZE + CHUNK_HEADER_SIZE, size);
    const uint32_t version = common_read_little_endian(bytes + 4, 4);
    if (version != 2)
        return gltf_fail(file, "offset 4: unsupported GLB version: expected 2, found %u%s", version,
                         version == 1 ? old_format : CONVERT_REMEDY);

    size_t at = HEADER_SIZE;
    while (at + CHUNK_HEADER_SIZE <= size) {
        const size_t length = common_read_little_endian(bytes + at, 4);
        const bool is_text = memcmp(bytes + at + 4, "JSON", 4) == 0;
        const bool is_binary = memcmp(bytes + at + 4, "BIN", 4) == 0; // with its terminating 0
        at += CHUNK_HEADER_SIZE;
        if (length > size - at)
            return gltf_fail(
                file,
                "offset %zu: truncated file: expected %zu bytes of the %s chunk, found "
                "%zu; copy or export the file again",
                at, length, is_text ? "JSON" : "binary", size - at);

        const gltf_bytes chunk = {.bytes = bytes + at, .size = length};
        if (is_text && !text->bytes)
            *text = chunk;
        else if (is_binary && !binary->bytes)
            *binary = chunk;
        at += length;
    }

    if (!text->bytes)
        return gltf_fail(
            file, "offset %d: JSON chunk is missing: expected it after the header" CONVERT_REMEDY,
            HEADER_SIZE);
    return true;
}

// Fails unless the file has version 2. This check is first, because glTF 1.0 has objects where glTF
// 2.0 has lists. Early files of version 1.0 do not contain a version.
static bool check_version(gltf_file *file)
{
    const char *const version = gltf_text(json_object_get(file->root, "asset"), "version");
    if (version && strncmp(version, "2.", 2) == 0)
        return true;
    bool is_old = false;
    if (version)
        is_old = version[0] < '2';
    else
        is_old = json_is_object(json_object_get(file->root, "meshes"));
    const char *const advice = is_old ? old_format : CONVERT_REMEDY;
    return gltf_fail(file, "asset/version: unsupported version: expected 2.0, found %.20s%s",
                     version ? version : "no version", advice);
}

// Parses the JSON text and checks all members in the table.
static bool open_json(gltf_file *file, gltf_bytes text)
{
    json_error_t json_error;
    file->root =
        json_loadb((const char *)text.bytes, text.size, JSON_REJECT_DUPLICATES, &json_error);
    if (!file->root) {
        gltf_fail(file, "invalid JSON: %.150s" CONVERT_REMEDY, json_error.text);
        file->error->line = json_error.line > 0 ? (uint32_t)json_error.line : 0;
        file->error->column = json_error.column > 0 ? (uint32_t)json_error.column : 0;
        return false;
    }
    if (!check_version(file))
        return false;

    for (size_t i = 0; i < COMMON_LENGTH(members); i++) {
        const struct member *const member = &members[i];
        if (!check_member(file, file->root, member, member->path, ""))
            return false;
    }
    return true;
}

// Fails unless the text of a .gltf file begins with '{' after blanks. `text` is the whole file,
// without a byte order mark.
static bool check_text(gltf_file *file, gltf_bytes text)
{
    size_t start = 0;
    while (start < text.size && strchr(" \t\r\n", text.bytes[start]) && text.bytes[start] != 0)
        start++;
    if (start == text.size)
        return gltf_fail(file, "not a glTF file: expected 'glTF' or '{' at the start, found an "
                               "empty file" CONVERT_REMEDY);
    if (text.bytes[start] == '{')
        return true;

    char found[16] = "";
    for (size_t i = 0; i < 4 && start + i < text.size; i++)
        snprintf(found + 3 * i, 4, " %02x", text.bytes[start + i]);
    return gltf_fail(
        file,
        "not a glTF file: expected 'glTF' or '{' at the start, found%s; check the file's "
        "extension",
        found);
}

// Finds the JSON text and the binary chunk of a .glb or .gltf file.
static bool find_text(gltf_file *file, const convert_input *input, gltf_bytes *text,
                      gltf_bytes *binary)
{
    const uint8_t *const bytes = (const uint8_t *)input->bytes;
    if (input->size >= 4 && memcmp(bytes, "glTF", 4) == 0)
        return open_chunks(file, bytes, input->size, text, binary);

    *text = (gltf_bytes){.bytes = bytes, .size = input->size};
    if (input->size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        text->bytes += 3; // a byte order mark, which the standard forbids but editors write
        text->size -= 3;
    }
    return check_text(file, *text);
}

// Opens a file. Finds the JSON text and the binary part, checks the JSON against the table of
// members, and opens the buffers.
bool gltf_open(gltf_file *file, const convert_job *job, const convert_input *input,
               md5_error *error)
{
    *file = (gltf_file){.job = job, .error = error, .path = input->path};
    gltf_bytes text = {.bytes = NULL};
    gltf_bytes binary = {.bytes = NULL};
    if (!find_text(file, input, &text, &binary))
        return false;
    if (!open_json(file, text) || !check_extensions(file) || !open_buffers(file, binary))
        return false;

    file->images = common_alloc(gltf_count(file, "images"), sizeof *file->images);
    file->values = common_alloc(gltf_count(file, "accessors"), sizeof *file->values);
    file->unpacked = common_alloc(gltf_count(file, "bufferViews"), sizeof *file->unpacked);
    return true;
}

// Frees the JSON document, the bytes of buffers and images, and the caches of decompressed views
// and accessors. A list is NULL if gltf_open() failed before it was allocated.
void gltf_close(gltf_file *file)
{
    if (file->values) {
        for (size_t i = 0; i < gltf_count(file, "accessors"); i++)
            free(file->values[i]);
    }
    if (file->unpacked) {
        for (size_t i = 0; i < gltf_count(file, "bufferViews"); i++)
            free(file->unpacked[i]);
    }
    for (size_t i = 0; i < file->num_buffers; i++)
        free(file->buffers[i].owned);

    if (file->images) {
        for (size_t i = 0; i < gltf_count(file, "images"); i++)
            free(file->images[i].owned);
    }
    for (size_t i = 0; i < file->paths.count; i++)
        free(file->named[i].owned);

    free(file->named);
    common_free_text_index(&file->paths);
    free(file->images);
    free(file->values);
    free(file->unpacked);
    free(file->buffers);
    json_decref(file->root);
}

#endif
