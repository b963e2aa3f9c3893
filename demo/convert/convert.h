// Converts models, clips and camera paths between MD5 and other formats.
//
//   files --reader of their kind--> scene --writer of the output's kind--> files
//
// MD5 is the intermediate format of every conversion. A reader of the input format adds MD5 files
// to a scene (convert_scene), and a writer of the output format converts the scene to files.
// Readers create MD5 files as documents (md5edit.h), and writers load them with the library. Every
// input format can therefore be converted to every output format.
//
// Only data that MD5 or the output format cannot store is lost. Each loss is reported as a note
// with its size. A convert_job contains the options of one conversion. The table of formats is in
// convert.c.
#ifndef DEMO_CONVERT_CONVERT_H
#define DEMO_CONVERT_CONVERT_H

#include "demo/common/options.h"
#include "demo/common/system.h"
#include "demo/common/text.h"
#include "demo/common/text_index.h"
#include "demo/common/wear.h"
#include "demo/convert/space.h"
#include "demo/looks/look.h"

#include <ctype.h>

// -- Scenes ---------------------------------------------------------------------------------------

// Kind of a part of a scene, which selects how the part is used.
typedef enum convert_part_kind {
    CONVERT_MODEL,  // the scene's model; every further model becomes a morph target
    CONVERT_CLIP,   // an animation of the model
    CONVERT_CAMERA, // a camera path
    CONVERT_TARGET, // a morph target of the model; the target has the name of the part
} convert_part_kind;

// A joint and its bone in a human body, such as "leftUpperArm", by the names of VRM.
typedef struct convert_bone {
    char *joint;
    char *bone;
} convert_bone;

// An MD5 file in memory: text, or a binary form that the library reads.
typedef struct convert_part {
    convert_part_kind kind;
    bool is_model;  // true for a morph target that was read as a model
    bool is_outfit; // true for a model that is attached and never becomes a morph target
    char *name;     // file name without folder and extension, UTF-8, unique among parts of one kind
    char *path;     // path of the input file, or NULL if a reader created the part
    char *bytes;    // [size]
    size_t size;
    char *skeleton_text;  // mesh file with the skeleton of a clip whose file contains one, or NULL
    size_t skeleton_size; // bytes of skeleton_text
    convert_bone *bones;  // [num_bones] of the model or the skeleton, if the file declares them
    size_t num_bones;
    bool is_captured;        // motion capture: the start position and direction have no meaning
    md5_vec3 removed_motion; // motion along the ground that job->is_in_place removed
} convert_part;

// The purpose of an image in a material.
typedef enum convert_map {
    CONVERT_MAP_COLOR,  // with alpha
    CONVERT_MAP_NORMAL, // tangent space: red along +u, green along +v (down the image), as in id's
    CONVERT_MAP_SPECULAR,
    CONVERT_MAP_GLOW,
    CONVERT_NUM_MAPS,
} convert_map;

// Lists of options for meshes: one for each map, then the list of meshes to hide.
enum { CONVERT_HIDE = CONVERT_NUM_MAPS, CONVERT_NUM_MESH_OPTIONS };

// Value of convert_scene.mesh_materials for a hidden mesh.
#define CONVERT_HIDDEN SIZE_MAX

// A PNG or JPEG file in memory.
typedef struct convert_image {
    char *name;     // file name without folder and extension
    char *declared; // name in the material, or NULL
    uint8_t *bytes; // [size], or NULL if the material does not have this image
    size_t size;
} convert_image;

// Use of the alpha channel of a material's color image: ignored, compared with a threshold, or
// blended.
typedef enum convert_alpha { CONVERT_OPAQUE, CONVERT_MASK, CONVERT_BLEND } convert_alpha;

// The appearance of all meshes with one shader.
typedef struct convert_material {
    char *shader; // shader name in the meshes
    convert_image maps[CONVERT_NUM_MAPS];
    convert_alpha alpha;
    float cutoff; // alpha threshold of CONVERT_MASK
    bool is_two_sided;
    bool is_unlit; // light does not affect the color
    bool is_flat;  // no two triangles share a normal
    char *text;    // text of the material declaration, or NULL
} convert_material;

// Weights of one morph target in one clip. MD5 clips can store joints only.
typedef struct convert_weights {
    char *clip;   // name of a part
    char *target; // name of a part
    float *keys;  // [num_keys] one weight per frame of the clip
    size_t num_keys;
} convert_weights;

// A model that was attached to the scene's model by merging its meshes.
typedef struct convert_outfit {
    char *path;     // path of the input file, or NULL if a reader created the model
    uint32_t first; // index of the outfit's first mesh in the merged model
} convert_outfit;

