// Feet of a machine's modifiers that are held: their soles, and where in the clips these stand.
#include "md5/core/axes.h"
#include "md5/motion/hold.h"
#include "md5/motion/space.h"
#include "md5/play/make/building.h"

#include <string.h>

#define QUOTED(name) md5i_quote((name), strlen(name)).text

static const char kind[] = "modifier";

// The point of the ground plane below a joint in the bind pose, and where the model looks.
static md5_sole sole_of(const md5_model *model, uint32_t joint)
{
    const md5_axes axes = model->skeleton.axes;
    md5_vec3 point = md5i_vec3_from_axes(axes, md5_mat34_translation(model->bind[joint]));
    point.z = 0.0f;
    const md5_mat34 *const inverse = &model->inverse_bind[joint];
    return (md5_sole){
        .joint = joint,
        .point = md5_mat34_point(*inverse, md5i_vec3_to_axes(axes, point)),
        .ahead = md5_mat34_direction(*inverse, md5_forward(axes)),
    };
}

static bool find_sole(md5_building *building, const md5_modifier_desc *desc, const char *const *toe,
                      uint32_t ankle)
{
    md5_machine *const machine = building->machine;
    const md5_model *const model = building->desc->model;
    int32_t joint = (int32_t)ankle;
    if (*toe)
        TRY(md5i_resolve(building, &building->joints, toe, kind, desc->name, &joint));
    if ((uint32_t)joint != ankle && !md5i_is_below(&model->skeleton, (uint32_t)joint, ankle))
        return md5i_fail_at(building, toe, MD5_ERROR_MISMATCH,
                            "modifier %s: joint %s is not a descendant of %s", QUOTED(desc->name),
                            QUOTED(*toe), QUOTED(model->skeleton.joints[ankle].name));
    machine->soles[machine->num_soles++] = sole_of(model, (uint32_t)joint);
    return true;
}

static bool find_soles(md5_building *building, const md5_modifier_desc *desc,
                       md5_modifier *modifier)
{
    static const char *const none = NULL;
    const md5_limb *const legs = building->machine->legs + modifier->first_foot;
    const char *const *const toes = desc->hold->toes;
    uint32_t num_toes = 0;
    while (num_toes < MD5_MOST_HELD && toes[num_toes])
        num_toes++;
    if (num_toes > desc->num_feet)
        return md5i_fail_at(building, &toes[desc->num_feet], MD5_ERROR_RANGE,
                            "modifier %s has %u toes, but %u feet", QUOTED(desc->name), num_toes,
                            desc->num_feet);
    for (uint32_t i = 0; i < modifier->num_held; i++)
        TRY(find_sole(building, desc, i < num_toes ? &toes[i] : &none, legs[i].tip));
    return true;
}

bool md5i_build_hold(md5_building *building, const md5_modifier_desc *desc, md5_modifier *modifier)
{
    const md5_hold_rule *const rule = desc->hold;
    if (!rule)
        return true;
    if (desc->kind != MD5_MODIFIER_FEET)
        return md5i_fail_at(building, &desc->hold, MD5_ERROR_MISMATCH,
                            "modifier %s holds feet, which only 'feet' has", QUOTED(desc->name));
    md5_hold_rule filled = *rule;
    md5i_fill_defaults(&md5i_hold_schema, &filled, md5_scale_of(&building->desc->model->skeleton));
    modifier->first_sole = building->machine->num_soles;
    modifier->num_held = desc->num_feet < MD5_MOST_HELD ? desc->num_feet : MD5_MOST_HELD;
    modifier->hold = (md5_hold){
        .height = filled.height,
        .speed = filled.speed,
        .distance = filled.distance,
        .release = filled.release,
    };
    return find_soles(building, desc, modifier);
}

// -- Contacts ---------------------------------------------------------------------------------

// A clip in which soles are searched for contacts.
typedef struct contact_search {
    const md5_source *source;
    md5_xform *pose;
    // [frames] of one sole, as the clip moves with its root; id's axes.
    md5_vec3 *places, *facings;
} contact_search;

