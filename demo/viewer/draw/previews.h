// Small pictures of models, drawn on the CPU, so that a thread without OpenGL can make them.
#ifndef DEMO_VIEWER_DRAW_PREVIEWS_H
#define DEMO_VIEWER_DRAW_PREVIEWS_H

#include "demo/viewer/motion/scene.h"

// Side of a picture in a list, in pixels.
enum { VIEW_SKETCH_SIZE = 128 };

typedef struct view_sketch view_sketch;

// Begins a picture of points within these bounds, seen from the front left and slightly above, of
// `size` by `size` pixels, 2048 at most. Returns NULL if the bounds are empty or not finite. Free
// with view_end_sketch().
view_sketch *view_begin_sketch(md5_bounds bounds, uint32_t size);

// What triangles are drawn with.
typedef struct view_paint {
    const view_image *texture; // NULL: grey
    bool has_holes;            // where its alpha is less than a half
    // Of a material whose image it is: blended with what is there, without light. NULL: they hide
    // it.
    const md5_stage *stage;
    const float *registers; // [registers of the material] evaluated
} view_paint;

// Draws triangles of one mesh in front of what is behind them: indices[3 * num_triangles] into
// positions, unit normals and texture coordinates. Those that are blended hide nothing, and are
// drawn last. Returns false if the picture has taken too much work: it can be ended as it is.
bool view_sketch_mesh(view_sketch *sketch, const md5_mesh *mesh, const md5_vec3 *positions,
                      const md5_vec3 *normals, const view_paint *paint);

// Draws a bone, from a joint to the next one: a grey spike that is wide near the first.
void view_sketch_bone(view_sketch *sketch, md5_vec3 from, md5_vec3 to);

// Writes the picture, transparent where nothing was drawn, and frees the sketch. `image` may be
// NULL.
void view_end_sketch(view_sketch *sketch, view_image *image);

// -- Pictures ------------------------------------------------------------------------------------
//
// A picture of one thing that lies in a game: an entity or a model; a clip on a model that it fits;
// a skin on a model that it changes.

// What a picture is wished of, as one text: a name, and for clips and skins before it "ON::": the
// entity or model that is shown now and tried first; "" if there is none. `on` may be NULL. To be
// freed.
char *view_wish_of(view_section section, const char *name, const char *on);

// A picture that was made.
typedef struct view_preview {
    view_image image;     // .rgba NULL: nothing can be shown
    char facts[192];      // of a file: lines, the first of which says the most
    bool is_wrong;        // it cannot be read, and they say why
    uint32_t num_missing; // images of drawn meshes that are declared and not there; or the model
} view_preview;

// Makes the picture of a wish. A clip that fits neither the shown model nor one beside it is shown
// by its joints. A skin that changes neither the shown model nor one that it is meant for has no
// picture. Free its image.
view_preview view_make_preview(view_library *library, const char *wish);

// Returns the name of the first model that the skin changes, of those that it names or that lie
// beside what it replaces, to be freed; NULL if there is none.
char *view_model_for_skin(view_library *library, const char *name);

// -- On a thread ---------------------------------------------------------------------------------
//
// Pictures of what lies in a game, made by a thread while a list is open, and kept.

// Pictures that are kept at most: those that were asked for last.
enum { VIEW_MAX_PREVIEWS = 256 };

typedef struct view_previews view_previews;

// Begins with the game in a folder or an archive. The thread opens it for itself, on the first
// wish, because one thread at a time may use a game. NULL: what is wished are the paths of files,
// with "*" before them if the picture is to be large, of which those in the folder `models` may
// name files anywhere in it; that may be NULL, and is taken over.
view_previews *view_begin_previews(const char *place, char *models);
void view_stop_previews(view_previews *previews); // NULL is allowed

// Asks for pictures of what view_wish_of() names, the most urgent first, instead of those that were
// asked for before and are not there yet. Writes them to made[count], where they stay until the
// next call; NULL: it is not there yet. Returns whether pictures were made since the last call.
// Never waits for one.
bool view_want_previews(view_previews *previews, const char *const *wishes, size_t count,
                        const view_preview **made);

// Makes the picture of a file, in no more than what a thumbnail may read and draw: of an image, as
// it is or smaller; of a model with what is beside it, or if it lies in the folder `models`, which
// may be NULL, with what is in that; of a clip, on a model beside it.
view_preview view_preview_file(const char *path, uint32_t size, const char *models);

// -- A thumbnail of files ------------------------------------------------------------------------

// Makes the picture of --thumbnail, for file managers: of files that nobody has looked at yet.
//
// Draws the files of the options. All is bounded: 256 MiB of memory, 3 s of processor time, 32 MiB
// of files, 500 000 vertices, 16 million pixels an image and twice as many in all. Nothing outside
// of the first file's folder is read, nor a link. The image, to be freed, has .rgba NULL, and an
// error is logged, if a file cannot be shown or more would be needed. The limit of memory stays
// with the process.
view_image view_make_thumbnail(const view_options *options, view_log *log);

#endif
