// Modifiers of a machine file.
#include "md5/play/text/machine_blocks.h"

#define MODIFIER(member) AT(md5_modifier_desc, member)
#define OF_JOINT ONLY(MD5_MODIFIER_JOINT)
#define OF_AIM ONLY(MD5_MODIFIER_AIM)
#define OF_TWO_BONE ONLY(MD5_MODIFIER_TWO_BONE)
#define OF_SPRING ONLY(MD5_MODIFIER_SPRING)
#define OF_FEET ONLY(MD5_MODIFIER_FEET)
#define OF_CHAIN                                                                                 \
    .kinds = (~(1u << MD5_MODIFIER_JOINT | 1u << MD5_MODIFIER_TWO_BONE | 1u << MD5_MODIFIER_FEET \
                | 1u << MD5_MODIFIER_GAZE))

static const md5_field FOOT_FIELDS[] = {
    {"knee", MD5_FIELD_NAME, AT(md5_foot_desc, knee)},
    {"hip", MD5_FIELD_NAME, AT(md5_foot_desc, hip)},
};

// foot ANKLE [{ knee JOINT hip JOINT }]
static bool read_foot(md5_lex *lex, const char *at, md5_record record)
{
    md5_modifier_desc *const modifier = (md5_modifier_desc *)record.row;
    const md5_record added =
        md5i_append(lex, record, &modifier->feet, &modifier->num_feet, sizeof *modifier->feet);
    md5_foot_desc *const foot = (md5_foot_desc *)added.row;
    (void)at;
    TRY(foot);
    TRY(md5i_read_name(lex, added, "the ankle of a foot", &foot->ankle));
    return md5i_read_optional_fields(lex, WORDS("a foot", FOOT_FIELDS, 0), added);
}

// toe JOINT
static bool read_toe(md5_lex *lex, const char *at, md5_record record)
{
    md5_hold_rule *const hold = (md5_hold_rule *)record.row;
    uint32_t number = 0;
    while (number < MD5_MOST_HELD && hold->toes[number])
        number++;
    if (number == MD5_MOST_HELD)
        return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "there are more than %d toes",
                             MD5_MOST_HELD);
    return md5i_read_name(lex, record, "a toe", &hold->toes[number]);
}

#define HOLD(member) AT(md5_hold_rule, member)
static const md5_field HOLD_FIELDS[] = {
    {"toe", MD5_FIELD_BLOCK, .read = read_toe},
    {"height", MD5_FIELD_DEFAULTED, HOLD(height)},
    {"speed", MD5_FIELD_DEFAULTED, HOLD(speed)},
    {"distance", MD5_FIELD_DEFAULTED, HOLD(distance)},
    {"release", MD5_FIELD_DEFAULTED, HOLD(release)},
};

// hold [{ ... }], which is a row of its own.
static bool read_hold(md5_lex *lex, const char *at, md5_record record)
{
    md5_modifier_desc *const modifier = (md5_modifier_desc *)record.row;
    uint32_t count = 0;
    if (modifier->hold)
        return md5i_lex_fail(lex, at, MD5_ERROR_SYNTAX, "there is a 'hold' already");
    const md5_record added =
        md5i_append(lex, record, &modifier->hold, &count, sizeof *modifier->hold);
    TRY(added.row);
    return md5i_read_optional_fields(lex, WORDS("a hold", HOLD_FIELDS, 0), added);
}

static const md5_field MODIFIER_FIELDS[] = {
    {"middle", MD5_FIELD_NAME, MODIFIER(middle), OF_TWO_BONE},
    {"root", MD5_FIELD_NAME, MODIFIER(root), OF_TWO_BONE},
    {"length", MD5_FIELD_NUMBER, MODIFIER(length), OF_CHAIN},
    {"local", MD5_FIELD_CHOICE, MODIFIER(space), .value = MD5_JOINT_LOCAL, OF_JOINT},
    {"local_override", MD5_FIELD_CHOICE, MODIFIER(space), .value = MD5_JOINT_LOCAL_OVERRIDE,
     OF_JOINT},
    {"model", MD5_FIELD_CHOICE, MODIFIER(space), .value = MD5_JOINT_MODEL, OF_JOINT},
    {"model_override", MD5_FIELD_CHOICE, MODIFIER(space), .value = MD5_JOINT_MODEL_OVERRIDE,
     OF_JOINT},
    {"forward", MD5_FIELD_DIRECTION, MODIFIER(forward), OF_AIM},
    {"up", MD5_FIELD_DIRECTION, MODIFIER(up), OF_AIM},
    {"limit", MD5_FIELD_DEFAULTED, MODIFIER(limit), OF_AIM},
    {"soften", MD5_FIELD_FLOAT, MODIFIER(soften), OF_TWO_BONE},
    {"stretch", MD5_FIELD_DEFAULTED, MODIFIER(stretch), OF_TWO_BONE},
    {"stiffness", MD5_FIELD_DEFAULTED, MODIFIER(stiffness), OF_SPRING},
    {"damping", MD5_FIELD_DEFAULTED, MODIFIER(damping), OF_SPRING},
    {"gravity", MD5_FIELD_FLOAT, MODIFIER(gravity), OF_SPRING},
    {"foot", MD5_FIELD_BLOCK, .read = read_foot, OF_FEET},
    {"smoothing", MD5_FIELD_DEFAULTED, MODIFIER(smoothing), OF_FEET},
    {"hold", MD5_FIELD_BLOCK, .read = read_hold, OF_FEET},
    {"weight", MD5_FIELD_DEFAULTED, MODIFIER(weight)},
};

