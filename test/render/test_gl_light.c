// Lights, shadows, tone mapping and the classic mode, against values computed here.
#include "test/scoped.h"
#include "test/render/test_gl_scene.h"

static const uint8_t black[4] = {0, 0, 0, 255};

static uint8_t encode(double linear)
{
    const double encoded =
        linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
    return (uint8_t)lround(255 * fmin(encoded, 1));
}

static void set_light(md5gl_frame *frame, float key, float sky)
{
    for (int i = 0; i < 3; i++) {
        frame->light[i] = key;
        frame->ambient[i] = sky;
    }
}

// Opens a stage with a floor seen from above, without light.
static bool open_dark_floor(gl_stage *stage)
{
    if (!scene_open_stage(stage, scene_floor, 1))
        return false;
    scene_look_down(&stage->frame);
    set_light(&stage->frame, 0, 0);
    return true;
}

// -- Point lights -----------------------------------------------------------------------------

#define TEST_HERE(title) \
    TEST_IF (title, gl_stage, stage, open_dark_floor(stage), scene_close_stage(stage))

TEST_HERE (gl_point_lights_end_at_their_range_and_are_brightest_below) {
    static const md5gl_point_light lights[2] = {
        {.position = {0, 0, 10}, .range = 15, .color = {0.8f, 0, 0}},
        {.position = {0, 0, 10}, .range = -1, .color = {9, 9, 9}}, // no light
    };
    gl_picture picture;
    stage->frame.point_lights = lights;
    stage->frame.num_point_lights = 2;
    stage_draw(stage, MD5GL_LIT, &picture);
    const int below = picture_at(&picture, 0, 0)[0];
    const int aside = picture_at(&picture, 8, 0)[0];
    CHECK(below > 60 && aside > 10 && below > aside + 20);
    CHECK_PIXEL(&picture, 16, 0, black, 0); // beyond the range
    CHECK(picture_at(&picture, 0, 0)[1] == picture_at(&picture, 0, 0)[2]);
    CHECK(picture_at(&picture, 0, 0)[1] < 3);
}

TEST_HERE (gl_eight_point_lights_add_up_and_a_ninth_is_ignored) {
    md5gl_point_light lights[9];
    gl_picture pictures[3];
    stage->frame.lighting = MD5GL_LIGHTING_CLASSIC;
    for (int i = 0; i < 9; i++)
        lights[i] =
            (md5gl_point_light){.position = {0, 0, 50}, .range = 100, .color = {0.1f, 0.1f, 0.1f}};
    lights[8].color[0] = 10;
    stage->frame.point_lights = lights;
    static const uint32_t counts[3] = {1, 8, 9};
    for (int i = 0; i < 3; i++) {
        stage->frame.num_point_lights = counts[i];
        stage_draw(stage, MD5GL_LIT, &pictures[i]);
    }
    const int single = picture_at(&pictures[0], 5, 5)[0];
    const int eight = picture_at(&pictures[1], 5, 5)[0];
    CHECK(single > 3 && abs(eight - 8 * single) <= 5);
    CHECK_BYTES(&pictures[1], &pictures[2], sizeof pictures[1]);
}

// -- Classic light ----------------------------------------------------------------------------

// The colors of the file times the cosine, without decoding or encoding.
TEST_HERE (gl_classic_lights_add_up_in_file_colors) {
    static const uint8_t middle[4] = {128, 64, 200, 255};
    gl_picture picture;
    const md5gl_texture texture = stage_color(stage, 1, 1, middle);
    STAGE_MATERIAL(stage, .diffuse = texture);
    stage->frame.lighting = MD5GL_LIGHTING_CLASSIC;
    set_light(&stage->frame, 0.9f, 0.2f);
    stage->frame.light_direction = (md5_vec3){0, 3, 4}; // cosine 0.8
    stage_draw(stage, MD5GL_LIT, &picture);
    const double factor = 0.9 * 0.8 + 0.2;
    const uint8_t expected[4] = {(uint8_t)lround(128 * factor), (uint8_t)lround(64 * factor),
                                 (uint8_t)lround(200 * factor), 255};
    CHECK_PIXEL(&picture, 0, 0, expected, 1);
}

