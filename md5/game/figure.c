// Articulated figures: the parser of .af files.
//
// Tables map each keyword to the form of its value and to a field of md5_figure_def,
// md5_figure_body or md5_figure_constraint. As in the engine, an error is a warning that ends the
// parsing. The figure then contains the parts that were read before, and the checks of the whole
// figure are skipped.
#include "md5/core/assert.h"
#include "md5/decl/decls.h"
#include "md5/md5figure.h"

#include <string.h>

// == Values =======================================================================================

// State of the parser of one figure.
typedef struct figure_reader {
    md5_game *game;
    md5_decl_lex lex;
    md5_figure_def figure;
    md5_figure_body *bodies;            // [figure.num_bodies], in game->scratch
    md5_figure_constraint *constraints; // [figure.num_constraints], in game->scratch
    bool is_defaulted;
} figure_reader;

// Syntax of the value of a keyword. A vector without further description can refer to joints: see
// read_figure_vector().
typedef enum value_form {
    VALUE_NUMBER,
    VALUE_FOUR_NUMBERS,   // separated by commas
    VALUE_LENIENT_VECTOR, // three numbers; a missing comma is only a warning
    VALUE_FRICTION,       // three or four numbers
    VALUE_MATRIX,         // ( 9 numbers )
    VALUE_STRING,
    VALUE_NAME,    // a string; other tokens are accepted with a warning
    VALUE_IGNORED, // a string without effect
    VALUE_BITS,    // names of contents (what a body collides with), such as: solid, corpse
    VALUE_BOOL,
    VALUE_VECTOR,
    VALUE_VECTORS, // two vectors, separated by a comma
    VALUE_ANGLES,  // a vector of numbers
    VALUE_SHAPE,
    VALUE_MOD,
    VALUE_CONE,         // axis, angle
    VALUE_BALL_CONE,    // axis, angle, shaft
    VALUE_PYRAMID,      // axis, three angles
    VALUE_BALL_PYRAMID, // axis, three angles, shaft
    VALUE_LIMIT,        // three angles
} value_form;

// A keyword in a block of a figure, with the field of the block's structure that gets its value.
typedef struct figure_keyword {
    const char *keyword;
    value_form form;
    size_t offset; // offset of the field in its structure
} figure_keyword;

// Reads a token of an expected kind. Returns false after a warning if the token has another kind.
static bool expect_kind(figure_reader *reader, md5_token_kind kind, md5_token *token)
{
    static const char *const kinds[] = {"name", "number", "string"};
    if (!md5i_decl_lex_read_any(&reader->lex, token))
        return false;
    if (token->kind != kind)
        md5i_decl_lex_warn(&reader->lex, "expected a %s but found %s", kinds[kind],
                           MD5_QUOTED_TOKEN(token));
    return token->kind == kind;
}

// Copies the text of a token to the game's memory. Returns false if memory runs out.
static bool copy_token(figure_reader *reader, const md5_token *token, const char **text)
{
    *text = md5i_copy_token(reader->game, token);
    return *text != NULL;
}

typedef enum comma_rule { COMMAS_REQUIRED, COMMAS_OPTIONAL } comma_rule;

// Reads numbers that are separated by commas. Warns about a missing comma and, if commas are
// required, returns false.
static bool read_figure_numbers(figure_reader *reader, float *values, uint32_t count,
                                comma_rule commas)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool has_comma = i == 0 || md5i_decl_lex_expect(&reader->lex, ",");
        if (!has_comma && commas == COMMAS_REQUIRED)
            return false;
        (void)md5i_decl_lex_float(&reader->lex, &values[i]);
    }
    return true;
}

// Reads the names of joints after the keyword of a vector. Returns false if memory runs out.
static bool read_vector_joints(figure_reader *reader, md5_figure_vector *vector)
{
    const uint32_t count = vector->kind == MD5_FIGURE_JOINT ? 1 : 2;
    md5_token token;
    (void)md5i_decl_lex_expect(&reader->lex, "(");
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            (void)md5i_decl_lex_expect(&reader->lex, ",");
        if (md5i_decl_lex_read(&reader->lex, &token))
            TRY(copy_token(reader, &token, &vector->joints[i]));
    }
    return true;
}

