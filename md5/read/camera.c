// Reads .md5camera: header, cuts, then one view per frame.
#include "md5/core/math.h"
#include "md5/read/tables.h"
#include "md5/read/header.h"

// Minimum sizes in the text, in bytes: see mesh.h.
enum {
    CUT_BYTES = sizeof "0 " - 1,
    VIEW_BYTES = sizeof "pos(0 0 0)" - 1,
    FRAME_BYTES = sizeof "(0 0 0)(0 0 0)0" - 1,
};

// State while an .md5camera is read.
typedef struct camera_reader {
    md5_lex lex;
    md5_header header;
    md5_count num_frames;
    md5_count num_cuts;
    const char *rate_at; // NULL = not read yet
    uint32_t *cuts;      // NULL = not read yet
    uint32_t num_cut_views;
    md5_cut_view *cut_views; // NULL = no cut with a view was read
    md5_camera_view *frames;
    md5_camera_file *file;
} camera_reader;

// -- Cuts -----------------------------------------------------------------------------------

// Reads the rotation of a view after a cut. It consists of Euler angles ( pitch yaw roll ) if
// `is_angles`, otherwise of x y z of a quaternion.
static bool read_cut_rotation(md5_lex *lex, bool is_angles, md5_quat *rotation)
{
    md5_vec3 numbers;
    if (is_angles) {
        TRY(md5i_lex_vec3(lex, md5i_lex_length, &numbers));
        const md5_quat q = md5_quat_from_euler((md5_euler){numbers.x, numbers.y, numbers.z});
        // w <= 0, like in rotations that files store as x y z.
        *rotation = q.w > 0 ? (md5_quat){-q.x, -q.y, -q.z, -q.w} : q;
        return true;
    }
    TRY(md5i_read_rotation(lex, &numbers));
    *rotation = md5_quat_from_xyz(numbers.x, numbers.y, numbers.z);
    return true;
}

// Returns true for the keywords of a view after a cut.
static bool is_view_word(md5_span word)
{
    return md5_span_is(word, "pos") || md5_span_is(word, "rotA") || md5_span_is(word, "rot");
}

// Allocates the views of cut `index` and of all later cuts when the first view is found. Allocates
// no more views than the remaining text could contain. Warns that the views of cuts are not used.
static bool begin_cut_views(camera_reader *reader, uint32_t index)
{
    md5_lex *const lex = &reader->lex;
    const size_t left = reader->num_cuts.value - index;
    const size_t max_views = (size_t)(lex->end - lex->at) / VIEW_BYTES + 1;
    reader->cut_views =
        MD5_ALLOC_ZEROED(lex->arena, md5_cut_view, left < max_views ? left : max_views);
    TRY(reader->cut_views);
    md5i_lex_warn(lex, lex->at,
                  "cuts contain camera views, which some engines show instead of the frames: "
                  "using the frames");
    return true;
}

// Reads one part of the view of a cut. The next keyword, `word`, begins it: `pos ( x y z )`, `rotA
// ( pitch yaw roll )` or `rot ( x y z )`. The last rotation counts if there are two, as in the
// engine that introduced the keywords.
static bool read_view_part(md5_lex *lex, md5_span word, md5_cut_view *view)
{
    const bool is_position = md5_span_is(word, "pos");
    const bool is_angles = md5_span_is(word, "rotA");
    bool *const is_given = is_position ? &view->has_position : &view->has_rotation;
    if (*is_given)
        md5i_lex_warn_token(lex, word.bytes, "is a duplicate in this cut: using the last value");
    *is_given = true;
    lex->at += word.size;
    if (is_position)
        return md5i_lex_vec3(lex, md5i_lex_length, &view->position);
    return read_cut_rotation(lex, is_angles, &view->rotation);
}

// Reads the camera view after cut `index`, if the file has one. The view contains a position, a
// rotation, or both. Few files contain such views.
static bool read_cut_view(camera_reader *reader, uint32_t index)
{
    md5_lex *const lex = &reader->lex;
    md5_span word = md5i_lex_peek_word(lex);
    if (!is_view_word(word))
        return true;

    const bool is_first_view = !reader->cut_views;
    if (is_first_view)
        TRY(begin_cut_views(reader, index));

    md5_cut_view *const view = &reader->cut_views[reader->num_cut_views++];
    view->cut = index;
    for (; is_view_word(word); word = md5i_lex_peek_word(lex))
        TRY(read_view_part(lex, word, view));
    return true;
}

