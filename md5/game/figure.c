// Articulated figures: what .af files say. As in the engine an error ends the reading, with a
// warning; what was read stays, and the checks of the whole figure are left out.
#include "md5/core/assert.h"
#include "md5/decl/decls.h"
#include "md5/md5figure.h"

#include <string.h>

// == Values =======================================================================================

typedef struct figure_reader {
    md5_game *game;
    md5_decl_lex lex;
    md5_figure_def figure;
    md5_figure_body *bodies;            // [figure.num_bodies] in game->scratch
    md5_figure_constraint *constraints; // likewise
    bool is_defaulted;
} figure_reader;

// How the value behind a word is written.
typedef enum value_form {
    VALUE_NUMBER,
    VALUE_FOUR,     // with commas between them
    VALUE_LOOSE,    // three; a missing comma is only a warning
    VALUE_FRICTION, // four, of which the last may be left out
    VALUE_MATRIX,   // ( 9 numbers )
    VALUE_STRING,
    VALUE_NAME,    // the same; what is no string is taken, with a warning
    VALUE_SKIPPED, // a string that has no effect
    VALUE_BITS,    // contents: solid, corpse
    VALUE_SWITCH,
    VALUE_VECTOR,
    VALUE_VECTORS, // two, with a comma
    VALUE_ANGLES,  // a vector of numbers
    VALUE_SHAPE,
    VALUE_MOD,
    VALUE_CONE, // axis, angle, and of a ball and socket joint the shaft
    VALUE_BALL_CONE,
    VALUE_PYRAMID, // axis, three angles, likewise
    VALUE_BALL_PYRAMID,
    VALUE_LIMIT, // three angles
} value_form;

typedef struct figure_word {
    const char *word;
    value_form form;
    size_t place;
} figure_word;

// Expects a token of a kind. Returns false after a warning if there is another one.
static bool expect(figure_reader *reader, md5_token_kind kind, md5_token *token)
{
    static const char *const kinds[] = {"name", "number", "string"};
    if (!md5i_decl_lex_any(&reader->lex, token))
        return false;
    if (token->kind != kind)
        md5i_decl_lex_warn(&reader->lex, "expected a %s but found %s", kinds[kind],
                           MD5_SHOWN(token));
    return token->kind == kind;
}

static bool keep(figure_reader *reader, const md5_token *token, const char **text)
{
    *text = md5i_keep_token(reader->game, token);
    return *text != NULL;
}

static bool read_numbers(figure_reader *reader, float *values, uint32_t count, bool is_loose)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && !md5i_decl_lex_expect(&reader->lex, ",") && !is_loose)
            return false;
        (void)md5i_decl_lex_float(&reader->lex, &values[i]);
    }
    return true;
}

// ( x, y, z ), joint( "a" ), bonecenter( "a", "b" ), bonedir( "a", "b" ), perhaps behind a minus.
static bool read_vector(figure_reader *reader, md5_figure_vector *vector)
{
    static const char *const words[] = {"(", "joint", "bonecenter", "bonedir"};
    md5_decl_lex *const lex = &reader->lex;
    md5_token token;
    int kind = 0;
    TRY(md5i_decl_lex_read(lex, &token));
    vector->is_negated = md5i_token_is(&token, "-");
    if (vector->is_negated)
        TRY(md5i_decl_lex_read(lex, &token));
    while (kind < 4 && !md5i_token_is(&token, words[kind]))
        kind++;
    if (kind == 4) {
        md5i_decl_lex_warn(lex, "unknown token %s in vector", MD5_SHOWN(&token));
        return false;
    }
    vector->kind = (md5_figure_vector_kind)kind;
    if (kind == MD5_FIGURE_NUMBERS) {
        float values[3];
        (void)read_numbers(reader, values, 3, true);
        vector->numbers = (md5_vec3){values[0], values[1], values[2]};
    } else {
        (void)md5i_decl_lex_expect(lex, "(");
        for (uint32_t i = 0; i < (kind == MD5_FIGURE_JOINT ? 1 : 2); i++) {
            if (i > 0)
                (void)md5i_decl_lex_expect(lex, ",");
            TRY(!md5i_decl_lex_read(lex, &token) || keep(reader, &token, &vector->joints[i]));
        }
    }
    (void)md5i_decl_lex_expect(lex, ")");
    return true;
}

