// The container of glTF: .glb and .gltf, JSON, buffers, views, accessors. All checks of them.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON

#include "demo/convert/gltf_file.h"

#ifdef HAS_MESHOPTIMIZER
#include <meshoptimizer.h>
#endif

#define DRACO "KHR_draco_mesh_compression"

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

bool gltf_numbers(const json_t *object, const char *key, size_t count, double *numbers)
{
    const json_t *const array = json_object_get(object, key);
    if (array) {
        for (size_t i = 0; i < count; i++)
            numbers[i] = json_number_value(json_array_get(array, i));
    }
    return array;
}

// A whole number from 0.
static size_t size_of(const json_t *object, const char *key)
{
    return (size_t)gltf_number(object, key, 0);
}

// What is read by the functions above, by paths from the root: | is between names, * is each item
// or member. With a list it is an index of that, with a count so many numbers, else a whole number
// from 0; of OBJECTS an object.
enum { OBJECTS = 99 };
static const struct member {
    const char *path;
    const char *list;
    size_t count;
} members[] = {
    {"accessors|animations|buffers|bufferViews|cameras|images|materials/*", NULL, OBJECTS},
    {"meshes|nodes|scenes|skins|textures/*", NULL, OBJECTS},
    {"scene", "scenes", 0},
    {"scenes/*/nodes/*", "nodes", 0},
    {"nodes/*/children/*", "nodes", 0},
    {"nodes/*/mesh", "meshes", 0},
    {"nodes/*/skin", "skins", 0},
    {"nodes/*/camera", "cameras", 0},
    {"nodes/*/translation|scale", NULL, 3},
    {"nodes/*/rotation", NULL, 4},
    {"nodes/*/matrix", NULL, 16},
    {"skins/*/joints/*", "nodes", 0},
    {"skins/*/inverseBindMatrices", "accessors", 0},
    {"meshes/*/primitives/*/mode", NULL, 0},
    {"meshes/*/primitives/*/indices", "accessors", 0},
    {"meshes/*/primitives/*/attributes/*", "accessors", 0},
    {"meshes/*/primitives/*/targets/*/*", "accessors", 0},
    {"meshes/*/primitives/*/material", "materials", 0},
    {"animations/*/channels/*/sampler", NULL, 0},
    {"animations/*/channels/*/target/node", "nodes", 0},
    {"animations/*/samplers/*/input|output", "accessors", 0},
    {"materials/*/emissiveFactor", NULL, 3},
    {"materials/*/normalTexture|emissiveTexture/index", "textures", 0},
    {"materials/*/pbrMetallicRoughness/baseColorFactor", NULL, 4},
    {"materials/*/pbrMetallicRoughness/baseColorTexture/index", "textures", 0},
    {"materials/*/pbrMetallicRoughness/baseColorTexture/texCoord", NULL, 0},
    {"materials/*/pbrMetallicRoughness/baseColorTexture/extensions/*/texCoord", NULL, 0},
    {"materials/*/pbrMetallicRoughness/baseColorTexture/extensions/*/offset|scale", NULL, 2},
    {"materials/*/extensions/*/diffuseTexture/texCoord", NULL, 0},
    {"materials/*/extensions/*/diffuseTexture/extensions/*/texCoord", NULL, 0},
    {"materials/*/extensions/*/diffuseTexture/extensions/*/offset|scale", NULL, 2},
    {"materials/*/extensions/*/diffuseFactor", NULL, 4},
    {"materials/*/extensions/*/diffuseTexture|specularGlossinessTexture|specularColorTexture/index",
     "textures", 0},
    {"textures/*/source", "images", 0},
    {"textures/*/extensions/*/source", "images", 0},
    {"images/*/bufferView", "bufferViews", 0},
    {"accessors/*/bufferView", "bufferViews", 0},
    {"accessors/*/byteOffset|componentType|count", NULL, 0},
    {"accessors/*/sparse/count", NULL, 0},
    {"accessors/*/sparse/indices|values/bufferView", "bufferViews", 0},
    {"accessors/*/sparse/indices|values/byteOffset|componentType", NULL, 0},
    {"bufferViews/*/buffer", "buffers", 0},
    {"bufferViews/*/byteOffset|byteLength|byteStride", NULL, 0},
    {"bufferViews/*/extensions/*/buffer", "buffers", 0},
    {"bufferViews/*/extensions/*/byteOffset|byteLength|byteStride|count", NULL, 0},
    {"buffers/*/byteLength", NULL, 0},
};

