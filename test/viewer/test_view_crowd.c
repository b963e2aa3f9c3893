// Crowds: culling, update intervals, and bounding spheres that contain a character in every pose.
#include "test/scoped.h"
#include "test/viewer/test_view_shot.h"
#include "test/viewer/test_view_case.h"

static md5_vec3 random_vector(float reach, uint64_t *random)
{
    const float x = test_betweenf(-reach, reach, random);
    const float y = test_betweenf(-reach, reach, random);
    return (md5_vec3){x, y, test_betweenf(-reach, reach, random)};
}

// Returns a random camera near the origin that sees a part of its surroundings.
static view_lens random_lens(bool orthographic, uint64_t *random)
{
    view_camera camera = VIEW_DEFAULT_CAMERA;
    camera.orthographic = orthographic;
    camera.azimuth = test_betweenf(0.0f, 360.0f, random);
    camera.elevation = test_betweenf(-80.0f, 80.0f, random);
    camera.distance = test_betweenf(20.0f, 300.0f, random);
    camera.scene_radius = 10.0f;
    camera.target = random_vector(50.0f, random);
    // The region is off-center, as if a panel covered the rest of the window.
    view_lens lens = view_region_lens(&camera, (view_rect){0, 0, 400, 300}, 400.0f, 300.0f);
    lens.shift_x = test_betweenf(-0.6f, 0.6f, random);
    lens.shift_y = test_betweenf(-0.6f, 0.6f, random);
    return lens;
}

// Returns true if OpenGL would draw the point: clip coordinates within -w..w.
static bool is_in_picture(const view_lens *lens, md5_vec3 p)
{
    md5_mat44 view, clip;
    view_lens_matrices(lens, &view, &clip);
    const float world[4] = {p.x, p.y, p.z, 1};
    float projected[4] = {0};
    float drawn[4] = {0};
    for (int row = 0; row < 4; row++) {
        for (int i = 0; i < 4; i++)
            projected[row] += view.m[4 * i + row] * world[i];
    }
    for (int row = 0; row < 4; row++) {
        for (int i = 0; i < 4; i++)
            drawn[row] += clip.m[4 * i + row] * projected[i];
    }
    return fabsf(drawn[0]) <= drawn[3] && fabsf(drawn[1]) <= drawn[3]
           && fabsf(drawn[2]) <= drawn[3];
}

static md5gl_frame make_frame(const view_lens *lens)
{
    md5gl_frame frame = {.width = 400, .height = 300};
    view_lens_matrices(lens, &frame.view_from_world, &frame.clip_from_view);
    return frame;
}

TEST (view_culling_keeps_visible_points) {
    uint64_t random = 5;
    int num_in = 0;
    int num_culled = 0;
    for (int i = 0; i < 400; i++) {
        const view_lens lens = random_lens(i % 2 == 0, &random);
        const md5gl_frame frame = make_frame(&lens);
        const view_culling culling = view_prepare_culling(&lens, &frame, 0.0f);
        for (int k = 0; k < 40; k++) {
            const md5_vec3 point = random_vector(200.0f, &random);
            const bool is_in = is_in_picture(&lens, point);
            // A sphere that contains a visible point is visible.
            const float radius = test_betweenf(0.0f, 30.0f, &random);
            const md5_vec3 arm = random_vector(0.57f * radius, &random);
            CHECK(
                !is_in
                || view_may_be_visible(&culling, (view_sphere){md5_vec3_add(point, arm), radius}));
            num_in += is_in;
            num_culled += !view_may_be_visible(&culling, (view_sphere){point, 0});
        }
    }
    CHECK(num_in > 500);
    // Culling of points is exact, up to rounding error.
    CHECK(abs(num_in + num_culled - 16000) < 8);
}

TEST (view_culling_keeps_casters_of_visible_shadows) {
    uint64_t random = 6;
    int num_thrown = 0;
    int num_culled = 0;
    const float lowest = -20.0f;
    for (int i = 0; i < 400; i++) {
        const view_lens lens = random_lens(i % 2 == 0, &random);
        md5gl_frame frame = make_frame(&lens);
        frame.light_direction = (md5_vec3){-0.5f, 0.3f, 0.8f};
        frame.casters = (md5_bounds){{-60, -60, 0}, {60, 60, 40}};
        const view_culling culling = view_prepare_culling(&lens, &frame, lowest);
        CHECK(culling.reach > 0.0f);
        for (int k = 0; k < 40; k++) {
            const md5_vec3 point = random_vector(200.0f, &random);
            const md5_vec3 light = frame.light_direction;
            // Choose a point that this point shades: a point in the direction of the light that is
            // not below the lowest height.
            const float fall =
                test_betweenf(0.0f, fmaxf(point.z - lowest, 0.0f), &random) / light.z;
            const md5_vec3 shaded = md5_vec3_sub(point, md5_vec3_scale(light, fall));
            const bool is_thrown = is_in_picture(&lens, shaded);
            CHECK(!is_thrown || view_may_be_visible(&culling, (view_sphere){point, 0}));
            num_thrown += is_thrown;
            num_culled += !view_may_be_visible(&culling, (view_sphere){point, 0});
        }
    }
    CHECK(num_thrown > 500 && num_culled > 4000);
}