// Adds the bits that a text names, up to a word that it does not know.
static bool add_bits(figure_reader *reader, const md5_token *text, uint32_t *bits)
{
    static const struct {
        const char *word;
        uint32_t bit;
    } rows[] = {
        {"none", 0},
        {"solid", MD5_CONTENTS_SOLID},
        {"body", MD5_CONTENTS_BODY},
        {"corpse", MD5_CONTENTS_CORPSE},
        {"playerclip", MD5_CONTENTS_PLAYERCLIP},
        {"monsterclip", MD5_CONTENTS_MONSTERCLIP},
    };
    md5_decl_lex lex;
    md5_token word;
    md5i_decl_lex_begin(&lex, reader->game, NULL, 0, text->text, text->size);
    lex.is_silent = true;
    while (md5i_decl_lex_read(&lex, &word)) {
        if (md5i_token_is(&word, ","))
            continue;
        size_t row = 0;
        while (row < MD5_COUNT(rows) && !md5i_token_is_word(&word, rows[row].word))
            row++;
        if (row == MD5_COUNT(rows))
            return false;
        *bits = row == 0 ? 0 : *bits | rows[row].bit;
    }
    return true;
}

static void read_bits(figure_reader *reader, uint32_t *bits)
{
    md5_token token;
    bool is_known = true;
    *bits = 0;
    while (md5i_decl_lex_read(&reader->lex, &token)) {
        is_known = is_known && add_bits(reader, &token, bits);
        if (!md5i_decl_lex_take(&reader->lex, ","))
            break;
    }
}

static void read_switch(figure_reader *reader, bool *value)
{
    md5_token token;
    *value = expect(reader, MD5_TOKEN_NUMBER, &token) && md5i_token_int(&token) != 0;
    if (token.kind != MD5_TOKEN_NUMBER)
        md5i_decl_lex_warn(&reader->lex, "couldn't read expected boolean");
}

static bool read_shape(figure_reader *reader, md5_figure_body *body)
{
    static const char *const words[] = {"box",      "octahedron", "dodecahedron",
                                        "cylinder", "cone",       "bone"};
    md5_decl_lex *const lex = &reader->lex;
    md5_token token;
    int row = 0;
    TRY(expect(reader, MD5_TOKEN_NAME, &token));
    while (row < (int)MD5_COUNT(words) && !md5i_token_is_word(&token, words[row]))
        row++;
    if (row == MD5_COUNT(words)) {
        if (md5i_token_is_word(&token, "custom"))
            md5i_decl_lex_warn(lex, "custom models not yet implemented");
        else
            md5i_decl_lex_warn(lex, "unknown model type %s", MD5_SHOWN(&token));
        return false;
    }
    body->shape = (md5_body_shape)(row + MD5_SHAPE_BOX);
    TRY(md5i_decl_lex_expect(lex, "(") && read_vector(reader, &body->corners[0])
        && md5i_decl_lex_expect(lex, ",") && read_vector(reader, &body->corners[1]));
    if (body->shape >= MD5_SHAPE_CYLINDER)
        TRY(md5i_decl_lex_expect(lex, ","));
    if (body->shape == MD5_SHAPE_BONE)
        (void)md5i_decl_lex_float(lex, &body->width);
    else if (body->shape >= MD5_SHAPE_CYLINDER)
        body->num_sides = md5i_decl_lex_int(lex);
    return md5i_decl_lex_expect(lex, ")");
}

static bool read_mod(figure_reader *reader, md5_body_mod *mod)
{
    md5_token token;
    TRY(md5i_decl_lex_any(&reader->lex, &token));
    *mod = md5i_token_is_word(&token, "position") ? MD5_BODY_ORIGIN
           : md5i_token_is_word(&token, "both")   ? MD5_BODY_BOTH
                                                  : MD5_BODY_AXIS;
    return true;
}

