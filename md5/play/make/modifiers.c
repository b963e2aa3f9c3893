// Modifiers of a machine: their joints, limbs, gazes and soles; and how far its model's vertices
// lie from their joints.
#include "md5/motion/space.h"
#include "md5/play/make/building.h"

// -- Limbs: three joints each, by names or by parents -------------------------------------------

// The members of the tables that name a limb's joints, the words for the upper two in a machine
// file.
typedef struct limb_names {
    const char *const *tip, *const *middle, *const *root;
    const char *middle_word;
    const char *root_word;
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
    uint32_t found = skeleton->joints[below].parent;
    if (*member) {
        uint32_t named;
        TRY(md5i_resolve(building, &building->joints, member, &named));
        found = named;
    }
    if (found == MD5_NONE)
        return MD5_OUT_OF_RANGE(building, names->tip, ": joint %s of the limb has no parent",
                                MD5_QUOTED(name_of(building, below)));
    *joint = found;
    if (md5i_is_below(skeleton, below, *joint))
        return true;
    return MD5_MISMATCH(building, member, ": joint %s is not a descendant of joint %s",
                        MD5_QUOTED(name_of(building, below)),
                        MD5_QUOTED(name_of(building, *joint)));
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
    return MD5_MISMATCH(building, names->tip,
                        ": joints %s and %s of the limb are at the same position: select its "
                        "joints with '%s' and '%s'",
                        MD5_QUOTED(name_of(building, upper)), MD5_QUOTED(name_of(building, lower)),
                        names->middle_word, names->root_word);
}

static bool find_limb(md5_building *building, const limb_names *names, md5_limb *limb)
{
    TRY(find_joint(building, names, names->middle, limb->tip, &limb->middle));
    TRY(find_joint(building, names, names->root, limb->middle, &limb->root));
    const float reach = bind_distance(building, limb->tip, limb->middle)
                        + bind_distance(building, limb->middle, limb->root);
    TRY(check_bone(building, names, limb->tip, limb->middle, reach));
    return check_bone(building, names, limb->middle, limb->root, reach);
}

// -- Chains: as long as the branch above their tip allows -----------------------------------------

// How many joints there are from the root of its branch down to this one.
static uint32_t depth_of(const md5_skeleton *skeleton, uint32_t joint)
{
    uint32_t depth = 1;
    while ((joint = skeleton->joints[joint].parent) != MD5_NONE)
        depth++;
    return depth;
}

// `member` of the tables says the length.
static bool check_length(md5_building *building, const md5_modifier_desc *desc, const void *member,
                         uint32_t length, uint32_t joint)
{
    const uint32_t least =
        desc->kind == MD5_MODIFIER_AIM || desc->kind == MD5_MODIFIER_GAZE ? 1 : 2;
    const uint32_t depth = depth_of(&building->desc->model->skeleton, joint);
    if (length < least || length > MD5_MAX_CHAIN)
        return MD5_OUT_OF_RANGE(
            building, member, ": chain length is out of range: expected %u to %d joints, found %u",
            least, MD5_MAX_CHAIN, length);
    if (length > depth)
        return MD5_OUT_OF_RANGE(
            building, member,
            ": chain to joint %s is too long: expected at most %u joints, found %u",
            MD5_QUOTED(desc->joint), depth, length);
    return true;
}

// -- Gazes: the joints of head and eyes, where the gaze starts, its numbers ---------------------