// The highlight is 2 ((x - 3/4) * 4)^2, where x is the cosine to the halfway direction. It is
// multiplied by the specular map and the cosine to the light.
TEST_HERE (gl_classic_highlight_is_as_in_the_table) {
    static const uint8_t shine[4] = {102, 51, 0, 255};
    gl_picture picture;
    const md5gl_texture diffuse = stage_color(stage, 1, 1, black);
    const md5gl_texture specular = stage_color(stage, 1, 1, shine);
    STAGE_MATERIAL(stage, .diffuse = diffuse, .specular = specular);
    stage->frame.lighting = MD5GL_LIGHTING_CLASSIC;
    set_light(&stage->frame, 1, 0);
    stage->frame.light_direction = (md5_vec3){0, 3, 4};
    stage_draw(stage, MD5GL_LIT, &picture);
    const double half = sqrt((1 + 0.8) / 2.0);
    const double peak = (half - 0.75) * 4;
    const double factor = 0.8 * 2 * peak * peak;
    const uint8_t expected[4] = {(uint8_t)lround(102 * factor), (uint8_t)lround(51 * factor), 0,
                                 255};
    CHECK_PIXEL(&picture, 0, 0, expected, 1);
    stage->frame.light_direction =
        (md5_vec3){0, 12, 1}; // cosine to the halfway direction below 3/4
    stage_draw(stage, MD5GL_LIT, &picture);
    CHECK_PIXEL(&picture, 0, 0, black, 0);
}

// -- Tone mapping -----------------------------------------------------------------------------

TEST_HERE (gl_tone_mapping_keeps_dark_colors_and_never_reaches_white) {
    static const float skies[] = {0.1f, 0.5f, 0.7f, 1, 2, 8};
    gl_picture picture;
    stage->frame.tone_mapped = true;
    int last = 0;
    for (size_t i = 0; i < COUNT_OF(skies); i++) {
        set_light(&stage->frame, 0, skies[i]);
        stage_draw(stage, MD5GL_LIT, &picture);
        const int shown = picture_at(&picture, 0, 0)[1];
        if (skies[i] <= 0.7f)
            CHECK(abs(shown - encode((double)skies[i])) <= 1);
        CHECK(shown > last && shown < 255);
        last = shown;
    }
}

// -- Shadows ----------------------------------------------------------------------------------

// A floor and, as another instance, the same floor smaller and higher up. The light from +y at 45
// degrees casts its shadow towards -y. Seen from above, y is to the right.
typedef struct shadow_scene {
    md5_mat34 palettes[4];
    md5_mat34 placements[2];
} shadow_scene;

static shadow_scene make_shadow_scene(void)
{
    shadow_scene scene;
    for (int i = 0; i < 4; i++)
        scene.palettes[i] = scene_identity;
    scene.placements[0] = scene_identity;
    scene.placements[1] = (md5_mat34){{0.25f, 0, 0, 0, 0, 0.25f, 0, 0, 0, 0, 0.25f, 12}};
    return scene;
}

static void draw_shadow_scene(gl_stage *stage, const shadow_scene *scene, bool cast,
                              gl_picture *picture)
{
    stage_begin(stage);
    stage_pose(stage, scene->palettes, scene->placements, 2);
    if (cast)
        md5gl_draw_shadows(stage->renderer, stage->copy);
    md5gl_draw_model(stage->renderer, stage->copy, MD5GL_LIT);
    stage_finish(stage, picture);
}

static void prepare_shadows(gl_stage *stage)
{
    set_light(&stage->frame, 0.5f, 0.1f);
    stage->frame.light_direction = (md5_vec3){0, 1, 1};
    stage->frame.casters = (md5_bounds){{-20, -20, 0}, {20, 20, 12}};
}

