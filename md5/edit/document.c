// Documents: what MD5 files say as tables that may be changed, from a text and back to one.
#include "md5/core/freed.h"
#include "md5/core/file.h"
#include "md5/core/math.h"
#include "md5/edit/document.h"
#include "md5/read/tables.h"

// == Reading =====================================================================================
//
// Tables of a file are kept where they were read, in an arena that becomes the document's memory.

// The comment behind the version in the first line of a text, or "".
static char *keep_comment(md5_arena *kept, const char *text, size_t size)
{
    const bool is_text = text[0] == 'M'; // no file is empty
    const char *at = text;
    const char *end = text;
    while (is_text && end < text + size && *end != '\n' && *end != '\r')
        end++;
    while (end - at >= 2 && (at[0] != '/' || at[1] != '/'))
        at++;
    at += end - at >= 2 ? 2 : end - at;
    while (at < end && (unsigned char)*at <= ' ')
        at++;
    return md5_copy_text(kept, at, (size_t)(end - at));
}

// Parts of a text, by the word that begins their first line, in the order of writing.
enum { PART_JOINTS = 8, PART_HIERARCHY = 9, PART_MESH = 14, PART_FRAME = 15 };

// Goes on to a line, by its first word.
static void see_line(md5_doc_comment *at, md5_span word)
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

static bool is_after(const md5_doc_comment *a, const md5_doc_comment *b)
{
    return a->block != b->block ? a->block > b->block
           : a->part != b->part ? a->part > b->part
                                : a->row > b->row;
}

// Keeps a line of a comment at a place, but what is written anew: a parent's name behind its child,
// and the name of a mesh.
static bool keep_line(md5_arena *kept, md5_doc *doc, md5_doc_comment at, const char *from,
                      const char *to)
{
    const bool is_joint = at.is_behind && at.row > 0 && at.row <= doc->num_joints
                          && (at.part == PART_JOINTS || at.part == PART_HIERARCHY);
    md5_doc_joint *const joint = is_joint ? &doc->joints[at.row - 1] : NULL;
    const char *const derived = joint && joint->parent != MD5_NONE ? doc->joints[joint->parent].name
                                : at.block - 1 < doc->num_meshes   ? doc->meshes[at.block - 1].name
                                                                   : "";
    static const char label[] = "meshes:";
    while (from < to && (unsigned char)*from <= ' ')
        from++;
    while (to > from && (unsigned char)to[-1] <= ' ')
        to--;
    char *const text = md5_copy_text(kept, from, (size_t)(to - from));
    TRY(text);
    for (char *byte = text; byte < text + (to - from); byte++)
        *byte = (unsigned char)*byte < ' ' && *byte != '\t' ? ' ' : *byte;
    const char *name = text;
    if (!joint && at.block > 0 && strncmp(text, label, sizeof label - 1) == 0)
        name += sizeof label - 1 + strspn(text + sizeof label - 1, " \t");
    if (text[0] == '\0' || ((joint || name > text) && strcmp(name, derived) == 0))
        return true;
    if (joint && !joint->comment) {
        joint->comment = text;
        return true;
    }
    at.text = text;
    TRY(doc->comments = (md5_doc_comment *)md5_grow(kept, doc->comments, doc->num_comments,
                                                    sizeof *doc->comments));
    doc->comments[doc->num_comments++] = at;
    return true;
}

