// Limbs of a machine's modifiers: three joints each, by names or by parents.
#include "md5/core/math.h"
#include "md5/play/make/building.h"
#include "md5/motion/space.h"

#include <string.h>

#define QUOTED(name) md5i_quote((name), strlen(name)).text

// The members of the tables that name a limb's joints, the words for the upper two in a machine
// file, and the modifier.
typedef struct limb_names {
    const char *const *tip, *const *middle, *const *root;
    const char *middle_word, *root_word;
    const char *owner;
} limb_names;

static const char *name_of(const md5_building *building, uint32_t joint)
{
    return building->desc->model->skeleton.joints[joint].name;
}

// A joint of a limb by the name in `member`, or the parent of the one below it.
static bool find_joint(md5_building *building, const limb_names *names, const char *const *member,
                       uint32_t below, uint32_t *joint)
{
    const md5_skeleton *const skeleton = &building->desc->model->skeleton;
    int32_t found = skeleton->joints[below].parent;
    if (*member)
        TRY(md5i_resolve(building, &building->joints, member, "modifier", names->owner, &found));
    if (found < 0)
        return md5i_fail_at(building, names->tip, MD5_ERROR_RANGE,
                            "modifier %s: joint %s of the limb has no parent", QUOTED(names->owner),
                            QUOTED(name_of(building, below)));
    *joint = (uint32_t)found;
    if (md5i_is_below(skeleton, below, *joint))
        return true;
    return md5i_fail_at(building, member, MD5_ERROR_MISMATCH,
                        "modifier %s: joint %s is not a descendant of %s", QUOTED(names->owner),
                        QUOTED(name_of(building, below)), QUOTED(name_of(building, *joint)));
}

static float bind_distance(const md5_building *building, uint32_t a, uint32_t b)
{
    const md5_mat34 *const bind = building->desc->model->bind;
    const md5_vec3 delta = md5_vec3_sub(md5_mat34_translation(bind[a]), //
                                        md5_mat34_translation(bind[b]));
    return sqrtf(md5_vec3_dot(delta, delta));
}

// A rig whose hand or foot has a helper parent at the position of the elbow or knee has such a
// bone.
static bool check_bone(md5_building *building, const limb_names *names, uint32_t lower,
                       uint32_t upper, float reach)
{
    if (bind_distance(building, lower, upper) > 1e-5f * reach)
        return true;
    return md5i_fail_at(
        building, names->tip, MD5_ERROR_MISMATCH,
        "modifier %s: joints %s and %s are at the same position: name a limb's joints by "
        "'%s' and '%s'",
        QUOTED(names->owner), QUOTED(name_of(building, upper)), QUOTED(name_of(building, lower)),
        names->middle_word, names->root_word);
}

static bool build_limb(md5_building *building, const limb_names *names, md5_limb *limb)
{
    TRY(find_joint(building, names, names->middle, limb->tip, &limb->middle));
    TRY(find_joint(building, names, names->root, limb->middle, &limb->root));
    const float reach = bind_distance(building, limb->tip, limb->middle)
                        + bind_distance(building, limb->middle, limb->root);
    TRY(check_bone(building, names, limb->tip, limb->middle, reach));
    return check_bone(building, names, limb->middle, limb->root, reach);
}

bool md5i_build_limb(md5_building *building, const md5_modifier_desc *desc, md5_limb *limb)
{
    const limb_names names = {&desc->joint, &desc->middle, &desc->root,
                              "middle",     "root",        desc->name};
    if (desc->kind == MD5_MODIFIER_TWO_BONE)
        return build_limb(building, &names, limb);
    if (!desc->middle && !desc->root)
        return true;
    return md5i_fail_at(building, desc->middle ? &desc->middle : &desc->root, MD5_ERROR_MISMATCH,
                        "modifier %s names a %s joint, which only 'two_bone' has",
                        QUOTED(desc->name), desc->middle ? "middle" : "root");
}

static bool build_foot(md5_building *building, const char *owner, const md5_foot_desc *foot,
                       md5_limb *leg)
{
    const limb_names names = {&foot->ankle, &foot->knee, &foot->hip, "knee", "hip", owner};
    int32_t ankle;
    TRY(md5i_resolve(building, &building->joints, &foot->ankle, "modifier", owner, &ankle));
    if (ankle < 0)
        return md5i_fail_at(building, &foot->ankle, MD5_ERROR_MISMATCH,
                            "modifier %s: a foot names no ankle", QUOTED(owner));
    leg->tip = (uint32_t)ankle;
    return build_limb(building, &names, leg);
}

bool md5i_build_feet(md5_building *building, const md5_modifier_desc *desc, md5_modifier *modifier)
{
    md5_machine *const machine = building->machine;
    if (desc->kind != MD5_MODIFIER_FEET && desc->num_feet == 0)
        return true;
    if (desc->kind != MD5_MODIFIER_FEET)
        return md5i_fail_at(building, &desc->num_feet, MD5_ERROR_MISMATCH,
                            "modifier %s has feet, which only 'feet' has", QUOTED(desc->name));
    if (desc->num_feet == 0)
        return md5i_fail_at(building, &desc->joint, MD5_ERROR_RANGE, "modifier %s has no feet",
                            QUOTED(desc->name));
    modifier->first_foot = machine->num_feet;
    for (uint32_t i = 0; i < desc->num_feet; i++)
        TRY(build_foot(building, desc->name, &desc->feet[i], &machine->legs[machine->num_feet++]));
    return true;
}
