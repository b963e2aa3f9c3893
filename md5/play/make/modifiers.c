// Builds the modifiers of a machine: their joints, limbs, gazes, locked feet, targets and weights;
// and the bounds of the model's vertices relative to their joints.
#include "md5/motion/space.h"
#include "md5/play/make/building.h"

// -- Limbs: three joints each, by names or by parents -------------------------------------------

// Members of the tables that name the joints of a limb, and the keywords of the upper two joints in
// a machine file.
typedef struct limb_names {
    const char *const *tip;
    const char *const *middle;
    const char *const *root;
    const char *middle_word;
    const char *root_word;
} limb_names;

static const char *joint_name(const md5_building *building, uint32_t joint)
{
    return building->desc->model->skeleton.joints[joint].name;
}

// Finds a joint of a limb: the joint with the name *member, or the parent of the joint `below` if
// the name is NULL. Fails if `below` is not a descendant of the joint.
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
                                MD5_QUOTED(joint_name(building, below)));
    *joint = found;
    if (md5i_is_descendant(skeleton, below, *joint))
        return true;
    return MD5_MISMATCH(building, member, ": joint %s is not a descendant of joint %s",
                        MD5_QUOTED(joint_name(building, below)),
                        MD5_QUOTED(joint_name(building, *joint)));
}

// Returns the distance between two joints in the bind pose, in units.
static float bind_distance(const md5_building *building, uint32_t a, uint32_t b)
{
    const md5_mat34 *const bind = building->desc->model->bind;
    const md5_vec3 delta = md5_vec3_sub(md5_mat34_translation(bind[a]), //
                                        md5_mat34_translation(bind[b]));
    return sqrtf(md5_vec3_dot(delta, delta));
}

// Checks that two joints of a limb are at different positions in the bind pose. They are at the
// same position in rigs with a helper joint at the elbow or knee.
static bool check_bone(md5_building *building, const limb_names *names, uint32_t lower,
                       uint32_t upper, float reach)
{
    static const float min_length = 1e-5f; // fraction of the limb's length
    if (bind_distance(building, lower, upper) > min_length * reach)
        return true;
    return MD5_MISMATCH(building, names->tip,
                        ": joints %s and %s of the limb are at the same position: select its "
                        "joints with '%s' and '%s'",
                        MD5_QUOTED(joint_name(building, upper)),
                        MD5_QUOTED(joint_name(building, lower)), names->middle_word,
                        names->root_word);
}

// Finds the middle and the root joint of a limb, whose tip is known. Fails if a joint does not
// exist or a bone has no length.
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

// Returns the number of joints from the root to a joint, including both.
static uint32_t joint_depth(const md5_skeleton *skeleton, uint32_t joint)
{
    uint32_t depth = 1;
    for (joint = skeleton->joints[joint].parent; joint != MD5_NONE;
         joint = skeleton->joints[joint].parent)
        depth++;
    return depth;
}

// Checks the length of a chain that ends with `joint`. `member` is the location of errors.
static bool check_length(md5_building *building, const md5_modifier_desc *desc, const void *member,
                         uint32_t length, uint32_t joint)
{
    const bool is_one_enough = desc->kind == MD5_MODIFIER_AIM || desc->kind == MD5_MODIFIER_GAZE;
    const uint32_t min_length = is_one_enough ? 1 : 2;
    const uint32_t depth = joint_depth(&building->desc->model->skeleton, joint);
    if (length < min_length || length > MD5_MAX_CHAIN)
        return MD5_OUT_OF_RANGE(
            building, member, ": chain length is out of range: expected %u to %d joints, found %u",
            min_length, MD5_MAX_CHAIN, length);
    if (length > depth)
        return MD5_OUT_OF_RANGE(
            building, member,
            ": chain to joint %s is too long: expected at most %u joints, found %u",
            MD5_QUOTED(desc->joint), depth, length);
    return true;
}

// -- Gazes ----------------------------------------------------------------------------------------

// Resolves the eyes of a gaze. Sets its origin to the mean position of the eyes in the bind pose,
// or to the position of the head if the gaze does not have eyes.
static bool find_eyes(md5_building *building, const md5_modifier_gaze *rule, md5_gaze_desc *gaze)
{
    const md5_mat34 *const bind = building->desc->model->bind;
    md5_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < MD5_MAX_EYES && rule->eyes[i]; i++) {
        uint32_t eye;
        TRY(MD5_RESOLVE(building, joints, rule->eyes[i], eye));
        gaze->eyes[gaze->num_eyes++] = eye;
        sum = md5_vec3_add(sum, md5_mat34_translation(bind[eye]));
    }
    if (gaze->num_eyes > 0)
        gaze->origin = md5_vec3_scale(sum, 1.0f / (float)gaze->num_eyes);
    else
        gaze->origin = md5_mat34_translation(bind[gaze->head]);
    return true;
}

