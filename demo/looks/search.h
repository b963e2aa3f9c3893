// The search for the appearance of a mesh. This header is for this folder only; look.h begins a
// search.
#ifndef DEMO_LOOKS_SEARCH_H
#define DEMO_LOOKS_SEARCH_H

#include "demo/looks/look.h"

// The reasons to select an image, strongest first.
typedef enum view_evidence {
    BY_DECLARATION, // a file declares the image for the mesh
    BY_SKIN,        // the image belongs to a skin in Quake
    BY_PATH,        // the image and the shader have the same path
    BY_END_OF_PATH, // the last two parts of both paths are equal
    BY_SHADER,      // the image is named after the shader
    BY_MODEL,       // the image is named after the model
    BY_MESH,        // the image is named after the mesh
    BY_FOLDER,      // the image is named after the model's folder
    BY_PURPOSE,     // the image has a name typical of color maps, such as "skin"
    BY_ITSELF,      // the image is the only one in the model's folder
    NUM_EVIDENCE,
} view_evidence;

// The subject of a search, a mesh whose image is wanted: its names, and properties that affect the
// scores of images.
typedef struct view_named_mesh {
    const view_look_search *search;
    const md5_mesh *mesh;
    char *path; // the shader with slashes before each part, without drive and extension

    // The words of its names.
    view_name shader;
    view_name name;
    view_name model;
    view_name folder;
    view_name combined; // the words of all four

    bool is_foreign;             // the shader is an absolute path, which is on the author's machine
    bool has_multiple_materials; // other meshes have other materials
    bool is_main;                // the image that is named after the model can belong to this mesh
    bool is_part; // its names contain a part of a body, and the model's name does not

    // True if the folder contains other models. Images without a matching name can then belong to
    // them.
    bool is_shared;

    // True if the model's folder contains images. Images elsewhere then probably belong to other
    // models.
    bool has_images;
    const view_image_file *only; // the only possible image in the model's folder, or NULL
} view_named_mesh;

// The steps of the search. The second step is made only if the first has found no sure image.
typedef enum view_search_step { AROUND_MODEL, WHOLE_PACKAGE } view_search_step;

// Reports a warning and frees its text.
void view_report_warning(view_listener warnings, char *text);

// Lists the images around the model, beginning with the nearest folders. If `is_all_wanted`, also
// lists all other images of the package after them. Nothing is listed twice.
void view_list_images(view_package *package, bool is_all_wanted);

// Adds the images of the folder that contains the file `name`, ignoring case. An absolute name must
// be inside of search_root(). A relative name is searched in the model's folder and in its
// ancestors, up to the end of the package. Returns the normalized name, which begins with a slash
// and which the caller frees.
char *view_add_named_folder(view_package *package, const char *name);

// Returns the text that distinguishes a mesh from other meshes. It is the shader or, without a
// shader, the name.
const char *view_mesh_identity(const md5_mesh *mesh);

// Selects an image that is known to belong to the mesh, without comparing it with others.
void view_select_known_image(view_look *look, const view_image_file *image, view_evidence by);

// Selects the image at the shader's path, preferring images that are not tiny. No other evidence is
// stronger, so the names of images need not be compared then. Returns false if no image is at the
// path.
bool view_select_at_path(view_look *look, const view_named_mesh *subject);

// Selects the image with the highest score. Returns false if the score is too low, or if another
// image has nearly the same score. The last step of the search accepts lower scores. If it fails,
// it lists the rejected images.
bool view_select_best(view_look *look, view_named_mesh *subject, view_search_step step);

// Sets the appearance that the caller has specified (search->cfg_look) or that a file declares for
// a mesh. Returns true if an image is declared, even if it does not exist. A missing image is not
// replaced by another image.
bool view_select_declared(view_look *look, const view_named_mesh *subject, view_listener warnings);

// Selects the images of the mesh's skin. If the skin does not exist, uses skin 0 with a warning.
// Returns false if no image exists.
bool view_select_skin(view_look *look, const view_named_mesh *subject, view_listener warnings);

#endif
