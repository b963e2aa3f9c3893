// Selects the reader of a file by its content. A file is a text of version 6, 10 or 12, or a binary
// file of Doom 3 BFG. With MD5_HAS_FORMATS=0 only text of version 10 is read.
#include "md5/read/header.h"
#include "md5/read/tables.h"

#if MD5_HAS_FORMATS

static const md5_versions text_versions = {
    .text = "version 6, 10 or 12",
    .numbers = {MD5_VERSION_6, MD5_VERSION_10, MD5_VERSION_12},
};

static const md5_versions camera_versions = {
    .text = "version 10 or 12",
    .numbers = {MD5_VERSION_10, MD5_VERSION_12},
};

// Reads the header ahead, up to the first keyword of another kind, and returns that keyword. Sets
// *declared to the number after `MD5Version`, if the header contains it. Ends at a syntax error.
static md5_span read_header_ahead(md5_lex *lex, int64_t *declared)
{
    md5_span command_line;
    for (;;) {
        bool is_valid = false;
        const md5_span word = md5i_lex_peek_word(lex);
        if (md5_span_is(word, "MD5Version")) {
            lex->at += word.size;
            is_valid = md5i_lex_int(lex, declared);
        } else if (md5_span_is(word, "commandline")) {
            lex->at += word.size;
            is_valid = md5i_lex_text(lex, &command_line, "");
        }
        if (!is_valid)
            return word;
    }
}

// Returns the version whose syntax a text has, by reading its header ahead.
//
// This is the number after `MD5Version`, or 10 if there is none. Some files declare a wrong
// version. If the first keyword after the header belongs to another version, that version is
// returned. Errors are not reported here, because the reader finds them again.
static uint32_t find_version(md5_arena *arena, md5_kind kind, md5_span text)
{
    md5_lex lex;
    md5_silent_lex ahead;
    int64_t declared = 0;
    md5i_lex_begin(&lex, arena, text.bytes, text.size);
    md5i_begin_look_ahead(&ahead, &lex);

    const md5_span word = read_header_ahead(&ahead.lex, &declared);
    const unsigned kinds = md5i_keyword_kinds(word);
    const bool is_of_kind = (kinds & (unsigned)kind) != 0;
    const uint32_t version = (uint32_t)declared;
    if (declared != 0 && is_of_kind && md5i_is_invalid_in_version(version, word, kinds))
        return version == MD5_VERSION_6 ? MD5_VERSION_10 : MD5_VERSION_6;

    if (declared == MD5_VERSION_6 || declared == MD5_VERSION_12)
        return (uint32_t)declared;
    return MD5_VERSION_10;
}

// Returns the functions that read the version of a mesh file. An unknown version is read like
// version 10, whose reader then reports it.
static const md5_mesh_dialect *find_mesh_dialect(md5_arena *arena, md5_span text)
{
    switch (find_version(arena, MD5_KIND_MESH, text)) {
    case MD5_VERSION_6:
        return &md5i_mesh_version_6;
    case MD5_VERSION_12:
        return &md5i_mesh_version_12;
    default:
        return &md5i_mesh_version_10;
    }
}

// Reads a mesh file: a text of any version (.md5mesh) or a binary file of Doom 3 BFG (.bmd5mesh).
// Rejects files of other formats with a message that names the format. tables.h describes the three
// arenas.
bool md5i_read_mesh_file(md5_arena *arena, md5_arena *joints, md5_arena *mesh_arena,
                         const char *text, size_t size, md5_mesh_file *file)
{
    const md5_span contents = {text, size};
    if (md5_has_magic(text, size, MD5_BFG_MESH))
        return md5i_read_bfg_mesh(arena, text, size, file);
    TRY(md5i_reject_foreign(arena, contents));
    const md5_mesh_dialect *const dialect = find_mesh_dialect(arena, contents);
    return md5i_read_mesh_text(arena, joints, mesh_arena, dialect, &text_versions, contents, file);
}

// Reads a mesh file like md5i_read_mesh_file(), but with one arena. Also reads the meshes that
// follow the declared number of meshes.
bool md5i_read_all_meshes(md5_arena *arena, const char *text, size_t size, md5_mesh_file *file)
{
    const md5_span contents = {text, size};
    if (md5_has_magic(text, size, MD5_BFG_MESH))
        return md5i_read_bfg_mesh(arena, text, size, file);
    TRY(md5i_reject_foreign(arena, contents));
    return md5i_read_uncounted_meshes(arena, find_mesh_dialect(arena, contents), &text_versions,
                                      contents, file);
}

// Reads the tables of an animation. The first bytes of the file and the version of a text select
// the reader. `num_components` is not NULL if a text is read for the second time: see tables.h.
bool md5i_read_anim_file(md5_arena *arena, const char *text, size_t size,
                         const uint32_t *num_components, md5_anim_file *file)
{
    const md5_span contents = {text, size};
    if (md5_has_magic(text, size, MD5_BFG_ANIM))
        return md5i_read_bfg_anim(arena, text, size, file);
    TRY(md5i_reject_foreign(arena, contents));
    const uint32_t version = find_version(arena, MD5_KIND_ANIM, contents);
    if (version == MD5_VERSION_6)
        return md5i_read_anim_v6(arena, &text_versions, contents, file);
    return md5i_read_anim_text(arena, &text_versions, version, contents, num_components, file);
}

// Reads a camera file: a text of any version (.md5camera) or a binary file of RBDOOM-3-BFG
// (.bcanim).
bool md5i_read_camera_file(md5_arena *arena, const char *text, size_t size, md5_camera_file *file)
{
    const md5_span contents = {text, size};
    if (md5_has_magic(text, size, MD5_BFG_CAMERA))
        return md5i_read_bfg_camera(arena, text, size, file);
    TRY(md5i_reject_foreign(arena, contents));
    const uint32_t version = find_version(arena, MD5_KIND_CAMERA, contents);
    return md5i_read_camera_text(arena, &camera_versions, version, contents, file);
}

#else

static const md5_versions text_versions = {.text = "version 10", .numbers = {MD5_VERSION_10}};

bool md5i_read_mesh_file(md5_arena *arena, md5_arena *joints, md5_arena *mesh_arena,
                         const char *text, size_t size, md5_mesh_file *file)
{
    const md5_span contents = {text, size};
    return md5i_read_mesh_text(arena, joints, mesh_arena, &md5i_mesh_version_10, &text_versions,
                               contents, file);
}

bool md5i_read_all_meshes(md5_arena *arena, const char *text, size_t size, md5_mesh_file *file)
{
    const md5_span contents = {text, size};
    return md5i_read_uncounted_meshes(arena, &md5i_mesh_version_10, &text_versions, contents, file);
}

bool md5i_read_anim_file(md5_arena *arena, const char *text, size_t size,
                         const uint32_t *num_components, md5_anim_file *file)
{
    const md5_span contents = {text, size};
    return md5i_read_anim_text(arena, &text_versions, MD5_VERSION_10, contents, num_components,
                               file);
}

bool md5i_read_camera_file(md5_arena *arena, const char *text, size_t size, md5_camera_file *file)
{
    const md5_span contents = {text, size};
    return md5i_read_camera_text(arena, &text_versions, MD5_VERSION_10, contents, file);
}

#endif
