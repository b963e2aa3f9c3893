// Tests of freed objects: builds with assertions report each use of a freed object with the
// function and the argument. Also tests objects that other objects still refer to, and objects that
// are changed in a callback.
//
// The parts test functions that free, arguments that were freed (freed_rows.h), references, and
// callbacks.
#include "test/ragdoll/ragdoll_case.h"
#include "test/misuse.h"
#include "test/scoped.h"

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

enum { MAX_KEPT = 4096, MAX_JOINTS = 128 };
#define SAMPLE_POSITION       \
    (md5_sample_position)     \
    {                         \
        .wrap = MD5_WRAP_LOOP \
    }
#define RAY                      \
    (md5_ray)                    \
    {                            \
        .direction = { 1, 0, 0 } \
    }
#define XFORM                      \
    (md5_xform)                    \
    {                              \
        .rotation = { 0, 0, 0, 1 } \
    }
#define VEC3    \
    (md5_vec3)  \
    {           \
        0, 0, 0 \
    }

// One object of each kind. The allocator keeps freed memory until the test ends, so that the test
// may read it.
typedef struct objects {
    md5_load_opts opts;
    md5_model *model, *model2;
    const md5_skeleton *skeleton; // skeleton of `model`
    const md5_mesh *mesh;         // mesh of `model`
    md5_anim *anim;
    md5_camera *camera;
    md5_binding *binding;
    md5_pose_buffers *buffers;
    md5_morph *morph;
    md5_baked *baked;
    md5_curve *curve;
    md5_squad *squad;
    md5_retarget *retarget;
    md5_machine_file *machine_file;
    md5_character *character;
    md5_machine *machine;
    md5_player *player, *player2;
    md5_doc *doc;
    md5_check *check, *check2;
    md5_weights *weights;
    md5_scales *scales;
    md5_image *image;
    md5_cube2 *cube;
    ragdoll_case man;
    md5_game *game;
    md5_entity *entity;
    md5_figure *figure;
    md5_actor *actor;
    md5_script *script;
    md5_states *states, *states2;
    md5_monster *monster;
    md5_ragdoll *ragdoll, *ragdoll2;
    void *kept[MAX_KEPT];
    size_t num_kept;
} objects;

static void *keep_alloc(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void keep_freed(void *user, void *memory, size_t size)
{
    objects *const o = user;
    (void)size;
    if (CHECK(o->num_kept < MAX_KEPT))
        o->kept[o->num_kept++] = memory;
}

// Opens the files of a script and of a model of Cube 2.
static const void *open_text(void *user, const char *path, size_t *size, md5_error *error)
{
    (void)user, (void)error;
    const bool is_script = strstr(path, ".script") != NULL;
    const char *const text =
        is_script ? "object o { void Legs_A(); }; void o::Legs_A() { }" : "md5load \"a.md5mesh\"";
    *size = strlen(text);
    return text;
}

static void close_text(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
}

// Creates the machine from the tables of the character, so that it can be freed without the
// character.
static void make_machine(objects *o)
{
    const md5_clip_desc clip = {.name = "a", .binding = o->binding};
    const md5_state_desc state = {.name = "a", .motion = "a"};
    const md5_layer_desc layer = {.name = "body", ROW(states, state)};
    const md5_machine_desc desc = {
        .model = o->model, ROW(clips, clip), ROW(layers, layer), .report = {.enter = true}};
    o->machine = md5_create_machine(&desc, &o->opts, NULL);
    o->player = md5_create_player(o->machine, &o->opts.allocator, NULL);
    o->player2 = md5_create_player(o->machine, &o->opts.allocator, NULL);
}

// Creates all objects that are loaded from files or made from a model.
static void make_models(objects *o)
{
    const md5_allocator *const allocator = &o->opts.allocator;
    const char *const mesh = test_path("test/reference/data/seam.md5mesh");
    o->model = md5_load_model(mesh, &o->opts, NULL);
    o->model2 = md5_load_model(mesh, &o->opts, NULL);
    o->skeleton = &o->model->skeleton;
    o->mesh = o->model->meshes;
    o->anim = md5_load_anim(test_path("test/reference/data/seam.md5anim"), &o->opts, NULL);
    o->camera = md5_load_camera(test_path("models/zoo/cuts.md5camera"), &o->opts, NULL);
    o->binding = md5_bind(o->model, o->anim, &o->opts, NULL);
    o->buffers = md5_create_pose_buffers(o->model, 0, allocator, NULL);
    o->morph = md5_create_morph(o->model, NULL, 0, &o->opts, NULL);
    o->baked = md5_create_baked(o->model, o->model->bind, 1, &o->opts, NULL);
    o->retarget = md5_create_retarget(o->model, o->model2, NULL, 0, &o->opts, NULL);
    const md5_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {2, 1, 0}};
    const md5_curve_desc curve = {ROWS(points, points)};
    o->curve = md5_create_curve(&curve, allocator, NULL);
    const md5_quat rotation = {0, 0, 0, 1};
    const double time = 0;
    o->squad = md5_create_squad(&rotation, &time, 1, 0, allocator, NULL);
    const char *const machine = test_path("models/tendril/tendril.md5machine");
    o->machine_file = md5_load_machine_file(machine, &o->opts, NULL);
    o->character = md5_load_character(machine, &o->opts, NULL);
    make_machine(o);
}