// Keeps the comments of a text that was read, but what stands behind the version.
static bool keep_comments(md5_arena *kept, const char *text, size_t size, md5_doc *doc)
{
    md5_doc_comment at = {0}; // is_behind: a word of the line was seen
    md5_lex lex;
    md5i_lex_begin(&lex, kept, text, size);
    for (const char *c = text; c < lex.end; c = lex.at) {
        const char kind = *c == '/' && lex.end - c > 1 ? c[1] : '\0';
        if (kind == '/' || kind == '*') {
            const bool is_known = kind == '/' && text[0] == 'M' && at.row + at.part == 0;
            const char *to = c + 2;
            for (const char *from = to;; from = ++to) { // a line at a time
                bool is_end = false;
                for (; to < lex.end && *to != '\n' && *to != '\r' && !is_end; to += !is_end)
                    is_end = kind == '*' && *to == '*' && lex.end - to > 1 && to[1] == '/';
                TRY((is_known && at.is_behind) || keep_line(kept, doc, at, from, to));
                lex.at = to + (is_end ? 2 : 0);
                if (kind == '/' || is_end || to == lex.end)
                    break;
            }
            continue;
        }
        lex.at++;
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x80) {
            at.is_behind &= *c != '\n' && *c != '\r';
            continue;
        }
        const md5_span word = {c, (size_t)(md5i_lex_word_end(&lex, c) - c)};
        const char *const slash =
            md5_span_is_name(word) ? NULL : (const char *)memchr(c, '/', word.size);
        lex.at = slash && slash > c ? slash : md5i_lex_token_end(&lex, c);
        if (!at.is_behind && *c != '{') {
            at.is_behind = true;
            see_line(&at, word);
        }
    }
    return true;
}

// Joints of both kinds: a model's have the bind pose, a clip's the base frame.
static bool keep_joints(md5_arena *kept, const md5_file_joint *joints, const md5_xform *transforms,
                        uint32_t count, md5_doc *doc)
{
    TRY(doc->joints = MD5_NEW(kept, md5_doc_joint, doc->num_joints = count));
    for (uint32_t j = 0; j < count; j++) {
        md5_doc_joint *const joint = &doc->joints[j];
        joint->parent = joints[j].parent;
        joint->position = transforms[j].translation;
        joint->rotation = md5_stored_rotation(transforms[j].rotation);
        TRY(joint->name = md5_copy_text(kept, joints[j].name.bytes, joints[j].name.size));
    }
    return true;
}