// The names of parts, from which convert_add_part() creates unique names.
typedef struct convert_names {
    common_text_index index; // keys: part kind and name in lower case
    uint32_t *num_copies;    // [index.count] parts that were renamed to NAME_2, NAME_3 ...
    size_t num_parts;        // number of the scene's parts whose names are in the index
} convert_names;

// All data of a conversion. Each array grows by common_grow().
typedef struct convert_scene {
    char *name; // output file name without folder and extension
    convert_part *parts;
    size_t num_parts;
    convert_names names;
    convert_material *materials;
    size_t num_materials;
    // [num_mesh_materials] material of each mesh: 1 + index, CONVERT_HIDDEN, or 0 if the mesh uses
    // the material with the name of its shader
    size_t *mesh_materials;
    size_t num_mesh_materials;
    convert_outfit *outfits; // [num_outfits]
    size_t num_outfits;
    bool has_selected_images; // options selected images, for which an MD5 model needs materials
    convert_weights *weights;
    size_t num_weights;
    double unit;           // MD5 units per input unit if a reader selected it, or 0
    char *image_path;      // input file whose shaders are the names of images near it, or NULL
    double source_yaw;     // rotation that the writer of a glTF file recorded, degrees
    char *skipped_content; // description of a file without parts, for messages, or NULL
} convert_scene;

typedef struct convert_job convert_job;

// Adds a part with a unique name. The scene takes ownership of `bytes` [size]. If the scene already
// has a model, a further model becomes a morph target; convert_read_all() may merge it into the
// model instead.
void convert_add_part(convert_scene *scene, convert_part_kind kind, const char *name,
                      const char *path, char *bytes, size_t size);

// Adds a document as a part in text form and charges its bytes to the job's budget. The caller
// still owns the document. Returns false if the document cannot be written.
bool convert_add_doc(const convert_job *job, convert_scene *scene, convert_part_kind kind,
                     const char *name, const md5_doc *doc, md5_error *error);

// Writes a document as text to *text, whose earlier value is freed. Returns false if the document
// cannot be written.
bool convert_print_doc(const md5_doc *doc, char **text, size_t *size, md5_error *error);

// Returns the number of bytes that convert_add_doc() charges for a document. It depends only on the
// counts of the document.
size_t convert_estimate_text(const md5_doc *doc);

// Returns a copy of the name of an image without the extension of a format that engines do not
// read, such as .bmp. Authors convert such images, so the name then fits the converted image.
char *convert_trim_image_name(const char *name);

// Removes the weights of morph targets from scene->weights[first] on.
void convert_remove_weights(convert_scene *scene, size_t first);

// Writes the joint that carries the root motion of a clip, if it is not the first joint; otherwise
// motion->joint is MD5_NONE. Returns false on failure.
bool convert_find_root_motion(const md5_doc *clip, md5_root_motion *motion, md5_error *error);

// Applies md5_edit_root(). If the joint is the first joint, the error names --add-root. Returns
// false on failure.
bool convert_move_root_motion(md5_doc *clip, const md5_root_edit *edit, uint32_t *num_changed,
                              md5_error *error);

// Returns the model of a scene, or NULL if the scene does not have one.
const convert_part *convert_find_model(const convert_scene *scene);

// Parse a part with the library. Return NULL on failure. convert_parse_text() accepts only texts;
// for convert_parse_doc() a clip may also be compressed.
md5_doc *convert_parse_text(const convert_part *part, md5_error *error);
md5_doc *convert_parse_doc(const convert_part *part, md5_error *error);
md5_model *convert_parse_model(const convert_part *part, md5_error *error);

// Returns true if the bytes are a compressed clip, which only this library reads.
bool convert_is_compressed_clip(const char *bytes, size_t size);

// Replaces *text by the text of a compressed clip, in which the bounds of each frame contain its
// joints. `path` is for errors. Returns false if the clip is not compressed, or if the text would
// be more than 1000 times as large as the clip.
bool convert_decompress_clip(const md5_anim *compressed, const char *path, char **text,
                             size_t *size, md5_error *error);

// Returns the quaternion of the same rotation with w <= 0, as MD5 files store it.
md5_quat convert_file_rotation(md5_quat q);

// Free the memory of a part or a scene, but not the structure itself.
void convert_free_part(const convert_part *part);
void convert_free_scene(convert_scene *scene);

// -- Jobs -----------------------------------------------------------------------------------------