// The limit counts once it is read whole.
static bool read_limit(figure_reader *reader, value_form form, md5_figure_constraint *constraint)
{
    md5_decl_lex *const lex = &reader->lex;
    const bool is_ball = form == VALUE_BALL_CONE || form == VALUE_BALL_PYRAMID;
    const bool is_cone = form == VALUE_CONE || form == VALUE_BALL_CONE;
    if (form != VALUE_LIMIT)
        TRY(read_vector(reader, &constraint->limit_axis) && md5i_decl_lex_expect(lex, ","));
    TRY(read_numbers(reader, constraint->limit_angles, is_cone ? 1 : 3, false));
    if (is_ball)
        TRY(md5i_decl_lex_expect(lex, ",") && read_vector(reader, &constraint->shafts[0]));
    constraint->limit = is_cone || form == VALUE_LIMIT ? MD5_FIGURE_CONE : MD5_FIGURE_PYRAMID;
    return true;
}

// Reads the value of a word into `to`. Returns false if that ends the reading.
static bool read_value(figure_reader *reader, const figure_word *word, void *to)
{
    md5_decl_lex *const lex = &reader->lex;
    void *const place = (char *)to + word->place;
    md5_figure_vector *const vector = (md5_figure_vector *)place;
    float *const numbers = (float *)place;
    md5_token token = {.size = 0};
    switch (word->form) {
    case VALUE_NUMBER:
    case VALUE_FOUR:
        return read_numbers(reader, numbers, word->form == VALUE_FOUR ? 4 : 1, false);
    case VALUE_LOOSE:
        return read_numbers(reader, numbers, 3, true);
    case VALUE_FRICTION:
        TRY(read_numbers(reader, numbers, 3, false));
        if (md5i_decl_lex_take(lex, ","))
            (void)md5i_decl_lex_float(lex, &numbers[3]);
        return true;
    case VALUE_MATRIX:
        (void)md5i_decl_lex_vector(lex, numbers, 9);
        return true;
    case VALUE_STRING:
        return expect(reader, MD5_TOKEN_STRING, &token)
               && keep(reader, &token, (const char **)place);
    case VALUE_NAME:
        return (expect(reader, MD5_TOKEN_STRING, &token) || token.size > 0)
               && keep(reader, &token, (const char **)place);
    case VALUE_SKIPPED:
        return expect(reader, MD5_TOKEN_STRING, &token);
    case VALUE_BITS:
        read_bits(reader, (uint32_t *)place);
        return true;
    case VALUE_SWITCH:
        read_switch(reader, (bool *)place);
        return true;
    case VALUE_VECTOR:
        return read_vector(reader, vector);
    case VALUE_VECTORS:
        return read_vector(reader, vector) && md5i_decl_lex_expect(lex, ",")
               && read_vector(reader, vector + 1);
    case VALUE_ANGLES: {
        md5_figure_vector angles = {.joints = {"", ""}};
        TRY(read_vector(reader, &angles));
        const md5_vec3 values = md5_vec3_scale(angles.numbers, angles.is_negated ? -1.0f : 1.0f);
        memcpy(place, &values, sizeof values);
        return true;
    }
    case VALUE_SHAPE:
        return read_shape(reader, (md5_figure_body *)to);
    case VALUE_MOD:
        return read_mod(reader, (md5_body_mod *)place);
    default:
        return read_limit(reader, word->form, (md5_figure_constraint *)to);
    }
}

// Reads words with their values up to '}', or the end of the text. `where` is for messages. Returns
// false if an error ends the reading. *has_first: whether the first row was read.
static bool read_words(figure_reader *reader, const figure_word *words, size_t count,
                       const char *where, void *to, bool *has_first)
{
    md5_token token;
    while (md5i_decl_lex_read(&reader->lex, &token) && !md5i_token_is(&token, "}")) {
        size_t row = 0;
        while (row < count && !md5i_token_is_word(&token, words[row].word))
            row++;
        if (row == count) {
            md5i_decl_lex_warn(&reader->lex, "unknown token %s in %s", MD5_SHOWN(&token), where);
            return false;
        }
        TRY(read_value(reader, &words[row], to));
        *has_first |= row == 0;
    }
    return true;
}

