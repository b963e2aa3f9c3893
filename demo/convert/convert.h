// Converts models, clips and camera paths between MD5 and other formats.
//
//   files --reader of their kind--> scene --writer of the output's kind--> files
//
// The middle of every conversion is MD5 itself: a scene holds the bytes of MD5 files, which readers
// of other formats make as documents (md5edit.h) and writers load with the library. So every pair
// of formats works, and what one loses is what MD5 cannot say or the output cannot; each loss is a
// note, with its size. Formats are the rows of one table (convert.c).
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

typedef enum convert_part_kind {
    CONVERT_MODEL,  // the scene's; further ones are its targets
    CONVERT_CLIP,   // of that model
    CONVERT_CAMERA, // a path
    CONVERT_TARGET, // a model that is a morph target of the scene's, by its name
} convert_part_kind;

// An MD5 file in memory: text, or a binary form that the library reads.
typedef struct convert_part {
    convert_part_kind kind;
    bool is_model; // a target that was read as a model
    bool is_worn;  // that is never a target
    char *name;    // of the file, without folder and ending; UTF-8; unique in its kind
    char *path;    // of the file that it was read from; NULL: made by a reader
    char *bytes;
    size_t size;
    char *rest; // of a clip whose file has a skeleton alone: that, as text of a mesh file
    size_t rest_size;
    bool is_captured; // where it begins, and which way, says nothing
    md5_vec3 motion;  // of a clip's root along the ground, which job->is_in_place has taken out
} convert_part;

typedef enum convert_map { // what a picture of a material is for
    CONVERT_MAP_COLOR,     // with alpha
    CONVERT_MAP_NORMAL,    // tangent space, red along +u, green along +v: down the picture, as id's
    CONVERT_MAP_SPECULAR,
    CONVERT_MAP_GLOW,
    CONVERT_NUM_MAPS,
} convert_map;

#define CONVERT_HIDDEN SIZE_MAX

typedef struct convert_picture { // PNG or JPEG
    char *name;                  // without folder and ending
    char *declared;              // as the material calls it, or NULL
    uint8_t *bytes;              // NULL: there is no such picture
    size_t size;
} convert_picture;

typedef enum convert_alpha { CONVERT_OPAQUE, CONVERT_MASK, CONVERT_BLEND } convert_alpha;

// How the meshes of one shader look. A shader without a material has none of this.
typedef struct convert_material {
    char *shader; // as in the meshes
    convert_picture maps[CONVERT_NUM_MAPS];
    convert_alpha alpha;
    float cutoff;                // of CONVERT_MASK
    bool is_two_sided, is_unlit; // unlit: it only glows
    bool is_flat;                // no two triangles share a normal
    char *text;                  // of the declaration, or NULL
} convert_material;

// Morph weights of a clip: rows of its own, as MD5 clips have joints only.
typedef struct convert_weights {
    char *clip, *target; // names of parts
    float *keys;         // [num_frames of the clip]
    size_t num_keys;
} convert_weights;

typedef struct convert_worn { // a model that became a part of the scene's
    char *path;               // NULL: made by a reader
    uint32_t first;           // its first mesh in that
} convert_worn;

// The names of a scene's parts, which convert_add_part() makes unique.
typedef struct convert_names {
    common_text_index index; // of kinds and names in lower case
    uint32_t *num_copies;    // [index.count] parts that were renamed to NAME_2, NAME_3 ...
    size_t num_parts;        // of the scene whose names are in the index
} convert_names;

typedef struct convert_scene { // each array grows by common_grow()
    char *name;                // of the output's files, without folder and ending
    convert_part *parts;
    size_t num_parts;
    convert_names names;
    convert_material *materials;
    size_t num_materials;
    // [num_looks] 1 + the number of a mesh's material; 0, none: that of its shader; CONVERT_HIDDEN
    size_t *looks;
    size_t num_looks;
    convert_worn *worn; // [num_worn]
    size_t num_worn;
    bool declares; // pictures were said: an MD5 model gets materials with them
    convert_weights *weights;
    size_t num_weights;
    double unit; // MD5's units in one of the input, where a reader chose it; else 0
    double turn; // degrees by which the writer of a glTF file says that it turned it
} convert_scene;