TEST (view_culling_without_a_light_from_above_keeps_all_casters) {
    uint64_t random = 7;
    const view_lens lens = random_lens(false, &random);
    md5gl_frame frame = make_frame(&lens);
    frame.light_direction = (md5_vec3){1, 0, 0};
    const view_sphere behind = {md5_vec3_add(lens.eye, md5_vec3_scale(lens.axes.back, 100)), 1};
    view_culling culling = view_prepare_culling(&lens, &frame, 0.0f);
    CHECK(!view_may_be_visible(&culling, behind)); // no casters, no shadows
    frame.casters = (md5_bounds){{-60, -60, 0}, {60, 60, 40}};
    culling = view_prepare_culling(&lens, &frame, 0.0f);
    CHECK(view_may_be_visible(&culling, behind));
    culling.shadowed = false;
    culling.all = true;
    CHECK(view_may_be_visible(&culling, behind));
}

// -- Crowds ---------------------------------------------------------------------------------

typedef struct crowd_case {
    view_document *document;
    view_crowd *crowd;
    view_culling culling;
} crowd_case;

// Opens twelve characters without a renderer, seen from `distance`.
static bool open_crowd(crowd_case *fixture, const char *const *models, int num_models,
                       float distance)
{
    char *paths[4] = {0};
    const view_options options = {.crowd = 12};
    view_log log = quiet_log;
    const view_loader loader = {&options, NULL, &log, NULL};
    *fixture = (crowd_case){0};
    for (int i = 0; i < num_models; i++)
        paths[i] = common_copy(test_path(models[i]));
    fixture->document =
        view_load_document(&loader, (const char *const *)paths, (size_t)num_models, true, true,
                           (view_document_settings){.root = MD5_ROOT_FILE});
    for (int i = 0; i < num_models; i++)
        free(paths[i]);
    if (!CHECK(fixture->document))
        return false;
    fixture->crowd = &fixture->document->crowd;
    view_camera camera = VIEW_DEFAULT_CAMERA;
    camera.distance = distance;
    camera.scene_radius = distance;
    const view_lens lens = view_region_lens(&camera, (view_rect){0, 0, 400, 300}, 400.0f, 300.0f);
    const md5gl_frame frame = make_frame(&lens);
    fixture->culling = view_prepare_culling(&lens, &frame, 0.0f);
    return true;
}

static void close_crowd(crowd_case *fixture)
{
    view_free_document(fixture->document, NULL);
}

TEST (view_kinds_are_within_their_spheres) {
    STRINGS(models) = {"models/bobbin/bobbin.md5machine", "models/spindle/spindle.md5mesh",
                       "models/thimble/thimble.md5mesh"};
    crowd_case fixture;
    if (open_crowd(&fixture, models, 3, 300.0f)) {
        view_crowd *const crowd = fixture.crowd;
        fixture.culling.all = true;
        for (int i = 0; i < 60; i++) {
            view_run_crowd(crowd, 0.37 * i, &fixture.culling);
            CHECK_UINT(view_count_visible(crowd), 12);
            for (uint32_t k = 0; k < crowd->num_kinds; k++) {
                view_kind *const kind = &crowd->kinds[k];
                const uint32_t num_joints = kind->model->skeleton.num_joints;
                for (uint32_t j = 0; j < kind->num_seen; j++) {
                    const md5_bounds box =
                        md5_skin_bounds(kind->model, kind->drawn_palettes + (size_t)j * num_joints);
                    for (uint32_t corner = 0; corner < 8; corner++) {
                        const md5_vec3 arm =
                            md5_vec3_sub(view_corner(box, corner), kind->sphere.center);
                        CHECK(md5_vec3_length(arm) <= kind->sphere.radius);
                    }
                }
            }
        }
    }
    close_crowd(&fixture);
}