// == Blocks =======================================================================================

#define SETTING(word, form, field)                          \
    {                                                       \
        word, VALUE_##form, offsetof(md5_figure_def, field) \
    }
static const figure_word setting_words[] = {
    SETTING("model", STRING, model),
    SETTING("skin", STRING, skin),
    SETTING("mesh", SKIPPED, model),
    SETTING("anim", SKIPPED, model),
    SETTING("friction", FRICTION, friction),
    SETTING("totalMass", NUMBER, total_mass),
    SETTING("suspendSpeed", FOUR, suspend_speed),
    SETTING("noMoveTime", NUMBER, no_move[0]),
    SETTING("noMoveTranslation", NUMBER, no_move[1]),
    SETTING("noMoveRotation", NUMBER, no_move[2]),
    SETTING("minMoveTime", NUMBER, move_times[0]),
    SETTING("maxMoveTime", NUMBER, move_times[1]),
    SETTING("contents", BITS, contents),
    SETTING("clipMask", BITS, clip_mask),
    SETTING("selfCollision", SWITCH, collides_with_own),
};

#define BODY(word, form, field)                              \
    {                                                        \
        word, VALUE_##form, offsetof(md5_figure_body, field) \
    }
static const figure_word body_words[] = {
    BODY("joint", STRING, joint), // first: it must be there
    BODY("model", SHAPE, shape),
    BODY("origin", VECTOR, origin),
    BODY("angles", ANGLES, angles),
    BODY("mod", MOD, mod),
    BODY("density", NUMBER, density),
    BODY("inertiaScale", MATRIX, inertia_scale),
    BODY("friction", LOOSE, friction),
    BODY("contents", BITS, contents),
    BODY("clipMask", BITS, clip_mask),
    BODY("selfCollision", SWITCH, collides_with_own),
    BODY("containedJoints", STRING, contained),
    BODY("frictionDirection", VECTOR, friction_direction),
    BODY("contactMotorDirection", VECTOR, motor_direction),
};

#define PART(word, form, field)                                    \
    {                                                              \
        word, VALUE_##form, offsetof(md5_figure_constraint, field) \
    }
#define ENDS PART("body1", NAME, bodies[0]), PART("body2", NAME, bodies[1])
#define HELD ENDS, PART("anchor", VECTOR, anchors[0]), PART("friction", NUMBER, friction)
static const figure_word fixed_words[] = {ENDS};
static const figure_word ball_words[] = {
    HELD,
    PART("coneLimit", BALL_CONE, limit),
    PART("pyramidLimit", BALL_PYRAMID, limit),
};
static const figure_word universal_words[] = {
    HELD,
    PART("shafts", VECTORS, shafts),
    PART("coneLimit", CONE, limit),
    PART("pyramidLimit", PYRAMID, limit),
};
static const figure_word hinge_words[] = {
    HELD,
    PART("axis", VECTOR, axis),
    PART("limit", LIMIT, limit),
};
static const figure_word slider_words[] = {
    ENDS,
    PART("axis", VECTOR, axis),
    PART("friction", NUMBER, friction),
};
static const figure_word spring_words[] = {
    ENDS,
    PART("anchor1", VECTOR, anchors[0]),
    PART("anchor2", VECTOR, anchors[1]),
    PART("friction", NUMBER, friction),
    PART("stretch", NUMBER, spring[0]),
    PART("compress", NUMBER, spring[1]),
    PART("damping", NUMBER, spring[2]),
    PART("restLength", NUMBER, spring[3]),
    PART("minLength", NUMBER, spring[4]),
    PART("maxLength", NUMBER, spring[5]),
};

#define KIND(word, type, words, where)                              \
    {                                                               \
        word, MD5_CONSTRAINT_##type, words, MD5_COUNT(words), where \
    }
static const struct constraint_kind {
    const char *word;
    md5_constraint_type type;
    const figure_word *words;
    size_t num_words;
    const char *where;
} constraint_kinds[] = {
    KIND("fixed", FIXED, fixed_words, "ball and socket joint"), // as the engine says
    KIND("ballAndSocketJoint", BALL, ball_words, "ball and socket joint"),
    KIND("universalJoint", UNIVERSAL, universal_words, "universal joint"),
    KIND("hinge", HINGE, hinge_words, "hinge"),
    KIND("slider", SLIDER, slider_words, "slider"),
    KIND("spring", SPRING, spring_words, "spring"),
};

