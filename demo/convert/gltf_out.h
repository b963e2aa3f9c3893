// Builds a glTF file step by step: JSON lists, numbers in buffer views, unique names, output bytes.
// gltf_out is the file; all functions take it as their first parameter.
#ifndef DEMO_CONVERT_GLTF_OUT_H
#define DEMO_CONVERT_GLTF_OUT_H

#include "demo/convert/convert.h"

#include <jansson.h>

// Purpose of numbers. A buffer view has one purpose and one size of its elements.
typedef enum gltf_purpose {
    GLTF_VERTICES,
    GLTF_INDICES,
    GLTF_BINDS,
    GLTF_KEYS, // times and values of animations; deltas of morph targets
    GLTF_IMAGES,
} gltf_purpose;

enum { GLTF_MAX_STRIDE = 64 }; // bytes of the largest element, a matrix

// The content of a buffer view. Contents and buffer views of the JSON text have the same indices.
typedef struct gltf_view {
    gltf_purpose purpose;
    size_t stride;
    convert_bytes bytes;
} gltf_view;

// Component types of the standard.
enum { GLTF_BYTE = 5120, GLTF_UBYTE, GLTF_SHORT, GLTF_USHORT, GLTF_UINT = 5125, GLTF_FLOAT };

// A glTF file while it is written: its JSON objects, and the bytes of its views.
typedef struct gltf_out {
    json_t *root;       // root object of the file
    json_t *root_nodes; // root nodes of the scene, in `root`
    json_t *names;      // values of texts, for gltf_find_or_add()
    gltf_view *views;   // [num_views]
    size_t num_views;
    // 1 + index of the last view with a purpose and a stride, or 0 if there is no such view
    size_t last_views[GLTF_IMAGES][GLTF_MAX_STRIDE + 1];
    convert_bytes binary; // the bytes of all views, written by gltf_make()
    bool is_quantized;    // vertices are stored in small types
    bool is_broken;       // a value could not be created: not finite, or out of memory
} gltf_out;

// Begins an empty file. The caller frees it in any case.
void gltf_begin(gltf_out *out);
void gltf_free(gltf_out *out);

// Creates the text of a .gltf file that refers to out->binary as the file `bin`, or a .glb file if
// `bin` is NULL. `path` is for error messages. The caller frees file->bytes.
bool gltf_make(gltf_out *out, const char *bin, const char *path, convert_bytes *file,
               md5_error *error);

// Add a value to an object, to an array, or to a list of the file. They take ownership of the
// value. gltf_append() and gltf_add() return its index.
void gltf_put(gltf_out *out, json_t *object, const char *key, json_t *value);
size_t gltf_append(gltf_out *out, json_t *array, json_t *value);
size_t gltf_add(gltf_out *out, const char *list, json_t *value);
size_t gltf_num_added(const gltf_out *out, const char *list);
void gltf_set_parent(gltf_out *out, size_t child, size_t parent); // indices of nodes

// Returns a member that is an object or a list. Creates it if it does not exist.
json_t *gltf_member(gltf_out *out, json_t *object, const char *key, bool is_list);

// Adds a value to extras.md5 of an object.
void gltf_put_extra(gltf_out *out, json_t *object, const char *key, json_t *value);
// Adds an extension to an object and to the list of used extensions. Returns the extension object.
json_t *gltf_put_extension(gltf_out *out, json_t *object, const char *name);

// Adds a texture to a material. `map` is a convert_map.
void gltf_put_map(gltf_out *out, json_t *material, int map, size_t texture);

// Create values. gltf_string() accepts UTF-8; other encodings are read as Latin-1. gltf_uri()
// escapes a file name.
json_t *gltf_integer(size_t value);
json_t *gltf_floats(const float *values, size_t count);
json_t *gltf_string(const char *text);
json_t *gltf_uri(const char *name);

// Relation of the values to the component type.
typedef enum gltf_use {
    GLTF_PLAIN,      // values of the type itself
    GLTF_BOUNDED,    // floats, which may be integers; the accessor gets min and max
    GLTF_NORMALIZED, // floats, which integer types store as fractions
} gltf_use;

