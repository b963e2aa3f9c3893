// Compares articulated figures with the original engine: its warnings about 99 texts, most of which
// test one rule, and the values that it reads (MD5_CORPUS, golden/d3char).
#include "test/decl/game_case.h"
#include "test/scoped.h"

#include <stdarg.h>

enum { MAX_CASES = 128 };

typedef struct figure_case {
    char *words; // the names of the cases
    const char *names[MAX_CASES], *files[MAX_CASES];
    char paths[MAX_CASES][64];
    size_t count;
    char text[16384];
    size_t used;
} figure_case;

static bool open_figures(figure_case *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    if (!test_corpus())
        return false;
    fixture->words = read_golden("d3char/game/af_cases.txt", NULL);
    for (char *word = strtok(fixture->words, "\n\r "); word && fixture->count < MAX_CASES - 2;
         word = strtok(NULL, "\n\r "))
        fixture->names[fixture->count++] = word;
    fixture->names[fixture->count++] = "stilt";
    fixture->names[fixture->count++] = "trestle";
    for (size_t i = 0; i < fixture->count; i++) {
        const bool is_real = i + 2 >= fixture->count; // the last two are whole figures
        snprintf(fixture->paths[i], sizeof fixture->paths[i], "af/%s%s.af", is_real ? "" : "c_",
                 fixture->names[i]);
        fixture->files[i] = fixture->paths[i];
    }
    return true;
}

// -- Writing a figure in the format of the table --------------------------------------------------

