// Tests of chains of calls whose errors are checked once at the end: the example programs of the
// API's design, and every call that takes an asset and an error, with an asset that is NULL. Uses
// public headers only.
#include "test/scoped.h"

// -- Programs -----------------------------------------------------------------------------------

// A program of five lines, which prints an asset or an error. Returns true if the asset exists.
static bool print_model(const char *path, char *text, size_t size)
{
    md5_error error = {0};
    SCOPED_MODEL model = md5_load_model(path, NULL, &error);
    if (!model)
        return snprintf(text, size, "%s:%u: %s", error.file, error.line, error.message), false;
    snprintf(text, size, "%u joints, %u meshes", model->skeleton.num_joints, model->num_meshes);
    return true;
}

// A program of twenty lines, which loads two files and computes vertices in motion.
static bool pose_model(const char *mesh_path, const char *anim_path, md5_vec3 *first,
                       md5_error *error)
{
    md5_model *model = md5_load_model(mesh_path, NULL, error);
    md5_anim *anim = md5_load_anim(anim_path, NULL, error);
    md5_binding *binding = md5_bind(model, anim, NULL, error);
    const bool is_bound = binding != NULL;
    if (is_bound) {
        const md5_mesh *mesh = &model->meshes[0];
        md5_xform *pose = malloc(model->skeleton.num_joints * sizeof *pose);
        md5_mat34 *palette = malloc(model->skeleton.num_joints * sizeof *palette);
        md5_vec3 *positions = malloc(mesh->num_vertices * sizeof *positions);
        if (!pose || !palette || !positions)
            abort();
        md5_sample_position sample = md5_sample_position_at(anim, 0.3, MD5_WRAP_LOOP);
        md5_pose_palette(binding, sample, MD5_ROOT_FILE, pose, NULL, palette);
        md5_skin(mesh, palette, positions, NULL, NULL);
        *first = positions[0];
        free(positions);
        free(palette);
        free(pose);
    }
    md5_free_binding(binding), md5_free_anim(anim), md5_free_model(model);
    return is_bound;
}

// A program of sixty lines: a character walks, waves with its upper body, and is skinned into the
// vertex buffer of an engine.
typedef struct vertex {
    md5_vec3 position, normal;
    float u, v;
} vertex;

typedef struct hero {
    md5_model *model;
    md5_anim *walk_anim, *wave_anim;
    md5_binding *walk, *wave;
    float *upper;           // [num_joints] mask
    md5_xform *pose, *over; // [num_joints]
    md5_mat34 *palette;     // [num_joints]
    md5_dual_quat *duals;   // [num_joints]
    md5_skin_job *jobs;     // [num_meshes]
    vertex **buffers;       // [num_meshes], of the engine
} hero;

// Loads a model and two clips, and allocates everything that a game needs to draw the model. Calls
// are not checked one by one: each accepts the NULL result of an earlier call.
static bool load_hero(hero *h, const char *mesh, const char *walk, const char *wave,
                      md5_error *error)
{
    const md5_load_opts opts = {.axes = MD5_AXES_Y_UP, .skip_geometry = MD5_GEOMETRY_TANGENTS};
    h->model = md5_load_model(mesh, &opts, error);
    h->walk_anim = md5_load_anim(walk, &opts, error);
    h->wave_anim = md5_load_anim(wave, &opts, error);
    h->walk = md5_bind(h->model, h->walk_anim, &opts, error);
    h->wave = md5_bind(h->model, h->wave_anim, &opts, error);
    if (!h->walk || !h->wave)
        return false;
    const size_t n = h->model->skeleton.num_joints;
    h->upper = malloc(n * sizeof *h->upper);
    h->pose = malloc(n * sizeof *h->pose);
    h->over = malloc(n * sizeof *h->over);
    h->palette = malloc(n * sizeof *h->palette);
    h->duals = malloc(n * sizeof *h->duals);
    h->jobs = calloc(h->model->num_meshes, sizeof *h->jobs);
    h->buffers = calloc(h->model->num_meshes, sizeof *h->buffers);
    if (!h->upper || !h->pose || !h->over || !h->palette || !h->duals || !h->jobs || !h->buffers)
        abort();
    for (uint32_t i = 0; i < h->model->num_meshes; i++) {
        h->buffers[i] = calloc(h->model->meshes[i].num_vertices, sizeof *h->buffers[i]);
        h->jobs[i] = (md5_skin_job){
            .mesh = &h->model->meshes[i],
            .duals = h->duals,
            .positions = &h->buffers[i][0].position,
            .position_stride = sizeof(vertex),
            .normals = &h->buffers[i][0].normal,
            .normal_stride = sizeof(vertex),
        };
    }
    return md5_build_mask(&h->model->skeleton, "*spine_1", 2, h->upper, error);
}

