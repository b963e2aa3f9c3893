// Saving and restoring the targets and states of modifiers.
#include "md5/play/run/save_parts.h"

// Targets and heights of the ground may hold anything; so may springs, which begin anew if they are
// not finite.
static bool keep_target(md5_archive *archive, md5_target *target)
{
    md5_target kept = *target;
    TRY(md5i_keep_floats(archive, &kept.weight, 1));
    TRY(md5i_keep_floats(archive, (float *)&kept.position, 3));
    TRY(md5i_keep_floats(archive, (float *)&kept.rotation, 4));
    TRY(md5i_keep_bool(archive, &kept.has_rotation, "whether a target has a rotation"));
    TRY(md5i_keep_floats(archive, (float *)&kept.pole, 3));
    TRY(md5i_keep_bool(archive, &kept.has_pole, "whether a target has a pole"));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *target = kept;
    return true;
}

static bool keep_spring(md5_archive *archive, md5_spring_joint *joint)
{
    md5_spring_joint kept = *joint;
    TRY(md5i_keep_floats(archive, (float *)&kept.position, 3));
    TRY(md5i_keep_floats(archive, (float *)&kept.velocity, 3));
    TRY(md5i_keep_floats(archive, (float *)&kept.target, 3));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *joint = kept;
    return true;
}

// Its joints are the machine's.
static bool keep_foot(md5_archive *archive, md5_foot *foot)
{
    md5_foot kept = *foot;
    uint32_t result = (uint32_t)kept.result;
    TRY(md5i_keep_floats(archive, &kept.floor, 1));
    TRY(md5i_keep_floats(archive, (float *)&kept.normal, 3));
    TRY(md5i_keep_floats(archive, &kept.lift, 1));
    TRY(md5i_keep_uint(archive, &result, 0, MD5_LIMB_NOT_FINITE, "the result of a foot"));
    TRY(md5i_keep_floats(archive, &kept.miss, 1));
    kept.result = (md5_limb_result)result;
    if (archive->mode == MD5_ARCHIVE_STORE)
        *foot = kept;
    return true;
}

// Before version 5 no heading is held: it begins to be as the foot is animated.
static bool keep_heading(md5_archive *archive, md5_held *held)
{
    if (archive->version < 5) {
        held->facing = held->heading = (md5_vec3){0.0f, 0.0f, 0.0f};
        held->turn = held->turn_rate = 0.0f;
        return true;
    }
    TRY(md5i_keep_floats(archive, (float *)&held->facing, 2));
    TRY(md5i_keep_floats(archive, (float *)&held->heading, 2));
    TRY(md5i_keep_floats(archive, &held->turn, 1));
    return md5i_keep_floats(archive, &held->turn_rate, 1);
}

// Likewise.
static bool keep_held(md5_archive *archive, md5_held *held)
{
    md5_held kept = *held;
    TRY(md5i_keep_bool(archive, &kept.is_held, "whether a foot is held"));
    TRY(md5i_keep_floats(archive, (float *)&kept.animated, 3));
    TRY(md5i_keep_floats(archive, (float *)&kept.place, 3));
    TRY(md5i_keep_floats(archive, (float *)&kept.shift, 3));
    TRY(md5i_keep_floats(archive, (float *)&kept.rate, 3));
    TRY(md5i_keep_float(archive, &kept.wait, 0.0f, 1e6f, "the time until a foot is held"));
    TRY(md5i_keep_float(archive, &kept.arc, 0.0f, 1e15f, "the height of a step"));
    TRY(md5i_keep_float(archive, &kept.lift, 0.0f, 1e15f, "the height of a foot"));
    TRY(keep_heading(archive, &kept));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *held = kept;
    return true;
}

// As springs: one that is not finite begins anew.
static bool keep_gaze(md5_archive *archive, md5_gaze *gaze)
{
    md5_gaze kept = *gaze;
    TRY(md5i_keep_uint64(archive, &kept.random));
    TRY(md5i_keep_int(archive, &kept.target, -1, 0, "what a gaze looks at"));
    TRY(md5i_keep_floats(archive, (float *)&kept.from, 2));
    TRY(md5i_keep_floats(archive, (float *)&kept.to, 2));
    TRY(md5i_keep_floats(archive, (float *)&kept.head, 2));
    TRY(md5i_keep_floats(archive, &kept.seconds, 1));
    TRY(md5i_keep_floats(archive, &kept.duration, 1));
    TRY(md5i_keep_floats(archive, &kept.rest, 1));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *gaze = kept;
    return true;
}

bool md5i_keep_modifier(md5_archive *archive, const md5_player *player, uint32_t number)
{
    const md5_modifier *const modifier = &player->machine->modifiers[number];
    const bool is_spring = modifier->desc.kind == MD5_MODIFIER_SPRING;
    bool is_placed = player->are_placed[number];
    float drop = player->drops[number];
    TRY(keep_target(archive, &player->targets[number]));
    if (modifier->desc.kind == MD5_MODIFIER_GAZE)
        return keep_gaze(archive, &player->gazes[modifier->gaze]);
    if (!is_spring && modifier->desc.kind != MD5_MODIFIER_FEET)
        return true;
    TRY(md5i_keep_bool(archive, &is_placed, "whether a modifier is placed"));
    for (uint32_t i = 0; is_spring && is_placed && i < modifier->desc.length; i++)
        TRY(keep_spring(archive, &player->springs[modifier->first_spring + i]));
    if (!is_spring)
        TRY(md5i_keep_floats(archive, &drop, 1));
    for (uint32_t i = 0; !is_spring && i < modifier->desc.num_feet; i++)
        TRY(keep_foot(archive, &player->feet[modifier->first_foot + i]));
    for (size_t i = 0; i < modifier->num_held; i++)
        TRY(keep_held(archive, &player->held[modifier->first_sole + i]));
    if (archive->mode == MD5_ARCHIVE_STORE) {
        player->are_placed[number] = is_placed;
        player->drops[number] = drop;
    }
    return true;
}
