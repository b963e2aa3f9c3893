// The import of a file with libassimp, in the separate process that runs libassimp. The files
// assimp*.c share these declarations.
#ifndef DEMO_CONVERT_ASSIMP_IMPORT_H
#define DEMO_CONVERT_ASSIMP_IMPORT_H

#include "demo/convert/budget.h"

#if defined(HAS_ASSIMP) && defined(HAS_JANSSON)

#include "demo/convert/fbx_curves.h"
#include "demo/convert/gltf_out.h"

#include <assimp/cimport.h>
#include <assimp/scene.h>

enum { ASSIMP_NONE = -1 }; // index of a node that does not exist

// The data of a job that the separate process needs.
typedef struct assimp_order {
    const convert_input *input;
    double rate;
    bool is_another; // another file was read into the scene before
} assimp_order;

// Features of a file that libassimp ignores or reports too late. ASSIMP_CURVES are keys that
// are not interpolated linearly. ASSIMP_BLENDS and ASSIMP_DUALS are skins that are not linear.
// ASSIMP_MORPHS are morph targets with a weight in the rest pose. ASSIMP_CACHES are files with the
// positions of all vertices in each frame. ASSIMP_SUBDIVISIONS are meshes that are displayed with
// subdivision. ASSIMP_NURBS are NURBS surfaces.
enum {
    ASSIMP_CURVES,
    ASSIMP_BLENDS,
    ASSIMP_DUALS,
    ASSIMP_MORPHS,
    ASSIMP_CACHES,
    ASSIMP_SUBDIVISIONS,
    ASSIMP_NURBS,
    ASSIMP_NUM_FEATURES
};
typedef struct assimp_fbx_info {
    unsigned version; // the oldest supported version if it is unknown
    bool has[ASSIMP_NUM_FEATURES];
} assimp_fbx_info;

// A node of libassimp's scene. A channel is the animation of one node in one clip.
typedef struct assimp_node {
    const struct aiNode *source;
    int parent;                       // index, which is less than the index of this node
    int above;                        // nearest ancestor that is not a pivot
    int pivots;                       // first of the pivots of this node, or ASSIMP_NONE
    int post;                         // pivot with Rpost^-1, or ASSIMP_NONE
    bool is_pivot;                    // an importer's helper without meshes
    bool is_geometric;                // a pivot with a geometric factor, or with its inverse
    bool is_bone;                     // a mesh uses the node as a bone
    bool is_moved;                    // a clip animates the node or one of its pivots
    bool is_joint;                    // a bone or a descendant of a bone
    bool is_above_bone;               // an ancestor of a bone
    bool is_skin;                     // has a mesh with bones
    bool is_changing;                 // changes from frame to frame in the current clip
    bool is_still;                    // needs no channels, because it stays in the rest pose
    const struct aiNodeAnim *channel; // in the current clip, or NULL
    size_t model;                     // index of the model in the FBX file, or SIZE_MAX
    bool has_same_rest;               // libassimp and the FBX file give the same rest pose
    bool has_curves;          // the curves of the FBX file replace the channel in the current clip
    bool is_replaced;         // a pivot: the curves of its node contain its transform
    struct aiMatrix4x4 local; // relative to `above`, at the current time
    struct aiMatrix4x4 rest;  // relative to `above`, in the rest pose
    struct aiMatrix4x4 first; // relative to `above`, in the first frame of the clip
} assimp_node;

// The triangles of a mesh.
typedef struct assimp_triangles {
    uint32_t *indices; // [num_indices]; NULL: libassimp's faces are complete
    size_t num_indices;
} assimp_triangles;

// State of an import, in the separate process.
typedef struct assimp_importer {
    const struct aiScene *scene;
    const char *path;
    assimp_node *nodes; // [num_nodes]
    int num_nodes;
    bool has_bones;
    assimp_triangles *triangles; // [scene->mNumMeshes]
    fbx_curves *curves;          // or NULL
    gltf_out file;
    FILE *out;
    convert_job job; // passes notes on as lines, within the budget
    convert_budget budget;
    md5_error error;
} assimp_importer;

// The separate process sends lines of text, then ASSIMP_FILE_MARK and the bytes of the file. The
// first letter of a line is its kind. A loss is an error, unless --force is given. The line and
// column of the file can follow it.
#define ASSIMP_NOTE "n"
#define ASSIMP_LOSS "l"
#define ASSIMP_PROBLEM "e"
#define ASSIMP_LOCATION ":%u:%u: "
enum { ASSIMP_FILE_MARK = 'g' };

// Advice for files that libassimp cannot read.
#define ASSIMP_EXPORT_ADVICE "export the file again, as glTF (.glb) if possible"