static void free_hero(hero *h)
{
    if (h->buffers) {
        for (uint32_t i = 0; i < h->model->num_meshes; i++)
            free(h->buffers[i]);
    }
    md5_free_binding(h->wave), md5_free_binding(h->walk);
    md5_free_anim(h->wave_anim), md5_free_anim(h->walk_anim), md5_free_model(h->model);
    free(h->buffers);
    free(h->jobs);
    free(h->duals);
    free(h->palette);
    free(h->over);
    free(h->pose);
    free(h->upper);
}

static const char mesh_path[] = "models/bobbin/bobbin.md5mesh";
static const char walk_path[] = "models/bobbin/walk.md5anim";
static const char wave_path[] = "models/bobbin/wave.md5anim";

TEST (chain_programs_of_the_guides_run) {
    char text[600];
    CHECK(print_model(test_path(mesh_path), text, sizeof text));
    CHECK(strstr(text, " joints, "));

    md5_vec3 first = {0};
    md5_error error = {0};
    CHECK(pose_model(test_path(mesh_path), test_path(walk_path), &first, &error));
    CHECK(error.status == MD5_OK && error.message[0] == '\0' && error.file[0] == '\0');
    CHECK(md5_vec3_length(first) > 1 && md5_vec3_length(first) < 100); // Bobbin is 40 units high

    hero h = {0};
    if (CHECK(load_hero(&h, test_path(mesh_path), test_path(walk_path), test_path(wave_path),
                        &error))) {
        double time = 0.7;
        const uint32_t n = h.model->skeleton.num_joints;
        md5_sample_position slow = md5_sample_position_at(h.walk_anim, 0.2 * time, MD5_WRAP_LOOP);
        slow.interpolation = MD5_INTERPOLATE_CUBIC; // smooth slow motion
        md5_sample(h.walk, slow, MD5_ROOT_IN_PLACE, h.pose);
        md5_sample(h.wave, md5_sample_position_at(h.wave_anim, time, MD5_WRAP_CLAMP), MD5_ROOT_FILE,
                   h.over);
        md5_blend_poses(h.pose, h.over, 0.5f, h.upper, n, h.pose);
        md5_local_to_palette(h.model, h.pose, NULL, h.palette);
        md5_build_dual_palette(h.palette, n, h.duals);
        md5_skin_batch(h.jobs, h.model->num_meshes, NULL);
        const md5_bounds bounds = md5_skin_bounds(h.model, h.palette);
        for (uint32_t i = 0; i < h.model->num_meshes; i++) {
            for (uint32_t k = 0; k < h.model->meshes[i].num_vertices; k++) {
                const vertex *const v = &h.buffers[i][k];
                CHECK(v->position.y > bounds.min.y - 3 && v->position.y < bounds.max.y + 3);
                CHECK_NEAR(md5_vec3_length(v->normal), 1, 1e-5);
                CHECK(v->u == 0 && v->v == 0); // not written by the library
            }
        }
    }
    free_hero(&h);
    CHECK(error.status == MD5_OK);
}

