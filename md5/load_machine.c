// Machine files. Their tables are small and of many kinds: they stay in the arena that they were
// read into, which the file takes over, instead of being copied into one block.
#include "md5/core/arena.h"
#include "md5/md5play.h"
#include "md5/read/machine_file.h"

static md5_machine_file *build(md5_arena *arena, const char *text, size_t size)
{
    md5_machine_source source;
    md5_machine_file *const file = md5_arena_alloc(arena, 1, sizeof *file);
    if (!file || !md5_read_machine_file(arena, text, size, &source))
        return NULL;
    *file = (md5_machine_file){
        .desc = source.desc,
        .clips = source.clips,
        .model_file = source.model_file,
        .num_warnings = arena->context->num_warnings,
        .allocator = arena->context->allocator,
        .memory = arena->chunks,
    };
    return file;
}

md5_machine_file *md5_parse_machine_file(const void *text, size_t size, const md5_load_opts *opts,
                                         md5_error *error)
{
    md5_context context;
    md5_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena arena = {.context = &context};
    md5_machine_file *const file = build(&arena, text ? text : "", text ? size : 0);
    if (!file)
        md5_arena_free(&arena);
    return file;
}

void md5_free_machine_file(md5_machine_file *file)
{
    if (!file)
        return;
    md5_context context;
    const md5_load_opts opts = {.allocator = file->allocator};
    md5_context_begin(&context, &opts, NULL, NULL);
    md5_arena arena = {.context = &context, .chunks = file->memory};
    md5_arena_free(&arena);
}
