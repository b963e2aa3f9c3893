// Morph targets in the viewer: --morph, the folder next to the model, and the weights in skinning
// on the CPU and in drawing.
#include "test/scoped.h"
#include "test/skin/skin_jobs.h"
#include "test/viewer/test_view_case.h"

// -- The option --morph -----------------------------------------------------------------------

static bool read_morph(const char *text, view_options *options)
{
    char problem[256] = "";
    char morph[] = "--morph";
    SCOPED_STRING copy = strcpy(malloc(strlen(text) + 1), text);
    char *arguments[] = {morph, copy};
    const bool is_read = view_read_options(2, arguments, options, problem, sizeof problem);
    CHECK(is_read || strstr(problem, "morph") != NULL);
    return is_read;
}

TEST (view_morph_option_is_a_name_and_a_weight) {
    STRINGS(wrong) = {"smile",    "=1",        "smile=",    "smile=x",
                      "smile=1x", "smile=nan", "smile=inf", "smile=1@2"};
    view_options options;
    if (CHECK(read_morph("smile=-0.25", &options))) {
        CHECK_UINT(options.morphs.count, 1);
        CHECK_STRING(options.morphs.rows[0].parameter, "smile");
        CHECK(options.morphs.rows[0].value == -0.25f);
        CHECK(options.names_content);
    }
    view_free_options(&options);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        CHECK(!read_morph(wrong[i], &options));
        view_free_options(&options);
    }
}

// -- Documents --------------------------------------------------------------------------------

static view_document *open_bobbin(view_setting *morphs, size_t count, md5gl_renderer *renderer,
                                  const char *name)
{
    const view_options options = {.morphs = {morphs, count}, .samples = 1};
    view_log log = quiet_log;
    const view_loader loader = {&options, renderer, &log, NULL};
    const char *const path = test_path(name);
    return view_load_document(&loader, &path, 1, false, true,
                              (view_document_settings){.root = MD5_ROOT_FILE});
}

static const char bobbin[] = "models/bobbin/bobbin.md5mesh";

static char oh_name[] = "oh";
static char smile_name[] = "smile";
static char blink_name[] = "blink";
static char wrong_name[] = "nosuch";

TEST (view_morph_at_weight_1_equals_the_targets_file) {
    view_setting smile[] = {{.parameter = smile_name, .value = 1}};
    view_document *const document = open_bobbin(smile, 1, NULL, bobbin);
    if (CHECK(document)) {
        CHECK_UINT(document->morphs.morph->num_targets, 8);
        for (int dual = 0; dual < 2; dual++) {
            document->scene.dual = dual == 1;
            view_pose_at(&document->scene, &(md5_sample_position){0});
            view_skin(&document->scene);

            // With one target of weight 1, the vertices of the bind pose must equal the vertices in
            // the target's file.
            SCOPED_MODEL target = our_model("models/bobbin/morphs/smile.md5mesh");
            for (uint32_t i = 0; CHECK(target) && i < target->num_meshes; i++) {
                for (uint32_t v = 0; v < target->meshes[i].num_vertices; v++) {
                    const md5_vec3 a = target->meshes[i].positions[v];
                    const md5_vec3 b = document->scene.skinned[i].positions[v];
                    CHECK_SMALL(fabs((double)a.x - b.x) + fabs((double)a.y - b.y)
                                    + fabs((double)a.z - b.z),
                                1e-4);
                }
            }
        }
    }
    view_free_document(document, NULL);
}

TEST (view_morph_with_an_unknown_name_is_an_error) {
    view_setting wrong[] = {{.parameter = wrong_name, .value = 1}};
    CHECK(open_bobbin(wrong, 1, NULL, bobbin) == NULL);
    // A target is an error too if the model has no folder of targets.
    CHECK(open_bobbin(wrong, 1, NULL, "models/spindle/spindle.md5mesh") == NULL);
    view_document *const plain = open_bobbin(NULL, 0, NULL, bobbin);
    CHECK(plain != NULL && plain->morphs.morph == NULL && plain->scene.morph == NULL);
    view_free_document(plain, NULL);
}

TEST_SCENE (view_morph_is_drawn_like_it_is_skinned) {
    view_setting morphs[] = {{.parameter = blink_name, .value = 0.6f},
                             {.parameter = smile_name, .value = 1.4f}};
    view_document *const document = open_bobbin(morphs, 2, scene->renderer, bobbin);
    if (CHECK(document)) {
        const view_scene *const shown = &document->scene;
        const uint32_t count = shown->model->meshes[0].num_vertices;
        SCOPED md5_vec3 *const drawn = malloc(count * sizeof *drawn);
        view_pose_at(&document->scene, &(md5_sample_position){0});
        view_skin(&document->scene);
        const md5gl_instances instance = {.count = 1,
                                          .palettes = shown->palette,
                                          .morph = document->morphs.drawn,
                                          .weights = document->morphs.weights};
        CHECK(md5gl_pose(scene->renderer, document->drawn, &instance, NULL));
        CHECK(md5gl_capture(scene->renderer, document->drawn, 0, NULL, drawn, NULL, NULL, NULL));
        for (uint32_t v = 0; v < count; v++) {
            const md5_vec3 a = drawn[v];
            const md5_vec3 b = shown->skinned[0].positions[v];
            CHECK_SMALL(fabs((double)a.x - b.x) + fabs((double)a.z - b.z), 1e-3);
        }
    }
    view_free_document(document, scene->renderer);
}