static bool read_model(md5_arena *kept, const char *text, size_t size, md5_doc *doc)
{
    md5_mesh_file file;
    TRY(md5i_read_all_meshes(kept, text, size, &file));
    TRY(doc->command_line = md5_copy_text(kept, file.command_line.bytes, file.command_line.size));
    TRY(keep_joints(kept, file.joints, file.bind, file.num_joints, doc));
    TRY(doc->meshes = MD5_NEW(kept, md5_doc_mesh, doc->num_meshes = file.num_meshes));
    for (uint32_t m = 0; m < file.num_meshes; m++) {
        const md5_mesh_build *const from = &file.meshes[m];
        if (from->has_frames)
            return MD5_FAIL(
                kept->context, MD5_ERROR_VERSION,
                "cannot edit an MD5 file of version 12: its stored normals would be lost");
        doc->meshes[m] = (md5_doc_mesh){
            .name = md5_copy_text(kept, from->name.bytes, from->name.size),
            .shader = md5_copy_text(kept, from->shader.bytes, from->shader.size),
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

// Casts away const: the arena, and with it what the reader promised not to change, is the
// document's.
static bool read_anim(md5_arena *kept, const char *text, size_t size, md5_doc *doc)
{
    md5_anim_file file;
    TRY(md5i_read_anim_file(kept, text, size, NULL, &file));
    TRY(doc->command_line = md5_copy_text(kept, file.command_line.bytes, file.command_line.size));
    TRY(keep_joints(kept, file.joints, file.base_frame, file.num_joints, doc));
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

static bool read_camera(md5_arena *kept, const char *text, size_t size, md5_doc *doc)
{
    md5_camera_file file;
    TRY(md5i_read_camera_file(kept, text, size, &file));
    TRY(doc->command_line = md5_copy_text(kept, file.command_line.bytes, file.command_line.size));
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
    typedef bool read_doc(md5_arena * kept, const char *text, size_t size, md5_doc *doc);
    static read_doc *const readers[] = {read_model, read_anim, read_camera}; // by kind
    MD5_ASSERT((size_t)kind < MD5_COUNT(readers), "kind: must be a value of md5_doc_kind");
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5_held_warnings held = {.count = 0};
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    context.held = &held;
    md5_arena kept = {.context = &context};
    const char *const bytes = text ? (const char *)text : "";
    md5_doc *doc = md5_check_text_size(&context, size) ? MD5_NEW(&kept, md5_doc, 1) : NULL;
    const bool is_binary = md5_begins_as(bytes, size, MD5_BFG_MESH)
                           || md5_begins_as(bytes, size, MD5_BFG_ANIM)
                           || md5_begins_as(bytes, size, MD5_BFG_CAMERA);
    if (doc && readers[kind](&kept, bytes, size, doc)
        && (is_binary || keep_comments(&kept, bytes, size, doc)))
        doc->comment = keep_comment(&kept, bytes, size);
    md5i_report_held(&context);
    if (!doc || !doc->comment) {
        md5i_arena_free(&kept);
        return NULL;
    }
    doc->kind = kind;
    doc->allocator = context.allocator;
    doc->internal = (md5_internal){.memory = kept.chunks, .tag = MD5_TAG_DOC};
    return doc;
}

void md5_free_doc(md5_doc *doc)
{
    MD5_ASSERT_NULL_OR_ALIVE(doc, MD5_TAG_DOC);
    md5_context context;
    if (!doc)
        return;
    md5i_context_begin_memory(&context, doc->allocator, NULL);
    md5_arena kept = {.context = &context, .chunks = (struct md5_chunk *)doc->internal.memory};
    md5i_arena_free_object(&kept);
}

// == Checks ======================================================================================
//
// Of what would lead outside of a table, or not come to an end. Numbers are checked when they are
// written.

static bool fail_at(md5_context *context, const char *what, size_t number)
{
    return MD5_FAIL(context, MD5_ERROR_RANGE, "%s %llu is out of range", what,
                    (unsigned long long)number);
}

// Whether parents are joints and form no cycle: each way upward ends where an earlier one was.
static bool check_parents(md5_arena *arena, const md5_doc *doc)
{
    uint32_t *const ways = MD5_NEW(arena, uint32_t, doc->num_joints);
    TRY(ways);
    for (uint32_t j = 0; j < doc->num_joints; j++) {
        for (uint32_t k = j; k != MD5_NONE; k = doc->joints[k].parent) {
            if (k >= doc->num_joints || ways[k] == j + 1)
                return fail_at(arena->context, "parent of joint", j);
            if (ways[k] > 0)
                break;
            ways[k] = j + 1;
        }
    }
    return true;
}

static bool check_mesh(md5_context *context, const md5_doc_mesh *mesh, uint32_t num_joints,
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
        const uint32_t count = md5i_num_flags(track.flags);
        if (track.flags > (MD5_TRANSLATES | MD5_ROTATES)
            || (count > 0 && (uint64_t)track.first + count > doc->num_components))
            return fail_at(context, "component index of joint", j);
        *num_references += (uint64_t)count * doc->num_frames;
    }
    for (uint32_t m = 0; m < doc->num_meshes; m++)
        TRY(check_mesh(context, &doc->meshes[m], doc->num_joints, num_references));
    for (uint32_t i = 0; i < doc->num_cuts; i++) {
        if (doc->cuts[i] >= doc->num_frames)
            return fail_at(context, "frame of cut", i);
    }
    return check_parents(arena, doc);
}

// == Writing =====================================================================================

typedef struct text_writer {
    md5_context context;
    char *text; // [size], of which `used` bytes would be written
    size_t size;
    size_t used;
    const md5_doc_comment *comments, *end; // those that are not written yet
    md5_doc_comment at;                    // the line; is_behind: it has begun
} text_writer;

// Counts also what there is no room for, so that a first call can ask for the length.
static void put_bytes(text_writer *to, const char *bytes, size_t count)
{
    const size_t room = to->used < to->size ? to->size - to->used : 0;
    if (count > 0 && room > 0)
        memcpy(to->text + to->used, bytes, count < room ? count : room);
    to->used += count;
}

// A text that stands between quotes or in a comment, which both end at the end of a line.
static void put_text(text_writer *to, const char *text, bool is_quoted)
{
    text = text ? text : "";
    put_bytes(to, "\"", is_quoted);
    for (const char *byte = text; *byte; byte++) {
        const bool is_control = (unsigned char)*byte < ' ' && *byte != '\t';
        if (is_control || (is_quoted && *byte == '"'))
            MD5_FAIL(&to->context, MD5_ERROR_MISMATCH, "cannot write %s: it contains %s",
                     MD5_QUOTED(text), is_control ? "a control character" : "a quote");
    }
    put_bytes(to, text, strlen(text));
    put_bytes(to, "\"", is_quoted);
}

// Ends a line: writes comments behind it, and those below it or where lines are gone.
static void end_line(text_writer *to)
{
    const md5_doc_comment *comment = to->comments;
    bool is_behind = true;
    for (; comment < to->end && !is_after(comment, &to->at); comment++) {
        is_behind &= comment->is_behind && !is_after(&to->at, comment);
        put_bytes(to, is_behind ? " // " : "\n// ", 4);
        put_text(to, comment->text, false);
    }
    to->comments = comment;
    put_bytes(to, "\n", 1);
    to->at.is_behind = false;
}

// Writes a piece of a format, line by line. That of a mesh's name belongs to the one before.
static void put_layout(text_writer *to, const char *format, const char *end)
{
    for (; format < end; format++) {
        const size_t length = strcspn(format, "\n%");
        const char *const word = format + strspn(format, "\t");
        if (length > 0 && !to->at.is_behind) {
            to->at.is_behind = true;
            if (*word != '/')
                see_line(&to->at, (md5_span){word, strcspn(word, " \n")});
        }
        put_bytes(to, format, length);
        format += length;
        if (format < end && to->at.is_behind)
            end_line(to);
        else
            put_bytes(to, "\n", format < end);
    }
}

// Writes the fewest decimals that are read as the same number. What a double holds exactly tells
// which ones are too few, without printing them. printf() may write another point.
static void put_number(text_writer *to, double number, bool is_float)
{
    enum { MAX_DECIMALS = 60 };
    const double magnitude = fabs(number);
    const double exact = 9007199254740992;
    if (!isfinite((float)number)) {
        MD5_FAIL(&to->context, MD5_ERROR_RANGE,
                 "cannot write number: expected a finite value, found %g", number);
        return;
    }
    char printed[128], text[128];
    size_t length = 0;
    bool is_same = false;
    for (int decimals = 0; decimals <= MAX_DECIMALS && !is_same; decimals++) {
        const double power =
            decimals <= MD5_MAX_EXACT_POWER ? md5i_exact_powers[decimals] : INFINITY;
        const double near = floor(magnitude * power + 0.5) / power;
        if (magnitude * power < exact
            && (is_float ? (float)near != (float)magnitude : near != magnitude))
            continue;
        snprintf(printed, sizeof printed, "%.*f", decimals, number);
        length = 0;
        for (const char *byte = printed; *byte; byte++) {
            if (md5_is_digit(*byte) || *byte == '-')
                text[length++] = *byte;
            else if (length > 0 && text[length - 1] != '.')
                text[length++] = '.';
        }
        float narrow = 0;
        double wide = 0;
        if (is_float)
            md5i_scan_float(text, text + length, &narrow);
        else
            md5i_scan_double(text, text + length, &wide);
        is_same = (is_float ? (double)narrow : wide) == number;
    }
    put_bytes(to, text, length);
}

#define VECTOR "( %f %f %f )"
#define POINT "( %l %l %l )"
#define XYZ(v) (double)(v).x, (double)(v).y, (double)(v).z

// %u uint32_t, of which MD5_NONE is -1; %f a float, %l one that is read as a length, %d a double,
// %q a text in quotes, %c one of a comment.
static void put(text_writer *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    for (const char *next; *format; format = next) {
        next = strchr(format, '%');
        next = next ? next : format + strlen(format);
        put_layout(to, format, next);
        if (!*next)
            continue;
        const char kind = next[1];
        next += 2;
        if (kind == 'u') {
            const uint32_t number = va_arg(values, uint32_t);
            char printed[16];
            snprintf(printed, sizeof printed, number == MD5_NONE ? "-1" : "%u", number);
            put_bytes(to, printed, strlen(printed));
        } else if (kind == 'f' || kind == 'l' || kind == 'd') {
            const double number = va_arg(values, double);
            if (kind == 'l' && isfinite(number) && !md5_is_length((float)number))
                MD5_FAIL(&to->context, MD5_ERROR_RANGE,
                         "number is out of range: expected -1e9 to 1e9, found %g", number);
            put_number(to, number, kind != 'd');
        } else {
            put_text(to, va_arg(values, const char *), kind == 'q');
        }
    }
    va_end(values);
}

// A vertex without weights begins at 0: wherever it began, engines would look there.
static void put_mesh(text_writer *to, const md5_doc_mesh *mesh)
{
    const char *const name = mesh->name ? mesh->name : "";
    const size_t length = strlen(name);
    if (length > 0 && ((unsigned char)name[0] <= ' ' || (unsigned char)name[length - 1] <= ' '))
        MD5_FAIL(&to->context, MD5_ERROR_MISMATCH,
                 "cannot write mesh name %s: blanks at its start or end are not supported",
                 MD5_QUOTED(name));
    put(to, length > 0 ? "\nmesh {\n\t// meshes: %c\n" : "\nmesh {\n", name);
    put(to, "\tshader %q\n\n\tnumverts %u\n", mesh->shader, mesh->num_vertices);
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const md5_vertex vertex = mesh->vertices[v];
        put(to, "\tvert %u ( %f %f ) %u %u\n", v, mesh->texcoords[v].x, mesh->texcoords[v].y,
            vertex.num_weights > 0 ? vertex.first_weight : 0, vertex.num_weights);
    }
    put(to, "\n\tnumtris %u\n", mesh->num_triangles);
    for (uint32_t t = 0; t < mesh->num_triangles; t++) {
        const uint32_t *const corners = mesh->indices + 3 * (size_t)t;
        put(to, "\ttri %u %u %u %u\n", t, corners[0], corners[1], corners[2]);
    }
    put(to, "\n\tnumweights %u\n", mesh->num_weights);
    for (uint32_t w = 0; w < mesh->num_weights; w++) {
        const md5_weight *const weight = &mesh->weights[w];
        put(to, "\tweight %u %u %l " POINT "\n", w, weight->joint, weight->bias,
            XYZ(weight->offset));
    }
    put(to, "}\n");
}

static const char *comment_of(const md5_doc *doc, const md5_doc_joint *joint)
{
    return joint->comment              ? joint->comment
           : joint->parent == MD5_NONE ? ""
                                       : doc->joints[joint->parent].name;
}

static void put_model(text_writer *to, const md5_doc *doc)
{
    put(to, "numJoints %u\nnumMeshes %u\n\njoints {\n", doc->num_joints, doc->num_meshes);
    for (uint32_t i = 0; i < doc->num_joints; i++) {
        const md5_doc_joint *const joint = &doc->joints[i];
        put(to, "\t%q\t%u " POINT " " VECTOR "\t\t// %c\n", joint->name, joint->parent,
            XYZ(joint->position), XYZ(joint->rotation), comment_of(doc, joint));
    }
    put(to, "}\n");
    for (uint32_t m = 0; m < doc->num_meshes; m++)
        put_mesh(to, &doc->meshes[m]);
}

static void put_anim(text_writer *to, const md5_doc *doc, bool *begins_line)
{
    put(to, "numFrames %u\nnumJoints %u\nframeRate %d\n", doc->num_frames, doc->num_joints,
        doc->frame_rate);
    put(to, "numAnimatedComponents %u\n\nhierarchy {\n", doc->num_components);
    for (uint32_t i = 0; i < doc->num_joints; i++) {
        const md5_doc_joint *const joint = &doc->joints[i];
        if (joint->track.flags != 0)
            begins_line[joint->track.first] = true;
        put(to, "\t%q\t%u %u %u\t// %c\n", joint->name, joint->parent, joint->track.flags,
            joint->track.first, comment_of(doc, joint));
    }
    put(to, doc->bounds ? "}\n\nbounds {\n" : "}\n\nbaseframe {\n");
    if (doc->bounds) {
        for (uint32_t i = 0; i < doc->num_frames; i++)
            put(to, "\t" VECTOR " " VECTOR "\n", XYZ(doc->bounds[i].min), XYZ(doc->bounds[i].max));
    }
    put(to, doc->bounds ? "}\n\nbaseframe {\n" : "");
    for (uint32_t j = 0; j < doc->num_joints; j++)
        put(to, "\t" POINT " " VECTOR "\n", XYZ(doc->joints[j].position),
            XYZ(doc->joints[j].rotation));
    put(to, "}\n");
    const float *number = doc->numbers;
    for (uint32_t f = 0; f < doc->num_frames; f++) { // a line for each joint
        put(to, "\nframe %u {", f);
        for (uint32_t i = 0; i < doc->num_components; i++)
            put(to, i == 0 || begins_line[i] ? "\n\t%l" : " %l", (double)*number++);
        put(to, "\n}\n");
    }
}

// Cuts with a view of their own are a dialect, which is written as it is read.
static void put_camera(text_writer *to, const md5_doc *doc)
{
    put(to, "numFrames %u\nframeRate %d\nnumCuts %u\n\ncuts {\n", doc->num_frames, doc->frame_rate,
        doc->num_cuts);
    for (uint32_t i = 0, k = 0; i < doc->num_cuts; i++) {
        put(to, "\t%u", doc->cuts[i]);
        if (k < doc->num_cut_views && doc->cut_views[k].cut == i) {
            const md5_cut_view *const view = &doc->cut_views[k++];
            const md5_vec3 rotation = md5_stored_rotation(view->rotation);
            put(to, view->has_position ? " pos " POINT : "", XYZ(view->position));
            put(to, view->has_rotation ? " rot " VECTOR : "", XYZ(rotation));
        }
        put(to, "\n");
    }
    put(to, "}\n\ncamera {\n");
    for (uint32_t i = 0; i < doc->num_frames; i++) {
        const md5_camera_view *const view = &doc->views[i];
        const md5_vec3 rotation = md5_stored_rotation(view->rotation);
        put(to, "\t" POINT " " VECTOR " %l\n", XYZ(view->position), XYZ(rotation), view->fov);
    }
    put(to, "}\n");
}

size_t md5_write_doc(const md5_doc *doc, char *text, size_t size, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT(text || size == 0, "text: must not be NULL");
    text_writer to = {.text = text, .size = size, .comments = doc->comments};
    to.end = to.comments ? to.comments + doc->num_comments : NULL;
    md5i_context_begin_memory(&to.context, doc->allocator, error);
    md5_arena scratch = {.context = &to.context};
    uint64_t num_references = 0;
    bool *const begins_line = MD5_NEW(&scratch, bool, (size_t)doc->num_components + 1);
    const bool is_sound = begins_line && md5i_check_doc(&scratch, doc, &num_references);
    const char *const comment = doc->comment ? doc->comment : "";
    if (doc->parents_unknown)
        MD5_FAIL(&to.context, MD5_ERROR_VERSION,
                 "cannot write an animation of MD5 version 6: it stores no hierarchy; add the "
                 "hierarchy of its mesh");
    put(&to, *comment ? "MD5Version 10 // %c\n" : "MD5Version 10\n", comment);
    put(&to, "commandline %q\n\n", doc->command_line);
    if (is_sound && doc->kind == MD5_DOC_MODEL)
        put_model(&to, doc);
    else if (is_sound && doc->kind == MD5_DOC_ANIM)
        put_anim(&to, doc, begins_line);
    else if (is_sound)
        put_camera(&to, doc);
    to.at.block = MD5_NONE;
    if (to.comments < to.end)
        end_line(&to);
    if (num_references > to.used) // it could not be read
        MD5_FAIL(&to.context, MD5_ERROR_RANGE,
                 "elements share too many other elements: %llu references exceed the file size "
                 "(%zu bytes)",
                 (unsigned long long)num_references, to.used);
    md5i_arena_free(&scratch);
    if (to.context.error.status != MD5_OK)
        to.used = 0;
    if (size > 0)
        text[to.used < size ? to.used : size - 1] = '\0';
    return to.used;
}
