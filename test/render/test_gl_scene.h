// Helpers for tests that draw: a GL context with a hidden window, models from text, a camera that
// maps a unit to a pixel, pictures.
#ifndef TEST_RENDER_TEST_GL_SCENE_H
#define TEST_RENDER_TEST_GL_SCENE_H

#include "render/md5gl_game.h"
#include "test/test.h"

#include <glad/gl.h>

#include <SDL.h>

// A context and a renderer on it.
typedef struct gl_scene {
    SDL_Window *window;
    SDL_GLContext context;
    md5gl_renderer *renderer;
    bool is_shared, has_objects; // has_objects: the test leaves GL objects
} gl_scene;

// Opens an OpenGL 3.3 core context, or an OpenGL ES 3.0 context if the environment contains
// MD5_TEST_GL=es, and makes it current. If this is not possible, skips the running test and returns
// false. Driver messages of medium or high severity, also about performance, fail the test.
bool scene_open_context(gl_scene *scene);
bool scene_wants_es(void);

// Opens a context like scene_open_context() and creates a renderer on it. `allocator` may be NULL.
bool scene_open(gl_scene *scene, const md5_allocator *allocator);

// The same as scene_open(), for tests that change neither the renderer's limits nor GL state. They
// share one context and renderer, because compiling the shaders takes longer than these tests.
bool scene_share(gl_scene *scene);

// The same as scene_open() in OpenGL ES 3.0, regardless of the environment.
bool scene_open_es(gl_scene *scene);
void scene_make_current(const gl_scene *scene);
void scene_close(gl_scene *scene);

// Tests with a scene. They are skipped if no OpenGL context can be created. Tests of TEST_SCENE
// share one context and renderer; tests of TEST_UNSHARED_SCENE get a new renderer and may change
// it.
#define TEST_SCENE(title) TEST_IF (title, gl_scene, scene, scene_share(scene), scene_close(scene))
#define TEST_UNSHARED_SCENE(title) \
    TEST_IF (title, gl_scene, scene, scene_open(scene, NULL), scene_close(scene))
#define TEST_ES_SCENE(title) \
    TEST_IF (title, gl_scene, scene, scene_open_es(scene), scene_close(scene))

// md5gl_opts.load for SDL.
md5gl_proc scene_load(void *user, const char *name);

// Discards the driver's messages, for tests that provoke errors.
void scene_expect_messages(void);

// -- Models -----------------------------------------------------------------------------------

// Two joints at the origin; one mesh, a white square from (0, -20, -20) to (0, 20, 20) that faces
// +x, u to the right and v downward as seen from there. The upper corners are on joint 1.
md5_model *scene_square(void);

// The same square on the ground, facing +z; seen from there, y is to the right.
md5_model *scene_floor(void);

// The same square; its vertices have half their weight on each joint.
md5_model *scene_hinge(void);

// A mesh of random vertices with 1 to `max_weights` weights each. If `off`, their biases do not sum
// to 1 and their offsets do not meet in one point.
md5_model *scene_cloud(uint32_t num_joints, uint32_t num_vertices, uint32_t max_weights, bool off,
                       uint64_t *random);

extern const md5_mat34 scene_identity, scene_identities[8];
md5_mat34 scene_moved(float x, float y, float z);
md5_mat34 scene_rotation(uint64_t *random); // uniformly distributed

// -- Pictures ---------------------------------------------------------------------------------

enum { SCENE_WIDTH = 160, SCENE_HEIGHT = 120 };

// A frame without key light, with ambient 1 and a black background. The camera looks along -x: y is
// to the right, z up, and (0, 0, 0) is in the center.
md5gl_frame scene_frame(md5gl_target *target);

// Turn a frame's camera: along +x with y to the left, or down with y to the right and -x up.
void scene_look_from_behind(md5gl_frame *frame);
void scene_look_down(md5gl_frame *frame);

typedef struct gl_picture {
    uint8_t rgba[SCENE_HEIGHT][SCENE_WIDTH][4];
} gl_picture;

// Returns the pixel `right` and `up` units from the center of the picture.
const uint8_t *picture_at(const gl_picture *picture, int right, int up);

// Returns true if each channel of a pixel is within `tolerance`; prints the pixel if not.
bool picture_is(const gl_picture *picture, int right, int up, const uint8_t expected[4],
                int tolerance);
#define CHECK_PIXEL(...) CHECK(picture_is(__VA_ARGS__))

// Begins a frame, draws one instance with identity palettes, ends the frame and reads it.
void scene_draw(gl_scene *scene, const md5gl_frame *frame, md5gl_model *model, uint32_t style,
                gl_picture *picture);

// Short forms of md5gl_pose(). Without palettes and with count 0 there are no instances.
// scene_look() keeps the pose and sets tints and skins of all instances.
bool scene_pose(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                const md5_mat34 *placements, uint32_t count, md5_error *error);
bool scene_pose_and_draw(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                         const md5_mat34 *placements, uint32_t count, uint32_t style,
                         md5_error *error);
bool scene_pose_baked(md5gl_renderer *renderer, md5gl_model *model, md5gl_baked *baked,
                      const md5gl_clip_job *jobs, const md5_mat34 *placements, uint32_t count,
                      md5_error *error);
bool scene_look(md5gl_renderer *renderer, md5gl_model *model, const md5_vec4 *tints,
                const uint32_t *skins, md5_error *error);

// Short forms of md5gl_create_texture().
md5gl_texture scene_texture(md5gl_renderer *renderer, md5gl_texture_kind kind, uint32_t width,
                            uint32_t height, const uint8_t *texels, md5_error *error);