// Reads ( x, y, z ), joint( "a" ), bonecenter( "a", "b" ) or bonedir( "a", "b" ), with an optional
// minus before it. Returns false after a warning if there is no vector.
static bool read_figure_vector(figure_reader *reader, md5_figure_vector *vector)
{
    // In the order of md5_figure_vector_kind.
    static const char *const keywords[] = {"(", "joint", "bonecenter", "bonedir"};
    enum { NUM_KINDS = MD5_COUNT(keywords) };
    md5_decl_lex *const lex = &reader->lex;
    md5_token token;
    TRY(md5i_decl_lex_read(lex, &token));
    vector->is_negated = md5i_token_is(&token, "-");
    if (vector->is_negated)
        TRY(md5i_decl_lex_read(lex, &token));

    int kind = 0;
    while (kind < NUM_KINDS && !md5i_token_is(&token, keywords[kind]))
        kind++;
    if (kind == NUM_KINDS) {
        md5i_decl_lex_warn(lex, "unknown token %s in vector", MD5_QUOTED_TOKEN(&token));
        return false;
    }

    vector->kind = (md5_figure_vector_kind)kind;
    if (kind == MD5_FIGURE_NUMBERS) {
        float values[3];
        (void)read_figure_numbers(reader, values, 3, COMMAS_OPTIONAL);
        vector->numbers = (md5_vec3){values[0], values[1], values[2]};
    } else {
        TRY(read_vector_joints(reader, vector));
    }
    (void)md5i_decl_lex_expect(lex, ")");
    return true;
}

// Adds the bits of contents, for example "solid". The text of a token contains one name of
// contents. If it is a string, it can contain several. Returns false at an unknown name.
static bool add_contents_bits(figure_reader *reader, const md5_token *text, uint32_t *bits)
{
    static const struct {
        const char *keyword;
        uint32_t bit;
    } contents[] = {
        {"none", 0},
        {"solid", MD5_CONTENTS_SOLID},
        {"body", MD5_CONTENTS_BODY},
        {"corpse", MD5_CONTENTS_CORPSE},
        {"playerclip", MD5_CONTENTS_PLAYERCLIP},
        {"monsterclip", MD5_CONTENTS_MONSTERCLIP},
    };

    md5_decl_lex lex;
    md5_token token;
    md5i_decl_lex_begin(&lex, reader->game, NULL, 0, text->text, text->size);
    lex.is_silent = true;

    while (md5i_decl_lex_read(&lex, &token)) {
        if (md5i_token_is(&token, ","))
            continue;
        size_t i = 0;
        while (i < MD5_COUNT(contents) && !md5i_token_is_word(&token, contents[i].keyword))
            i++;
        if (i == MD5_COUNT(contents))
            return false;
        if (contents[i].bit == 0) // "none"
            *bits = 0;
        *bits |= contents[i].bit;
    }
    return true;
}

// Reads names of contents, which are separated by commas. Names after an unknown name have no
// effect.
static void read_bits(figure_reader *reader, uint32_t *bits)
{
    md5_token token;
    bool is_valid = true;
    *bits = 0;
    while (md5i_decl_lex_read(&reader->lex, &token)) {
        is_valid = is_valid && add_contents_bits(reader, &token, bits);
        if (!md5i_decl_lex_accept(&reader->lex, ","))
            break;
    }
}

// Reads a flag, which is a number. The flag is false if the integer part of the number is 0. It is
// also false, with a warning, if the token is not a number.
static void read_figure_bool(figure_reader *reader, bool *value)
{
    md5_token token;
    *value = expect_kind(reader, MD5_TOKEN_NUMBER, &token) && md5i_token_int(&token) != 0;
    if (token.kind != MD5_TOKEN_NUMBER)
        md5i_decl_lex_warn(&reader->lex, "couldn't read expected boolean");
}

// Reads the keyword of a shape. Returns false after a warning if the keyword is unknown.
static bool read_shape_keyword(figure_reader *reader, md5_body_shape *shape)
{
    // In the order of md5_body_shape, from MD5_SHAPE_BOX.
    static const char *const keywords[] = {"box",      "octahedron", "dodecahedron",
                                           "cylinder", "cone",       "bone"};
    md5_decl_lex *const lex = &reader->lex;
    md5_token token;
    int index = 0;
    TRY(expect_kind(reader, MD5_TOKEN_NAME, &token));
    while (index < (int)MD5_COUNT(keywords) && !md5i_token_is_word(&token, keywords[index]))
        index++;
    if (index == MD5_COUNT(keywords)) {
        if (md5i_token_is_word(&token, "custom"))
            md5i_decl_lex_warn(lex, "custom models not yet implemented");
        else
            md5i_decl_lex_warn(lex, "unknown model type %s", MD5_QUOTED_TOKEN(&token));
        return false;
    }
    *shape = (md5_body_shape)(index + MD5_SHAPE_BOX);
    return true;
}