// Number of joints of a gaze whose length is not set.
enum { DEFAULT_GAZE_LENGTH = 3 };

// Checks the range of the times between two movements of a gaze. `filled` contains the defaults of
// `params`.
static bool check_gaze_seconds(md5_building *building, const md5_gaze_params *params,
                               const md5_gaze_params *filled)
{
    if (filled->min_seconds <= filled->max_seconds)
        return true;
    const float *const location =
        params->max_seconds != 0 ? &params->max_seconds : &params->min_seconds;
    return MD5_OUT_OF_RANGE(building, location, ": min_seconds %g is above max_seconds %g",
                            filled->min_seconds, filled->max_seconds);
}

// Returns the number of joints that a gaze rotates with the head, if the table does not contain it:
// the default, or all joints up to the root if they are fewer.
static uint32_t default_gaze_length(const md5_skeleton *skeleton, uint32_t head)
{
    const uint32_t depth = joint_depth(skeleton, head);
    return depth < DEFAULT_GAZE_LENGTH ? depth : DEFAULT_GAZE_LENGTH;
}

// Builds the gaze of a modifier: fills in its defaults, checks its chain, and finds its eyes.
static bool build_gaze(md5_building *building, const md5_modifier_desc *desc,
                       md5_modifier *modifier)
{
    static const md5_modifier_gaze defaults = {0};
    md5_machine *const machine = building->machine;
    const md5_skeleton *const skeleton = &building->desc->model->skeleton;
    const md5_modifier_gaze *const rule = desc->gaze ? desc->gaze : &defaults;
    const md5_gaze_params *const params = &rule->params;
    md5_modifier_gaze filled = *rule;
    md5i_fill_defaults(&md5i_gaze_schema, &filled, md5_skeleton_scale(skeleton));
    TRY(check_gaze_seconds(building, params, &filled.params));

    md5_gaze_desc gaze = {.head = modifier->joint, .params = *params};
    gaze.params.distance = filled.params.distance; // the length of id's units is known only here
    if (gaze.params.length == 0)
        gaze.params.length = default_gaze_length(skeleton, gaze.head);
    TRY(check_length(building, desc, &params->length, gaze.params.length, gaze.head));
    TRY(find_eyes(building, rule, &gaze));

    modifier->gaze = machine->num_gazes;
    modifier->seed = rule->seed;
    machine->gazes[machine->num_gazes++] = gaze;
    return true;
}

// -- Locked feet ----------------------------------------------------------------------------------

