// Documents: the content of MD5 files as tables that a program can change. Reads a text into a
// document, checks the indices of a document, and writes a document as a text.
//
// The readers of md5/read create the tables, which become part of the document without copying.
// Comments are collected in a second pass over the text, with the position of their line.
#include "md5/core/freed.h"
#include "md5/core/file.h"
#include "md5/core/math.h"
#include "md5/edit/document.h"
#include "md5/read/tables.h"

// == Reading =====================================================================================
//
// The readers store the tables of a file in an arena, which becomes the document's memory.

// Copies the comment after the version in the first line of a text; "" if the line does not have
// one. Returns NULL if memory runs out.
static char *copy_version_comment(md5_arena *arena, const char *text, size_t size)
{
    const char *const text_end = text[0] == 'M' ? text + size : text; // binary files: no comment
    const char *at = text;
    const char *end = text;
    while (end < text_end && *end != '\n' && *end != '\r')
        end++;
    while (end - at >= 2 && (at[0] != '/' || at[1] != '/'))
        at++;
    at += end - at >= 2 ? 2 : end - at;
    while (at < end && (unsigned char)*at <= ' ')
        at++;
    return md5_copy_text(arena, at, (size_t)(end - at));
}

// Parts of a text: indices of the table in begin_line(), in the order of writing.
enum { PART_JOINTS = 8, PART_HIERARCHY = 9, PART_MESH = 14, PART_FRAME = 15 };

// Advances a position to the next line. `word` is the first word of the line. A keyword of the list
// begins a part, whose lines are counted from 0; a mesh or a frame also begins a block.
static void begin_line(md5_doc_comment *at, md5_span word)
{
    static const char *const parts[] = {"MD5Version",
                                        "commandline",
                                        "numFrames",
                                        "numJoints",
                                        "numMeshes",
                                        "frameRate",
                                        "numAnimatedComponents",
                                        "numCuts",
                                        "joints",
                                        "hierarchy",
                                        "bounds",
                                        "baseframe",
                                        "cuts",
                                        "camera",
                                        "mesh",
                                        "frame",
                                        "shader",
                                        "numverts",
                                        "numtris",
                                        "numweights"};

    at->row++;
    for (uint32_t i = 0; i < MD5_COUNT(parts); i++)
        if (md5_span_is(word, parts[i])) {
            at->block += i == PART_MESH || i == PART_FRAME;
            at->part = i;
            at->row = 0;
        }
}

// Returns true if the line of a comment is after the line of another comment.
static bool is_after(const md5_doc_comment *a, const md5_doc_comment *b)
{
    if (a->block != b->block)
        return a->block > b->block;
    if (a->part != b->part)
        return a->part > b->part;
    return a->row > b->row;
}

// Returns the joint whose line ends with a comment, or NULL.
static md5_doc_joint *find_commented_joint(const md5_doc *doc, const md5_doc_comment *at)
{
    if (!at->is_behind || at->row == 0 || at->row > doc->num_joints)
        return NULL;
    if (at->part != PART_JOINTS && at->part != PART_HIERARCHY)
        return NULL;
    return &doc->joints[at->row - 1];
}

// Returns the name that writing a document adds as a comment: the parent of a joint, or a mesh.
static const char *default_comment(const md5_doc *doc, const md5_doc_comment *at,
                                   const md5_doc_joint *joint)
{
    if (joint && joint->parent != MD5_NONE)
        return doc->joints[joint->parent].name;
    if (at->block - 1 < doc->num_meshes)
        return doc->meshes[at->block - 1].name;
    return "";
}

// Returns a copy of a comment without blanks at its ends, in which blanks replace control bytes.
static char *copy_comment(md5_arena *arena, const char *from, const char *to)
{
    while (from < to && (unsigned char)*from <= ' ')
        from++;
    while (to > from && (unsigned char)to[-1] <= ' ')
        to--;
    const size_t size = (size_t)(to - from);
    char *const text = md5_copy_text(arena, from, size);
    for (size_t i = 0; text && i < size; i++) {
        const bool is_control = (unsigned char)text[i] < ' ' && text[i] != '\t';
        text[i] = is_control ? ' ' : text[i];
    }
    return text;
}

