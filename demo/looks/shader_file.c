// Reads .shader files: materials of Unvanquished and other games based on Quake III.
//
// A shader_reader splits the text into tokens. A material is a name and a block in braces. In the
// block, the first token of a line is a keyword. Nested blocks are stages (texture layers), and
// each stage has one image.
#include "demo/looks/look.h"

#include "demo/common/memory.h"

// -- Tokens ---------------------------------------------------------------------------------------

// The text of a file and the last token that was read from it.
typedef struct shader_reader {
    const char *path;  // for messages
    const char *start; // start of the text
    const char *at;    // position of the next byte to read
    const char *end;   // end of the text
    const char *token; // the last token, or NULL before the first
    size_t token_size; // bytes of the last token
    bool is_first;     // the last token is the first of its line
    int num_warnings;
    view_listener warnings;
} shader_reader;

static bool is_space(char c)
{
    return (unsigned char)c <= ' ';
}

// Skips a comment that begins with "/*". Returns true if the comment contains the end of a line.
static bool skip_block_comment(shader_reader *in)
{
    bool is_new_line = false;
    in->at += strlen("/*");
    while (in->end - in->at >= 2) {
        if (memcmp(in->at, "*/", 2) == 0) {
            in->at += 2;
            return is_new_line;
        }
        is_new_line = is_new_line || *in->at == '\n';
        in->at++;
    }
    in->at = in->end;
    return is_new_line;
}

// Returns true if the next two characters of the text are `pair`.
static bool begins_with(const shader_reader *in, const char *pair)
{
    return in->end - in->at >= 2 && memcmp(in->at, pair, 2) == 0;
}

// Skips white space and comments. Returns true if they contain the end of a line.
static bool skip_space(shader_reader *in)
{
    bool is_new_line = false;
    while (in->at < in->end) {
        if (is_space(*in->at)) {
            is_new_line = is_new_line || *in->at == '\n';
            in->at++;
        } else if (begins_with(in, "//")) {
            const char *const line = memchr(in->at, '\n', (size_t)(in->end - in->at));
            in->at = line ? line : in->end;
        } else if (begins_with(in, "/*")) {
            is_new_line = skip_block_comment(in) || is_new_line;
        } else {
            break;
        }
    }
    return is_new_line;
}

// Reads a text in quotes. If the second quote is missing, the text ends at the end of the file.
static void read_quoted(shader_reader *in)
{
    in->token = in->at + 1;
    const char *const close = memchr(in->token, '"', (size_t)(in->end - in->token));
    in->token_size = (size_t)((close ? close : in->end) - in->token);
    in->at = close ? close + 1 : in->end;
}

// Reads a token: a brace, a text in quotes, or a word that ends at white space. in->is_first is
// true if the token begins a line. Returns false at the end of the text.
static bool next_token(shader_reader *in)
{
    in->is_first = skip_space(in) || !in->token;
    in->token = in->at;
    in->token_size = 0;
    if (in->at == in->end)
        return false;
    if (*in->at == '"') {
        read_quoted(in);
        return true;
    }

    if (*in->at == '{' || *in->at == '}') {
        in->at++;
    } else {
        while (in->at < in->end && !is_space(*in->at))
            in->at++;
    }
    in->token_size = (size_t)(in->at - in->token);
    return true;
}

// Converts a character to the form in which names are compared: lower case, and slashes instead of
// backslashes.
static char lower(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '\\' ? '/' : c;
}

// Returns true if the last token is `expected`, ignoring case and the kind of slashes.
static bool is_token(const shader_reader *in, const char *expected)
{
    size_t i = 0;
    while (i < in->token_size && expected[i] != '\0' && lower(in->token[i]) == lower(expected[i]))
        i++;
    return i == in->token_size && expected[i] == '\0';
}

// Sets the line and the column of the last token, counted from 1.
static void find_position(const shader_reader *in, unsigned *line, unsigned *column)
{
    *line = 1;
    *column = 1;
    for (const char *c = in->start; c < in->token; c++) {
        if (*c == '\n') {
            (*line)++;
            *column = 1;
        } else {
            (*column)++;
        }
    }
}

// Warns that the last token is not the expected one. Finding the line of a token takes time, so
// only the first warnings of a file are reported.
static void warn(shader_reader *in, const char *expected)
{
    enum { MAX_WARNINGS = 20, MAX_SHOWN = 60 };
    unsigned line = 0;
    unsigned column = 0;
    if (in->num_warnings++ >= MAX_WARNINGS)
        return;
    find_position(in, &line, &column);
    const int length = in->token_size < MAX_SHOWN ? (int)in->token_size : MAX_SHOWN;
    char *const found = length > 0 ? common_format("'%.*s'", length, in->token)
                                   : common_copy("the end of the file");
    char *const text =
        common_format("%s:%u:%u: expected %s, found %s", in->path, line, column, expected, found);
    in->warnings.warn(in->warnings.user, text);
    free(text);
    free(found);
}

// -- Materials ------------------------------------------------------------------------------------

// Returns the length of a name without its extension.
static size_t stem_size(const char *name, size_t size)
{
    for (size_t i = size; i > 0 && lower(name[i - 1]) != '/'; i--) {
        if (name[i - 1] == '.')
            return i - 1;
    }
    return size;
}

// Returns true if the last token is `name`, ignoring case and file extensions.
static bool is_name(const shader_reader *in, const char *name)
{
    const size_t size = stem_size(in->token, in->token_size);
    const size_t name_size = stem_size(name, strlen(name));
    size_t i = 0;
    while (i < size && i < name_size && lower(in->token[i]) == lower(name[i]))
        i++;
    return i == size && i == name_size;
}