static bool build_gaze(md5_building *building, const md5_modifier_desc *desc,
                       md5_modifier *modifier)
{
    static const md5_modifier_gaze defaults = {0};
    md5_machine *const machine = building->machine;
    const md5_skeleton *const skeleton = &building->desc->model->skeleton;
    const md5_modifier_gaze *const rule = desc->gaze ? desc->gaze : &defaults;
    const md5_gaze_params *const params = &rule->params;
    md5_modifier_gaze filled = *rule;
    md5i_fill_defaults(&md5i_gaze_schema, &filled, md5_scale_of(skeleton));
    if (!(filled.params.min_seconds <= filled.params.max_seconds))
        return MD5_OUT_OF_RANGE(
            building, params->max_seconds != 0 ? &params->max_seconds : &params->min_seconds,
            ": min_seconds %g is above max_seconds %g", filled.params.min_seconds,
            filled.params.max_seconds);
    md5_gaze_desc gaze = {.head = modifier->joint, .params = *params};
    gaze.params.distance = filled.params.distance; // only here id's units are known
    // A default that is longer than its branch is cut.
    const uint32_t depth = depth_of(skeleton, gaze.head);
    const uint32_t usual = 3;
    if (gaze.params.length == 0)
        gaze.params.length = depth < usual ? depth : usual;
    TRY(check_length(building, desc, &params->length, gaze.params.length, gaze.head));
    const md5_mat34 *const bind = building->desc->model->bind;
    md5_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < MD5_MAX_EYES && rule->eyes[i]; i++) {
        uint32_t eye;
        TRY(MD5_RESOLVE(building, joints, rule->eyes[i], eye));
        gaze.eyes[gaze.num_eyes++] = eye;
        sum = md5_vec3_add(sum, md5_mat34_translation(bind[eye]));
    }
    gaze.origin = gaze.num_eyes > 0 ? md5_vec3_scale(sum, 1.0f / (float)gaze.num_eyes)
                                    : md5_mat34_translation(bind[gaze.head]);
    modifier->gaze = machine->num_gazes;
    modifier->seed = rule->seed;
    machine->gazes[machine->num_gazes++] = gaze;
    return true;
}

// -- Feet that are held: their soles, and where in the clips these stand ------------------------

static bool build_hold(md5_building *building, const md5_modifier_desc *desc,
                       md5_modifier *modifier)
{
    md5_machine *const machine = building->machine;
    const md5_model *const model = building->desc->model;
    md5_modifier_hold filled = *desc->hold;
    md5i_fill_defaults(&md5i_hold_schema, &filled, md5_scale_of(&model->skeleton));
    modifier->hold = filled.params;
    modifier->first_sole = machine->num_soles;
    modifier->num_held = desc->num_feet < MD5_MAX_HELD ? desc->num_feet : MD5_MAX_HELD;
    static const char *const none = NULL;
    const char *const *const toes = desc->hold->toes;
    uint32_t num_toes = 0;
    while (num_toes < MD5_MAX_HELD && toes[num_toes])
        num_toes++;
    if (num_toes > desc->num_feet)
        return MD5_OUT_OF_RANGE(building, &toes[desc->num_feet],
                                ": too many toes: expected at most %u, one per foot, found %u",
                                desc->num_feet, num_toes);
    for (uint32_t i = 0; i < modifier->num_held; i++) {
        const char *const *const toe = i < num_toes ? &toes[i] : &none;
        const uint32_t ankle = machine->legs[modifier->first_foot + i].tip;
        uint32_t joint = ankle;
        if (*toe)
            TRY(md5i_resolve(building, &building->joints, toe, &joint));
        if (joint != ankle && !md5i_is_below(&model->skeleton, joint, ankle))
            return MD5_MISMATCH(building, toe, ": joint %s is not a descendant of joint %s",
                                MD5_QUOTED(*toe), MD5_QUOTED(model->skeleton.joints[ankle].name));
        // The point of the ground plane below the joint in the bind pose, and where the model
        // looks.
        const md5_axes axes = model->skeleton.axes;
        const md5_mat34 *const inverse = &model->inverse_bind[joint];
        md5_vec3 point = md5i_vec3_from_axes(axes, md5_mat34_translation(model->bind[joint]));
        point.z = 0;
        machine->soles[machine->num_soles++] = (md5_sole){
            .joint = joint,
            .point = md5_mat34_point(*inverse, md5i_vec3_to_axes(axes, point)),
            .ahead = md5_mat34_direction(*inverse, md5_forward(axes)),
        };
    }
    return true;
}

// -- Contacts ---------------------------------------------------------------------------------

// A sole in a frame of a clip, as that moves with its root; id's axes.
typedef struct sole_frame {
    md5_vec3 place;
    md5_vec3 facing;
} sole_frame;

// Radians a second: 30 degrees. A sole that its clip turns faster turns on purpose.
static const float slow_turn = 0.52359878f;