// Reads cuts { frame [view] ... }. Cuts are indices of frames.
static bool read_cuts(camera_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_need_count(lex, &reader->num_frames, "numFrames"));
    TRY(md5i_need_count(lex, &reader->num_cuts, "numCuts"));
    if (reader->cuts)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "duplicate 'cuts': expected one");

    lex->at += strlen("cuts");
    TRY(md5i_lex_expect(lex, '{'));

    const uint32_t num_cuts = reader->num_cuts.value;
    reader->cuts = MD5_ALLOC_ZEROED(lex->arena, uint32_t, num_cuts);
    TRY(reader->cuts);
    for (uint32_t i = 0; i < num_cuts; i++) {
        if (md5i_lex_at_block_end(lex))
            return md5i_fail_too_few(lex, "numCuts", num_cuts, i);
        uint32_t *const cut = &reader->cuts[i];
        TRY(md5i_read_uint(lex, "cut", cut));
        if (*cut >= reader->num_frames.value)
            return md5i_lex_fail(
                lex, lex->number_at, MD5_ERROR_RANGE,
                "cut is out of range: expected a frame below %u (numFrames), found %u",
                reader->num_frames.value, *cut);
        if (i > 0 && *cut <= cut[-1])
            md5i_lex_warn(lex, lex->number_at,
                          "cuts are out of order: expected a frame above %u, found %u", cut[-1],
                          *cut);

        TRY(read_cut_view(reader, i));
    }
    return md5i_end_table(lex, "numCuts", num_cuts, "io");
}

// -- Frames ---------------------------------------------------------------------------------

// Reads a frame of the camera: ( position ) ( rotation ) fov.
static bool read_view(md5_lex *lex, md5_camera_view *view)
{
    md5_xform transform;
    TRY(md5i_read_transform(lex, &transform));
    TRY(md5i_lex_length(lex, &view->fov));
    view->position = transform.translation;
    view->rotation = transform.rotation;
    const bool is_valid_fov = view->fov > 0 && view->fov < 180;
    if (!is_valid_fov)
        md5i_lex_warn(lex, lex->number_at,
                      "field of view is out of range: expected more than 0 and less than "
                      "180 degrees, found %g",
                      view->fov);
    return true;
}

// Reads camera { frame ... }, which is the last section of the file.
static bool read_frames(camera_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_need_count(lex, &reader->num_frames, "numFrames"));
    if (!reader->rate_at)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "missing 'frameRate': expected it before 'camera'");
    if (!reader->cuts && reader->num_cuts.value > 0)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "missing 'cuts': expected it before 'camera'");

    lex->at += strlen("camera");
    TRY(md5i_lex_expect(lex, '{'));

    const uint32_t num_frames = reader->num_frames.value;
    reader->frames = MD5_ALLOC_ZEROED(lex->arena, md5_camera_view, num_frames);
    TRY(reader->frames);
    for (uint32_t i = 0; i < num_frames; i++) {
        if (md5i_lex_at_block_end(lex))
            return md5i_fail_too_few(lex, "numFrames", num_frames, i);
        TRY(read_view(lex, &reader->frames[i]));
    }
    return md5i_end_table(lex, "numFrames", num_frames, "ppi");
}

// -- The file -------------------------------------------------------------------------------

// Reads the keyword `word` at the top level with its values.
static bool read_camera_keyword(camera_reader *reader, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    if (md5_span_is(word, "cuts"))
        return read_cuts(reader);
    if (md5_span_is(word, "camera"))
        return read_frames(reader);
    if (md5i_lex_accept_keyword(lex, "numFrames"))
        return md5i_read_count(lex, "numFrames", 1, FRAME_BYTES, &reader->num_frames);
    if (md5i_lex_accept_keyword(lex, "numCuts"))
        return md5i_read_count(lex, "numCuts", 0, CUT_BYTES, &reader->num_cuts);
    if (md5i_lex_accept_keyword(lex, "frameRate"))
        return md5i_read_frame_rate(lex, 0, &reader->rate_at, &reader->file->frame_rate);
    return md5i_read_header_keyword(lex, &reader->header, word);
}

// Reads the tables of an .md5camera of version 10 or 12.
bool md5i_read_camera_text(md5_arena *arena, const md5_versions *versions, uint32_t version,
                           md5_span text, md5_camera_file *file)
{
    *file = (md5_camera_file){0};
    camera_reader reader = {
        .header = {.kind = MD5_KIND_CAMERA, .versions = versions, .version = version},
        .file = file,
    };

    md5_lex *const lex = &reader.lex;
    md5i_lex_begin(lex, arena, text.bytes, text.size);
    TRY(md5i_begin_header(lex, &reader.header));

    while (!reader.frames) {
        const md5_span word = md5i_lex_peek_word(lex);
        if (lex->at == lex->end)
            return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                                 "expected 'camera', found the end of the file");
        TRY(read_camera_keyword(&reader, word));
    }

    md5i_warn_at_file_end(lex, &reader.header, "frame", "numFrames", &reader.num_frames);
    TRY(md5_lex_is_ok(lex));

    file->command_line = reader.header.command_line;
    file->num_frames = reader.num_frames.value;
    file->num_cuts = reader.num_cuts.value;
    file->cuts = reader.cuts;
    file->num_cut_views = reader.num_cut_views;
    file->cut_views = reader.cut_views;
    file->frames = reader.frames;
    return true;
}
