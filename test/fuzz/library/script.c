// Fuzz target for scripts. The input is a script, a NUL byte, and the file that it can include as
// b. The states of its object "o" are played one after the other in each channel.
#include "test/fuzz/figure.h"
#include "test/fuzz/folder.h"

static const char fuzz_def[] =
    "model m { mesh m.md5mesh channel torso ( *neck ) channel legs ( *root -*neck )"
    " anim walk m.md5anim { frame 1 footstep }"
    " anim nod m.md5anim { prevent_idle_override frame 1 object_call Legs_A"
    " frame 1 call k frame 1 call n::k } }";

static const fuzz_file game_files[] = {{"def/m.def", fuzz_def, sizeof fuzz_def - 1},
                                       {"m.md5mesh", FUZZ_MODEL, sizeof FUZZ_MODEL - 1},
                                       {"m.md5anim", FUZZ_ANIM, sizeof FUZZ_ANIM - 1}};

// Opens one of two files, to which `user` points.
static const void *open_script(void *user, const char *path, size_t *size, md5_error *error)
{
    const fuzz_file *const files = user;
    for (int i = 0; i < 2; i++) {
        if (strcmp(files[i].name, path) == 0)
            return open_fuzz_file(user, (size_t)i, size, error);
    }
    return NULL;
}

static void *make_script(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    return md5_load_script("a", "o", (const md5_entity *)fixture, opts, error);
}
FUZZ_DESTROY(destroy_script, md5_script, md5_free_script)

static const char *play_fault(const md5_script *script, const md5_entity *entity)
{
    md5_actor *const actor = md5_create_actor(entity, NULL, NULL);
    const md5_states_desc desc = {.script = script, .entity = entity, .body = actor};
    md5_states *const states = md5_create_states(&desc, NULL, NULL);
    md5_xform pose[FUZZ_JOINTS];
    bool is_sound = true;
    for (uint32_t i = 0; i < script->num_states && i < 20; i++) {
        for (int channel = 0; channel < MD5_CHANNEL_EYELIDS; channel++)
            md5_states_set(states, (md5_channel)channel, script->states[i].name, i);
        for (uint32_t tick = 0; tick < 4; tick++)
            md5_states_advance(states, 16 + 100 * tick, NULL, NULL);
        md5_actor_pose(actor, pose, NULL, NULL);
        is_sound = is_sound && fuzz_is_sound(pose);
    }
    md5_destroy_states(states);
    md5_destroy_actor(actor);
    return is_sound ? NULL : "a pose that is not one";
}

const char *fuzz_script(const uint8_t *data, size_t size)
{
    const char *const bytes = (const char *)data;
    const char *const end = size > 0 ? memchr(bytes, '\0', size) : NULL;
    const size_t length = end ? (size_t)(end - bytes) : size;
    fuzz_file files[] = {{"a", bytes, length}, {"b", "", 0}};
    if (end)
        files[1] = (fuzz_file){"b", end + 1, size - length - 1};
    const md5_load_opts opts = {
        .allocator = {.limit = FUZZ_MEMORY_LIMIT},
        .files = {.open = open_script, .close = close_fuzz_file, .user = files},
    };
    md5_error error = {0};
    const md5_game_path search_path = fuzz_folder(game_files, COUNT_OF(game_files));
    md5_game *const game = md5_create_game(&search_path, 1, NULL, NULL);
    md5_entity *const entity = md5_load_entity(game, "m", NULL, NULL);
    md5_script *const script = md5_load_script("a", "o", entity, &opts, &error);
    const char *fault = NULL;
    if (script)
        fault = play_fault(script, entity);
    else if (error.status == MD5_OK || !error.message[0])
        fault = "no script and no error message";
    md5_free_script(script);
    if (script && !fault)
        fault = fuzz_memory(make_script, destroy_script, entity, opts, size);
    md5_free_entity(entity);
    md5_destroy_game(game);
    return fault;
}
