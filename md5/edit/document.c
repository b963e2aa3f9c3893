// Documents contain an MD5 file as tables that a program can change. This file reads a text into a
// document, checks the indices of a document, and writes a document as a text.
//
// The readers of md5/read create the tables, which become part of the document without copying.
// Comments are collected in a second pass over the text. Each is stored with the position of its
// line, so that it can be written there again.
#include "md5/core/freed.h"
#include "md5/core/file.h"
#include "md5/core/math.h"
#include "md5/edit/document.h"
#include "md5/read/tables.h"

// == Reading =====================================================================================
//
// The readers store the tables of a file in an arena, which becomes the document's memory.

// Returns a copy of the comment that follows the version in the first line of a text. Returns "" if
// there is no comment, and NULL if memory runs out.
static char *copy_version_comment(md5_arena *arena, const char *text, size_t size)
{
    // A binary file does not begin with the M of MD5Version, and does not have a comment.
    const char *const text_end = text[0] == 'M' ? text + size : text;
    const char *line_end = text;
    while (line_end < text_end && *line_end != '\n' && *line_end != '\r')
        line_end++;

    const char *slashes = text;
    while (line_end - slashes >= 2 && (slashes[0] != '/' || slashes[1] != '/'))
        slashes++;
    const bool has_comment = line_end - slashes >= 2;
    if (!has_comment)
        return md5_copy_text(arena, line_end, 0);

    const char *comment = slashes + 2;
    while (comment < line_end && (unsigned char)*comment <= ' ')
        comment++;
    return md5_copy_text(arena, comment, (size_t)(line_end - comment));
}

// Parts of a text: the values of md5_doc_comment.part, in the order in which parts are written.
enum {
    DOC_PART_VERSION,
    DOC_PART_COMMAND_LINE,
    DOC_PART_NUM_FRAMES,
    DOC_PART_NUM_JOINTS,
    DOC_PART_NUM_MESHES,
    DOC_PART_FRAME_RATE,
    DOC_PART_NUM_COMPONENTS,
    DOC_PART_NUM_CUTS,
    DOC_PART_JOINTS,
    DOC_PART_HIERARCHY,
    DOC_PART_BOUNDS,
    DOC_PART_BASE_FRAME,
    DOC_PART_CUTS,
    DOC_PART_CAMERA,
    DOC_PART_MESH,
    DOC_PART_FRAME,
    DOC_PART_SHADER,
    DOC_PART_NUM_VERTICES,
    DOC_PART_NUM_TRIANGLES,
    DOC_PART_NUM_WEIGHTS,
    NUM_DOC_PARTS,
};

// The keyword with which the first line of each part begins.
static const char *const doc_part_keywords[NUM_DOC_PARTS] = {
    [DOC_PART_VERSION] = "MD5Version",
    [DOC_PART_COMMAND_LINE] = "commandline",
    [DOC_PART_NUM_FRAMES] = "numFrames",
    [DOC_PART_NUM_JOINTS] = "numJoints",
    [DOC_PART_NUM_MESHES] = "numMeshes",
    [DOC_PART_FRAME_RATE] = "frameRate",
    [DOC_PART_NUM_COMPONENTS] = "numAnimatedComponents",
    [DOC_PART_NUM_CUTS] = "numCuts",
    [DOC_PART_JOINTS] = "joints",
    [DOC_PART_HIERARCHY] = "hierarchy",
    [DOC_PART_BOUNDS] = "bounds",
    [DOC_PART_BASE_FRAME] = "baseframe",
    [DOC_PART_CUTS] = "cuts",
    [DOC_PART_CAMERA] = "camera",
    [DOC_PART_MESH] = "mesh",
    [DOC_PART_FRAME] = "frame",
    [DOC_PART_SHADER] = "shader",
    [DOC_PART_NUM_VERTICES] = "numverts",
    [DOC_PART_NUM_TRIANGLES] = "numtris",
    [DOC_PART_NUM_WEIGHTS] = "numweights",
};

