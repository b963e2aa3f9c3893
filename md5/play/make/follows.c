// Which parameters follow what is set, and how.
#include "md5/play/make/building.h"

#include <string.h>

#define QUOTED(name) md5i_quote((name), strlen(name)).text

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
    return !follow->curve
           || md5i_check_steps(building, follow->curve->easing, follow->curve,
                               "the following parameter", name);
}

bool md5i_build_follows(md5_building *building)
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

// Where a parameter that follows makes a difference: at the values of conditions; at 0, where clips
// turn round whose speed it is; at 0 and 1, where weights stop; at the items of a line.
bool md5i_build_kinks(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    const size_t most =
        machine->num_conditions + 3 * (size_t)desc->num_follows + machine->num_items;
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
            kinks[count++] = (md5_play_condition){
                (uint32_t)motion->x_parameter, MD5_IS_GREATER,
                is_line ? desc->motions[i].items[k].x
                        : (float)machine->items[motion->first_item + k].gait.speed};
    }
    machine->kinks = kinks;
    machine->num_kinks = count;
    return true;
}