// Each member looks around independently, in its own order.
TEST (view_members_of_a_crowd_look_around_independently) {
    STRINGS(models) = {"models/bobbin/page_gaze.md5machine"};
    crowd_case fixture;
    if (open_crowd(&fixture, models, 1, 100.0f)) {
        view_crowd *const crowd = fixture.crowd;
        fixture.culling.all = true;
        for (int i = 0; i < 61; i++)
            view_run_crowd(crowd, i / 30.0, &fixture.culling);
        for (uint32_t i = 0; i < 12; i++) {
            const md5_gaze *const gaze = md5_player_gaze(crowd->members[i].player, 0);
            CHECK(gaze->seconds > 0.0f && gaze->head.x != 0.0f);
            for (uint32_t k = 0; k < i; k++)
                CHECK(md5_player_gaze(crowd->members[k].player, 0)->to.x != gaze->to.x);
        }
    }
    close_crowd(&fixture);
}

// The nearest neighbor of a member looks in the same direction, or each of the two has the other
// in front of it.
TEST (view_members_of_a_crowd_stand_in_groups) {
    STRINGS(models) = {"models/thimble/thimble.md5mesh"};
    static const md5_vec3 forward = {1, 0, 0};
    uint32_t walking = 0;
    uint32_t talking = 0;
    crowd_case fixture;
    if (open_crowd(&fixture, models, 1, 100.0f))
        for (int i = 0; i < 12; i++) {
            md5_vec3 nearest = {INFINITY, 0, 0};
            md5_vec3 nearest_forward = nearest;
            const md5_xform placement = fixture.crowd->members[i].placement;
            const md5_vec3 ahead = md5_quat_rotate(placement.rotation, forward);
            for (int k = 0; k < 12; k++) {
                const md5_xform neighbor = fixture.crowd->members[k].placement;
                const md5_vec3 offset = md5_vec3_sub(neighbor.translation, placement.translation);
                if (k != i && md5_vec3_length(offset) < md5_vec3_length(nearest)) {
                    nearest = offset;
                    nearest_forward = md5_quat_rotate(neighbor.rotation, forward);
                }
            }
            walking += md5_vec3_dot(ahead, nearest_forward) > 0.999f;
            talking +=
                md5_vec3_dot(ahead, nearest) > 0 && md5_vec3_dot(nearest_forward, nearest) < 0;
        }
    CHECK(walking > 1 && talking > 1 && walking + talking > 9);
    close_crowd(&fixture);
}

static void start_inertial(view_crowd *crowd)
{
    const view_kind *const kind = &crowd->kinds[0];
    const uint32_t trigger = md5_find_parameter(kind->machine, "next_inertial");
    for (uint32_t i = kind->begin; i < kind->end; i++)
        CHECK(md5_player_set(crowd->members[i].player, trigger, 1));
}

// A member that becomes visible has the same pose as if it had been visible all the time.
TEST (view_members_become_visible_in_their_current_pose) {
    // Cases: inertial transitions that begin while no pose is computed, springs, and neither of
    // them.
    STRINGS(models) = {"models/bobbin/page_crossfade.md5machine",
                       "models/bobbin/page_jiggle.md5machine", "models/thimble/thimble.md5mesh"};
    crowd_case culled = {0};
    crowd_case exact = {0};
    if (open_crowd(&culled, models, 3, 100.0f) && open_crowd(&exact, models, 3, 100.0f)) {
        view_crowd *const some = culled.crowd;
        view_crowd *const all = exact.crowd;
        some->throttles = all->throttles = false;
        culled.culling.planes[0].begin = INFINITY;
        exact.culling.all = true;
        for (int i = 0; i < 200; i++) {
            // The camera looks away, and looks back at the end.
            culled.culling.all = i < 20 || i >= 199;
            if (i == 190) {
                start_inertial(some);
                start_inertial(all);
            }
            view_run_crowd(some, i / 30.0, &culled.culling);
            view_run_crowd(all, i / 30.0, &exact.culling);
            CHECK_UINT(view_count_visible(some), culled.culling.all ? 12 : 0);
        }
        for (uint32_t i = 0; i < 12; i++) {
            const view_member *const a = &some->members[i];
            const view_member *const b = &all->members[i];
            const uint32_t num_joints = some->kinds[a->kind].model->skeleton.num_joints;
            CHECK(memcmp(&a->placement, &b->placement, sizeof a->placement) == 0);
            CHECK(a->is_posed && b->is_posed);
            CHECK(memcmp(some->kinds[a->kind].drawn_palettes + (size_t)a->draw_index * num_joints,
                         all->kinds[b->kind].drawn_palettes + (size_t)b->draw_index * num_joints,
                         num_joints * sizeof(md5_mat34))
                  == 0);
        }
    }
    close_crowd(&culled);
    close_crowd(&exact);
}