// Inputs, output and options of a conversion. The default of each field is 0.
struct convert_job {
    const char *const *inputs; // [num_inputs] paths: one file, or a model and clips in any formats
    size_t num_inputs;
    const char *output; // file path, whose extension selects the format, or a folder for MD5 files

    // Overwrites files, continues if a loss exceeds 1 % of the size, and skips clips that do not
    // have a joint of the model.
    bool is_forced;

    // Options for the output.
    uint32_t influences;  // joints per vertex, 4 (the default) to 16, if the format has a limit
    double scale;         // output units per input unit; 0: the ratio that the formats define
    double yaw;           // rotation about the vertical axis, degrees counterclockwise from above
    double rate;          // frame rate of all clips, Hz; 0: the input's rate, its key rate, or 60
    double tolerance;     // error limit for removing keys, in input units; 0: all keys are kept
    uint32_t range[2];    // first and last frame of the clips, from 0; equal values: all frames; if
                          // the first is larger than the last, the frames are reversed
    bool was_y_up;        // y is up in the input
    bool is_y_up;         // OBJ: y up, z forward, x left instead of MD5's axes
    bool is_in_place;     // removes root motion along the ground
    md5_root_edit root;   // moves the root motion of a joint to the first joint
    const char *new_root; // name of a joint that becomes the parent of all roots, or NULL
    bool is_id_root;      // subtracts the root's position in the base frame, as id's engine does
    bool keeps_root;   // keeps root motion also in frame formats, whose entities are moved by games
    bool is_quantized; // glTF: uses KHR_mesh_quantization
    bool is_batch;     // converts one model of a folder; writes declarations even without an engine
    bool is_fitted;    // fits vertices to the clips if MD5's weights cannot reproduce them exactly
    struct convert_scene
        *retargeted;  // on success receives the clips for `target`; no files are written; or NULL
    FILE *prints_map; // receives the joint map; no files are written; or NULL
    const char *scene_name; // glTF: name of a scene or a node
    const char *target;     // model for which clips are retargeted
    const char *map;        // file with lines of "source target" joint names
    const char *pairs;      // more lines for `map`, separated by ';'; they take precedence over it
    const char *palette;    // palette file for Quake's images; NULL: the game's palette
    const char *engine;     // engine whose limits apply to the output; NULL: the limits of MD5
    const char *const *engines; // [num_engines] all requested engines; the first is `engine`
    size_t num_engines;
    const char *const *tags; // MD3: [num_tags] "JOINT" or "JOINT=TAG"
    size_t num_tags;

    // Options for meshes, which are selected by name, shader or index. Each map has a list of
    // "[MESH=]FILE", in which a text without MESH applies to all meshes. The list CONVERT_HIDE
    // contains "MESH" for each mesh to skip.
    common_texts mesh_options[CONVERT_NUM_MESH_OPTIONS];
    common_texts outfits;       // paths of models to attach to the joints of the first model
    const common_list *shaders; // shaders of the meshes after a skin was applied, or NULL
    md5_game
        *game; // material declarations, used only by this call; NULL: declarations near the input
    md5_files files; // file system for the inputs; 0: the disk

    // Called for each loss, guess and choice with a sentence without a full stop.
    void (*note)(void *user, const char *text);
    // Called for each invalid line of a map, which is skipped. NULL: an invalid line is an error.
    void (*warn)(void *user, const md5_error *warning);
    // Called after each written file. May be NULL.
    void (*on_file_written)(void *user, const char *path);
    // Called before each file. The conversion fails if it returns false. May be NULL.
    bool (*should_continue)(void *user);
    void *user;
    // Limits and collects the notes of the current input file (budget.h). Callers leave it NULL.
    struct convert_budget *budget;
};

// Reads the inputs and writes the output. Returns false and fills `error` on failure. A failed
// conversion does not leave incomplete files, but it may have written some of several files. Time
// and memory are linear in the size of the files. Calls may run concurrently: no state is global.
bool convert_files(const convert_job *job, md5_error *error);

// Reads the inputs and merges the attached models into the first model, without writing.
bool convert_read_all(const convert_job *job, convert_scene *scene, md5_error *error);

// Returns the path of the written model, or of the only output file: job->output, or the path where
// the engine searches for it. The output must not be a folder. The caller frees the result.
char *convert_find_output(const convert_job *job);

// Prints one line per format that can be read or written.
void convert_print_formats(void);

// Returns the first extension of each format that can be written, without the dot.
common_list convert_list_outputs(void);

// Return true if the path has the extension of a format that can be read or written.
bool convert_can_read(const char *path);
bool convert_can_write(const char *path);