static const md5_figure_vector zero = {.joints = {"", ""}};

static md5_figure_vector vector_of(float x, float y, float z)
{
    return (md5_figure_vector){.numbers = {x, y, z}, .joints = {"", ""}};
}

// "NAME" {
static bool begin_block(figure_reader *reader, const char **name)
{
    md5_token token;
    return expect(reader, MD5_TOKEN_STRING, &token) && md5i_decl_lex_expect(&reader->lex, "{")
           && keep(reader, &token, name);
}

static bool read_body(figure_reader *reader)
{
    const md5_figure_def *const figure = &reader->figure;
    reader->bodies = (md5_figure_body *)md5_grow(&reader->game->scratch, reader->bodies,
                                                 figure->num_bodies, sizeof *reader->bodies);
    TRY(reader->bodies);
    md5_figure_body *const body = &reader->bodies[reader->figure.num_bodies++];
    *body = (md5_figure_body){
        .name = "noname",
        .joint = "origin",
        .contained = "*origin",
        .shape = MD5_SHAPE_BOX,
        .corners = {vector_of(-10.0f, -10.0f, -10.0f), vector_of(10.0f, 10.0f, 10.0f)},
        .num_sides = 3,
        .width = 10.0f,
        .origin = zero,
        .friction_direction = zero,
        .motor_direction = zero,
        .density = 0.2f,
        .inertia_scale = {1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f},
        .friction = {figure->friction[0], figure->friction[1], figure->friction[2]},
        .contents = figure->contents,
        .clip_mask = figure->clip_mask,
        .collides_with_own = figure->collides_with_own,
    };
    bool has_joint = false;
    TRY(begin_block(reader, &body->name));
    if (md5_is_same_word(body->name, "origin") || md5_is_same_word(body->name, "world")) {
        md5i_decl_lex_warn(&reader->lex, "a body may not be named \"origin\" or \"world\"");
        return false;
    }
    TRY(read_words(reader, body_words, MD5_COUNT(body_words), "body", body, &has_joint));
    if (!has_joint) {
        md5i_decl_lex_warn(&reader->lex, "no joint set for body");
        return false;
    }
    body->clip_mask |= MD5_CONTENTS_MOVEABLECLIP;
    return true;
}

static bool read_constraint(figure_reader *reader, const struct constraint_kind *kind)
{
    const md5_figure_def *const figure = &reader->figure;
    reader->constraints =
        (md5_figure_constraint *)md5_grow(&reader->game->scratch, reader->constraints,
                                          figure->num_constraints, sizeof *reader->constraints);
    TRY(reader->constraints);
    md5_figure_constraint *const constraint =
        &reader->constraints[reader->figure.num_constraints++];
    *constraint = (md5_figure_constraint){
        .type = MD5_CONSTRAINT_UNIVERSAL,
        .name = "noname",
        .bodies = {figure->num_bodies > 0 ? reader->bodies[0].name : "world", "world"},
        .friction = 0.5f,
        .anchors = {zero, zero},
        .shafts = {vector_of(0.0f, 0.0f, -1.0f), vector_of(0.0f, 0.0f, 1.0f)},
        .axis = vector_of(1.0f, 0.0f, 0.0f),
        .limit_axis = vector_of(0.0f, 0.0f, -1.0f),
        .limit = MD5_FIGURE_NO_LIMIT,
    };
    TRY(begin_block(reader, &constraint->name));
    // What has no default of its own is 0; the rest is that of other types, without effect.
    constraint->type = kind->type;
    if (kind->type == MD5_CONSTRAINT_BALL || kind->type == MD5_CONSTRAINT_UNIVERSAL)
        constraint->shafts[0] = zero;
    if (kind->type == MD5_CONSTRAINT_UNIVERSAL)
        constraint->shafts[1] = zero;
    if (kind->type == MD5_CONSTRAINT_HINGE || kind->type == MD5_CONSTRAINT_SLIDER)
        constraint->axis = zero;
    bool has_body = false;
    return read_words(reader, kind->words, kind->num_words, kind->where, constraint, &has_body);
}

