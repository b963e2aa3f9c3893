// Reading in the small form: text of version 10. Replaces md5/read/formats.c.
#include "md5/read/header.h"
#include "md5/read/tables.h"

static const md5_versions text_versions = {.text = "version 10", .numbers = {MD5_VERSION_10}};

// Reads the text of an .md5mesh of version 10, `size` bytes. The result refers to memory in the
// arenas and in the text.
MD5_COLD bool md5i_read_mesh_file(md5_arena *arena, md5_arena *joints, md5_arena *kept,
                                  const char *text, size_t size, md5_mesh_file *file)
{
    const md5_span contents = {text, size};
    return md5i_read_mesh_text(arena, joints, kept, &md5i_mesh_version_10, &text_versions, contents,
                               file);
}

// Reads the text of an .md5anim of version 10, `size` bytes. The result refers to memory in the
// arena and in the text.
bool md5i_read_anim_file(md5_arena *arena, const char *text, size_t size,
                         const uint32_t *num_components, md5_anim_file *file)
{
    const md5_span contents = {text, size};
    return md5i_read_anim_text(arena, &text_versions, MD5_VERSION_10, contents, num_components,
                               file);
}