// Advances a location to the next line that is not empty. `word` is the first word of that line. If
// it is the keyword of a part, the part begins, and its lines are counted from 0. A mesh or a frame
// also begins a block. Reading and writing both count lines with this function. Thus a comment is
// written at the line from which it was read.
static void begin_line(md5_doc_comment *location, md5_span word)
{
    location->row++;
    for (uint32_t part = 0; part < NUM_DOC_PARTS; part++) {
        if (!md5_span_is(word, doc_part_keywords[part]))
            continue;
        if (part == DOC_PART_MESH || part == DOC_PART_FRAME)
            location->block++;
        location->part = part;
        location->row = 0;
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

// Returns the joint whose line ends with a comment at this location, or NULL. Row 0 of a part is
// the line with its keyword, so row 1 is the first joint.
static md5_doc_joint *find_commented_joint(const md5_doc *doc, const md5_doc_comment *location)
{
    if (!location->is_behind || location->row == 0 || location->row > doc->num_joints)
        return NULL;
    if (location->part != DOC_PART_JOINTS && location->part != DOC_PART_HIERARCHY)
        return NULL;
    return &doc->joints[location->row - 1];
}

// Returns the name that md5_write_doc() adds as a comment at a location. This is the name of a
// joint's parent or of a mesh. Returns "" if it adds none. `joint` is NULL if the location is not
// the line of a joint.
static const char *default_comment(const md5_doc *doc, const md5_doc_comment *location,
                                   const md5_doc_joint *joint)
{
    if (joint && joint->parent != MD5_NONE)
        return doc->joints[joint->parent].name;
    const bool is_in_mesh = location->block > 0 && location->block <= doc->num_meshes;
    return is_in_mesh ? doc->meshes[location->block - 1].name : "";
}

// Returns a copy of a comment. Blanks at its ends are removed, and control bytes become blanks.
static char *copy_comment(md5_arena *arena, const char *from, const char *to)
{
    while (from < to && (unsigned char)*from <= ' ')
        from++;
    while (to > from && (unsigned char)to[-1] <= ' ')
        to--;
    const size_t size = (size_t)(to - from);
    char *const text = md5_copy_text(arena, from, size);
    if (!text)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        const bool is_control = (unsigned char)text[i] < ' ' && text[i] != '\t';
        text[i] = is_control ? ' ' : text[i];
    }
    return text;
}

// Returns true if a comment is the one that exporters write: the name of the parent after a joint,
// or "meshes: NAME" in a mesh. Such a comment is not stored. md5_write_doc() writes it with the
// current name instead.
static bool is_default_comment(const md5_doc *doc, const md5_doc_comment *location,
                               const md5_doc_joint *joint, const char *text)
{
    static const char label[] = "meshes:";
    const size_t label_length = sizeof label - 1;
    if (joint)
        return strcmp(text, default_comment(doc, location, joint)) == 0;
    if (location->block == 0 || strncmp(text, label, label_length) != 0)
        return false;
    const char *const name = text + label_length + strspn(text + label_length, " \t");
    return strcmp(name, default_comment(doc, location, joint)) == 0;
}

// Stores one line of a comment in its joint or in the list of comments. The line is from `from` to
// `to`. Empty lines and the default comment of the location are not stored. Returns false and sets
// the error if memory runs out.
static bool store_comment_line(md5_arena *arena, md5_doc *doc, md5_doc_comment location,
                               const char *from, const char *to)
{
    md5_doc_joint *const joint = find_commented_joint(doc, &location);
    char *const text = copy_comment(arena, from, to);
    TRY(text);
    if (text[0] == '\0' || is_default_comment(doc, &location, joint, text))
        return true;
    if (joint && !joint->comment) {
        joint->comment = text;
        return true;
    }
    location.text = text;
    doc->comments =
        (md5_doc_comment *)md5_grow(arena, doc->comments, doc->num_comments, sizeof *doc->comments);
    TRY(doc->comments);
    doc->comments[doc->num_comments++] = location;
    return true;
}

// Returns true if the two characters that end a block comment are at `at`.
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

// Stores the comment whose text begins at lex->at, and moves lex->at to its end. A block comment
// becomes one entry for each of its lines. All these entries have the same location.
static bool store_comment(md5_arena *arena, md5_doc *doc, md5_doc_comment location, bool is_block,
                          md5_lex *lex)
{
    for (;;) {
        const char *const end = comment_line_end(lex, lex->at, is_block);
        const bool is_block_end = is_block && is_block_comment_end(lex, end);
        TRY(store_comment_line(arena, doc, location, lex->at, end));
        lex->at = is_block_end ? end + 2 : end;
        if (!is_block || is_block_end || end == lex->end)
            return true;
        lex->at++; // the line break
    }
}

// Returns '/' if a line comment begins at `at`, and '*' if a block comment begins there. Otherwise
// returns NUL.
static char comment_kind(const md5_lex *lex, const char *at)
{
    if (*at != '/' || lex->end - at < 2)
        return '\0';
    return at[1] == '/' || at[1] == '*' ? at[1] : '\0';
}

// Returns the end of the token that begins with `word`. Names may contain slashes, but after a
// number a slash begins a comment.
static const char *token_end_before_comment(const md5_lex *lex, md5_span word)
{
    if (!md5_span_is_name(word)) {
        const char *const slash = (const char *)memchr(word.bytes, '/', word.size);
        if (slash && slash > word.bytes)
            return slash;
    }
    return md5i_lex_token_end(lex, word.bytes);
}

// Stores the comment that begins at lex->at, and moves lex->at past it. The comment after the
// version is only skipped, because copy_version_comment() copies it. `kind` is the result of
// comment_kind(). Returns false and sets the error if memory runs out.
static bool read_document_comment(md5_arena *arena, md5_doc *doc, md5_doc_comment location,
                                  char kind, md5_lex *lex)
{
    const bool is_block = kind == '*';
    const bool is_first_line =
        lex->text[0] == 'M' && location.part == DOC_PART_VERSION && location.row == 0;
    const bool is_after_version = is_first_line && location.is_behind && !is_block;
    lex->at += 2; // the two characters that begin the comment
    if (is_after_version) {
        lex->at = comment_line_end(lex, lex->at, false);
        return true;
    }
    return store_comment(arena, doc, location, is_block, lex);
}

// Moves lex->at past the token that begins there. The first word of a line also moves `location` to
// that line. A line that contains only a brace does not count as a line.
static void skip_located_token(md5_lex *lex, md5_doc_comment *location)
{
    const char *const at = lex->at;
    const md5_span word = {at, (size_t)(md5i_lex_word_end(lex, at) - at)};
    lex->at = token_end_before_comment(lex, word);
    if (!location->is_behind && *at != '{') {
        location->is_behind = true;
        begin_line(location, word);
    }
}

// Stores all comments of a text that the readers have accepted, each with the location of its line.
static bool store_comments(md5_arena *arena, const char *text, size_t size, md5_doc *doc)
{
    md5_doc_comment location = {0}; // the current line; is_behind: the line contains a word
    md5_lex lex;
    md5i_lex_begin(&lex, arena, text, size);
    while (lex.at < lex.end) {
        // The readers treat bytes from 0x80 on as blanks, too.
        const unsigned char byte = (unsigned char)*lex.at;
        const bool is_blank = byte <= ' ' || byte >= 0x80;
        const bool is_line_end = byte == '\n' || byte == '\r';
        const char kind = comment_kind(&lex, lex.at);
        if (kind != '\0') {
            TRY(read_document_comment(arena, doc, location, kind, &lex));
        } else if (is_blank) {
            location.is_behind = location.is_behind && !is_line_end;
            lex.at++;
        } else {
            skip_located_token(&lex, &location);
        }
    }
    return true;
}

// Creates the joints of a document. `transforms` are the bind pose of a model, or the base frame of
// a clip.
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
        joint->name = md5_copy_text(arena, joints[j].name.bytes, joints[j].name.size);
        TRY(joint->name);
    }
    return true;
}