// Reads SHAPE ( CORNER, CORNER ). They are two corners of the bounding box. A third value follows
// for some shapes. It is the width of a bone, and the number of sides of a cylinder or a cone.
static bool read_shape(figure_reader *reader, md5_figure_body *body)
{
    md5_decl_lex *const lex = &reader->lex;
    TRY(read_shape_keyword(reader, &body->shape));
    TRY(md5i_decl_lex_expect(lex, "(") && read_figure_vector(reader, &body->corners[0]));
    TRY(md5i_decl_lex_expect(lex, ",") && read_figure_vector(reader, &body->corners[1]));

    const bool is_bone = body->shape == MD5_SHAPE_BONE;
    const bool is_round = body->shape == MD5_SHAPE_CYLINDER || body->shape == MD5_SHAPE_CONE;
    if (is_bone || is_round)
        TRY(md5i_decl_lex_expect(lex, ","));
    if (is_bone)
        (void)md5i_decl_lex_float(lex, &body->width);
    else if (is_round)
        body->num_sides = md5i_decl_lex_int(lex);
    return md5i_decl_lex_expect(lex, ")");
}

// Reads the part of a joint's transform that a body moves: "position", "axis" (the rotation) or
// "both". As in the engine, any other token means "axis".
static bool read_mod(figure_reader *reader, md5_body_mod *mod)
{
    md5_token token;
    TRY(md5i_decl_lex_read_any(&reader->lex, &token));
    if (md5i_token_is_word(&token, "position"))
        *mod = MD5_BODY_ORIGIN;
    else if (md5i_token_is_word(&token, "both"))
        *mod = MD5_BODY_BOTH;
    else
        *mod = MD5_BODY_AXIS;
    return true;
}

// Reads the limit of a constraint. Depending on `form`, it consists of an axis, one or three
// angles, and the shaft of a ball joint. The limit has no effect unless it is complete. Returns
// false after an error.
static bool read_limit(figure_reader *reader, value_form form, md5_figure_constraint *constraint)
{
    md5_decl_lex *const lex = &reader->lex;
    const bool is_ball = form == VALUE_BALL_CONE || form == VALUE_BALL_PYRAMID;
    const bool is_cone = form == VALUE_CONE || form == VALUE_BALL_CONE;
    if (form != VALUE_LIMIT)
        TRY(read_figure_vector(reader, &constraint->limit_axis) && md5i_decl_lex_expect(lex, ","));
    TRY(read_figure_numbers(reader, constraint->limit_angles, is_cone ? 1 : 3, COMMAS_REQUIRED));
    if (is_ball)
        TRY(md5i_decl_lex_expect(lex, ",") && read_figure_vector(reader, &constraint->shafts[0]));
    constraint->limit = is_cone || form == VALUE_LIMIT ? MD5_FIGURE_CONE : MD5_FIGURE_PYRAMID;
    return true;
}