typedef struct convert_job convert_job;

// Adds a part, whose bytes [size] it takes over; makes its name unique. A model behind the first
// one becomes a target, if its meshes are not joined to that when all is read.
void convert_add_part(convert_scene *scene, convert_part_kind kind, const char *name,
                      const char *path, char *bytes, size_t size);

// The same of a document, as text, whose bytes are charged to the job's budget. Frees nothing.
// Returns false if it cannot be written.
bool convert_add_doc(const convert_job *job, convert_scene *scene, convert_part_kind kind,
                     const char *name, const md5_doc *doc, md5_error *error);

// Writes a document as text; *text is freed before. Returns false if it cannot be written.
bool convert_print_doc(const md5_doc *doc, char **text, size_t *size, md5_error *error);

// The model of a scene; NULL if there is none.
const convert_part *convert_find_model(const convert_scene *scene);

// What a part holds, loaded by the library. NULL: it cannot be.
md5_doc *convert_parse_doc(const convert_part *part, md5_error *error);
md5_model *convert_parse_model(const convert_part *part, md5_error *error);

// Frees what a part, or a scene, holds.
void convert_free_part(const convert_part *part);
void convert_free_scene(convert_scene *scene);

// -- Jobs -----------------------------------------------------------------------------------------

// What a conversion does. 0 in a member is its default.
struct convert_job {
    const char *const *inputs; // [num_inputs] paths; several: a model and clips, in any formats
    size_t num_inputs;
    const char *output; // a path, whose ending says the format; or a folder, for MD5 files
    bool is_forced; // writes over files, goes on where a loss is above 1 % of the size, and leaves
                    // out clips of which no joint is the model's
    // Of what is written:
    uint32_t influences; // of a vertex: 4 (the default) to 16, where the format limits them
    double scale;        // units of the output in one of the input; 0: as the formats say
    double turn;         // degrees about the vertical axis, counterclockwise from above
    double rate;         // frames a second of all clips; 0: as they have, or their keys, or 60
    double tolerance;    // with which keys are reduced, in units of the input; 0: all are kept
    uint32_t range[2];   // frames of clips, the first and the last, from 0; equal: all
    bool was_y_up;       // y is up in the input
    bool is_y_up;        // OBJ: y up, z forward, x left; else MD5's axes
    bool is_in_place;    // the root's motion along the ground is taken out
    bool is_id_root;     // its place in the base frame is taken off, as id's engine does
    bool keeps_root;     // it is not, also in frames, whose entities games move
    bool is_quantized;   // glTF: KHR_mesh_quantization
    bool is_batch;       // of the models of a folder: with declarations also without an engine
    bool is_fitted;      // vertices that MD5's weights scatter are fitted to the clips
    struct convert_scene *carried; // only the clips for `target` are made, and given to it; or NULL
    FILE *prints_map;              // only who moves whom is printed to it, as a map; or NULL
    const char *scene_name;        // glTF: which scene, or a node
    const char *target, *map; // the model that clips are for; a file of "source target" joint names
    const char *pairs;        // more lines of such a map, with ; between them, which may replace it
    const char *palette;      // a file, of Quake's pictures; NULL: that of the game
    const char *engine;       // whose limits the output keeps; NULL: MD5's
    const char *const *engines; // [num_engines] all that are asked, that one first
    size_t num_engines;
    const char *const *tags; // MD3: [num_tags] "JOINT" or "JOINT=TAG"
    size_t num_tags;
    // What is said of meshes, by name, shader or number: for each map "[MESH=]FILE", without a mesh
    // of all; at last "MESH", which is left out.
    common_texts said[CONVERT_NUM_MAPS + 1];
    common_texts worn; // paths of models that become a part of the first one, on its joints
    const common_list *shaders; // of the meshes, as a skin shows them, or NULL
    md5_game *game;  // with declarations of materials, used by this call alone; NULL: those around
    md5_files files; // from where inputs are read; 0: from disk
    // Called with each loss, guess and choice, as a sentence without a full stop.
    void (*note)(void *user, const char *text);
    // Called with each wrong line of a map, which is passed over; NULL: it is an error.
    void (*warn)(void *user, const md5_error *warning);
    void (*wrote)(void *user, const char *path); // called with each file that was written, or NULL
    bool (*goes_on)(void *user); // asked before each file; false: the conversion fails; or NULL
    void *user;
    // Limits and collects the notes of the file that is being read: budget.h. Callers leave it
    // NULL.
    struct convert_budget *budget;
};