// Creates all objects of tools: documents, checks, weights, scales, an image and a Cube 2 model.
static void make_documents(objects *o)
{
    size_t size = 0;
    SCOPED_STRING text = test_read_file(test_path("test/reference/data/seam.md5mesh"), &size);
    const md5_engines engines = {.all = 1};
    o->doc = md5_parse_doc(MD5_DOC_MODEL, text, size, &o->opts, NULL);
    o->check = md5_check_doc(MD5_DOC_MODEL, text, size, engines, &o->opts, NULL);
    o->check2 = md5_check_doc(MD5_DOC_MODEL, text, size, engines, &o->opts, NULL);
    const md5_mesh *const mesh = o->model->meshes;
    const md5_weights_desc desc = {.positions = mesh->positions,
                                   .num_positions = mesh->num_vertices,
                                   .indices = mesh->indices,
                                   .num_triangles = mesh->num_triangles,
                                   .skeleton = &o->model->skeleton,
                                   .bind = o->model->bind,
                                   .resolution = 8};
    o->weights = md5_create_weights(&desc, &o->opts, NULL);
    const char scales[] = "{}";
    o->scales = md5_parse_scales(scales, sizeof scales - 1, o->anim, &o->opts, NULL);
    const unsigned char tga[] = {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0, 1, 2, 3};
    const md5_image_opts image = {.allocator = o->opts.allocator};
    o->image = md5_parse_image(tga, sizeof tga, &image, NULL);
    md5_load_opts files = o->opts;
    files.files = (md5_files){open_text, close_text, NULL};
    o->cube = md5_load_cube2("a/md5.cfg", NULL, &files, NULL);
}

static void make_game(objects *o)
{
    const md5_allocator *const allocator = &o->opts.allocator;
    if (!open_man_with(&o->man, "", &o->opts))
        return;
    o->game = o->man.game;
    o->entity = o->man.entity;
    o->figure = o->man.figure;
    o->actor = md5_create_actor(o->entity, allocator, NULL);
    md5_load_opts files = o->opts;
    files.files = (md5_files){open_text, close_text, NULL};
    o->script = md5_load_script("a.script", "o", NULL, &files, NULL);
    const md5_states_desc states = {.script = o->script, .entity = o->entity, .body = o->actor};
    o->states = md5_create_states(&states, allocator, NULL);
    o->states2 = md5_create_states(&states, allocator, NULL);
    const md5_monster_desc monster = {.entity = o->entity, .body = o->actor};
    o->monster = md5_create_monster(&monster, &o->opts, NULL);
    const md5_ragdoll_desc ragdoll = {.figure = o->figure};
    o->ragdoll = md5_create_ragdoll(&ragdoll, allocator, NULL);
    o->ragdoll2 = md5_create_ragdoll(&ragdoll, allocator, NULL);
}

