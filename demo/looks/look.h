// Finds the textures of a mesh: in declarations of files, by the rules of the Quake re-releases, or
// by the names of images.
//
// Start with view_open_package() and view_find_look().
#ifndef DEMO_LOOKS_LOOK_H
#define DEMO_LOOKS_LOOK_H

#include "demo/common/file.h"
#include "demo/common/game_folder.h"
#include "md5/md5dialects.h"
#include "render/md5gl_material_files.h"

// Receives warnings. Each warning is a text without a full stop. `warn` is never NULL.
typedef struct view_listener {
    void (*warn)(void *user, const char *text);
    void *user;
} view_listener;

// -- Names ---------------------------------------------------------------------------------------
//
// This section contains functions for the words in names of files, meshes and shaders.

// A name as words in lower case, each between spaces, such as " red deer 1 ". A longer name is cut.
typedef struct view_name {
    char words[112];
} view_name;

// Splits a name into words. Words end at all characters except letters and digits, between letters
// and digits, and before capital letters. For example, "redDeer_01" has three words.
view_name view_split_name(const char *name);

// Returns the percentage of the letters in `a` whose words are also in `b`. A word of four letters
// or more can also be a part of a word in `b`. Returns 0 if both names contain numbers and the
// numbers differ.
uint32_t view_name_similarity(const view_name *a, const view_name *b);

// Returns true if view_read_image() can read a file, according to its extension.
bool view_is_image(const char *path);

// Returns the name of a map in messages, such as "normal map".
const char *view_map_name(md5gl_image_kind map);

// Returns the kind of map that the name of an image indicates, such as a normal map for
// "imp_local.tga". A name without a keyword indicates the color map.
md5gl_image_kind view_guess_map(const char *path);

// Returns the file in `files` whose name equals the name of `diffuse` except for the suffix of this
// map: id's _local, _h, _s, _add or another common suffix. Returns a pointer into `files` or NULL.
const char *view_find_map(const common_list *files, const char *diffuse, md5gl_image_kind map);

// Returns true if the last word of a name indicates a map other than the color map, as in
// "imp_local.tga" or "normals.png".
bool view_is_non_color_map(const view_name *name);

// Returns the image of a material's map. It is the image of the first stage for diffuse, bump or
// specular light. If there is no diffuse stage, the diffuse map is the image of the first stage
// that has one. Returns NULL if there is no such image.
const md5_image_program *view_material_image(const md5_material *material, md5gl_image_kind map);

// Returns the bytes of a file, followed by a zero byte. `files` can read from other places than the
// disk. The caller frees the bytes. Returns NULL if the file cannot be read. `error` is unchanged
// if `files` does not fill it.
char *view_copy_file(md5_files files, const char *path, size_t *size, md5_error *error);

// Returns true if text[length] is the name, the shader or the index of a mesh.
bool view_is_mesh(const md5_model *model, uint32_t number, const char *text, size_t length);

// -- Appearances ---------------------------------------------------------------------------------

// The appearance of a mesh. Paths can be NULL.
typedef struct view_look {
    char *diffuse;
    char *normals;
    char *masks;      // masks of Cube 2's engines
    float specular;   // factor of the specular mask, 0 to 1
    float glow;       // factor of the glow mask, 0 to 1
    float alpha_test; // md5gl_material.alpha_test
    bool two_sided;

    // Results of view_find_look():
    bool is_declared; // a file declares `diffuse`
    bool is_guess;    // `diffuse` was selected by similar names
    char *why; // reason for `diffuse`: "the model's name, in the parent folder (60)"; or NULL
    // Images of an animated texture after the first image, `diffuse`.
    char *later_images[MD5_MAX_QUAKE_IMAGES - 1]; // [num_later_images]
    uint32_t num_later_images;
    common_list tried; // if `diffuse` is NULL: the best images and the reasons against them
    // Entries of view_add_searched_name(), in the order of the search.
    common_list searched_locations;
} view_look;

// Frees the members. A zeroed structure is allowed.
void view_free_look(view_look *look);

// Returns the appearance of a mesh in a part of an md5.cfg, with paths as in the file. Free it with
// view_free_look().
view_look view_cube_look(const md5_cube2 *cube, const md5_cube2_part *part, const char *mesh);

// Adds a name that was searched: "+" if `is_found`, otherwise "-", and the text. Frees the text.
void view_add_searched_name(view_look *look, bool is_found, char *text);

// -- The files around a model --------------------------------------------------------------------
//
// A package is the folder of the game or mod that contains a model, with its images and
// declarations. It is the nearest ancestor of the model that contains the model in a folder
// "models" or "progs", and also contains folders such as "materials". If there is no such ancestor,
// it is the model's folder, if that contains such folders.
//
// Without a package, only the model's folder and its parent are searched, and only the model's
// folder can contain declarations. Each name in a file is searched in the list of existing files,
// ignoring case. No name can therefore lead out of the package or to another machine.

