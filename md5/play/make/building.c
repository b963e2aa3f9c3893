// What all parts of a machine's making share: checks and their messages, names, easing curves; and
// its parameters.
#include "md5/play/make/building.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// == Messages and names =========================================================================
//
// What all parts of a machine's making share: checks and their messages, memory.

bool md5i_fail_at(md5_building *building, const void *member, md5_status status, const char *format,
                  ...)
{
    char message[sizeof((md5_error *)0)->message];
    const md5_location position = md5i_find_location(building->desc->locations, member);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return md5i_fail(building->context, status, position.line, position.column, "%s", message);
}

bool md5i_resolve(md5_building *building, const md5_names *names, const char *const *name,
                  const char *kind, const char *owner, int32_t *number)
{
    *number = *name ? md5i_find_name(names, *name) : -1;
    if (!*name || *number >= 0)
        return true;
    return md5i_fail_at(building, name, MD5_ERROR_MISMATCH,
                        "%s %s names %s %s, which does not exist", kind, QUOTED(owner), names->what,
                        QUOTED(*name));
}

void *md5i_build_array(md5_building *building, size_t count, size_t size)
{
    return md5i_arena_alloc(building->arena, count, size);
}

bool md5i_build_reference(md5_building *building, int32_t clip, const md5_motion *motion,
                          const uint32_t *frame, const md5_xform **reference)
{
    const md5_machine *const machine = building->machine;
    while (motion->kind != MD5_MOTION_CLIP) // each is made of ones before it: this ends
        motion = motion->items[0].motion;
    const md5_source *const source = clip < 0 ? motion->playable.source : &machine->sources[clip];
    const uint32_t num_frames = source->binding->anim->num_frames;
    if (*frame >= num_frames)
        return md5i_fail_at(building, frame, MD5_ERROR_RANGE,
                            "frame %u of clip %s is a reference, but the last frame is %u", *frame,
                            QUOTED(building->desc->clips[source - machine->sources].name),
                            num_frames - 1);
    md5_xform *const pose =
        (md5_xform *)md5i_build_array(building, machine->num_joints, sizeof *pose);
    TRY(pose);
    md5i_sample_source(machine, source, &(md5_moment){.frame0 = *frame, .frame1 = *frame}, pose);
    *reference = pose;
    return true;
}

// -- Names --------------------------------------------------------------------------------------

bool md5i_begin_names(md5_arena *arena, md5_names *names, const char *what, size_t capacity)
{
    *names = (md5_names){.what = what};
    names->sorted = (md5_name *)md5i_arena_alloc(arena, capacity, sizeof *names->sorted);
    return names->sorted != NULL;
}

void md5i_add_name(md5_names *names, const char *const *member)
{
    names->sorted[names->count] = (md5_name){*member ? *member : "", member, names->count};
    names->count++;
}

static int compare(const void *left, const void *right)
{
    const md5_name *a = (const md5_name *)left, *b = (const md5_name *)right;
    const int order = strcmp(a->text, b->text);
    return order != 0 ? order : a->number < b->number ? -1 : a->number > b->number;
}

void md5i_sort_names(md5_names *names)
{
    qsort(names->sorted, names->count, sizeof *names->sorted, compare);
}

bool md5i_end_names(md5_context *context, const md5_locations *places, md5_names *names)
{
    md5i_sort_names(names);
    for (uint32_t i = 0; i < names->count; i++) {
        const md5_name *const name = &names->sorted[i];
        const bool is_empty = name->text[0] == '\0';
        if (!is_empty && (i == 0 || strcmp(name[-1].text, name->text) != 0))
            continue;
        const md5_location position = md5i_find_location(places, name->member);
        if (is_empty)
            return md5i_fail(context, MD5_ERROR_MISMATCH, position.line, position.column,
                             "%s %u has no name", names->what, name->number);
        return md5i_fail(context, MD5_ERROR_MISMATCH, position.line, position.column,
                         "%s %s is declared twice", names->what,
                         md5i_quote(name->text, strlen(name->text)).text);
    }
    return true;
}