static void begin(objects *o)
{
    memset(o, 0, sizeof *o);
    o->opts.allocator = (md5_allocator){keep_alloc, keep_freed, o, 0};
    make_models(o);
    make_documents(o);
    make_game(o);
}

// Frees all objects. An object is freed before the objects to which it refers.
static void end(objects *o)
{
    md5_destroy_ragdoll(o->ragdoll2);
    md5_destroy_ragdoll(o->ragdoll);
    md5_destroy_monster(o->monster);
    md5_destroy_states(o->states2);
    md5_destroy_states(o->states);
    md5_free_script(o->script);
    md5_destroy_actor(o->actor);
    close_case(&o->man);
    md5_free_cube2(o->cube);
    md5_free_image(o->image);
    md5_free_scales(o->scales);
    md5_destroy_weights(o->weights);
    md5_free_check(o->check2);
    md5_free_check(o->check);
    md5_free_doc(o->doc);
    md5_destroy_player(o->player2);
    md5_destroy_player(o->player);
    md5_destroy_machine(o->machine);
    md5_free_character(o->character);
    md5_free_machine_file(o->machine_file);
    md5_destroy_squad(o->squad);
    md5_destroy_curve(o->curve);
    md5_destroy_retarget(o->retarget);
    md5_destroy_baked(o->baked);
    md5_destroy_morph(o->morph);
    md5_destroy_pose_buffers(o->buffers);
    md5_free_binding(o->binding);
    md5_free_camera(o->camera);
    md5_free_anim(o->anim);
    md5_free_model(o->model2);
    md5_free_model(o->model);
    for (uint32_t i = 0; i < o->num_kept; i++)
        free(o->kept[i]);
}

// -- Functions that free an object ----------------------------------------------------------------

#define FREES(object, function)                 \
    static void free_##object(const objects *o) \
    {                                           \
        function(o->object);                    \
    }
FREES(model, md5_free_model)
FREES(anim, md5_free_anim)
FREES(camera, md5_free_camera)
FREES(binding, md5_free_binding)
FREES(buffers, md5_destroy_pose_buffers)
FREES(morph, md5_destroy_morph)
FREES(baked, md5_destroy_baked)
FREES(curve, md5_destroy_curve)
FREES(squad, md5_destroy_squad)
FREES(retarget, md5_destroy_retarget)
FREES(machine_file, md5_free_machine_file)
FREES(character, md5_free_character)
FREES(machine, md5_destroy_machine)
FREES(player, md5_destroy_player)
FREES(doc, md5_free_doc)
FREES(check, md5_free_check)
FREES(weights, md5_destroy_weights)
FREES(scales, md5_free_scales)
FREES(image, md5_free_image)
FREES(cube, md5_free_cube2)
FREES(game, md5_destroy_game)
FREES(entity, md5_free_entity)
FREES(figure, md5_free_figure)
FREES(actor, md5_destroy_actor)
FREES(script, md5_free_script)
FREES(states, md5_destroy_states)
FREES(monster, md5_destroy_monster)
FREES(ragdoll, md5_destroy_ragdoll)

// -- Arguments that were freed --------------------------------------------------------------------

#define FREED(function, argument, object, arguments)           \
    static void call_##function##_##argument(const objects *o) \
    {                                                          \
        (void)function arguments;                              \
    }
#include "test/core/freed_rows.h"
#undef FREED