// Reads the inputs, and writes the output. Returns false and fills `error`; then no file is there
// that was not before, but perhaps some of several. Time and memory are linear in the files.
// Nothing is global: calls may run at the same time.
bool convert_files(const convert_job *job, md5_error *error);

// Reads the inputs alone, and joins what the model wears to it.
bool convert_read_all(const convert_job *job, convert_scene *scene, md5_error *error);

// Returns the path that the model, or all that is written, goes to: job->output, or where the
// engine looks for it. The output is not a folder. Free the result.
char *convert_find_output(const convert_job *job);

// Prints the formats that can be read and written, a line each.
void convert_print_formats(void);

// Returns the first ending of each format that can be written, without the point.
common_list convert_list_outputs(void);

// Whether a path has the ending of a format that can be read, or written.
bool convert_reads(const char *path);
bool convert_writes(const char *path);

// Whether an engine is one whose limits models of frames keep: MDL, MD2, MD3.
bool convert_has_frames(const char *engine);

// Whether a file of a format that has models and clips, as IQM, holds no mesh: clips, whose joints
// may have no names there; they are taken from a model that is read before.
bool convert_is_clip(const char *path);

// -- For readers and writers ----------------------------------------------------------------------

// Names the file that an error is of.
void convert_name_file(md5_error *error, const char *path);

// Says in `error` what is wrong; `path` may be NULL. Returns false.
bool convert_fail(md5_error *error, md5_status status, const char *path, const char *format, ...)
    COMMON_PRINTF(4, 5);

typedef enum convert_family {
    CONVERT_DOOM3,  // GAME/models/...: materials/NAME.mtr and def/NAME.def declare them
    CONVERT_QUAKE,  // progs/NAME.md5mesh and its one clip NAME.md5anim; skins SHADER_00_00
    CONVERT_QUAKE2, // .../md5/NAME.md5mesh and its one clip
    CONVERT_CUBE2,  // a folder of a model's own, whose md5.cfg names its files and pictures
    CONVERT_OTHER,  // pictures only
} convert_family;

typedef struct convert_engine {
    const char *names; // each between blanks
    convert_family family;
    uint32_t max_weights; // of a vertex; 0: any number
} convert_engine;

// Whether an engine, perhaps with a version behind it, is one of those names.
bool convert_is_among(const char *names, const char *engine);

// The engine of a name, as of `md5tool check --for`; Doom 3 if there is none.
const convert_engine *convert_find_engine(const char *name);

// Passes a note on, or collects it if the job has a budget.
void convert_note(const convert_job *job, const char *format, ...) COMMON_PRINTF(2, 3);

// The same of the camera paths and, with_targets, morph targets of a scene that has some; `to`: the
// format.
void convert_note_others(const convert_job *job, const convert_scene *scene, const char *to,
                         bool with_targets);

// Returns the first `most` bytes of a text, of which those that control or are refused become _:
// MD5 texts cannot hold CONVERT_QUOTE. The caller frees it.
#define CONVERT_QUOTE "\""
char *convert_clean(const char *text, size_t most, const char *refused);

// Returns a name for a file of what a format calls `name`: bytes that could lead elsewhere, or that
// systems refuse, become _. The caller frees it.
char *convert_file_name(const char *name);

// Reads a file to its end, with a 0 behind it; free() the result. NULL: it cannot be read.
char *convert_read_file(const char *path, size_t *size, md5_error *error);

// Whether the job goes on; fills `error` if it does not.
bool convert_goes_on(const convert_job *job, md5_error *error);

// Writes a file as a whole; refuses to write over one unless the job is forced.
bool convert_write_file(const convert_job *job, const char *path, const void *bytes, size_t size,
                        md5_error *error);

// The same into the folder of the job's output, where a picture that is the same stays.
bool convert_write_beside(const convert_job *job, const char *name, const void *bytes, size_t size,
                          md5_error *error);

