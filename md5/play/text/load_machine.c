// Machine files. Their tables are small and of many kinds, so they are not copied into one block:
// the md5_machine_file takes over the arena that they were read into.
#include "md5/core/arena.h"
#include "md5/file_text.h"
#include "md5/load.h"
#include "md5/md5play.h"
#include "md5/play/text/machine_file.h"

static md5_machine_file *build(md5_context *context, const char *text, size_t size)
{
    md5_arena arena = {.context = context};
    md5_machine_file *const file =
        md5_check_text_size(context, size) ? md5i_read_machine_file(&arena, text, size) : NULL;
    if (!file) {
        md5i_arena_free(&arena);
        return NULL;
    }
    file->num_warnings = context->num_warnings;
    file->allocator = context->allocator;
    file->memory = arena.chunks;
    return file;
}

md5_machine_file *md5_parse_machine_file(const void *text, size_t size, const md5_load_opts *opts,
                                         md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    return build(&context, text ? (const char *)text : "", text ? size : 0);
}

md5_machine_file *md5_load_machine_file(const char *path, const md5_load_opts *opts,
                                        md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5_file_text text = {0};
    md5_machine_file *file = NULL;
    md5i_context_begin(&context, opts, path, error);
    if (md5i_read_file_text(&context, path, &text))
        file = build(&context, text.bytes, text.size);
    md5i_free_file_text(&context, &text);
    return file;
}

void md5_free_machine_file(md5_machine_file *file)
{
    if (!file)
        return;
    md5_context context;
    const md5_load_opts opts = {.allocator = file->allocator};
    md5i_context_begin(&context, &opts, NULL, NULL);
    md5_arena arena = {.context = &context, .chunks = (struct md5_chunk *)file->memory};
    md5i_arena_free(&arena);
}