// Creates a mesh of a document from the tables that the reader created in the same arena. Returns
// false and sets the error if memory runs out. A file with normals also fails, because a document
// cannot store them.
static bool store_mesh(md5_arena *arena, const md5_mesh_build *from, md5_doc_mesh *mesh)
{
    const bool has_normals = from->has_frames; // tangent frames of version 12
    if (has_normals)
        return MD5_FAIL(arena->context, MD5_ERROR_VERSION,
                        "cannot edit a file of MD5 version 12: editing would lose its normals; "
                        "export the file as version 10");
    *mesh = (md5_doc_mesh){
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
    return mesh->name && mesh->shader;
}

// Reads the text of a mesh file into the tables of a document.
static bool read_model(md5_arena *arena, const char *text, size_t size, md5_doc *doc)
{
    md5_mesh_file file;
    TRY(md5i_read_all_meshes(arena, text, size, &file));
    doc->command_line = md5_copy_text(arena, file.command_line.bytes, file.command_line.size);
    TRY(doc->command_line);
    TRY(store_joints(arena, file.joints, file.bind, file.num_joints, doc));

    doc->num_meshes = file.num_meshes;
    doc->meshes = MD5_ALLOC_ZEROED(arena, md5_doc_mesh, file.num_meshes);
    TRY(doc->meshes);
    for (uint32_t m = 0; m < file.num_meshes; m++)
        TRY(store_mesh(arena, &file.meshes[m], &doc->meshes[m]));
    return true;
}

// Reads the text of an animation into the tables of a document. The casts remove the const of the
// reader's tables, which belong to the document now.
static bool read_anim(md5_arena *arena, const char *text, size_t size, md5_doc *doc)
{
    md5_anim_file file;
    TRY(md5i_read_anim_file(arena, text, size, NULL, &file));
    doc->command_line = md5_copy_text(arena, file.command_line.bytes, file.command_line.size);
    TRY(doc->command_line);
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

// Reads the text of a camera file into the tables of a document.
static bool read_camera(md5_arena *arena, const char *text, size_t size, md5_doc *doc)
{
    md5_camera_file file;
    TRY(md5i_read_camera_file(arena, text, size, &file));
    doc->command_line = md5_copy_text(arena, file.command_line.bytes, file.command_line.size);
    TRY(doc->command_line);
    doc->num_frames = file.num_frames;
    doc->frame_rate = file.frame_rate;
    doc->num_cuts = file.num_cuts;
    doc->num_cut_views = file.num_cut_views;
    doc->cuts = (uint32_t *)file.cuts;
    doc->cut_views = (md5_cut_view *)file.cut_views;
    doc->views = (md5_camera_view *)file.frames;
    return true;
}

// Returns true if a file begins like a binary file of Doom 3 BFG, which cannot contain comments.
static bool is_binary_file(const char *bytes, size_t size)
{
    return md5_has_magic(bytes, size, MD5_BFG_MESH) || md5_has_magic(bytes, size, MD5_BFG_ANIM)
           || md5_has_magic(bytes, size, MD5_BFG_CAMERA);
}

// Reads the tables of a file of a kind, then its comments.
static bool read_document(md5_arena *arena, md5_doc_kind kind, const char *text, size_t size,
                          md5_doc *doc)
{
    typedef bool read_doc(md5_arena * arena, const char *text, size_t size, md5_doc *doc);
    static read_doc *const readers[] = {
        [MD5_DOC_MODEL] = read_model,
        [MD5_DOC_ANIM] = read_anim,
        [MD5_DOC_CAMERA] = read_camera,
    };
    TRY(readers[kind](arena, text, size, doc));
    if (!is_binary_file(text, size))
        TRY(store_comments(arena, text, size, doc));
    doc->comment = copy_version_comment(arena, text, size);
    return doc->comment != NULL;
}

// Reads the text of a file into a document. The document can be changed and written again,
// including the comments of the file. Returns NULL and sets the error on failure.
md5_doc *md5_parse_doc(md5_doc_kind kind, const void *text, size_t size, const md5_load_opts *opts,
                       md5_error *error)
{
    MD5_ASSERT((size_t)kind <= MD5_DOC_CAMERA, "kind: must be a value of md5_doc_kind");
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
    const bool is_read = doc && read_document(&arena, kind, bytes, size, doc);
    md5i_report_merged_warnings(&context);
    if (!is_read) {
        md5i_arena_free(&arena);
        return NULL;
    }

    // From here on the document owns the memory of the arena.
    doc->kind = kind;
    doc->allocator = context.allocator;
    doc->internal = (md5_internal){.memory = arena.chunks, .tag = MD5_TAG_DOC};
    return doc;
}

// Frees a document with all its tables, which are in one arena. NULL has no effect.
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
// A program can write any index into a document. Therefore these functions check that indices are
// inside of their tables and that parents form no cycle. Other numbers are checked when they are
// written.

// Sets the error of an index that is out of range, and returns false. `subject` describes the
// index, such as "weight index of vertex". `index` is the element that contains it.
static bool fail_at(md5_context *context, const char *subject, size_t index)
{
    return MD5_FAIL(context, MD5_ERROR_RANGE, "%s %llu is out of range", subject,
                    (unsigned long long)index);
}

// Checks that all parents are joints and do not form a cycle. Otherwise returns false and sets the
// error. Walks from each joint to its ancestors, and marks them with the number of the walk. If a
// walk meets its own mark, there is a cycle. A walk ends at the mark of an earlier walk, because
// the ancestors from there on are checked already. Thus the time is linear.
static bool check_parents(md5_arena *arena, const md5_doc *doc)
{
    uint32_t *const marks = MD5_ALLOC_ZEROED(arena, uint32_t, doc->num_joints); // 0: not visited
    TRY(marks);
    for (uint32_t joint = 0; joint < doc->num_joints; joint++) {
        const uint32_t walk = joint + 1;
        for (uint32_t ancestor = joint; ancestor != MD5_NONE;
             ancestor = doc->joints[ancestor].parent) {
            if (ancestor >= doc->num_joints || marks[ancestor] == walk)
                return fail_at(arena->context, "parent of joint", joint);
            if (marks[ancestor] > 0)
                break;
            marks[ancestor] = walk;
        }
    }
    return true;
}

// Returns true if the flags of a track are valid, and the frames contain all its components.
static bool is_track_valid(const md5_doc *doc, md5_track track)
{
    if (track.flags > (MD5_TRANSLATION_FLAGS | MD5_ROTATION_FLAGS))
        return false;
    const uint32_t count = md5i_count_flags(track.flags);
    return count == 0 || (uint64_t)track.first + count <= doc->num_components;
}

// Checks the indices of a mesh, and adds the number of its references to weights to
// *num_references. Returns false and sets the error if an index is out of range.
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

// Checks that a document contains what every file of its kind contains. A model or animation needs
// joints. An animation or camera needs frames and a frame rate. Otherwise returns false and sets
// the error.
static bool check_required_parts(md5_context *context, const md5_doc *doc)
{
    const bool needs_joints = doc->kind != MD5_DOC_CAMERA;
    const bool needs_frames = doc->kind != MD5_DOC_MODEL;
    if (needs_joints && doc->num_joints == 0)
        return MD5_FAIL(context, MD5_ERROR_RANGE, "document has no joints: expected at least 1");
    if (needs_frames && doc->num_frames == 0)
        return MD5_FAIL(context, MD5_ERROR_RANGE, "document has no frames: expected at least 1");
    if (needs_frames && !(doc->frame_rate > 0))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "frame rate is out of range: expected more than 0, found %g",
                        doc->frame_rate);
    return true;
}

// Checks every index and count of a document, so that its tables can be followed safely. Also
// counts the references of vertices to weights and of frames to components. Returns false and sets
// the error if an index is out of range.
bool md5i_check_doc(md5_arena *arena, const md5_doc *doc, uint64_t *num_references)
{
    md5_context *const context = arena->context;
    *num_references = 0;
    TRY(check_required_parts(context, doc));

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

// Output of md5_write_doc(). If a write function fails, it sets the error of the context and
// continues. md5_write_doc() checks for the error at the end and then discards the text.
typedef struct text_writer {
    md5_context context;
    char *text; // [size]
    size_t size;
    size_t used;                         // length of the whole text, which may exceed `size`
    const md5_doc_comment *comments;     // the next comment to write
    const md5_doc_comment *comments_end; // end of the comments
    md5_doc_comment at;                  // current line; is_behind: it contains a token
} text_writer;

// Writes the bytes that fit into the buffer. Bytes that do not fit are counted, so that a call
// without a buffer measures the length.
static void write_bytes(text_writer *to, const char *bytes, size_t count)
{
    const size_t free_size = to->used < to->size ? to->size - to->used : 0;
    if (count > 0 && free_size > 0)
        memcpy(to->text + to->used, bytes, count < free_size ? count : free_size);
    to->used += count;
}

static void write_text(text_writer *to, const char *text)
{
    write_bytes(to, text, strlen(text));
}

// The forms in which write_string() writes a text: unchanged, or between quotes.
typedef enum string_kind { COMMENT_STRING, QUOTED_STRING } string_kind;

// Writes a text in quotes, or the text of a comment. NULL is written as "". Fails if the text
// contains a control character, such as a line break, or a quoted text contains a quote.
static void write_string(text_writer *to, const char *text, string_kind kind)
{
    text = text ? text : "";
    for (const char *byte = text; *byte; byte++) {
        const bool is_control = (unsigned char)*byte < ' ' && *byte != '\t';
        if (is_control || (kind == QUOTED_STRING && *byte == '"'))
            MD5_FAIL(&to->context, MD5_ERROR_MISMATCH, "cannot write the text %s: it contains %s",
                     MD5_QUOTED(text), is_control ? "a control character" : "a quote");
    }

    const char *const quote = kind == QUOTED_STRING ? "\"" : "";
    write_text(to, quote);
    write_text(to, text);
    write_text(to, quote);
}

// Ends a line. Writes the comments at its end, and then the comments on separate lines below it.
// The latter include comments of earlier lines that do not exist any more.
static void end_line(text_writer *to)
{
    const md5_doc_comment *comment = to->comments;
    bool is_at_end = true; // false after the first comment on a separate line
    for (; comment < to->comments_end && !is_after(comment, &to->at); comment++) {
        const bool is_of_this_line = !is_after(&to->at, comment);
        is_at_end = is_at_end && comment->is_behind && is_of_this_line;
        write_text(to, is_at_end ? " // " : "\n// ");
        write_string(to, comment->text, COMMENT_STRING);
    }
    to->comments = comment;
    write_text(to, "\n");
    to->at.is_behind = false;
}

// Writes the characters of a format up to `end`, which is a directive or the end of the format.
// Counts lines, so that comments are written with their lines: the first word of a line begins it,
// and a line break ends it. The line with the name of a mesh is itself a comment and is not
// counted.
static void write_layout(text_writer *to, const char *format, const char *end)
{
    while (format < end) {
        const size_t length = strcspn(format, "\n%"); // up to a line break or `end`
        const char *const word = format + strspn(format, "\t");
        if (length > 0 && !to->at.is_behind) {
            to->at.is_behind = true;
            if (*word != '/')
                begin_line(&to->at, (md5_span){word, strcspn(word, " \n")});
        }
        write_bytes(to, format, length);
        format += length;
        if (format == end)
            return;

        // Write the line break. An empty line is not counted as a line.
        if (to->at.is_behind)
            end_line(to);
        else
            write_text(to, "\n");
        format++;
    }
}

// A printed number: at most 39 digits of a float, a sign, a point and 60 decimals.
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

// Returns true if the readers of this library convert a text to exactly this number.
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

// Converts a magnitude to a whole number of units, of which 10^decimals make 1. Returns false if a
// double cannot store this number exactly.
static bool count_units(double magnitude, int decimals, uint64_t *units)
{
    const double exact_limit = 9007199254740992; // 2^53
    if (decimals > MD5_MAX_EXACT_POWER)
        return false;
    const double scaled = magnitude * md5i_exact_powers[decimals];
    if (!(scaled < exact_limit))
        return false;
    *units = (uint64_t)nearbyint(scaled); // to even in the middle, as printf() does
    return true;
}

// Prints a number of units. Returns the length. This takes a fraction of the time of snprintf().
static size_t print_units(uint64_t units, int decimals, bool is_negative, number_text text)
{
    char *const end = text + sizeof(number_text);
    char *first = end;
    for (int i = 0; i <= decimals || units > 0; i++) {
        if (i == decimals && decimals > 0)
            *--first = '.';
        *--first = (char)('0' + units % 10);
        units /= 10;
    }
    if (is_negative)
        *--first = '-';
    const size_t length = (size_t)(end - first);
    memmove(text, first, length);
    return length;
}

// Prints a number with this number of decimals. Returns true if the readers convert the text to the
// same number.
static bool print_same_number(double number, int decimals, bool is_float, number_text text,
                              size_t *length)
{
    const double magnitude = fabs(number);
    uint64_t units = 0;
    if (count_units(magnitude, decimals, &units)) {
        const double rounded = (double)units / md5i_exact_powers[decimals];
        const bool is_near = is_float ? (float)rounded == (float)magnitude : rounded == magnitude;
        if (!is_near)
            return false;
        *length = print_units(units, decimals, signbit(number), text);
    } else {
        *length = print_number(number, decimals, text);
    }
    return reads_as(text, *length, number, is_float);
}

// Writes a number with as few decimals as possible, so that the readers convert it to the same
// number. Fails if the number is not finite. `is_float` is true if the readers store the number as
// a float.
static void write_number(text_writer *to, double number, bool is_float)
{
    enum { MAX_DECIMALS = 60 };
    if (!isfinite((float)number)) {
        MD5_FAIL(&to->context, MD5_ERROR_RANGE,
                 "cannot write a number: expected a finite value, found %g", number);
        return;
    }
    number_text text;
    size_t length = 0;
    bool is_same = false;
    for (int decimals = 0; decimals <= MAX_DECIMALS && !is_same; decimals++)
        is_same = print_same_number(number, decimals, is_float, text, &length);
    write_bytes(to, text, length);
}

#define VECTOR "( %f %f %f )"
#define POINT "( %l %l %l )"
#define XYZ(v) (double)(v).x, (double)(v).y, (double)(v).z

// Writes an index or a count. MD5_NONE, such as the parent of a root, is written as -1.
static void write_uint(text_writer *to, uint32_t number)
{
    number_text text;
    const bool is_none = number == MD5_NONE;
    const size_t length = print_units(is_none ? 1 : number, 0, is_none, text);
    write_bytes(to, text, length);
}

// Writes a number that the readers limit to MD5_MAX_LENGTH. Fails if it exceeds this limit.
static void write_length(text_writer *to, double number)
{
    // Infinity and NaN are reported by write_number().
    if (isfinite(number) && !md5_length_in_range((float)number))
        MD5_FAIL(&to->context, MD5_ERROR_RANGE,
                 "number is out of range: expected -1e9 to 1e9, found %g", number);
    write_number(to, number, true);
}

// Writes a format in which each directive stands for one of the values, as for printf().
// Directives:
//
//   %u   uint32_t; MD5_NONE is written as -1
//   %f   double that the readers store as a float
//   %l   double that the readers store as a float and limit to MD5_MAX_LENGTH
//   %d   double that the readers store as a double
//   %q   text, written in quotes
//   %c   text of a comment
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
            write_uint(to, va_arg(values, uint32_t));
        } else if (kind == 'l') {
            write_length(to, va_arg(values, double));
        } else if (kind == 'f' || kind == 'd') {
            const bool is_float = kind == 'f';
            write_number(to, va_arg(values, double), is_float);
        } else {
            const string_kind string = kind == 'q' ? QUOTED_STRING : COMMENT_STRING;
            write_string(to, va_arg(values, const char *), string);
        }
    }
    va_end(values);
}

