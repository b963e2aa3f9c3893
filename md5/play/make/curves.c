// Easing curves of a machine: of weights, of transitions; those of following parameters are only
// checked, the machine keeps them in its tables.
#include "md5/play/make/building.h"

#include <string.h>

#define QUOTED(name) md5i_quote((name), strlen(name)).text

static bool is_built(const md5_easing_curve *curve)
{
    return curve && curve->easing != MD5_EASE_LINEAR;
}

static size_t count_curves(const md5_machine_desc *desc)
{
    size_t count = 0;
    for (uint32_t i = 0; i < desc->num_motions; i++) {
        const md5_motion_desc *const motion = &desc->motions[i];
        for (uint32_t k = 0; k < motion->num_items; k++)
            count += is_built(motion->items[k].weight_curve) ? 1u : 0u;
    }
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        const md5_layer_desc *const layer = &desc->layers[i];
        count += is_built(layer->weight_curve) ? 1u : 0u;
        for (uint32_t k = 0; k < layer->num_transitions; k++)
            count += md5_has_numbers(layer->transitions[k].easing) ? 1u : 0u;
    }
    return count;
}

bool md5i_begin_curves(md5_building *building)
{
    md5_machine *const machine = building->machine;
    machine->curves = (md5_easing_curve *)md5i_build_array(building, count_curves(building->desc),
                                                           sizeof *machine->curves);
    return machine->curves != NULL;
}

bool md5i_check_steps(md5_building *building, md5_easing easing, const md5_easing_curve *curve,
                      const char *kind, const char *owner)
{
    const uint32_t least = curve->jump == MD5_JUMP_NONE ? 2 : 1;
    if (easing != MD5_EASE_STEPS || (curve->steps >= least && curve->steps <= MD5_MAX_EASE_STEPS))
        return true;
    return md5i_fail_at(building, &curve->steps, MD5_ERROR_RANGE,
                        "%s %s: there are %u steps, which must be %u to %d", kind, QUOTED(owner),
                        curve->steps, least, MD5_MAX_EASE_STEPS);
}

bool md5i_build_curve_of(md5_building *building, md5_easing easing, const md5_easing_curve *curve,
                         const char *kind, const char *owner, uint32_t *number)
{
    md5_machine *const machine = building->machine;
    TRY(md5i_check_steps(building, easing, curve, kind, owner));
    machine->curves[machine->num_curves] = *curve;
    machine->curves[machine->num_curves++].easing = easing;
    *number = (uint32_t)machine->num_curves;
    return true;
}

bool md5i_build_curve(md5_building *building, const md5_easing_curve *curve, const char *kind,
                      const char *owner, uint32_t *number)
{
    *number = 0;
    return !is_built(curve)
           || md5i_build_curve_of(building, curve->easing, curve, kind, owner, number);
}
