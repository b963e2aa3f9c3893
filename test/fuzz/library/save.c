// Fuzz target for changed bytes of a saved player. The input is a script, so that inputs remain
// useful if the format changes: the first byte is the time to play before saving; the second
// selects the commands during that time; the third is the number of bytes to cut off; each change
// then has three bytes, an offset into the saved bytes (16 bits) and the value to XOR with the byte
// there.
#include "test/fuzz/figure.h"
#include "test/fuzz/target.h"

#include "md5/md5play.h"

static const char SAVE_MACHINE[] =
    "machine m { report { enter leave transition_end clip_end } float a 0.5 bool b trigger t mask "
    "k ( *hip_l ) { feather 1 }"
    " clip c c { turn cubic markers ( 0 2 ) frame 1 step section s 0 1 section e 1 2 window w 0-1"
    " curve v ( 0 0 2 1 ) } clip d d { open walk markers ( 1 2 ) } clip e e { open frame 1 step }"
    " motion o clip c { once speed a } motion p clip d { ping_pong speed -1 }"
    " motion l line a { markers item c 0 item d 2 } motion s stack { item l item p { mask k } }"
    " layer one { state x s state y l state n nothing state o o"
    " transition x y { when t duration 0.2 smooth } transition y x { when t duration 0.3 inertial }"
    " transition any n { when b duration 0.3 priority 2 } transition n o { when not b duration 1 }"
    " transition o x { exit 1 duration 0.5 } }"
    // The first clips of two of these have markers, so that bytes can synchronize a third state
    // with them.
    " layer three { state l l state c c state e e transition l c { when heard step duration 0.3 "
    "in_step }"
    " transition c e { exit 0.5 each duration 0.4 } transition e l { when state_time > 0.3 or b "
    "duration 0.5 }"
    " transition c l { when b duration 0.5 in_step leader c } }"
    " slot g { mask k } one_shot r g c { when t until b section s loops fade_in 0.1 fade_out 0.1 }"
    " layer two { add reference c 1 mask k weight a state p p state c c"
    " transition p c { when t duration 0.4 } transition c p { when t inertial duration 0.4 } }"
    " modifier h aim head { length 2 } modifier w spring head { length 2 }"
    " modifier f feet root { foot foot_l } modifier k two_bone foot_l { weight window w } }";

typedef struct figure {
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
    md5_machine_file *file;
    md5_machine *machine;
    md5_player *players[2];
    void *scratch;
} figure;

static void make_figure(figure *fixture)
{
    fixture->model = md5_parse_model(FUZZ_MODEL, sizeof FUZZ_MODEL - 1, NULL, NULL);
    fixture->anim = md5_parse_anim(FUZZ_ANIM, sizeof FUZZ_ANIM - 1, NULL, NULL);
    fixture->binding = md5_bind(fixture->model, fixture->anim, NULL, NULL);
    fixture->file = md5_parse_machine_file(SAVE_MACHINE, sizeof SAVE_MACHINE - 1, NULL, NULL);
    if (!fixture->binding || !fixture->file)
        abort(); // the texts are invalid
    fixture->file->desc.model = fixture->model;
    for (uint32_t i = 0; i < fixture->file->desc.num_clips; i++)
        fixture->file->clips[i].binding = fixture->binding;
    fixture->machine = md5_create_machine(&fixture->file->desc, NULL, NULL);
    if (!fixture->machine)
        abort();
    fixture->players[0] = md5_create_player(fixture->machine, NULL, NULL);
    fixture->players[1] = md5_create_player(fixture->machine, NULL, NULL);
    fixture->scratch = malloc(md5_player_pose_scratch(fixture->machine));
}

static void free_figure(figure *fixture)
{
    free(fixture->scratch);
    md5_destroy_player(fixture->players[0]);
    md5_destroy_player(fixture->players[1]);
    md5_destroy_machine(fixture->machine);
    md5_free_machine_file(fixture->file);
    md5_free_binding(fixture->binding);
    md5_free_anim(fixture->anim);
    md5_free_model(fixture->model);
}

