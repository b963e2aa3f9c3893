// Fuzz target for machine files on a small model. If the machine can be created, it is played,
// saved, restored and written.
#include "test/fuzz/figure.h"
#include "test/fuzz/text.h"

#include "md5/md5play.h"

enum { STEPS = 24 };

static void forget_event(void *user, md5_player *player, const md5_event *event, float weight)
{
    (void)player, (void)event, (void)weight;
    ++*(size_t *)user;
}

// Sets parameters and targets, plays clips and advances, depending on the index of the step.
static const char *play_machine(md5_player *player, const md5_machine_desc *desc, void *scratch)
{
    static const float values[] = {0, 1, -3, 1e30f, 0.5f};
    static const double seconds[] = {0.03, 0, 0.2, -0.07, 2.5, 1e-9};
    md5_xform pose[FUZZ_JOINTS];
    md5_mat34 joints[FUZZ_JOINTS];
    md5_mat34 palette[FUZZ_JOINTS];
    md5_mat34 attached[FUZZ_JOINTS];
    size_t num_events = 0;
    for (int i = 0; i < FUZZ_JOINTS; i++)
        attached[i] = (md5_mat34){{1, 0, 0, 5, 0, 1, 0, (float)i, 0, 0, 1, 9}};
    for (uint32_t step = 0; step < STEPS; step++) {
        for (uint32_t i = 0; i < desc->num_parameters; i++)
            md5_player_set(player, i, values[(step + i * 3) % 5]);
        for (uint32_t i = 0; i < desc->num_modifiers; i++) {
            md5_target *const target = md5_player_target(player, i);
            target->weight = step % 3 == 0 ? 1 : 0.4f;
            target->position = (md5_vec3){(float)step, 3, 8};
            target->rotation = (md5_quat){0, 0.6f, 0, 0.8f};
            target->has_rotation = step % 2 == 0;
            md5_foot *const feet = md5_player_feet(player, i);
            if (feet)
                feet->floor = values[(step + i) % 5];
        }
        if (desc->num_clips > 0 && step % 2 == 0)
            md5_player_play_one_shot(
                player, step % 4, step % desc->num_clips,
                &(md5_one_shot_desc){.mode = (md5_layer_mode)(step % 4 / 2),
                                     .mask = desc->num_masks > 0 ? desc->masks->name : NULL,
                                     .speed = step % 3 == 0 ? -1 : 0.7f,
                                     .fade_in = 0.1f,
                                     .end = (md5_one_shot_end)(step % 3)});
        if (desc->num_clips > 0 && desc->clips[step % desc->num_clips].num_sections > 0)
            md5_player_one_shot_section(player, step % 4,
                                        desc->clips[step % desc->num_clips].sections->name,
                                        (md5_section_change)(step % 4));
        if (step % 5 == 1)
            md5_player_fade_to(player, step % 3, step % 4, values[step % 5], (md5_fade)(step % 2),
                               (md5_ease_kind)(step % 4));
        if (step % 7 == 2)
            md5_player_seek(player, step % 2, step % 3, seconds[step % 6]);
        if (step % 6 == 4)
            md5_player_stop_one_shot(player, step % 4, values[step % 5]);
        if (step % 8 == 6)
            md5_player_set_detail(
                player, &(md5_detail){.mask = NULL, .interval = 1 + step % 3, .phase = step % 2});
        for (uint32_t i = 0; i < desc->num_attached; i++) // in the last steps none, as for copies
            md5_player_attach(player, i, step % 4 == 1 ? attached : NULL);
        md5_player_advance(player, seconds[step % 6], forget_event, &num_events);
        md5_player_pose(player, pose, joints, palette, scratch);
        if (!fuzz_is_sound(pose))
            return "an invalid pose";
        const md5_xform motion = md5_player_root_motion(player);
        if (!isfinite(motion.translation.x) || !isfinite(motion.rotation.w))
            return "invalid root motion";
    }
    return NULL;
}

// Returns true if the weights of morph targets are finite, independent of the active states.
static bool has_sound_morphs(md5_player *player, const md5_machine *machine)
{
    const uint32_t count = md5_machine_num_morphs(machine);
    float *const weights = malloc(count * sizeof *weights + 1);
    bool is_sound = true;
    if (!weights)
        abort();
    md5_player_morphs(player, weights);
    for (uint32_t i = 0; i < count; i++)
        is_sound = is_sound && isfinite(weights[i]) && md5_machine_morph_name(machine, i);
    free(weights);
    return is_sound;
}

