// Reads all meshes of an .md5mesh, even if it contains more meshes than its header declares. This
// is used to repair such files. Loading a model stops after the declared number of meshes.
#include "md5/read/mesh.h"

// A dialect (md5_mesh_dialect) that reads all meshes. `dialect` is the first member, so that a
// pointer to it is also a pointer to this structure.
typedef struct all_meshes {
    md5_mesh_dialect dialect;
    const md5_mesh_dialect *base; // the dialect of the file
    size_t capacity; // capacity of the reader's array of meshes; 0 before the first mesh
} all_meshes;

// Begins a mesh like the dialect of the file, but accepts any number of meshes. If the array of
// meshes is full, doubles its capacity.
static bool begin_any_mesh(md5_mesh_reader *reader, md5_mesh_block *block)
{
    all_meshes *const all_dialect = (all_meshes *)(void *)reader->dialect;
    const uint32_t count = reader->num_meshes_read;
    if (all_dialect->capacity == 0)
        all_dialect->capacity = reader->num_meshes.value;
    if (count == all_dialect->capacity) {
        all_dialect->capacity = 2 * all_dialect->capacity + 1;
        md5_mesh_build *const meshes =
            MD5_ALLOC_ZEROED(reader->lex.arena, md5_mesh_build, all_dialect->capacity);
        TRY(meshes);
        memcpy(meshes, reader->meshes, count * sizeof *meshes);
        reader->meshes = meshes;
    }
    return all_dialect->base->begin_mesh(reader, block);
}

// Returns true if the joints and all declared meshes were read, and no other mesh follows.
static bool is_any_complete(md5_mesh_reader *reader)
{
    return md5i_mesh_is_complete(reader) && !md5_span_is(md5i_lex_peek_word(&reader->lex), "mesh");
}

// Reads all meshes of a file, even if it contains more meshes than it declares. Reads them with a
// copy of the file's dialect, in which two functions are replaced: begin_any_mesh() and
// is_any_complete().
bool md5i_read_uncounted_meshes(md5_arena *arena, const md5_mesh_dialect *dialect,
                                const md5_versions *versions, md5_span text, md5_mesh_file *file)
{
    all_meshes all_dialect = {.dialect = *dialect, .base = dialect};
    all_dialect.dialect.begin_mesh = begin_any_mesh;
    all_dialect.dialect.is_complete = is_any_complete;
    return md5i_read_mesh_text(arena, arena, arena, &all_dialect.dialect, versions, text, file);
}
