// How fast the items of a motion by speed move the root: measured from their clips.
#include "md5/play/make/building.h"

#include <math.h>
#include <string.h>

#define QUOTED(name) md5i_quote((name), strlen(name)).text

// Only a clip that loops at a speed of its own has one that can be measured.
static bool check_item(md5_building *building, const md5_motion_desc *desc, uint32_t number,
                       const md5_item *item)
{
    const md5_machine *const machine = building->machine;
    const md5_motion *const motion = &machine->motions[item->motion];
    if (desc->items[number].x != 0.0f || desc->items[number].y != 0.0f)
        return md5i_fail_at(building, &desc->items[number].x, MD5_ERROR_RANGE,
                            "motion %s: item %u (%s) has a position, but is placed by its speed",
                            QUOTED(desc->name), number, QUOTED(desc->items[number].motion));
    if (motion->kind == MD5_MOTION_CLIP && motion->speed > 0.0f && motion->speed_parameter < 0
        && machine->playables[motion->playable].mode == MD5_PLAY_LOOP)
        return true;
    return md5i_fail_at(
        building, &desc->items[number].motion, MD5_ERROR_MISMATCH,
        "motion %s: item %u (%s) has no speed of its own: it must be a clip that loops "
        "forward at a fixed speed",
        QUOTED(desc->name), number, QUOTED(desc->items[number].motion));
}

// Units that the root moves in a cycle, and the cycle's seconds.
static md5_stride measure(const md5_machine *machine, const md5_item *item, double *seconds)
{
    const md5_motion *const motion = &machine->motions[item->motion];
    const md5_playable *const clip = &machine->playables[motion->playable];
    const md5_source *const source = &machine->sources[clip->source];
    *seconds = 1.0 / (clip->cycles * (double)motion->speed);
    if (source->extract == MD5_EXTRACT_NONE)
        return (md5_stride){0.0, 0.0, 0.0};
    const md5_root_track track = md5_track_of(machine, source);
    return md5i_root_delta_stride(&track.frames[track.num_frames - 1]);
}

static double along(md5_stride stride, md5_stride axis)
{
    return stride.x * axis.x + stride.y * axis.y + stride.z * axis.z;
}

// The direction in which speeds count: that of the fastest item, but forward, left or up rather
// than backward, right or down. No direction if all stand.
static md5_stride find_axis(const md5_stride *strides, const md5_item *items, uint32_t count)
{
    md5_stride axis = {1.0, 0.0, 0.0};
    double fastest = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const double length = sqrt(along(strides[i], strides[i]));
        if (!(length > fastest * items[i].gait.seconds))
            continue;
        fastest = length / items[i].gait.seconds;
        const md5_stride s = strides[i];
        const bool is_x = fabs(s.x) >= fabs(s.y) && fabs(s.x) >= fabs(s.z);
        const double main = is_x ? s.x : fabs(s.y) >= fabs(s.z) ? s.y : s.z;
        const double by = main < 0.0 ? -1.0 / length : 1.0 / length;
        axis = (md5_stride){s.x * by, s.y * by, s.z * by};
    }
    return axis;
}

bool md5i_build_speeds(md5_building *building, const md5_motion_desc *desc, md5_item *items)
{
    md5_stride *const strides =
        (md5_stride *)md5i_build_array(building, desc->num_items, sizeof *strides);
    TRY(strides);
    for (uint32_t i = 0; i < desc->num_items; i++) {
        TRY(check_item(building, desc, i, &items[i]));
        strides[i] = measure(building->machine, &items[i], &items[i].gait.seconds);
    }
    const md5_stride axis = find_axis(strides, items, desc->num_items);
    for (uint32_t i = 0; i < desc->num_items; i++) {
        items[i].gait.speed = along(strides[i], axis) / items[i].gait.seconds;
        if (i > 0 && !(items[i].gait.speed > items[i - 1].gait.speed))
            return md5i_fail_at(
                building, &desc->items[i].motion, MD5_ERROR_RANGE,
                "motion %s: item %u (%s) moves the root at %g units/s, which must be "
                "faster than the one before, at %g",
                QUOTED(desc->name), i, QUOTED(desc->items[i].motion), items[i].gait.speed,
                items[i - 1].gait.speed);
    }
    return true;
}