// Returns true if the engine has limits for frame-based models (MDL, MD2, MD3).
bool convert_has_frames(const char *engine);

// Returns true if a file of a format with models and clips, such as IQM, does not contain a mesh.
// The joints of such a file may lack names; the names are then copied from a model that was read
// earlier.
bool convert_is_clip(const char *path);

// -- For readers and writers ----------------------------------------------------------------------

// Stores the path of the file to which an error belongs.
void convert_name_file(md5_error *error, const char *path);

// The remedy for malformed content, which ends the message of an error. Messages with a better
// remedy do not contain it.
#define CONVERT_REMEDY "; export the file again"

// Fills `error`; `path` may be NULL. Returns false.
bool convert_fail(md5_error *error, md5_status status, const char *path, const char *format, ...)
    COMMON_PRINTF(4, 5);

// Engines that expect the same folders, file names and declarations of a model.
typedef enum convert_family {
    CONVERT_DOOM3,  // GAME/models/..., declared in materials/NAME.mtr and def/NAME.def
    CONVERT_QUAKE,  // progs/NAME.md5mesh and a single clip NAME.md5anim; skins SHADER_00_00
    CONVERT_QUAKE2, // .../md5/NAME.md5mesh and a single clip
    CONVERT_CUBE2,  // a separate folder per model, with an md5.cfg that lists files and images
    CONVERT_OTHER,  // images only
} convert_family;

// An engine for which files can be written, and its limits.
typedef struct convert_engine {
    const char *names; // each name has a space before and after it
    convert_family family;
    uint32_t max_weights;      // weights per vertex; 0: no limit
    bool needs_one_root;       // rejects skeletons or clips with several roots
    bool needs_joint_per_mesh; // reads out of bounds if a model has more meshes than joints
} convert_engine;

// Returns true if `names`, in the form of convert_engine.names, contains the engine. A version
// after ':' is ignored.
bool convert_is_among(const char *names, const char *engine);

// Returns the engine with a name of `md5tool check --for`, or Doom 3 if the name is unknown.
const convert_engine *convert_find_engine(const char *name);

// Passes a note on, or collects it if the job has a budget.
void convert_note(const convert_job *job, const char *format, ...) COMMON_PRINTF(2, 3);

// Reports the number of camera paths and, if `with_targets`, morph targets that the format `to`
// cannot store. Does nothing if the scene contains none of them.
void convert_note_unsupported_parts(const convert_job *job, const convert_scene *scene,
                                    const char *to, bool with_targets);

// Returns at most the first `max_size` bytes of a text. Control characters and the characters in
// `invalid` are replaced by '_'. MD5 texts cannot contain CONVERT_QUOTE. The caller frees the
// result.
#define CONVERT_QUOTE "\""
char *convert_sanitize(const char *text, size_t max_size, const char *invalid);

// Returns a file name for an object called `name` in a file. Characters that could leave the folder
// or that file systems reject are replaced by '_'. The caller frees the result.
char *convert_file_name(const char *name);

// Reads a whole file and appends a 0 byte. The caller frees the result. Returns NULL on failure.
char *convert_read_file(const char *path, size_t *size, md5_error *error);

// Returns true if the job was not cancelled; otherwise fills `error`.
bool convert_can_continue(const convert_job *job, md5_error *error);

// Writes a file completely, or not at all if an error occurs. Fails if the file exists and --force
// is not given.
bool convert_write_file(const convert_job *job, const char *path, const void *bytes, size_t size,
                        md5_error *error);

// Writes a file to the folder of the job's output. An existing image with equal bytes is kept.
bool convert_write_to_folder(const convert_job *job, const char *name, const void *bytes,
                             size_t size, md5_error *error);

// Marks the hidden meshes of the model. If `adds_materials`, searches for the images of the visible
// meshes as the viewer does and adds materials: one per shader if `by_shader`. Guesses and missing
// images are reported as notes. Returns false if the model or a selected image cannot be read.
bool convert_find_materials(const convert_job *job, convert_scene *scene, bool adds_materials,
                            bool by_shader, md5_error *error);

// Flips the green channel of a normal map, which converts between +v up and +v down. Charges the
// pixels to the job's budget. Returns a PNG file, which the caller frees, or NULL on failure.
uint8_t *convert_flip_green_channel(const convert_job *job, const convert_image *in, size_t *size,
                                    md5_error *error);

// Creates a small image of one color for a material and reports it as a note. The components of the
// color are linear: red, green, blue and, for CONVERT_MAP_COLOR, alpha.
void convert_create_color_image(const convert_job *job, convert_material *material, convert_map map,
                                const double *color);