// Checks the shadow of the small floor, which extends 5 units from the origin to each side. The
// shadow extends 5 units from y = -12.
static void check_shadow(const gl_picture *lit, const gl_picture *dark)
{
    static const int same[][2] = {{0, 0}, {12, 0}, {-4, 0}, {-12, 9}, {-12, -9}, {18, 18}};
    const uint8_t shaded = encode(0.1);
    for (size_t i = 0; i < COUNT_OF(same); i++)
        CHECK_PIXEL(dark, same[i][0], same[i][1], picture_at(lit, same[i][0], same[i][1]), 1);
    CHECK(picture_at(lit, -12, 0)[0] > 130);
    CHECK_PIXEL(dark, -12, 0, (uint8_t[4]){shaded, shaded, shaded, 255}, 1);
}

TEST_HERE (gl_casters_cast_shadows) {
    const shadow_scene scene = make_shadow_scene();
    gl_picture lit;
    gl_picture dark;
    gl_picture soft;
    prepare_shadows(stage);
    draw_shadow_scene(stage, &scene, false, &lit);
    draw_shadow_scene(stage, &scene, true, &dark);
    check_shadow(&lit, &dark);
    // The edge of a soft shadow is wide instead of sharp. Its middle is as dark as the middle of a
    // sharp shadow.
    stage->frame.softness = 0.2f;
    draw_shadow_scene(stage, &scene, true, &soft);
    check_shadow(&lit, &soft);
    unsigned between = 0;
    unsigned between_sharp = 0;
    for (int right = -20; right < -3; right++) {
        const int full = picture_at(&lit, right, 0)[0];
        between +=
            picture_at(&soft, right, 0)[0] > 100 && picture_at(&soft, right, 0)[0] < full - 6;
        between_sharp +=
            picture_at(&dark, right, 0)[0] > 100 && picture_at(&dark, right, 0)[0] < full - 6;
    }
    CHECK(between >= 3 && between_sharp <= 2);
}

// Draws without given bounds. Returns true if the shadow equals `given`, for which the bounds of
// both floors were given: 40 units at height 0, and a quarter of them at height 12.
static bool casts_as_given(gl_stage *stage, const gl_picture *given)
{
    gl_picture picture;
    stage_begin(stage);
    md5gl_draw_shadows(stage->renderer, stage->copy);
    md5gl_draw_model(stage->renderer, stage->copy, MD5GL_LIT);
    stage_finish(stage, &picture);
    return memcmp(&picture, given, sizeof picture) == 0;
}

static void store_scale(void *user, const md5gl_shadow_map *map)
{
    if (map->kind == MD5GL_SHADOW_KEY_LIGHT)
        *(float *)user = map->clip_from_world.m[0];
}

// Returns the scale of the key light's shadow map, which is smaller for larger bounds of the
// casters.
static float shadow_scale(const gl_stage *stage)
{
    float scale = 0;
    stage_begin(stage);
    md5gl_draw_casters(stage->renderer, store_scale, &scale);
    CHECK(md5gl_end_frame(stage->renderer, NULL) && scale != 0);
    return scale;
}

