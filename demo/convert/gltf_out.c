// A glTF file as it grows. JSON is made by jansson, whose failures are kept until the end: a value
// that could not be made would be missing without a word.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON
#include "demo/convert/gltf_out.h"

#include "demo/common/file.h"

#include <stdlib.h>
#include <string.h>

static const char *const list_keys[GLTF_NUM_LISTS] = {
    "nodes",   "skins",      "meshes",    "materials",   "textures",       "images",
    "cameras", "animations", "accessors", "bufferViews", "extensionsUsed", "extensionsRequired",
};

static const struct {
    int stride; // bytes of an element
    int target; // what the view is for, or 0
} streams[GLTF_NUM_STREAMS] = {
    {4, 34962}, {8, 34962}, {12, 34962}, {16, 34962}, {2, 34963}, {4, 34963},
    {64, 0},    {4, 0},     {4, 0},      {12, 0},     {16, 0},    {4, 0},
};

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

size_t gltf_add(gltf_out *out, gltf_list list, json_t *value)
{
    return gltf_append(out, out->lists[list], value);
}

size_t gltf_num_added(const gltf_out *out, gltf_list list)
{
    return json_array_size(out->lists[list]);
}

void gltf_use_extension(gltf_out *out, const char *name)
{
    bool is_new;
    gltf_look_up(out, 'e', name, &is_new);
    if (is_new)
        gltf_add(out, GLTF_EXTENSIONS, json_string(name));
}

json_t *gltf_whole(size_t value)
{
    return json_integer((json_int_t)value);
}

