// How a mesh looks: by what files declare of it, by Quake's rules, or by the names of images.
#ifndef DEMO_LOOKS_LOOK_H
#define DEMO_LOOKS_LOOK_H

#include "demo/common/file.h"
#include "demo/common/game_folder.h"
#include "md5/md5dialects.h"
#include "render/md5gl_material_files.h"

// Where warnings go: each is a text without a full stop. `warn` is never NULL.
typedef struct view_listener {
    void (*warn)(void *user, const char *text);
    void *user;
} view_listener;

// -- Names ---------------------------------------------------------------------------------------
//
// The words of names of files, meshes and shaders: what they say, and which names mean the same.

// Words in lower case, each between spaces: " red deer 1 ". A longer name is cut off.
typedef struct view_name {
    char words[112];
} view_name;

// Splits a name at all but letters and digits, between both, and before capitals: "redDeer_01".
view_name view_split_name(const char *name);

// The share of the letters of `a`, in percent, that are in words which `b` has, too. Words of
// four letters or more may be within others. 0 if both have numbers, and not the same ones.
uint32_t view_share_in(const view_name *a, const view_name *b);

// Whether a file is an image that view_read_image() reads, by its extension.
bool view_is_image(const char *path);

// The name of a map in messages: "normal map", ...
const char *view_map_name(md5gl_image_kind map);

// Returns the map that the name of an image says it is: "imp_local.tga"; else the texture.
md5gl_image_kind view_map_of(const char *path);

// Returns the file among `files` whose name equals that of `diffuse` except for the suffix of this
// map: id's _local, _h, _s, _add and other common ones. NULL if there is none; points into `files`.
const char *view_find_map(const common_list *files, const char *diffuse, md5gl_image_kind map);

// Whether an image of this name is a map other than the colour map, by its last word:
// "imp_local.tga", "normals.png".
bool view_is_other_map(const view_name *name);

// Returns the picture that a material has as a map: of its first stage for diffuse, bump or
// specular light, or for the diffuse map of a material without one its first stage with a picture.
// NULL if there is none.
const md5_image_program *view_material_image(const md5_material *material, md5gl_image_kind map);

// Returns the bytes of a file that need not be on disk, with a 0 behind them, to be freed; NULL if
// it cannot be read. Without a reason `error` is as it was.
char *view_copy_file(md5_files files, const char *path, size_t *size, md5_error *error);

// Whether text[length] is the name, the shader or the number of a mesh.
bool view_is_mesh(const md5_model *model, uint32_t number, const char *text, size_t length);

// -- Looks ---------------------------------------------------------------------------------------

typedef struct view_look {
    char *diffuse, *normals; // paths, or NULL
    char *masks;             // of Cube 2's engines: see image.h; a path, or NULL
    float specular, glow;    // shares of what the masks say, 0 to 1
    float alpha_test;        // md5gl_material.alpha_test
    bool two_sided;
    // Of view_find_look():
    bool is_declared; // a file says which image `diffuse` is
    bool is_guess;    // likely names say it
    char *why;        // NULL, or why it was taken: "the model's name, in a folder beside it (85)"
    char *turns[MD5_MAX_QUAKE_IMAGES - 1]; // images that are shown in turn with `diffuse`
    uint32_t num_turns;
    common_list tried;  // without `diffuse`: the likeliest images, and why they were not taken
    common_list looked; // of view_note_looked(), in the order in which it was sought
} view_look;

void view_free_look(view_look *look); // a zeroed one is allowed

// Returns how a mesh of a part of an md5.cfg looks, with paths as in the file, to be freed with
// view_free_look().
view_look view_cube_look(const md5_cube2 *cube, const md5_cube2_part *part, const char *mesh);

// Adds a name that was looked for: "+" if it `is_found`, else "-", and the text, which it frees.
void view_note_looked(view_look *look, bool is_found, char *text);

// -- What lies around a model --------------------------------------------------------------------
//
// A package is the folder of a game or a mod that a model is in, with its pictures and its
// declarations: the nearest one above with a folder "models" or "progs" that the model is in, if
// folders such as "materials" are beside that; else the model's own folder, if they are in that.
// What lies above says nothing: a model in neither is searched for with the folder above its own,
// and the model's folder alone may have declarations. Each name out of a file is sought among the
// files that are there, ignoring case, so that none leads out of the package or to another machine.