TEST (chain_programs_report_missing_files) {
    char text[600];
    CHECK(!print_model("no/such.md5mesh", text, sizeof text));
    CHECK(strncmp(text, "no/such.md5mesh:0: ", 19) == 0);
    // The model is missing, then the animation, then both: the last load that failed is reported.
    for (int missing = 1; missing <= 3; missing++) {
        md5_vec3 first;
        md5_error error = {0};
        const char *const mesh = missing & 1 ? "no/such.md5mesh" : test_path(mesh_path);
        const char *const anim = missing & 2 ? "no/such.md5anim" : test_path(walk_path);
        CHECK_FAILS(pose_model(mesh, anim, &first, &error), error, MD5_ERROR_IO);
        CHECK_STRING(error.file, missing & 2 ? "no/such.md5anim" : "no/such.md5mesh");
    }
    hero h = {0};
    md5_error error = {0};
    CHECK(!load_hero(&h, test_path(mesh_path), "no/such.md5anim", test_path(wave_path), &error));
    CHECK_STRING(error.file, "no/such.md5anim");
    free_hero(&h);
}

// -- Assets that are NULL -----------------------------------------------------------------------

// Each call has one asset that is NULL; all remaining arguments are valid.
typedef struct parts {
    const md5_model *model;
    const md5_anim *anim;
    md5_error *error;
} parts;

static const md5_image_program no_image = {.text = ""};
static const md5_morph_source no_source = {.name = "smile"};
static md5_xform pose_buffer[1];
static float weight_buffer[1];

static bool bind_model(const parts *p)
{
    return !md5_bind(NULL, p->anim, NULL, p->error);
}

static bool bind_anim(const parts *p)
{
    return !md5_bind(p->model, NULL, NULL, p->error);
}

static bool bind_no_skeleton(const parts *p)
{
    return !md5_bind_skeleton(NULL, pose_buffer, p->anim, NULL, p->error);
}

static bool bind_skeleton_anim(const parts *p)
{
    return !md5_bind_skeleton(&p->model->skeleton, p->model->bind_local, NULL, NULL, p->error);
}

static bool complete(const parts *p)
{
    return !md5_derive_geometry(NULL, MD5_GEOMETRY_LOSSES, p->error);
}

static bool build_mask(const parts *p)
{
    return !md5_build_mask(NULL, "*hips", 0, weight_buffer, p->error);
}

static bool compress(const parts *p)
{
    return !md5_compress_anim(NULL, NULL, NULL, p->error);
}

static bool decompress(const parts *p)
{
    return !md5_decompress_anim(NULL, NULL, p->error);
}

static bool make_morph(const parts *p)
{
    return !md5_create_morph(NULL, NULL, 0, NULL, p->error);
}

static bool make_morph_source(const parts *p)
{
    return !md5_create_morph(p->model, &no_source, 1, NULL, p->error);
}

static bool make_baked(const parts *p)
{
    return !md5_create_baked(NULL, NULL, 1, NULL, p->error);
}

static bool make_weights(const parts *p)
{
    return !md5_create_weights(&(md5_weights_desc){0}, NULL, p->error);
}

static bool retarget_source(const parts *p)
{
    return !md5_create_retarget(NULL, p->model, NULL, 0, NULL, p->error);
}

static bool retarget_target(const parts *p)
{
    return !md5_create_retarget(p->model, NULL, NULL, 0, NULL, p->error);
}

static bool machine_model(const parts *p)
{
    return !md5_create_machine(&(md5_machine_desc){.name = "m"}, NULL, p->error);
}

static bool machine_binding(const parts *p)
{
    return !md5_create_machine(
        &(md5_machine_desc){
            .name = "m", .model = p->model, .clips = &(md5_clip_desc){.name = "c"}, .num_clips = 1},
        NULL, p->error);
}

static bool player(const parts *p)
{
    return !md5_create_player(NULL, NULL, p->error);
}

static bool restore_player(const parts *p)
{
    return !md5_player_restore(NULL, "", 0, p->error);
}

static bool scales(const parts *p)
{
    return !md5_load_scales("no.md5scale", NULL, NULL, p->error);
}

static bool scales_text(const parts *p)
{
    return !md5_parse_scales("{}", 2, NULL, NULL, p->error);
}

