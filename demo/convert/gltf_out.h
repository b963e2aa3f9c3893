// A glTF file as it grows: its lists, its numbers, the names that are taken; and how it is written.
#ifndef DEMO_CONVERT_GLTF_OUT_H
#define DEMO_CONVERT_GLTF_OUT_H

#include "demo/convert/convert.h"

#include <jansson.h>

// What numbers are for. A buffer view has one purpose and one size of its elements.
typedef enum gltf_purpose {
    GLTF_VERTICES,
    GLTF_INDICES,
    GLTF_BINDS,
    GLTF_KEYS, // times and values of animations; differences of morph targets
    GLTF_PICTURES,
} gltf_purpose;

enum { GLTF_MAX_STRIDE = 64 }; // bytes of an element: a matrix

typedef struct gltf_view { // of the same index in bufferViews
    gltf_purpose purpose;
    size_t stride;
    convert_bytes bytes;
} gltf_view;

// Types of components.
enum { GLTF_BYTE = 5120, GLTF_UBYTE, GLTF_SHORT, GLTF_USHORT, GLTF_UINT = 5125, GLTF_FLOAT };

typedef struct gltf_out {
    json_t *root;     // the file
    json_t *tops;     // nodes of the scene, in it
    json_t *names;    // values by kind and text
    gltf_view *views; // [num_views]
    size_t num_views;
    size_t last[GLTF_PICTURES]
               [GLTF_MAX_STRIDE + 1]; // view of a purpose and stride; 0: none, else + 1
    convert_bytes binary;             // all views, of gltf_make()
    bool is_quantized;                // vertices get small types
    bool is_broken;                   // a value could not be made: not finite, or memory ran out
} gltf_out;

// A file without anything. Free it in any case.
void gltf_begin(gltf_out *out);
void gltf_free(gltf_out *out);

// Makes the text of a .gltf whose numbers, then out->binary, are in the file `bin`; or without that
// a .glb. `path` names errors. The caller frees file->bytes.
bool gltf_make(gltf_out *out, const char *bin, const char *path, convert_bytes *file,
               md5_error *error);

// Add a value, which they take over, to an object; an array; a list of the file. Return its index.
void gltf_put(gltf_out *out, json_t *object, const char *key, json_t *value);
size_t gltf_append(gltf_out *out, json_t *array, json_t *value);
size_t gltf_add(gltf_out *out, const char *list, json_t *value);
size_t gltf_num_added(const gltf_out *out, const char *list);
void gltf_hang(gltf_out *out, size_t child, size_t on); // puts a node below another one

// A member that is an object, or a list: made if it is not there.
json_t *gltf_member(gltf_out *out, json_t *object, const char *key, bool is_list);

// Puts a value into the extras that are ours; an extension, which the file then uses, into an
// object: returns what it says, which is empty.
void gltf_put_extra(gltf_out *out, json_t *object, const char *key, json_t *value);
json_t *gltf_put_extension(gltf_out *out, json_t *object, const char *name);

// Puts a texture into a material, as one of convert_map.
void gltf_put_map(gltf_out *out, json_t *material, int map, size_t texture);

// Values. A text of unknown encoding is taken as UTF-8 or else as Latin-1.
json_t *gltf_whole(size_t value);
json_t *gltf_floats(const float *values, size_t count);
json_t *gltf_string(const char *text);
json_t *gltf_uri(const char *name);

typedef enum gltf_use {
    GLTF_PLAIN,      // values are of the type
    GLTF_BOUNDED,    // values are floats, perhaps of whole numbers; with least and largest ones
    GLTF_NORMALIZED, // values are floats, which integer types hold as parts of 1
} gltf_use;

// Adds 4-byte values [count][columns], little endian, as or cut to their type. Rows are padded to 4
// bytes, but for indices. Returns where they begin: an object with bufferView and byteOffset, which
// the caller owns.
json_t *gltf_add_values(gltf_out *out, gltf_purpose purpose, int type, const void *values,
                        size_t count, size_t columns, gltf_use use);

// Adds an accessor of values[count][columns]. Returns its index.
size_t gltf_add_accessor(gltf_out *out, gltf_purpose purpose, int type, const void *values,
                         size_t count, size_t columns, gltf_use use);

// Puts an accessor of vertices[count][columns] into the attributes of a mesh. Floats get the type
// if the file is quantised and they fit.
void gltf_put_attribute(gltf_out *out, json_t *attributes, const char *name, int type,
                        const void *values, size_t count, size_t columns, gltf_use use);

// Puts joints[count][slots] and weights into it, in sets of four, up to one without weights.
void gltf_put_influences(gltf_out *out, json_t *attributes, size_t num_joints,
                         const uint32_t *joints, const float *weights, size_t count, size_t slots);

// Puts the least and largest of values[count][columns], at most 4, into an accessor; `has_zero`: of
// them and 0.
void gltf_put_bounds(gltf_out *out, json_t *accessor, const float *values, size_t count,
                     size_t columns, bool has_zero);

// Adds a view of a picture. Returns its index.
size_t gltf_add_picture(gltf_out *out, const void *bytes, size_t size);

// Gets the value of a text of some kind, a letter. Returns false if it had none: then it gets this.
bool gltf_find(gltf_out *out, char kind, const char *text, size_t *value);

// The same of bytes with a name, by their hash.
bool gltf_find_bytes(gltf_out *out, char kind, const char *name, const void *bytes, size_t size,
                     size_t *value);

// A name that is unique in its kind, also in programs that change it, or `otherwise` if it is "".
// Free with free().
char *gltf_unique_name(gltf_out *out, char kind, const char *name, const char *otherwise);

// Adds an animation, whose name becomes unique; returns it for channels of a node: values[count]
// [columns] at times[num_keys], whose accessor others with the same times share.
json_t *gltf_add_animation(gltf_out *out, const char *name, json_t *extras);
void gltf_add_channel(gltf_out *out, json_t *animation, size_t node, const char *path,
                      const float *times, size_t num_keys, const float *values, size_t count,
                      size_t columns);

#endif