static bool check_value(gltf_file *file, const json_t *value, const struct member *as,
                        const char *where)
{
    const double number = json_number_value(value);
    if (as->count == OBJECTS)
        return json_is_object(value) || gltf_fail(file, "%s: expected an object", where);
    bool is_right = json_array_size(value) == as->count;
    for (size_t i = 0; i < as->count && is_right; i++) {
        const json_t *const item = json_array_get(value, i);
        // Far beyond what MD5 takes, and far enough from overflow for products.
        is_right = json_is_number(item) && fabs(json_number_value(item)) < 1e30;
    }
    if (!is_right)
        return gltf_fail(file, "%s: expected an array of %zu numbers", where, as->count);
    if (as->count > 0)
        return true;
    // Some writers print whole numbers as 3.0.
    if (!json_is_number(value) || !(number >= 0 && number < 9e15 && number < (double)SIZE_MAX)
        || number != floor(number))
        return gltf_fail(file, "%s: expected a non-negative integer", where);
    return !as->list || number < (double)gltf_count(file, as->list)
           || gltf_fail(file, "%s: index %.0f is out of range; the file has %zu %s", where, number,
                        gltf_count(file, as->list), as->list);
}

// Checks what the path leads to from a value, which is at `where`. What is missing is right. It
// calls itself for each step of the path.
// NOLINTNEXTLINE(misc-no-recursion): as deep as a path of the table
static bool check_member(gltf_file *file, json_t *value, const struct member *as, const char *path,
                         const char *where)
{
    char inner[200];
    const size_t length = strcspn(path, "/");
    const size_t used = strlen(where);
    const char *const rest = path + length + (path[length] != '\0');
    const char *const slash = used > 0 ? "/" : "";
    if (length == 0)
        return check_value(file, value, as, where);
    if (path[0] == '*' && !json_is_array(value) && !json_is_object(value))
        return gltf_fail(file, "%s: expected an array", where);
    if (path[0] == '*') {
        for (size_t i = 0; i < json_array_size(value); i++) {
            COMMON_TEXT(inner, "%s%s%zu", where, slash, i);
            if (!check_member(file, json_array_get(value, i), as, rest, inner))
                return false;
        }
    }
    void *at = path[0] == '*' ? json_object_iter(value) : NULL;
    for (; at; at = json_object_iter_next(value, at)) {
        COMMON_TEXT(inner, "%s%s%.40s", where, slash, json_object_iter_key(at));
        if (!check_member(file, json_object_iter_value(at), as, rest, inner))
            return false;
    }
    for (size_t i = 0, end; path[0] != '*' && i < length; i = end + 1) {
        end = i + strcspn(path + i, "|/");
        COMMON_TEXT(inner, "%s%s%.*s", where, slash, (int)(end - i), path + i);
        json_t *const member = json_object_get(value, inner + used + strlen(slash));
        if (member && !check_member(file, member, as, rest, inner))
            return false;
    }
    return true;
}

// -- Buffers --------------------------------------------------------------------------------------