json_t *gltf_floats(const float *values, size_t count)
{
    json_t *const array = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(array, json_real((double)values[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

// Names in MD5 files are bytes. Most are ASCII; what is not UTF-8 is likely Latin-1 of old
// programs.
static char *utf8(const char *text)
{
    json_t *const string = json_string(text);
    if (string != NULL) {
        json_decref(string);
        return common_copy(text);
    }
    char *const wide = common_alloc(2 * strlen(text) + 1, 1), *end = wide;
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c >= 0x80)
            *end++ = (char)(0xc0 | c >> 6);
        *end++ = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
    }
    return wide;
}

json_t *gltf_string(const char *text)
{
    char *const clean = utf8(text);
    json_t *const value = json_string(clean);
    free(clean);
    return value;
}

// What a URI may not hold becomes %XX.
json_t *gltf_uri(const char *name)
{
    char *const text = common_alloc(3 * strlen(name) + 1, 1), *end = text;
    for (; *name != '\0'; name++) {
        const unsigned char c = (unsigned char)*name;
        const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
                              || (c >= 'A' && c <= 'Z') || strchr("-._~", c) != NULL;
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

static void add_bytes(gltf_bytes *to, const void *data, size_t size)
{
    if (to->room - to->size < size) {
        to->room = 2 * (to->size + size) + 1024;
        to->data = common_realloc(to->data, to->room, 1);
    }
    if (size > 0)
        memcpy(to->data + to->size, data, size);
    to->size += size;
}

// Little endian on any machine.
static void add_word(gltf_bytes *to, uint32_t value, size_t size)
{
    const uint8_t word[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                             (uint8_t)(value >> 24)};
    add_bytes(to, word, size);
}

static void pad(gltf_bytes *to, char filler)
{
    while (to->size % 4 != 0)
        add_bytes(to, &filler, 1);
}

size_t gltf_add_values(gltf_out *out, gltf_stream stream, int type, const void *values,
                       size_t count, size_t columns)
{
    gltf_bytes *const bytes = &out->streams[stream];
    const size_t begin = bytes->size;
    const size_t size = type <= GLTF_UBYTE ? 1 : type <= GLTF_USHORT ? 2 : 4;
    if (out->views[stream] == NULL) {
        out->views[stream] = json_object();
        out->view_numbers[stream] = (int)gltf_add(out, GLTF_VIEWS, json_incref(out->views[stream]));
    }
    for (size_t i = 0; i < count * columns; i++) {
        uint32_t value;
        memcpy(&value, (const char *)values + 4 * i, 4);
        add_word(bytes, value, size);
        if ((i + 1) % columns == 0 && streams[stream].target != 34963)
            pad(bytes, 0);
    }
    return begin;
}

void gltf_put_bounds(gltf_out *out, size_t accessor, const float *low, const float *high,
                     size_t columns)
{
    json_t *const object = json_array_get(out->lists[GLTF_ACCESSORS], accessor);
    gltf_put(out, object, "min", gltf_floats(low, columns));
    gltf_put(out, object, "max", gltf_floats(high, columns));
}

size_t gltf_add_accessor(gltf_out *out, gltf_stream stream, int type, const void *values,
                         size_t count, size_t columns, gltf_use use)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    uint32_t *whole = NULL;
    if (use != GLTF_PLAIN && type != GLTF_FLOAT) {
        whole = common_alloc(count * columns, sizeof *whole);
        for (size_t i = 0; i < count * columns; i++)
            whole[i] = (uint32_t)(int32_t)((const float *)values)[i];
    }
    const size_t begin =
        gltf_add_values(out, stream, type, whole ? (const void *)whole : values, count, columns);
    free(whole);
    json_t *const accessor =
        json_pack("{s:i, s:I, s:i, s:I, s:s}", "bufferView", out->view_numbers[stream],
                  "byteOffset", (json_int_t)begin, "componentType", type, "count",
                  (json_int_t)count, "type", columns == 16 ? "MAT4" : types[columns]);
    const size_t index = gltf_add(out, GLTF_ACCESSORS, accessor);
    if (use == GLTF_NORMALIZED && type != GLTF_FLOAT)
        gltf_put(out, accessor, "normalized", json_true());
    if (use == GLTF_BOUNDED) {
        float low[4], high[4];
        for (size_t c = 0; c < columns; c++) {
            low[c] = high[c] = ((const float *)values)[c];
            for (size_t i = 1; i < count; i++) {
                const float value = ((const float *)values)[i * columns + c];
                low[c] = value < low[c] ? value : low[c];
                high[c] = value > high[c] ? value : high[c];
            }
        }
        gltf_put_bounds(out, index, low, high, columns);
    }
    return index;
}

size_t gltf_add_picture(gltf_out *out, const void *bytes, size_t size)
{
    json_t *const view = json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset",
                                   (json_int_t)out->pictures.size, "byteLength", (json_int_t)size);
    gltf_append(out, out->picture_views, json_incref(view));
    add_bytes(&out->pictures, bytes, size);
    pad(&out->pictures, 0);
    return gltf_add(out, GLTF_VIEWS, view);
}

// -- Names ----------------------------------------------------------------------------------------

size_t *gltf_look_up(gltf_out *out, char kind, const char *text, bool *is_new)
{
    if (2 * out->num_names >= out->room) {
        gltf_name *const old = out->names;
        const size_t count = out->room;
        out->room = count > 0 ? 2 * count : 64;
        out->names = common_alloc(out->room, sizeof *out->names);
        for (size_t i = 0; i < count; i++) {
            size_t at = (size_t)(old[i].hash % out->room);
            while (old[i].hash != 0 && out->names[at].hash != 0)
                at = (at + 1) % out->room;
            if (old[i].hash != 0)
                out->names[at] = old[i];
        }
        free(old);
    }
    uint64_t hash = (14695981039346656037u ^ (unsigned char)kind) * 1099511628211u; // FNV-1a
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    hash = (hash ^ hash >> 32) | 1u;
    size_t at = (size_t)(hash % out->room);
    while (out->names[at].hash != 0 && out->names[at].hash != hash)
        at = (at + 1) % out->room;
    *is_new = out->names[at].hash == 0;
    out->names[at].hash = hash;
    out->num_names += *is_new;
    return &out->names[at].value;
}

// Takes a name if nothing has it once three.js has replaced what it reserves, and Blender cut it.
enum { LONGEST_NAME = 63 };
static bool take_name(gltf_out *out, char kind, const char *name)
{
    char *const plain = common_copy(name), *end = plain;
    for (const char *c = name; *c != '\0' && end < plain + LONGEST_NAME; c++)
        if (strchr("[].:/", *c) == NULL)
            *end++ = strchr(" \t\r\n\f\v", *c) != NULL ? '_' : *c;
    *end = '\0';
    bool is_new;
    gltf_look_up(out, kind, plain, &is_new);
    free(plain);
    return is_new; // two names of one hash are taken for equal: one gets a needless suffix
}

char *gltf_unique_name(gltf_out *out, char kind, const char *name, const char *otherwise,
                       size_t number)
{
    char *const wanted = utf8(name[0] != '\0' ? name : otherwise);
    char *found = common_copy(wanted);
    for (size_t k = 2; !take_name(out, kind, found); k++) {
        free(found);
        // Behind a few tries the thing's own number, or many equal names take quadratic time.
        char *const suffix = common_format("_%zu", k < 5 ? k : number + k);
        size_t length = strlen(wanted), kept = LONGEST_NAME - strlen(suffix);
        length = length < kept ? length : kept;
        // Not within a character.
        while (length > 0 && ((unsigned char)wanted[length] & 0xc0) == 0x80)
            length--;
        found = common_format("%.*s%s", (int)length, wanted, suffix);
        free(suffix);
    }
    free(wanted);
    return found;
}

// -- The file -------------------------------------------------------------------------------------

void gltf_begin(gltf_out *out, const convert_job *job)
{
    *out = (gltf_out){.job = job, .tops = json_array(), .picture_views = json_array()};
    for (int i = 0; i < GLTF_NUM_LISTS; i++)
        out->lists[i] = json_array();
}

void gltf_free(gltf_out *out)
{
    for (int i = 0; i < GLTF_NUM_LISTS; i++)
        json_decref(out->lists[i]);
    for (int i = 0; i < GLTF_NUM_STREAMS; i++) {
        json_decref(out->views[i]);
        free(out->streams[i].data);
    }
    json_decref(out->tops);
    json_decref(out->picture_views);
    free(out->pictures.data);
    free(out->names);
}

// Puts the streams behind each other, and pictures, whose views have their places among them, last.
static void join_streams(gltf_out *out, gltf_bytes *all)
{
    for (int i = 0; i < GLTF_NUM_STREAMS; i++) {
        json_t *const view = out->views[i];
        if (view == NULL)
            continue;
        gltf_put(out, view, "buffer", json_integer(0));
        gltf_put(out, view, "byteOffset", gltf_whole(all->size));
        gltf_put(out, view, "byteLength", gltf_whole(out->streams[i].size));
        if (streams[i].target == 34962)
            gltf_put(out, view, "byteStride", json_integer(streams[i].stride));
        if (streams[i].target != 0)
            gltf_put(out, view, "target", json_integer(streams[i].target));
        add_bytes(all, out->streams[i].data, out->streams[i].size);
        pad(all, 0);
    }
    for (size_t i = 0; i < json_array_size(out->picture_views); i++) {
        json_t *const view = json_array_get(out->picture_views, i);
        const json_int_t offset = json_integer_value(json_object_get(view, "byteOffset"));
        gltf_put(out, view, "byteOffset", json_integer((json_int_t)all->size + offset));
    }
    add_bytes(all, out->pictures.data, out->pictures.size);
}

static json_t *make_root(gltf_out *out, const char *scene, json_t *extras)
{
    json_t *const root = json_object();
    char *const generator =
        common_format("md5tool %d.%d.%d", MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH);
    gltf_put(out, root, "asset",
             json_pack("{s:s, s:s, s:{s:o}}", "version", "2.0", "generator", generator, "extras",
                       "md5", extras));
    free(generator);
    gltf_put(out, root, "scene", json_integer(0));
    gltf_put(out, root, "scenes",
             json_pack("[{s:o, s:O}]", "name", gltf_string(scene), "nodes", out->tops));
    for (int i = 0; i < GLTF_NUM_LISTS; i++)
        if (json_array_size(out->lists[i]) > 0)
            gltf_put(out, root, list_keys[i], json_incref(out->lists[i]));
    return root;
}

static bool write_binary(gltf_out *out, const char *text, const gltf_bytes *all, md5_error *error)
{
    const char *const path = out->job->output;
    gltf_bytes json = {0}, file = {0};
    add_bytes(&json, text, strlen(text));
    pad(&json, ' ');
    if ((uint64_t)json.size + all->size > UINT32_MAX - 28u) {
        free(json.data);
        return convert_fail(error, MD5_ERROR_RANGE, path, "more than 4 GB: write a .gltf");
    }
    const uint32_t words[] = {
        0x46546c67,          2,          (uint32_t)(12 + 8 + json.size + 8 + all->size),
        (uint32_t)json.size, 0x4e4f534a, (uint32_t)all->size,
        0x004e4942}; // glTF, JSON, BIN
    for (size_t i = 0; i < 5; i++)
        add_word(&file, words[i], 4);
    add_bytes(&file, json.data, json.size);
    for (size_t i = 5; i < 7; i++)
        add_word(&file, words[i], 4);
    add_bytes(&file, all->data, all->size);
    const bool is_written = convert_write_file(out->job, path, file.data, file.size, error);
    free(file.data);
    free(json.data);
    return is_written;
}

bool gltf_write(gltf_out *out, const char *scene, json_t *extras, md5_error *error)
{
    const char *const path = out->job->output;
    const bool is_binary = common_has_ending(path, ".glb");
    char *const stem = common_stem(path), *const folder = common_folder(path);
    char *const bin = common_format("%s.bin", stem), *const bin_path = common_join(folder, bin);
    gltf_bytes all = {0};
    join_streams(out, &all);
    json_t *const root = make_root(out, scene, extras);
    json_t *const buffer = json_pack("{s:I}", "byteLength", (json_int_t)all.size);
    if (!is_binary)
        gltf_put(out, buffer, "uri", gltf_uri(bin));
    gltf_put(out, root, "buffers", json_pack("[o]", buffer));
    const size_t flags = JSON_REAL_PRECISION(9) | (is_binary ? JSON_COMPACT : JSON_INDENT(1));
    char *const text = out->is_broken ? NULL : json_dumps(root, flags);
    bool is_done;
    if (text == NULL)
        is_done = convert_fail(error, MD5_ERROR_RANGE, path,
                               "a number is not finite in this scale, or memory ran out");
    else if (is_binary)
        is_done = write_binary(out, text, &all, error);
    else
        is_done = convert_write_file(out->job, bin_path, all.data, all.size, error)
                  && convert_write_file(out->job, path, text, strlen(text), error);
    free(text);
    json_decref(root);
    free(all.data);
    free(bin_path);
    free(bin);
    free(folder);
    free(stem);
    return is_done;
}
#endif
