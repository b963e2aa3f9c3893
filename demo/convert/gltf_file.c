// The container of glTF: .glb and .gltf, JSON, buffers, views, accessors. All checks of them.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON

#include "demo/common/file.h"
#include "demo/convert/gltf_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- JSON -----------------------------------------------------------------------------------------

size_t gltf_count(const gltf_file *file, const char *list)
{
    return json_array_size(json_object_get(file->root, list));
}

const json_t *gltf_item(const gltf_file *file, const char *list, size_t index)
{
    return json_array_get(json_object_get(file->root, list), index);
}

const json_t *gltf_array(const json_t *object, const char *key, size_t *count)
{
    const json_t *const array = json_object_get(object, key);
    *count = json_array_size(array);
    return json_is_array(array) ? array : NULL;
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

// Whole numbers from 0: some writers print them as 3.0.
static bool as_size(const json_t *value, size_t *size)
{
    const double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= 0.0 && number < 9e15) || number != floor(number))
        return false;
    *size = (size_t)number;
    return (double)*size == number;
}

bool gltf_get_size(gltf_file *file, const char *where, const json_t *object, const char *key,
                   size_t missing, size_t *size)
{
    const json_t *const value = json_object_get(object, key);
    *size = missing;
    return value == NULL || as_size(value, size)
           || gltf_fail(file, "%s: %s is no whole number from 0", where, key);
}

bool gltf_as_index(gltf_file *file, const char *where, const char *key, const json_t *value,
                   const char *list, uint32_t *index)
{
    size_t number = 0;
    const size_t count = gltf_count(file, list);
    if (!as_size(value, &number))
        return gltf_fail(file, "%s: %s is no index of %s", where, key, list);
    if (number >= count || number >= MD5_NONE)
        return gltf_fail(file, "%s: %s is %zu, but the file has %zu %s", where, key, number, count,
                         list);
    *index = (uint32_t)number;
    return true;
}

bool gltf_get_index(gltf_file *file, const char *where, const json_t *object, const char *key,
                    const char *list, uint32_t *index)
{
    const json_t *const value = json_object_get(object, key);
    *index = MD5_NONE;
    return value == NULL || gltf_as_index(file, where, key, value, list, index);
}

bool gltf_get_numbers(gltf_file *file, const char *where, const json_t *object, const char *key,
                      size_t count, double *numbers)
{
    const json_t *const array = json_object_get(object, key);
    bool is_right = array == NULL || json_array_size(array) == count;
    for (size_t i = 0; array != NULL && is_right && i < count; i++) {
        const json_t *const value = json_array_get(array, i);
        numbers[i] = json_number_value(value);
        // Far beyond what MD5 takes, and far enough from overflow for products.
        is_right = json_is_number(value) && fabs(numbers[i]) < 1e30;
    }
    return is_right || gltf_fail(file, "%s: %s is not %zu numbers", where, key, count);
}

// -- Buffers --------------------------------------------------------------------------------------

