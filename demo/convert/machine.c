// Reads a machine file: its model, its clips, and the morph targets in the folder `morphs`. The
// weights of targets are read if clips drive them.
#include "demo/convert/convert.h"
#include "md5/md5play.h"

// Reads a file into a part of the scene. Returns false and fills the error if the file cannot be
// read.
static bool add_file(convert_scene *scene, convert_part_kind kind, const char *name,
                     const char *path, md5_error *error)
{
    size_t size = 0;
    char *const bytes = convert_read_file(path, &size, error);
    if (bytes)
        convert_add_part(scene, kind, name, path, bytes, size);
    return bytes;
}

// Returns the weight of a morph target at a frame, interpolated linearly between its keys. *next is
// the index of the first key after the frame; frames must ascend from call to call.
static float sample_weight(const md5_morph_desc *morph, uint32_t frame, uint32_t *next)
{
    while (*next < morph->num_keys && morph->keys[*next].frame <= frame)
        ++*next;
    const md5_morph_key *const b = &morph->keys[*next < morph->num_keys ? *next : *next - 1];
    const md5_morph_key *const a = &morph->keys[*next > 0 ? *next - 1 : 0];
    const float factor = morph->weight == 0 ? 1 : morph->weight;
    if (a->frame == b->frame)
        return factor * a->weight;
    const float t = (float)(frame - a->frame) / (float)(b->frame - a->frame);
    return factor * (a->weight + (b->weight - a->weight) * t);
}

// Adds the weights of a morph target to the scene. Several entries with the same clip and target
// are summed.
static void add_weights(convert_scene *scene, const md5_morph_desc *morph, const char *clip,
                        uint32_t num_frames)
{
    convert_weights *weights = NULL;
    for (size_t i = 0; i < scene->num_weights && !weights; i++) {
        if (strcmp(scene->weights[i].clip, clip) == 0
            && strcmp(scene->weights[i].target, morph->target) == 0)
            weights = &scene->weights[i];
    }
    if (!weights) {
        weights = COMMON_ADD_ITEM(scene->weights, scene->num_weights);
        *weights = (convert_weights){.clip = common_copy(clip),
                                     .target = common_copy(morph->target),
                                     .keys = common_alloc(num_frames, sizeof(float)),
                                     .num_keys = num_frames};
    }
    uint32_t next = 0;
    for (uint32_t frame = 0; frame < num_frames && frame < weights->num_keys; frame++)
        weights->keys[frame] += sample_weight(morph, frame, &next);
}

// Adds the clips of a character. If several clips play one file, the file is one part with the name
// of the first of them. names[num_clips] receive the names of the parts.
static bool add_clips(convert_scene *scene, const md5_character *character, const char **names,
                      md5_error *error)
{
    const md5_machine_desc *const tables = md5_machine_tables(character->machine);
    for (uint32_t i = 0; i < character->num_clips; i++) {
        for (uint32_t k = 0; k < i && !names[i]; k++) {
            if (character->anims[k] == character->anims[i])
                names[i] = names[k];
        }
        if (names[i])
            continue;
        if (!add_file(scene, CONVERT_CLIP, tables->clips[i].name, character->anim_paths[i], error))
            return false;
        names[i] = scene->parts[scene->num_parts - 1].name;
    }
    return true;
}

// Adds the morph targets, which are models in the folder `morphs` next to the machine.
static bool add_targets(convert_scene *scene, const char *path, md5_error *error)
{
    char *const folder = common_folder(path);
    char *const inner = common_join(folder, "morphs");
    common_list files = common_list_folder(inner, ".md5mesh");
    bool is_read = true;
    for (size_t i = 0; i < files.count && is_read; i++) {
        char *const name = common_stem(files.names[i]);
        is_read = add_file(scene, CONVERT_TARGET, name, files.names[i], error);
        free(name);
    }
    common_free_list(&files);
    free(inner);
    free(folder);
    return is_read;
}

// Adds the weights of the morph targets that clips drive, and reports the other drivers.
static void add_all_weights(const convert_job *job, convert_scene *scene,
                            const md5_character *character, const char *const *names)
{
    const md5_machine_desc *const tables = md5_machine_tables(character->machine);
    uint32_t num_skipped = 0;
    for (uint32_t i = 0; i < tables->num_morphs; i++) {
        const md5_morph_desc *const morph = &tables->morphs[i];
        uint32_t clip = MD5_NONE;
        if (morph->drive == MD5_MORPH_BY_CLIP)
            clip = md5_find_clip(character->machine, morph->clip);
        if (clip != MD5_NONE)
            add_weights(scene, morph, names[clip], character->anims[clip]->num_frames);
        else
            num_skipped++;
    }
    if (num_skipped > 0)
        convert_note(
            job,
            "skipped %u %s 'morph' of the machine: only morph targets that a clip animates can be "
            "converted",
            num_skipped, common_noun(num_skipped, "line", "lines"));
}

// Reads the model, the clips and the morph targets that a state machine refers to.
bool convert_read_machine(const convert_job *job, convert_input *input, convert_scene *scene,
                          md5_error *error)
{
    md5_character *const character = md5_load_character(input->path, NULL, error);
    if (!character)
        return false;

    char *const model = common_stem(character->model_path);
    const char **const names = common_alloc(character->num_clips, sizeof *names);
    const bool is_read = add_file(scene, CONVERT_MODEL, model, character->model_path, error)
                         && add_clips(scene, character, names, error)
                         && add_targets(scene, input->path, error);
    if (is_read)
        add_all_weights(job, scene, character, names);
    convert_note(
        job,
        "skipped the states, layers and modifiers of the machine: the format stores only clips");

    free((void *)names);
    free(model);
    md5_free_character(character);
    return is_read;
}
