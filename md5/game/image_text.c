#include "md5/game/image_text.h"

#include "md5/core/assert.h"
#include "md5/game/files.h"

#include <string.h>

// -- Grammar --------------------------------------------------------------------------------------

// Operations and their arguments: p a program, n a number. The first argument is a program.
static const struct operation {
    const char *word, *arguments;
    md5_image_kind kind;
} operations[] = {
    {"heightmap", "pn", MD5_IMAGE_HEIGHTMAP},
    {"addnormals", "pp", MD5_IMAGE_ADD_NORMALS},
    {"smoothnormals", "p", MD5_IMAGE_SMOOTH_NORMALS},
    {"add", "pp", MD5_IMAGE_ADD},
    {"scale", "pnnnn", MD5_IMAGE_SCALE},
    {"invertAlpha", "p", MD5_IMAGE_INVERT_ALPHA},
    {"invertColor", "p", MD5_IMAGE_INVERT_COLOR},
    {"makeIntensity", "p", MD5_IMAGE_MAKE_INTENSITY},
    {"makeAlpha", "p", MD5_IMAGE_MAKE_ALPHA},
};

static const struct operation *operation_of(const md5_token *token)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (md5i_token_is_word(token, operations[i].word))
            return &operations[i];
    }
    return NULL;
}

// An operation whose arguments are being read. All of them form a stack, newest first.
typedef struct open_operation {
    struct open_operation *outer;
    const struct operation *operation;
    size_t argument;
    float values[4];
    uint32_t num_values;
} open_operation;

// A step in the list that is being made, newest first.
typedef struct step_node {
    struct step_node *before;
    md5_image_step step;
} step_node;

typedef struct image_reader {
    md5_decl_lex *lex;
    md5_arena *scratch;
    char *text; // [MD5_IMAGE_TEXT], or NULL
    bool makes_steps;
    step_node *steps;
    uint32_t num_steps;
    open_operation *open;
} image_reader;

// -- Text -----------------------------------------------------------------------------------------

static void append(image_reader *reader, const char *bytes, size_t size)
{
    if (!reader->text)
        return;
    const size_t used = strlen(reader->text);
    const size_t room = MD5_IMAGE_TEXT - 1 - used;
    const size_t kept = size < room ? size : room;
    memcpy(reader->text + used, bytes, kept);
    reader->text[used + kept] = '\0';
}

static void append_token(image_reader *reader, const md5_token *token)
{
    if (reader->text && reader->text[0])
        append(reader, " ", 1);
    append(reader, token->text, token->size);
}

// Reads a bracket or comma. Another token is reported and lost.
static void match(image_reader *reader, const char *text)
{
    if (md5i_decl_lex_expect(reader->lex, text))
        append(reader, text, 1);
}

static md5_token next_token(image_reader *reader)
{
    md5_token token;
    if (!md5i_decl_lex_read(reader->lex, &token))
        token = (md5_token){.text = ""};
    append_token(reader, &token);
    return token;
}

// -- Steps ----------------------------------------------------------------------------------------

static bool add_step(image_reader *reader, const md5_image_step *step)
{
    if (!reader->makes_steps)
        return true;
    step_node *const node = (step_node *)md5i_arena_room(reader->scratch, 1, sizeof *node);
    TRY(node);
    node->before = reader->steps;
    node->step = *step;
    reader->steps = node;
    reader->num_steps++;
    return true;
}

static bool add_file(image_reader *reader, const md5_token *token)
{
    if (!reader->makes_steps)
        return true;
    char *const name = (char *)md5_game_copy(&reader->lex->game->arena, token->text, token->size);
    TRY(name);
    for (size_t i = 0; i < token->size; i++)
        name[i] = md5_lower(name[i]);
    const md5_image_step step = {.kind = MD5_IMAGE_FILE, .file = name};
    return add_step(reader, &step);
}

static bool close_operation(image_reader *reader)
{
    const open_operation *const done = reader->open;
    md5_image_step step = {.kind = done->operation->kind};
    memcpy(step.values, done->values, sizeof step.values);
    reader->open = done->outer;
    return add_step(reader, &step);
}

// -- Reading --------------------------------------------------------------------------------------

// Reads names of operations up to that of a file.
static bool read_to_file(image_reader *reader)
{
    for (;;) {
        const md5_token token = next_token(reader);
        const struct operation *const operation = operation_of(&token);
        if (!operation)
            return add_file(reader, &token);
        open_operation *const opened =
            (open_operation *)md5i_arena_alloc(reader->scratch, 1, sizeof *opened);
        TRY(opened);
        opened->outer = reader->open;
        opened->operation = operation;
        reader->open = opened;
        match(reader, "(");
    }
}

