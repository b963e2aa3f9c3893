// Gazes of a machine's modifiers: the joints of head and eyes, where the gaze starts, its numbers.
#include "md5/core/axes.h"
#include "md5/core/math.h"
#include "md5/play/make/building.h"

#include <string.h>

#define QUOTED(name) md5i_quote((name), strlen(name)).text

static const char kind[] = "modifier";

// With their defaults.
static bool check_seconds(md5_building *building, const md5_gaze_rule *rule, const char *owner)
{
    md5_gaze_rule filled = *rule;
    md5i_fill_defaults(&md5i_gaze_schema, &filled, 1.0f);
    if (filled.least_seconds <= filled.most_seconds)
        return true;
    return md5i_fail_at(building,
                        rule->most_seconds != 0.0f ? &rule->most_seconds : &rule->least_seconds,
                        MD5_ERROR_RANGE, "%s %s: least_seconds is %g, but most_seconds is %g", kind,
                        QUOTED(owner), (double)filled.least_seconds, (double)filled.most_seconds);
}

// The joints that turn the head. A default that is longer than its branch is cut.
static bool find_length(md5_building *building, const md5_modifier_desc *desc,
                        const md5_gaze_rule *rule, md5_gaze_desc *gaze)
{
    const md5_skeleton *const skeleton = &building->desc->model->skeleton;
    const uint32_t least = 1, usual = 3;
    uint32_t depth = 1;
    for (int32_t at = skeleton->joints[gaze->head].parent; at >= 0;
         at = skeleton->joints[at].parent)
        depth++;
    gaze->length = rule->length > 0 ? rule->length : depth < usual ? depth : usual;
    if (gaze->length > MD5_MAX_CHAIN)
        return md5i_fail_at(building, &rule->length, MD5_ERROR_RANGE,
                            "modifier %s has a chain of %u joints, which may have %u to %d",
                            QUOTED(desc->name), gaze->length, least, MD5_MAX_CHAIN);
    if (gaze->length > depth)
        return md5i_fail_at(building, &rule->length, MD5_ERROR_RANGE,
                            "modifier %s: a chain of %u joints ends at %s, which is %u deep",
                            QUOTED(desc->name), gaze->length, QUOTED(desc->joint), depth);
    return true;
}

static bool find_eyes(md5_building *building, const md5_gaze_rule *rule, const char *owner,
                      md5_gaze_desc *gaze)
{
    const md5_mat34 *const bind = building->desc->model->bind;
    md5_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; i < MD5_MAX_EYES && rule->eyes[i]; i++) {
        int32_t eye;
        TRY(md5i_resolve(building, &building->joints, &rule->eyes[i], kind, owner, &eye));
        gaze->eyes[gaze->num_eyes++] = (uint32_t)eye;
        sum = md5_vec3_add(sum, md5_mat34_translation(bind[eye]));
    }
    gaze->origin = gaze->num_eyes > 0 ? md5_vec3_scale(sum, 1.0f / (float)gaze->num_eyes)
                                      : md5_mat34_translation(bind[gaze->head]);
    return true;
}

bool md5i_build_gaze(md5_building *building, const md5_modifier_desc *desc, md5_modifier *modifier)
{
    static const md5_gaze_rule defaults = {0};
    md5_machine *const machine = building->machine;
    if (desc->kind != MD5_MODIFIER_GAZE && !desc->gaze)
        return true;
    if (desc->kind != MD5_MODIFIER_GAZE)
        return md5i_fail_at(building, &desc->gaze, MD5_ERROR_MISMATCH,
                            "modifier %s has a gaze, which only 'gaze' has", QUOTED(desc->name));
    const md5_gaze_rule *const rule = desc->gaze ? desc->gaze : &defaults;
    const float scale = md5_scale_of(&building->desc->model->skeleton);
    TRY(check_seconds(building, rule, desc->name));
    md5_gaze_desc gaze = {
        .head = modifier->joint,
        .interest = rule->interest,
        .wide = rule->wide,
        .high = rule->high,
        .distance = rule->distance == 0.0f ? 100.0f * scale : rule->distance,
        .least_seconds = rule->least_seconds,
        .most_seconds = rule->most_seconds,
        .head_share = rule->head_share,
        .head_seconds = rule->head_seconds,
        .head_limit = rule->head_limit,
        .eye_limit = rule->eye_limit,
    };
    TRY(find_length(building, desc, rule, &gaze));
    TRY(find_eyes(building, rule, desc->name, &gaze));
    modifier->gaze = machine->num_gazes;
    modifier->seed = rule->seed;
    machine->gazes[machine->num_gazes++] = gaze;
    return true;
}