// Reads the value of a keyword into a field of `object`. The form of the keyword determines the
// type of the field. Returns false if an error ends the parsing.
static bool read_value(figure_reader *reader, const figure_keyword *keyword, void *object)
{
    md5_decl_lex *const lex = &reader->lex;
    void *const field = (char *)object + keyword->offset;
    md5_figure_vector *const vector = (md5_figure_vector *)field;
    float *const numbers = (float *)field;
    md5_token token = {.size = 0};

    switch (keyword->form) {
    // The value consists of numbers.
    case VALUE_NUMBER:
        return read_figure_numbers(reader, numbers, 1, COMMAS_REQUIRED);
    case VALUE_FOUR_NUMBERS:
        return read_figure_numbers(reader, numbers, 4, COMMAS_REQUIRED);
    case VALUE_LENIENT_VECTOR:
        return read_figure_numbers(reader, numbers, 3, COMMAS_OPTIONAL);
    case VALUE_FRICTION:
        TRY(read_figure_numbers(reader, numbers, 3, COMMAS_REQUIRED));
        if (md5i_decl_lex_accept(lex, ","))
            (void)md5i_decl_lex_float(lex, &numbers[3]);
        return true;
    case VALUE_MATRIX:
        (void)md5i_decl_lex_vector(lex, numbers, 9);
        return true;

    // The value is a text or a name.
    case VALUE_STRING:
        return expect_kind(reader, MD5_TOKEN_STRING, &token)
               && copy_token(reader, &token, (const char **)field);
    case VALUE_NAME:
        return (expect_kind(reader, MD5_TOKEN_STRING, &token) || token.size > 0)
               && copy_token(reader, &token, (const char **)field);
    case VALUE_IGNORED:
        return expect_kind(reader, MD5_TOKEN_STRING, &token);

    // The value is a set of flags or one flag.
    case VALUE_BITS:
        read_bits(reader, (uint32_t *)field);
        return true;
    case VALUE_BOOL:
        read_figure_bool(reader, (bool *)field);
        return true;

    // The value consists of vectors, which may refer to joints.
    case VALUE_VECTOR:
        return read_figure_vector(reader, vector);
    case VALUE_VECTORS:
        return read_figure_vector(reader, vector) && md5i_decl_lex_expect(lex, ",")
               && read_figure_vector(reader, vector + 1);
    case VALUE_ANGLES: {
        md5_figure_vector angles = {.joints = {"", ""}};
        TRY(read_figure_vector(reader, &angles));
        const md5_vec3 values = md5_vec3_scale(angles.numbers, angles.is_negated ? -1.0f : 1.0f);
        memcpy(field, &values, sizeof values);
        return true;
    }

    // Values that set several fields of the object.
    case VALUE_SHAPE:
        return read_shape(reader, (md5_figure_body *)object);
    case VALUE_MOD:
        return read_mod(reader, (md5_body_mod *)field);
    default: // limits
        return read_limit(reader, keyword->form, (md5_figure_constraint *)object);
    }
}

// Reads keywords with their values into `object`, up to '}' or the end of the text. keywords[count]
// are the keywords that the block can contain. `block` is the name of the block in messages. Sets
// `has_first` to true if the text contains the first keyword of the table. Returns false if an
// error ends the parsing.
static bool read_figure_keywords(figure_reader *reader, const figure_keyword *keywords,
                                 size_t count, const char *block, void *object, bool *has_first)
{
    md5_token token;
    while (md5i_decl_lex_read(&reader->lex, &token) && !md5i_token_is(&token, "}")) {
        size_t i = 0;
        while (i < count && !md5i_token_is_word(&token, keywords[i].keyword))
            i++;
        if (i == count) {
            md5i_decl_lex_warn(&reader->lex, "unknown token %s in %s", MD5_QUOTED_TOKEN(&token),
                               block);
            return false;
        }
        TRY(read_value(reader, &keywords[i], object));
        if (i == 0)
            *has_first = true;
    }
    return true;
}

// == Blocks =======================================================================================

static const figure_keyword setting_keywords[] = {
    {"model", VALUE_STRING, offsetof(md5_figure_def, model)},
    {"skin", VALUE_STRING, offsetof(md5_figure_def, skin)},
    {"mesh", VALUE_IGNORED, offsetof(md5_figure_def, model)},
    {"anim", VALUE_IGNORED, offsetof(md5_figure_def, model)},
    {"friction", VALUE_FRICTION, offsetof(md5_figure_def, friction)},
    {"totalMass", VALUE_NUMBER, offsetof(md5_figure_def, total_mass)},
    {"suspendSpeed", VALUE_FOUR_NUMBERS, offsetof(md5_figure_def, suspend_speed)},
    {"noMoveTime", VALUE_NUMBER, offsetof(md5_figure_def, no_move[0])},
    {"noMoveTranslation", VALUE_NUMBER, offsetof(md5_figure_def, no_move[1])},
    {"noMoveRotation", VALUE_NUMBER, offsetof(md5_figure_def, no_move[2])},
    {"minMoveTime", VALUE_NUMBER, offsetof(md5_figure_def, move_times[0])},
    {"maxMoveTime", VALUE_NUMBER, offsetof(md5_figure_def, move_times[1])},
    {"contents", VALUE_BITS, offsetof(md5_figure_def, contents)},
    {"clipMask", VALUE_BITS, offsetof(md5_figure_def, clip_mask)},
    {"selfCollision", VALUE_BOOL, offsetof(md5_figure_def, collides_with_own)},
};