// Returns ".png" or ".jpg", depending on the file's first bytes.
const char *convert_image_extension(const convert_image *image);

// Returns a point as MD5 stores it, without rounding errors near 0 and without -0.
md5_vec3 convert_stored_point(convert_vec v);

// Returns x, y and z of a unit quaternion as MD5 stores them. q and -q are the same rotation, and
// MD5 stores the one with w <= 0. Rounding errors near 0 and -0 become 0.
md5_vec3 convert_stored_rotation(convert_quat q);

// Returns a pose as readers compute it from the numbers that MD5 stores. MD5 does not store w of a
// rotation; the computed w has a large error near rotations by 180 degrees.
md5_xform convert_stored_pose(convert_xform pose);

// Returns a box that engines draw. Engines do not draw a model with an empty box, so a box that
// contains only one point is extended by one unit in each direction.
md5_bounds convert_extend_empty_box(md5_bounds box);

// A joint of a clip that is added to a scene.
typedef struct convert_joint {
    const char *name;
    uint32_t parent;    // MD5_NONE: a root
    convert_xform rest; // rest pose relative to the parent, if the caller needs it
} convert_joint;

// A moving skeleton that becomes a clip. Readers of clips and retargeting create it.
typedef struct convert_motion {
    const char *path; // input file, for error messages
    uint32_t num_joints;
    uint32_t num_frames;
    double rate;                 // frame rate, Hz
    const convert_joint *joints; // [num_joints]
    md5_bounds *bounds;          // [num_frames], which pose() may set; NULL: the clip has no bounds
    float rounding;              // relative tolerance for constant components; 0: 1e-7
    // Writes the transforms of a frame, relative to the parents, to local[num_joints]. It is called
    // with ascending frames.
    void (*pose)(void *user, uint32_t frame, convert_xform *local);
    void *user;
} convert_motion;

// Adds a clip. The base frame is the first frame; components that no frame changes are stored only
// there. If `model` is not NULL, bounds are computed from its skin. Fails if a joint is more than
// 1e9 units from the origin or if the job's budget is exceeded.
bool convert_add_clip(const convert_job *job, convert_scene *scene, const char *name,
                      const convert_motion *motion, const md5_model *model, md5_error *error);

// Returns a joint of a document with the given transform.
md5_doc_joint convert_doc_joint(const char *name, uint32_t parent, convert_xform placed);

// A growing byte array. The caller frees `bytes`.
typedef struct convert_bytes {
    char *bytes;
    size_t size;
    size_t capacity;
} convert_bytes;

void convert_append(convert_bytes *out, const void *bytes, size_t size);
void convert_append_and_free(convert_bytes *out, char *text);
#define convert_append_text(out, ...) convert_append_and_free(out, common_format(__VA_ARGS__))

// Append little-endian values. convert_append_uint() appends the lowest `size` bytes of a number,
// at most 4. convert_append_words() appends `count` words of four bytes, integers or floats.
// convert_append_u32() appends one number of four bytes.
void convert_append_uint(convert_bytes *out, uint32_t number, size_t size);
void convert_append_words(convert_bytes *out, const void *words, size_t count);
void convert_append_u32(convert_bytes *out, uint32_t number);

// An input file in memory.
typedef struct convert_input {
    const char *path;
    char *bytes; // [size] and a 0 byte; a reader that takes ownership sets it to NULL
    size_t size;
} convert_input;

// A reader adds the content of a file to the scene. A writer writes the whole scene.
typedef bool convert_read_fn(const convert_job *job, convert_input *input, convert_scene *scene,
                             md5_error *error);
typedef bool convert_write_fn(const convert_job *job, const convert_scene *scene, md5_error *error);

convert_read_fn convert_read_md5;
convert_read_fn convert_read_machine;
convert_read_fn convert_read_gltf;
convert_read_fn convert_read_iqm;
convert_read_fn convert_read_bvh;
convert_read_fn convert_read_smd;
convert_read_fn convert_read_psk;
convert_read_fn convert_read_quake;
convert_read_fn convert_read_assimp;
convert_write_fn convert_write_md5;
convert_write_fn convert_write_gltf;
convert_write_fn convert_write_iqm;
convert_write_fn convert_write_obj;
convert_write_fn convert_write_quake;

// Creates a binary file of Doom 3 BFG from a document, in which parents must precede their
// children. `name` is the name of the model.
bool convert_create_bfg(const convert_job *job, const md5_doc *doc, const char *name,
                        convert_bytes *to, md5_error *error);

#endif