// Writes the first line of a mesh, and its name as a comment. A name that begins or ends with a
// blank fails, because the readers would remove the blank.
static void write_mesh_name(text_writer *to, const char *name)
{
    const size_t length = strlen(name);
    if (length == 0) {
        write_format(to, "\nmesh {\n");
        return;
    }
    const bool begins_with_blank = (unsigned char)name[0] <= ' ';
    const bool ends_with_blank = (unsigned char)name[length - 1] <= ' ';
    if (begins_with_blank || ends_with_blank)
        MD5_FAIL(&to->context, MD5_ERROR_MISMATCH,
                 "cannot write mesh name %s: expected a name without blanks at its start and end",
                 MD5_QUOTED(name));
    write_format(to, "\nmesh {\n\t// meshes: %c\n", name);
}

// Writes the vertices of a mesh. The first weight of a vertex without weights is written as 0,
// because engines may read that weight.
static void write_vertices(text_writer *to, const md5_doc_mesh *mesh)
{
    write_format(to, "\n\tnumverts %u\n", mesh->num_vertices);
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const md5_vertex vertex = mesh->vertices[v];
        const md5_vec2 texcoord = mesh->texcoords[v];
        const uint32_t first_weight = vertex.num_weights > 0 ? vertex.first_weight : 0;
        write_format(to, "\tvert %u ( %f %f ) %u %u\n", v, (double)texcoord.x, (double)texcoord.y,
                     first_weight, vertex.num_weights);
    }
}