static const figure_keyword body_keywords[] = {
    {"joint", VALUE_STRING, offsetof(md5_figure_body, joint)}, // required; must be the first entry
    {"model", VALUE_SHAPE, offsetof(md5_figure_body, shape)},
    {"origin", VALUE_VECTOR, offsetof(md5_figure_body, origin)},
    {"angles", VALUE_ANGLES, offsetof(md5_figure_body, angles)},
    {"mod", VALUE_MOD, offsetof(md5_figure_body, mod)},
    {"density", VALUE_NUMBER, offsetof(md5_figure_body, density)},
    {"inertiaScale", VALUE_MATRIX, offsetof(md5_figure_body, inertia_scale)},
    {"friction", VALUE_LENIENT_VECTOR, offsetof(md5_figure_body, friction)},
    {"contents", VALUE_BITS, offsetof(md5_figure_body, contents)},
    {"clipMask", VALUE_BITS, offsetof(md5_figure_body, clip_mask)},
    {"selfCollision", VALUE_BOOL, offsetof(md5_figure_body, collides_with_own)},
    {"containedJoints", VALUE_STRING, offsetof(md5_figure_body, contained)},
    {"frictionDirection", VALUE_VECTOR, offsetof(md5_figure_body, friction_direction)},
    {"contactMotorDirection", VALUE_VECTOR, offsetof(md5_figure_body, motor_direction)},
};

static const figure_keyword fixed_keywords[] = {
    {"body1", VALUE_NAME, offsetof(md5_figure_constraint, bodies[0])},
    {"body2", VALUE_NAME, offsetof(md5_figure_constraint, bodies[1])},
};
static const figure_keyword ball_keywords[] = {
    {"body1", VALUE_NAME, offsetof(md5_figure_constraint, bodies[0])},
    {"body2", VALUE_NAME, offsetof(md5_figure_constraint, bodies[1])},
    {"anchor", VALUE_VECTOR, offsetof(md5_figure_constraint, anchors[0])},
    {"friction", VALUE_NUMBER, offsetof(md5_figure_constraint, friction)},
    {"coneLimit", VALUE_BALL_CONE, offsetof(md5_figure_constraint, limit)},
    {"pyramidLimit", VALUE_BALL_PYRAMID, offsetof(md5_figure_constraint, limit)},
};
static const figure_keyword universal_keywords[] = {
    {"body1", VALUE_NAME, offsetof(md5_figure_constraint, bodies[0])},
    {"body2", VALUE_NAME, offsetof(md5_figure_constraint, bodies[1])},
    {"anchor", VALUE_VECTOR, offsetof(md5_figure_constraint, anchors[0])},
    {"friction", VALUE_NUMBER, offsetof(md5_figure_constraint, friction)},
    {"shafts", VALUE_VECTORS, offsetof(md5_figure_constraint, shafts)},
    {"coneLimit", VALUE_CONE, offsetof(md5_figure_constraint, limit)},
    {"pyramidLimit", VALUE_PYRAMID, offsetof(md5_figure_constraint, limit)},
};
static const figure_keyword hinge_keywords[] = {
    {"body1", VALUE_NAME, offsetof(md5_figure_constraint, bodies[0])},
    {"body2", VALUE_NAME, offsetof(md5_figure_constraint, bodies[1])},
    {"anchor", VALUE_VECTOR, offsetof(md5_figure_constraint, anchors[0])},
    {"friction", VALUE_NUMBER, offsetof(md5_figure_constraint, friction)},
    {"axis", VALUE_VECTOR, offsetof(md5_figure_constraint, axis)},
    {"limit", VALUE_LIMIT, offsetof(md5_figure_constraint, limit)},
};
static const figure_keyword slider_keywords[] = {
    {"body1", VALUE_NAME, offsetof(md5_figure_constraint, bodies[0])},
    {"body2", VALUE_NAME, offsetof(md5_figure_constraint, bodies[1])},
    {"axis", VALUE_VECTOR, offsetof(md5_figure_constraint, axis)},
    {"friction", VALUE_NUMBER, offsetof(md5_figure_constraint, friction)},
};
static const figure_keyword spring_keywords[] = {
    {"body1", VALUE_NAME, offsetof(md5_figure_constraint, bodies[0])},
    {"body2", VALUE_NAME, offsetof(md5_figure_constraint, bodies[1])},
    {"anchor1", VALUE_VECTOR, offsetof(md5_figure_constraint, anchors[0])},
    {"anchor2", VALUE_VECTOR, offsetof(md5_figure_constraint, anchors[1])},
    {"friction", VALUE_NUMBER, offsetof(md5_figure_constraint, friction)},
    {"stretch", VALUE_NUMBER, offsetof(md5_figure_constraint, spring[0])},
    {"compress", VALUE_NUMBER, offsetof(md5_figure_constraint, spring[1])},
    {"damping", VALUE_NUMBER, offsetof(md5_figure_constraint, spring[2])},
    {"restLength", VALUE_NUMBER, offsetof(md5_figure_constraint, spring[3])},
    {"minLength", VALUE_NUMBER, offsetof(md5_figure_constraint, spring[4])},
    {"maxLength", VALUE_NUMBER, offsetof(md5_figure_constraint, spring[5])},
};