static bool mode(const parts *p)
{
    return !md5_game_set_parse_mode(NULL, MD5_PARSE_ENGINE, p->error);
}

static bool table(const parts *p)
{
    return !md5_game_table(NULL, "t", p->error);
}

static bool material(const parts *p)
{
    return !md5_game_material(NULL, "m", p->error);
}

static bool image_program(const parts *p)
{
    return !md5_game_image_program(NULL, "i", &(md5_image_program){0}, p->error);
}

static bool image(const parts *p)
{
    return !md5_load_image(NULL, &no_image, NULL, p->error);
}

static bool skin_def(const parts *p)
{
    return !md5_game_skin_def(NULL, "s", p->error);
}

static bool model_def(const parts *p)
{
    return !md5_game_model_def(NULL, "m", p->error);
}

static bool entity_def(const parts *p)
{
    return !md5_game_entity_def(NULL, "e", p->error);
}

static bool check_entity_def(const parts *p)
{
    return !md5_game_check_entity_def(NULL, "e", p->error);
}

static bool check_entity_keys(const parts *p)
{
    return !md5_game_check_entity_keys(NULL, "e", p->error);
}

static bool entity(const parts *p)
{
    return !md5_load_entity(NULL, "e", NULL, p->error);
}

static bool actor(const parts *p)
{
    return !md5_create_actor(NULL, NULL, p->error);
}

static bool restore_actor(const parts *p)
{
    return !md5_actor_restore(NULL, "", 0, p->error);
}

// Functions accept the NULL that a failed call returned. They fail too, and do not change the
// error of the first call, so that a program can check the error once at the end.
TEST (chain_of_null_assets_keeps_the_first_failure) {
    static bool (*const calls[])(const parts *p) = {
        bind_model,
        bind_anim,
        bind_no_skeleton,
        bind_skeleton_anim,
        complete,
        build_mask,
        compress,
        decompress,
        make_morph,
        make_morph_source,
        make_baked,
        make_weights,
        retarget_source,
        retarget_target,
        machine_model,
        machine_binding,
        player,
        restore_player,
        scales,
        scales_text,
        mode,
        table,
        material,
        image_program,
        image,
        skin_def,
        model_def,
        entity_def,
        check_entity_def,
        check_entity_keys,
        entity,
        actor,
        restore_actor,
    };
    md5_error error = {0};
    md5_model *const model = md5_load_model(test_path(mesh_path), NULL, &error);
    md5_anim *const anim = md5_load_anim(test_path(walk_path), NULL, &error);
    md5_binding *const binding = md5_bind(model, anim, NULL, &error);
    REQUIRE(binding);
    CHECK(md5_load_model("no/such.md5mesh", NULL, &error) == NULL);
    const md5_error first = error;
    CHECK_UINT(first.status, MD5_ERROR_IO);
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        const parts with_error = {model, anim, &error};
        CHECK_THAT(calls[i](&with_error), "call %zu fails", i);
        CHECK_THAT(memcmp(&error, &first, sizeof error) == 0, "call %zu keeps the error: %s", i,
                   error.message);
        md5_error none = {0};
        const parts with_none = {model, anim, &none};
        CHECK_THAT(calls[i](&with_none) && none.status == MD5_ERROR_MISSING && none.message[0],
                   "call %zu reports the missing argument: %d, %s", i, (int)none.status,
                   none.message);
        const parts without = {model, anim, NULL};
        CHECK_THAT(calls[i](&without), "call %zu without an error", i);
    }
    // A failure of a later load replaces the error; a success does not change it.
    md5_error later = first;
    CHECK_FAILS(md5_parse_model("MD5Version 10 ?", 15, NULL, &later), later, MD5_ERROR_SYNTAX);
    CHECK(later.file[0] == '\0');
    later = first;
    md5_free_binding(md5_bind(model, anim, NULL, &later));
    CHECK_BYTES(&later, &first, sizeof later);
    md5_free_binding(binding), md5_free_anim(anim), md5_free_model(model);
}
