// The layout of a model's files for an engine. It consists of their paths, and of the images,
// materials and declarations that are written next to the model.
#ifndef DEMO_CONVERT_LAYOUT_H
#define DEMO_CONVERT_LAYOUT_H

#include "demo/convert/convert.h"

// Images are searched for and declared only for this number of meshes of a model.
enum { CONVERT_MAX_SEARCHED_MESHES = 4096 };

// Paths and names of a model's files for one engine.
typedef struct convert_layout {
    const convert_job *job;
    const convert_scene *scene;
    convert_family family;
    uint32_t max_weights; // weights per vertex; 0: no limit
    bool has_one_clip;    // the engine reads a single clip, which has the name of the model
    bool is_bare;         // there is no game: no declarations, and images are named after shaders
    char *folder;         // folder of the model and its clips
    char *name;           // name of the model, without folder and extension
    char *declared;       // name of the declarations
    char *root;           // folder of the game
    char *inner;          // `folder` relative to `root`: "" or "models/imp/"
} convert_layout;

// Returns the layout for the engine of the job, or for Doom 3 if the job has no engine. Never
// fails.
convert_layout convert_find_layout(const convert_job *job, const convert_scene *scene);
void convert_free_layout(convert_layout *layout);

// Changes the names and shaders of a model's meshes so that the engine finds their images. `names`
// owns the new texts; the caller frees it.
void convert_name_meshes(const convert_layout *layout, md5_doc *doc, common_list *names);

// Writes images, and materials with a modelDef or an md5.cfg that refer to them. Without an engine
// or a folder, only images are written. Does nothing if the scene has no materials and the job has
// no engine.
bool convert_write_materials(const convert_layout *layout, md5_error *error);

#endif