// Bobbin's attack gives the machine a little fright, and a parameter makes it smile.
TEST (view_machine_drives_morph_targets) {
    view_setting oh[] = {{.parameter = oh_name, .value = 0.25f}};
    view_document *const document = open_bobbin(oh, 1, NULL, "models/bobbin/bobbin.md5machine");
    if (CHECK(document != NULL && document->scene.machine.player != NULL)) {
        view_scene *const scene = &document->scene;
        const md5_morph *const morph = document->morphs.morph;
        const uint32_t smile = md5_find_morph_target(morph, "smile");
        const uint32_t fright = md5_find_morph_target(morph, "fright");
        const uint32_t second_target = md5_find_morph_target(morph, "oh");
        const uint32_t parameter = md5_find_parameter(scene->machine.character->machine, "smile");
        CHECK(md5_player_set(scene->machine.player, parameter, 1));
        view_pose(scene, &(view_play){.time = 0.25});
        CHECK_EXACT(scene->morph_weights[smile], 1);
        CHECK_EXACT(scene->morph_weights[fright], 0);
        view_set_machine_parameter(&scene->machine, "jump", 1.0f);
        view_pose(scene, &(view_play){.time = 1.0});
        CHECK_NEAR(scene->morph_weights[fright], 0.7, 1e-4); // while the character is in the air
        CHECK_EXACT(scene->morph_weights[second_target],
                    0.25); // the weight of --morph is unchanged
    }
    view_free_document(document, NULL);
}

// -- Bounds -----------------------------------------------------------------------------------

// Returns the largest distance of the morphed vertices of the clips' first frames outside of the
// sphere of a kind, in units. It is negative if all vertices are inside.
static float distance_outside_sphere(const view_kind *kind, md5_vec3 *positions)
{
    float max_value = -INFINITY;
    const uint32_t num_joints = kind->model->skeleton.num_joints;
    SCOPED md5_xform *const pose = malloc(num_joints * sizeof *pose);
    SCOPED md5_mat34 *const joints = malloc(num_joints * sizeof *joints);
    SCOPED md5_mat34 *const palette = malloc(num_joints * sizeof *palette);
    const md5_sample_position first = {.frame0 = 0};
    for (uint32_t clip = 0; clip < kind->num_clips; clip++) {
        md5_pose_palette(kind->clips[clip], first, MD5_ROOT_IN_PLACE, pose, joints, palette);
        for (uint32_t i = 0; i < kind->model->num_meshes; i++) {
            skin_with_morph(kind->morphs->morph, i, kind->morphs->requested, palette, NULL,
                            positions, NULL, NULL);
            for (uint32_t v = 0; v < kind->model->meshes[i].num_vertices; v++) {
                const md5_vec3 arm = md5_vec3_sub(positions[v], kind->sphere.center);
                max_value = fmaxf(max_value, md5_vec3_length(arm) - kind->sphere.radius);
            }
        }
    }
    return max_value;
}

// The morph target moves vertices by the height of the character: a bounding sphere that ignores it
// would cull the visible character.
TEST (view_morph_targets_widen_the_spheres_of_crowds) {
    view_setting smile[] = {{.parameter = smile_name, .value = 60}};
    const view_options options = {.morphs = {smile, COUNT_OF(smile)}, .samples = 1, .crowd = 2};
    view_log log = quiet_log;
    const view_loader loader = {&options, NULL, &log, NULL};
    const char *const path = test_path(bobbin);
    view_document *const document = view_load_document(
        &loader, &path, 1, true, true, (view_document_settings){.root = MD5_ROOT_FILE});
    if (CHECK(document)) {
        view_kind kind = document->crowd.kinds[0];
        uint32_t max_value = 0;
        for (uint32_t i = 0; i < kind.model->num_meshes; i++) {
            const md5_mesh *const mesh = &kind.model->meshes[i];
            max_value = mesh->num_vertices > max_value ? mesh->num_vertices : max_value;
        }
        SCOPED md5_vec3 *const positions = malloc(max_value * sizeof *positions);
        const float reach = view_morph_reach(kind.morphs, NULL);
        CHECK(reach > 40.0f && reach == view_morph_reach(kind.morphs, kind.morphs->requested));
        CHECK(distance_outside_sphere(&kind, positions) <= 0.0f);
        kind.sphere.radius -= reach; // as measured without morph targets
        CHECK(distance_outside_sphere(&kind, positions) > 0.0f);
    }
    view_free_document(document, NULL);
}

// Weights that a machine drives are at most 1. Bobbin's machine drives all weights but one, the
// blink; weights that are not driven are ignored.
TEST (view_driven_morph_targets_extend_bounds) {
    view_document *const document = open_bobbin(NULL, 0, NULL, "models/bobbin/bobbin.md5machine");
    if (CHECK(document)) {
        const view_morphs *const morphs = &document->morphs;
        float sum = 0.0f;
        const uint32_t blink = md5_find_morph_target(morphs->morph, "blink");
        for (uint32_t i = 0; i < morphs->morph->num_targets; i++)
            sum += i != blink ? morphs->morph->targets[i].reach : 0.0f;
        CHECK(sum > 0.0f);
        CHECK_NEAR(view_morph_reach(morphs, NULL), sum, 1e-4);
        view_morphs fewer = *morphs;
        if (CHECK(fewer.num_driven > 2)) {
            fewer.num_driven -= 2;
            const uint32_t *const left = fewer.driven + fewer.num_driven;
            CHECK(left[0] != MD5_NONE && left[1] != MD5_NONE);
            sum -= morphs->morph->targets[left[0]].reach + morphs->morph->targets[left[1]].reach;
            CHECK_NEAR(view_morph_reach(&fewer, NULL), sum, 1e-4);
        }
        CHECK_EXACT(view_morph_reach(NULL, NULL), 0);
    }
    view_free_document(document, NULL);
}