// -- Messages and the budget (assimp_messages.c) --------------------------------------------------

// Collects a line for the reading process. The format begins with ASSIMP_NOTE, ASSIMP_LOSS or
// ASSIMP_PROBLEM. Lines with the same format are limited in number; further lines are only counted.
void assimp_add_line(assimp_importer *importer, const char *format, ...) COMMON_PRINTF(2, 3);

// Returns the index of the first number that glTF files cannot contain, or `count`. Such numbers
// are larger than 1e30, infinite, or NaN.
size_t assimp_find_invalid(const float *numbers, size_t count);

// Advice for numbers that assimp_find_invalid() finds.
#define ASSIMP_EXPECTED_NUMBERS "expected numbers from -1e30 to 1e30"
#define ASSIMP_REPAIR_ADVICE "repair the value and export the file again"

// Charges elements to the budget of the file. Returns false and reports an error if it is exceeded.
bool assimp_charge(assimp_importer *importer, uint64_t num_elements);

// Charges memory to the budget of the file. Returns false and reports an error if it is exceeded.
bool assimp_charge_bytes(assimp_importer *importer, uint64_t count, uint64_t size);

// -- Features of FBX files (assimp_fbx.c) ---------------------------------------------------------

// Searches the bytes of a file for the version of FBX and for features that libassimp ignores or
// reports too late.
assimp_fbx_info assimp_find_fbx_info(const convert_input *input);

// Fails for versions of FBX that libassimp reads incorrectly, and reports contents that it skips.
bool assimp_check_fbx(assimp_importer *importer, const assimp_fbx_info *info);

// -- Nodes (assimp_nodes.c) -----------------------------------------------------------------------

// Returns the first node with a name, or ASSIMP_NONE.
int assimp_find_node(assimp_importer *importer, const struct aiString *name);

// Lists all nodes level by level, without recursion. Then finds out which nodes are joints, are
// above joints, or are moved by clips.
void assimp_list_nodes(assimp_importer *importer);

// Returns the time of a key in ticks. The types of keys in libassimp differ, but all begin with the
// time. `keys` is an array whose elements have `stride` bytes.
double assimp_get_key_time(const void *keys, size_t stride, unsigned index);

// Converts four columns in double precision to libassimp's row-major matrix.
struct aiMatrix4x4 assimp_matrix_from_affine(const convert_affine *a);

// Computes the transforms of all nodes at a time.
void assimp_evaluate(assimp_importer *importer, double seconds, double ticks_per_second);

// Splits a transform into translation t[3], rotation r[4] and scale s[3], as glTF stores it.
void assimp_split(const struct aiMatrix4x4 *m, float *t, float *r, float *s);

// Writes a matrix by columns, as glTF stores it.
void assimp_put_matrix(struct aiMatrix4x4 m, float *columns);

// Returns the name of a node in the file. libassimp can have another one: see fbx_rename_models().
const char *assimp_node_name(const assimp_importer *importer, const assimp_node *node);

// Returns false and adds a line if the rest pose of a node contains an invalid number.
bool assimp_check_rest_poses(assimp_importer *importer);

// Computes the rest pose of all nodes. Finds the FBX model that belongs to each node, so that
// errors of libassimp in the rest pose can be corrected.
void assimp_find_rest_poses(assimp_importer *importer);

// Adds all nodes in their rest pose, with the same indices as in importer->nodes. Pivots have no
// parent and are not part of the scene. An additional node at the end is the root, and converts the
// axes of the file to glTF's axes.
void assimp_add_nodes(assimp_importer *importer);

// -- Polygons (assimp_polygons.c) -----------------------------------------------------------------

// Divides all polygons into triangles. Reports polygons that intersect themselves. Adds a line and
// returns false after an error.
bool assimp_divide_polygons(assimp_importer *importer);

// -- Meshes and materials (assimp_meshes.c) -------------------------------------------------------

// Adds a mesh of one primitive and its node, if it has triangles. `index` is the mesh's index in
// libassimp's scene. Returns false after an error.
bool assimp_add_mesh(assimp_importer *importer, unsigned index, size_t node_index);

// Adds all materials to the glTF file. libassimp stores each map under one of two types, depending
// on the format of the file, so both are tried. A material without a color texture gets its diffuse
// color.
void assimp_add_materials(assimp_importer *importer);

// -- Clips (assimp_clips.c) -----------------------------------------------------------------------

// Samples an animation of libassimp at equal time steps and adds it to the glTF file as a clip.
// Reports keys and tracks that the samples do not reproduce. Returns false after an error, such
// as a clip that is too long.
bool assimp_add_clip(assimp_importer *importer, const struct aiAnimation *source,
                     const assimp_order *job, const assimp_fbx_info *info);

#endif
#endif