static const struct freed_row {
    const char *expected;
    void (*free)(const objects *o);
    void (*call)(const objects *o);
} rows[] = {
#define FREED(function, argument, object, arguments)                                      \
    {"md5model: " #function "(): " #argument ": must not have been freed", free_##object, \
     call_##function##_##argument},
#include "test/core/freed_rows.h"
#undef FREED
};

TEST_WITH (a_freed_argument_is_reported_with_function_and_argument, objects, o, begin(o), end(o)) {
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct freed_row *const row = &rows[i];
        MISUSE(row->expected, {
            row->free(o);
            row->call(o);
        });
    }
}

// -- Objects that others refer to -----------------------------------------------------------------

static void sample(const objects *o)
{
    md5_xform pose[MAX_JOINTS];
    md5_sample(o->binding, SAMPLE_POSITION, MD5_ROOT_FILE, pose);
}

static void pose_palette(const objects *o)
{
    md5_xform pose[MAX_JOINTS];
    md5_mat34 palette[MAX_JOINTS];
    md5_pose_palette(o->binding, SAMPLE_POSITION, MD5_ROOT_FILE, pose, NULL, palette);
}

static void pose_batch(const objects *o)
{
    md5_mat34 palette[MAX_JOINTS];
    static unsigned char scratch[1 << 16];
    const md5_pose_job job = {.binding = o->binding, .palette = palette};
    md5_pose_batch(&job, 1, NULL, scratch);
}

static void skin_batch(const objects *o)
{
    static md5_vec3 positions[256];
    md5_skin_one(&(md5_skin_job){.mesh = o->mesh, .positions = positions});
}

static void skin_morph(const objects *o)
{
    static md5_vec3 positions[256];
    md5_skin_one(&(md5_skin_job){.mesh = o->mesh, .morph = o->morph, .positions = positions});
}

static void pack(const objects *o)
{
    static float weights[1024];
    static uint32_t joints[1024];
    md5_pack_influences(&(md5_pack_job){.mesh = o->mesh, .joints = joints, .weights = weights});
}

static void create_morph(const objects *o)
{
    const md5_morph_source source = {.name = "a", .model = o->model};
    md5_create_morph(o->model2, &source, 1, NULL, NULL);
}

static void create_machine(const objects *o)
{
    md5_create_machine(&(md5_machine_desc){.model = o->model}, NULL, NULL);
}

static void create_clip_machine(const objects *o)
{
    const md5_clip_desc clip = {.name = "a", .binding = o->binding};
    md5_create_machine(&(md5_machine_desc){.model = o->model, ROW(clips, clip)}, NULL, NULL);
}

static void advance(const objects *o)
{
    md5_player_advance(o->player, 0.1, NULL, NULL);
}

static void pose_player(const objects *o)
{
    md5_xform pose[MAX_JOINTS];
    static unsigned char scratch[1 << 16];
    md5_player_pose(o->player, pose, NULL, NULL, scratch);
}

static void play_batch(const objects *o)
{
    static unsigned char scratch[1 << 16];
    md5_play_job job = {.player = o->player};
    md5_play_batch(&job, 1, NULL, scratch);
}

static void pose_between(const objects *o)
{
    md5_interpolated_pose_job job = {.model = o->model};
    md5_pose_interpolated(&job, 1, 0.5f, NULL);
}

static void retarget(const objects *o)
{
    (void)md5_retarget_pose_scratch(o->retarget);
}

static void create_monster(const objects *o)
{
    const md5_monster_desc desc = {.entity = o->entity, .body = o->actor};
    md5_create_monster(&desc, NULL, NULL);
}

static void create_states(const objects *o)
{
    const md5_states_desc desc = {.script = o->script, .entity = o->entity, .body = o->actor};
    md5_create_states(&desc, NULL, NULL);
}

static void create_ragdoll(const objects *o)
{
    md5_create_ragdoll(&(md5_ragdoll_desc){.figure = o->figure}, NULL, NULL);
}