static bool read_block(figure_reader *reader, const md5_token *word)
{
    bool is_read = false;
    if (md5i_token_is_word(word, "settings"))
        return md5i_decl_lex_expect(&reader->lex, "{")
               && read_words(reader, setting_words, MD5_COUNT(setting_words), "settings",
                             &reader->figure, &is_read);
    if (md5i_token_is_word(word, "body"))
        return read_body(reader);
    for (uint32_t i = 0; i < MD5_COUNT(constraint_kinds); i++)
        if (md5i_token_is_word(word, constraint_kinds[i].word))
            return read_constraint(reader, &constraint_kinds[i]);
    md5i_decl_lex_warn(&reader->lex, "unknown keyword %s", MD5_SHOWN(word));
    return false;
}

// == Figures ======================================================================================

// Reports the first name that is there twice, case-sensitive. Returns false if there is one.
static bool check_names(figure_reader *reader, const char *what, const void *rows, size_t count,
                        size_t size, size_t place)
{
    md5_name_map names = {0};
    for (uint32_t i = 0; i < count; i++) {
        const char *const name =
            *(const char *const *)(const void *)((const char *)rows + i * size + place);
        void **const found = md5i_name_map_find(&names, name);
        if (found) {
            md5i_decl_lex_warn(&reader->lex, "two %s with the same name %s", what,
                               MD5_QUOTED(name));
            return false;
        }
        void **const added = md5i_name_map_add(&names, &reader->game->scratch, name);
        TRY(added);
        *added = reader;
    }
    return true;
}

static bool check_figure(figure_reader *reader)
{
    const md5_figure_def *const figure = &reader->figure;
    TRY(check_names(reader, "bodies", reader->bodies, figure->num_bodies, sizeof *reader->bodies,
                    offsetof(md5_figure_body, name))
        && check_names(reader, "constraints", reader->constraints, figure->num_constraints,
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

static void read_figure(figure_reader *reader)
{
    md5_token token;
    (void)md5i_decl_lex_skip_until(&reader->lex, "{");
    while (md5i_decl_lex_read(&reader->lex, &token) && !md5i_token_is(&token, "}"))
        if (!read_block(reader, &token))
            return;
    if (!check_figure(reader))
        return;
    // The body of the joint "origin" comes first.
    for (uint32_t i = 0; i < reader->figure.num_bodies; i++) {
        if (strcmp(reader->bodies[i].joint, "origin") == 0) {
            const md5_figure_body first = reader->bodies[0];
            reader->bodies[0] = reader->bodies[i];
            reader->bodies[i] = first;
            return;
        }
    }
}

static bool parse_figure(md5_game *game, md5_decl_entry *entry)
{
    figure_reader reader = {
        .game = game,
        .figure = {.decl = &entry->decl,
                   .model = "",
                   .skin = "",
                   .friction = {0.01f, 0.01f, 0.8f, 0.5f},
                   .total_mass = -1.0f,
                   .suspend_speed = {20.0f, 30.0f, 40.0f, 60.0f},
                   .no_move = {1.0f, 10.0f, 10.0f},
                   .move_times = {-1.0f, -1.0f},
                   .contents = MD5_CONTENTS_CORPSE,
                   .clip_mask = MD5_CONTENTS_SOLID | MD5_CONTENTS_CORPSE,
                   .collides_with_own = true},
    };
    if (entry->parsed)
        return true;
    md5i_decl_lex_begin_decl(&reader.lex, game, entry, &reader.is_defaulted);
    read_figure(&reader);
    TRY(md5_game_has_memory(game));
    md5_arena *const arena = &game->arena;
    md5_figure_def *const figure = MD5_NEW(arena, md5_figure_def, 1);
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

const md5_figure_def *md5_game_figure_def(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    return (const md5_figure_def *)md5i_request(game, MD5_DECL_ARTICULATED_FIGURE, name,
                                                parse_figure, error);
}
