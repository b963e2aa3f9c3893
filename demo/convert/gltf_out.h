// A glTF file as it grows: its lists, its numbers, the names that are taken; and how it is written.
#ifndef DEMO_CONVERT_GLTF_OUT_H
#define DEMO_CONVERT_GLTF_OUT_H

#include "demo/convert/convert.h"

#include <jansson.h>

typedef enum gltf_list {
    GLTF_NODES,
    GLTF_SKINS,
    GLTF_MESHES,
    GLTF_MATERIALS,
    GLTF_TEXTURES,
    GLTF_IMAGES,
    GLTF_CAMERAS,
    GLTF_ANIMATIONS,
    GLTF_ACCESSORS,
    GLTF_VIEWS,
    GLTF_EXTENSIONS, // used
    GLTF_REQUIRED,
    GLTF_NUM_LISTS,
} gltf_list;

// Numbers of one purpose and stride: a buffer view each.
typedef enum gltf_stream {
    GLTF_VERTICES_4, // bytes of a vertex
    GLTF_VERTICES_8,
    GLTF_VERTICES_12,
    GLTF_VERTICES_16,
    GLTF_INDICES_2,
    GLTF_INDICES_4,
    GLTF_BINDS,
    GLTF_TIMES,
    GLTF_KEYS_4,
    GLTF_KEYS_12,
    GLTF_KEYS_16,
    GLTF_SPARSE, // indices and values
    GLTF_NUM_STREAMS,
} gltf_stream;

// Types of components.
enum { GLTF_BYTE = 5120, GLTF_UBYTE, GLTF_SHORT, GLTF_USHORT, GLTF_UINT = 5125, GLTF_FLOAT };

typedef struct gltf_bytes {
    uint8_t *data;
    size_t size, room;
} gltf_bytes;

typedef struct gltf_name { // a row of a hash table
    uint64_t hash;         // 0: free
    size_t value;
} gltf_name;

typedef struct gltf_out {
    const convert_job *job;
    json_t *lists[GLTF_NUM_LISTS];
    json_t *tops;          // nodes of the scene
    json_t *picture_views; // those of GLTF_VIEWS whose offsets are in `pictures`
    gltf_bytes streams[GLTF_NUM_STREAMS], pictures;
    json_t *views[GLTF_NUM_STREAMS]; // NULL: the stream is empty
    int view_numbers[GLTF_NUM_STREAMS];
    gltf_name *names; // [room] at most half full
    size_t num_names, room;
    bool is_broken; // a value could not be made: not finite, or memory ran out
} gltf_out;

void gltf_begin(gltf_out *out, const convert_job *job);

// Writes NAME.glb, or NAME.gltf and NAME.bin. `extras` of the asset and `scene` name it.
bool gltf_write(gltf_out *out, const char *scene, json_t *extras, md5_error *error);
void gltf_free(gltf_out *out);

// Add a value, which they take over, to an object; an array; a list. Return its index.
void gltf_put(gltf_out *out, json_t *object, const char *key, json_t *value);
size_t gltf_append(gltf_out *out, json_t *array, json_t *value);
size_t gltf_add(gltf_out *out, gltf_list list, json_t *value);
size_t gltf_num_added(const gltf_out *out, gltf_list list);
void gltf_use_extension(gltf_out *out, const char *name);

// Values. A text of unknown encoding is taken as UTF-8 or else as Latin-1.
json_t *gltf_whole(size_t value);
json_t *gltf_floats(const float *values, size_t count);
json_t *gltf_string(const char *text);
json_t *gltf_uri(const char *name);

// Adds 4-byte values [count][columns], floats or integers, little endian, cut to the size of their
// type. Rows are padded to 4 bytes, but for indices. Returns where they begin.
size_t gltf_add_values(gltf_out *out, gltf_stream stream, int type, const void *values,
                       size_t count, size_t columns);

typedef enum gltf_use {
    GLTF_PLAIN,      // values are of the type
    GLTF_BOUNDED,    // values are floats, perhaps of whole numbers; with least and largest ones
    GLTF_NORMALIZED, // values are floats, of integer types whole numbers that stand for parts of 1
} gltf_use;

// Adds an accessor of values[count][columns]. Returns its index.
size_t gltf_add_accessor(gltf_out *out, gltf_stream stream, int type, const void *values,
                         size_t count, size_t columns, gltf_use use);

// Puts the least and largest values of an accessor into it.
void gltf_put_bounds(gltf_out *out, size_t accessor, const float *low, const float *high,
                     size_t columns);

// Adds a view of a picture. Returns its index.
size_t gltf_add_picture(gltf_out *out, const void *bytes, size_t size);

// The value of a text of some kind, a letter; *is_new: it had none and is 0.
size_t *gltf_look_up(gltf_out *out, char kind, const char *text, bool *is_new);

// A name that is unique in its kind, also in programs that change it, or `otherwise` if it is "".
// `number` is that of the thing, with which many equal names become different. Free with free().
char *gltf_unique_name(gltf_out *out, char kind, const char *name, const char *otherwise,
                       size_t number);

#endif