// Base64. Returns NULL at any other byte.
static char *decode_64(const char *text, size_t *size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = strlen(text);
    size_t used = 0;
    while (length > 0 && text[length - 1] == '=')
        length--;
    char *const bytes = common_alloc(length / 4 * 3 + 3, 1);
    uint32_t bits = 0;
    for (size_t i = 0; i < length; i++) {
        const char c = text[i] == '-' ? '+' : text[i] == '_' ? '/' : text[i];
        const char *const digit = strchr(digits, c);
        if (!digit) {
            free(bytes);
            return NULL;
        }
        bits = bits << 6 | (uint32_t)(digit - digits);
        if (i % 4 > 0) // 6 bits, then 4, 2 and none are left over
            bytes[used++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
    }
    *size = used;
    return bytes;
}

// The path that a relative URI means, below the file's folder. NULL: it leads elsewhere.
static char *decode_path(const gltf_file *file, const char *uri)
{
    char *const name = common_copy(uri);
    char *end = name;
    for (; *uri != '\0'; uri++, end++) {
        *end = *uri;
        if (*uri == '%' && isxdigit((unsigned char)uri[1]) && isxdigit((unsigned char)uri[2])) {
            *end = (char)strtol((const char[]){uri[1], uri[2], '\0'}, NULL, 16);
            uri += 2;
        }
        if ((unsigned char)*end < ' ' || *end == '\\' || *end == ':')
            *end = '/';
    }
    *end = '\0';
    char *const here = common_folder(file->path);
    char *const folder = common_absolute(here);
    char *path = common_join(folder, name);
    char *const inner = common_clean(path);
    char *const outer = common_clean(folder);
    if (!common_is_in(inner, outer)) {
        free(path);
        path = NULL;
    }
    free(inner);
    free(outer);
    free(here);
    free(folder);
    free(name);
    return path;
}

// Returns the bytes of a data URI. They are owned by the result.
static gltf_bytes decode_data(const char *uri)
{
    gltf_bytes found = {.reason = "the data URI is not valid base64"};
    const char *const comma = strchr(uri, ',');
    if (comma && comma - uri >= 7 && strncmp(comma - 7, ";base64", 7) == 0)
        found.owned = decode_64(comma + 1, &found.size);
    found.bytes = (const uint8_t *)found.owned;
    return found;
}

// Returns the bytes of a file, which is read once. Its size counts for the budget, so that a small
// .gltf file may have large buffers and images.
static gltf_bytes read_named(gltf_file *file, const char *path)
{
    const size_t count = file->paths.count;
    const size_t number = common_index_text(&file->paths, path, strlen(path));
    if (number == count) {
        file->named = common_grow(file->named, count, sizeof *file->named);
        gltf_bytes *const read = &file->named[count];
        *read = (gltf_bytes){.reason = NULL};
        read->owned = common_read_stream(path, &read->size, &read->reason);
        read->bytes = (const uint8_t *)read->owned;
        if (read->bytes)
            convert_extend_budget(file->job->budget, read->size);
    }
    gltf_bytes found = file->named[number];
    found.owned = NULL;
    return found;
}

// Returns the bytes that a URI contains or names.
static gltf_bytes resolve(gltf_file *file, const char *uri)
{
    if (!uri)
        return (gltf_bytes){.reason = "the uri is missing"};
    if (strncmp(uri, "data:", 5) == 0)
        return decode_data(uri);
    gltf_bytes found = {.reason = "the uri is not a path inside the file's folder"};
    char *const path = decode_path(file, uri);
    if (path)
        found = read_named(file, path);
    free(path);
    return found;
}

gltf_bytes gltf_image(gltf_file *file, uint32_t index, bool is_moved)
{
    gltf_bytes *const image = &file->images[index];
    const char *const uri = gltf_text(gltf_item(file, "images", index), "uri");
    if (is_moved && !image->bytes && uri)
        *image = resolve(file, common_base(uri));
    else if (!image->bytes && !image->reason)
        *image = resolve(file, uri);
    return *image;
}

// What packs a view, or says that a buffer is for those who cannot unpack. NULL: nothing.
static const json_t *find_packed(const json_t *object)
{
    return json_object_get(json_object_get(object, "extensions"), "EXT_meshopt_compression");
}

// `chunk` is the binary one of a .glb file, which the first buffer is, if that has no uri.
static bool open_buffers(gltf_file *file, gltf_bytes chunk)
{
    file->num_buffers = gltf_count(file, "buffers");
    file->buffers = common_alloc(file->num_buffers, sizeof *file->buffers);
    for (size_t i = 0; i < file->num_buffers; i++) {
        gltf_bytes *const buffer = &file->buffers[i];
        const json_t *const object = gltf_item(file, "buffers", i);
        const size_t size = size_of(object, "byteLength");
#ifdef HAS_MESHOPTIMIZER
        if (json_is_true(json_object_get(find_packed(object), "fallback")))
            continue; // for those who cannot unpack
#endif
        if (gltf_text(object, "uri")) {
            *buffer = resolve(file, gltf_text(object, "uri"));
            if (!buffer->bytes)
                return gltf_fail(file, "buffers/%zu: cannot read %.100s: %s", i,
                                 gltf_text(object, "uri"), buffer->reason);
        } else if (i == 0) {
            *buffer = chunk;
        } // else it has no bytes: perhaps nothing reads it
        if (buffer->bytes && size > buffer->size)
            return gltf_fail(file, "buffers/%zu: too short: found %zu bytes, expected %zu", i,
                             buffer->size, size);
        buffer->size = size;
    }
    return true;
}

// The bytes that a view, or what packs it, says.
static const uint8_t *find_bytes(gltf_file *file, uint32_t index, const json_t *object,
                                 size_t *size)
{
    const uint32_t number = gltf_index(object, "buffer");
    const gltf_bytes *const buffer = number == MD5_NONE ? NULL : &file->buffers[number];
    const size_t offset = size_of(object, "byteOffset");
    *size = size_of(object, "byteLength");
    if (!buffer || !buffer->bytes)
        gltf_fail(file, "bufferViews/%u: the buffer is missing or empty", index);
    else if (offset > buffer->size || *size > buffer->size - offset)
        gltf_fail(
            file,
            "bufferViews/%u: %zu bytes at offset %zu are outside buffers/%u, which has %zu bytes",
            index, *size, offset, number, buffer->size);
    else
        return buffer->bytes + offset;
    return NULL;
}

#ifdef HAS_MESHOPTIMIZER

// Unpacks a view of `size` bytes. NULL: the file is wrong.
static uint8_t *unpack(gltf_file *file, uint32_t index, const json_t *packed, size_t size)
{
    const char *mode = gltf_text(packed, "mode");
    const char *filter = gltf_text(packed, "filter");
    mode = mode ? mode : "ATTRIBUTES";
    filter = filter ? filter : "NONE";
    const bool is_list = strcmp(mode, "TRIANGLES") == 0;
    const bool is_sequence = strcmp(mode, "INDICES") == 0;
    const bool is_octahedral = strcmp(filter, "OCTAHEDRAL") == 0;
    const bool is_quaternion = strcmp(filter, "QUATERNION") == 0;
    const bool is_exponential = strcmp(filter, "EXPONENTIAL") == 0;
    const bool is_plain = strcmp(filter, "NONE") == 0;
    const size_t stride = size_of(packed, "byteStride");
    const size_t count = size_of(packed, "count");
    bool is_right = stride > 0 && size % stride == 0 && size / stride == count;
    if (is_list || is_sequence)
        is_right =
            is_right && (stride == 2 || stride == 4) && is_plain && count % (is_list ? 3 : 1) == 0;
    else
        is_right = is_right && strcmp(mode, "ATTRIBUTES") == 0 && stride % 4 == 0 && stride <= 256
                   && (is_plain || is_exponential || (is_octahedral && stride <= 8)
                       || (is_quaternion && stride == 8));
    if (!is_right) {
        gltf_fail(file,
                  "bufferViews/%u: invalid meshopt compression: %zu bytes for %zu elements of %zu "
                  "bytes, mode %.20s, filter %.20s",
                  index, size, count, stride, mode, filter);
        return NULL;
    }
    size_t there = 0;
    const uint8_t *const from = find_bytes(file, index, packed, &there);
    const size_t whole = (count + 3) / 4 * 4; // some versions filter four at once
    if (!from || !gltf_charge(file, size / 4)
        || !convert_charge_bytes(file->job, whole, stride, file->error))
        return NULL;
    uint8_t *const to = common_alloc(whole, stride);
    const int status = is_list       ? meshopt_decodeIndexBuffer(to, count, stride, from, there)
                       : is_sequence ? meshopt_decodeIndexSequence(to, count, stride, from, there)
                                     : meshopt_decodeVertexBuffer(to, count, stride, from, there);
    if (status != 0) {
        gltf_fail(file,
                  "bufferViews/%u: cannot decompress its %zu bytes: the meshopt data are damaged",
                  index, there);
        free(to);
        return NULL;
    }
    if (is_octahedral)
        meshopt_decodeFilterOct(to, whole, stride);
    else if (is_quaternion)
        meshopt_decodeFilterQuat(to, whole, stride);
    else if (is_exponential)
        meshopt_decodeFilterExp(to, whole, stride);
    return to;
}

#endif

const uint8_t *gltf_view(gltf_file *file, uint32_t index, size_t *size)
{
    const json_t *const view = gltf_item(file, "bufferViews", index);
    const json_t *const packed = find_packed(view);
#ifdef HAS_MESHOPTIMIZER
    if (packed) {
        *size = size_of(view, "byteLength");
        if (!file->unpacked[index])
            file->unpacked[index] = unpack(file, index, packed, *size);
        return file->unpacked[index];
    }
#endif
    const uint32_t number = gltf_index(view, "buffer");
    if (packed && number != MD5_NONE && !file->buffers[number].bytes) {
        gltf_fail(
            file,
            "bufferViews/%u: meshopt compression is not supported: built without meshoptimizer",
            index);
        return NULL;
    }
    return find_bytes(file, index, view, size);
}

// -- Accessors ------------------------------------------------------------------------------------

static const struct component {
    size_t code;
    size_t size;
    double top; // what a normalized value is divided by; 0: it is not
    bool is_signed;
} components[] = {
    {5126, 4, 0, false},    {5120, 1, 127, true},    {5121, 1, 255, false},
    {5122, 2, 32767, true}, {5123, 2, 65535, false}, {5125, 4, 0, false},
};
enum { FLOAT, NUM_COMPONENTS = COMMON_LENGTH(components) };

static const struct shape {
    const char *name;
    size_t width;
} shapes[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};

// Reads `count` elements of `width` numbers from where `object` says, an accessor or half of a
// sparse one, as the standard converts integers; zeros if that has no view. NULL: the file is
// wrong.
static float *read_elements(gltf_file *file, uint32_t accessor, const json_t *object, size_t code,
                            size_t count, size_t width, bool is_normalized)
{
    const struct component *type = components;
    while (type < components + NUM_COMPONENTS && type->code != code)
        type++;
    const uint32_t view = gltf_index(object, "bufferView");
    const uint8_t *bytes = NULL;
    size_t there = 0;
    size_t stride = size_of(gltf_item(file, "bufferViews", view), "byteStride");
    if (type == components + NUM_COMPONENTS)
        gltf_fail(file, "accessors/%u: unknown componentType %zu", accessor, code);
    else if (count == 0)
        gltf_fail(file, "accessors/%u: count must be at least 1", accessor);
    if (type == components + NUM_COMPONENTS || count == 0
        || (view != MD5_NONE && !(bytes = gltf_view(file, view, &there))))
        return NULL;
    const size_t offset = size_of(object, "byteOffset");
    const size_t size = width * type->size;
    const uint32_t half = 1u << (8 * type->size - 1);
    bool is_right = true;
    stride = stride > 0 ? stride : size;
    if (bytes && stride < size)
        is_right =
            gltf_fail(file, "accessors/%u: invalid byteStride for elements of %zu bytes: %zu",
                      accessor, size, stride);
    else if (bytes
             && (offset > there || size > there - offset
                 || count - 1 > (there - offset - size) / stride))
        is_right = gltf_fail(file,
                             "accessors/%u: %zu elements of %zu bytes at offset %zu are outside "
                             "bufferViews/%u, which has %zu bytes",
                             accessor, count, stride, offset, view, there);
    if (!is_right || !gltf_charge(file, count > SIZE_MAX / 64 ? SIZE_MAX : count * width)
        || !convert_charge_bytes(file->job, count, width * sizeof(float), file->error))
        return NULL;
    float *const values = common_alloc(count, width * sizeof *values);
    for (size_t i = 0; i < count * width && bytes && is_right; i++) {
        const uint32_t bits =
            common_number(bytes + offset + i / width * stride + i % width * type->size, type->size);
        const double number = type->is_signed && bits >= half ? bits - 2.0 * half : bits;
        values[i] =
            (float)(is_normalized && type->top > 0 ? fmax(number / type->top, -1) // -128 too is -1
                                                   : number);
        if (type == &components[FLOAT])
            memcpy(&values[i], &bits, sizeof bits);
        if (!(fabsf(values[i]) < 1e30f))
            is_right = gltf_fail(file, "accessors/%u: element %zu is not a finite number", accessor,
                                 i / width);
    }
    if (is_right)
        return values;
    free(values);
    return NULL;
}

// Reads all values of an accessor, of which a sparse one replaces some elements.
static float *read_values(gltf_file *file, uint32_t index, const json_t *object, size_t width,
                          size_t count)
{
    enum { MAX_ELEMENTS = 1 << 24 }; // whose indices floats tell apart
    const bool is_normalized = json_is_true(json_object_get(object, "normalized"));
    const json_t *const sparse = json_object_get(object, "sparse");
    const json_t *const places = json_object_get(sparse, "indices");
    const size_t code = size_of(object, "componentType");
    const size_t num_sparse = size_of(sparse, "count");
    float *const values = read_elements(file, index, object, code, count, width, is_normalized);
    if (!values || !sparse)
        return values;
    bool is_right = (num_sparse <= count && count <= MAX_ELEMENTS)
                    || gltf_fail(file, "accessors/%u/sparse: invalid count: %zu of %zu elements",
                                 index, num_sparse, count);
    float *const at = is_right
                          ? read_elements(file, index, places, size_of(places, "componentType"),
                                          num_sparse, 1, false)
                          : NULL;
    float *const others = at ? read_elements(file, index, json_object_get(sparse, "values"), code,
                                             num_sparse, width, is_normalized)
                             : NULL;
    is_right = others;
    for (size_t i = 0; i < num_sparse && is_right; i++) {
        is_right =
            (at[i] >= 0 && at[i] < (float)count)
            || gltf_fail(
                file,
                "accessors/%u/sparse: index %.9g is out of range; the accessor has %zu elements",
                index, at[i], count);
        if (is_right)
            memcpy(values + (size_t)at[i] * width, others + i * width, width * sizeof *values);
    }
    free(at);
    free(others);
    if (is_right)
        return values;
    free(values);
    return NULL;
}

const float *gltf_read(gltf_file *file, uint32_t index, gltf_shape shape, size_t *count)
{
    const json_t *const object = gltf_item(file, "accessors", index);
    const char *const type = gltf_text(object, "type");
    *count = size_of(object, "count");
    if (file->is_draco && !json_object_get(object, "bufferView")) {
        gltf_fail(file,
                  "accessors/%u: compression %s is not supported; import the file into Blender and "
                  "export it without compression",
                  index, DRACO);
        return NULL;
    }
    if (!type || strcmp(type, shapes[shape].name) != 0) {
        gltf_fail(file, "accessors/%u: wrong type: expected %s", index, shapes[shape].name);
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

// Beginnings of extensions that a file may require: they are understood, or change nothing of what
// is read.
static const char *const known[] = {
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
    DRACO,
};

// Refuses what would be read wrong, such as instances. What Draco packs some files have unpacked,
// too.
static bool knows_extensions(gltf_file *file)
{
    const json_t *const list = json_object_get(file->root, "extensionsRequired");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *const name = json_string_value(json_array_get(list, i));
        bool is_known = false;
        if (name) {
            for (size_t k = 0; k < COMMON_LENGTH(known); k++)
                is_known |= strncmp(name, known[k], strlen(known[k])) == 0;
        }
        if (!is_known)
            return gltf_fail(
                file, "required extension %.80s is not supported; export the file without it",
                name ? name : "?");
        file->is_draco |= strcmp(name, DRACO) == 0;
    }
    return true;
}

static const char old_format[] = "; convert the file to glTF 2.0";

// Finds the chunks of a .glb file.
static bool open_chunks(gltf_file *file, const uint8_t *bytes, size_t size, gltf_bytes *text,
                        gltf_bytes *binary)
{
    if (size < 20)
        return gltf_fail(file, "truncated file: the header is incomplete");
    if (common_number(bytes + 4, 4) != 2)
        return gltf_fail(file, "unsupported GLB version %u: expected 2%s",
                         common_number(bytes + 4, 4),
                         common_number(bytes + 4, 4) == 1 ? old_format : "");
    for (size_t at = 12; at + 8 <= size;) {
        const size_t length = common_number(bytes + at, 4);
        const bool is_text = memcmp(bytes + at + 4, "JSON", 4) == 0;
        gltf_bytes other = {.bytes = NULL};
        gltf_bytes *const chunk = is_text                                 ? text
                                  : memcmp(bytes + at + 4, "BIN", 4) == 0 ? binary
                                                                          : &other;
        at += 8;
        if (length > size - at)
            return gltf_fail(file, "truncated file: the %s chunk has %zu of %zu bytes",
                             is_text ? "JSON" : "binary", size - at, length);
        if (!chunk->bytes)
            *chunk = (gltf_bytes){.bytes = bytes + at, .size = length};
        at += length;
    }
    return text->bytes || gltf_fail(file, "the JSON chunk is missing");
}

// Parses the text and checks what is read of it.
static bool open_json(gltf_file *file, gltf_bytes text)
{
    json_error_t where;
    file->root = json_loadb((const char *)text.bytes, text.size, JSON_REJECT_DUPLICATES, &where);
    if (!file->root) {
        gltf_fail(file, "JSON: %.150s", where.text);
        file->error->line = where.line > 0 ? (uint32_t)where.line : 0;
        file->error->column = where.column > 0 ? (uint32_t)where.column : 0;
        return false;
    }
    // First, as 1.0 has objects where 2.0 has lists; its early files do not say a version.
    const char *const version = gltf_text(json_object_get(file->root, "asset"), "version");
    const bool is_old =
        version ? version[0] < '2' : json_is_object(json_object_get(file->root, "meshes"));
    if (!version || strncmp(version, "2.", 2) != 0)
        return gltf_fail(file, "unsupported asset.version %.20s: expected 2.0%s",
                         version ? version : "missing", is_old ? old_format : "");
    for (size_t i = 0; i < COMMON_LENGTH(members); i++) {
        const struct member *const member = &members[i];
        if (!check_member(file, file->root, member, member->path, ""))
            return false;
    }
    return true;
}

bool gltf_open(gltf_file *file, const convert_job *job, const convert_input *input,
               md5_error *error)
{
    *file = (gltf_file){.job = job, .error = error, .path = input->path};
    const uint8_t *const bytes = (const uint8_t *)input->bytes;
    gltf_bytes text = {.bytes = bytes, .size = input->size};
    gltf_bytes binary = {.bytes = NULL};
    size_t start = 0; // of the text
    if (input->size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        start = 3; // a byte order mark, which the standard forbids and editors write
    text.bytes += start;
    text.size -= start;
    while (start < input->size && strchr(" \t\r\n", bytes[start]) && bytes[start] != 0)
        start++;
    if (input->size >= 4 && memcmp(bytes, "glTF", 4) == 0) {
        text.bytes = NULL;
        if (!open_chunks(file, bytes, input->size, &text, &binary))
            return false;
    } else if (start == input->size) {
        return gltf_fail(file, "not a glTF file: the file is empty");
    } else if (bytes[start] != '{') {
        char seen[16] = "";
        for (size_t i = 0; i < 4 && start + i < input->size; i++)
            snprintf(seen + 3 * i, 4, " %02x", bytes[start + i]);
        return gltf_fail(file, "not a glTF file: it starts with%s; expected 'glTF' or '{'", seen);
    }
    if (!open_json(file, text) || !knows_extensions(file) || !open_buffers(file, binary))
        return false;
    file->images = common_alloc(gltf_count(file, "images"), sizeof *file->images);
    file->values = common_alloc(gltf_count(file, "accessors"), sizeof *file->values);
    file->unpacked = common_alloc(gltf_count(file, "bufferViews"), sizeof *file->unpacked);
    return true;
}

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
    for (size_t i = 0; file->images && i < gltf_count(file, "images"); i++)
        free(file->images[i].owned);
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