// Distant members are posed every fourth frame, an equal number in each frame, and no time is lost.
TEST (view_distant_members_are_updated_in_turn) {
    STRINGS(models) = {"models/bobbin/bobbin.md5machine", "models/thimble/thimble.md5mesh"};
    crowd_case fixture;
    if (open_crowd(&fixture, models, 2, 50000.0f)) {
        view_crowd *const crowd = fixture.crowd;
        double lived[12] = {0};
        for (int i = 0; i < 61; i++) {
            double waited[12];
            for (int k = 0; k < 12; k++)
                waited[k] = crowd->members[k].waited;
            view_run_crowd(crowd, i / 60.0, &fixture.culling);
            CHECK_UINT(crowd->num_posed, i == 0 ? 12 : 3);
            for (int k = 0; k < 12; k++) {
                if (crowd->members[k].is_due)
                    lived[k] += waited[k] + (i > 0 ? 1.0 / 60.0 : 0.0);
            }
        }
        for (int k = 0; k < 12; k++)
            CHECK(fabs(lived[k] + crowd->members[k].waited - 1.0) < 1e-5);
        // If the last frame was long ago, all members are posed.
        view_run_crowd(crowd, crowd->time + 0.1, &fixture.culling);
        CHECK_UINT(crowd->num_posed, 12);
    }
    close_crowd(&fixture);
}

// Each member has the morph weights of its player.
TEST (view_members_have_separate_morph_weights) {
    enum { NUM_TARGETS = 8 };
    STRINGS(models) = {"models/bobbin/bobbin.md5machine"};
    crowd_case fixture;
    if (open_crowd(&fixture, models, 1, 200.0f)) {
        const view_kind *const kind = &fixture.crowd->kinds[0];
        const md5_machine *const machine = kind->machine;
        const uint32_t num_targets = kind->morphs->morph->num_targets;
        const uint32_t smile = md5_find_morph_target(kind->morphs->morph, "smile");
        uint32_t machine_smile = 0;
        while (machine_smile < md5_machine_num_morphs(machine)
               && strcmp(md5_machine_morph_name(machine, machine_smile), "smile") != 0)
            machine_smile++;
        const uint32_t parameter = md5_find_parameter(machine, "smile");
        CHECK(num_targets == NUM_TARGETS && machine_smile < NUM_TARGETS);
        CHECK(smile != MD5_NONE && parameter != MD5_NONE);
        for (uint32_t i = 0; i < fixture.crowd->count; i++)
            CHECK(md5_player_set(fixture.crowd->members[i].player, parameter, 0.05f * (float)i));
        uint32_t num_visible = 0;
        for (int step = 1; step < 40; step++) {
            // Members appear and disappear, so that slots are reused.
            fixture.culling.all = step % 4 == 0;
            view_run_crowd(fixture.crowd, 0.06 * step, &fixture.culling);
            for (uint32_t i = 0; i < fixture.crowd->count; i++) {
                float weights[NUM_TARGETS];
                const view_member *const member = &fixture.crowd->members[i];
                if (!member->is_posed)
                    continue;
                md5_player_morphs(member->player, weights);
                CHECK(kind->morph_weights[member->draw_index * num_targets + smile]
                      == weights[machine_smile]);
                CHECK(weights[machine_smile] > 0.0f || i == 0);
            }
            num_visible = num_visible > kind->num_seen ? num_visible : kind->num_seen;
        }
        CHECK_UINT(num_visible, fixture.crowd->count);
    }
    close_crowd(&fixture);
}

// -- Images of crowds -----------------------------------------------------------------------------

// Images of crowds: crowds of several models, with and without culling.

#define BOBBIN "models/bobbin/bobbin.md5mesh"
#define THIMBLE "models/thimble/thimble.md5mesh"
#define SPINDLE "models/spindle/spindle.md5mesh"
#define SMALL " --resolution 120,90 --samples 1 --no-maps "

// -- Models and animations --------------------------------------------------------------------

TEST_SCENE (view_crowds_show_every_model_and_animation) {
    STRINGS(lines) = {
        BOBBIN SMALL "--crowd 12",
        BOBBIN " " THIMBLE SMALL "--crowd 12",
        BOBBIN " models/bobbin/run.md5anim " THIMBLE " models/thimble/walk.md5anim" SMALL
               "--crowd 12",
    };
    shot shots[3];
    for (int i = 0; i < 3; i++)
        shots[i] = render_shot(scene, lines[i]);
    CHECK(!shot_same(&shots[0], &shots[1]));
    CHECK(!shot_same(&shots[1], &shots[2]));
    for (int i = 0; i < 3; i++)
        free(shots[i].rgba);
}