TEST_HERE (gl_casters_are_the_posed_instances_by_default) {
    shadow_scene scene = make_shadow_scene();
    const md5_mat34 *const small = &scene.placements[1];
    const md5_mat34 pair_placements[] = {scene_identity, scene_identity, *small, *small};
    gl_picture lit;
    gl_picture dark;
    prepare_shadows(stage);
    draw_shadow_scene(stage, &scene, false, &lit);
    draw_shadow_scene(stage, &scene, true, &dark);
    check_shadow(&lit, &dark);
    stage->frame.no_shadows = true;
    CHECK(casts_as_given(stage, &lit) && md5gl_shadow_reach(&stage->frame) == 0);
    memset(&stage->frame.casters, 0, sizeof stage->frame.casters);
    CHECK(casts_as_given(stage, &lit));
    stage->frame.no_shadows = false;
    CHECK(casts_as_given(stage, &lit)); // poses of frames with bounds found none
    stage_pose(stage, scene.palettes, scene.placements, 2);
    CHECK(casts_as_given(stage, &dark)); // by placements

    stage_pose(stage, pair_placements, NULL, 2);
    CHECK(casts_as_given(stage, &dark)); // by palettes

    SCOPED_BAKED clip = md5_create_baked(stage->model, pair_placements, 1, NULL, NULL);
    const md5_baked *const clips[] = {clip};
    md5gl_baked *const baked = md5gl_create_baked(stage->renderer, stage->model, clips, 1, NULL);
    const md5gl_clip_job jobs[2] = {{0}};
    CHECK(scene_pose_baked(stage->renderer, stage->copy, baked, jobs, scene.placements, 2, NULL));
    CHECK(casts_as_given(stage, &dark)); // by clips
    const float usual = shadow_scale(stage);

    // A second model is not posed, then is as large as the whole scene, then is far away, and then
    // is destroyed. Only the distant model enlarges the shadow map.
    md5gl_model *const second_model =
        md5gl_create_model(stage->renderer, stage->model, MD5GL_PATH_AUTO, NULL);
    md5gl_model *const last =
        md5gl_create_model(stage->renderer, stage->model, MD5GL_PATH_AUTO, NULL);
    CHECK(casts_as_given(stage, &dark));
    CHECK(scene_pose(stage->renderer, second_model, pair_placements, NULL, 2, NULL));
    CHECK(scene_pose(stage->renderer, stage->copy, pair_placements, scene.placements + 1, 1, NULL));
    CHECK(shadow_scale(stage) == usual);
    const md5_mat34 distant_placement = scene_moved(0, 0, 1000);
    CHECK(scene_pose(stage->renderer, second_model, pair_placements, &distant_placement, 1, NULL));
    CHECK(fabsf(shadow_scale(stage)) < 0.1f * fabsf(usual));
    md5gl_destroy_model(stage->renderer, second_model);
    stage_pose(stage, pair_placements, NULL, 2);
    CHECK(casts_as_given(stage, &dark));
    md5gl_destroy_model(stage->renderer, last);
    CHECK(casts_as_given(stage, &dark));
    md5gl_destroy_baked(stage->renderer, baked);
}

// The search for blockers can miss a caster that is narrower than its steps: the middle of the
// shadow must not be a line of bright or dark dots.
TEST_HERE (gl_narrow_casters_cast_whole_shadows) {
    shadow_scene scene = make_shadow_scene();
    gl_picture lit;
    gl_picture dark;
    prepare_shadows(stage);
    scene.placements[1].m[0] = 0.03f; // 1.2 units wide
    stage->frame.softness = 0.3f;
    draw_shadow_scene(stage, &scene, false, &lit);
    draw_shadow_scene(stage, &scene, true, &dark);
    for (int right = -15; right < -8; right++) {
        const int full = picture_at(&lit, right, 0)[0];
        const int shaded = picture_at(&dark, right, 0)[0];
        CHECK(shaded < full - 20 && shaded > full - 60);
    }
}

TEST_HERE (gl_shadow_map_size_can_be_set) {
    static const uint32_t sides[] = {2048, 300, 0};
    const shadow_scene scene = make_shadow_scene();
    gl_picture lit;
    gl_picture dark;
    prepare_shadows(stage);
    draw_shadow_scene(stage, &scene, false, &lit);
    const float usual = md5gl_shadow_reach(&stage->frame);
    for (size_t i = 0; i < COUNT_OF(sides); i++) {
        stage->frame.shadow_texels = sides[i];
        draw_shadow_scene(stage, &scene, true, &dark);
        check_shadow(&lit, &dark);
        const float reach = md5gl_shadow_reach(&stage->frame);
        if (sides[i] > 768)
            CHECK(reach < usual);
        else if (sides[i] > 0)
            CHECK(reach > usual);
        else
            CHECK(reach == usual);
    }
}

