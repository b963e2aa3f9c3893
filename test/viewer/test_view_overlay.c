// Lines over the model: bounding boxes that move with their joints. Also groups of names in long
// lists, and --hide.
#include "test/viewer/test_view_shot.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"

// Opens files, poses them within the clip, and adds the bounding boxes of the joints.
static bool open_boxes(view_document *document, view_lines *lines, const char *const *files,
                       size_t num_files)
{
    view_scene *const scene = &document->scene;
    const view_shown shown = {.joint_bounds = true};
    const view_camera camera = {.scene_radius = 1};
    const view_stage stage = {
        .document = document, .camera = &camera, .shown = &shown, .lines = lines};
    view_log log = quiet_log;
    if (!CHECK(view_load_scene(scene, files, num_files, NULL, false, &log)))
        return false;
    const view_play play = {.time = 0.4, .speed = 1};
    view_pose(scene, &play);
    view_skin(scene);
    view_add_overlays(&stage, false);
    return true;
}

static void close_boxes(view_scene *scene, view_lines *lines)
{
    view_free_lines(lines);
    view_free_scene(scene);
}

// A box of 12 edges. The first three edges begin in the same corner.
enum { BOX = 24 }; // number of line ends

// Returns the distance of a point from a box, as a fraction of its edges.
static float outside(const md5gl_line_vertex *box, md5_vec3 point)
{
    const md5_vec3 from = md5_vec3_sub(point, box[0].position);
    float farthest = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        const md5_vec3 edge = md5_vec3_sub(box[2 * axis + 1].position, box[0].position);
        const float at = md5_vec3_dot(from, edge) / md5_vec3_dot(edge, edge);
        farthest = fmaxf(farthest, fabsf(at - 0.5f) - 0.5f);
    }
    return farthest;
}

// Vertices that only one joint moves, in the pose of a clip, of a model without a figure in the
// same folder.
TEST (view_boxes_of_joints_contain_their_vertices) {
    const char *const files[] = {test_path("models/spindle/spindle.md5mesh"),
                                 test_path("models/spindle/walk.md5anim")};
    enum { MAX_JOINTS = 256 };
    uint32_t is_used[MAX_JOINTS] = {0};
    uint32_t num_boxes = 0;
    uint32_t num_held = 0;
    view_document document = {.ground = 0};
    view_scene *const scene = &document.scene;
    view_lines lines = {0};
    if (open_boxes(&document, &lines, files, 2) && CHECK(scene->num_joints <= MAX_JOINTS)) {
        const md5_mesh *const meshes = scene->model->meshes;
        for (uint32_t m = 0; m < scene->model->num_meshes; m++) {
            for (uint32_t i = 0; i < meshes[m].num_influences; i++)
                is_used[meshes[m].influence_joints[i]] = 1;
        }
        for (uint32_t i = 0; i < scene->num_joints; i++)
            is_used[i] = is_used[i] != 0 ? num_boxes++ : 0;
        CHECK_UINT(lines.count, BOX * num_boxes);
        for (uint32_t m = 0; m < scene->model->num_meshes; m++) {
            for (uint32_t v = 0; v < meshes[m].num_vertices; v++) {
                const uint32_t first = meshes[m].first_influence[v];
                if (meshes[m].first_influence[v + 1] != first + 1)
                    continue;
                const uint32_t box = is_used[meshes[m].influence_joints[first]];
                CHECK(outside(&lines.vertices[BOX * box], scene->skinned[m].positions[v]) < 1e-3f);
                num_held++;
            }
        }
        CHECK(num_held > 100);
    }
    close_boxes(scene, &lines);
}

TEST (view_skeleton_without_meshes_has_no_boxes) {
    const char *const files[] = {test_path("models/bobbin/dance.md5anim")};
    view_document document = {.ground = 0};
    view_lines lines = {0};
    if (open_boxes(&document, &lines, files, 1))
        CHECK_UINT(lines.count, 0);
    close_boxes(&document.scene, &lines);
}

// -- Groups ---------------------------------------------------------------------------------------

// Long lists of a game in groups. The names resemble the names of games.

enum { PER_KIND = 20, NUM_KINDS = 3, NUM_FILES = PER_KIND * NUM_KINDS };

typedef struct library_case {
    view_library library;
    view_browser browser;
    const char *files[NUM_FILES];
    char texts[NUM_FILES][48];
} library_case;

