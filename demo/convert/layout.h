// Where the files of an MD5 model go for an engine, and what lies beside them there: pictures,
// materials, declarations.
#ifndef DEMO_CONVERT_LAYOUT_H
#define DEMO_CONVERT_LAYOUT_H

#include "demo/convert/convert.h"

typedef struct convert_layout {
    const convert_job *job;
    const convert_scene *scene;
    convert_family family;
    uint32_t max_weights; // of a vertex; 0: any number
    bool has_one_clip;    // named as the model
    bool is_bare;         // no game: no declarations, and pictures are found by shaders' names
    char *folder;         // of the model and its clips
    char *name;           // of the model, without folder and ending
    char *declared;       // what its declarations are called
    char *root, *inner;   // the game's folder, and `folder` from there: "" or "models/imp/"
} convert_layout;

// Returns the layout for the engine of the job, or without one that of Doom 3. Never fails.
convert_layout convert_find_layout(const convert_job *job, const convert_scene *scene);
void convert_free_layout(convert_layout *layout);

// Gives the meshes of a model the names and shaders by which the engine finds their pictures. The
// caller frees `names`, which hold them.
void convert_name_meshes(const convert_layout *layout, md5_doc *doc, common_list *names);

// Writes pictures, and materials and a modelDef, or an md5.cfg, that name them. Does nothing if the
// scene has no materials and no engine is asked for. Without an engine or a folder pictures are
// all.
bool convert_write_looks(const convert_layout *layout, md5_error *error);

#endif