// Returns true if a comment is the one that exporters write: the name of the parent after a joint,
// or "meshes: NAME" in a mesh.
static bool is_default_comment(const md5_doc *doc, const md5_doc_comment *at,
                               const md5_doc_joint *joint, const char *text)
{
    static const char label[] = "meshes:";
    const size_t label_length = sizeof label - 1;
    if (joint)
        return strcmp(text, default_comment(doc, at, joint)) == 0;
    if (at->block == 0 || strncmp(text, label, label_length) != 0)
        return false;
    const char *const name = text + label_length + strspn(text + label_length, " \t");
    return strcmp(name, default_comment(doc, at, joint)) == 0;
}

// Stores one line of a comment, unless it is empty or the default comment of its line.
static bool store_comment_line(md5_arena *arena, md5_doc *doc, md5_doc_comment at, const char *from,
                               const char *to)
{
    md5_doc_joint *const joint = find_commented_joint(doc, &at);
    char *const text = copy_comment(arena, from, to);
    TRY(text);
    if (text[0] == '\0' || is_default_comment(doc, &at, joint, text))
        return true;
    if (joint && !joint->comment) {
        joint->comment = text;
        return true;
    }
    at.text = text;
    TRY(doc->comments = (md5_doc_comment *)md5_grow(arena, doc->comments, doc->num_comments,
                                                    sizeof *doc->comments));
    doc->comments[doc->num_comments++] = at;
    return true;
}

static bool is_block_comment_end(const md5_lex *lex, const char *at)
{
    return lex->end - at > 1 && at[0] == '*' && at[1] == '/';
}

// Returns the end of a line of a comment: a line break, the end of a block comment or of the text.
static const char *comment_line_end(const md5_lex *lex, const char *from, bool is_block)
{
    const char *at = from;
    while (at < lex->end && *at != '\n' && *at != '\r') {
        if (is_block && is_block_comment_end(lex, at))
            break;
        at++;
    }
    return at;
}

// Stores the lines of a comment, whose text begins at lex->at. Moves lex->at to the end of the
// comment.
static bool store_comment(md5_arena *arena, md5_doc *doc, md5_doc_comment at, bool is_block,
                          md5_lex *lex)
{
    for (;;) {
        const char *const end = comment_line_end(lex, lex->at, is_block);
        const bool is_block_end = is_block && is_block_comment_end(lex, end);
        TRY(store_comment_line(arena, doc, at, lex->at, end));
        lex->at = is_block_end ? end + 2 : end;
        if (!is_block || is_block_end || end == lex->end)
            return true;
        lex->at++;
    }
}

// Returns the second character of a comment that begins at a byte; otherwise NUL.
static char comment_kind(const md5_lex *lex, const char *at)
{
    if (*at != '/' || lex->end - at < 2)
        return '\0';
    return at[1] == '/' || at[1] == '*' ? at[1] : '\0';
}

// Stores the comments of a text that the readers have accepted, except the comment after the
// version.
static bool store_comments(md5_arena *arena, const char *text, size_t size, md5_doc *doc)
{
    md5_doc_comment at = {0}; // is_behind: the line contains a word
    md5_lex lex;
    md5i_lex_begin(&lex, arena, text, size);
    for (const char *c = text; c < lex.end; c = lex.at) {
        const char kind = comment_kind(&lex, c);
        if (kind != '\0') {
            const bool is_block = kind == '*';
            const bool is_first_line = text[0] == 'M' && at.row + at.part == 0;
            const bool is_after_version = is_first_line && at.is_behind && !is_block;
            lex.at = c + 2;
            if (is_after_version)
                lex.at = comment_line_end(&lex, lex.at, false);
            else
                TRY(store_comment(arena, doc, at, is_block, &lex));
            continue;
        }

        lex.at++;
        const bool is_blank = (unsigned char)*c <= ' ' || (unsigned char)*c >= 0x80;
        if (is_blank) {
            const bool is_line_end = *c == '\n' || *c == '\r';
            if (is_line_end)
                at.is_behind = false;
            continue;
        }

        // A word. A number may end at a slash, where a comment can begin.
        const md5_span word = {c, (size_t)(md5i_lex_word_end(&lex, c) - c)};
        const char *slash = NULL;
        if (!md5_span_is_name(word))
            slash = (const char *)memchr(c, '/', word.size);
        lex.at = slash && slash > c ? slash : md5i_lex_token_end(&lex, c);
        if (!at.is_behind && *c != '{') {
            at.is_behind = true;
            begin_line(&at, word);
        }
    }
    return true;
}