// Writes a mesh with its vertices, triangles and weights.
static void write_mesh(text_writer *to, const md5_doc_mesh *mesh)
{
    write_mesh_name(to, mesh->name ? mesh->name : "");
    write_format(to, "\tshader %q\n", mesh->shader);
    write_vertices(to, mesh);

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

// Returns the comment of a joint's line. It is the comment that the file had, or else the name of
// the parent, as id's exporter writes it.
static const char *joint_comment(const md5_doc *doc, const md5_doc_joint *joint)
{
    if (joint->comment)
        return joint->comment;
    return joint->parent == MD5_NONE ? "" : doc->joints[joint->parent].name;
}

// Writes the joints and meshes of a model.
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

// Writes the hierarchy of an animation. For each joint, this is the parent, the animated components
// as flags, and the index of the first component in a frame.
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

// Writes the bounding boxes of all frames of an animation.
static void write_bounds(text_writer *to, const md5_doc *doc)
{
    write_format(to, "\nbounds {\n");
    for (uint32_t i = 0; i < doc->num_frames; i++)
        write_format(to, "\t" VECTOR " " VECTOR "\n", XYZ(doc->bounds[i].min),
                     XYZ(doc->bounds[i].max));
    write_format(to, "}\n");
}

// Writes the base frame of an animation: the values of components that are not animated.
static void write_base_frame(text_writer *to, const md5_doc *doc)
{
    write_format(to, "\nbaseframe {\n");
    for (uint32_t j = 0; j < doc->num_joints; j++)
        write_format(to, "\t" POINT " " VECTOR "\n", XYZ(doc->joints[j].position),
                     XYZ(doc->joints[j].rotation));
    write_format(to, "}\n");
}

// Writes an animation. In the frames, the values of each joint begin a new line.
// begins_line[num_components] is a buffer that marks the first component of each joint. All its
// elements must be false.
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
        for (uint32_t i = 0; i < doc->num_components; i++) {
            const bool is_line_begin = i == 0 || begins_line[i];
            write_format(to, is_line_begin ? "\n\t%l" : " %l", (double)*number);
            number++;
        }
        write_format(to, "\n}\n");
    }
}

