// Which morph targets a machine drives, and by what.
#include "md5/play/make/building.h"

#include <string.h>

#define QUOTED(name) md5i_quote((name), strlen(name)).text

// A member that the row's kind needs.
static bool check_named(md5_building *building, const md5_morph_desc *morph,
                        const char *const *name, const char *what)
{
    if (*name)
        return true;
    return md5i_fail_at(building, &morph->target, MD5_ERROR_MISMATCH, "morph %s names no %s",
                        QUOTED(morph->target), what);
}

static bool find_driving_state(md5_building *building, const md5_morph_desc *morph,
                               md5_morph_row *row)
{
    const md5_machine_desc *const desc = building->desc;
    TRY(check_named(building, morph, &morph->layer, "layer"));
    TRY(check_named(building, morph, &morph->state, "state"));
    uint32_t layer = 0, state = 0;
    while (layer < desc->num_layers && strcmp(desc->layers[layer].name, morph->layer) != 0)
        layer++;
    if (layer == desc->num_layers)
        return md5i_fail_at(building, &morph->layer, MD5_ERROR_MISMATCH,
                            "morph %s names layer %s, which does not exist", QUOTED(morph->target),
                            QUOTED(morph->layer));
    const md5_layer_desc *const of = &desc->layers[layer];
    while (state < of->num_states && strcmp(of->states[state].name, morph->state) != 0)
        state++;
    if (state == of->num_states)
        return md5i_fail_at(building, &morph->state, MD5_ERROR_MISMATCH,
                            "morph %s names state %s, which layer %s lacks", QUOTED(morph->target),
                            QUOTED(morph->state), QUOTED(morph->layer));
    row->layer = layer;
    row->source = state;
    return true;
}

static bool check_keys(md5_building *building, const md5_morph_desc *morph, uint32_t clip)
{
    const uint32_t num_frames = building->machine->sources[clip].binding->anim->num_frames;
    if (morph->num_keys == 0)
        return md5i_fail_at(building, &morph->target, MD5_ERROR_RANGE,
                            "morph %s has no keys for clip %s", QUOTED(morph->target),
                            QUOTED(morph->clip));
    for (uint32_t i = 0; i < morph->num_keys; i++) {
        const md5_morph_key *const key = &morph->keys[i];
        if (key->frame >= num_frames)
            return md5i_fail_at(
                building, &key->frame, MD5_ERROR_RANGE,
                "frame %u of clip %s is a key of morph %s, but the last frame is %u", key->frame,
                QUOTED(morph->clip), QUOTED(morph->target), num_frames - 1);
        if (i > 0 && key->frame <= key[-1].frame)
            return md5i_fail_at(building, &key->frame, MD5_ERROR_RANGE,
                                "morph %s: the key of frame %u stands behind that of frame %u",
                                QUOTED(morph->target), key->frame, key[-1].frame);
    }
    return true;
}

// What drives it, as a number.
static bool find_drive(md5_building *building, const md5_morph_desc *morph, md5_morph_row *row)
{
    if (morph->drive == MD5_MORPH_BY_STATE)
        return find_driving_state(building, morph, row);
    const bool is_clip = morph->drive == MD5_MORPH_BY_CLIP;
    const char *const *const name = is_clip ? &morph->clip : &morph->parameter;
    int32_t number;
    TRY(check_named(building, morph, name, is_clip ? "clip" : "parameter"));
    TRY(md5i_resolve(building, is_clip ? &building->clips : &building->parameters, name, "morph",
                     morph->target, &number));
    row->source = (uint32_t)number;
    return !is_clip || check_keys(building, morph, row->source);
}

static bool build_morph(md5_building *building, uint32_t number)
{
    const md5_morph_desc *const morph = &building->desc->morphs[number];
    md5_morph_row *const row = &building->machine->morph_rows[number];
    md5_morph_desc filled = *morph;
    md5i_fill_defaults(&md5i_morph_schema, &filled, 1.0f);
    row->drive = morph->drive;
    row->weight = filled.weight;
    return find_drive(building, morph, row);
}

// Numbers the targets by the rows that name them first.
static void number_targets(const md5_building *building, const md5_names *names)
{
    md5_machine *const machine = building->machine;
    for (uint32_t i = 0; i < building->desc->num_morphs; i++) {
        // Of equal names the first row is found.
        const uint32_t first = (uint32_t)md5i_find_name(names, building->desc->morphs[i].target);
        md5_morph_row *const row = &machine->morph_rows[i];
        if (first == i) {
            row->target = machine->num_morphs;
            machine->morph_firsts[machine->num_morphs++] = i;
        } else
            row->target = machine->morph_rows[first].target;
    }
}

bool md5i_build_morphs(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    md5_names names;
    TRY(md5i_begin_names(building->arena, &names, "morph", desc->num_morphs));
    machine->morph_rows =
        (md5_morph_row *)md5i_build_array(building, desc->num_morphs, sizeof *machine->morph_rows);
    machine->morph_firsts =
        (uint32_t *)md5i_build_array(building, desc->num_morphs, sizeof *machine->morph_firsts);
    TRY(machine->morph_rows && machine->morph_firsts);
    for (uint32_t i = 0; i < desc->num_morphs; i++) {
        const char *const *const target = &desc->morphs[i].target;
        if (!*target || **target == '\0')
            return md5i_fail_at(building, target, MD5_ERROR_MISMATCH, "morph %u names no target",
                                i);
        md5i_add_name(&names, target);
        TRY(build_morph(building, i));
    }
    md5i_sort_names(&names);
    number_targets(building, &names);
    return true;
}