// Stores the joints of a model with their bind pose, or of a clip with their base frame.
static bool store_joints(md5_arena *arena, const md5_file_joint *joints,
                         const md5_xform *transforms, uint32_t count, md5_doc *doc)
{
    doc->num_joints = count;
    doc->joints = MD5_ALLOC_ZEROED(arena, md5_doc_joint, count);
    TRY(doc->joints);
    for (uint32_t j = 0; j < count; j++) {
        md5_doc_joint *const joint = &doc->joints[j];
        joint->parent = joints[j].parent;
        joint->position = transforms[j].translation;
        joint->rotation = md5_quat_to_xyz(transforms[j].rotation);
        TRY(joint->name = md5_copy_text(arena, joints[j].name.bytes, joints[j].name.size));
    }
    return true;
}

static bool read_model(md5_arena *arena, const char *text, size_t size, md5_doc *doc)
{
    md5_mesh_file file;
    TRY(md5i_read_all_meshes(arena, text, size, &file));
    TRY(doc->command_line = md5_copy_text(arena, file.command_line.bytes, file.command_line.size));
    TRY(store_joints(arena, file.joints, file.bind, file.num_joints, doc));

    doc->num_meshes = file.num_meshes;
    doc->meshes = MD5_ALLOC_ZEROED(arena, md5_doc_mesh, file.num_meshes);
    TRY(doc->meshes);
    for (uint32_t m = 0; m < file.num_meshes; m++) {
        const md5_mesh_build *const from = &file.meshes[m];
        if (from->has_frames)
            return MD5_FAIL(
                arena->context, MD5_ERROR_VERSION,
                "cannot edit an MD5 file of version 12: its stored normals would be lost");
        doc->meshes[m] = (md5_doc_mesh){
            .name = md5_copy_text(arena, from->name.bytes, from->name.size),
            .shader = md5_copy_text(arena, from->shader.bytes, from->shader.size),
            .num_vertices = from->num_file_vertices,
            .num_triangles = from->num_triangles,
            .num_weights = from->num_weights,
            .vertices = from->file_vertices,
            .texcoords = from->texcoords,
            .indices = from->indices,
            .weights = from->weights,
        };
        TRY(doc->meshes[m].name && doc->meshes[m].shader);
    }
    return true;
}

// The casts remove the const of the reader's tables, which belong to the document now.
static bool read_anim(md5_arena *arena, const char *text, size_t size, md5_doc *doc)
{
    md5_anim_file file;
    TRY(md5i_read_anim_file(arena, text, size, NULL, &file));
    TRY(doc->command_line = md5_copy_text(arena, file.command_line.bytes, file.command_line.size));
    TRY(store_joints(arena, file.joints, file.base_frame, file.num_joints, doc));
    for (uint32_t j = 0; j < file.num_joints; j++)
        doc->joints[j].track = file.tracks[j];
    doc->parents_unknown = file.parents_unknown;
    doc->num_frames = file.num_frames;
    doc->frame_rate = file.frame_rate;
    doc->num_components = file.num_components;
    doc->numbers = (float *)file.numbers;
    doc->bounds = (md5_bounds *)file.bounds;
    return true;
}

static bool read_camera(md5_arena *arena, const char *text, size_t size, md5_doc *doc)
{
    md5_camera_file file;
    TRY(md5i_read_camera_file(arena, text, size, &file));
    TRY(doc->command_line = md5_copy_text(arena, file.command_line.bytes, file.command_line.size));
    doc->num_frames = file.num_frames;
    doc->frame_rate = file.frame_rate;
    doc->num_cuts = file.num_cuts;
    doc->num_cut_views = file.num_cut_views;
    doc->cuts = (uint32_t *)file.cuts;
    doc->cut_views = (md5_cut_view *)file.cut_views;
    doc->views = (md5_camera_view *)file.frames;
    return true;
}