static uint8_t contact_between(const sole_frame *frame, const sole_frame *next,
                               const md5_hold_params *hold, float frame_rate)
{
    const md5_vec3 from = frame->place;
    const md5_vec3 to = next->place;
    const md5_vec3 a = frame->facing;
    const md5_vec3 b = next->facing;
    if (!(from.z <= hold->height && to.z <= hold->height))
        return MD5_CONTACT_NONE;
    const float x = (to.x - from.x) * frame_rate;
    const float y = (to.y - from.y) * frame_rate;
    if (!(x * x + y * y <= hold->speed * hold->speed))
        return MD5_CONTACT_SLIDES;
    const float cosine = a.x * b.x + a.y * b.y;
    const float sine = a.x * b.y - a.y * b.x;
    const bool turns = cosine < 0 || fabsf(sine) * frame_rate > slow_turn;
    return turns ? MD5_CONTACT_TURNS : MD5_CONTACT_STANDS;
}

static bool search_clip(md5_building *building, const md5_source *source)
{
    md5_machine *const machine = building->machine;
    const md5_binding *const binding = source->binding;
    const float frame_rate = (float)binding->anim->frame_rate;
    sole_frame *const frames = MD5_NEW(building->scratch, sole_frame, binding->anim->num_frames);
    TRY(frames);
    for (uint32_t i = 0; i < building->desc->num_modifiers; i++) {
        const md5_modifier *const modifier = &machine->modifiers[i];
        for (size_t k = 0; k < modifier->num_held; k++) {
            const size_t number = modifier->first_sole + k;
            const md5_sole *const sole = &machine->soles[number];
            const md5_skeleton *const skeleton = &binding->model->skeleton;
            for (uint32_t frame = 0; frame < binding->anim->num_frames; frame++) {
                md5_sample(binding, (md5_sample_position){.frame0 = frame, .frame1 = frame},
                           MD5_ROOT_FILE, building->sampled);
                const md5_xform joint =
                    md5_joint_in_model(skeleton, building->sampled, sole->joint);
                frames[frame].place =
                    md5i_vec3_from_axes(skeleton->axes, md5_xform_point(joint, sole->point));
                frames[frame].facing = md5i_level_facing(md5i_vec3_from_axes(
                    skeleton->axes, md5_quat_rotate(joint.rotation, sole->ahead)));
            }
            // The last frame, which has no next one, is as the one before it; of a cycle that leads
            // back to the first frame, as both beside it.
            uint8_t *const contacts =
                machine->contacts + number * machine->num_frames + source->first_frame;
            const uint32_t last = binding->anim->num_frames - 1;
            for (uint32_t j = 0; j < last; j++)
                contacts[j] =
                    contact_between(&frames[j], &frames[j + 1], &modifier->hold, frame_rate);
            contacts[last] = last > 0
                                 ? contacts[last - 1]
                                 : contact_between(frames, frames, &modifier->hold, frame_rate);
            if (source->timings[MD5_PLAY_LOOP].period == MD5_PERIOD_OPEN
                && contacts[last] != contacts[0])
                contacts[last] = MD5_CONTACT_NONE;
        }
    }
    return true;
}

// -- What is attached, places on joints -----------------------------------------------------------

static bool list_attached(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    TRY(MD5_LIST(building, &building->attached, desc, attached));
    if (desc->num_attached > MD5_MAX_ATTACHED)
        return md5i_fail_at(building, &desc->attached[MD5_MAX_ATTACHED].name, MD5_ERROR_RANGE,
                            "too many attached models: expected at most %d, found %u",
                            MD5_MAX_ATTACHED, desc->num_attached);
    TRY(building->attached_joints = MD5_NEW(building->scratch, md5_names, desc->num_attached));
    for (uint32_t i = 0; i < desc->num_attached; i++) {
        const md5_attached_desc *const row = &desc->attached[i];
        uint32_t joint;
        md5_begin_row(building, "attached", row->name);
        if (!row->model)
            return md5i_fail_row(building, &row->name, MD5_ERROR_MISSING, " has no model");
        building->attached_joints[i] = (md5_names){.what = "joint", .may_repeat = true};
        TRY(MD5_LIST(building, &building->attached_joints[i], &row->model->skeleton, joints));
        TRY(MD5_RESOLVE(building, joints, row->joint, joint));
    }
    return true;
}