static const struct constraint_kind {
    const char *keyword;
    md5_constraint_type type;
    const figure_keyword *keywords;
    size_t num_keywords;
    const char *block; // name in messages
} constraint_kinds[] = {
    {"fixed", MD5_CONSTRAINT_FIXED, fixed_keywords, MD5_COUNT(fixed_keywords),
     "ball and socket joint"}, // the engine uses this name in messages about `fixed` too
    {"ballAndSocketJoint", MD5_CONSTRAINT_BALL, ball_keywords, MD5_COUNT(ball_keywords),
     "ball and socket joint"},
    {"universalJoint", MD5_CONSTRAINT_UNIVERSAL, universal_keywords, MD5_COUNT(universal_keywords),
     "universal joint"},
    {"hinge", MD5_CONSTRAINT_HINGE, hinge_keywords, MD5_COUNT(hinge_keywords), "hinge"},
    {"slider", MD5_CONSTRAINT_SLIDER, slider_keywords, MD5_COUNT(slider_keywords), "slider"},
    {"spring", MD5_CONSTRAINT_SPRING, spring_keywords, MD5_COUNT(spring_keywords), "spring"},
};

static const md5_figure_vector zero_figure_vector = {.joints = {"", ""}};

// Returns a vector of three numbers.
static md5_figure_vector make_vector(float x, float y, float z)
{
    return (md5_figure_vector){.numbers = {x, y, z}, .joints = {"", ""}};
}

// Reads the name and the opening brace of a block: "NAME" {. Returns false after a warning.
static bool read_block_start(figure_reader *reader, const char **name)
{
    md5_token token;
    TRY(expect_kind(reader, MD5_TOKEN_STRING, &token));
    TRY(md5i_decl_lex_expect(&reader->lex, "{"));
    return copy_token(reader, &token, name);
}

// Returns a body with the engine's default values. The body gets the friction, contents and clip
// mask of the settings that were read before it.
static md5_figure_body default_body(const md5_figure_def *figure)
{
    return (md5_figure_body){
        .name = "noname",
        .joint = "origin",
        .contained = "*origin",
        .shape = MD5_SHAPE_BOX,
        .corners = {make_vector(-10.0f, -10.0f, -10.0f), make_vector(10.0f, 10.0f, 10.0f)},
        .num_sides = 3,
        .width = 10.0f,
        .origin = zero_figure_vector,
        .friction_direction = zero_figure_vector,
        .motor_direction = zero_figure_vector,
        .density = 0.2f,
        .inertia_scale = {1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f},
        .friction = {figure->friction[0], figure->friction[1], figure->friction[2]},
        .contents = figure->contents,
        .clip_mask = figure->clip_mask,
        .collides_with_own = figure->collides_with_own,
    };
}

// Appends a body with default values. Returns NULL if memory runs out.
static md5_figure_body *append_body(figure_reader *reader)
{
    md5_figure_def *const figure = &reader->figure;
    reader->bodies = (md5_figure_body *)md5_grow(&reader->game->scratch, reader->bodies,
                                                 figure->num_bodies, sizeof *reader->bodies);
    if (!reader->bodies)
        return NULL;
    md5_figure_body *const body = &reader->bodies[figure->num_bodies++];
    *body = default_body(figure);
    return body;
}

// Reads a body. The keyword "body" was read before. A body with an error remains in the figure.
// Returns false if an error ends the parsing.
static bool read_body(figure_reader *reader)
{
    md5_figure_body *const body = append_body(reader);
    TRY(body);
    TRY(read_block_start(reader, &body->name));
    if (md5_equals_ignore_case(body->name, "origin")
        || md5_equals_ignore_case(body->name, "world")) {
        md5i_decl_lex_warn(&reader->lex, "a body may not be named \"origin\" or \"world\"");
        return false;
    }

    bool has_joint = false;
    TRY(read_figure_keywords(reader, body_keywords, MD5_COUNT(body_keywords), "body", body,
                             &has_joint));
    if (!has_joint) {
        md5i_decl_lex_warn(&reader->lex, "no joint set for body");
        return false;
    }
    body->clip_mask |= MD5_CONTENTS_MOVEABLECLIP;
    return true;
}