// eye JOINT
static bool read_eye(md5_lex *lex, const char *at, md5_record record)
{
    md5_gaze_rule *const gaze = (md5_gaze_rule *)record.row;
    uint32_t number = 0;
    while (number < MD5_MAX_EYES && gaze->eyes[number])
        number++;
    if (number == MD5_MAX_EYES)
        return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "there are more than %d eyes", MD5_MAX_EYES);
    return md5i_read_name(lex, record, "an eye", &gaze->eyes[number]);
}

#define GAZE(member) AT(md5_gaze_rule, member)
static const md5_field GAZE_FIELDS[] = {
    {"eye", MD5_FIELD_BLOCK, .read = read_eye},
    {"length", MD5_FIELD_NUMBER, GAZE(length)},
    {"interest", MD5_FIELD_DEFAULTED, GAZE(interest)},
    {"wide", MD5_FIELD_DEFAULTED, GAZE(wide)},
    {"high", MD5_FIELD_DEFAULTED, GAZE(high)},
    {"distance", MD5_FIELD_DEFAULTED, GAZE(distance)},
    {"least_seconds", MD5_FIELD_DEFAULTED, GAZE(least_seconds)},
    {"most_seconds", MD5_FIELD_DEFAULTED, GAZE(most_seconds)},
    {"head_share", MD5_FIELD_DEFAULTED, GAZE(head_share)},
    {"head_seconds", MD5_FIELD_DEFAULTED, GAZE(head_seconds)},
    {"head_limit", MD5_FIELD_DEFAULTED, GAZE(head_limit)},
    {"eye_limit", MD5_FIELD_DEFAULTED, GAZE(eye_limit)},
    {"seed", MD5_FIELD_COUNT, GAZE(seed)},
    {"weight", MD5_FIELD_DEFAULTED, MODIFIER(weight), .of_owner = true},
};

// What a gaze has is a row of its own.
static bool read_gaze(md5_lex *lex, md5_record record)
{
    md5_modifier_desc *const modifier = (md5_modifier_desc *)record.row;
    uint32_t count = 0;
    md5_record added = md5i_append(lex, record, &modifier->gaze, &count, sizeof *modifier->gaze);
    TRY(added.row);
    added.owner = &record;
    return md5i_read_optional_fields(lex, WORDS("a gaze", GAZE_FIELDS, 0), added);
}

static const char *const MODIFIER_KINDS[] = {
    [MD5_MODIFIER_JOINT] = "joint",       [MD5_MODIFIER_AIM] = "aim",
    [MD5_MODIFIER_TWO_BONE] = "two_bone", [MD5_MODIFIER_FABRIK] = "fabrik",
    [MD5_MODIFIER_CCD] = "ccd",           [MD5_MODIFIER_SPRING] = "spring",
    [MD5_MODIFIER_FEET] = "feet",         [MD5_MODIFIER_GAZE] = "gaze",
};

static bool read_modifier_kind(md5_lex *lex, md5_modifier_kind *kind)
{
    for (uint32_t i = 0; i < COUNT(MODIFIER_KINDS); i++) {
        if (md5_lex_take_word(lex, MODIFIER_KINDS[i])) {
            *kind = (md5_modifier_kind)i;
            return true;
        }
    }
    return md5i_lex_fail(
        lex, lex->at, MD5_ERROR_SYNTAX,
        "expected 'joint', 'aim', 'two_bone', 'fabrik', 'ccd', 'spring', 'feet' or "
        "'gaze', found %s",
        md5i_lex_token(lex, lex->at).text);
}

// modifier NAME KIND JOINT [{ ... }]
bool md5i_read_modifier_block(md5_lex *lex, const char *at, md5_record record)
{
    md5_machine_desc *const desc = &((md5_machine_file *)record.row)->desc;
    const md5_record added =
        md5i_append(lex, record, &desc->modifiers, &desc->num_modifiers, sizeof *desc->modifiers);
    md5_modifier_desc *const modifier = (md5_modifier_desc *)added.row;
    (void)at;
    TRY(modifier);
    TRY(md5i_read_name(lex, added, "the name of a modifier", &modifier->name));
    TRY(read_modifier_kind(lex, &modifier->kind));
    TRY(md5i_read_name(lex, added, "a joint", &modifier->joint));
    if (modifier->kind == MD5_MODIFIER_GAZE)
        return read_gaze(lex, added);
    return md5i_read_optional_fields(lex, WORDS("a modifier", MODIFIER_FIELDS, modifier->kind),
                                     added);
}