md5_doc *md5_parse_doc(md5_doc_kind kind, const void *text, size_t size, const md5_load_opts *opts,
                       md5_error *error)
{
    typedef bool read_doc(md5_arena * arena, const char *text, size_t size, md5_doc *doc);
    static read_doc *const readers[] = {read_model, read_anim, read_camera}; // by kind
    MD5_ASSERT((size_t)kind < MD5_COUNT(readers), "kind: must be a value of md5_doc_kind");
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);

    md5_context context;
    md5_merged_warnings held = {.count = 0};
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    context.held = &held;
    md5_arena arena = {.context = &context};
    md5_doc *doc = NULL;
    if (md5_check_text_size(&context, size))
        doc = MD5_ALLOC_ZEROED(&arena, md5_doc, 1);

    const char *const bytes = text ? (const char *)text : "";
    const bool is_binary = md5_has_magic(bytes, size, MD5_BFG_MESH)
                           || md5_has_magic(bytes, size, MD5_BFG_ANIM)
                           || md5_has_magic(bytes, size, MD5_BFG_CAMERA);
    bool is_read = doc && readers[kind](&arena, bytes, size, doc);
    if (is_read && !is_binary)
        is_read = store_comments(&arena, bytes, size, doc);
    if (is_read)
        doc->comment = copy_version_comment(&arena, bytes, size);
    md5i_report_merged_warnings(&context);

    if (!doc || !doc->comment) { // the comment is set last, to "" if the text has no comment
        md5i_arena_free(&arena);
        return NULL;
    }
    doc->kind = kind;
    doc->allocator = context.allocator;
    doc->internal = (md5_internal){.memory = arena.chunks, .tag = MD5_TAG_DOC};
    return doc;
}

void md5_free_doc(md5_doc *doc)
{
    MD5_ASSERT_NULL_OR_ALIVE(doc, MD5_TAG_DOC);
    md5_context context;
    if (!doc)
        return;
    md5i_context_begin_memory(&context, doc->allocator, NULL);
    md5_arena arena = {.context = &context, .chunks = (struct md5_chunk *)doc->internal.memory};
    md5i_arena_free_object(&arena);
}

// == Checks ======================================================================================
//
// Programs can write any index into a document. The checks find indices outside of tables and
// cycles of parents. Other numbers are checked when they are written.

// Fails. `subject` is the description of an element, such as "weight index of vertex".
static bool fail_at(md5_context *context, const char *subject, size_t index)
{
    return MD5_FAIL(context, MD5_ERROR_RANGE, "%s %llu is out of range", subject,
                    (unsigned long long)index);
}

// Returns true if parents are joints and do not form a cycle. Follows the parents of each joint up
// to a joint that an earlier walk has visited, so that the time is linear.
static bool check_parents(md5_arena *arena, const md5_doc *doc)
{
    uint32_t *const walks =
        MD5_ALLOC_ZEROED(arena, uint32_t, doc->num_joints); // 1 + start of the walk
    TRY(walks);
    for (uint32_t j = 0; j < doc->num_joints; j++) {
        for (uint32_t k = j; k != MD5_NONE; k = doc->joints[k].parent) {
            if (k >= doc->num_joints || walks[k] == j + 1)
                return fail_at(arena->context, "parent of joint", j);
            if (walks[k] > 0)
                break;
            walks[k] = j + 1;
        }
    }
    return true;
}

// Returns true if the animated components of a joint are in the frames.
static bool is_track_valid(const md5_doc *doc, md5_track track)
{
    if (track.flags > (MD5_TRANSLATION_FLAGS | MD5_ROTATION_FLAGS))
        return false;
    const uint32_t count = md5i_count_flags(track.flags);
    return count == 0 || (uint64_t)track.first + count <= doc->num_components;
}

static bool check_document_mesh(md5_context *context, const md5_doc_mesh *mesh, uint32_t num_joints,
                                uint64_t *num_references)
{
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const md5_vertex vertex = mesh->vertices[v];
        if (vertex.num_weights > 0
            && (uint64_t)vertex.first_weight + vertex.num_weights > mesh->num_weights)
            return fail_at(context, "weight index of vertex", v);
        *num_references += vertex.num_weights;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->num_triangles; i++) {
        if (mesh->indices[i] >= mesh->num_vertices)
            return fail_at(context, "vertex index of triangle", i / 3);
    }
    for (uint32_t w = 0; w < mesh->num_weights; w++) {
        if (mesh->weights[w].joint >= num_joints)
            return fail_at(context, "joint index of weight", w);
    }
    return true;
}

