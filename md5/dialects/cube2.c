// Models of Cube 2's engines.
#include "md5/core/freed.h"
#include "md5/core/assert.h"
#include "md5/core/file.h"
#include "md5/core/lex.h"
#include "md5/core/math.h"
#include "md5/decl/containers.h"
#include "md5/md5dialects.h"

#include <string.h>

// == The language =================================================================================
//
// The script language of Cube 2's engines, as far as md5.cfg files use it: commands of words,
// separated by newlines and `;`, `exec`, `if` and variables.
//
// Texts that are being read are on a stack, so nothing recurses: `exec` puts a file on it, `if` the
// block that it selects.

enum {
    MD5_CUBE2_MAX_WORDS = 25, // as in the engines
    MD5_CUBE2_MAX_DEPTH = 16,
    MD5_CUBE2_MAX_FILES = 64
};

typedef enum md5_cube2_word_kind {
    MD5_CUBE2_WORD,      // its text is known
    MD5_CUBE2_BLOCK,     // [ ... ]
    MD5_CUBE2_EXPRESSION // ( ... ), or a word that contains one: not evaluated
} md5_cube2_word_kind;

typedef struct md5_cube2_word {
    md5_cube2_word_kind kind;
    const char *text; // NUL-terminated, in the arena; of a block what is between its brackets
    const char *at;   // where it begins in the script
    md5_span block;   // of a block, the same in the script
} md5_cube2_word;

typedef struct md5_cube2_command {
    uint32_t num_words; // >= 1
    md5_cube2_word words[MD5_CUBE2_MAX_WORDS];
} md5_cube2_command;

// A text that is being read.
typedef struct md5_cube2_frame {
    md5_lex lex;
    const char *file;
    md5_file_text text; // empty for a block, which belongs to a file below it
} md5_cube2_frame;

typedef struct md5_cube2_script {
    md5_context *context;
    md5_arena *arena;
    const char *root;
    md5_name_map variables; // of const char
    uint32_t num_files;
    uint32_t depth;
    md5_cube2_frame frames[MD5_CUBE2_MAX_DEPTH];
} md5_cube2_script;

static md5_cube2_frame *top_frame(md5_cube2_script *script)
{
    return &script->frames[script->depth - 1];
}

static md5_lex *lex_of(md5_cube2_script *script)
{
    return &top_frame(script)->lex;
}

// -- Paths ----------------------------------------------------------------------------------------

// Takes away the last folder of path[length], which ends in /. Returns the new length, or `length`
// if there is no folder to take away.
static size_t leave_folder(const char *path, size_t length)
{
    size_t start = length - 1;
    while (start > 0 && path[start - 1] != '/')
        start--;
    const size_t size = length - start;
    const bool is_up = size == 3 && path[start] == '.' && path[start + 1] == '.';
    return size == 1 || is_up ? length : start;
}

// Returns a copy of "<first><second>" with / between folders and `..` resolved. NULL if memory runs
// out.
static const char *join_path(md5_arena *arena, const char *first, const char *second)
{
    const size_t first_size = strlen(first);
    const size_t second_size = strlen(second);
    char *const path = (char *)md5i_arena_room(arena, first_size + second_size + 1, 1);
    size_t length = 0, start = 0; // `start`: of the last folder or name
    if (!path)
        return NULL;
    for (size_t i = 0; i < first_size + second_size; i++) {
        const char c = i < first_size ? first[i] : second[i - first_size];
        path[length++] = c == '\\' ? '/' : c;
        if (path[length - 1] != '/')
            continue;
        const size_t size = length - start;
        if ((size == 1 && start > 0) || (size == 2 && path[start] == '.')) { // of a//b, or ./
            length = start;
        } else if (size == 3 && path[start] == '.' && path[start + 1] == '.' && start > 0) { // ../
            const size_t left = leave_folder(path, start);
            length = left < start ? left : length;
        }
        start = length;
    }
    path[length] = '\0';
    return path;
}

// -- Words ----------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_comment(const md5_lex *lex, const char *text)
{
    return lex->end - text >= 2 && text[0] == '/' && text[1] == '/';
}

static const char *skip_line(const md5_lex *lex, const char *text)
{
    while (text < lex->end && *text != '\n')
        text++;
    return text;
}

// Skips blanks and comments inside a command.
static void skip_blanks(md5_lex *lex)
{
    while (lex->at < lex->end && is_blank(*lex->at))
        lex->at++;
    if (is_comment(lex, lex->at))
        lex->at = skip_line(lex, lex->at);
}

// Returns the end of the string that begins at `text`: behind its quote, or where its line ends.
static const char *string_end(const md5_lex *lex, const char *text)
{
    for (text++; text < lex->end && *text != '"' && *text != '\n' && *text != '\r'; text++)
        text += *text == '^' && lex->end - text > 1 && text[1] != '\n' && text[1] != '\r';
    return text < lex->end && *text == '"' ? text + 1 : text;
}

// Returns the end of the bracket that begins at `text`, behind the one that closes it; NULL if
// there is none. Strings and comments hide brackets.
static const char *bracket_end(const md5_lex *lex, const char *text)
{
    size_t depth = 0;
    while (text < lex->end) {
        if (*text == '"') {
            text = string_end(lex, text);
        } else if (is_comment(lex, text)) {
            text = skip_line(lex, text);
        } else {
            depth += *text == '[' || *text == '(';
            depth -= *text == ']' || *text == ')';
            text++;
            if (depth == 0)
                return text;
        }
    }
    return NULL;
}