// Adds values[count][columns] of 4 bytes each in little-endian order. Larger values are truncated
// or converted to the type. Vertices are padded to a multiple of 4 bytes. Returns an object with
// bufferView and byteOffset, which the caller owns.
json_t *gltf_add_values(gltf_out *out, gltf_purpose purpose, int type, const void *values,
                        size_t count, size_t columns, gltf_use use);

// Adds an accessor of values[count][columns]. Returns its index.
size_t gltf_add_accessor(gltf_out *out, gltf_purpose purpose, int type, const void *values,
                         size_t count, size_t columns, gltf_use use);

// Adds an accessor of vertices[count][columns] to the attributes of a mesh. In a quantized file,
// floats that are in the range of the integer type `type` are stored as integers of this type.
void gltf_put_attribute(gltf_out *out, json_t *attributes, const char *name, int type,
                        const void *values, size_t count, size_t columns, gltf_use use);

// Adds joints[count][slots] and weights to the attributes, in sets of four. Sets without weights
// are skipped.
void gltf_put_influences(gltf_out *out, json_t *attributes, size_t num_joints,
                         const uint32_t *joints, const float *weights, size_t count, size_t slots);

// Adds min and max of values[count][columns] to an accessor; at most 4 columns. If `has_zero`, 0 is
// one of the values.
void gltf_put_bounds(gltf_out *out, json_t *accessor, const float *values, size_t count,
                     size_t columns, bool has_zero);

// Adds a view with an image. Returns its index.
size_t gltf_add_image(gltf_out *out, const void *bytes, size_t size);

// Kinds of texts for which gltf_find_or_add() stores values. Equal texts of different kinds have
// separate values. The comments describe the text, then the value.
enum {
    GLTF_EXTENSION = 'e', // name of an extension in extensionsUsed; the value is not used
    // Unique name of a node, an image or an animation; the value is not used. The import by
    // libassimp uses the first two kinds differently: it stores the name of each node with the
    // index of the node, and the path of each image with the index of the image.
    GLTF_NODE_NAME = 'n',
    GLTF_IMAGE_NAME = 'i',
    GLTF_ANIMATION_NAME = 'a',
    GLTF_CLIP = 'c',           // name and bytes of the tracks; the value is not used
    GLTF_TIMES = 't',          // bytes of the times of keys; index of their accessor
    GLTF_TEXTURE = 'p',        // bytes of an image; index of the texture
    GLTF_SCENE_MATERIAL = 'm', // shader; 1 + index of the scene's material, or 0
    GLTF_MATERIAL = 's', // index of the scene's material, and shader; index of the file's material
    GLTF_WEIGHTS = 'w',  // names of a clip and a morph target; index in convert_scene.weights
};

// Finds the value that is stored for a text of a kind. If no value is stored, stores *value and
// returns false.
bool gltf_find_or_add(gltf_out *out, char kind, const char *text, size_t *value);

// Like gltf_find_or_add(), but for the value of a name and bytes. The bytes are compared by a hash.
bool gltf_find_or_add_bytes(gltf_out *out, char kind, const char *name, const void *bytes,
                            size_t size, size_t *value);

// Returns a name that is unique in its kind, also in programs that change names. If `name` is
// empty, it is based on `fallback`. The caller frees the result.
char *gltf_unique_name(gltf_out *out, char kind, const char *name, const char *fallback);

// The keys of a part of a node.
typedef struct gltf_channel {
    size_t node;
    const char *path;    // "translation", "rotation", "scale" or "weights"
    const float *times;  // [num_keys]
    const float *values; // [num_values][columns]
    size_t num_keys;
    size_t num_values; // num_keys; for weights, num_keys times the number of morph targets
    size_t columns;
} gltf_channel;

// Adds an animation with a unique name and returns it.
json_t *gltf_add_animation(gltf_out *out, const char *name, json_t *extras);

// Adds a channel to an animation. Channels with equal times share an accessor.
void gltf_add_channel(gltf_out *out, json_t *animation, const gltf_channel *channel);

#endif