bool md5i_check_doc(md5_arena *arena, const md5_doc *doc, uint64_t *num_references)
{
    md5_context *const context = arena->context;
    *num_references = 0;
    if (doc->kind != MD5_DOC_CAMERA && doc->num_joints == 0)
        return MD5_FAIL(context, MD5_ERROR_RANGE, "document has no joints: expected at least 1");
    const bool has_frames = doc->kind != MD5_DOC_MODEL;
    if (has_frames && doc->num_frames == 0)
        return MD5_FAIL(context, MD5_ERROR_RANGE, "document has no frames: expected at least 1");
    if (has_frames && !(doc->frame_rate > 0))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "frame rate is out of range: expected more than 0, found %g",
                        doc->frame_rate);

    for (uint32_t j = 0; j < doc->num_joints; j++) {
        const md5_track track = doc->joints[j].track;
        if (!is_track_valid(doc, track))
            return fail_at(context, "component index of joint", j);
        *num_references += (uint64_t)md5i_count_flags(track.flags) * doc->num_frames;
    }
    for (uint32_t m = 0; m < doc->num_meshes; m++)
        TRY(check_document_mesh(context, &doc->meshes[m], doc->num_joints, num_references));
    for (uint32_t i = 0; i < doc->num_cuts; i++) {
        if (doc->cuts[i] >= doc->num_frames)
            return fail_at(context, "frame of cut", i);
    }
    return check_parents(arena, doc);
}

// == Writing =====================================================================================

typedef struct text_writer {
    md5_context context;
    char *text; // [size]
    size_t size;
    size_t used;                         // length of the whole text, which may exceed `size`
    const md5_doc_comment *comments;     // the next comment to write
    const md5_doc_comment *comments_end; // end of the comments
    md5_doc_comment at;                  // current line; is_behind: the line contains a word
} text_writer;

// Writes bytes as long as they fit. Counts bytes that do not fit, so that a call without a buffer
// measures the length.
static void write_bytes(text_writer *to, const char *bytes, size_t count)
{
    const size_t free_size = to->used < to->size ? to->size - to->used : 0;
    if (count > 0 && free_size > 0)
        memcpy(to->text + to->used, bytes, count < free_size ? count : free_size);
    to->used += count;
}

// Writes a text in quotes or a comment. Fails if it contains a control character, such as a line
// break, or a quote in quotes.
static void write_string(text_writer *to, const char *text, bool is_quoted)
{
    text = text ? text : "";
    write_bytes(to, "\"", is_quoted);
    for (const char *byte = text; *byte; byte++) {
        const bool is_control = (unsigned char)*byte < ' ' && *byte != '\t';
        if (is_control || (is_quoted && *byte == '"'))
            MD5_FAIL(&to->context, MD5_ERROR_MISMATCH, "cannot write %s: it contains %s",
                     MD5_QUOTED(text), is_control ? "a control character" : "a quote");
    }
    write_bytes(to, text, strlen(text));
    write_bytes(to, "\"", is_quoted);
}

// Ends a line: writes the comments at its end, then the comments on separate lines below it. These
// include comments of lines that do not exist any more.
static void end_line(text_writer *to)
{
    const md5_doc_comment *comment = to->comments;
    bool is_at_end = true;
    for (; comment < to->comments_end && !is_after(comment, &to->at); comment++) {
        is_at_end &= comment->is_behind && !is_after(&to->at, comment);
        write_bytes(to, is_at_end ? " // " : "\n// ", 4);
        write_string(to, comment->text, false);
    }
    to->comments = comment;
    write_bytes(to, "\n", 1);
    to->at.is_behind = false;
}