// Writes a camera path. Cuts with a view are an extension of the format, which the reader supports.
static void write_camera(text_writer *to, const md5_doc *doc)
{
    write_format(to, "numFrames %u\nframeRate %d\nnumCuts %u\n\ncuts {\n", doc->num_frames,
                 doc->frame_rate, doc->num_cuts);
    uint32_t num_written = 0; // cut views; they are sorted by cut
    for (uint32_t i = 0; i < doc->num_cuts; i++) {
        write_format(to, "\t%u", doc->cuts[i]);
        if (num_written < doc->num_cut_views && doc->cut_views[num_written].cut == i) {
            const md5_cut_view *const view = &doc->cut_views[num_written++];
            const md5_vec3 rotation = md5_quat_to_xyz(view->rotation);
            if (view->has_position)
                write_format(to, " pos " POINT, XYZ(view->position));
            if (view->has_rotation)
                write_format(to, " rot " VECTOR, XYZ(rotation));
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

// Writes the whole file of a checked document: its version, its command line and the tables of its
// kind. Finally writes the comments whose lines do not exist any more. `begins_line` is the buffer
// of write_anim().
static void write_file(text_writer *to, const md5_doc *doc, bool *begins_line)
{
    const char *const comment = doc->comment ? doc->comment : "";
    write_format(to, *comment ? "MD5Version 10 // %c\n" : "MD5Version 10\n", comment);
    write_format(to, "commandline %q\n\n", doc->command_line);
    if (doc->kind == MD5_DOC_MODEL)
        write_model(to, doc);
    else if (doc->kind == MD5_DOC_ANIM)
        write_anim(to, doc, begins_line);
    else
        write_camera(to, doc);

    // The remaining comments belong to lines that were not written. Move to a location after all
    // lines, so that end_line() writes these comments at the end of the file.
    to->at.block = MD5_NONE;
    if (to->comments < to->comments_end)
        end_line(to);
}

// Writes a document as the text of an MD5 file. The text is truncated to `size` bytes, including
// its final NUL. Returns the length of the full text, so that a call without a buffer measures it.
// Returns 0 if the document is invalid.
size_t md5_write_doc(const md5_doc *doc, char *text, size_t size, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT(text || size == 0, "text: must not be NULL");

    text_writer to = {.text = text, .size = size, .comments = doc->comments};
    to.comments_end = to.comments ? to.comments + doc->num_comments : NULL;
    md5i_context_begin_memory(&to.context, doc->allocator, error);
    md5_arena scratch = {.context = &to.context};

    // Check the document before its indices are followed.
    uint64_t num_references = 0;
    bool *const begins_line = MD5_ALLOC_ZEROED(&scratch, bool, (size_t)doc->num_components + 1);
    const bool is_valid = begins_line && md5i_check_doc(&scratch, doc, &num_references);
    if (doc->parents_unknown)
        MD5_FAIL(&to.context, MD5_ERROR_VERSION,
                 "cannot write an animation of MD5 version 6: it does not store the parents of "
                 "joints; add the parents of its mesh");
    if (is_valid)
        write_file(&to, doc, begins_line);

    // Readers reject a text with more references than bytes, because it could need much more memory
    // than its size. Do not write such a text.
    if (num_references > to.used)
        MD5_FAIL(&to.context, MD5_ERROR_RANGE,
                 "too many references between elements: expected at most %zu (the file size in "
                 "bytes), found %llu",
                 to.used, (unsigned long long)num_references);
    md5i_arena_free(&scratch);

    // The result is the size of the whole text, for any capacity. A text that is cut off also ends
    // with a zero byte.
    if (to.context.error.status != MD5_OK)
        to.used = 0;
    if (size > 0)
        text[to.used < size ? to.used : size - 1] = '\0';
    return to.used;
}