typedef struct view_package view_package; // see below

// Opens the package that contains a model. It never fails: without a package, the folders around
// the model are searched. Files are read on the first search. Free the result with
// view_close_package().
//
// `reader` is NULL or must outlive the package. With a reader, only the model's folder and its
// subfolders are searched, and links are not followed. There is no root, and the game contains only
// the materials in that folder. These materials and md5.cfg files are read with the reader.
view_package *view_open_package(const char *model_path, const md5_files *reader);
void view_close_package(view_package *package);

// Returns the package's declarations, or NULL if there are none. `package` can be NULL. `warnings`
// receives the faults of a declaration when it is parsed, which happens on its first use. It must
// exist until view_silence_package() or view_close_package().
md5_game *view_package_game(view_package *package, view_listener warnings);

// Does not report faults of declarations that are parsed from now on. `package` can be NULL.
void view_silence_package(view_package *package);

enum { VIEW_MAX_SCRIPTS = 64 };

// Location of an image relative to the model.
typedef enum view_location {
    VIEW_SAME_FOLDER,      // in the model's folder or in its subfolder "textures"
    VIEW_SUBFOLDER,        // in another subfolder of the model's folder
    VIEW_PARENT_FOLDER,    // in the parent folder
    VIEW_PARENT_SUBFOLDER, // in another subfolder of the parent folder
    VIEW_ELSEWHERE,
    VIEW_NUM_LOCATIONS,
} view_location;

typedef struct view_image_file {
    char *path;
    char *stem;     // the path without extension
    view_name name; // words of the stem's last part
    view_location location;
} view_image_file;

struct view_package {
    char *root;              // the package's folder, or NULL
    view_image_file *images; // [num_images] images that were listed until now
    size_t num_images;

    // The remaining members are private to this folder.
    char *model;             // absolute path
    char *folder;            // absolute path of the model's folder
    char *parent;            // the parent folder, or NULL if it is not searched
    char *last_ancestor;     // the last ancestor in which names are searched, or NULL
    const md5_files *reader; // argument of view_open_package()
    bool is_near_listed;
    bool is_all_listed;
    bool is_game_open;
    view_name *models; // [num_models] specific names of other models in the model's folder
    size_t num_models;
    common_list scripts;                // the md5.cfg files around the model
    md5_cube2 *cubes[VIEW_MAX_SCRIPTS]; // [num_cubes] the parsed scripts; NULL if damaged
    size_t num_cubes;
    common_game_paths paths;
    common_list declaration_files; // if there is a reader: .mtr files in the model's folder
    view_listener warnings; // receives faults of declarations; `warn` is NULL if none are reported
    md5_game *game;
};

// The Quake re-release to which a model belongs. Its models are stored next to the models that they
// replace.
typedef enum view_quake {
    VIEW_QUAKE_NONE,
    VIEW_QUAKE_1, // in a folder "progs"
    VIEW_QUAKE_2, // in a folder "md5", with an .md2 of the same name in the parent folder
} view_quake;

// Returns the game of a model file, as its folder indicates.
view_quake view_detect_quake_game(const char *path);

// -- The appearance of a mesh --------------------------------------------------------------------

typedef struct view_look_search {
    const md5_model *model;
    uint32_t mesh;
    view_package *package; // package of the model
    uint32_t skin;         // skin of a model of the Quake re-releases
    const view_look
        *cfg_look; // appearance in the opened md5.cfg, with paths as in that file; or NULL
} view_look_search;

// Finds the appearance of a mesh. Each image gets a score from the evidence that it belongs to the
// mesh. The image with the highest score is selected, unless the score is low or another image has
// nearly the same score.
//
// Evidence in descending order:
// - declarations: materials/*.mtr and scripts/*.shader of the package, an md5.cfg around the model
//   that loads the model
// - the images of a model of the Quake re-releases
// - the shader as a path relative to the model's folder or to an ancestor; it can be a path on the
//   author's machine
// - the names of shader, model, mesh and folder, words such as "skin", the only image
// The score of a name is lower if the name is less specific, if the model has several materials, or
// if the image is farther away. A declared image that does not exist is not replaced by another
// image. Comparisons of names ignore case, extensions and suffixes of color maps (_d, _diffuse,
// ...). Tiny images have a lower score.
//
// Only images in the list of `package` are opened, never a path from a file. Free the result with
// view_free_look().
view_look view_find_look(const view_look_search *search, view_listener warnings);

// -- .shader files -------------------------------------------------------------------------------
//
// Materials of Unvanquished and other games based on Quake III.

// Finds the material `name` in the text of a .shader file, ignoring case, the kind of slashes and
// an extension, and writes its appearance: images without extensions, to be freed with
// view_free_look(). Returns true if the file contains the material. An error in the file is a
// warning with line and column; `path` is the name of the file in messages. Time is linear in the
// size.
bool view_read_shader(const char *path, const char *text, size_t size, const char *name,
                      view_look *look, view_listener warnings);

#endif