static void advance_actor(const objects *o)
{
    md5_actor_advance(o->actor, 16, NULL, NULL);
}

static void advance_states(const objects *o)
{
    md5_states_advance(o->states, 16, NULL, NULL);
}

static void think(const objects *o)
{
    md5_monster_think(o->monster, &(md5_monster_tick){.rotation = {0, 0, 0, 1}});
}

static void advance_ragdoll(const objects *o)
{
    md5_ragdoll_advance(o->ragdoll, 0.1);
}

static void advance_ragdolls(const objects *o)
{
    md5_ragdoll_advance_batch(&o->ragdoll, 1, 0.1, NULL);
}

static void check_turns(const objects *o)
{
    (void)md5_check_turns(&o->check, 1);
}

static const struct freed_row used_rows[] = {
    {"md5model: md5_sample(): binding->model: must not have been freed", free_model, sample},
    {"md5model: md5_sample(): binding->anim: must not have been freed", free_anim, sample},
    {"md5model: md5_pose_palette(): binding->model: must not have been freed", free_model,
     pose_palette},
    {"md5model: md5_pose_palette(): binding->anim: must not have been freed", free_anim,
     pose_palette},
    {"md5model: md5_pose_batch(): jobs[i].binding: must not have been freed", free_binding,
     pose_batch},
    {"md5model: md5_pose_batch(): jobs[i].binding->anim: must not have been freed", free_anim,
     pose_batch},
    {"md5model: md5_skin_batch(): jobs[i].mesh: must not have been freed", free_model, skin_batch},
    {"md5model: md5_skin_batch(): jobs[i].morph: must not have been freed", free_morph, skin_morph},
    {"md5model: md5_pack_influences(): mesh: must not have been freed", free_model, pack},
    {"md5model: md5_create_morph(): sources[i].model: must not have been freed", free_model,
     create_morph},
    {"md5model: md5_create_machine(): desc->model: must not have been freed", free_model,
     create_machine},
    {"md5model: md5_create_machine(): desc->clips[i].binding: must not have been freed",
     free_binding, create_clip_machine},
    {"md5model: md5_player_advance(): player->machine: must not have been freed", free_machine,
     advance},
    {"md5model: md5_player_advance(): player->machine->model: must not have been freed", free_model,
     advance},
    {"md5model: md5_player_advance(): player->machine: binding of a clip must not have been freed",
     free_binding, advance},
    {"md5model: md5_player_pose(): player->machine: binding of a clip must not have been freed",
     free_binding, pose_player},
    {"md5model: md5_player_pose(): player->machine: binding of a clip must not have been freed",
     free_anim, pose_player},
    {"md5model: md5_play_batch(): jobs[i].player: must not have been freed", free_player,
     play_batch},
    {"md5model: md5_play_batch(): jobs[i].player->machine: must not have been freed", free_machine,
     play_batch},
    {"md5model: md5_pose_interpolated(): jobs[i].model: must not have been freed", free_model,
     pose_between},
    {"md5model: md5_retarget_pose_scratch(): retarget->source: must not have been freed",
     free_model, retarget},
    {"md5model: md5_create_monster(): desc->entity: must not have been freed", free_entity,
     create_monster},
    {"md5model: md5_create_monster(): desc->body: must not have been freed", free_actor,
     create_monster},
    {"md5model: md5_create_states(): desc->script: must not have been freed", free_script,
     create_states},
    {"md5model: md5_create_states(): desc->body: must not have been freed", free_actor,
     create_states},
    {"md5model: md5_create_ragdoll(): desc->figure: must not have been freed", free_figure,
     create_ragdoll},
    {"md5model: md5_actor_advance(): actor->entity: must not have been freed", free_entity,
     advance_actor},
    {"md5model: md5_states_advance(): states->desc.script: must not have been freed", free_script,
     advance_states},
    {"md5model: md5_states_advance(): states->desc.body: must not have been freed", free_actor,
     advance_states},
    {"md5model: md5_monster_think(): monster->desc.body: must not have been freed", free_actor,
     think},
    {"md5model: md5_ragdoll_advance(): ragdoll->desc.figure: must not have been freed", free_figure,
     advance_ragdoll},
    {"md5model: md5_check_turns(): clips[i]: must not have been freed", free_check, check_turns},
    {"md5model: md5_ragdoll_advance_batch(): ragdolls[i]: must not have been freed", free_ragdoll,
     advance_ragdolls},
};

