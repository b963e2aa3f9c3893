// Reads a glTF 2.0 file: JSON, buffers, and accessors, whose values are read on demand. All counts,
// indices and ranges are checked against the bytes of the file before they are used. Work and
// memory are charged to the job's budget (budget.h).
#ifndef DEMO_CONVERT_GLTF_FILE_H
#define DEMO_CONVERT_GLTF_FILE_H

#include "demo/convert/plain_scene.h"

#include <jansson.h>

// Shape of an accessor's elements.
typedef enum gltf_shape {
    GLTF_SCALAR,
    GLTF_VEC2,
    GLTF_VEC3,
    GLTF_VEC4,
    GLTF_MAT4, // column-major
} gltf_shape;

// Bytes of a buffer, a view or an image.
typedef struct gltf_bytes {
    const uint8_t *bytes; // [size], or NULL if the bytes are missing
    size_t size;
    const char *reason; // reason why the bytes are missing
    char *owned;        // allocation to free; NULL: another object or the file owns the bytes
} gltf_bytes;

// A glTF file while it is read. Accessors and images are read when they are needed, and cached.
typedef struct gltf_file {
    const convert_job *job;
    md5_error *error;
    const char *path;
    json_t *root;
    gltf_bytes *buffers; // [num_buffers]
    size_t num_buffers;
    gltf_bytes *images;      // [images of the file] cache of gltf_image()
    common_text_index paths; // paths of the files to which buffers and images refer
    gltf_bytes *named;       // [paths.count] the bytes of these files
    float **values;          // [accessors] cache of gltf_read(): [count * components], or NULL
    uint8_t **unpacked;      // [views] decompressed bytes, or NULL
} gltf_file;

// Fills the file's error. The message begins with the location of the content as a path from the
// root of the JSON text, such as "accessors/3/count". Is false.
#define gltf_fail(file, ...) \
    convert_fail((file)->error, MD5_ERROR_SYNTAX, (file)->path, __VA_ARGS__)

// Opens a .gltf or .glb file. `input` must remain valid until gltf_close(). Fills `error` and
// returns false on failure; the caller must call gltf_close() then too.
bool gltf_open(gltf_file *file, const convert_job *job, const convert_input *input,
               md5_error *error);
void gltf_close(gltf_file *file);

// Charges elements to the budget. Returns false and fills the file's error if it is exceeded.
bool gltf_charge(gltf_file *file, uint64_t count);

// -- JSON: members of the standard, which were checked when the file was opened -------------------

// Return the number of items of a list in the root object (0 if it is missing), or one item.
size_t gltf_count(const gltf_file *file, const char *list);
const json_t *gltf_item(const gltf_file *file, const char *list, size_t index);

// Return a string or NULL, or a number or `missing`.
const char *gltf_text(const json_t *object, const char *key);
double gltf_number(const json_t *object, const char *key, double missing);

// Return an index or MD5_NONE, or an element of an array of indices.
uint32_t gltf_index(const json_t *object, const char *key);
uint32_t gltf_index_at(const json_t *array, size_t i);

// Reads `count` finite numbers. If the member is missing, returns false and does not change
// `numbers`.
bool gltf_numbers(const json_t *object, const char *key, size_t count, double *numbers);

// Returns the data that gltf_write.c stored in an object's extras, or NULL.
const json_t *gltf_extras(const json_t *object);

// -- Bytes ----------------------------------------------------------------------------------------

// Returns the values of an accessor and the number of its elements. Normalized integers are
// converted to fractions. The values are valid until the file is closed. Fills the file's error and
// returns NULL in these cases: the accessor has another shape, it exceeds its buffer, it contains a
// number that is not finite, or the budget is exceeded.
const float *gltf_read(gltf_file *file, uint32_t index, gltf_shape shape, size_t *count);

// Returns the bytes of a view, or fills the file's error and returns NULL.
const uint8_t *gltf_view(gltf_file *file, uint32_t index, size_t *size);

// Returns a copy of a URI without escapes such as "%20". Characters that could lead out of the
// folder on some system are replaced by '/'. The caller frees the result.
char *gltf_decode_uri(const char *uri);

// Returns the bytes of an image's data URI, or of the image file that it names. They are valid
// until the glTF file is closed. If `is_moved` is true, the image file is searched for next to the
// glTF file.
gltf_bytes gltf_image(gltf_file *file, uint32_t index, bool is_moved);

// -- Materials ------------------------------------------------------------------------------------

// Returns the texture of a material's base color, or NULL.
const json_t *gltf_color_texture(const json_t *material);

// Adds the appearance of all materials with a shader.
bool gltf_add_materials(gltf_file *file, const plain_scene *plain, convert_scene *scene);

#endif