TEST_HERE (gl_every_path_casts_the_same_shadow) {
    const shadow_scene scene = make_shadow_scene();
    gl_picture lit;
    gl_picture dark;
    prepare_shadows(stage);
    draw_shadow_scene(stage, &scene, false, &lit);
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        if (!md5gl_has_path(stage->renderer, path))
            continue;
        stage_use_path(stage, path);
        draw_shadow_scene(stage, &scene, true, &dark);
        check_shadow(&lit, &dark);
    }
}

// The drawn ground consists only of shadows: black with an alpha, which is larger below a caster
// that is near the ground.
TEST_HERE (gl_ground_receives_shadows) {
    shadow_scene scene = make_shadow_scene();
    gl_picture high;
    gl_picture low;
    gl_picture off;
    prepare_shadows(stage);
    memset(stage->frame.background, 0, sizeof stage->frame.background);
    gl_picture *const pictures[3] = {&high, &low, &off};
    for (int i = 0; i < 3; i++) {
        scene.placements[1].m[11] = i == 0 ? 12 : 0.5f; // high up, then nearly on the ground
        if (i == 2)
            stage->frame.no_shadows = true;
        stage_begin(stage);
        stage_pose(stage, scene.palettes, scene.placements + 1, 1);
        md5gl_draw_shadows(stage->renderer, stage->copy);
        md5gl_draw_ground(stage->renderer, (md5_vec3){0, 0, 0}, 60);
        stage_finish(stage, pictures[i]);
    }
    CHECK(picture_at(&high, -12, 0)[3] > 120 && picture_at(&high, -12, 0)[0] == 0);
    CHECK(picture_at(&high, 12, 0)[3] < 20 && picture_at(&high, 35, 0)[3] == 0);
    CHECK(picture_at(&low, 0, 0)[3] > 150); // below the caster, hidden from key light and sky
    CHECK(picture_at(&low, 6, 0)[3] > 2
          && picture_at(&low, 6, 0)[3] < 120); // a position next to it, partly hidden
    CHECK(picture_at(&low, 15, 0)[3] < 10);
    CHECK(picture_at(&off, -12, 0)[3] == 0 && picture_at(&off, 0, 0)[3] == 0);
}

// Next to a caster, the shade of the sky is smooth from pixel to pixel, although each pixel has
// different taps: on average the difference from the mean of its four neighbors is below two
// steps.
TEST_HERE (gl_contact_shade_has_no_stipple) {
    shadow_scene scene = make_shadow_scene();
    gl_picture picture;
    prepare_shadows(stage);
    memset(stage->frame.background, 0, sizeof stage->frame.background);
    stage->frame.light_direction = (md5_vec3){0, 0, -1};
    stage->frame.clip_from_view.m[0] *= 8;
    stage->frame.clip_from_view.m[5] *= 8;
    scene.placements[1].m[11] = 0.5f;
    stage_begin(stage);
    stage_pose(stage, scene.palettes, scene.placements + 1, 1);
    md5gl_draw_shadows(stage->renderer, stage->copy);
    md5gl_draw_ground(stage->renderer, (md5_vec3){0, 0, 0}, 60);
    stage_finish(stage, &picture);
    double sum = 0.0;
    unsigned count = 0;
    for (int up = 2 - SCENE_HEIGHT / 2; up < SCENE_HEIGHT / 2 - 2; up++) {
        for (int right = 2 - SCENE_WIDTH / 2; right < SCENE_WIDTH / 2 - 2; right++) {
            const int center = picture_at(&picture, right, up)[3];
            const int around =
                picture_at(&picture, right - 1, up)[3] + picture_at(&picture, right + 1, up)[3]
                + picture_at(&picture, right, up - 1)[3] + picture_at(&picture, right, up + 1)[3];
            sum += center > 8 && center < 150 ? abs(4 * center - around) / 4.0 : 0.0;
            count += center > 8 && center < 150;
        }
    }
    CHECK(count > 1000);
    CHECK_THAT(sum / count < 2.0, "%g", sum / count);
}