TEST_WITH (a_freed_object_that_another_one_uses_is_reported, objects, o, begin(o), end(o)) {
    for (size_t i = 0; i < COUNT_OF(used_rows); i++) {
        const struct freed_row *const row = &used_rows[i];
        MISUSE(row->expected, {
            row->free(o);
            row->call(o);
        });
    }
}

// -- Callbacks ------------------------------------------------------------------------------------

// The machine and the model of the character are freed with it.
TEST_WITH (a_player_of_a_freed_character_is_reported, objects, o, begin(o), end(o)) {
    md5_player *const player = md5_create_player(o->character->machine, &o->opts.allocator, NULL);
    MISUSE("md5model: md5_player_advance(): player->machine: must not have been freed", {
        free_character(o);
        md5_player_advance(player, 0.1, NULL, NULL);
    });
    md5_destroy_player(player);
}

// An object, and a function that its callback must not call with it.
typedef struct callback_case {
    void (*misuse)(void *object);
    void *object;
} callback_case;

static void destroy_player(void *object)
{
    md5_destroy_player(object);
}

static void advance_player(void *object)
{
    md5_player_advance(object, 0.1, NULL, NULL);
}

static void set_parameter(void *object)
{
    md5_player_set(object, 0, 1);
}

static void pose_player_again(void *object)
{
    static unsigned char scratch[1 << 16];
    md5_xform pose[MAX_JOINTS];
    md5_player_pose(object, pose, NULL, NULL, scratch);
}

static void destroy_actor(void *object)
{
    md5_destroy_actor(object);
}

static void advance_actor_again(void *object)
{
    md5_actor_advance(object, 16, NULL, NULL);
}

static void destroy_states(void *object)
{
    md5_destroy_states(object);
}

static void destroy_ragdoll(void *object)
{
    md5_destroy_ragdoll(object);
}

static void advance_ragdoll_again(void *object)
{
    md5_ragdoll_advance(object, 0.1);
}

static void on_event(void *user, md5_player *player, const md5_event *event, float weight)
{
    const callback_case *const callback = user;
    (void)player, (void)event, (void)weight;
    callback->misuse(callback->object);
}

static void on_frame(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                     md5_channel channel)
{
    const callback_case *const callback = user;
    (void)command, (void)clip, (void)channel;
    callback->misuse(callback->object);
}

static float on_height(void *user, float x, float y, md5_vec3 *normal)
{
    const callback_case *const callback = user;
    (void)x, (void)y;
    *normal = (md5_vec3){0, 0, 1};
    if (callback->misuse)
        callback->misuse(callback->object);
    return 0;
}

static void run_event(const objects *o, void (*misuse)(void *object))
{
    callback_case callback = {misuse, o->player};
    md5_player_advance(o->player, 0.1, on_event, &callback);
}

static void run_frame_command(const objects *o, void (*misuse)(void *object))
{
    callback_case callback = {misuse, o->actor};
    md5_actor_play(o->actor, MD5_CHANNEL_ALL, 0, MD5_ACTOR_CYCLE, 0, 0);
    md5_actor_advance(o->actor, 16, on_frame, &callback);
}

static void run_frame_command_of_states(const objects *o, void (*misuse)(void *object))
{
    callback_case callback = {misuse, o->states};
    md5_actor_play(o->actor, MD5_CHANNEL_ALL, 0, MD5_ACTOR_CYCLE, 0, 0);
    md5_states_advance(o->states, 16, on_frame, &callback);
}

