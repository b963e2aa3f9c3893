// For tests that draw: a GL context without a window that shows, models from text, a camera that
// maps a unit to a pixel, pictures.
#ifndef TEST_RENDER_TEST_GL_SCENE_H
#define TEST_RENDER_TEST_GL_SCENE_H

#include "render/md5gl.h"
#include "test/test.h"

#include <SDL.h>

// A context of its own and a renderer on it.
typedef struct gl_scene {
    SDL_Window *window;
    SDL_GLContext context;
    md5gl_renderer *renderer;
} gl_scene;

// Opens a context of OpenGL 3.3 core, which is then current. Where none can be had, skips the
// running test and returns false. Messages of the driver of medium or high severity, also about
// speed, fail the test.
bool scene_open_context(gl_scene *scene);

// The same with a renderer. `allocator` may be NULL.
bool scene_open(gl_scene *scene, const md5_allocator *allocator);
void scene_make_current(const gl_scene *scene);
void scene_close(gl_scene *scene);

// md5gl_opts.load for SDL.
md5gl_proc scene_load(void *user, const char *name);

// Forgets the driver's messages of a test that asks for errors.
void scene_expect_messages(void);

// -- Models -----------------------------------------------------------------------------------

// Two joints at the origin; one mesh, a white square from (0, -20, -20) to (0, 20, 20) that faces
// +x, u to the right and v downward as seen from there. The upper corners attach on joint 1.
md5_model *scene_square(void);

// A square like it that lies on the ground and faces +z; seen from there, y is to the right.
md5_model *scene_floor(void);

// The same square, every vertex of which hangs on both joints with half its weight.
md5_model *scene_hinge(void);

// A mesh of random vertices. Vertices have 1 to `most` weights; `off` lets their biases sum to
// something else than 1 and their offsets not meet in one point.
md5_model *scene_cloud(uint32_t num_joints, uint32_t num_vertices, uint32_t most, bool off,
                       uint64_t *random);

extern const md5_mat34 scene_identity;
md5_mat34 scene_moved(float x, float y, float z);
md5_mat34 scene_rotation(uint64_t *random); // any, as likely as any other

// -- Pictures ---------------------------------------------------------------------------------

enum { SCENE_WIDTH = 160, SCENE_HEIGHT = 120 };

// No key light, ambient 1, black background. Looks along -x: y is to the right, z upward, and
// (0, 0, 0) is in the middle.
md5gl_frame scene_frame(md5gl_target *target);

// Turns a frame's camera around the z axis to look along +x, and to look down on x (up), y (right).
void scene_look_from_behind(md5gl_frame *frame);
void scene_look_down(md5gl_frame *frame);

typedef struct gl_picture {
    uint8_t rgba[SCENE_HEIGHT][SCENE_WIDTH][4];
} gl_picture;

// The pixel to the right and above of a point, units from the middle.
const uint8_t *picture_at(const gl_picture *picture, int right, int up);

// Whether each of r, g, b, a is within `tolerance`.
bool picture_is(const gl_picture *picture, int right, int up, const uint8_t expected[4],
                int tolerance);

// Begins, draws one instance with identity palettes, ends, reads.
void scene_draw(gl_scene *scene, const md5gl_frame *frame, md5gl_model *model, uint32_t style,
                gl_picture *picture);

// Ends the frame and reads its target, checking both.
void scene_finish(gl_scene *scene, const md5gl_frame *frame, gl_picture *picture);

typedef struct gl_colour {
    uint8_t rgba[4];
} gl_colour;

// What scene_frame()'s light makes of a linear colour on a surface that faces sideways.
gl_colour scene_sideways(double red, double green, double blue);

// -- All of it at once ------------------------------------------------------------------------

// A scene with a target of `samples`, a model, and a frame into the target.
typedef struct gl_stage {
    gl_scene scene;
    md5gl_target *target;
    md5_model *model;
    md5gl_model *copy;
    md5gl_frame frame;
} gl_stage;

// Returns false where scene_open() does; nothing needs to be closed then.
bool scene_open_stage(gl_stage *stage, md5_model *(*make)(void), uint32_t samples);
void scene_close_stage(gl_stage *stage);

#endif