// Returns a constraint with the engine's default values.
static md5_figure_constraint default_constraint(const figure_reader *reader)
{
    md5_figure_constraint constraint = {
        .type = MD5_CONSTRAINT_UNIVERSAL,
        .name = "noname",
        .bodies = {"world", "world"},
        .friction = 0.5f,
        .anchors = {zero_figure_vector, zero_figure_vector},
        .shafts = {make_vector(0.0f, 0.0f, -1.0f), make_vector(0.0f, 0.0f, 1.0f)},
        .axis = make_vector(1.0f, 0.0f, 0.0f),
        .limit_axis = make_vector(0.0f, 0.0f, -1.0f),
        .limit = MD5_FIGURE_NO_LIMIT,
    };
    if (reader->figure.num_bodies > 0)
        constraint.bodies[0] = reader->bodies[0].name;
    return constraint;
}

// Appends a constraint with default values. Returns NULL if memory runs out.
static md5_figure_constraint *append_constraint(figure_reader *reader)
{
    md5_figure_def *const figure = &reader->figure;
    reader->constraints =
        (md5_figure_constraint *)md5_grow(&reader->game->scratch, reader->constraints,
                                          figure->num_constraints, sizeof *reader->constraints);
    if (!reader->constraints)
        return NULL;
    md5_figure_constraint *const constraint = &reader->constraints[figure->num_constraints++];
    *constraint = default_constraint(reader);
    return constraint;
}

// Sets the type of a constraint. The vectors that this type uses become 0, unless they have another
// default. Vectors that the type does not use have no effect.
static void set_constraint_type(md5_figure_constraint *constraint, md5_constraint_type type)
{
    constraint->type = type;
    if (type == MD5_CONSTRAINT_BALL || type == MD5_CONSTRAINT_UNIVERSAL)
        constraint->shafts[0] = zero_figure_vector;
    if (type == MD5_CONSTRAINT_UNIVERSAL)
        constraint->shafts[1] = zero_figure_vector;
    if (type == MD5_CONSTRAINT_HINGE || type == MD5_CONSTRAINT_SLIDER)
        constraint->axis = zero_figure_vector;
}

// Reads a constraint. The keyword of its type was read before. All keywords in the block of a
// constraint are optional.
static bool read_constraint(figure_reader *reader, const struct constraint_kind *kind)
{
    md5_figure_constraint *const constraint = append_constraint(reader);
    TRY(constraint);
    // A constraint whose name is missing remains in the figure with the default type.
    TRY(read_block_start(reader, &constraint->name));
    set_constraint_type(constraint, kind->type);
    bool has_body = false;
    return read_figure_keywords(reader, kind->keywords, kind->num_keywords, kind->block, constraint,
                                &has_body);
}

// Reads a block of a figure: its settings, a body or a constraint. `keyword` is the token that
// begins the block. Returns false if an error ends the parsing.
static bool read_figure_block(figure_reader *reader, const md5_token *keyword)
{
    bool has_model = false;
    if (md5i_token_is_word(keyword, "settings")) {
        TRY(md5i_decl_lex_expect(&reader->lex, "{"));
        return read_figure_keywords(reader, setting_keywords, MD5_COUNT(setting_keywords),
                                    "settings", &reader->figure, &has_model);
    }
    if (md5i_token_is_word(keyword, "body"))
        return read_body(reader);
    for (uint32_t i = 0; i < MD5_COUNT(constraint_kinds); i++) {
        if (md5i_token_is_word(keyword, constraint_kinds[i].keyword))
            return read_constraint(reader, &constraint_kinds[i]);
    }
    md5i_decl_lex_warn(&reader->lex, "unknown keyword %s", MD5_QUOTED_TOKEN(keyword));
    return false;
}

// == Figures ======================================================================================

// Returns false after a warning if two elements of an array have the same name. Names are
// case-sensitive. The array has `count` elements of `size` bytes. `name_offset` is the offset of
// the name in an element, and `plural` is the name of the elements in the warning.
static bool check_unique_names(figure_reader *reader, const char *plural, const void *elements,
                               size_t count, size_t size, size_t name_offset)
{
    md5_name_map names = {0};
    for (uint32_t i = 0; i < count; i++) {
        const char *const element = (const char *)elements + i * size;
        const char *const name = *(const char *const *)(const void *)(element + name_offset);
        void **const found = md5i_name_map_find(&names, name);
        if (found) {
            md5i_decl_lex_warn(&reader->lex, "two %s with the same name %s", plural,
                               MD5_QUOTED(name));
            return false;
        }
        void **const added = md5i_name_map_add(&names, &reader->game->scratch, name);
        TRY(added);
        *added = reader;
    }
    return true;
}