// A place for a modifier that turns the joints from `top` on.
static bool find_anchor(md5_building *building, const md5_modifier_point *place, uint32_t top,
                        md5_anchor *anchor)
{
    const md5_machine_desc *const desc = building->desc;
    const char *const *on = &place->joint;
    *anchor = (md5_anchor){.is_set = true, .is_aligned = place->aligned};
    anchor->within = (md5_xform){.rotation = {.w = 1}, .translation = place->offset};
    TRY(MD5_RESOLVE(building, attached, place->attached, anchor->attached));
    const uint32_t number = anchor->attached;
    const md5_attached_desc *const row = number != MD5_NONE ? &desc->attached[number] : NULL;
    TRY(md5i_resolve(building, row ? &building->attached_joints[number] : &building->joints, on,
                     &anchor->joint));
    if (anchor->joint == MD5_NONE)
        return MD5_MISMATCH(building, on, ": position of the target or pole has no joint");
    if (row && !row->joint)
        return true;
    if (row) {
        anchor->within = md5_xform_mul(
            md5_joint_in_model(&row->model->skeleton, row->model->bind_local, anchor->joint),
            anchor->within);
        anchor->attached = MD5_NONE;
        on = &row->joint;
        TRY(md5i_resolve(building, &building->joints, on, &anchor->joint));
    }
    return (anchor->joint != top && !md5i_is_below(&desc->model->skeleton, anchor->joint, top))
           || MD5_MISMATCH(building, &place->joint,
                           ": target or pole is attached to joint %s, which the modifier moves",
                           MD5_QUOTED(*on));
}

// Where a modifier's target and pole are, what drives its weight.
static bool find_drivers(md5_building *building, const md5_modifier_desc *desc,
                         md5_modifier *modifier)
{
    md5_machine *const machine = building->machine;
    const bool is_limb = desc->kind == MD5_MODIFIER_TWO_BONE;
    const bool is_chain =
        !is_limb && desc->kind >= MD5_MODIFIER_AIM && desc->kind <= MD5_MODIFIER_CCD;
    uint32_t top = is_limb ? modifier->limb.root : modifier->joint;
    for (uint32_t i = 1; is_chain && i < modifier->desc.length; i++)
        top = machine->model->skeleton.joints[top].parent;
    if (desc->target && desc->kind <= MD5_MODIFIER_CCD)
        TRY(find_anchor(building, desc->target, top, &modifier->target));
    if (desc->target)
        modifier->desc.space = MD5_JOINT_MODEL_OVERRIDE;
    if (desc->pole && is_limb)
        TRY(find_anchor(building, desc->pole, top, &modifier->pole));

    modifier->weight.fixed = 1;
    TRY(MD5_RESOLVE(building, parameters, desc->weight_parameter, modifier->weight.parameter));
    TRY(md5i_build_easing(building, &desc->weight_easing, &modifier->weight.easing));
    const bool by_state = desc->weight_layer || desc->weight_state;
    const bool is_driven = by_state || desc->weight_curve || desc->weight_window;
    modifier->is_driven = is_driven || desc->weight_parameter || desc->target || desc->pole;
    modifier->drive = is_driven ? machine->num_rows++ : MD5_NONE;
    if (!is_driven)
        return true;
    md5_morph_row *const row = &machine->morph_rows[modifier->drive];
    *row = (md5_morph_row){
        .name = machine->tables.modifiers[modifier - machine->modifiers].name,
        .of = MD5_SUM_MODIFIER,
        .drive = by_state             ? MD5_MORPH_BY_STATE
                 : desc->weight_curve ? MD5_MORPH_BY_CURVE
                                      : MD5_MORPH_BY_WINDOW,
        .target = machine->num_sums++,
        .weight = 1,
    };
    if (by_state + !!desc->weight_curve + !!desc->weight_window > 1)
        return MD5_MISMATCH(
            building, &desc->name,
            " has several weight sources: expected one of a state, a curve and a window");
    if (by_state)
        return md5i_resolve_state(building, &desc->weight_layer, &desc->weight_state, row);
    return desc->weight_curve ? MD5_RESOLVE(building, curves, desc->weight_curve, row->source)
                              : MD5_RESOLVE(building, windows, desc->weight_window, row->source);
}

// -- Limits -------------------------------------------------------------------------------------