static void print(figure_case *fixture, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void print(figure_case *fixture, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fixture->used += (size_t)vsnprintf(fixture->text + fixture->used,
                                       sizeof fixture->text - fixture->used, format, values);
    va_end(values);
}

static void print_vector(figure_case *fixture, const char *name, const md5_figure_vector *vector)
{
    const char *const first = vector->joints[0][0] ? vector->joints[0] : "-";
    const char *const second = vector->joints[1][0] ? vector->joints[1] : "-";
    print(fixture, "%s [%d %d ", name, vector->kind, vector->is_negated);
    if (vector->kind == MD5_FIGURE_NUMBERS)
        print(fixture, "%.9g %.9g %.9g]", vector->numbers.x, vector->numbers.y, vector->numbers.z);
    else
        print(fixture, "%s %s]", first, second);
}

static void print_numbers(figure_case *fixture, const char *name, const float *numbers,
                          size_t count)
{
    print(fixture, "%s", name);
    for (size_t i = 0; i < count; i++)
        print(fixture, " %.9g", numbers[i]);
}

static void print_body(figure_case *fixture, const md5_figure_body *body)
{
    print(fixture, " body \"%s\" joint \"%s\" mod %d model %d", body->name, body->joint, body->mod,
          body->shape);
    print_vector(fixture, " v1", &body->corners[0]);
    print_vector(fixture, " v2", &body->corners[1]);
    if (body->shape == MD5_SHAPE_CYLINDER || body->shape == MD5_SHAPE_CONE)
        print(fixture, " sides %d", body->num_sides);
    if (body->shape == MD5_SHAPE_BONE)
        print(fixture, " width %.9g", body->width);
    print_vector(fixture, " origin", &body->origin);
    print_numbers(fixture, " angles", body->angles, 3);
    print(fixture, " density %.9g", body->density);
    print_numbers(fixture, " fr", body->friction, 3);
    print(fixture, " contents %x clip %x self %d", body->contents, body->clip_mask,
          body->collides_with_own);
    print_numbers(fixture, " inertia", body->inertia_scale, 9);
    print(fixture, " contained \"%s\"", body->contained);
    print_vector(fixture, " fdir", &body->friction_direction);
    print_vector(fixture, " mdir", &body->motor_direction);
    print(fixture, "\n");
}

static void print_constraint(figure_case *fixture, const md5_figure_constraint *constraint)
{
    print(fixture, " constraint \"%s\" type %d b1 \"%s\" b2 \"%s\" friction %.9g", constraint->name,
          constraint->type, constraint->bodies[0], constraint->bodies[1], constraint->friction);
    print_vector(fixture, " anchor", &constraint->anchors[0]);
    print_vector(fixture, " shafts", &constraint->shafts[0]);
    print_vector(fixture, "", &constraint->shafts[1]);
    print_vector(fixture, " axis", &constraint->axis);
    print(fixture, " limit %d", constraint->limit);
    print_numbers(fixture, "", constraint->limit_angles, 3);
    print_vector(fixture, " laxis", &constraint->limit_axis);
    if (constraint->type == MD5_CONSTRAINT_SPRING) {
        print_vector(fixture, " anchor2", &constraint->anchors[1]);
        print_numbers(fixture, " spring", constraint->spring, 6);
    }
    print(fixture, "\n");
}

static void print_figure(figure_case *fixture, const char *name, const md5_figure_def *figure)
{
    fixture->used = 0;
    print(fixture, "af %s state parsed bodies %u constraints %u\n", name, figure->num_bodies,
          figure->num_constraints);
    print(fixture, " set model=%s skin=%s", figure->model, figure->skin);
    print_numbers(fixture, " fr", figure->friction, 4);
    print_numbers(fixture, " mass", &figure->total_mass, 1);
    print_numbers(fixture, " susp", figure->suspend_speed, 4);
    print_numbers(fixture, " nomove", figure->no_move, 3);
    print_numbers(fixture, " time", figure->move_times, 2);
    print(fixture, " contents %x clip %x self %d\n", figure->contents, figure->clip_mask,
          figure->collides_with_own);
    for (uint32_t i = 0; i < figure->num_bodies; i++)
        print_body(fixture, &figure->bodies[i]);
    for (uint32_t i = 0; i < figure->num_constraints; i++)
        print_constraint(fixture, &figure->constraints[i]);
}

// -- Comparing ------------------------------------------------------------------------------------

// Prints the warnings about a file to fixture->text, in the format of the table. The table has no
// quotes, because the engine prints other quotes.
static void print_warnings(figure_case *fixture, const char *log, const char *name)
{
    char prefix[160];
    snprintf(prefix, sizeof prefix, "af/c_%s.af:", name);
    fixture->used = 0;
    fixture->text[0] = '\0';
    for (const char *at = strstr(log, prefix); at; at = strstr(at, prefix)) {
        at += strlen(prefix);
        print(fixture, "%sline ", fixture->used ? " | " : "");
        for (; *at && *at != '\n'; at++) {
            if (*at != '\'' && *at != '"')
                print(fixture, "%c", *at);
        }
    }
}

static bool is_line(const char *text, const char *begin, const char *with)
{
    const char *const found = strstr(text, begin);
    char expected[1024] = "";
    size_t used = 0;
    for (const char *at = found ? found + strlen(begin) : ""; *at && *at != '\n'; at++) {
        if (*at != '\'' && *at != '"' && used + 1 < sizeof expected)
            expected[used++] = *at;
    }
    return CHECK_THAT(
        found && strcmp(strchr(expected, '\t') ? strchr(expected, '\t') + 1 : "?", with) == 0,
        "%s says \"%s\", expected \"%s\"", begin, with, expected);
}

TEST_IF (figures_are_read_like_the_original_engine, figure_case, fixture, open_figures(fixture),
         free(fixture->words)) {
    SCOPED_STRING parsed = read_golden("d3char/af_parsed.txt", NULL);
    SCOPED_STRING verdicts = read_golden("d3char/af_verdicts.txt", NULL);
    SCOPED game_log *const log = test_alloc(sizeof *log);
    log->text[0] = '\0';
    const md5_load_opts opts = {.warn = log_warning, .warn_user = log, .max_warnings = 1000};
    const golden_folder folder = {"d3char/game/base", fixture->files, fixture->count};
    SCOPED_GAME game = open_golden_game(&folder, &opts);
    REQUIRE(game && parsed && verdicts);
    CHECK_UINT(fixture->count, 99);
    unsigned num_equal = 0;
    for (size_t i = 0; i < fixture->count; i++) {
        char name[80], begin[80];
        const bool is_real = i + 2 >= fixture->count;
        snprintf(name, sizeof name, "%s%s", is_real ? "" : "c_", fixture->names[i]);
        log->text[0] = '\0';
        const md5_figure_def *const figure = md5_game_figure_def(game, name, NULL);
        if (!CHECK_THAT(figure, "%s", name))
            continue;
        print_figure(fixture, fixture->names[i], figure);
        snprintf(begin, sizeof begin, "af %s state", fixture->names[i]);
        const char *const found = strstr(parsed, begin);
        const char *const expected = found ? found : "";
        const char *const end = strstr(expected, "\naf ");
        const size_t size = end ? (size_t)(end - expected) + 1 : strlen(expected);
        const bool is_equal =
            found && size == fixture->used && memcmp(expected, fixture->text, size) == 0;
        num_equal += CHECK_THAT(is_equal, "%s: found\n%s, expected\n%.*s", name, fixture->text,
                                (int)size, expected);
        print_warnings(fixture, log->text, fixture->names[i]);
        snprintf(begin, sizeof begin, "\n%s\t", fixture->names[i]);
        if (!is_real)
            is_line(verdicts, begin, fixture->text);
    }
    CHECK_UINT(num_equal, 99);
}
