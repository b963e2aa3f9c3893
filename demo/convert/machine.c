// Reads a machine file: its model, all its clips, and the morph targets in the folder `morphs` with
// the weights that clips drive.
#include "demo/convert/convert.h"
#include "md5/md5play.h"

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
    for (size_t i = 0; i < scene->num_weights && !weights; i++)
        if (strcmp(scene->weights[i].clip, clip) == 0
            && strcmp(scene->weights[i].target, morph->target) == 0)
            weights = &scene->weights[i];
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

bool convert_read_machine(const convert_job *job, convert_input *input, convert_scene *scene,
                          md5_error *error)
{
    md5_character *const character = md5_load_character(input->path, NULL, error);
    if (!character)
        return false;

    const md5_machine_desc *const tables = md5_machine_tables(character->machine);
    char *const model = common_stem(character->model_path);
    bool is_read = add_file(scene, CONVERT_MODEL, model, character->model_path, error);

    // A file that several clips play is one part, under the name of the first of them.
    const char **const names = common_alloc(character->num_clips, sizeof *names);
    for (uint32_t i = 0; i < character->num_clips && is_read; i++) {
        for (uint32_t k = 0; k < i && !names[i]; k++)
            if (character->anims[k] == character->anims[i])
                names[i] = names[k];
        if (names[i])
            continue;
        is_read =
            add_file(scene, CONVERT_CLIP, tables->clips[i].name, character->anim_paths[i], error);
        names[i] = is_read ? scene->parts[scene->num_parts - 1].name : NULL;
    }

    char *const folder = common_folder(input->path);
    char *const inner = common_join(folder, "morphs");
    common_list files = common_list_folder(inner, ".md5mesh");
    for (size_t i = 0; i < files.count && is_read; i++) {
        char *const name = common_stem(files.names[i]);
        is_read = add_file(scene, CONVERT_TARGET, name, files.names[i], error);
        free(name);
    }

    uint32_t num_skipped = 0;
    for (uint32_t i = 0; i < tables->num_morphs && is_read; i++) {
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
        convert_note(job,
                     "skipped %u morph target drivers of the machine that use parameters, states, "
                     "curves or windows: only clips are supported",
                     num_skipped);

    convert_note(job, "skipped the states, layers and modifiers of the machine");
    common_free_list(&files);
    free(inner);
    free(folder);
    free(names);
    free(model);
    md5_free_character(character);
    return is_read;
}
