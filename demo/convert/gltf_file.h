// A glTF 2.0 file as tables that are checked: JSON, buffers, and accessors, whose values are read
// when they are asked for. Nothing that the file says is believed before it is compared with the
// bytes that are there. Work and memory are charged to the job's budget: see budget.h.
#ifndef DEMO_CONVERT_GLTF_FILE_H
#define DEMO_CONVERT_GLTF_FILE_H

#include "demo/convert/budget.h"

#include <jansson.h>

typedef enum gltf_shape { // of an accessor's elements
    GLTF_SCALAR,
    GLTF_VEC2,
    GLTF_VEC3,
    GLTF_VEC4,
    GLTF_MAT4, // columns
} gltf_shape;

typedef struct gltf_bytes {
    const uint8_t *bytes; // NULL: they are missing
    size_t size;
    const char *reason; // why they are missing
    char *owned;        // allocated bytes; NULL: another object or the file itself owns them
} gltf_bytes;

typedef struct gltf_file {
    const convert_job *job;
    md5_error *error;
    const char *path;
    json_t *root;
    bool is_draco;       // what has no bytes is packed
    gltf_bytes *buffers; // [num_buffers]
    size_t num_buffers;
    gltf_bytes *images;      // [images of the file] once they were read: see gltf_image()
    common_text_index paths; // of files that buffers and images name
    gltf_bytes *named;       // [paths.count] their bytes, each read once
    float **values;          // of each accessor [count * components], once they were read
    uint8_t **unpacked;      // of each view that was packed, once it was read
} gltf_file;

// Says in the file's error what is wrong with it. False.
#define gltf_fail(file, ...) \
    convert_fail((file)->error, MD5_ERROR_SYNTAX, (file)->path, __VA_ARGS__)

// Reads .gltf or .glb; `input` must live as long. Returns false and says why; close it then too.
bool gltf_open(gltf_file *file, const convert_job *job, const convert_input *input,
               md5_error *error);
void gltf_close(gltf_file *file);

// Charges elements to the budget. Returns false and fills the file's error if it is exceeded.
bool gltf_charge(gltf_file *file, uint64_t count);

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

// Returns the bytes of an image's data URI, or of the image file that it names. They are valid
// until the glTF file is closed. If `is_moved` is true, the image file is searched for next to the
// glTF file.
gltf_bytes gltf_image(gltf_file *file, uint32_t index, bool is_moved);

#endif
