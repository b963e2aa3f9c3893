// Which parameters follow what is set, and how.
#include "md5/play/build/building.h"

#include <string.h>

#define QUOTED(name) md5_quote((name), strlen(name)).text

static const double FASTEST = 1e6; // 1/s; stiffness: its square

static bool check_manner(md5_building *building, const md5_follow_desc *follow)
{
    static const char kind[] = "the following parameter";
    const char *const owner = follow->parameter;
    TRY(md5_check_choice(building, follow->kind, MD5_FOLLOW_EASE, "kind", kind, owner));
    if (follow->kind == MD5_FOLLOW_SMOOTH)
        return md5_check_range(building, &follow->rate, 1e-6, FASTEST, "rate", kind, owner);
    if (follow->kind == MD5_FOLLOW_SPRING) {
        TRY(md5_check_range(building, &follow->stiffness, 1e-6, FASTEST * FASTEST, "stiffness",
                            kind, owner));
        return md5_check_range(building, &follow->damping, 0.0, FASTEST, "damping", kind, owner);
    }
    TRY(md5_check_range(building, &follow->duration, 0.0, 1e6, "duration", kind, owner));
    if (follow->curve)
        return md5_check_easing(building, follow->curve->easing, follow->curve, kind, owner);
    return md5_check_choice(building, follow->easing, MD5_LAST_FADE_EASING, "easing", kind, owner);
}

static bool build_follow(md5_building *building, uint32_t row)
{
    const md5_follow_desc *const follow = &building->desc->follows[row];
    int32_t parameter;
    TRY(md5_resolve(building, &building->parameters, &follow->parameter, "the table of",
                    "followed parameters", &parameter));
    if (parameter < 0)
        return md5_fail_at(building, &follow->parameter, MD5_ERROR_MISMATCH,
                           "row %u of the followed parameters names none", row);
    const char *const name = building->desc->parameters[parameter].name;
    if (building->desc->parameters[parameter].kind != MD5_PARAMETER_FLOAT)
        return md5_fail_at(building, &follow->parameter, MD5_ERROR_MISMATCH,
                           "parameter %s is not a float and cannot follow", QUOTED(name));
    if (building->machine->followers[parameter] >= 0)
        return md5_fail_at(building, &follow->parameter, MD5_ERROR_MISMATCH,
                           "parameter %s has two follow rules", QUOTED(name));
    building->machine->followers[parameter] = (int32_t)row;
    return check_manner(building, follow);
}

bool md5_build_follows(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    building->machine->followers = (int32_t *)md5_build_array(building, desc->num_parameters,
                                                              sizeof *building->machine->followers);
    TRY(building->machine->followers);
    for (uint32_t i = 0; i < desc->num_parameters; i++)
        building->machine->followers[i] = -1;
    for (uint32_t i = 0; i < desc->num_follows; i++)
        TRY(build_follow(building, i));
    return true;
}