// Across the edge of a soft shadow, the brightness must not have one step per tap: only few pixels
// may be as dark as the second pixel after them.
TEST_HERE (gl_soft_shadows_have_no_steps) {
    shadow_scene scene = make_shadow_scene();
    gl_picture picture;
    unsigned count = 0;
    unsigned num_equal = 0;
    prepare_shadows(stage);
    memset(stage->frame.background, 0, sizeof stage->frame.background);
    stage->frame.softness = 0.3f;
    stage->frame.clip_from_view.m[0] *= 8;
    stage->frame.clip_from_view.m[5] *= 8;
    scene.placements[1].m[7] = 17; // the edge is in the middle
    stage_begin(stage);
    stage_pose(stage, scene.palettes, scene.placements + 1, 1);
    md5gl_draw_shadows(stage->renderer, stage->copy);
    md5gl_draw_ground(stage->renderer, (md5_vec3){0, 0, 0}, 60);
    stage_finish(stage, &picture);
    for (int up = -SCENE_HEIGHT / 2; up < SCENE_HEIGHT / 2; up++) {
        for (int right = -SCENE_WIDTH / 2; right < SCENE_WIDTH / 2 - 2; right++) {
            const int center = picture_at(&picture, right, up)[3];
            count += center > 20 && center < 110;
            num_equal +=
                center > 20 && center < 110 && center == picture_at(&picture, right + 2, up)[3];
        }
    }
    CHECK_THAT(count > 1000 && num_equal < count / 5, "%u of %u", num_equal, count);
}

// The ground is drawn only where shadows may fall: as with the whole plane, for light from all
// sides, steep, flat and from below.
TEST_HERE (gl_ground_shadows_are_not_cut_off) {
    static const md5_vec3 lights[] = {{0, 1, 1}, {0, -3, 1},       {1, 1, 2},   {-2, 1, 1},
                                      {0, 0, 1}, {0.3f, -0.2f, 1}, {-5, -5, 1}, {1, 1, -1}};
    const shadow_scene scene = make_shadow_scene();
    gl_picture pictures[2];
    prepare_shadows(stage);
    memset(stage->frame.background, 0, sizeof stage->frame.background);
    stage->frame.casters = (md5_bounds){{-5, -5, 0}, {5, 5, 12}};
    stage->frame.softness = 0.3f;
    for (size_t i = 0; i < COUNT_OF(lights); i++) {
        stage->frame.light_direction = lights[i];
        stage->frame.ground = i % 2 ? 10 : 0;
        for (int is_full = 0; is_full < 2; is_full++) {
            stage_begin(stage);
            if (is_full)
                scene_shade_whole_ground(stage->renderer);
            stage_pose(stage, scene.palettes, scene.placements + 1, 1);
            md5gl_draw_shadows(stage->renderer, stage->copy);
            md5gl_draw_ground(stage->renderer, (md5_vec3){0, 0, 0}, 200);
            stage_finish(stage, &pictures[is_full]);
        }
        int largest = 0;
        int darkest = 0;
        for (int up = -SCENE_HEIGHT / 2; up < SCENE_HEIGHT / 2; up++) {
            for (int right = -SCENE_WIDTH / 2; right < SCENE_WIDTH / 2; right++) {
                const int part = picture_at(&pictures[0], right, up)[3];
                const int alpha = picture_at(&pictures[1], right, up)[3];
                largest = abs(part - alpha) > largest ? abs(part - alpha) : largest;
                darkest = alpha > darkest ? alpha : darkest;
            }
        }
        CHECK(largest <= 1);
        CHECK(darkest > 60 || lights[i].z < 0);
    }
}