static void run_height(const objects *o, void (*misuse)(void *object))
{
    md5_body_state bodies[MAX_JOINTS] = {0};
    callback_case callback = {NULL, NULL};
    const md5_ragdoll_desc desc = {.figure = o->figure,
                                   .ground = {.heights = on_height, .user = &callback}};
    md5_ragdoll *const ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
    callback = (callback_case){misuse, ragdoll};
    set_body_transforms(o->figure, XFORM, VEC3, VEC3, bodies);
    md5_ragdoll_start(ragdoll, bodies);
    md5_ragdoll_advance(ragdoll, 1);
}

#define IN_CALLBACK "must not be changed or destroyed in its own callback"
static const struct callback_row {
    const char *expected;
    void (*run)(const objects *o, void (*misuse)(void *object));
    void (*misuse)(void *object);
} callback_rows[] = {
    {"md5model: md5_destroy_player(): player: " IN_CALLBACK, run_event, destroy_player},
    {"md5model: md5_player_advance(): player: " IN_CALLBACK, run_event, advance_player},
    {"md5model: md5_player_pose(): player: " IN_CALLBACK, run_event, pose_player_again},
    {"md5model: md5_player_set(): player: must not be changed in its own callback", run_event,
     set_parameter},
    {"md5model: md5_destroy_actor(): actor: " IN_CALLBACK, run_frame_command, destroy_actor},
    {"md5model: md5_actor_advance(): actor: " IN_CALLBACK, run_frame_command, advance_actor_again},
    {"md5model: md5_destroy_states(): states: " IN_CALLBACK, run_frame_command_of_states,
     destroy_states},
    {"md5model: md5_destroy_ragdoll(): ragdoll: " IN_CALLBACK, run_height, destroy_ragdoll},
    {"md5model: md5_ragdoll_advance(): ragdoll: " IN_CALLBACK, run_height, advance_ragdoll_again},
};

TEST_WITH (an_object_that_its_callback_changes_is_reported, objects, o, begin(o), end(o)) {
    for (size_t i = 0; i < COUNT_OF(callback_rows); i++) {
        MISUSE(callback_rows[i].expected, callback_rows[i].run(o, callback_rows[i].misuse));
    }
}

// Frame commands of the eyes stop the blinking of the actor whose callback forwards them.
static void pass_on_frame(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                          md5_channel channel)
{
    const md5_frame_command eyes = {.code = MD5_FRAME_DISABLE_EYE_FOCUS};
    const objects *const o = user;
    (void)command, (void)clip, (void)channel;
    md5_monster_on_frame(o->monster, &eyes);
}

TEST_WITH (a_callback_can_forward_frame_commands, objects, o, begin(o), end(o)) {
    md5_actor_play(o->actor, MD5_CHANNEL_ALL, 0, MD5_ACTOR_CYCLE, 0, 0);
    md5_actor_advance(o->actor, 16, pass_on_frame, o);
    md5_states_advance(o->states, 16, pass_on_frame, o);
}

// A freed object of malloc() is also reported, although its memory belongs to the C library: debug
// builds store the objects that were freed last.
TEST (an_object_of_malloc_that_was_freed_is_reported) {
    MISUSE("md5model: md5_free_model(): model: must not have been freed", {
        md5_model *const model =
            md5_load_model(test_path("models/bobbin/bobbin.md5mesh"), NULL, NULL);
        md5_free_model(model);
        md5_free_model(model);
    });
    MISUSE("md5model: md5_free_anim(): anim: must not have been freed", {
        md5_anim *const anim =
            md5_load_anim(test_path("test/reference/data/seam.md5anim"), NULL, NULL);
        md5_free_anim(anim);
        md5_free_anim(anim);
    });
}

#endif
