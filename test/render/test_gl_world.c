// Worlds: geometry of the host that receives and casts shadows, spot lights, blobs.
#include "test/scoped.h"
#include "test/render/test_gl_values.h"

#include <ctype.h>

// -- A host's program -------------------------------------------------------------------------

// A square of 200 units that rises by `rise` along y, in the light of the frame; with `clip` set it
// is a caster of 10 units at height 12.
static const char vertex_text[] =
    "uniform mat4 clip;\nuniform float rise, half_side, height;\nout vec3 place;\n"
    "void main() {\n"
    "    vec2 corner = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * half_side;\n"
    "    place = vec3(corner, height + rise * corner.y);\n"
    "    gl_Position = clip * vec4(place, 1.0);\n}\n";
static const char fragment_text[] =
    "uniform float rise;\nin vec3 place;\nout vec4 color;\n"
    "float shadow = 0.45;\n" // a name of md5gl's own files
    "void main() {\n"
    "    vec3 normal = normalize(vec3(0.0, -rise, 1.0));\n"
    "    color = vec4(md5gl_shade(place, normal, vec3(0.5, 0.6, 0.7), shadow), 1.0);\n}\n";

static GLuint compile(const gl_scene *scene, GLenum stage, const char *text, const char *stage_text)
{
    const GladGLContext *const gl = scene_gl(scene->renderer);
    const char *const version = scene_is_es(scene->renderer)
                                    ? "#version 300 es\nprecision highp float;\n"
                                    : "#version 330 core\n";
    const char *const texts[] = {version, text, stage_text};
    const GLuint shader = gl->CreateShader(stage);
    GLint compiled = GL_FALSE;
    char log[512] = "";
    gl->ShaderSource(shader, 3, texts, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
    CHECK_THAT(compiled, "%s", log);
    return shader;
}

static GLuint host_program(const gl_scene *scene, md5gl_lighting lighting)
{
    const GladGLContext *const gl = scene_gl(scene->renderer);
    const char *const text = md5gl_shadow_glsl(scene->renderer, lighting, NULL);
    const GLuint program = gl->CreateProgram();
    const GLuint shaders[] = {compile(scene, GL_VERTEX_SHADER, "", vertex_text),
                              compile(scene, GL_FRAGMENT_SHADER, text, fragment_text)};
    for (int i = 0; i < 2; i++) {
        gl->AttachShader(program, shaders[i]);
        gl->DeleteShader(shaders[i]);
    }
    gl->LinkProgram(program);
    return program;
}

// Draws the square like a host that sets only the state that it needs.
static void draw_square(const gl_scene *scene, GLuint program, const float clip[16], float rise,
                        float half_side, float height)
{
    const GladGLContext *const gl = scene_gl(scene->renderer);
    GLuint array;
    gl->GenVertexArrays(1, &array);
    gl->BindVertexArray(array);
    gl->UseProgram(program);
    gl->UniformMatrix4fv(gl->GetUniformLocation(program, "clip"), 1, GL_FALSE, clip);
    gl->Uniform1f(gl->GetUniformLocation(program, "rise"), rise);
    gl->Uniform1f(gl->GetUniformLocation(program, "half_side"), half_side);
    gl->Uniform1f(gl->GetUniformLocation(program, "height"), height);
    gl->Enable(GL_DEPTH_TEST);
    gl->DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    gl->DeleteVertexArrays(1, &array);
}

static void draw_terrain(const gl_scene *scene, const md5gl_frame *frame, GLuint program,
                         float rise, float half_side)
{
    const md5_mat44 clip = md5_mat44_mul(frame->clip_from_view, frame->view_from_world);
    md5gl_use_shadows(scene->renderer, program, 20, 5);
    draw_square(scene, program, clip.m, rise, half_side, 0);
    md5gl_resume_frame(scene->renderer);
}

static const md5_mat34 identities[10] = {
#define ONE                                    \
    {                                          \
        {                                      \
            1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 \
        }                                      \
    }
    ONE, ONE, ONE, ONE, ONE, ONE, ONE, ONE, ONE, ONE};

// Returns the transform that scales the floor of the model, which is 40 units wide, by `size` and
// moves it.
static md5_mat34 moved_floor(float size, float x, float y, float z)
{
    return (md5_mat34){{size, 0, 0, x, 0, size, 0, y, 0, 0, size, z}};
}

static bool open_floor(gl_stage *stage)
{
    if (!scene_open_stage(stage, scene_floor, 1))
        return false;
    scene_look_down(&stage->frame);
    stage_light(stage, 0.5f, 0.1f);
    stage->frame.light_direction = (md5_vec3){0, 1, 1};
    return true;
}
#define TEST_HERE(title) \
    TEST_IF (title, gl_stage, stage, open_floor(stage), scene_close_stage(stage))

static bool is_darker(const gl_picture *picture, int right, int up, const gl_picture *than)
{
    return picture_at(picture, right, up)[1] + 20 < picture_at(than, right, up)[1];
}

static bool is_equal(const gl_picture *picture, int right, int up, const gl_picture *to)
{
    return picture_is(picture, right, up, picture_at(to, right, up), 1);
}

// -- A host's object receives shadows ---------------------------------------------------------

// The shadow of a point p is at p - t (0, 1, 1), where t = 2 z - y on the slope z = y / 2. A square
// of 10 units at height 20 darkens the slope at y from -50 to -30. It would darken a plane at y
// from -25 to -15.
TEST_HERE (gl_hosts_slope_receives_the_shadow_of_a_model) {
    gl_picture lit;
    gl_picture dark;
    const md5_mat34 high = moved_floor(0.25f, 0, 0, 20);
    const GLuint program = host_program(&stage->scene, MD5GL_LIGHTING_STUDIO);
    stage->frame.casters = (md5_bounds){{-5, -5, 19}, {5, 5, 21}};
    for (int i = 0; i < 2; i++) {
        stage_begin(stage);
        stage_pose(stage, identities, &high, 1);
        if (i == 1)
            md5gl_draw_shadows(stage->renderer, stage->copy);
        draw_terrain(&stage->scene, &stage->frame, program, 0.5f, 100);
        stage_finish(stage, i == 1 ? &dark : &lit);
    }
    static const int inside[] = {-48, -40, -32};
    static const int outside[] = {-53, -27, -20, 0, 30};
    for (size_t i = 0; i < COUNT_OF(inside); i++)
        CHECK(is_darker(&dark, inside[i], 0, &lit) && is_darker(&dark, inside[i], 3, &lit));
    for (size_t i = 0; i < COUNT_OF(outside); i++)
        CHECK(is_equal(&dark, outside[i], 0, &lit));
    CHECK(is_equal(&dark, -40, 8, &lit) && is_equal(&dark, -40, -8, &lit));
    scene_gl(stage->renderer)->DeleteProgram(program);
}

// The same square as a model without maps, with every light, inside and outside of the shadow. It
// is seen at a grazing angle, 70 degrees from its normal, at which a rim is visible: 40 units are
// 13 pixels high.
TEST_HERE (gl_surface_of_the_host_looks_like_a_model) {
    static const float environment_pixels[2][3] = {{3, 2, 1}, {0.2f, 0.5f, 0.9f}};
    static const uint8_t gray[4] = {188, 203, 218, 255}; // sRGB of 0.5, 0.6, 0.7
    const md5gl_point_light lights[2] = {
        {.position = {10, 5, 20}, .range = 60, .color = {1, 0.2f, 0.2f}},
        {.position = {-5, -5, 25}, .range = 60, .color = {0, 1, 1}, .cone = 50, .casts_shadow = 1}};
    gl_picture pictures[2];
    md5gl_renderer *const renderer = stage->renderer;
    const md5gl_texture texture = stage_color(stage, 1, 1, gray);
    md5gl_environment *const around =
        md5gl_create_environment(renderer, 1, 2, environment_pixels[0], NULL);
    STAGE_MATERIAL(stage, .diffuse = texture);
    stage->frame.casters = (md5_bounds){{-20, -20, 0}, {20, 20, 12}};
    stage->frame.point_lights = lights;
    stage->frame.num_point_lights = 2;
    stage->frame.tone_mapped = true;
    stage->frame.softness = 0.2f;
    stage->frame.view_from_world =
        md5_mat44_look_at((md5_vec3){94, 0, 34}, (md5_vec3){0, 0, 0}, (md5_vec3){0, 0, 1});
    stage->frame.ambient[0] = 0.5f;
    for (int kind = 0; kind < 3; kind++) { // studio, environment, classic
        const md5gl_lighting lighting = kind == 2 ? MD5GL_LIGHTING_CLASSIC : MD5GL_LIGHTING_STUDIO;
        const GLuint program = host_program(&stage->scene, lighting);
        stage->frame.lighting = lighting;
        stage->frame.environment = kind == 1 ? around : NULL;
        for (int i = 0; i < 2; i++) {
            const md5_mat34 placements[2] = {moved_floor(0.25f, 0, 0, 12),
                                             moved_floor(1, 0, 0, i == 0 ? 0 : -300)};
            const md5_mat34 high = placements[0];
            stage_begin(stage);
            stage_pose(stage, identities, &high, 1);
            md5gl_draw_shadows(renderer, stage->copy);
            stage_pose(stage, identities, placements, 2);
            if (i == 1)
                draw_terrain(&stage->scene, &stage->frame, program, 0, 20);
            md5gl_draw_model(renderer, stage->copy, MD5GL_LIT);
            stage_finish(stage, &pictures[i]);
        }
        for (int right = -19; right < 19; right += 2) {
            for (int up = -6; up < 6; up++)
                CHECK(is_equal(&pictures[1], right, up, &pictures[0]));
        }
        CHECK(picture_at(&pictures[0], 18, 4)[1]
              > picture_at(&pictures[0], -12, 0)[1] + 5); // shadow
        scene_gl(renderer)->DeleteProgram(program);
    }
    md5gl_destroy_environment(renderer, around);
}

// A host can use the same names as the text, except names that begin with md5gl_. The test
// therefore declares again all names that the text uses outside of functions.
TEST_HERE (gl_shader_text_for_hosts_has_prefixed_names) {
    static const char words[] =
        " layout uniform vec2 vec3 vec4 mat2 mat3 mat4 float int sampler2D sampler2DShadow"
        " usampler2D const struct void precision highp std140 in out ";
    const char *at = md5gl_shadow_glsl(stage->renderer, MD5GL_LIGHTING_CLASSIC, NULL);
    static char stage_text[8192] = "out vec4 color;\nvoid main() { color = vec4(1.0); }\n";
    unsigned num_names = 0;
    int depth = 0;
    int brackets = 0;
    bool is_block = false;
    const char *const text = at;
    while (*at) {
        const size_t length =
            strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        if (*at == '#' || strncmp(at, "//", 2) == 0) {
            at += strcspn(at, "\n");
            continue;
        }
        if (length == 0) {
            depth += (*at == '{') - (*at == '}');
            brackets += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
            is_block = is_block && *at != '}';
            at++;
            continue;
        }
        char name[64] = "";
        char line[80];
        char spaced[80];
        memcpy(name, at, length < 63 ? length : 63);
        at += length;
        bool is_word = isdigit((unsigned char)name[0]) != 0 || strncmp(name, "md5gl_", 6) == 0;
        snprintf(spaced, sizeof spaced, " %s ", name);
        is_word = is_word || strstr(words, spaced) != NULL;
        is_block = is_block || strcmp(name, "Frame") == 0;
        snprintf(line, sizeof line, "float %s;\n", name);
        if (is_word || brackets > 0 || depth > is_block || strstr(stage_text, line))
            continue;
        CHECK(strlen(stage_text) + strlen(line) < sizeof stage_text);
        strcat(stage_text, line);
        num_names++;
    }
    CHECK(num_names > 50); // the names in the files, except in brackets and functions
    scene_gl(stage->renderer)
        ->DeleteShader(compile(&stage->scene, GL_FRAGMENT_SHADER, text, stage_text));
}

// -- A host's object casts shadows ------------------------------------------------------------

typedef struct host_caster {
    gl_scene *scene;
    GLuint program;
    bool disturbs;
    unsigned num_calls[3]; // number of calls of each kind
} host_caster;

static void draw_caster(void *user, const md5gl_shadow_map *map)
{
    host_caster *const caster = user;
    caster->num_calls[map->kind]++;
    draw_square(caster->scene, caster->program, map->clip_from_world.m, 0, 5, 12);
    if (caster->disturbs)
        values_disturb(caster->scene);
}

// As gl_casters_cast_shadows: the shadow of 10 units at height 12 is around y = -12.
TEST_HERE (gl_hosts_caster_darkens_a_model) {
    const md5gl_point_light above = {
        .position = {0, 0, 36}, .range = 99, .color = {0.5f}, .cone = 90, .casts_shadow = true};
    gl_picture pictures[3];
    host_caster caster = {.scene = &stage->scene,
                          .program = host_program(&stage->scene, MD5GL_LIGHTING_STUDIO)};
    stage->frame.casters = (md5_bounds){{-20, -20, 0}, {20, 20, 12}};
    stage->frame.point_lights = &above;
    stage->frame.num_point_lights = 1;
    for (int i = 0; i < 3; i++) {
        caster.disturbs = i == 2;
        stage_begin(stage);
        stage_pose(stage, identities, NULL, 1);
        if (i > 0)
            md5gl_draw_casters(stage->renderer, draw_caster, &caster);
        md5gl_draw_model(stage->renderer, stage->copy, MD5GL_LIT);
        stage_finish(stage, &pictures[i]);
    }
    CHECK_BYTES(&pictures[1], &pictures[2], sizeof pictures[1]);
    CHECK(is_darker(&pictures[1], -12, 0, &pictures[0]));
    CHECK(is_darker(&pictures[1], -15, 3, &pictures[0]));
    CHECK(is_equal(&pictures[1], 12, 0, &pictures[0])
          && is_equal(&pictures[1], -12, 9, &pictures[0]));
    // The red light from height 36 is blocked up to 5 * 36 / 24 = 7.5 units from the middle.
    CHECK(picture_at(&pictures[1], 6, 0)[0] < picture_at(&pictures[0], 6, 0)[0] - 15);
    CHECK(is_equal(&pictures[1], 10, 0, &pictures[0]));
    for (int kind = 0; kind < 3; kind++)
        CHECK_UINT(caster.num_calls[kind], 2);
    scene_gl(stage->renderer)->DeleteProgram(caster.program);
}

// -- Spot lights ------------------------------------------------------------------------------

TEST_HERE (gl_spot_light_shines_only_into_its_cone) {
    md5gl_point_light light = {.position = {0, 0, 20}, .range = 60, .color = {1, 1, 1}};
    gl_picture round;
    gl_picture hard;
    gl_picture soft;
    gl_picture aslant;
    memset(stage->frame.light, 0, sizeof stage->frame.light);
    memset(stage->frame.ambient, 0, sizeof stage->frame.ambient);
    stage->frame.point_lights = &light;
    stage->frame.num_point_lights = 1;
    stage_draw(stage, MD5GL_LIT, &round);
    light.cone = 60; // 20 * tan(30 degrees) = 11.5 on the ground
    light.cone_edge = MD5_EXPLICIT_ZERO;
    stage_draw(stage, MD5GL_LIT, &hard);
    light.cone_edge = 0.5f; // full light within 20 * tan(15 degrees) = 5.4 units
    stage_draw(stage, MD5GL_LIT, &soft);
    light.direction = (md5_vec3){0, 2, -2}; // to y = 20; from there 15 to 75 degrees: 5.4 to 74
    stage_draw(stage, MD5GL_LIT, &aslant);
    static const uint8_t black[4] = {0, 0, 0, 255};
    CHECK(is_equal(&hard, 0, 0, &round) && is_equal(&hard, 10, 0, &round));
    CHECK(is_equal(&hard, -7, 7, &round) && is_equal(&soft, -3, 3, &round));
    CHECK(picture_is(&hard, 13, 0, black, 0) && picture_is(&hard, 9, -9, black, 0));
    CHECK(is_darker(&soft, 10, 0, &hard) && picture_at(&soft, 9, 0)[1] > 3);
    CHECK(picture_is(&aslant, 4, 0, black, 0) && is_equal(&aslant, 18, 0, &round));
    stage->frame.point_lights = NULL;
}

// Lights at height 20 and squares of 2 units at height 10, 1.5 units aside, whose shadows are twice
// as large and as far. The fifth light finds no map.
TEST_HERE (gl_four_spot_lights_cast_shadows) {
    static const float corners[5][2] = {{-10, -10}, {-10, 10}, {10, -10}, {10, 10}, {0, 0}};
    static const int aside[5][2] = {{3, 0}, {-3, 0}, {0, 3}, {0, -3}, {0, 3}}; // shadows
    md5gl_point_light lights[5];
    md5_mat34 placements[6];
    gl_picture lit;
    gl_picture dark;
    memset(stage->frame.light, 0, sizeof stage->frame.light);
    for (int i = 0; i < 5; i++) {
        lights[i] = (md5gl_point_light){.position = {corners[i][0], corners[i][1], 20},
                                        .range = 60,
                                        .color = {1, 1, 1},
                                        .cone = 36, // 6.5 units on the ground
                                        .casts_shadow = true};
        placements[i] = moved_floor(0.05f, corners[i][0] + 0.5f * (float)aside[i][0],
                                    corners[i][1] + 0.5f * (float)aside[i][1], 10);
    }
    placements[5] = scene_identity;
    stage->frame.point_lights = lights;
    stage->frame.num_point_lights = 5;
    static const uint32_t sides[] = {0, 64, 1024};
    for (size_t j = 0; j < COUNT_OF(sides); j++) {
        stage->frame.spot_texels = sides[j];
        for (int i = 0; i < 2; i++) {
            stage_begin(stage);
            stage_pose(stage, identities, placements, 5);
            if (i == 1)
                md5gl_draw_shadows(stage->renderer, stage->copy);
            stage_pose(stage, identities, &placements[5], 1);
            md5gl_draw_model(stage->renderer, stage->copy, MD5GL_LIT);
            stage_finish(stage, i == 1 ? &dark : &lit);
        }
        for (int i = 0; i < 5; i++) {
            const int right = (int)corners[i][1];
            const int up = -(int)corners[i][0];
            const int x = aside[i][0], y = aside[i][1]; // up in the picture is -x
            CHECK(is_darker(&dark, right + y, up - x, &lit) == (i < 4));
            CHECK(is_darker(&dark, right + y + 1, up - x - 1, &lit) == (i < 4));
            CHECK(is_equal(&dark, right - y, up + x, &lit));
            CHECK(is_equal(&dark, right + x, up + y, &lit));
            CHECK(is_equal(&dark, right - x, up - y, &lit));
        }
    }
}

// A floor that casts shadows is as bright as a floor that does not, also at 70 degrees and with
// large texels.
TEST_HERE (gl_surface_does_not_shadow_itself_from_a_spot_light) {
    const md5gl_point_light light = {.position = {0, 55, 20},
                                     .range = 200,
                                     .color = {9, 9, 9},
                                     .cone = 50,
                                     .direction = {0, -55, -20},
                                     .casts_shadow = true};
    gl_picture pictures[2];
    stage->frame.spot_texels = 128;
    stage->frame.point_lights = &light;
    stage->frame.num_point_lights = 1;
    for (int i = 0; i < 2; i++) {
        stage_begin(stage);
        stage_pose(stage, identities, NULL, 1);
        if (i == 1)
            md5gl_draw_shadows(stage->renderer, stage->copy);
        md5gl_draw_model(stage->renderer, stage->copy, MD5GL_LIT);
        stage_finish(stage, &pictures[i]);
    }
    for (int right = -19; right < 19; right++) {
        for (int up = -19; up < 19; up++)
            CHECK(is_equal(&pictures[1], right, up, &pictures[0]));
    }
}

// -- Blob shadows -----------------------------------------------------------------------------

// At a fraction r of the radius, the darkness is (1 - r^2)^2 of the color in sRGB.
TEST_HERE (gl_blobs_darken_the_ground) {
    const md5gl_blob_shadow blobs[] = {{.position = {0, 5, 0}, .radius = 8, .darkness = 0.8f},
                                       {.position = {10, -12, 0}, .radius = 4},   // 0.5
                                       {.position = {-10, -10, -1}, .radius = 5}, // hidden
                                       {.position = {-12, 12, 9}, .radius = 5, .normal = {0, 3, 0}},
                                       {.position = {12, 12, 0}, .radius = -3}};
    gl_picture plain;
    gl_picture dark;
    for (int i = 0; i < 2; i++) {
        stage_begin(stage);
        CHECK(scene_pose_and_draw(stage->renderer, stage->copy, identities, NULL, 1, MD5GL_LIT,
                                  NULL));
        md5gl_draw_blob_shadows(stage->renderer, blobs, i == 0 ? 0 : COUNT_OF(blobs));
        stage_finish(stage, i == 0 ? &plain : &dark);
    }
    static const int at[][2] = {{5, 0},     {9, 0},    {5, -5},  {12, 3},  {14, 0},
                                {-12, -10}, {-10, 10}, {12, 12}, {12, -12}};
    static const double circles[][3] = {{5, 0, 8}, {-12, -10, 4}};
    for (size_t i = 0; i < COUNT_OF(at); i++) {
        uint8_t expected[4] = {0, 0, 0, 255};
        double brightness = 1;
        for (int k = 0; k < 2; k++) { // a pixel's center is half a unit from its corner
            const double right = at[i][0] + 0.5 - circles[k][0];
            const double up = at[i][1] + 0.5 - circles[k][1];
            const double left = 1 - (right * right + up * up) / (circles[k][2] * circles[k][2]);
            const double darkness = k == 0 ? 0.8 : 0.5;
            brightness *= left > 0 ? 1 - darkness * left * left : 1;
        }
        for (int k = 0; k < 3; k++)
            expected[k] = (uint8_t)lround(brightness * picture_at(&plain, at[i][0], at[i][1])[k]);
        CHECK_PIXEL(&dark, at[i][0], at[i][1], expected, 1);
    }
}