// Checks that a restored and a copied player continue like the saved player.
static const char *restored_fault(const md5_machine *machine, md5_player *player, void *scratch)
{
    md5_player *const copies[2] = {md5_create_player(machine, NULL, NULL),
                                   md5_create_player(machine, NULL, NULL)};
    const size_t size = md5_player_save(player, NULL, 0);
    uint8_t *const bytes = malloc(size);
    md5_xform expected[FUZZ_JOINTS], pose[FUZZ_JOINTS];
    md5_error error = {0};
    const char *fault = NULL;
    if (!copies[0] || !copies[1] || !bytes || md5_player_save(player, bytes, size) != size)
        abort();
    if (!md5_player_restore(copies[0], bytes, size, &error))
        fault = "a saved player was rejected";
    md5_player_copy(copies[1], player);
    md5_player_advance(player, 0.13, NULL, NULL);
    md5_player_pose(player, expected, NULL, NULL, scratch);
    for (int i = 0; i < 2 && !fault; i++) {
        md5_player_advance(copies[i], 0.13, NULL, NULL);
        md5_player_pose(copies[i], pose, NULL, NULL, scratch);
        if (memcmp(pose, expected, sizeof pose) != 0)
            fault =
                i == 0 ? "a restored player has another pose" : "a copied player has another pose";
    }
    free(bytes);
    md5_destroy_player(copies[0]);
    md5_destroy_player(copies[1]);
    return fault;
}

// Checks that a written machine can be read again, and that it is written as the same text.
static const char *written_fault(const md5_machine_file *file)
{
    md5_error error = {0};
    const size_t size = md5_write_machine(&file->desc, file->model_file, NULL, 0, &error);
    const char *fault = size > 0 ? NULL : "a machine that was read cannot be written";
    char *const texts[2] = {malloc(size + 1), malloc(size + 1)};
    if (!texts[0] || !texts[1])
        abort();
    if (size > 0) {
        md5_write_machine(&file->desc, file->model_file, texts[0], size + 1, &error);
        md5_machine_file *const again = md5_parse_machine_file(texts[0], size, NULL, &error);
        if (!again)
            fault = "a written machine was rejected";
        else if (md5_write_machine(&again->desc, again->model_file, texts[1], size + 1, &error)
                     != size
                 || memcmp(texts[0], texts[1], size) != 0)
            fault = "a written machine differs after reading";
        md5_free_machine_file(again);
    }
    free(texts[0]);
    free(texts[1]);
    return fault;
}

static void *make_machine(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    return md5_create_machine(fixture, opts, error);
}
FUZZ_DESTROY(destroy_machine, md5_machine, md5_destroy_machine)

static const char *machine_fault(md5_machine_file *file)
{
    md5_error error = {0};
    const char *fault = written_fault(file);
    md5_model *const model = md5_parse_model(FUZZ_MODEL, sizeof FUZZ_MODEL - 1, NULL, &error);
    md5_anim *const anim = md5_parse_anim(FUZZ_ANIM, sizeof FUZZ_ANIM - 1, NULL, &error);
    md5_binding *const binding = model && anim ? md5_bind(model, anim, NULL, &error) : NULL;
    if (!binding)
        abort(); // the texts above are invalid
    file->desc.model = model;
    for (uint32_t i = 0; i < file->desc.num_clips; i++)
        file->clips[i].binding = binding;
    for (uint32_t i = 0; i < file->desc.num_attached; i++)
        file->attached[i].model = model;
    md5_machine *const machine = md5_create_machine(&file->desc, NULL, &error);
    if (!machine && (error.status == MD5_OK || !error.message[0]))
        fault = "a machine was rejected without a message";
    md5_player *const player = machine ? md5_create_player(machine, NULL, &error) : NULL;
    if (player && !fault) {
        void *const scratch = malloc(md5_player_pose_scratch(machine));
        fault = play_machine(player, &file->desc, scratch);
        if (!fault && !has_sound_morphs(player, machine))
            fault = "an invalid weight of a morph target";
        if (!fault)
            fault = restored_fault(machine, player, scratch);
        free(scratch);
    }
    md5_destroy_player(player);
    md5_destroy_machine(machine);
    if (!fault)
        fault = fuzz_memory(make_machine, destroy_machine, &file->desc, (md5_load_opts){0},
                            file->desc.num_clips + 7u * file->desc.num_layers);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return fault;
}

// One-shot clips need the most memory: an entry of a dozen bytes becomes 2800 bytes, because the
// location of each of its members is stored.
enum { BYTES_PER_BYTE = 240 };

static void *parse_machine(const void *text, size_t size, const md5_load_opts *opts,
                           md5_error *error)
{
    return md5_parse_machine_file(text, size, opts, error);
}

static uint32_t count_machine_warnings(const void *asset)
{
    return ((const md5_machine_file *)asset)->num_warnings;
}

static const char *find_machine_fault(void *asset)
{
    return machine_fault((md5_machine_file *)asset);
}

static void free_machine(void *asset)
{
    md5_free_machine_file((md5_machine_file *)asset);
}

const char *fuzz_machine(const uint8_t *data, size_t size)
{
    static const fuzz_text_kind kind = {parse_machine, count_machine_warnings, find_machine_fault,
                                        free_machine, BYTES_PER_BYTE};
    return fuzz_text(&kind, data, size);
}