// Adds a sole of a joint: the point of the ground plane below the joint in the bind pose, and the
// forward direction of the model, in the space of the joint.
static void add_sole(md5_machine *machine, const md5_model *model, uint32_t joint)
{
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

// Finds the joint of a sole: the toe of a foot, a descendant of the ankle, or the ankle itself if
// the toe has no name.
static bool find_sole_joint(md5_building *building, const char *const *toe, uint32_t ankle,
                            uint32_t *joint)
{
    const md5_skeleton *const skeleton = &building->desc->model->skeleton;
    *joint = ankle;
    if (*toe)
        TRY(md5i_resolve(building, &building->joints, toe, joint));
    if (*joint != ankle && !md5i_is_descendant(skeleton, *joint, ankle))
        return MD5_MISMATCH(building, toe, ": joint %s is not a descendant of joint %s",
                            MD5_QUOTED(*toe), MD5_QUOTED(skeleton->joints[ankle].name));
    return true;
}

// Returns the number of toes that are named. They precede the toes without a name.
static uint32_t count_toes(const md5_modifier_hold *hold)
{
    uint32_t num_toes = 0;
    while (num_toes < MD5_MAX_HELD && hold->toes[num_toes])
        num_toes++;
    return num_toes;
}

// Builds the soles of a modifier that locks feet: one for each foot, at its toe or its ankle.
static bool build_hold(md5_building *building, const md5_modifier_desc *desc,
                       md5_modifier *modifier)
{
    md5_machine *const machine = building->machine;
    const md5_model *const model = building->desc->model;
    md5_modifier_hold filled = *desc->hold;
    md5i_fill_defaults(&md5i_hold_schema, &filled, md5_skeleton_scale(&model->skeleton));
    modifier->hold = filled.params;
    modifier->first_sole = machine->num_soles;
    modifier->num_locked_feet = desc->num_feet < MD5_MAX_HELD ? desc->num_feet : MD5_MAX_HELD;

    const char *const *const toes = desc->hold->toes;
    const uint32_t num_toes = count_toes(desc->hold);
    if (num_toes > desc->num_feet)
        return MD5_OUT_OF_RANGE(building, &toes[desc->num_feet],
                                ": too many toes: expected at most %u, one per foot, found %u",
                                desc->num_feet, num_toes);

    static const char *const no_toe = NULL; // the sole is at the ankle
    for (uint32_t i = 0; i < modifier->num_locked_feet; i++) {
        const char *const *const toe = i < num_toes ? &toes[i] : &no_toe;
        const uint32_t ankle = machine->legs[modifier->first_foot + i].tip;
        uint32_t joint;
        TRY(find_sole_joint(building, toe, ankle, &joint));
        add_sole(machine, model, joint);
    }
    return true;
}

// -- Contacts of soles with the ground ------------------------------------------------------------

// A sole in a frame of a clip, including the motion of the root; id's axes.
typedef struct sole_frame {
    md5_vec3 position;
    md5_vec3 facing;
} sole_frame;

// Maximum angular velocity of a sole that can be locked, radians per second: 30 degrees per second.
// A faster rotation is part of the animation.
static const float max_locked_turn = 0.52359878f;

// Returns the contact of a sole between two adjacent frames. It has a contact if it is low in both
// frames: it slides if it moves too fast, and otherwise turns or stands.
static uint8_t contact_between(const sole_frame *frame, const sole_frame *next,
                               const md5_hold_params *hold, float frame_rate)
{
    const md5_vec3 from = frame->position;
    const md5_vec3 to = next->position;
    if (!(from.z <= hold->height && to.z <= hold->height))
        return MD5_CONTACT_NONE;

    const float speed_x = (to.x - from.x) * frame_rate;
    const float speed_y = (to.y - from.y) * frame_rate;
    if (!(speed_x * speed_x + speed_y * speed_y <= hold->speed * hold->speed))
        return MD5_CONTACT_SLIDES;

    // The angle from the facing in one frame to the facing in the next frame. For small angles, the
    // sine is the angle in radians.
    const md5_vec3 a = frame->facing;
    const md5_vec3 b = next->facing;
    const float cosine = a.x * b.x + a.y * b.y;
    const float sine = a.x * b.y - a.y * b.x;
    const bool is_turning = cosine < 0 || fabsf(sine) * frame_rate > max_locked_turn;
    return is_turning ? MD5_CONTACT_TURNS : MD5_CONTACT_STANDS;
}

// Computes the position and the horizontal direction of a sole in all frames of a clip, in id's
// axes.
static void sample_sole(md5_building *building, const md5_binding *binding, const md5_sole *sole,
                        sole_frame *frames)
{
    const md5_skeleton *const skeleton = &binding->model->skeleton;
    for (uint32_t frame = 0; frame < binding->anim->num_frames; frame++) {
        md5_sample(binding, (md5_sample_position){.frame0 = frame, .frame1 = frame}, MD5_ROOT_FILE,
                   building->sampled);
        const md5_xform joint = md5_joint_in_model(skeleton, building->sampled, sole->joint);
        const md5_vec3 ahead = md5_quat_rotate(joint.rotation, sole->ahead);
        frames[frame].position =
            md5i_vec3_from_axes(skeleton->axes, md5_xform_point(joint, sole->point));
        frames[frame].facing = md5i_level_heading(md5i_vec3_from_axes(skeleton->axes, ahead));
    }
}

// Returns the contact of a sole in the last frame of a clip. This frame has no next frame, so it
// gets the contact of the previous frame. If the cycle leads back to the first frame, it has a
// contact only if the frames on both sides have the same contact.
static uint8_t find_last_contact(const md5_source *source, const uint8_t *contacts, uint32_t last)
{
    const uint8_t previous = contacts[last > 0 ? last - 1 : 0];
    const bool leads_to_first = source->timings[MD5_PLAY_LOOP].period == MD5_PERIOD_OPEN;
    if (leads_to_first && previous != contacts[0])
        return MD5_CONTACT_NONE;
    return previous;
}

// Computes the contacts of a sole with the ground in each frame of a clip.
static void find_contacts(const md5_source *source, const sole_frame *frames,
                          const md5_hold_params *hold, uint8_t *contacts)
{
    const float frame_rate = (float)source->binding->anim->frame_rate;
    const uint32_t last = source->binding->anim->num_frames - 1;
    // The contact of a clip with one frame.
    contacts[0] = contact_between(frames, frames, hold, frame_rate);
    for (uint32_t j = 0; j < last; j++)
        contacts[j] = contact_between(&frames[j], &frames[j + 1], hold, frame_rate);
    contacts[last] = find_last_contact(source, contacts, last);
}

// Computes the contacts of all soles with the ground in a clip.
static bool build_contacts(md5_building *building, const md5_source *source)
{
    md5_machine *const machine = building->machine;
    const md5_binding *const binding = source->binding;
    sole_frame *const frames =
        MD5_ALLOC_ZEROED(building->scratch, sole_frame, binding->anim->num_frames);
    TRY(frames);
    for (uint32_t i = 0; i < building->desc->num_modifiers; i++) {
        const md5_modifier *const modifier = &machine->modifiers[i];
        for (size_t k = 0; k < modifier->num_locked_feet; k++) {
            const size_t sole = modifier->first_sole + k;
            sample_sole(building, binding, &machine->soles[sole], frames);
            find_contacts(source, frames, &modifier->hold,
                          machine->contacts + sole * machine->num_frames + source->first_frame);
        }
    }
    return true;
}

// -- Attached models, targets and poles -----------------------------------------------------------

// Lists the names of the attached models and of their joints, and checks that each model exists.
static bool list_attached(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    TRY(MD5_LIST_NAMES(building, &building->attached, desc, attached));
    if (desc->num_attached > MD5_MAX_ATTACHED)
        return md5i_fail_at(building, &desc->attached[MD5_MAX_ATTACHED].name, MD5_ERROR_RANGE,
                            "too many attached models: expected at most %d, found %u",
                            MD5_MAX_ATTACHED, desc->num_attached);

    TRY(building->attached_joints =
            MD5_ALLOC_ZEROED(building->scratch, md5_names, desc->num_attached));
    for (uint32_t i = 0; i < desc->num_attached; i++) {
        const md5_attached_desc *const row = &desc->attached[i];
        uint32_t joint;
        md5_begin_row(building, "attached", row->name);
        if (!row->model)
            return md5i_fail_row(building, &row->name, MD5_ERROR_MISSING,
                                 " has no model: expected a loaded model");
        building->attached_joints[i] = (md5_names){.kind = "joint", .may_repeat = true};
        TRY(MD5_LIST_NAMES(building, &building->attached_joints[i], &row->model->skeleton, joints));
        TRY(MD5_RESOLVE(building, joints, row->joint, joint));
    }
    return true;
}

// Moves an anchor that is at a joint of an attached model to the joint of the machine's model to
// which the model is attached. Its offset then contains the bind pose of the attached model.
static bool resolve_attached_joint(md5_building *building, const md5_attached_desc *attached,
                                   md5_anchor *anchor)
{
    const md5_xform joint =
        md5_joint_in_model(&attached->model->skeleton, attached->model->bind_local, anchor->joint);
    anchor->within = md5_xform_mul(joint, anchor->within);
    anchor->attached = MD5_NONE;
    return md5i_resolve(building, &building->joints, &attached->joint, &anchor->joint);
}

// Resolves the joint of a target or pole: a joint of the model or, if the point names an attached
// model, a joint of that model. Sets *attached to the attached model or NULL. `role` is "target" or
// "pole", for messages.
static bool find_anchor_joint(md5_building *building, const md5_modifier_point *point,
                              const char *role, md5_anchor *anchor,
                              const md5_attached_desc **attached)
{
    const md5_names *joints = &building->joints;
    *attached = NULL;
    TRY(MD5_RESOLVE(building, attached, point->attached, anchor->attached));
    if (anchor->attached != MD5_NONE) {
        *attached = &building->desc->attached[anchor->attached];
        joints = &building->attached_joints[anchor->attached];
    }
    TRY(md5i_resolve(building, joints, &point->joint, &anchor->joint));
    if (anchor->joint == MD5_NONE)
        return MD5_MISMATCH(building, &point->joint,
                            ": position of the %s has no joint: expected the name of a joint",
                            role);
    return true;
}

// Resolves the target or pole of a modifier that rotates the joint `top` and the joints below it.
// The point may be at a joint of the model, or of an attached model, but not at a joint that the
// modifier moves. `role` is "target" or "pole", for messages.
static bool find_anchor(md5_building *building, const md5_modifier_point *point, const char *role,
                        uint32_t top, md5_anchor *anchor)
{
    const md5_attached_desc *attached;
    *anchor = (md5_anchor){.is_set = true, .is_aligned = point->aligned};
    anchor->within = (md5_xform){.rotation = {.w = 1}, .translation = point->offset};
    TRY(find_anchor_joint(building, point, role, anchor, &attached));

    // If the attached model is not attached to a joint, the game sets its pose.
    if (attached && !attached->joint)
        return true;
    if (attached)
        TRY(resolve_attached_joint(building, attached, anchor));
    const md5_skeleton *const skeleton = &building->desc->model->skeleton;
    const bool is_moved = anchor->joint == top || md5i_is_descendant(skeleton, anchor->joint, top);
    if (is_moved)
        return MD5_MISMATCH(building, &point->joint,
                            ": %s is attached to joint %s, which the modifier moves", role,
                            MD5_QUOTED(attached ? attached->joint : point->joint));
    return true;
}

// Returns the uppermost joint that a modifier rotates.
static uint32_t top_joint(const md5_machine *machine, const md5_modifier *modifier)
{
    const md5_modifier_kind kind = modifier->desc.kind;
    if (kind == MD5_MODIFIER_TWO_BONE)
        return modifier->limb.root;
    uint32_t top = modifier->joint;
    if (kind >= MD5_MODIFIER_AIM && kind <= MD5_MODIFIER_CCD) {
        for (uint32_t i = 1; i < modifier->desc.length; i++)
            top = machine->model->skeleton.joints[top].parent;
    }
    return top;
}

// Returns the source of a modifier's weight. One of the sources must be set.
static md5_morph_drive weight_drive(const md5_modifier_desc *desc)
{
    if (desc->weight_layer || desc->weight_state)
        return MD5_MORPH_BY_STATE;
    return desc->weight_curve ? MD5_MORPH_BY_CURVE : MD5_MORPH_BY_WINDOW;
}

// Makes a state, a curve or a window drive the weight of a modifier: adds a row to the table of
// weighted sums, from which players compute the weight.
static bool build_weight_row(md5_building *building, const md5_modifier_desc *desc,
                             md5_modifier *modifier)
{
    const md5_morph_drive drive = weight_drive(desc);
    const bool has_curve_too = drive != MD5_MORPH_BY_CURVE && desc->weight_curve;
    const bool has_window_too = drive != MD5_MORPH_BY_WINDOW && desc->weight_window;
    if (has_curve_too || has_window_too)
        return MD5_MISMATCH(
            building, &desc->name,
            " has several weight sources: expected one of a state, a curve and a window");

    md5_machine *const machine = building->machine;
    modifier->drive = machine->num_rows++;
    md5_sum_row *const row = &machine->morph_rows[modifier->drive];
    *row = (md5_sum_row){
        .name = machine->tables.modifiers[modifier - machine->modifiers].name,
        .target_kind = MD5_SUM_MODIFIER,
        .drive = drive,
        .target = machine->num_sums++,
        .weight = 1,
    };

    if (drive == MD5_MORPH_BY_STATE)
        return md5i_resolve_state(building, &desc->weight_layer, &desc->weight_state, row);
    if (drive == MD5_MORPH_BY_CURVE)
        return MD5_RESOLVE(building, curves, desc->weight_curve, row->source);
    return MD5_RESOLVE(building, windows, desc->weight_window, row->source);
}

// Resolves the source of a modifier's weight: a parameter with an easing, and a state, a curve or a
// window.
static bool find_weight_source(md5_building *building, const md5_modifier_desc *desc,
                               md5_modifier *modifier)
{
    modifier->weight.fixed = 1;
    TRY(MD5_RESOLVE(building, parameters, desc->weight_parameter, modifier->weight.parameter));
    TRY(md5i_build_easing(building, &desc->weight_easing, &modifier->weight.easing));

    const bool has_state = desc->weight_layer || desc->weight_state;
    const bool has_weight_row = has_state || desc->weight_curve || desc->weight_window;
    modifier->is_driven = desc->weight_parameter || desc->target || desc->pole || has_weight_row;
    modifier->drive = MD5_NONE;
    return !has_weight_row || build_weight_row(building, desc, modifier);
}

// Resolves the target and the pole of a modifier and the source of its weight.
static bool find_drivers(md5_building *building, const md5_modifier_desc *desc,
                         md5_modifier *modifier)
{
    const uint32_t top = top_joint(building->machine, modifier);
    if (desc->target && desc->kind <= MD5_MODIFIER_CCD)
        TRY(find_anchor(building, desc->target, "target", top, &modifier->target));
    if (desc->target)
        modifier->desc.space = MD5_JOINT_MODEL_OVERRIDE;
    if (desc->pole && desc->kind == MD5_MODIFIER_TWO_BONE)
        TRY(find_anchor(building, desc->pole, "pole", top, &modifier->pole));
    return find_weight_source(building, desc, modifier);
}

// -- Limits -------------------------------------------------------------------------------------

static bool is_zero_vector(md5_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

// Checks a limit and assigns it to its joint. Its rest rotation is the bind pose.
static bool build_limit(md5_building *building, const md5_limit_desc *row)
{
    uint32_t joint;
    md5_begin_row(building, "limit", row->joint);
    TRY(MD5_RESOLVE(building, joints, row->joint, joint));
    if (joint == MD5_NONE)
        return MD5_OUT_OF_RANGE(building, &row->joint,
                                " has no joint: expected the name of a joint");
    if (is_zero_vector(row->axis))
        return MD5_OUT_OF_RANGE(building, &row->joint,
                                " has no axis: expected a vector that is not 0, found ( 0 0 0 )");
    if (!(row->min <= row->max))
        return MD5_OUT_OF_RANGE(
            building, &row->joint,
            ": range is not ascending: expected min <= max, found min %g and max %g", row->min,
            row->max);

    // A joint has no limit yet if its axis is 0.
    md5_joint_limit *const limit = &building->machine->limits[joint];
    if (!is_zero_vector(limit->axis))
        return MD5_MISMATCH(building, &row->joint, " is a duplicate: expected one limit per joint");
    *limit = (md5_joint_limit){
        .kind = row->kind,
        .rest = building->desc->model->bind_local[joint].rotation,
        .axis = row->axis,
        .min = row->min,
        .max = row->max,
        .swing = row->swing,
    };
    return true;
}

// Builds an array with a limit for each joint, unless there are no limits.
static bool build_limits(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    if (desc->num_limits == 0)
        return true;
    TRY(machine->limits = MD5_ALLOC_ZEROED(building->arena, md5_joint_limit, machine->num_joints));
    for (uint32_t i = 0; i < desc->num_limits; i++)
        TRY(build_limit(building, &desc->limits[i]));
    return true;
}

// -- Modifiers ----------------------------------------------------------------------------------

// Checks that a modifier does not have members that only another kind supports.
static bool check_members(md5_building *building, const md5_modifier_desc *desc)
{
    const bool is_limb = desc->kind == MD5_MODIFIER_TWO_BONE;
    const bool is_feet = desc->kind == MD5_MODIFIER_FEET;
    if (desc->middle && !is_limb)
        return MD5_MISMATCH(building, &desc->middle,
                            " has a middle joint: only 'two_bone' supports it");
    if (desc->root && !is_limb)
        return MD5_MISMATCH(building, &desc->root,
                            " has a root joint: only 'two_bone' supports it");
    if (desc->num_feet > 0 && !is_feet)
        return MD5_MISMATCH(building, &desc->num_feet, " has feet: only 'feet' supports them");
    if (desc->gaze && desc->kind != MD5_MODIFIER_GAZE)
        return MD5_MISMATCH(building, &desc->gaze,
                            " has a gaze description: only 'gaze' supports it");
    if (desc->hold && !is_feet)
        return MD5_MISMATCH(building, &desc->hold,
                            " has a hold description: only 'feet' supports it");
    return true;
}

// Finds the legs of a modifier that places feet.
static bool build_legs(md5_building *building, const md5_modifier_desc *desc,
                       md5_modifier *modifier)
{
    md5_machine *const machine = building->machine;
    modifier->first_foot = machine->num_feet;
    for (uint32_t i = 0; i < desc->num_feet; i++) {
        const md5_foot_desc *const foot = &desc->feet[i];
        md5_limb *const leg = &machine->legs[machine->num_feet++];
        const limb_names names = {&foot->ankle, &foot->knee, &foot->hip, "knee", "hip"};
        TRY(MD5_RESOLVE(building, joints, foot->ankle, leg->tip));
        if (leg->tip == MD5_NONE)
            return MD5_MISMATCH(building, &foot->ankle,
                                ": foot has no ankle: expected the name of a joint");
        TRY(find_limb(building, &names, leg));
    }
    return true;
}

// Finds the limb of a modifier, or checks the length of its chain.
static bool build_limb(md5_building *building, const md5_modifier_desc *desc,
                       md5_modifier *modifier)
{
    // An error in the length of a chain is located at the member that determines it.
    const void *const length = desc->length > 0 ? (const void *)&desc->length : &desc->joint;
    const limb_names names = {&desc->joint, &desc->middle, &desc->root, "middle", "root"};
    switch (desc->kind) {
    case MD5_MODIFIER_TWO_BONE:
        if (!desc->middle && !desc->root)
            TRY(check_length(building, desc, &desc->joint, 3, modifier->joint));
        return find_limb(building, &names, &modifier->limb);
    case MD5_MODIFIER_AIM:
    case MD5_MODIFIER_FABRIK:
    case MD5_MODIFIER_CCD:
    case MD5_MODIFIER_SPRING:
        return check_length(building, desc, length, modifier->desc.length, modifier->joint);
    default:
        return true;
    }
}

// Returns the unit vector in a direction, or `default_direction` if the direction is 0.
static md5_vec3 direction_or_default(md5_vec3 direction, md5_vec3 default_direction)
{
    if (is_zero_vector(direction))
        return default_direction;
    return md5_vec3_normalize(direction, default_direction);
}

// Replaces values that select a default in the copy of a modifier's description.
static void fill_modifier(const md5_modifier_desc *desc, md5_modifier_desc *filled)
{
    const md5_vec3 x = {1, 0, 0};
    const md5_vec3 z = {0, 0, 1};
    md5i_fill_defaults(&md5i_modifier_schema, filled, 1);
    filled->spring = desc->spring; // its defaults are filled in by md5_solve_spring()
    filled->aim.forward = direction_or_default(desc->aim.forward, x);
    filled->aim.up = direction_or_default(desc->aim.up, z);
}

// Builds a modifier: resolves its joints, builds the parts that its kind needs, and finds its
// target, pole and weight.
static bool build_modifier(md5_building *building, const md5_modifier_desc *desc,
                           md5_modifier *modifier)
{
    md5_machine *const machine = building->machine;
    uint32_t joint;
    md5_begin_row(building, "modifier", desc->name);
    TRY(MD5_RESOLVE(building, joints, desc->joint, joint));
    if (joint == MD5_NONE)
        return MD5_MISMATCH(building, &desc->joint, " has no joint: expected the name of a joint");
    *modifier = (md5_modifier){
        .desc = machine->tables.modifiers[modifier - machine->modifiers],
        .joint = joint,
        .limb = {.tip = joint},
    };
    fill_modifier(desc, &modifier->desc);

    TRY(build_limb(building, desc, modifier));
    TRY(check_members(building, desc));
    if (desc->kind == MD5_MODIFIER_FEET && desc->num_feet == 0)
        return MD5_OUT_OF_RANGE(building, &desc->joint, " has no feet: expected at least 1");
    TRY(build_legs(building, desc, modifier));
    if (desc->kind == MD5_MODIFIER_GAZE)
        TRY(build_gaze(building, desc, modifier));
    if (desc->hold)
        TRY(build_hold(building, desc, modifier));
    if (desc->kind == MD5_MODIFIER_SPRING) {
        modifier->first_spring = machine->num_springs;
        machine->num_springs += modifier->desc.length;
    }
    return find_drivers(building, desc, modifier);
}

// Bounds of the influences of one vertex.
typedef struct vertex_bounds {
    float positive;       // sum of the positive biases
    float negative;       // sum of the absolute values of the negative biases
    float loose_distance; // sum of the lengths of the offsets that `reaches` does not bound
} vertex_bounds;

// Computes the bounds of a vertex, and extends the reaches of its joints. A vertex is the sum over
// its influences of
//
//   bias * joint position + offset, which rotates with the joint
//
// The offset divided by the bias is a point that the joint carries. The reach of a joint is the
// maximum distance of such a point.
static vertex_bounds bound_vertex(md5_machine *machine, const md5_mesh *mesh, uint32_t vertex)
{
    const float min_divisor = 1.0f / 256.0f;
    vertex_bounds bounds = {0, 0, 0};
    for (uint32_t j = mesh->first_influence[vertex]; j < mesh->first_influence[vertex + 1]; j++) {
        // The influence is in the bind pose: bias * joint position + offset.
        const md5_vec4 influence = mesh->influences[j];
        const uint32_t joint = mesh->influence_joints[j];
        const md5_vec3 position = md5_mat34_translation(machine->model->bind[joint]);
        const md5_vec3 offset = md5_vec3_sub((md5_vec3){influence.x, influence.y, influence.z},
                                             md5_vec3_scale(position, influence.w));
        const float length = sqrtf(md5_vec3_dot(offset, offset));
        const float bias = fabsf(influence.w);

        // If the bias is almost 0, as for two weights that cancel out, the offset is not divided by
        // the bias. Its length is then added to the distance from the bounds.
        const bool is_divisible = bias > min_divisor;
        const float reach = is_divisible ? length / bias : 0;
        machine->reaches[joint] = fmaxf(machine->reaches[joint], reach);
        bounds.loose_distance += is_divisible ? 0 : length;
        bounds.positive += fmaxf(influence.w, 0.0f);
        bounds.negative += fmaxf(-influence.w, 0.0f);
    }
    return bounds;
}

// Extends the bounds of the model by the vertices of a mesh.
static void bound_mesh(md5_machine *machine, const md5_mesh *mesh)
{
    machine->has_vertices = machine->has_vertices || mesh->num_influences > 0;
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
        const vertex_bounds bounds = bound_vertex(machine, mesh, vertex);
        machine->min_positive_bias = fminf(machine->min_positive_bias, bounds.positive);
        machine->max_positive_bias = fmaxf(machine->max_positive_bias, bounds.positive);
        machine->max_negative_bias = fmaxf(machine->max_negative_bias, bounds.negative);
        machine->loose_distance = fmaxf(machine->loose_distance, bounds.loose_distance);
    }
}

// Computes the bounds of all vertices of the model relative to their joints.
static bool build_vertex_bounds(md5_building *building)
{
    md5_machine *const machine = building->machine;
    TRY(machine->reaches = MD5_ALLOC_ZEROED(building->arena, float, machine->num_joints));
    for (uint32_t i = 0; i < machine->num_joints; i++)
        machine->reaches[i] = -1; // no vertex depends on the joint

    machine->min_positive_bias = 1;
    machine->max_positive_bias = 1;
    for (uint32_t i = 0; i < machine->model->num_meshes; i++) {
        const md5_mesh *const mesh = &machine->model->meshes[i];
        if (!mesh->first_influence && mesh->num_vertices > 0)
            return MD5_FAIL(building->context, MD5_ERROR_MISMATCH,
                            "geometry of the machine's model was released: create machines before "
                            "md5_release_geometry()");
        bound_mesh(machine, mesh);
    }
    return true;
}

// Allocates the modifiers, and the legs, soles and gazes that belong to some of them.
static bool alloc_modifiers(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    const size_t num_feet = building->num_feet;
    size_t num_gazes = 0;
    for (uint32_t i = 0; i < desc->num_modifiers; i++) {
        if (desc->modifiers[i].kind == MD5_MODIFIER_GAZE)
            num_gazes++;
    }
    machine->modifiers = MD5_ALLOC_ZEROED(building->arena, md5_modifier, desc->num_modifiers);
    machine->legs = MD5_ALLOC_ZEROED(building->arena, md5_limb, num_feet);
    machine->gazes = MD5_ALLOC_ZEROED(building->arena, md5_gaze_desc, num_gazes);
    machine->soles = MD5_ALLOC_ZEROED(building->arena, md5_sole, num_feet);
    return machine->modifiers && machine->legs && machine->gazes && machine->soles;
}

// Computes the contacts of all soles in all clips.
static bool build_all_contacts(md5_building *building)
{
    md5_machine *const machine = building->machine;
    machine->contacts = (uint8_t *)md5i_arena_alloc_zeroed(building->arena, machine->num_soles,
                                                           machine->num_frames);
    TRY(machine->contacts);
    if (machine->num_soles == 0)
        return true;
    for (uint32_t i = 0; i < building->desc->num_clips; i++)
        TRY(build_contacts(building, &machine->sources[i]));
    return true;
}

// Builds the modifiers of the machine: pose operations that run after blending, such as inverse
// kinematics. Later steps use the lists of names and limits of earlier steps.
bool md5i_build_modifiers(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    md5_names names = {.kind = "modifier"};
    TRY(MD5_LIST_NAMES(building, &names, desc, modifiers));
    TRY(MD5_LIST_NAMES(building, &building->joints, &desc->model->skeleton, joints));
    TRY(list_attached(building) && build_limits(building));

    TRY(alloc_modifiers(building));
    for (uint32_t i = 0; i < desc->num_modifiers; i++)
        TRY(build_modifier(building, &desc->modifiers[i], &machine->modifiers[i]));
    TRY(build_all_contacts(building));
    return build_vertex_bounds(building);
}