static bool is_zero(md5_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

static bool build_limits(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_joint_limit *limits = NULL;
    if (desc->num_limits > 0)
        TRY(limits = MD5_NEW(building->arena, md5_joint_limit, building->machine->num_joints));
    building->machine->limits = limits;
    for (uint32_t i = 0; i < desc->num_limits; i++) {
        const md5_limit_desc *const row = &desc->limits[i];
        uint32_t joint;
        md5_begin_row(building, "limit", row->joint);
        TRY(MD5_RESOLVE(building, joints, row->joint, joint));
        if (joint == MD5_NONE || is_zero(row->axis) || !(row->min <= row->max))
            return MD5_OUT_OF_RANGE(building, &row->joint,
                                    " is invalid: expected a joint, an axis and min <= max");
        if (!is_zero(limits[joint].axis))
            return MD5_MISMATCH(building, &row->joint,
                                " is a duplicate: expected one limit per joint");
        limits[joint] = (md5_joint_limit){.kind = row->kind,
                                          .rest = desc->model->bind_local[joint].rotation,
                                          .axis = row->axis,
                                          .min = row->min,
                                          .max = row->max,
                                          .swing = row->swing};
    }
    return true;
}

// -- Modifiers ----------------------------------------------------------------------------------

static bool build_modifier(md5_building *building, const md5_modifier_desc *desc,
                           md5_modifier *modifier)
{
    md5_machine *const machine = building->machine;
    uint32_t joint;
    md5_begin_row(building, "modifier", desc->name);
    TRY(MD5_RESOLVE(building, joints, desc->joint, joint));
    if (joint == MD5_NONE)
        return MD5_MISMATCH(building, &desc->joint, " has no joint");
    *modifier = (md5_modifier){
        .desc = machine->tables.modifiers[modifier - machine->modifiers],
        .joint = joint,
        .limb = {.tip = joint},
    };
    md5_modifier_desc *const filled = &modifier->desc;
    const md5_vec3 x = {1, 0, 0};
    const md5_vec3 z = {0, 0, 1};
    md5i_fill_defaults(&md5i_modifier_schema, filled, 1);
    filled->spring = desc->spring; // filled in by md5_solve_spring()
    filled->aim.forward = is_zero(desc->aim.forward) ? x : md5_vec3_normalize(desc->aim.forward, x);
    filled->aim.up = is_zero(desc->aim.up) ? z : md5_vec3_normalize(desc->aim.up, z);
    const void *const length = desc->length > 0 ? (const void *)&desc->length : &desc->joint;
    const limb_names names = {&desc->joint, &desc->middle, &desc->root, "middle", "root"};
    switch (desc->kind) {
    case MD5_MODIFIER_TWO_BONE:
        if (!desc->middle && !desc->root)
            TRY(check_length(building, desc, &desc->joint, 3, modifier->joint));
        TRY(find_limb(building, &names, &modifier->limb));
        break;
    case MD5_MODIFIER_AIM:
    case MD5_MODIFIER_FABRIK:
    case MD5_MODIFIER_CCD:
    case MD5_MODIFIER_SPRING:
        TRY(check_length(building, desc, length, filled->length, modifier->joint));
        break;
    default:
        break;
    }
    // Members that only one kind of modifier has.
    const struct {
        bool is_set;
        const void *member;
        md5_modifier_kind kind;
        const char *words;
    } only[] = {
        {desc->middle != NULL, &desc->middle, MD5_MODIFIER_TWO_BONE,
         "has a middle joint: only 'two_bone' supports it"},
        {desc->root != NULL, &desc->root, MD5_MODIFIER_TWO_BONE,
         "has a root joint: only 'two_bone' supports it"},
        {desc->num_feet > 0, &desc->num_feet, MD5_MODIFIER_FEET,
         "has feet: only 'feet' supports them"},
        {desc->gaze != NULL, &desc->gaze, MD5_MODIFIER_GAZE,
         "has a gaze description: only 'gaze' supports it"},
        {desc->hold != NULL, &desc->hold, MD5_MODIFIER_FEET,
         "has a hold description: only 'feet' supports it"},
    };
    for (uint32_t i = 0; i < MD5_COUNT(only); i++)
        if (only[i].is_set && desc->kind != only[i].kind)
            return MD5_MISMATCH(building, only[i].member, " %s", only[i].words);
    if (desc->kind == MD5_MODIFIER_FEET && desc->num_feet == 0)
        return MD5_OUT_OF_RANGE(building, &desc->joint, " has no feet");
    modifier->first_foot = machine->num_feet;
    for (uint32_t i = 0; i < desc->num_feet; i++) { // only `feet` has some
        const md5_foot_desc *const foot = &desc->feet[i];
        md5_limb *const leg = &machine->legs[machine->num_feet++];
        const limb_names leg_names = {&foot->ankle, &foot->knee, &foot->hip, "knee", "hip"};
        TRY(MD5_RESOLVE(building, joints, foot->ankle, joint));
        if (joint == MD5_NONE)
            return MD5_MISMATCH(building, &foot->ankle, ": foot has no ankle");
        leg->tip = joint;
        TRY(find_limb(building, &leg_names, leg));
    }
    if (desc->kind == MD5_MODIFIER_GAZE)
        TRY(build_gaze(building, desc, modifier));
    if (desc->hold)
        TRY(build_hold(building, desc, modifier));
    TRY(find_drivers(building, desc, modifier));
    if (desc->kind == MD5_MODIFIER_SPRING) {
        modifier->first_spring = machine->num_springs;
        machine->num_springs += filled->length;
    }
    return true;
}

bool md5i_build_modifiers(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    md5_names names = {.what = "modifier"};
    const size_t num_feet = building->num_feet;
    size_t num_gazes = 0;
    TRY(MD5_LIST(building, &names, desc, modifiers));
    for (uint32_t i = 0; i < desc->num_modifiers; i++)
        num_gazes += desc->modifiers[i].kind == MD5_MODIFIER_GAZE;
    TRY(MD5_LIST(building, &building->joints, &desc->model->skeleton, joints));
    TRY(list_attached(building) && build_limits(building));
    machine->modifiers = MD5_NEW(building->arena, md5_modifier, desc->num_modifiers);
    machine->legs = MD5_NEW(building->arena, md5_limb, num_feet);
    machine->gazes = MD5_NEW(building->arena, md5_gaze_desc, num_gazes);
    machine->soles = MD5_NEW(building->arena, md5_sole, num_feet);
    TRY(machine->modifiers && machine->legs && machine->gazes && machine->soles);
    for (uint32_t i = 0; i < desc->num_modifiers; i++)
        TRY(build_modifier(building, &desc->modifiers[i], &machine->modifiers[i]));
    machine->contacts =
        (uint8_t *)md5i_arena_alloc(building->arena, machine->num_soles, machine->num_frames);
    TRY(machine->contacts);
    if (machine->num_soles > 0) {
        for (uint32_t i = 0; i < desc->num_clips; i++)
            TRY(search_clip(building, &machine->sources[i]));
    }

    // A vertex is the sum over its influences of bias * joint position and an offset that turns
    // with the joint; this bounds the offsets.
    TRY(machine->reaches = MD5_NEW(building->arena, float, machine->num_joints));
    for (uint32_t i = 0; i < machine->num_joints; i++)
        machine->reaches[i] = -1;
    machine->least_bias = machine->most_bias = 1;
    for (uint32_t i = 0; i < machine->model->num_meshes; i++) {
        const md5_mesh *const mesh = &machine->model->meshes[i];
        if (!mesh->first_influence && mesh->num_vertices > 0)
            return MD5_FAIL(building->context, MD5_ERROR_MISMATCH,
                            "geometry of the machine's model was released: create machines before "
                            "md5_release_geometry()");
        machine->has_vertices = machine->has_vertices || mesh->num_influences > 0;
        for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
            float positive = 0;
            float negative = 0;
            float beside = 0;
            for (uint32_t j = mesh->first_influence[vertex]; j < mesh->first_influence[vertex + 1];
                 j++) {
                const md5_vec4 influence = mesh->influences[j];
                const uint32_t joint = mesh->influence_joints[j];
                const md5_vec3 position = md5_mat34_translation(machine->model->bind[joint]);
                const md5_vec3 offset =
                    md5_vec3_sub((md5_vec3){influence.x, influence.y, influence.z},
                                 md5_vec3_scale(position, influence.w));
                const float length = sqrtf(md5_vec3_dot(offset, offset));
                const float bias = fabsf(influence.w);
                // If the bias is next to 0, as for two weights that cancel out, the offset is not
                // divided by it.
                const bool counts = bias > 1.0f / 256.0f;
                machine->reaches[joint] =
                    fmaxf(machine->reaches[joint], counts ? length / bias : 0);
                beside += counts ? 0 : length;
                positive += fmaxf(influence.w, 0.0f);
                negative += fmaxf(-influence.w, 0.0f);
            }
            machine->least_bias = fminf(machine->least_bias, positive);
            machine->most_bias = fmaxf(machine->most_bias, positive);
            machine->most_negative = fmaxf(machine->most_negative, negative);
            machine->beside = fmaxf(machine->beside, beside);
        }
    }
    return true;
}