// Plays `steps` steps of a player, whose input depends on the bits of `choices`. Returns a fault if
// a pose is invalid.
static const char *play_on(const figure *fixture, md5_player *player, uint32_t steps,
                           uint32_t choices)
{
    md5_xform pose[FUZZ_JOINTS];
    for (uint32_t i = 0; i < steps; i++) {
        const uint32_t choice = choices >> (i % 8);
        if (choice & 1)
            md5_player_set(player, md5_find_parameter(fixture->machine, "t"), 1);
        md5_player_set(player, md5_find_parameter(fixture->machine, "b"), choice % 8 == 6);
        if (choice & 4)
            md5_player_play_one_shot(
                player, 0, i % 2,
                &(md5_one_shot_desc){.mask = "k", .fade_in = 0.2f, .fade_out = 0.1f});
        if (choice & 32)
            md5_player_one_shot_section(player, 0, i % 2 ? "s" : "e", (md5_section_change)(i % 4));
        if (choice & 16)
            md5_player_set_detail(player,
                                  &(md5_detail){.mask = "k", .interval = choice % 4, .phase = i});
        for (uint32_t k = 0; k < fixture->file->desc.num_modifiers; k++)
            md5_player_target(player, k)->weight = choice & 2 ? 1 : 0.0f;
        md5_player_advance(player, 0.06, NULL, NULL);
        md5_player_pose(player, pose, NULL, NULL, fixture->scratch);
        if (!fuzz_is_sound(pose))
            return "an invalid pose";
    }
    return NULL;
}

static uint8_t *save(const md5_player *player, size_t *size)
{
    *size = md5_player_save(player, NULL, 0);
    uint8_t *const bytes = malloc(*size);
    if (md5_player_save(player, bytes, *size) != *size)
        abort();
    return bytes;
}

static bool is_saved_as(const md5_player *player, const uint8_t *bytes, size_t size)
{
    size_t saved_size;
    uint8_t *const saved = save(player, &saved_size);
    const bool is_same = saved_size == size && memcmp(saved, bytes, size) == 0;
    free(saved);
    return is_same;
}

// Returns true if these bytes, which have been restored, have the current version. Previous
// versions are saved as the current version.
static bool is_newest(const figure *fixture, const uint8_t *bytes)
{
    uint8_t head[8]; // magic number and version
    md5_player_save(fixture->players[0], head, sizeof head);
    return memcmp(bytes, head, sizeof head) == 0;
}

static const char *restore(const figure *fixture, const uint8_t *bytes, size_t size)
{
    md5_player *const player = fixture->players[1];
    md5_error error = {0};
    size_t fresh_size;
    uint8_t *const fresh = save(player, &fresh_size);
    const bool is_restored = md5_player_restore(player, bytes, size, &error);
    const bool is_fresh = is_restored || is_saved_as(player, fresh, fresh_size);
    free(fresh);
    if (is_restored) {
        if (is_newest(fixture, bytes) && !is_saved_as(player, bytes, size))
            return "a restored player is saved as different bytes";
        return play_on(fixture, player, 12, 0x5d);
    }
    if (error.status == MD5_OK || !error.message[0])
        return "a player was rejected without a message";
    return is_fresh ? NULL : "a rejected restore changed the player";
}

const char *fuzz_save(const uint8_t *data, size_t size)
{
    figure fixture;
    if (size < 3)
        return NULL;
    make_figure(&fixture);
    const char *fault = play_on(&fixture, fixture.players[0], data[0] % 32u, data[1]);
    size_t saved_size;
    uint8_t *const saved = save(fixture.players[0], &saved_size);
    for (size_t i = 3; i + 2 < size; i += 3)
        saved[(data[i] + 256u * data[i + 1]) % saved_size] ^= data[i + 2];
    const size_t cut = saved_size - (data[2] < saved_size ? data[2] : saved_size);
    uint8_t *const bytes = malloc(cut ? cut : 1); // exact size: a read past the end is detected
    memcpy(bytes, saved, cut);
    if (!fault)
        fault = restore(&fixture, bytes, cut);
    free(bytes);
    free(saved);
    free_figure(&fixture);
    return fault;
}