// Behind a program: reads the numbers that follow it, and closes operations, up to the next
// program. Sets `is_done` if there is none.
static bool read_to_program(image_reader *reader, bool *is_done)
{
    while (reader->open) {
        open_operation *const open = reader->open;
        const char next = open->operation->arguments[++open->argument];
        if (next == '\0') {
            match(reader, ")");
            TRY(close_operation(reader));
            continue;
        }
        match(reader, ",");
        if (next == 'p')
            return true;
        const md5_token token = next_token(reader);
        open->values[open->num_values++] = md5i_token_float(&token);
    }
    *is_done = true;
    return true;
}

static bool read_program(image_reader *reader)
{
    bool is_done = false;
    while (!is_done)
        TRY(read_to_file(reader) && read_to_program(reader, &is_done));
    return true;
}

bool md5i_read_image_text(md5_decl_lex *lex, char text[MD5_IMAGE_TEXT])
{
    image_reader reader = {.lex = lex, .scratch = &lex->game->scratch, .text = text};
    text[0] = '\0';
    return read_program(&reader);
}

// -- Programs -------------------------------------------------------------------------------------

// Writes the text by which the engine knows an image: .tga left out everywhere, / for \.
static void clean(char result[MD5_IMAGE_TEXT], const char *text)
{
    static const char extension[] = ".tga";
    const size_t skipped = sizeof extension - 1;
    size_t length = 0;
    while (*text && length < MD5_IMAGE_TEXT - 1) {
        if (strncmp(text, extension, skipped) == 0) {
            text += skipped;
        } else {
            result[length++] = *text == '\\' ? '/' : *text;
            text++;
        }
    }
    result[length] = '\0';
    const md5_token all = {.text = result, .size = length};
    if (length == 0 || md5i_token_is_word(&all, "default") || md5i_token_is_word(&all, "_default"))
        memcpy(result, "_default", sizeof "_default");
}

static bool keep_steps(md5_game *game, const image_reader *reader, md5_image_program *program)
{
    md5_image_step *const steps =
        (md5_image_step *)md5i_arena_alloc(&game->arena, reader->num_steps, sizeof *steps);
    uint32_t i = reader->num_steps;
    TRY(steps);
    for (const step_node *node = reader->steps; node; node = node->before)
        steps[--i] = node->step;
    program->steps = steps;
    program->num_steps = reader->num_steps;
    return true;
}

bool md5i_make_image_program(md5_game *game, const char *text, md5_image_program *program)
{
    char cleaned[MD5_IMAGE_TEXT];
    md5_decl_lex lex;
    clean(cleaned, text);
    program->text = md5_game_copy(&game->arena, cleaned, strlen(cleaned));
    TRY(program->text);
    // What is wrong with the text has been reported where it was read first.
    const md5_game_silence before = md5_game_begin_silence(game);
    md5i_decl_lex_begin(&lex, game, "", 1, program->text, strlen(program->text));
    image_reader reader = {.lex = &lex, .scratch = &game->scratch, .makes_steps = true};
    const bool is_made = read_program(&reader) && keep_steps(game, &reader, program);
    md5_game_end_silence(game, before);
    return is_made;
}

// -- Files ----------------------------------------------------------------------------------------

static bool has_extension(const char *name)
{
    const char *const dot = strrchr(name, '.');
    return dot && !strchr(dot, '/');
}

const char *md5_game_image_file(const md5_game *game, const char *name)
{
    enum { LONGEST = MD5_IMAGE_TEXT + 8 };
    char path[LONGEST];
    MD5_ASSERT(game != NULL, "game: not NULL");
    MD5_ASSERT(name != NULL, "name: not NULL");
    const size_t length = strlen(name);
    if (length + sizeof ".tga" > LONGEST || name[0] == '_')
        return NULL;
    memcpy(path, name, length + 1);
    if (!has_extension(name))
        memcpy(path + length, ".tga", sizeof ".tga");
    const md5_game_entry *entry = md5i_game_find_file(game, path);
    char *const dot = strrchr(path, '.');
    const md5_token extension = {.text = dot, .size = strlen(dot)};
    if (!entry && md5i_token_is_word(&extension, ".tga")) {
        memcpy(dot, ".jpg", sizeof ".jpg");
        entry = md5i_game_find_file(game, path);
    }
    return entry ? entry->spelled : NULL;
}
