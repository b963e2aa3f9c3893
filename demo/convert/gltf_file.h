// A glTF 2.0 file as tables that are checked: JSON, buffers, and accessors, whose values are read
// when they are asked for. Nothing that the file says is believed before it is compared with the
// bytes that are there. Files come from strangers: all work and memory is paid from a budget that
// is linear in the file, so that a short file cannot ask for much.
#ifndef DEMO_CONVERT_GLTF_FILE_H
#define DEMO_CONVERT_GLTF_FILE_H

#include "demo/convert/convert.h"

#include <jansson.h>

typedef enum gltf_shape { // of an accessor's elements
    GLTF_SCALAR,
    GLTF_VEC2,
    GLTF_VEC3,
    GLTF_VEC4,
    GLTF_MAT4, // columns
} gltf_shape;

typedef struct gltf_buffer {
    const uint8_t *bytes; // NULL: the file does not say where they are
    size_t size;
    char *owned; // what holds the bytes, or NULL: the file itself
} gltf_buffer;

typedef struct gltf_file {
    const convert_job *job;
    md5_error *error;
    const char *path;
    json_t *root;
    bool is_draco;                        // what has no bytes is packed
    size_t size;                          // bytes of the file and of its buffers
    size_t budget;                        // numbers that may still be read or made
    size_t num_picture_bytes, num_turned; // of all materials; their normal maps
    gltf_buffer *buffers;
    size_t num_buffers;
    float **values;     // of each accessor [count * components], once they were read
    uint8_t **unpacked; // of each view that was packed, once it was read
} gltf_file;

// Says in the file's error what is wrong with it. False.
#define gltf_fail(file, ...) \
    convert_fail((file)->error, MD5_ERROR_SYNTAX, (file)->path, __VA_ARGS__)

// Reads .gltf or .glb; `input` must live as long. Returns false and says why; close it then too.
bool gltf_open(gltf_file *file, const convert_job *job, const convert_input *input,
               md5_error *error);
void gltf_close(gltf_file *file);

// Takes from the budget. Returns false and says so if not as much is left.
bool gltf_spend(gltf_file *file, size_t count);

// -- JSON: members of the standard, which were checked when the file was opened -------------------

// The number of items of a list of the root object; 0 without it.
size_t gltf_count(const gltf_file *file, const char *list);
const json_t *gltf_item(const gltf_file *file, const char *list, size_t index);

// A text, or NULL; a number, or `missing`.
const char *gltf_text(const json_t *object, const char *key);
double gltf_number(const json_t *object, const char *key, double missing);

// An index, or MD5_NONE; an index of those in an array.
uint32_t gltf_index(const json_t *object, const char *key);
uint32_t gltf_index_at(const json_t *array, size_t i);

// Reads so many finite numbers. Without the member they stay as they are, and it returns false.
bool gltf_numbers(const json_t *object, const char *key, size_t count, double *numbers);

// -- Bytes ----------------------------------------------------------------------------------------

// The values of an accessor, normalized where it says so, and the number of its elements; kept
// until the file is closed. Returns NULL and says why if it has another shape, leads out of its
// buffer, a number is not finite, or the budget is spent.
const float *gltf_read(gltf_file *file, uint32_t index, gltf_shape shape, size_t *count);

// The bytes of a view. Returns NULL and says why if they are not there.
const uint8_t *gltf_view(gltf_file *file, uint32_t index, size_t *size);

// The bytes that a buffer or an image has: *owned is what to free, or NULL. Returns NULL and says
// in *reason why there are none.
const uint8_t *gltf_resolve(gltf_file *file, const json_t *object, size_t *size, char **owned,
                            const char **reason);

#endif