static int digit_of_64(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

// Base64. Returns NULL at any other byte.
static char *decode_64(const char *text, size_t *size)
{
    size_t length = strlen(text), used = 0;
    while (length > 0 && text[length - 1] == '=')
        length--;
    char *const bytes = common_alloc(length / 4 * 3 + 3, 1);
    uint32_t bits = 0;
    for (size_t i = 0; i < length; i++) {
        const int digit = digit_of_64(text[i]);
        if (digit < 0) {
            free(bytes);
            return NULL;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 > 0) // 6 bits, then 4, 2 and none are left over
            bytes[used++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
    }
    *size = used;
    return bytes;
}

static int digit_of_16(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// The path of a relative URI below the file's folder. NULL: it leads elsewhere.
static char *decode_path(const char *uri)
{
    char *const path = common_copy(uri);
    size_t used = 0;
    for (const char *c = uri; *c != '\0'; c++) {
        path[used] = *c;
        if (*c == '%' && digit_of_16(c[1]) >= 0 && digit_of_16(c[2]) >= 0) {
            path[used] = (char)(digit_of_16(c[1]) * 16 + digit_of_16(c[2]));
            c += 2;
        }
        if ((unsigned char)path[used++] < ' ')
            path[0] = '/'; // as a path that is refused
    }
    path[used] = '\0';
    bool is_below = path[0] != '\0' && path[0] != '/' && strpbrk(path, "\\:") == NULL;
    for (const char *part = path; is_below && part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        is_below = !(part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == '\0'));
    }
    if (is_below)
        return path;
    free(path);
    return NULL;
}

const uint8_t *gltf_resolve(gltf_file *file, const json_t *object, size_t *size, char **owned,
                            const char **reason)
{
    const char *const uri = gltf_text(object, "uri");
    *owned = NULL;
    *reason = "it has no uri";
    if (uri == NULL)
        return NULL;
    if (strncmp(uri, "data:", 5) == 0) {
        const char *const comma = strchr(uri, ',');
        const bool is_64 =
            comma != NULL && comma - uri >= 7 && strncmp(comma - 7, ";base64", 7) == 0;
        *owned = is_64 ? decode_64(comma + 1, size) : NULL;
        *reason = "its data URI is not base64";
        return (const uint8_t *)*owned;
    }
    char *const relative = decode_path(uri);
    *reason = "its uri leads out of the file's folder, or is none of a file";
    if (relative == NULL)
        return NULL;
    char *const folder = common_folder(file->path), *const path = common_join(folder, relative);
    *owned = common_read_stream(path, size, reason);
    free(relative);
    free(folder);
    free(path);
    return (const uint8_t *)*owned;
}

#define MOST_BYTES 4e9 // of all buffers

// `chunk` is the binary one of a .glb file, which the first buffer is, if that has no uri.
static bool open_buffers(gltf_file *file, gltf_buffer chunk)
{
    file->num_buffers = gltf_count(file, "buffers");
    file->buffers = common_alloc(file->num_buffers, sizeof *file->buffers);
    for (size_t i = 0; i < file->num_buffers; i++) {
        gltf_buffer *const buffer = &file->buffers[i];
        const json_t *const object = gltf_item(file, "buffers", i);
        char where[48];
        (void)snprintf(where, sizeof where, "buffers/%zu", i);
        size_t size = 0;
        if (!gltf_get_size(file, where, object, "byteLength", 0, &size))
            return false;
        if (json_object_get(object, "uri") == NULL) {
            if (i == 0)
                *buffer = chunk;
            else
                buffer->size = size; // without bytes: perhaps nothing reads it
        } else {
            const char *reason = NULL;
            buffer->bytes = gltf_resolve(file, object, &buffer->size, &buffer->owned, &reason);
            if (buffer->bytes == NULL)
                return gltf_fail(file, "%s: %s", where, reason);
            file->size += buffer->size;
            if ((double)file->size > MOST_BYTES)
                return gltf_fail(file, "%s: the buffers are too large", where);
        }
        if (buffer->bytes != NULL && size > buffer->size)
            return gltf_fail(file, "%s: %zu bytes are there, and %zu expected", where, buffer->size,
                             size);
        buffer->size = size;
    }
    return true;
}

// Checks that views lie in their buffers.
static bool open_views(gltf_file *file)
{
    file->num_views = gltf_count(file, "bufferViews");
    file->views = common_alloc(file->num_views, sizeof *file->views);
    for (size_t i = 0; i < file->num_views; i++) {
        gltf_view *const view = &file->views[i];
        const json_t *const object = gltf_item(file, "bufferViews", i);
        char where[48];
        uint32_t buffer = MD5_NONE;
        size_t offset = 0;
        (void)snprintf(where, sizeof where, "bufferViews/%zu", i);
        if (!gltf_get_index(file, where, object, "buffer", "buffers", &buffer)
            || !gltf_get_size(file, where, object, "byteOffset", 0, &offset)
            || !gltf_get_size(file, where, object, "byteLength", 0, &view->size)
            || !gltf_get_size(file, where, object, "byteStride", 0, &view->stride))
            return false;
        if (buffer == MD5_NONE)
            return gltf_fail(file, "%s: it has no buffer", where);
        const gltf_buffer *const in = &file->buffers[buffer];
        if (offset > in->size || view->size > in->size - offset)
            return gltf_fail(file, "%s: %zu bytes at %zu, but buffers/%u has %zu", where,
                             view->size, offset, buffer, in->size);
        view->bytes = in->bytes ? in->bytes + offset : NULL;
    }
    return true;
}

// -- Accessors ------------------------------------------------------------------------------------

static const struct component {
    int code;
    size_t size;
    double top; // what a normalized value is divided by; 0: it is not
} components[] = {
    {5126, 4, 0.0},     {5120, 1, 127.0},   {5121, 1, 255.0},
    {5122, 2, 32767.0}, {5123, 2, 65535.0}, {5125, 4, 0.0},
};
enum { FLOAT, BYTE, UBYTE, SHORT, USHORT, UINT, NUM_COMPONENTS };

static const struct shape {
    const char *name;
    size_t width;
} shapes[] = {
    [GLTF_SCALAR] = {"SCALAR", 1}, [GLTF_VEC2] = {"VEC2", 2},  [GLTF_VEC3] = {"VEC3", 3},
    [GLTF_VEC4] = {"VEC4", 4},     [GLTF_MAT4] = {"MAT4", 16}, [GLTF_OTHER] = {"", 1},
};

// The row of a component type.
static bool get_type(gltf_file *file, const char *where, const json_t *object, int *type)
{
    size_t code = 0;
    if (!gltf_get_size(file, where, object, "componentType", 0, &code))
        return false;
    for (*type = 0; *type < NUM_COMPONENTS; ++*type)
        if ((size_t)components[*type].code == code)
            return true;
    return gltf_fail(file, "%s: componentType %zu is none of glTF", where, code);
}

// Whether `count` elements of `size` bytes, `stride` apart, are in a view.
static bool fits(gltf_file *file, const char *where, uint32_t index, size_t offset, size_t count,
                 size_t stride, size_t size)
{
    const size_t there = file->views[index].size;
    if (offset <= there && size <= there - offset && count - 1 <= (there - offset - size) / stride)
        return true;
    return gltf_fail(file, "%s: %zu elements of %zu bytes at %zu, but bufferViews/%u has %zu bytes",
                     where, count, stride, offset, index, there);
}

// Sparse accessors replace some elements of another array, or of zeros.
static bool open_sparse(gltf_file *file, const char *where, const json_t *object, size_t size,
                        gltf_accessor *accessor)
{
    char inner[64];
    const json_t *const indices = json_object_get(object, "indices");
    const json_t *const values = json_object_get(object, "values");
    (void)snprintf(inner, sizeof inner, "%s/sparse", where);
    if (!gltf_get_size(file, inner, object, "count", 0, &accessor->num_sparse)
        || !gltf_get_index(file, inner, indices, "bufferView", "bufferViews", &accessor->index_view)
        || !gltf_get_size(file, inner, indices, "byteOffset", 0, &accessor->index_offset)
        || !get_type(file, inner, indices, &accessor->index_type)
        || !gltf_get_index(file, inner, values, "bufferView", "bufferViews", &accessor->value_view)
        || !gltf_get_size(file, inner, values, "byteOffset", 0, &accessor->value_offset))
        return false;
    const size_t index_size = components[accessor->index_type].size;
    if (accessor->num_sparse == 0 || accessor->num_sparse > accessor->count
        || accessor->index_view == MD5_NONE || accessor->value_view == MD5_NONE
        || (accessor->index_type != UBYTE && accessor->index_type != USHORT
            && accessor->index_type != UINT))
        return gltf_fail(file, "%s: it is not 1 to %zu indices and values", inner, accessor->count);
    return fits(file, inner, accessor->index_view, accessor->index_offset, accessor->num_sparse,
                index_size, index_size)
           && fits(file, inner, accessor->value_view, accessor->value_offset, accessor->num_sparse,
                   size, size);
}

// Checks that all elements lie in the view, so that reading them needs no checks but of indices.
static bool open_accessor(gltf_file *file, size_t index)
{
    gltf_accessor *const accessor = &file->accessors[index];
    const json_t *const object = gltf_item(file, "accessors", index);
    const json_t *const sparse = json_object_get(object, "sparse");
    char where[48];
    (void)snprintf(where, sizeof where, "accessors/%zu", index);
    if (!gltf_get_index(file, where, object, "bufferView", "bufferViews", &accessor->view)
        || !gltf_get_size(file, where, object, "byteOffset", 0, &accessor->offset)
        || !gltf_get_size(file, where, object, "count", 0, &accessor->count)
        || !get_type(file, where, object, &accessor->type))
        return false;
    const char *const shape = gltf_text(object, "type");
    accessor->shape = GLTF_SCALAR;
    while (accessor->shape < GLTF_OTHER
           && (shape == NULL || strcmp(shape, shapes[accessor->shape].name) != 0))
        accessor->shape++;
    accessor->is_normalized = json_is_true(json_object_get(object, "normalized"));
    if (accessor->count == 0)
        return gltf_fail(file, "%s: it has no elements", where);
    const size_t size = shapes[accessor->shape].width * components[accessor->type].size;
    accessor->stride = size;
    if (accessor->view != MD5_NONE) {
        const gltf_view *const view = &file->views[accessor->view];
        if (view->stride != 0)
            accessor->stride = view->stride;
        if (accessor->stride < size)
            return gltf_fail(file, "%s: elements of %zu bytes are %zu apart", where, size,
                             accessor->stride);
        if (!fits(file, where, accessor->view, accessor->offset, accessor->count, accessor->stride,
                  size))
            return false;
    }
    return sparse == NULL || open_sparse(file, where, sparse, size, accessor);
}

// Little-endian, at any address.
static uint32_t whole_number(const uint8_t *bytes, int type)
{
    return type == UBYTE || type == BYTE ? bytes[0]
           : type == USHORT || type == SHORT
               ? (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8
               : (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
                     | (uint32_t)bytes[3] << 24;
}

// As the standard converts normalized integers.
static float component_value(const uint8_t *bytes, int type, bool is_normalized)
{
    const uint32_t bits = whole_number(bytes, type);
    float value = 0.0f;
    if (type == FLOAT) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    const double number = type == BYTE    ? (double)(int8_t)bits
                          : type == SHORT ? (double)(int16_t)bits
                                          : (double)bits;
    const double top = components[type].top;
    if (!is_normalized || top == 0.0)
        return (float)number;
    return (float)(number < -top ? -1.0 : number / top); // -128 too is -1
}

// The bytes of a view that something reads.
static const uint8_t *view_bytes(gltf_file *file, uint32_t accessor, uint32_t view)
{
    if (file->views[view].bytes == NULL)
        (void)gltf_fail(file, "accessors/%u: bufferViews/%u lies in a buffer without bytes",
                        accessor, view);
    return file->views[view].bytes;
}

// Calls of this spend what they are about to read.
static bool read_values(gltf_file *file, uint32_t index, float *values)
{
    const gltf_accessor *const accessor = &file->accessors[index];
    const size_t width = shapes[accessor->shape].width, size = components[accessor->type].size;
    const bool is_normalized = accessor->is_normalized;
    if (accessor->view != MD5_NONE) {
        const uint8_t *const bytes = view_bytes(file, index, accessor->view);
        if (bytes == NULL)
            return false;
        for (size_t i = 0; i < accessor->count; i++) {
            const uint8_t *const element = bytes + accessor->offset + i * accessor->stride;
            for (size_t k = 0; k < width; k++)
                values[i * width + k] =
                    component_value(element + k * size, accessor->type, is_normalized);
        }
    }
    if (accessor->num_sparse > 0) {
        const uint8_t *indices = view_bytes(file, index, accessor->index_view);
        const uint8_t *from = view_bytes(file, index, accessor->value_view);
        if (indices == NULL || from == NULL)
            return false;
        indices += accessor->index_offset;
        from += accessor->value_offset;
        for (size_t i = 0; i < accessor->num_sparse; i++) {
            const size_t at = whole_number(indices, accessor->index_type);
            if (at >= accessor->count)
                return gltf_fail(file, "accessors/%u/sparse: index %zu of %zu elements", index, at,
                                 accessor->count);
            for (size_t k = 0; k < width; k++, from += size)
                values[at * width + k] = component_value(from, accessor->type, is_normalized);
            indices += components[accessor->index_type].size;
        }
    }
    for (size_t i = 0; i < accessor->count * width; i++)
        if (!(fabsf(values[i]) < 1e30f))
            return gltf_fail(file, "accessors/%u: element %zu is no finite number", index,
                             i / width);
    return true;
}

const float *gltf_read(gltf_file *file, uint32_t index, gltf_shape shape)
{
    gltf_accessor *const accessor = &file->accessors[index];
    if (accessor->shape != shape) {
        (void)gltf_fail(file, "accessors/%u: expected elements of type %s", index,
                        shapes[shape].name);
        return NULL;
    }
    const size_t width = shapes[shape].width;
    if (accessor->values == NULL) {
        if (accessor->count > SIZE_MAX / 64 || !gltf_spend(file, accessor->count * width))
            return NULL;
        float *const values = common_alloc(accessor->count, width * sizeof *values);
        if (!read_values(file, index, values)) {
            free(values);
            return NULL;
        }
        accessor->values = values;
    }
    return accessor->values;
}

uint32_t *gltf_read_indices(gltf_file *file, uint32_t index)
{
    const gltf_accessor *const accessor = &file->accessors[index];
    const int type = accessor->type;
    if (accessor->shape != GLTF_SCALAR || accessor->view == MD5_NONE || accessor->num_sparse > 0
        || (type != UBYTE && type != USHORT && type != UINT)) {
        (void)gltf_fail(file, "accessors/%u: expected whole numbers as indices", index);
        return NULL;
    }
    const uint8_t *const bytes = view_bytes(file, index, accessor->view);
    if (bytes == NULL || !gltf_spend(file, accessor->count))
        return NULL;
    uint32_t *const indices = common_alloc(accessor->count, sizeof *indices);
    for (size_t i = 0; i < accessor->count; i++)
        indices[i] = whole_number(bytes + accessor->offset + i * accessor->stride, type);
    return indices;
}

// -- Files ----------------------------------------------------------------------------------------

bool gltf_spend(gltf_file *file, size_t count)
{
    if (count > file->budget)
        return gltf_fail(file, "it asks for far more numbers than a file of %zu bytes should",
                         file->size);
    file->budget -= count;
    return true;
}

// Extensions that a file may require and that change nothing of what is read, or are understood.
static const char *const known[] = {
    "KHR_mesh_quantization", "KHR_texture_transform", "KHR_materials_",
    "KHR_lights_punctual",   "KHR_texture_basisu",    "EXT_texture_webp",
};

// Refuses what would be read wrong, such as compressed meshes.
static bool knows_extensions(gltf_file *file)
{
    size_t count = 0;
    const json_t *const list = gltf_array(file->root, "extensionsRequired", &count);
    for (size_t i = 0; i < count; i++) {
        const char *const name = json_string_value(json_array_get(list, i));
        bool is_known = false;
        for (size_t k = 0; name != NULL && k < sizeof known / sizeof known[0]; k++)
            is_known |= strncmp(name, known[k], strlen(known[k])) == 0;
        if (!is_known)
            return gltf_fail(file, "it requires the extension %.80s, which is not read",
                             name ? name : "?");
    }
    return true;
}

// Finds the chunks of a .glb file.
static bool open_chunks(gltf_file *file, const uint8_t *bytes, size_t size, gltf_buffer *text,
                        gltf_buffer *binary)
{
    if (size < 20)
        return gltf_fail(file, "the file ends inside its header");
    if (whole_number(bytes + 4, UINT) != 2)
        return gltf_fail(file, "version %u of the container; expected 2",
                         whole_number(bytes + 4, UINT));
    for (size_t at = 12; at + 8 <= size;) {
        const size_t length = whole_number(bytes + at, UINT);
        const bool is_text = memcmp(bytes + at + 4, "JSON", 4) == 0;
        gltf_buffer *const chunk = is_text                                 ? text
                                   : memcmp(bytes + at + 4, "BIN", 4) == 0 ? binary
                                                                           : NULL;
        at += 8;
        if (length > size - at)
            return gltf_fail(file, "the file ends inside the %s chunk: %zu of %zu bytes are there",
                             is_text ? "JSON" : "binary", size - at, length);
        if (chunk != NULL && chunk->bytes == NULL)
            *chunk = (gltf_buffer){.bytes = bytes + at, .size = length};
        at += length;
    }
    return text->bytes != NULL || gltf_fail(file, "it has no JSON chunk");
}

// Parses the text and checks that the lists of the standard are lists of objects.
static bool open_json(gltf_file *file, gltf_buffer text)
{
    static const char *const lists[] = {
        "accessors", "animations", "buffers",  "bufferViews", "cameras", "images",  "materials",
        "meshes",    "nodes",      "samplers", "scenes",      "skins",   "textures"};
    json_error_t where;
    file->root = json_loadb((const char *)text.bytes, text.size, JSON_REJECT_DUPLICATES, &where);
    if (file->root == NULL) {
        (void)gltf_fail(file, "JSON: %.150s", where.text);
        file->error->line = where.line > 0 ? (uint32_t)where.line : 0;
        file->error->column = where.column > 0 ? (uint32_t)where.column : 0;
        return false;
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const json_t *const list = json_object_get(file->root, lists[i]);
        bool is_right = list == NULL || json_is_array(list);
        for (size_t k = 0; k < json_array_size(list) && is_right; k++)
            is_right = json_is_object(json_array_get(list, k));
        if (!is_right)
            return gltf_fail(file, "%s is no list of objects", lists[i]);
    }
    const char *const version = gltf_text(json_object_get(file->root, "asset"), "version");
    if (version == NULL || strncmp(version, "2.", 2) != 0)
        return gltf_fail(file, "its asset.version is %.20s; expected 2.0",
                         version ? version : "missing");
    return true;
}

bool gltf_open(gltf_file *file, const convert_job *job, const convert_input *input,
               md5_error *error)
{
    enum { FREE_NUMBERS = 1 << 22, NUMBERS_IN_BYTE = 16 };
    *file = (gltf_file){.job = job, .error = error, .path = input->path, .size = input->size};
    const uint8_t *const bytes = (const uint8_t *)input->bytes;
    gltf_buffer text = {.bytes = bytes, .size = input->size}, binary = {.bytes = NULL};
    if (input->size >= 4 && memcmp(bytes, "glTF", 4) == 0) {
        text.bytes = NULL;
        if (!open_chunks(file, bytes, input->size, &text, &binary))
            return false;
    } else if (input->size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        text.bytes += 3; // a byte order mark, which the standard forbids and editors write
        text.size -= 3;
    }
    if (!open_json(file, text) || !knows_extensions(file) || !open_buffers(file, binary)
        || !open_views(file))
        return false;
    file->budget = FREE_NUMBERS + (file->size < SIZE_MAX / 32 ? NUMBERS_IN_BYTE * file->size : 0);
    file->num_accessors = gltf_count(file, "accessors");
    file->accessors = common_alloc(file->num_accessors, sizeof *file->accessors);
    for (size_t i = 0; i < file->num_accessors; i++)
        if (!open_accessor(file, i))
            return false;
    return true;
}

void gltf_close(gltf_file *file)
{
    for (size_t i = 0; i < file->num_accessors && file->accessors != NULL; i++)
        free(file->accessors[i].values);
    for (size_t i = 0; i < file->num_buffers && file->buffers != NULL; i++)
        free(file->buffers[i].owned);
    free(file->accessors);
    free(file->views);
    free(file->buffers);
    json_decref(file->root);
}

#endif