int32_t md5i_find_name(const md5_names *names, const char *text)
{
    uint32_t low = 0, high = names->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(names->sorted[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_found = low < names->count && strcmp(names->sorted[low].text, text) == 0;
    return is_found ? (int32_t)names->sorted[low].number : -1;
}

// == Parameters and curves ======================================================================
//
// Parameters of a machine, which of them follow what is set, and the easing curves of weights and
// transitions; those of following parameters are only checked, the machine keeps them in its
// tables.

// -- Easing curves ------------------------------------------------------------------------------

static size_t count_curves(const md5_machine_desc *desc)
{
    size_t count = 0;
    for (uint32_t i = 0; i < desc->num_motions; i++) {
        const md5_motion_desc *const motion = &desc->motions[i];
        for (uint32_t k = 0; k < motion->num_items; k++)
            count += motion->items[k].weight_easing.kind != MD5_EASE_LINEAR;
    }
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        const md5_layer_desc *const layer = &desc->layers[i];
        count += layer->weight_easing.kind != MD5_EASE_LINEAR;
        for (uint32_t k = 0; k < layer->num_transitions; k++)
            count += md5_has_numbers(layer->transitions[k].easing.kind);
    }
    return count;
}

static bool check_steps(md5_building *building, const md5_easing *easing, const char *kind,
                        const char *owner)
{
    const uint32_t least = easing->jump == MD5_JUMP_NONE ? 2 : 1;
    if (easing->kind != MD5_EASE_STEPS
        || (easing->steps >= least && easing->steps <= MD5_MAX_EASE_STEPS))
        return true;
    return md5i_fail_at(building, &easing->steps, MD5_ERROR_RANGE,
                        "%s %s: there are %u steps, which must be %u to %d", kind, QUOTED(owner),
                        easing->steps, least, MD5_MAX_EASE_STEPS);
}

bool md5i_build_curve(md5_building *building, const md5_easing *easing, const char *kind,
                      const char *owner, uint32_t *number)
{
    md5_machine *const machine = building->machine;
    *number = 0;
    if (easing->kind == MD5_EASE_LINEAR)
        return true;
    TRY(check_steps(building, easing, kind, owner));
    machine->curves[machine->num_curves++] = *easing;
    *number = (uint32_t)machine->num_curves;
    return true;
}

// -- Parameters that follow ---------------------------------------------------------------------

static bool build_follow(md5_building *building, uint32_t row)
{
    const md5_follow_desc *const follow = &building->desc->follows[row];
    int32_t parameter;
    TRY(md5i_resolve(building, &building->parameters, &follow->parameter, "the table of",
                     "followed parameters", &parameter));
    if (parameter < 0)
        return md5i_fail_at(building, &follow->parameter, MD5_ERROR_MISMATCH,
                            "row %u of the followed parameters names none", row);
    const char *const name = building->desc->parameters[parameter].name;
    if (building->desc->parameters[parameter].kind != MD5_PARAMETER_FLOAT)
        return md5i_fail_at(building, &follow->parameter, MD5_ERROR_MISMATCH,
                            "parameter %s is not a float and cannot follow", QUOTED(name));
    if (building->machine->followers[parameter] >= 0)
        return md5i_fail_at(building, &follow->parameter, MD5_ERROR_MISMATCH,
                            "parameter %s has two follow rules", QUOTED(name));
    building->machine->followers[parameter] = (int32_t)row;
    return check_steps(building, &follow->easing, "the following parameter", name);
}

static bool build_follows(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    building->machine->followers = (int32_t *)md5i_build_array(
        building, desc->num_parameters, sizeof *building->machine->followers);
    TRY(building->machine->followers);
    for (uint32_t i = 0; i < desc->num_parameters; i++)
        building->machine->followers[i] = -1;
    for (uint32_t i = 0; i < desc->num_follows; i++)
        TRY(build_follow(building, i));
    return true;
}

bool md5i_build_parameters(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    TRY(md5i_begin_names(building->scratch, &building->parameters, "parameter",
                         desc->num_parameters));
    for (uint32_t i = 0; i < desc->num_parameters; i++)
        md5i_add_name(&building->parameters, &desc->parameters[i].name);
    TRY(md5i_end_names(building->context, desc->locations, &building->parameters));
    TRY(build_follows(building));
    md5_machine *const machine = building->machine;
    machine->curves = (md5_easing *)md5i_build_array(building, count_curves(building->desc),
                                                     sizeof *machine->curves);
    return machine->curves != NULL;
}

// Where a parameter that follows makes a difference: at the values of conditions; at 0, where clips
// turn round whose speed it is; at 0 and 1, where weights stop; at the items of a line.
bool md5i_build_kinks(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    size_t num_items = 0;
    for (uint32_t i = 0; i < desc->num_motions; i++)
        num_items += desc->motions[i].num_items;
    const size_t most = machine->num_conditions + 3 * (size_t)desc->num_follows + num_items;
    md5_play_condition *const kinks =
        (md5_play_condition *)md5i_build_array(building, most, sizeof *kinks);
    TRY(kinks);
    size_t count = 0;
    for (size_t i = 0; i < machine->num_conditions; i++) {
        if (machine->followers[machine->conditions[i].parameter] >= 0)
            kinks[count++] = machine->conditions[i];
    }
    for (uint32_t i = 0; i < desc->num_parameters; i++) {
        for (int k = -1; k < 2 && machine->followers[i] >= 0; k++)
            kinks[count++] =
                (md5_play_condition){i, k < 0 ? MD5_IS_GREATER : MD5_IS_LESS, k > 0 ? 1.0f : 0.0f};
    }
    for (uint32_t i = 0; i < desc->num_motions; i++) {
        const md5_motion *const motion = &machine->motions[desc->num_clips + i];
        const bool is_line = motion->kind == MD5_MOTION_BLEND_1D;
        const bool is_followed = (is_line || motion->kind == MD5_MOTION_BY_SPEED)
                                 && machine->followers[motion->x_parameter] >= 0;
        for (uint32_t k = 0; is_followed && k < motion->num_items; k++)
            kinks[count++] = (md5_play_condition){(uint32_t)motion->x_parameter, MD5_IS_GREATER,
                                                  is_line ? motion->places[k].x
                                                          : (float)motion->items[k].gait.speed};
    }
    machine->kinks = kinks;
    machine->num_kinks = count;
    return true;
}