// Writes a part of a format, line by line. A comment line, which contains the name of a mesh, does
// not count as a line.
static void write_layout(text_writer *to, const char *format, const char *end)
{
    for (; format < end; format++) {
        const size_t length = strcspn(format, "\n%");
        const char *const word = format + strspn(format, "\t");
        if (length > 0 && !to->at.is_behind) {
            to->at.is_behind = true;
            if (*word != '/')
                begin_line(&to->at, (md5_span){word, strcspn(word, " \n")});
        }
        write_bytes(to, format, length);
        format += length;
        if (format < end && to->at.is_behind)
            end_line(to);
        else
            write_bytes(to, "\n", format < end);
    }
}

typedef char number_text[128];

// Prints a number with a point, also if the locale has another decimal separator. Returns the
// length.
static size_t print_number(double number, int decimals, number_text text)
{
    number_text printed;
    size_t length = 0;
    snprintf(printed, sizeof printed, "%.*f", decimals, number);
    for (const char *byte = printed; *byte; byte++) {
        if (md5_is_digit(*byte) || *byte == '-')
            text[length++] = *byte;
        else if (length > 0 && text[length - 1] != '.')
            text[length++] = '.';
    }
    return length;
}

// Returns true if the readers of this library read a text as the number.
static bool reads_as(const char *text, size_t length, double number, bool is_float)
{
    if (is_float) {
        float value = 0;
        md5i_scan_float(text, text + length, &value);
        return (double)value == number;
    }
    double value = 0;
    md5i_scan_double(text, text + length, &value);
    return value == number;
}

// Returns true if rounding to this number of decimals changes the number for certain. This test is
// faster than printing; it is possible while all products are exact in a double.
static bool has_too_few_decimals(double magnitude, int decimals, bool is_float)
{
    const double exact_limit = 9007199254740992; // 2^53
    if (decimals > MD5_MAX_EXACT_POWER)
        return false;
    const double power = md5i_exact_powers[decimals];
    if (!(magnitude * power < exact_limit))
        return false;
    const double rounded = floor(magnitude * power + 0.5) / power;
    return is_float ? (float)rounded != (float)magnitude : rounded != magnitude;
}

// Writes a number with the fewest decimals that are read as the same number.
static void write_number(text_writer *to, double number, bool is_float)
{
    enum { MAX_DECIMALS = 60 };
    if (!isfinite((float)number)) {
        MD5_FAIL(&to->context, MD5_ERROR_RANGE,
                 "cannot write number: expected a finite value, found %g", number);
        return;
    }
    number_text text;
    size_t length = 0;
    bool is_same = false;
    for (int decimals = 0; decimals <= MAX_DECIMALS && !is_same; decimals++) {
        if (has_too_few_decimals(fabs(number), decimals, is_float))
            continue;
        length = print_number(number, decimals, text);
        is_same = reads_as(text, length, number, is_float);
    }
    write_bytes(to, text, length);
}

#define VECTOR "( %f %f %f )"
#define POINT "( %l %l %l )"
#define XYZ(v) (double)(v).x, (double)(v).y, (double)(v).z

// Writes values in a format: %u a uint32_t, with MD5_NONE as -1; %f a float; %l a float that is
// read as a length; %d a double; %q a text in quotes; %c the text of a comment.
static void write_format(text_writer *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    while (*format) {
        const char *const directive = format + strcspn(format, "%");
        write_layout(to, format, directive);
        format = directive;
        if (!*directive)
            continue;

        const char kind = directive[1];
        format += 2;
        if (kind == 'u') {
            const uint32_t number = va_arg(values, uint32_t);
            char printed[16];
            snprintf(printed, sizeof printed, number == MD5_NONE ? "-1" : "%u", number);
            write_bytes(to, printed, strlen(printed));
        } else if (kind == 'f' || kind == 'l' || kind == 'd') {
            const double number = va_arg(values, double);
            if (kind == 'l' && isfinite(number) && !md5_length_in_range((float)number))
                MD5_FAIL(&to->context, MD5_ERROR_RANGE,
                         "number is out of range: expected -1e9 to 1e9, found %g", number);
            write_number(to, number, kind != 'd');
        } else {
            write_string(to, va_arg(values, const char *), kind == 'q');
        }
    }
    va_end(values);
}