// Clips of three monsters in folders, 20 each.
static void make_files(library_case *fixture)
{
    static const char *const kinds[NUM_KINDS] = {"imp", "maggot", "zsec"};
    static char location[] = "games/mod|games/base";
    *fixture = (library_case){0};
    fixture->library.location = location;
    fixture->library.num_mod_paths = 1;
    for (int i = 0; i < NUM_FILES; i++) {
        snprintf(fixture->texts[i], sizeof fixture->texts[i], "models/md5/%s/%s%02d.md5anim",
                 kinds[i / PER_KIND], i % 2 == 0 ? "walk_" : "pain_", i % PER_KIND);
        fixture->files[i] = fixture->texts[i];
    }
    fixture->library.names[VIEW_ANIMS] = fixture->files;
    fixture->library.num_names[VIEW_ANIMS] = NUM_FILES;
}

static const char *file_name(void *user, size_t file)
{
    return ((library_case *)user)->texts[file];
}

// Returns NULL, because none of these files is read.
static const void *open_none(void *user, size_t file, size_t *size, md5_error *error)
{
    (void)user, (void)file, (void)size, (void)error;
    CHECK(false);
    return NULL;
}

static void close_none(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
}

// Six clips of the first monster belong to the mod.
TEST (names_of_a_mod_can_be_listed_separately) {
    library_case fixture;
    make_files(&fixture);
    const md5_game_path paths[2] = {{.num_files = 6,
                                     .name = file_name,
                                     .open = open_none,
                                     .close = close_none,
                                     .user = &fixture},
                                    {.num_files = NUM_FILES,
                                     .name = file_name,
                                     .open = open_none,
                                     .close = close_none,
                                     .user = &fixture}};
    fixture.library.game = md5_create_game(paths, 2, NULL, NULL);
    fixture.library.search_paths.count = 2;
    view_list_section(&fixture.browser, &fixture.library, VIEW_ANIMS, NULL);
    CHECK(fixture.browser.num_found == NUM_FILES && fixture.browser.num_from_mod == 6);
    fixture.browser.shows_mod_only = true; // set by its button
    view_list_section(&fixture.browser, &fixture.library, VIEW_ANIMS, NULL);
    CHECK_UINT(fixture.browser.num_found, 6);
    view_filter_list(&fixture.browser, "walk");
    CHECK_UINT(fixture.browser.num_found, 3); // without the clips of the base game
    view_list_section(&fixture.browser, &fixture.library, VIEW_ANIMS, NULL);
    CHECK_UINT(fixture.browser.num_found, 3); // also when the section is listed again
    view_clear_browser(&fixture.browser);
    md5_destroy_game(fixture.library.game);
}

TEST (empty_section_has_no_rows) {
    library_case fixture;
    make_files(&fixture);
    view_list_section(&fixture.browser, &fixture.library, VIEW_SKINS, "nothing");
    CHECK_UINT(fixture.browser.num_found, 0);
    CHECK(view_key_browser(&fixture.browser, VIEW_KEY_RETURN).action == VIEW_HANDLED);
    view_clear_browser(&fixture.browser);
}

// -- The option --hide ----------------------------------------------------------------------------
// --hide: meshes by name, shader or number, with the same effect as a click in the panel.

// The built-in model without its clips: mesh 0 is the body, mesh 1 the eyes.
#define HIDE_MODEL "models/bobbin/bobbin.md5mesh --no-auto --no-background --samples 1"
#define SMALL HIDE_MODEL " --resolution 160,120"

TEST_SCENE (view_option_hide_finds_meshes) {
    static const struct {
        const char *line;
        uint64_t hidden;
    } cases[] = {
        {HIDE_MODEL, 0},
        {HIDE_MODEL " --hide 1", 2},
        {HIDE_MODEL " --hide=models/bobbin/bobbin", 1},
        {HIDE_MODEL " --hide 0 --hide=models/bobbin/bobbin_eye", 3},
    };
    shot_viewer viewer;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        if (shot_open(&viewer, scene, cases[i].line))
            CHECK_UINT(viewer.state.options->hidden_meshes, cases[i].hidden);
        shot_close(&viewer);
    }
}

TEST_SCENE (view_option_hide_empties_the_image) {
    SCOPED_PICTURE all = render_shot(scene, SMALL " --grid=no");
    SCOPED_PICTURE none = render_shot(scene, SMALL " --grid=no --no-shadow --hide 0 --hide 1");
    CHECK(measure_shot_cover(&all).fraction > 0.02);
    CHECK(measure_shot_cover(&none).fraction == 0.0);
}

// A misspelt name is an error, but only with files from the command line.
TEST_SHOT (view_option_hide_rejects_unknown_meshes, HIDE_MODEL) {
    const char *const path = test_path("models/bobbin/bobbin.md5mesh");
    viewer->options.hidden.names = common_alloc(1, sizeof(char *));
    viewer->options.hidden.names[viewer->options.hidden.count++] = "bobin";
    CHECK(view_open(&viewer->state, &path, 1, false));
    CHECK(!view_open(&viewer->state, &path, 1, true));
    CHECK(viewer->state.options->hidden_meshes == 0);
}