// Reads the next token of the current line. Returns false if the line has no further token.
static bool next_argument(shader_reader *in)
{
    if (!next_token(in) || in->is_first)
        return false;
    return !is_token(in, "{") && !is_token(in, "}");
}

// Returns a copy of the last token without a file extension and with slashes as separators. The
// caller frees it.
static char *copy_image_name(const shader_reader *in)
{
    char *const name = common_format("%.*s", (int)stem_size(in->token, in->token_size), in->token);
    for (char *c = name; *c != '\0'; c++) {
        if (*c == '\\')
            *c = '/';
    }
    return name;
}

// Reads an image name to *image. Only the first image is used, so the name is skipped if *image
// is set already. Images that engines create, such as $whiteimage, *white and _flat, are also
// skipped.
static void read_image_name(shader_reader *in, char **image)
{
    const char *const line_end = in->at;
    if (!next_argument(in)) {
        warn(in, "an image name");
        in->at = line_end; // the token is read again as the next line
        return;
    }
    if (*image)
        return;
    char *const name = copy_image_name(in);
    const bool is_empty = name[0] == '\0'; // for example the stem of ".tga"
    if (is_empty || strchr("$*_", name[0]) != NULL)
        free(name);
    else
        *image = name;
}

// One texture layer of a material.
typedef struct shader_stage {
    char *image;
    bool is_normals;    // the image is a normal map
    bool is_unused_map; // the image is neither a color map nor a normal map
} shader_stage;

// Reads the argument of the keyword "stage", which is the type of the stage's map.
static void read_stage_type(shader_reader *in, shader_stage *stage)
{
    if (!next_token(in) || in->is_first) {
        warn(in, "the stage's map type");
        return;
    }
    const bool is_color = is_token(in, "diffusemap") || is_token(in, "colormap");
    stage->is_normals = is_token(in, "normalmap") || is_token(in, "bumpmap");
    stage->is_unused_map = !stage->is_normals && !is_color;
}

// Reads the argument of the keyword "cull", the side of triangles that is not drawn.
static void read_culling(shader_reader *in, view_look *look)
{
    const bool has_argument = next_token(in) && !in->is_first;
    if (has_argument)
        look->two_sided =
            is_token(in, "none") || is_token(in, "disable") || is_token(in, "twosided");
}

// Reads the arguments of a keyword that has a meaning only in stages. Returns false if the last
// token is not such a keyword.
static bool read_stage_keyword(shader_reader *in, shader_stage *stage)
{
    if (is_token(in, "map") || is_token(in, "clampmap"))
        read_image_name(in, &stage->image);
    else if (is_token(in, "stage"))
        read_stage_type(in, stage);
    else
        return false;
    return true;
}

// Reads the arguments of a keyword. The keyword is the last token. Unknown keywords are skipped.
// `stage` is the stage that contains the line, or NULL outside of stages.
static void read_keyword(shader_reader *in, shader_stage *stage, view_look *look)
{
    if (stage && read_stage_keyword(in, stage))
        return;
    if (is_token(in, "diffusemap"))
        read_image_name(in, &look->diffuse);
    else if (is_token(in, "normalmap") || is_token(in, "bumpmap"))
        read_image_name(in, &look->normals);
    else if (is_token(in, "cull"))
        read_culling(in, look);
    else if (is_token(in, "twosided"))
        look->two_sided = true;
}

// Stores the image of a stage in the appearance if it is the first image of its kind. Then clears
// the stage for the next one.
static void end_stage(shader_stage *stage, view_look *look)
{
    char **const map = stage->is_normals ? &look->normals : &look->diffuse;
    if (!*map && !stage->is_unused_map) {
        *map = stage->image;
        stage->image = NULL;
    }
    free(stage->image);
    *stage = (shader_stage){0};
}

// Reads the stages and keywords of a material, after its opening brace. Warns if a closing brace is
// missing.
static void read_material(shader_reader *in, view_look *look)
{
    shader_stage stage = {0};
    bool in_stage = false;
    while (next_token(in)) {
        if (is_token(in, "}")) {
            if (!in_stage)
                return;
            end_stage(&stage, look);
            in_stage = false;
        } else if (is_token(in, "{")) {
            if (in_stage)
                warn(in, "'}' at the end of the stage");
            in_stage = true;
        } else {
            read_keyword(in, in_stage ? &stage : NULL, look);
        }
    }
    end_stage(&stage, look);
    warn(in, "'}'");
}

// Skips a block after its opening brace.
static void skip_block(shader_reader *in)
{
    size_t depth = 1;
    while (depth > 0 && next_token(in)) {
        if (is_token(in, "{"))
            depth++;
        else if (is_token(in, "}"))
            depth--;
    }
}

// Skips a declaration after its first token, which is a name or a keyword. Tables have a keyword
// and a name before their block. All tokens before the block are therefore skipped.
static void skip_declaration(shader_reader *in)
{
    bool has_token = next_token(in);
    while (has_token && !is_token(in, "{"))
        has_token = next_token(in);
    skip_block(in);
}

// Searches a shader file for the material with a name, and reads it into *look. Other
// declarations are skipped. Returns false if the material does not exist, or if a token other than
// `{` follows its name.
bool view_read_shader(const char *path, const char *text, size_t size, const char *name,
                      view_look *look, view_listener warnings)
{
    shader_reader in = {
        .path = path, .start = text, .at = text, .end = text + size, .warnings = warnings};
    *look = (view_look){0};
    while (next_token(&in)) {
        if (!is_name(&in, name)) {
            skip_declaration(&in);
            continue;
        }
        // The block of a material follows its name immediately. At the end of the file, the
        // material is empty.
        if (next_token(&in) && !is_token(&in, "{")) {
            warn(&in, "'{'");
            return false;
        }
        read_material(&in, look);
        return true;
    }
    return false;
}