// The bounds of casters change in every frame, but the shadow of a model that does not move must
// not change. If the frame contains the shadow radius, a caster that appears and disappears does
// not change it either. A shadow radius below the radius of the bounds has no effect.
TEST_HERE (gl_shadows_do_not_swim_with_the_bounds) {
    shadow_scene scene = make_shadow_scene();
    gl_picture pictures[5];
    prepare_shadows(stage);
    memset(stage->frame.background, 0, sizeof stage->frame.background);
    stage->frame.shadow_texels = 64;
    scene.placements[1].m[11] = 1; // near the ground, in its shade as well
    static const float widths[5] = {0, 0.37f, 0, 37.3f, 0};
    static const float radii[5] = {0, 0, 40, 40, 7.5f};
    for (int i = 0; i < 5; i++) {
        const float wider = widths[i];
        stage->frame.shadow_radius = radii[i];
        stage->frame.casters = (md5_bounds){{-5, -5 - wider, 0}, {5 + wider, 5, 12}};
        stage_begin(stage);
        stage_pose(stage, scene.palettes, scene.placements + 1, 1);
        md5gl_draw_shadows(stage->renderer, stage->copy);
        md5gl_draw_ground(stage->renderer, (md5_vec3){0, 0, 0}, 60);
        stage_finish(stage, &pictures[i]);
    }
    for (int i = 0; i < 4; i += 2)
        CHECK(memcmp(&pictures[i], &pictures[i + 1], sizeof pictures[0]) == 0);
    CHECK(memcmp(&pictures[0], &pictures[4], sizeof pictures[0]) == 0);
}

// Cut-out texels let light through on every path, also if the texture is set after posing.
TEST_HERE (gl_cut_out_texels_cast_no_shadow) {
    static const uint8_t clear[4] = {255, 255, 255, 0};
    const shadow_scene scene = make_shadow_scene();
    gl_picture picture;
    prepare_shadows(stage);
    const md5gl_texture texture = stage_color(stage, 1, 1, clear);
    memset(stage->frame.background, 0, sizeof stage->frame.background);
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        if (!md5gl_has_path(stage->renderer, path))
            continue;
        stage_use_path(stage, path);
        for (int late = 0; late < 3; late++) {
            STAGE_MATERIAL(stage, .diffuse = late ? 0 : texture);
            stage_begin(stage);
            stage_pose(stage, scene.palettes, scene.placements + 1, 1);
            STAGE_MATERIAL(stage, .diffuse = late == 2 ? 0 : texture);
            md5gl_draw_shadows(stage->renderer, stage->copy);
            md5gl_draw_ground(stage->renderer, (md5_vec3){0, 0, 0}, 60);
            stage_finish(stage, &picture);
            CHECK((picture_at(&picture, -12, 0)[3] == 0) == (late != 2));
        }
    }
}

TEST_HERE (gl_missing_depth_maps_are_reported) {
    md5_error error = {0};
    prepare_shadows(stage);
    *scene_limits(stage->renderer).has_shadows = false;
    stage_begin(stage);
    CHECK_SAYS(md5gl_end_frame(stage->renderer, &error), error, MD5_ERROR_GPU, "shadows");
    stage->frame.no_shadows = true;
    stage_begin(stage);
    CHECK(md5gl_end_frame(stage->renderer, &error));
}

// -- A lost context ---------------------------------------------------------------------------

static GLenum GLAD_API_PTR lost_by_another(void)
{
    return 0x8254;
}

TEST_STAGE (gl_lost_context_is_reported, scene_floor, 1) {
    md5_error error = {0};
    uint8_t pixel[4];
    md5gl_renderer *const renderer = stage->renderer;
    *scene_optional(renderer).reset_status = lost_by_another;
    stage_begin(stage);
    CHECK_SAYS(md5gl_end_frame(renderer, &error), error, MD5_ERROR_GPU,
               "lost (caused by another program");
    CHECK_FAILS(md5gl_read_pixels(renderer, stage->target, 1, 1, pixel, &error), error,
                MD5_ERROR_GPU);
    *scene_optional(renderer).reset_status = NULL; // not every context has the function
    stage_begin(stage);
    CHECK(md5gl_end_frame(renderer, &error));
}