// Writes a mesh. The first weight of a vertex without weights is written as 0, because engines may
// read that weight.
static void write_mesh(text_writer *to, const md5_doc_mesh *mesh)
{
    const char *const name = mesh->name ? mesh->name : "";
    const size_t length = strlen(name);
    if (length > 0 && ((unsigned char)name[0] <= ' ' || (unsigned char)name[length - 1] <= ' '))
        MD5_FAIL(&to->context, MD5_ERROR_MISMATCH,
                 "cannot write mesh name %s: blanks at its start or end are not supported",
                 MD5_QUOTED(name));

    write_format(to, length > 0 ? "\nmesh {\n\t// meshes: %c\n" : "\nmesh {\n", name);
    write_format(to, "\tshader %q\n\n\tnumverts %u\n", mesh->shader, mesh->num_vertices);
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const md5_vertex vertex = mesh->vertices[v];
        write_format(to, "\tvert %u ( %f %f ) %u %u\n", v, mesh->texcoords[v].x,
                     mesh->texcoords[v].y, vertex.num_weights > 0 ? vertex.first_weight : 0,
                     vertex.num_weights);
    }

    write_format(to, "\n\tnumtris %u\n", mesh->num_triangles);
    for (uint32_t t = 0; t < mesh->num_triangles; t++) {
        const uint32_t *const vertices = mesh->indices + 3 * (size_t)t;
        write_format(to, "\ttri %u %u %u %u\n", t, vertices[0], vertices[1], vertices[2]);
    }

    write_format(to, "\n\tnumweights %u\n", mesh->num_weights);
    for (uint32_t w = 0; w < mesh->num_weights; w++) {
        const md5_weight *const weight = &mesh->weights[w];
        write_format(to, "\tweight %u %u %l " POINT "\n", w, weight->joint, weight->bias,
                     XYZ(weight->offset));
    }
    write_format(to, "}\n");
}

static const char *joint_comment(const md5_doc *doc, const md5_doc_joint *joint)
{
    if (joint->comment)
        return joint->comment;
    return joint->parent == MD5_NONE ? "" : doc->joints[joint->parent].name;
}

static void write_model(text_writer *to, const md5_doc *doc)
{
    write_format(to, "numJoints %u\nnumMeshes %u\n\njoints {\n", doc->num_joints, doc->num_meshes);
    for (uint32_t i = 0; i < doc->num_joints; i++) {
        const md5_doc_joint *const joint = &doc->joints[i];
        write_format(to, "\t%q\t%u " POINT " " VECTOR "\t\t// %c\n", joint->name, joint->parent,
                     XYZ(joint->position), XYZ(joint->rotation), joint_comment(doc, joint));
    }
    write_format(to, "}\n");
    for (uint32_t m = 0; m < doc->num_meshes; m++)
        write_mesh(to, &doc->meshes[m]);
}

static void write_hierarchy(text_writer *to, const md5_doc *doc)
{
    write_format(to, "hierarchy {\n");
    for (uint32_t i = 0; i < doc->num_joints; i++) {
        const md5_doc_joint *const joint = &doc->joints[i];
        write_format(to, "\t%q\t%u %u %u\t// %c\n", joint->name, joint->parent, joint->track.flags,
                     joint->track.first, joint_comment(doc, joint));
    }
    write_format(to, "}\n");
}

static void write_bounds(text_writer *to, const md5_doc *doc)
{
    write_format(to, "\nbounds {\n");
    for (uint32_t i = 0; i < doc->num_frames; i++)
        write_format(to, "\t" VECTOR " " VECTOR "\n", XYZ(doc->bounds[i].min),
                     XYZ(doc->bounds[i].max));
    write_format(to, "}\n");
}

static void write_base_frame(text_writer *to, const md5_doc *doc)
{
    write_format(to, "\nbaseframe {\n");
    for (uint32_t j = 0; j < doc->num_joints; j++)
        write_format(to, "\t" POINT " " VECTOR "\n", XYZ(doc->joints[j].position),
                     XYZ(doc->joints[j].rotation));
    write_format(to, "}\n");
}