// Copies a string without its quotes and resolves the escapes that begin with ^.
static const char *copy_string(md5_arena *arena, const char *from, const char *end)
{
    char *const text = (char *)md5i_arena_room(arena, (size_t)(end - from) + 1, 1);
    char *to = text;
    if (!text)
        return NULL;
    for (; from < end; from++) {
        if (*from == '^' && end - from > 1) {
            from++;
            *to++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from == 'f' ? '\f' : *from;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return text;
}

static bool read_word(md5_cube2_script *script, md5_cube2_word *word)
{
    md5_lex *const lex = lex_of(script);
    const char *const start = lex->at;
    *word = (md5_cube2_word){.at = start};
    if (*start == '"') {
        lex->at = string_end(lex, start);
        const bool is_closed = lex->at - start > 1 && lex->at[-1] == '"';
        if (!is_closed)
            md5i_lex_warn(lex, start,
                          "unterminated string: expected '\"' before the end of the line");
        word->text = copy_string(script->arena, start + 1, lex->at - is_closed);
        return word->text != NULL;
    }
    if (*start == '[' || *start == '(') {
        const char *const closed = bracket_end(lex, start);
        if (!closed)
            md5i_lex_warn(lex, start, "unterminated bracket: expected ']' or ')'");
        lex->at = closed ? closed : lex->end;
        word->kind = *start == '[' ? MD5_CUBE2_BLOCK : MD5_CUBE2_EXPRESSION;
        word->block = (md5_span){start + 1, (size_t)(lex->at - start) - 1 - (closed != NULL)};
        word->text = md5_copy_text(script->arena, word->block.bytes, word->block.size);
        return word->text != NULL;
    }
    while (lex->at < lex->end && !is_blank(*lex->at) && *lex->at != '\n' && *lex->at != ';'
           && !is_comment(lex, lex->at)) {
        const bool is_bracket = *lex->at == '(' || *lex->at == '[';
        const char *const end = is_bracket ? bracket_end(lex, lex->at) : lex->at + 1;
        if (is_bracket)
            word->kind = MD5_CUBE2_EXPRESSION;
        lex->at = end ? end : lex->end;
    }
    word->text = md5_copy_text(script->arena, start, (size_t)(lex->at - start));
    TRY(word->text);
    if (word->kind != MD5_CUBE2_WORD || word->text[0] != '$' || word->text[1] == '\0')
        return true;
    void **const found = md5i_name_map_find(&script->variables, word->text + 1);
    if (!found)
        md5i_lex_warn(lex, start, "unknown value of variable %s: it is not set in this file",
                      MD5_QUOTED(word->text));
    word->kind = found ? MD5_CUBE2_WORD : MD5_CUBE2_EXPRESSION;
    word->text = found ? (const char *)*found : "";
    return true;
}

// -- Texts ----------------------------------------------------------------------------------------

// Puts a file on the stack. Returns false, with the context's error set, if it cannot be read.
static bool script_open(md5_cube2_script *script, const char *file)
{
    md5_cube2_frame *const frame = &script->frames[script->depth];
    *frame = (md5_cube2_frame){.file = file};
    md5i_context_set_file(script->context, file);
    if (!md5i_read_file_text(script->context, file, &frame->text)
        || !md5_check_text_size(script->context, frame->text.size)) {
        md5i_free_file_text(script->context, &frame->text);
        return false;
    }
    script->num_files++;
    script->depth++;
    md5i_lex_begin(&frame->lex, script->arena, frame->text.bytes, frame->text.size);
    return true;
}

static void end_frame(md5_cube2_script *script)
{
    md5i_free_file_text(script->context, &top_frame(script)->text);
    script->depth--;
    if (script->depth > 0)
        md5i_context_set_file(script->context, top_frame(script)->file);
}

// -- Commands of the language ---------------------------------------------------------------------

// As the engines do, takes "", 0 and 0.0 for false. A condition that is not evaluated is taken for
// true.
static bool is_true(md5_cube2_script *script, const md5_cube2_word *word)
{
    if (word->kind != MD5_CUBE2_WORD) {
        md5i_lex_warn(lex_of(script), word->at, "condition is not evaluated: assumed to be true");
        return true;
    }
    const char *text = word->text;
    if (*text == '\0')
        return false;
    while (*text == '0' || *text == '.')
        text++;
    return *text != '\0';
}

static void run_if(md5_cube2_script *script, const md5_cube2_command *command)
{
    if (command->num_words < 3) {
        md5i_lex_warn(lex_of(script), command->words[0].at, "expected a condition and a block");
        return;
    }
    const uint32_t selected = is_true(script, &command->words[1]) ? 2 : 3;
    if (selected >= command->num_words)
        return;
    const md5_cube2_word *const word = &command->words[selected];
    if (word->kind != MD5_CUBE2_BLOCK) {
        md5i_lex_warn(lex_of(script), word->at, "expected a block in [ ]");
        return;
    }
    if (script->depth == MD5_CUBE2_MAX_DEPTH) {
        md5i_lex_warn(lex_of(script), word->at,
                      "blocks are nested too deeply: expected at most %d levels; skipped",
                      MD5_CUBE2_MAX_DEPTH);
        return;
    }
    // The block is part of a text that stays open below it; lines are counted from the text's
    // start.
    const md5_cube2_frame *const below = top_frame(script);
    md5_cube2_frame *const frame = &script->frames[script->depth++];
    *frame = *below;
    memset(&frame->text, 0, sizeof frame->text);
    frame->lex.at = word->block.bytes;
    frame->lex.end = word->block.bytes + word->block.size;
}

// Runs a command of the language; *is_run says whether it was one.
static bool run(md5_cube2_script *script, const md5_cube2_command *command, bool *is_run)
{
    const md5_cube2_word *const words = command->words;
    const bool is_set = command->num_words >= 2 && strcmp(words[1].text, "=") == 0;
    *is_run = true;
    if (is_set || strcmp(words[0].text, "alias") == 0) {
        if (command->num_words < 3 || words[2].kind != MD5_CUBE2_WORD)
            return true; // the value is not known: using it is a warning
        void **const variable =
            md5i_name_map_add(&script->variables, script->arena, words[is_set ? 0 : 1].text);
        TRY(variable);
        *variable = (void *)(uintptr_t)words[2].text;
        return true;
    }
    if (strcmp(words[0].text, "exec") == 0) {
        // Like the engines, goes on if the file cannot be read, but not without memory.
        if (command->num_words < 2 || words[1].kind != MD5_CUBE2_WORD) {
            md5i_lex_warn(lex_of(script), words[0].at, "expected a file name after 'exec'");
            return true;
        }
        md5_context *const context = script->context;
        const char *const name = join_path(script->arena, "", words[1].text);
        const char *const file = name ? join_path(script->arena, script->root, name) : NULL;
        TRY(file);
        const char *reason = NULL; // why the file is not read
        if (name[0] == '/' || strchr(name, ':') || strncmp(name, "../", 3) == 0)
            reason = "is skipped: expected a path inside the game folder";
        for (uint32_t i = 0; i < script->depth && !reason; i++) {
            if (strcmp(script->frames[i].file, file) == 0)
                reason = "is skipped: it is already being read";
        }
        if (!reason
            && (script->depth == MD5_CUBE2_MAX_DEPTH || script->num_files == MD5_CUBE2_MAX_FILES))
            reason = "is skipped: too many files";
        if (!reason && script_open(script, file))
            return true;
        if (context->error.status == MD5_ERROR_MEMORY)
            return false;
        const md5_error failure = context->error;
        context->error.status = MD5_OK;
        context->error.message[0] = '\0';
        md5i_context_set_file(context, top_frame(script)->file);
        if (reason)
            md5i_lex_warn(lex_of(script), words[1].at, "%s %s", MD5_QUOTED(name), reason);
        else
            md5i_lex_warn(lex_of(script), words[1].at, "%s: %s", MD5_QUOTED(file), failure.message);
        return true;
    }
    *is_run = strcmp(words[0].text, "if") == 0;
    if (*is_run)
        run_if(script, command);
    return true;
}

// Reads the next command that is not part of the language. Returns false at the end, or with the
// context's error set if memory runs out.
static bool script_next(md5_cube2_script *script, md5_cube2_command *command)
{
    bool is_run = false;
    while (script->depth > 0) {
        md5_lex *const lex = lex_of(script);
        skip_blanks(lex);
        for (; lex->at < lex->end && (*lex->at == '\n' || *lex->at == ';'); skip_blanks(lex))
            lex->at++;
        if (lex->at == lex->end) {
            end_frame(script);
            continue;
        }

        // The command, whose first word is next, up to its end.
        md5_cube2_word extra;
        command->num_words = 0;
        do {
            const bool is_full = command->num_words == MD5_CUBE2_MAX_WORDS;
            md5_cube2_word *const word = is_full ? &extra : &command->words[command->num_words];
            TRY(read_word(script, word));
            if (is_full)
                md5i_lex_warn(lex, word->at,
                              "too many words in a command: expected at most %d; command skipped",
                              MD5_CUBE2_MAX_WORDS);
            command->num_words += !is_full;
            skip_blanks(lex);
        } while (lex->at < lex->end && *lex->at != '\n' && *lex->at != ';');

        TRY(run(script, command, &is_run));
        if (!is_run)
            return true;
    }
    return false;
}

// == Commands =====================================================================================
//
// What the commands of an md5.cfg do: those that build parts, those that set how meshes look, and
// those of the whole model.

typedef struct md5_cube2_reader {
    md5_cube2_script script;
    md5_arena *arena;
    const char *folder; // that paths are relative to, with / at its end
    const char *models; // folder that md5dir is relative to
    md5_cube2 cube;
    md5_cube2_part *part;      // the last one; NULL before md5load
    md5_name_map files;        // of its animations: 1 + the number of adjustments when first named
    md5_cube2_command command; // that is executed
} md5_cube2_reader;

// Returns a new item of `size` bytes, all 0, at the end of an array: `array` is where the pointer
// to it is. NULL if memory runs out.
static void *cube_add(md5_arena *arena, void *array, uint32_t *count, size_t size)
{
    void *items;
    memcpy(&items, array, sizeof items);
    items = md5_grow(arena, items, *count, size);
    if (!items)
        return NULL;
    memcpy(array, &items, sizeof items);
    return memset((char *)items + (*count)++ * size, 0, size);
}

#define CUBE_NEW(reader, type, owner, items) \
    ((type *)cube_add((reader)->arena, &(owner)->items, &(owner)->num_##items, sizeof(type)))

// -- Arguments ------------------------------------------------------------------------------------

static const char *text_of(const md5_cube2_reader *reader, uint32_t word)
{
    return word < reader->command.num_words ? reader->command.words[word].text : "";
}

// As in the engines, a missing argument is 0, and text behind a number is ignored.
static float number_of(md5_cube2_reader *reader, uint32_t word)
{
    float value = 0.0f;
    if (word >= reader->command.num_words)
        return 0.0f;
    const md5_cube2_word *const given = &reader->command.words[word];
    const char *const end = given->text + strlen(given->text);
    const char *const next =
        given->kind == MD5_CUBE2_WORD ? md5i_scan_float(given->text, end, &value) : NULL;
    if (next && md5_is_length(value))
        return value;
    if (given->text[0] != '\0' || given->kind != MD5_CUBE2_WORD)
        md5i_lex_warn(lex_of(&reader->script), given->at, "expected a number, found %s; using 0",
                      MD5_QUOTED(given->text));
    return 0.0f;
}

static int32_t whole_of(md5_cube2_reader *reader, uint32_t word)
{
    return (int32_t)number_of(reader, word); // within 1e9
}

static md5_vec3 vector_of(md5_cube2_reader *reader, uint32_t word)
{
    const float x = number_of(reader, word);
    const float y = number_of(reader, word + 1);
    return (md5_vec3){x, -y, number_of(reader, word + 2)}; // the engines mirror y
}

// Warns unless the command has its first `count` arguments.
static bool has_words(md5_cube2_reader *reader, uint32_t count, const char *expected)
{
    const md5_cube2_word *const words = reader->command.words;
    if (reader->command.num_words > count)
        return true;
    md5i_lex_warn(lex_of(&reader->script), words[0].at, "expected %s after %s", expected,
                  MD5_QUOTED(words[0].text));
    return false;
}

static const char *path_of(md5_cube2_reader *reader, uint32_t word)
{
    return join_path(reader->arena, reader->folder, text_of(reader, word));
}

// A texture's name, which may have commands in <> before it. Returns false if memory runs out.
static bool read_image(md5_cube2_reader *reader, uint32_t word, md5_cube2_image *image)
{
    const char *const text = text_of(reader, word);
    const char *name = text;
    while (*name == '<' && strchr(name, '>'))
        name = strchr(name, '>') + 1;
    if (*name == '\0')
        return true;
    image->commands = md5_copy_text(reader->arena, text, (size_t)(name - text));
    image->path = join_path(reader->arena, reader->folder, name);
    return image->commands && image->path;
}

// -- Parts ----------------------------------------------------------------------------------------

// Adds a part, and the mask of all its joints.
static bool add_part(md5_cube2_reader *reader, const char *mesh)
{
    md5_cube2_part *const part = CUBE_NEW(reader, md5_cube2_part, &reader->cube, parts);
    TRY(part && CUBE_NEW(reader, md5_cube2_mask, part, masks));
    part->mesh = mesh;
    part->skeleton = "";
    reader->part = part;
    reader->files = (md5_name_map){NULL};
    return true;
}

// md5load MESH [SKELETON] [DEGREES]
static bool read_load(md5_cube2_reader *reader)
{
    const char *const mesh = path_of(reader, 1);
    TRY(mesh && add_part(reader, mesh));
    reader->part->skeleton = text_of(reader, 2);
    const float degrees = number_of(reader, 3);
    reader->part->smooth = degrees <= 0.0f ? 0.0f : degrees < 180.0f ? degrees : 180.0f;
    return true;
}

// md5dir FOLDER
static bool read_dir(md5_cube2_reader *reader)
{
    const char *const folder = join_path(reader->arena, text_of(reader, 1), "/");
    reader->folder = folder ? join_path(reader->arena, reader->models, folder) : NULL;
    return reader->folder != NULL;
}

// md5tag JOINT TAG [tx ty tz [rx ry rz]]: the rotation is the engines' product of three half
// angles, mirrored.
static bool read_tag(md5_cube2_reader *reader)
{
    const float half = 0.00872664626f; // of a degree, in radians
    md5_cube2_tag *const tag = CUBE_NEW(reader, md5_cube2_tag, reader->part, tags);
    TRY(tag);
    const float x = number_of(reader, 6) * half;
    const float y = number_of(reader, 7) * half;
    const float z = number_of(reader, 8) * half;
    const float cx = cosf(x);
    const float sx = sinf(x);
    const float cy = cosf(y);
    const float sy = sinf(y);
    const float cz = cosf(z);
    const float sz = sinf(z);
    tag->joint = text_of(reader, 1);
    tag->name = text_of(reader, 2);
    tag->transform.translation = vector_of(reader, 3);
    tag->transform.rotation = (md5_quat){
        -(sx * cy * cz - cx * sy * sz),
        cx * sy * cz + sx * cy * sz,
        -(cx * cy * sz - sx * sy * cz),
        cx * cy * cz + sx * sy * sz,
    };
    return true;
}

// md5pitch JOINT SCALE [OFFSET [LEAST MOST]]
static bool read_pitch(md5_cube2_reader *reader)
{
    md5_cube2_pitch *const pitch = CUBE_NEW(reader, md5_cube2_pitch, reader->part, pitches);
    TRY(pitch);
    pitch->joint = text_of(reader, 1);
    pitch->scale = number_of(reader, 2);
    pitch->offset = number_of(reader, 3);
    pitch->min = number_of(reader, 4);
    pitch->max = number_of(reader, 5);
    if (pitch->min == 0.0f && pitch->max == 0.0f) {
        const float range = 360.0f * fabsf(pitch->scale);
        pitch->min = pitch->offset - range;
        pitch->max = pitch->offset + range;
    }
    return true;
}

// md5adjust JOINT [YAW PITCH ROLL [x y z]]
static bool read_adjust(md5_cube2_reader *reader)
{
    md5_cube2_adjustment *const adjustment =
        CUBE_NEW(reader, md5_cube2_adjustment, reader->part, adjustments);
    TRY(adjustment);
    const md5_vec3 translation = vector_of(reader, 5);
    adjustment->joint = text_of(reader, 1);
    adjustment->yaw = number_of(reader, 2);
    adjustment->pitch = number_of(reader, 3);
    adjustment->roll = number_of(reader, 4);
    adjustment->translation =
        (md5_vec3){translation.x / 4.0f, translation.y / 4.0f, translation.z / 4.0f};
    return true;
}

// md5anim NAMES FILE [FPS [PRIORITY [START [END]]]]. A file that is named again is not loaded
// again, so it keeps the adjustments of the first time.
static bool read_anim(md5_cube2_reader *reader)
{
    md5_cube2_part *const part = reader->part;
    md5_cube2_anim *const anim = CUBE_NEW(reader, md5_cube2_anim, part, anims);
    const char *const file = path_of(reader, 2);
    void **const value =
        anim && file ? md5i_name_map_add(&reader->files, reader->arena, file) : NULL;
    TRY(value);
    if (!*value)
        *value = (void *)((uintptr_t)part->num_adjustments + 1);
    const float rate = number_of(reader, 3);
    anim->names = text_of(reader, 1);
    anim->file = file;
    anim->frame_rate = rate > 0.0f ? rate : 10.0f;
    anim->priority = whole_of(reader, 4);
    anim->start = whole_of(reader, 5);
    anim->end = whole_of(reader, 6);
    anim->mask = part->num_masks - 1;
    anim->num_adjustments = (uint32_t)((uintptr_t)*value - 1);
    return true;
}

// md5animpart "JOINT !JOINT ..."
static bool read_anim_part(md5_cube2_reader *reader)
{
    md5_cube2_mask *const mask = CUBE_NEW(reader, md5_cube2_mask, reader->part, masks);
    TRY(mask);
    for (const char *names = text_of(reader, 1); *names;) {
        const size_t length = strcspn(names, " \t\r\n");
        if (length > 0) {
            const char **const name = CUBE_NEW(reader, const char *, mask, joints);
            TRY(name);
            *name = md5_copy_text(reader->arena, names, length);
            TRY(*name);
        }
        names += length;
        names += *names != '\0';
    }
    return true;
}

// md5link PARENT CHILD TAG [x y z]
static bool read_link(md5_cube2_reader *reader)
{
    const uint32_t num_parts = reader->cube.num_parts;
    const int32_t parent = whole_of(reader, 1);
    const int32_t child = whole_of(reader, 2);
    if (parent < 0 || child < 0 || (uint32_t)parent >= num_parts || (uint32_t)child >= num_parts) {
        md5i_lex_warn(lex_of(&reader->script), reader->command.words[1].at,
                      "link refers to an unknown part: expected indices below %u, found %d and %d",
                      num_parts, parent, child);
        return true;
    }
    md5_cube2_link *const link = CUBE_NEW(reader, md5_cube2_link, &reader->cube, links);
    TRY(link);
    link->parent = (uint32_t)parent;
    link->child = (uint32_t)child;
    link->tag = text_of(reader, 3);
    link->translation = vector_of(reader, 4);
    return true;
}

// -- Materials ------------------------------------------------------------------------------------

// A word, and the arguments behind its MESH: images (i), a name that is not a path (n), or numbers
// (f).
typedef struct row_form {
    const char *word;
    const char *values;
} row_form;

static const row_form row_forms[] = {
    {"md5skin", "iiff"},    {"md5bumpmap", "i"},     {"md5envmap", "n"},   {"md5shader", "n"},
    {"md5spec", "f"},       {"md5ambient", "f"},     {"md5glow", "f"},     {"md5glare", "ff"},
    {"md5alphatest", "f"},  {"md5alphablend", "f"},  {"md5cullface", "f"}, {"md5fullbright", "f"},
    {"md5scroll", "ff"},    {"md5material", "ff"},   {"md5gloss", "f"},    {"md5decal", "i"},
    {"md5mixer", "f"},      {"md5pattern", "f"},     {"md5noclip", "f"},   {"md5tricollide", "f"},
    {"md5alphadepth", "f"}, {"md5depthoffset", "f"}, {"md5color", "ff"},   {"md5smooth", "f"},
};

// -- The whole model ------------------------------------------------------------------------------

// Reads a command that sets a member of md5_cube2. Returns whether it is one.
static bool read_member(md5_cube2_reader *reader)
{
    md5_cube2 *const cube = &reader->cube;
    const char *const word = text_of(reader, 0);
    if (strcmp(word, "mdlscale") == 0) {
        const float percent = number_of(reader, 1);
        cube->scale = (percent > 0.0f ? percent : 100.0f) / 400.0f;
    } else if (strcmp(word, "mdltrans") == 0) {
        cube->translation = vector_of(reader, 1);
    } else if (strcmp(word, "mdlyaw") == 0) {
        cube->yaw = number_of(reader, 1);
    } else if (strcmp(word, "mdlpitch") == 0) {
        cube->pitch = number_of(reader, 1);
    } else if (strcmp(word, "mdlroll") == 0) {
        cube->roll = number_of(reader, 1);
    } else {
        return false;
    }
    return true;
}

// Words of the models of Cube 2, Tesseract, Red Eclipse and libprimis that only games need.
static const char *const settings[] = {
    "mdlname",
    "mdlspec",
    "mdlgloss",
    "mdlambient",
    "mdlalphatest",
    "mdlalphablend",
    "mdlalphadepth",
    "mdldepthoffset",
    "mdlglow",
    "mdlglare",
    "mdlenvmap",
    "mdlfullbright",
    "mdlshader",
    "mdlcullface",
    "mdlcolor",
    "mdlcollide",
    "mdltricollide",
    "mdlellipsecollide",
    "mdlbb",
    "mdlextendbb",
    "mdlshadow",
    "mdlspin",
    "mdlspinpitch",
    "mdlspinroll",
    "mdlmaterial",
    "mdlmixer",
    "mdlpattern",
    "mdleffect",
    "mdlcollisionsonlyfortriggering",
    "mdlperentitycollisionboxes",
    "mdlblend",
    "mdllod",
    "mdlgravity",
    "mdlbumpmap",
    "rdvert",
    "rdeye",
    "rdtri",
    "rdjoint",
    "rdlimitdist",
    "rdlimitrot",
    "rdanimjoints",
    "md5pitchtarget",
    "md5pitchcorrect",
    "md5hitzone",
    "md5wind",
};

// -- Commands -------------------------------------------------------------------------------------

typedef struct part_word {
    const char *word;
    bool (*read)(md5_cube2_reader *reader);
    bool needs_part;
    uint32_t num_words; // that must follow
    const char *expected;
} part_word;

static const part_word part_words[] = {
    {"md5load", read_load, false, 1, "a mesh file"},
    {"md5dir", read_dir, false, 1, "a folder"},
    {"md5tag", read_tag, true, 2, "a joint and a tag name"},
    {"md5pitch", read_pitch, true, 2, "a joint and a factor"},
    {"md5adjust", read_adjust, true, 1, "a joint"},
    {"md5anim", read_anim, true, 2, "an animation name and its file"},
    {"md5animpart", read_anim_part, true, 0, NULL},
    {"md5link", read_link, true, 3, "two part indices and a tag name"},
};

// Executes reader->command; an unknown one is a warning. Returns false if memory runs out.
static bool execute(md5_cube2_reader *reader)
{
    md5_lex *const lex = lex_of(&reader->script);
    const md5_cube2_word *const word = &reader->command.words[0];
    const part_word *const known = (const part_word *)md5i_find_row(
        word->text, part_words, MD5_COUNT(part_words), sizeof part_words[0]);
    const row_form *const form = (const row_form *)md5i_find_row(
        word->text, row_forms, MD5_COUNT(row_forms), sizeof row_forms[0]);
    if (!reader->part && (form || (known && known->needs_part))) {
        md5i_lex_warn(lex, word->at, "command %s before 'md5load' is skipped",
                      MD5_QUOTED(word->text));
        return true;
    }
    if (known)
        return !has_words(reader, known->num_words, known->expected) || known->read(reader);
    if (form) {
        uint32_t num_images = 0;
        uint32_t num_numbers = 0;
        if (!has_words(reader, 1, "a mesh name or *"))
            return true;
        md5_cube2_material_command *const command =
            CUBE_NEW(reader, md5_cube2_material_command, reader->part, commands);
        TRY(command);
        command->keyword = form->word;
        command->mesh = text_of(reader, 1);
        command->images[0].commands = command->images[1].commands = "";
        for (uint32_t i = 0; form->values[i]; i++) {
            if (form->values[i] == 'f')
                command->values[num_numbers++] = number_of(reader, i + 2);
            else if (form->values[i] == 'n')
                command->images[0].path = text_of(reader, i + 2);
            else
                TRY(read_image(reader, i + 2, &command->images[num_images++]));
        }
        return true;
    }
    if (read_member(reader))
        return true;
    if (md5i_find_row(word->text, settings, MD5_COUNT(settings), sizeof settings[0])) {
        md5_cube2_setting *const setting =
            CUBE_NEW(reader, md5_cube2_setting, &reader->cube, settings);
        TRY(setting);
        setting->keyword = text_of(reader, 0);
        for (uint32_t i = 1; i < reader->command.num_words; i++) {
            const char **const value = CUBE_NEW(reader, const char *, setting, values);
            TRY(value);
            *value = text_of(reader, i);
        }
        return true;
    }
    md5i_lex_warn(lex, word->at, "unknown command %s: line skipped", MD5_QUOTED(word->text));
    return true;
}

// == Loading ======================================================================================
//
// Loading an md5.cfg: folders, the script, and the result.

// The result with the memory that it is in.
typedef struct cube_block {
    md5_cube2 cube;
    md5_context context;
    md5_arena arena;
} cube_block;

// -- Folders --------------------------------------------------------------------------------------

// Returns where the last `part` of path[length] ends, or 0 if there is none. A part begins the path
// or comes after a /.
static size_t end_of_part(const char *path, size_t length, const char *part)
{
    const size_t size = strlen(part);
    for (size_t start = length; start-- > 0;) {
        const bool begins = start == 0 || path[start - 1] == '/';
        if (begins && length - start >= size && memcmp(path + start, part, size) == 0)
            return start + size;
    }
    return 0;
}

// -- Models without an md5.cfg --------------------------------------------------------------------

static bool can_open(md5_context *context, const char *file)
{
    md5_file_text text = {0};
    const bool is_open = md5i_read_file_text(context, file, &text);
    md5i_free_file_text(context, &text);
    if (!is_open && context->error.status != MD5_ERROR_MEMORY)
        context->error.status = MD5_OK;
    return is_open;
}

// FOLDER/FOLDER and an extension.
static const char *default_file(md5_arena *arena, const char *folder, const char *extension)
{
    const size_t length = strlen(folder);
    size_t start = length > 0 ? length - 1 : 0;
    while (start > 0 && folder[start - 1] != '/')
        start--;
    const size_t size = length > 0 ? length - 1 - start : 0;
    const char *const name = md5_copy_text(arena, folder + start, size);
    const char *const file = name ? join_path(arena, folder, name) : NULL;
    return file ? join_path(arena, file, extension) : NULL;
}

// -- Reading --------------------------------------------------------------------------------------

static bool read_script(md5_cube2_reader *reader, const char *path)
{
    md5_context *const context = reader->arena->context;
    if (!script_open(&reader->script, path)) {
        // Without the file the folder's default model, if it has one; else its error stays.
        const md5_error missing = context->error;
        if (missing.status != MD5_ERROR_IO)
            return false;
        context->error.status = MD5_OK;
        const char *const mesh = default_file(reader->arena, reader->folder, ".md5mesh");
        const char *const file = default_file(reader->arena, reader->folder, ".md5anim");
        TRY(mesh && file);
        if (!can_open(context, mesh)) {
            if (context->error.status == MD5_OK)
                context->error = missing;
            return false;
        }
        md5i_warn(context, 0, 0, "configuration file not found: using model %s", MD5_QUOTED(mesh));
        TRY(add_part(reader, mesh));
        if (!can_open(context, file))
            return context->error.status == MD5_OK;
        md5_cube2_anim *const anim = CUBE_NEW(reader, md5_cube2_anim, reader->part, anims);
        TRY(anim);
        anim->names = "mapmodel";
        anim->file = file;
        anim->frame_rate = 10.0f;
        return true;
    }
    while (script_next(&reader->script, &reader->command) && execute(reader))
        continue;
    while (reader->script.depth > 0)
        end_frame(&reader->script);
    md5i_context_set_file(context, path);
    TRY(context->error.status == MD5_OK);
    if (!reader->part)
        return MD5_FAIL(context, MD5_ERROR_SYNTAX, "no mesh: expected a line 'md5load FILE'");
    return true;
}

static bool read_cube(cube_block *block, const char *path, const char *root)
{
    md5_cube2_reader *const reader = MD5_NEW(&block->arena, md5_cube2_reader, 1);
    TRY(reader);
    reader->arena = reader->script.arena = &block->arena;
    reader->script.context = &block->context;
    reader->cube.scale = 0.25f;

    // The folders that paths in the script are relative to.
    static const char models[] = "packages/models/";
    const char *const slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    const size_t after_models = end_of_part(path, length, models);
    const size_t root_length =
        after_models ? after_models - strlen(models) : end_of_part(path, length, "data/");
    reader->folder = md5_copy_text(reader->arena, path, length);
    reader->script.root = root ? join_path(reader->arena, root, root[0] ? "/" : "")
                               : md5_copy_text(reader->arena, path, root_length);
    TRY(reader->folder && reader->script.root);
    reader->models = join_path(reader->arena, reader->script.root, after_models ? models : "");
    TRY(reader->models && read_script(reader, path));
    reader->cube.num_warnings = block->context.num_warnings;
    reader->cube.internal = block->cube.internal;
    block->cube = reader->cube;
    return true;
}

md5_cube2 *md5_load_cube2(const char *path, const char *root, const md5_load_opts *opts,
                          md5_error *error)
{
    MD5_ASSERT_NOT_NULL(path);
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, path, error);
    cube_block *const block = (cube_block *)md5i_alloc(&context, sizeof *block);
    if (!block)
        return NULL;
    *block = (cube_block){.cube = {.internal = {.tag = MD5_TAG_CUBE2}}, .context = context};
    block->context.caller = NULL; // files that may be missing fail, too
    block->arena.context = &block->context;
    if (read_cube(block, path ? path : "", root))
        return &block->cube;
    if (error)
        *error = block->context.error;
    md5_free_cube2(&block->cube);
    return NULL;
}

void md5_free_cube2(md5_cube2 *cube)
{
    MD5_ASSERT_NULL_OR_ALIVE(cube, MD5_TAG_CUBE2);
    if (!cube)
        return;
    cube_block *const block = (cube_block *)cube; // its first member
    md5i_arena_free_object(&block->arena);
    const md5_allocator allocator = block->context.allocator;
    md5i_free_object(&allocator, block, sizeof *block);
}

// == Use ==========================================================================================
//
// Queries of a loaded Cube 2 model: which animation, which frames, how a mesh looks.

// -- Animations -----------------------------------------------------------------------------------

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Whether one alternative, which ends at | or NUL, matches the name. Returns its end in *end.
static bool alternative_matches(const char *pattern, const char *name, const char **end)
{
    bool is_match = true;
    for (; *pattern && *pattern != '|'; pattern++) {
        if (!is_match)
            continue;
        if (*pattern != '*') {
            is_match = *name == *pattern;
            name += is_match;
            continue;
        }
        is_match = *name && !is_space(*name);
        while (*name && !is_space(*name))
            name++;
    }
    *end = pattern;
    return is_match && *name == '\0';
}

// Whether a pattern matches the name of an animation.
static bool matches(const char *pattern, const char *name)
{
    for (;;) {
        const char *end;
        if (alternative_matches(pattern, name, &end))
            return true;
        if (*end == '\0')
            return false;
        pattern = end + 1;
    }
}

uint32_t md5_find_cube2_anim(const md5_cube2_part *part, uint32_t mask, const char *name)
{
    MD5_ASSERT_PART(part, mesh);
    for (uint32_t i = part->num_anims; name && i-- > 0;) {
        if (part->anims[i].mask == mask && matches(part->anims[i].names, name))
            return i;
    }
    return MD5_NONE;
}

void md5_cube2_anim_range(const md5_cube2_anim *anim, uint32_t num_frames, uint32_t *first,
                          uint32_t *count)
{
    MD5_ASSERT_PART(anim, names);
    MD5_ASSERT(num_frames > 0, "num_frames: must be at least 1");
    MD5_ASSERT(first != NULL && count != NULL, "first, count: must not be NULL");
    const int64_t total = num_frames;
    const int64_t last = total - 1;
    const int64_t behind = total + anim->start;
    int64_t start = anim->start > last ? last : anim->start;
    if (anim->start < 0)
        start = behind > 0 ? behind : 0;
    int64_t left = total - start;
    if (anim->end > 0 && anim->end < left)
        left = anim->end;
    else if (anim->end < 0)
        left = left + anim->end > 1 ? left + anim->end : 1;
    *first = (uint32_t)start;
    *count = (uint32_t)left;
}

// -- Materials ------------------------------------------------------------------------------------

void md5_build_cube2_material(const md5_cube2_part *part, const char *mesh,
                              md5_cube2_material *material)
{
    MD5_ASSERT_PART(part, mesh);
    MD5_ASSERT_NOT_NULL(mesh);
    MD5_ASSERT_NOT_NULL(material);
    const md5_cube2_image none = {NULL, ""};
    *material = (md5_cube2_material){
        .texture = none,
        .masks = none,
        .normal_map = none,
        .specular = -1.0f,
        .ambient = -1.0f,
        .glow = -1.0f,
        .alpha_test = -1.0f,
    };
    for (uint32_t i = 0; i < part->num_commands; i++) {
        const md5_cube2_material_command *const command = &part->commands[i];
        if (strcmp(command->mesh, "*") != 0 && strcmp(command->mesh, mesh) != 0)
            continue;
        const float value = command->values[0];
        if (strcmp(command->keyword, "md5skin") == 0) {
            material->texture = command->images[0];
            if (command->images[1].path) { // without masks the rest of the line is not read
                material->masks = command->images[1];
                memcpy(material->environment_range, command->values,
                       sizeof material->environment_range);
            }
        } else if (strcmp(command->keyword, "md5bumpmap") == 0)
            material->normal_map = command->images[0];
        else if (strcmp(command->keyword, "md5envmap") == 0)
            material->environment = command->images[0].path;
        else if (strcmp(command->keyword, "md5shader") == 0)
            material->shader = command->images[0].path;
        else if (strcmp(command->keyword, "md5spec") == 0)
            material->specular = value;
        else if (strcmp(command->keyword, "md5ambient") == 0)
            material->ambient = value;
        else if (strcmp(command->keyword, "md5glow") == 0)
            material->glow = value;
        else if (strcmp(command->keyword, "md5alphatest") == 0)
            material->alpha_test = value > 0.0f ? value : 0.0f;
        else if (strcmp(command->keyword, "md5alphablend") == 0)
            material->alpha_blend = value != 0.0f ? MD5_CUBE2_ON : MD5_CUBE2_OFF;
        else if (strcmp(command->keyword, "md5cullface") == 0)
            material->cull_face = value != 0.0f ? MD5_CUBE2_ON : MD5_CUBE2_OFF;
        else if (strcmp(command->keyword, "md5fullbright") == 0)
            material->fullbright = value;
        else if (strcmp(command->keyword, "md5glare") == 0)
            memcpy(material->glare, command->values, sizeof material->glare);
        else if (strcmp(command->keyword, "md5scroll") == 0)
            memcpy(material->scroll, command->values, sizeof material->scroll);
        else if (strcmp(command->keyword, "md5material") == 0) {
            material->materials[0] = (int32_t)value;
            material->materials[1] = (int32_t)command->values[1];
        }
    }
}

// -- Adjustments ----------------------------------------------------------------------------------

// A transform of the engines: a rotation r, and a translation t that is a whole quaternion, since
// the dual part t r / 2 of their dual quaternions need not be that of a transform.
typedef struct cube_transform {
    md5_quat rotation;
    md5_quat translation;
} cube_transform;

// Turns a transform by an angle about a unit axis. The engines multiply the real part by the
// rotation q, but the dual part by the inverse of q, which makes the translation q^-1 t q^-1.
// Across the axis that is t; along it, it is shorter by the cosine of the angle, and t gets a w,
// which the next rotation turns into a translation along its own axis.
static void turn(cube_transform *transform, md5_vec3 axis, float degrees)
{
    if (degrees == 0.0f)
        return;
    const md5_quat q = md5_quat_from_axis_angle(axis, degrees * 0.01745329252f);
    const md5_quat inverse = {-q.x, -q.y, -q.z, q.w};
    transform->rotation = md5_quat_mul(q, transform->rotation);
    transform->translation = md5_quat_mul(md5_quat_mul(inverse, transform->translation), inverse);
}

// The engines turn about up, -y and -x of their mirrored space. Mirrored back, the angles change
// their signs, and so does the axis y. The w of a translation changes nothing further on: matrices
// leave it out.
static md5_xform adjust(const md5_cube2_adjustment *adjustment, md5_xform transform)
{
    const md5_vec3 up = {0.0f, 0.0f, 1.0f};
    const md5_vec3 right = {0.0f, -1.0f, 0.0f};
    const md5_vec3 forward = {1.0f, 0.0f, 0.0f};
    const md5_vec3 t = transform.translation;
    cube_transform turned = {transform.rotation, {t.x, t.y, t.z, 0.0f}};
    turn(&turned, up, -adjustment->yaw);
    turn(&turned, right, adjustment->pitch);
    turn(&turned, forward, adjustment->roll);
    const md5_vec3 moved = {turned.translation.x, turned.translation.y, turned.translation.z};
    transform.rotation = turned.rotation;
    transform.translation = md5_vec3_add(moved, adjustment->translation);
    return transform;
}

// Whether a later adjustment of the same animation replaces this one.
static bool is_replaced(const md5_cube2_part *part, uint32_t count, uint32_t index)
{
    for (uint32_t i = index + 1; i < count; i++) {
        if (strcmp(part->adjustments[i].joint, part->adjustments[index].joint) == 0)
            return true;
    }
    return false;
}

static md5_xform scaled(md5_xform transform, float scale)
{
    transform.translation = md5_vec3_scale(transform.translation, scale);
    return transform;
}

void md5_cube2_adjust_pose(const md5_cube2_part *part, const md5_cube2_anim *anim,
                           const md5_skeleton *skeleton, md5_xform *pose)
{
    MD5_ASSERT_PART(skeleton, joints);
    MD5_ASSERT_PART(part, mesh);
    MD5_ASSERT_PART(anim, names);
    MD5_ASSERT_NOT_NULL(pose);
    const float scale = md5_scale_of(skeleton);
    for (uint32_t i = 0; i < anim->num_adjustments; i++) {
        const md5_cube2_adjustment *const adjustment = &part->adjustments[i];
        const uint32_t joint = md5_find_joint(skeleton, adjustment->joint);
        if (joint == MD5_NONE || is_replaced(part, anim->num_adjustments, i))
            continue;
        const md5_xform local =
            scaled(md5i_transform_from_axes(skeleton->axes, pose[joint]), 1.0f / scale);
        const md5_xform adjusted = scaled(adjust(adjustment, local), scale);
        pose[joint] = md5i_transform_to_axes(skeleton->axes, adjusted);
    }
}