// A model without animations plays the animations or the state machine of the first model.
TEST_SCENE (view_crowds_share_animations_and_machines) {
    STRINGS(lines) = {
        BOBBIN " " SPINDLE SMALL "--crowd 12",
        "models/bobbin/bobbin.md5machine " SPINDLE SMALL "--crowd 12 --animation-time 2",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        SCOPED_PICTURE shot_picture = render_shot(scene, lines[i]);
        CHECK(shot_picture.rgba);
    }
}

// -- Culling ----------------------------------------------------------------------------------

#define CLIPS \
    BOBBIN " models/bobbin/run.md5anim " THIMBLE " models/thimble/walk.md5anim" SMALL "--crowd 20"
#define MACHINES "models/bobbin/bobbin.md5machine" SMALL "--crowd 20 --animation-time 4"
#define LEVEL " --camera-distance 120 --camera-elevation-angle 4"
#define STEEP " --camera-distance 150 --camera-elevation-angle 70"

// Draws the image of a command line without culling.
static shot draw_without_culling(const gl_scene *scene, const char *line)
{
    shot_viewer viewer;
    shot picture = {.rgba = NULL};
    if (shot_open(&viewer, scene, line)) {
        viewer.state.document->crowd.culls = false;
        picture = shot_draw(&viewer);
        CHECK_UINT(view_count_visible(&viewer.state.document->crowd),
                   viewer.state.document->crowd.count);
    }
    shot_close(&viewer);
    return picture;
}

// Culled characters and their shadows change no pixel.
static void check_culling(const char *const lines[], size_t count)
{
    gl_scene scene;
    if (!scene_share(&scene))
        return;
    for (size_t i = 0; i < count; i++) {
        SCOPED_PICTURE culled = render_shot(&scene, lines[i]);
        SCOPED_PICTURE full = draw_without_culling(&scene, lines[i]);
        CHECK_THAT(shot_same(&culled, &full), "%s: culling changes pixels", lines[i]);
    }
    scene_close(&scene);
}

TEST (view_crowds_are_drawn_the_same_culled) {
    STRINGS(lines) = {THIMBLE " models/thimble/walk.md5anim" SMALL "--crowd 20" LEVEL};
    check_culling(lines, 1);
}

TEST_LONG (view_crowds_are_drawn_the_same_culled_from_all_sides) {
    STRINGS(lines) = {
        CLIPS LEVEL,
        CLIPS STEEP,
        CLIPS " --camera-distance 300 --camera-orthographic",
        CLIPS LEVEL " --no-shadow",
        MACHINES LEVEL,
        MACHINES STEEP,
    };
    check_culling(lines, sizeof lines / sizeof *lines);
}

// -- Impostors --------------------------------------------------------------------------------

#define RUNNERS                                  \
    BOBBIN " models/bobbin/run.md5anim " THIMBLE \
           " models/thimble/walk.md5anim --resolution 320,240 --no-maps --crowd 60 "

// Drawing small members as impostors changes the image only slightly.
TEST_LONG (view_crowds_look_alike_with_impostors) {
    gl_scene scene;
    if (!scene_share(&scene))
        return;
    SCOPED_PICTURE models = render_shot(&scene, RUNNERS "--animation-time 0.4 --crowd-impostors 0");
    SCOPED_PICTURE impostors =
        render_shot(&scene, RUNNERS "--animation-time 0.4 --crowd-impostors 40");
    CHECK(!shot_same(&models, &impostors));
    const double difference = shot_difference(&impostors, &models);
    CHECK_THAT(difference < 0.15, "impostors change %.4f of the pixels", difference);
    scene_close(&scene);
}

// The opacity is 1 up to the given size, then falls linearly to 0 at 1.25 times that size.
TEST (view_impostors_fade_with_their_size) {
    CHECK_EXACT(view_impostor_fraction(0.0f, 64.0f), 1);
    CHECK_NEAR(view_impostor_fraction(64.0f, 64.0f), 1, 1e-6);
    CHECK_NEAR(view_impostor_fraction(72.0f, 64.0f), 0.5, 1e-6);
    CHECK_SMALL(view_impostor_fraction(80.0f, 64.0f), 1e-6);
    CHECK_EXACT(view_impostor_fraction(500.0f, 64.0f), 0);
    CHECK_EXACT(view_impostor_fraction(10.0f, 0.0f), 0);
}