static void find_places(const contact_search *at, const md5_sole *sole)
{
    const md5_binding *const binding = at->source->binding;
    const md5_skeleton *const skeleton = &binding->model->skeleton;
    for (uint32_t frame = 0; frame < binding->anim->num_frames; frame++) {
        md5_sample(binding, (md5_moment){.frame0 = frame, .frame1 = frame}, MD5_ROOT_FILE,
                   at->pose);
        const md5_xform joint = md5_joint_in_model(skeleton, at->pose, sole->joint);
        at->places[frame] =
            md5i_vec3_from_axes(skeleton->axes, md5_xform_point(joint, sole->point));
        at->facings[frame] = md5i_level_facing(
            md5i_vec3_from_axes(skeleton->axes, md5_quat_rotate(joint.rotation, sole->ahead)));
    }
}

// Radians a second: 30 degrees. A sole that its clip turns faster turns on purpose.
static const float slow_turn = 0.52359878f;

static bool is_turned(md5_vec3 from, md5_vec3 to, float frame_rate)
{
    const float cosine = from.x * to.x + from.y * to.y, sine = from.x * to.y - from.y * to.x;
    return cosine < 0.0f || fabsf(sine) * frame_rate > slow_turn;
}

static uint8_t contact_between(const contact_search *at, const md5_hold *hold, uint32_t frame,
                               uint32_t next)
{
    const md5_vec3 from = at->places[frame], to = at->places[next];
    const float frame_rate = (float)at->source->binding->anim->frame_rate;
    if (!(from.z <= hold->height && to.z <= hold->height))
        return MD5_CONTACT_NONE;
    const float x = (to.x - from.x) * frame_rate, y = (to.y - from.y) * frame_rate;
    if (!(x * x + y * y <= hold->speed * hold->speed))
        return MD5_CONTACT_SLIDES;
    return is_turned(at->facings[frame], at->facings[next], frame_rate) ? MD5_CONTACT_TURNS
                                                                        : MD5_CONTACT_STANDS;
}

// The last frame, which has no next one, is as the one before it; of a cycle that leads back to the
// first frame, as both beside it.
static void find_contacts(const contact_search *at, const md5_hold *hold, uint8_t *contacts)
{
    const md5_anim *const anim = at->source->binding->anim;
    const uint32_t last = anim->num_frames - 1;
    for (uint32_t i = 0; i < last; i++)
        contacts[i] = contact_between(at, hold, i, i + 1);
    contacts[last] = last > 0 ? contacts[last - 1] : contact_between(at, hold, 0, 0);
    if (at->source->timings[MD5_PLAY_LOOP].period == MD5_PERIOD_OPEN
        && contacts[last] != contacts[0])
        contacts[last] = MD5_CONTACT_NONE;
}

static bool search_clip(md5_building *building, const md5_source *source)
{
    md5_machine *const machine = building->machine;
    const contact_search at = {
        .source = source,
        .pose = (md5_xform *)md5i_build_array(building, machine->num_joints, sizeof *at.pose),
        .places = (md5_vec3 *)md5i_build_array(building, source->binding->anim->num_frames,
                                               sizeof *at.places),
        .facings = (md5_vec3 *)md5i_build_array(building, source->binding->anim->num_frames,
                                                sizeof *at.facings),
    };
    TRY(at.pose && at.places && at.facings);
    for (uint32_t i = 0; i < building->desc->num_modifiers; i++) {
        const md5_modifier *const modifier = &machine->modifiers[i];
        for (size_t k = 0; k < modifier->num_held; k++) {
            const size_t number = modifier->first_sole + k;
            find_places(&at, &machine->soles[number]);
            find_contacts(&at, &modifier->hold,
                          machine->contacts + number * machine->num_frames + source->first_frame);
        }
    }
    return true;
}

bool md5i_build_contacts(md5_building *building)
{
    md5_machine *const machine = building->machine;
    machine->contacts =
        (uint8_t *)md5i_build_array(building, machine->num_soles, machine->num_frames);
    TRY(machine->contacts);
    for (uint32_t i = 0; machine->num_soles > 0 && i < building->desc->num_clips; i++)
        TRY(search_clip(building, &machine->sources[i]));
    return true;
}