md5gl_texture scene_normals(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                            const uint8_t *rgba, uint32_t normals, md5_error *error);
md5gl_texture scene_stage_texture(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                  const uint8_t *rgba, md5gl_wrap wrap, bool is_nearest,
                                  md5_error *error);
md5gl_texture scene_stage_cube(md5gl_renderer *renderer, uint32_t side,
                               const uint8_t *const rgba[6], bool is_nearest, md5_error *error);

// Reads a level of a texture: 4 bytes per texel. Checks that the level has this size.
void scene_read_level(const gl_scene *scene, md5gl_texture texture, int level, uint32_t width,
                      uint32_t height, uint8_t *rgba);

// -- Internals --------------------------------------------------------------------------------
//
// test_gl_scene.c is the only test of the renderer that includes an internal header. These
// functions give access to the parts that tests change to simulate devices and errors of drivers.

// The OpenGL functions that the renderer calls. Tests also call them, and replace them.
GladGLContext *scene_gl(md5gl_renderer *renderer);
bool scene_is_es(const md5gl_renderer *renderer);

// Functions that not every context has; NULL if this one does not have them.
typedef struct gl_optional {
    GLenum(GLAD_API_PTR **reset_status)(void);                   // glGetGraphicsResetStatus()
    void(GLAD_API_PTR **dispatch)(GLuint x, GLuint y, GLuint z); // glDispatchCompute()
} gl_optional;
gl_optional scene_optional(md5gl_renderer *renderer);

// Limits and features of the device. Tests change those that are pointers.
typedef struct gl_limits {
    uint32_t *max_texels;
    uint32_t *max_texture_size;
    bool *has_compute;
    bool *has_shadows;
    uint32_t max_samples;
    uint32_t max_target_size;
    const char *max_texels_name;
} gl_limits;
gl_limits scene_limits(md5gl_renderer *renderer);

// Lets the shadows of the current frame reach the whole ground, instead of the part that the
// renderer has computed from the casters.
void scene_shade_whole_ground(md5gl_renderer *renderer);

// Values of a model that have no public function: the number of batches of the last pose (0 if it
// failed), the blending, the source.
uint32_t scene_num_batches(const md5gl_model *copy);
md5gl_blending scene_blending(const md5gl_model *copy);
const md5_model *scene_model(const md5gl_model *copy);

// Returns the reason for the skinning path of a mesh.
const char *scene_path_reason(const md5gl_model *model, uint32_t mesh);

// Ends the frame and reads its target, checking both.
void scene_finish(gl_scene *scene, const md5gl_frame *frame, gl_picture *picture);

typedef struct gl_color {
    uint8_t rgba[4];
} gl_color;

// Returns the pixel of a surface of this linear color that faces sideways, under scene_frame()'s
// light.
gl_color scene_sideways(double red, double green, double blue);

// -- Stages -----------------------------------------------------------------------------------

// A scene with a target of `samples`, a model, and a frame into the target.
typedef struct gl_stage {
    gl_scene scene;
    md5gl_renderer *renderer; // the renderer of the scene
    md5gl_target *target;
    md5_model *model;
    md5gl_model *copy;
    md5gl_frame frame;
    md5gl_texture textures[64]; // freed with the stage
    uint32_t num_textures;
} gl_stage;

// Opens a scene and fills a stage. Returns false if scene_open() returns false; then there is
// nothing to close. scene_fill_stage() fills a stage whose scene is open.
bool scene_open_stage(gl_stage *stage, md5_model *(*make)(void), uint32_t samples);
bool scene_fill_stage(gl_stage *stage, md5_model *(*make)(void), uint32_t samples);
void scene_close_stage(gl_stage *stage);

// stage_begin() begins the frame. stage_finish() ends it and reads its target. stage_pose() poses
// instances of the model, with the arguments of scene_pose(). All of them check that the call
// succeeds.
void stage_begin(const gl_stage *stage);
void stage_finish(gl_stage *stage, gl_picture *picture);
void stage_pose(const gl_stage *stage, const md5_mat34 *palettes, const md5_mat34 *placements,
                uint32_t count);
// Draw a whole frame and read its target. The frame contains one instance in the bind pose, or
// posed and lit instances.
void stage_draw(gl_stage *stage, uint32_t style, gl_picture *picture);
void stage_draw_posed(gl_stage *stage, const md5_mat34 *palettes, const md5_mat34 *placements,
                      uint32_t count, gl_picture *picture);

// Sets the colors of the key light and of the ambient light to shades of gray.
void stage_light(gl_stage *stage, float key, float ambient);

// Replaces the model on the device by a copy that is drawn with the skinning path.
void stage_use_path(gl_stage *stage, md5gl_path path);

// stage_color() creates a texture with the colors of a file. stage_keep() passes a texture of the
// caller to the stage. Both check that the texture was created. The stage frees the textures.
md5gl_texture stage_color(gl_stage *stage, uint32_t width, uint32_t height, const uint8_t *rgba);
md5gl_texture stage_keep(gl_stage *stage, md5gl_texture texture);

// Sets the members of the model's material that are given.
#define STAGE_MATERIAL(stage, ...) \
    md5gl_set_material((stage)->renderer, (stage)->copy, 0, 0, &(md5gl_material){__VA_ARGS__})

#define TEST_SQUARE(title) TEST_STAGE (title, scene_square, 1)
#define TEST_STAGE(title, make, samples)                                     \
    TEST_IF (title, gl_stage, stage, scene_open_stage(stage, make, samples), \
             scene_close_stage(stage))

#endif