// Finds which meshes of the model are hidden and, if it `finds`, how the others look, as the viewer
// does, and adds their materials; by_shader: one for each shader. Of what is not found, or a guess,
// there are notes. False: a model, or a picture that was said, cannot be read.
bool convert_find_looks(const convert_job *job, convert_scene *scene, bool finds, bool by_shader,
                        md5_error *error);

// Returns a normal map whose green points up the picture, of one in which it points down, or the
// other way: a PNG file, to be freed. Its pixels are charged to the job's budget. NULL: it cannot
// be made.
uint8_t *convert_turn_green(const convert_job *job, const convert_picture *in, size_t *size,
                            md5_error *error);

// Gives a material a small picture of one linear color: red, green, blue and, of CONVERT_MAP_COLOR,
// alpha. Says so.
void convert_paint(const convert_job *job, convert_material *material, convert_map map,
                   const double *color);

// Returns ".png" or ".jpg", as its bytes say.
const char *convert_picture_ending(const convert_picture *picture);

// The numbers that MD5 stores, without what is only rounding error, and -0: of a point; x y z of a
// rotation, of both that are the same the one whose w is not above 0.
md5_vec3 convert_stored_point(convert_vec v);
md5_vec3 convert_stored(convert_quat q);

// A skeleton that moves: what readers of clips and retargeting make.
typedef struct convert_joint {
    const char *name;
    uint32_t parent;    // MD5_NONE: a root
    convert_xform rest; // relative to the parent, for those who need it
} convert_joint;

typedef struct convert_motion {
    const char *path; // of its file, for notes
    uint32_t num_joints;
    uint32_t num_frames;
    double rate;
    const convert_joint *joints; // [num_joints]
    md5_bounds *bounds;          // [num_frames], which pose() may set; NULL: the clip has none
    float rounding;              // up to which joints stand still, of 1; 0: 1e-7
    // Writes local[num_joints] of a frame, relative to the parents. Frames are asked for in order.
    void (*pose)(void *user, uint32_t frame, convert_xform *local);
    void *user;
} convert_motion;

// Adds a clip. Numbers that no frame changes stand in its base frame, which is the first frame.
// With a model, which may be NULL, bounds are those of its skin. Fails if a number is beyond 1e9 or
// the job's budget is exceeded.
bool convert_add_clip(const convert_job *job, convert_scene *scene, const char *name,
                      const convert_motion *motion, const md5_model *model, md5_error *error);

// A joint of a document, which is placed as it is there.
md5_doc_joint convert_doc_joint(const char *name, uint32_t parent, convert_xform placed);

typedef struct convert_bytes { // that grow; free() bytes
    char *bytes;
    size_t size;
    size_t room;
} convert_bytes;

void convert_put(convert_bytes *out, const void *bytes, size_t size);
void convert_put_free(convert_bytes *out, char *text);
#define convert_put_text(out, ...) convert_put_free(out, common_format(__VA_ARGS__))

// Put the low bytes of a number, up to 4; words of four bytes, numbers or floats; the low byte
// first.
void convert_put_number(convert_bytes *out, uint32_t number, size_t size);
void convert_put_words(convert_bytes *out, const void *words, size_t count);
void convert_put_u32(convert_bytes *out, uint32_t number);

typedef struct convert_input {
    const char *path;
    char *bytes; // [size] and a 0 behind; a reader that keeps them sets NULL
    size_t size;
} convert_input;

// A format: readers add what a file holds to the scene; writers write all of it.
typedef bool convert_read_fn(const convert_job *job, convert_input *input, convert_scene *scene,
                             md5_error *error);
typedef bool convert_write_fn(const convert_job *job, const convert_scene *scene, md5_error *error);

convert_read_fn convert_read_md5, convert_read_machine, convert_read_gltf, convert_read_iqm;
convert_read_fn convert_read_bvh, convert_read_quake, convert_read_assimp;
convert_write_fn convert_write_md5, convert_write_gltf, convert_write_iqm, convert_write_obj;
convert_write_fn convert_write_quake;

// Makes the file of Doom 3 BFG that holds a document, whose joints are sorted; `name` is a model's.
bool convert_make_bfg(const convert_job *job, const md5_doc *doc, const char *name,
                      convert_bytes *to, md5_error *error);

#endif