typedef struct view_package view_package; // see below

// Opens the package that contains the model; if there is none, the folders around the model are
// searched alone. Files are read on the first search. Never fails. Free with view_close_package().
// With a `reader`, which must outlive the package, the model's folder and those in it alone, links
// left out: there is no root then, and its game has but the materials in that; they and an md5.cfg
// are read through it. Else NULL.
view_package *view_open_package(const char *model_path, const md5_files *reader);
void view_close_package(view_package *package);

// Returns the package's declarations, or NULL if it has none or is NULL.
md5_game *view_package_game(view_package *package, view_listener warnings);

enum { VIEW_MAX_SCRIPTS = 64 };

// Where a picture lies, as seen from the model.
typedef enum view_place {
    VIEW_BESIDE, // or in a folder "textures" beside it
    VIEW_BELOW,  // in a folder beside the model, or deeper
    VIEW_ABOVE,  // beside the model's folder
    VIEW_AROUND, // in a folder beside the model's, or deeper
    VIEW_ELSEWHERE,
    VIEW_NUM_PLACES,
} view_place;

typedef struct view_image_file {
    char *path, *stem; // stem: the path without ending
    view_name name;    // of the stem's last part
    view_place place;
} view_image_file;

struct view_package {
    char *root;                // the package's folder, or NULL
    view_image_file *pictures; // [num_pictures] those that were listed or sought so far
    size_t num_pictures;
    // The rest is look.c's.
    char *model, *folder;    // absolute paths
    char *around;            // the folder above, or NULL: it is not searched
    char *end;               // the last folder above in which names are sought; NULL: its own
    const md5_files *reader; // of view_open_package(), or NULL: not the model's folder alone
    bool is_near_listed;
    bool is_all_listed;
    bool is_game_open;
    view_name *models; // [num_models] specific names of others beside the model
    size_t num_models;
    common_list scripts;                // the md5.cfg files around the model
    md5_cube2 *cubes[VIEW_MAX_SCRIPTS]; // [num_cubes] what the first ones say; NULL: cannot be read
    size_t num_cubes;
    common_game_places places;
    common_list declaring; // with a reader: files of declarations beside the model
    md5_game *game;
};

// Models of the Quake and Quake II re-releases lie beside those that they replace.
typedef enum view_quake {
    VIEW_QUAKE_NONE,
    VIEW_QUAKE_1, // in a folder "progs"
    VIEW_QUAKE_2, // in a folder "md5", with an .md2 of the same name in the one above
} view_quake;

// Which game a file belongs to, by its folder.
view_quake view_quake_of(const char *path);

// -- The look of a mesh --------------------------------------------------------------------------

typedef struct view_look_search {
    const md5_model *model;
    uint32_t mesh;
    view_package *package; // of the model
    uint32_t skin;         // of a model of the Quake re-releases
    const view_look *said; // by the opened md5.cfg, with paths as in that file; or NULL
} view_look_search;

// All that speaks for an image is evidence with a score, and the one with the highest is taken, or
// none if the evidence is weak or two are equal. Evidence is, in falling order: what declares the
// mesh's look (materials/*.mtr and scripts/*.shader of the package, an md5.cfg around the model
// that loads it); the images of a model of the Quake re-releases; the shader as a path below the
// model's folder or one above, which may come from the author's machine; then the names of shader,
// model, mesh and folder, words such as "skin", and that there is but one. A name counts less where
// it is less specific, in a model of several materials, and the farther the image is. An image that
// is declared but missing is not replaced by another. Names are compared without regard to case,
// ending and the suffixes of colour maps (_d, _diffuse, ...); a tiny image yields to another of its
// name.
//
// Images are those of `package`: no name out of a file is opened. Free with view_free_look().
view_look view_find_look(const view_look_search *search, view_listener warnings);

// -- .shader files -------------------------------------------------------------------------------
//
// Materials of Unvanquished and other games of Quake III's line.

// Finds the material `name`, ignoring case, slashes of the other kind and an ending, in the text of
// a .shader file, and writes its look: pictures without endings, to be freed by
// view_free_look(). Returns whether the file has it. An error in it is a warning with line
// and column; `path` is the file's in messages. Time is linear in the size.
bool view_read_shader(const char *path, const char *text, size_t size, const char *name,
                      view_look *look, view_listener warnings);

#endif