// Checks that the names of bodies and of constraints are unique, and that each constraint names its
// two bodies. Returns false after a warning.
static bool check_figure(figure_reader *reader)
{
    const md5_figure_def *const figure = &reader->figure;
    TRY(check_unique_names(reader, "bodies", reader->bodies, figure->num_bodies,
                           sizeof *reader->bodies, offsetof(md5_figure_body, name)));
    TRY(check_unique_names(reader, "constraints", reader->constraints, figure->num_constraints,
                           sizeof *reader->constraints, offsetof(md5_figure_constraint, name)));
    for (uint32_t i = 0; i < figure->num_constraints; i++) {
        for (uint32_t k = 0; k < 2; k++) {
            const md5_figure_constraint *const constraint = &reader->constraints[i];
            if (constraint->bodies[k][0])
                continue;
            md5i_decl_lex_warn(&reader->lex, "no valid body%d specified for constraint %s", k + 1,
                               MD5_QUOTED(constraint->name));
            return false;
        }
    }
    return true;
}

// Moves the body of the joint "origin" to the front, because the engine places the entity at its
// first body.
static void move_origin_body_to_front(figure_reader *reader)
{
    for (uint32_t i = 0; i < reader->figure.num_bodies; i++) {
        if (strcmp(reader->bodies[i].joint, "origin") == 0) {
            const md5_figure_body first = reader->bodies[0];
            reader->bodies[0] = reader->bodies[i];
            reader->bodies[i] = first;
            return;
        }
    }
}

// Reads the blocks of a declaration. An error ends the reading, and the figure keeps the blocks
// before it.
static void read_figure(figure_reader *reader)
{
    md5_token token;
    (void)md5i_decl_lex_skip_until(&reader->lex, "{");
    while (md5i_decl_lex_read(&reader->lex, &token) && !md5i_token_is(&token, "}")) {
        if (!read_figure_block(reader, &token))
            return;
    }
    if (check_figure(reader))
        move_origin_body_to_front(reader);
}

// Returns a figure without bodies, with the engine's default settings.
static md5_figure_def default_figure(const md5_decl *decl)
{
    return (md5_figure_def){
        .decl = decl,
        .model = "",
        .skin = "",
        .friction = {0.01f, 0.01f, 0.8f, 0.5f},
        .total_mass = -1.0f,
        .suspend_speed = {20.0f, 30.0f, 40.0f, 60.0f},
        .no_move = {1.0f, 10.0f, 10.0f},
        .move_times = {-1.0f, -1.0f},
        .contents = MD5_CONTENTS_CORPSE,
        .clip_mask = MD5_CONTENTS_SOLID | MD5_CONTENTS_CORPSE,
        .collides_with_own = true,
    };
}

// Parses a figure if it is not parsed yet. Returns false if memory runs out.
static bool parse_figure(md5_game *game, md5_decl_entry *entry)
{
    if (entry->parsed)
        return true;

    figure_reader reader = {.game = game, .figure = default_figure(&entry->decl)};
    md5i_decl_lex_begin_decl(&reader.lex, game, entry, &reader.is_defaulted);
    read_figure(&reader);
    TRY(md5_game_is_ok(game));

    // The reader's arrays are in scratch memory.
    md5_arena *const arena = &game->arena;
    md5_figure_def *const figure = MD5_ALLOC_ZEROED(arena, md5_figure_def, 1);
    TRY(figure);
    *figure = reader.figure;
    figure->bodies = (const md5_figure_body *)md5i_arena_copy(
        arena, reader.bodies, figure->num_bodies, sizeof *figure->bodies);
    figure->constraints = (const md5_figure_constraint *)md5i_arena_copy(
        arena, reader.constraints, figure->num_constraints, sizeof *figure->constraints);
    TRY(figure->bodies && figure->constraints);
    entry->parsed = figure;
    entry->decl.state = MD5_DECL_PARSED;
    return true;
}

// Returns the declaration of the articulatedFigure with the given name. Returns NULL without an
// error if no file declares this name.
const md5_figure_def *md5_game_figure_def(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    return (const md5_figure_def *)md5i_request_decl(game, MD5_DECL_ARTICULATED_FIGURE, name,
                                                     parse_figure, error);
}