// Writes an animation. begins_line[num_components] are false; the values of each joint begin a new
// line.
static void write_anim(text_writer *to, const md5_doc *doc, bool *begins_line)
{
    write_format(to, "numFrames %u\nnumJoints %u\nframeRate %d\n", doc->num_frames, doc->num_joints,
                 doc->frame_rate);
    write_format(to, "numAnimatedComponents %u\n\n", doc->num_components);
    write_hierarchy(to, doc);
    if (doc->bounds)
        write_bounds(to, doc);
    write_base_frame(to, doc);

    for (uint32_t i = 0; i < doc->num_joints; i++) {
        const md5_track track = doc->joints[i].track;
        if (track.flags != 0)
            begins_line[track.first] = true;
    }
    const float *number = doc->numbers;
    for (uint32_t f = 0; f < doc->num_frames; f++) {
        write_format(to, "\nframe %u {", f);
        for (uint32_t i = 0; i < doc->num_components; i++)
            write_format(to, i == 0 || begins_line[i] ? "\n\t%l" : " %l", (double)*number++);
        write_format(to, "\n}\n");
    }
}

// Writes a camera path. Cuts with a view are an extension of the format, which the reader supports.
static void write_camera(text_writer *to, const md5_doc *doc)
{
    write_format(to, "numFrames %u\nframeRate %d\nnumCuts %u\n\ncuts {\n", doc->num_frames,
                 doc->frame_rate, doc->num_cuts);
    uint32_t num_written = 0; // cut views
    for (uint32_t i = 0; i < doc->num_cuts; i++) {
        write_format(to, "\t%u", doc->cuts[i]);
        if (num_written < doc->num_cut_views && doc->cut_views[num_written].cut == i) {
            const md5_cut_view *const view = &doc->cut_views[num_written++];
            const md5_vec3 rotation = md5_quat_to_xyz(view->rotation);
            write_format(to, view->has_position ? " pos " POINT : "", XYZ(view->position));
            write_format(to, view->has_rotation ? " rot " VECTOR : "", XYZ(rotation));
        }
        write_format(to, "\n");
    }

    write_format(to, "}\n\ncamera {\n");
    for (uint32_t i = 0; i < doc->num_frames; i++) {
        const md5_camera_view *const view = &doc->views[i];
        const md5_vec3 rotation = md5_quat_to_xyz(view->rotation);
        write_format(to, "\t" POINT " " VECTOR " %l\n", XYZ(view->position), XYZ(rotation),
                     view->fov);
    }
    write_format(to, "}\n");
}

size_t md5_write_doc(const md5_doc *doc, char *text, size_t size, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT(text || size == 0, "text: must not be NULL");

    text_writer to = {.text = text, .size = size, .comments = doc->comments};
    to.comments_end = to.comments ? to.comments + doc->num_comments : NULL;
    md5i_context_begin_memory(&to.context, doc->allocator, error);
    md5_arena scratch = {.context = &to.context};
    uint64_t num_references = 0;
    bool *const begins_line = MD5_ALLOC_ZEROED(&scratch, bool, (size_t)doc->num_components + 1);
    const bool is_valid = begins_line && md5i_check_doc(&scratch, doc, &num_references);
    if (doc->parents_unknown)
        MD5_FAIL(&to.context, MD5_ERROR_VERSION,
                 "cannot write an animation of MD5 version 6: it stores no hierarchy; add the "
                 "hierarchy of its mesh");

    const char *const comment = doc->comment ? doc->comment : "";
    write_format(&to, *comment ? "MD5Version 10 // %c\n" : "MD5Version 10\n", comment);
    write_format(&to, "commandline %q\n\n", doc->command_line);
    if (is_valid && doc->kind == MD5_DOC_MODEL)
        write_model(&to, doc);
    else if (is_valid && doc->kind == MD5_DOC_ANIM)
        write_anim(&to, doc, begins_line);
    else if (is_valid)
        write_camera(&to, doc);
    to.at.block = MD5_NONE; // after all lines
    if (to.comments < to.comments_end)
        end_line(&to);

    if (num_references > to.used) // the readers would reject the text
        MD5_FAIL(&to.context, MD5_ERROR_RANGE,
                 "elements share too many other elements: %llu references exceed the file size "
                 "(%zu bytes)",
                 (unsigned long long)num_references, to.used);
    md5i_arena_free(&scratch);

    // The returned size does not depend on the capacity; the text ends with a zero byte.
    if (to.context.error.status != MD5_OK)
        to.used = 0;
    if (size > 0)
        text[to.used < size ? to.used : size - 1] = '\0';
    return to.used;
}
