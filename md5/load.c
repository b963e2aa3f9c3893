#include "md5/load.h"

#include "md5/core/axes.h"
#include "md5/file_text.h"

// -- Parsing and loading --------------------------------------------------------------------

static void *build_with_arena(md5_context *context, md5_build_asset *build, const char *text,
                              size_t size)
{
    md5_arena arena = {.context = context};
    md5_held_warnings held = {.count = 0};
    void *asset = NULL;
    context->held = &held;
    if (md5i_check_conversion(context) && md5_check_text_size(context, size))
        build(&arena, text, size, &asset);
    md5i_report_held(context);
    context->held = NULL;
    md5i_arena_free(&arena);
    return asset;
}

void *md5i_parse_asset(md5_build_asset *build, const void *text, size_t size,
                       const md5_load_opts *opts, md5_error *error)
{
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    return build_with_arena(&context, build, text ? (const char *)text : "", text ? size : 0);
}

void *md5i_load_asset(md5_build_asset *build, const char *path, const md5_load_opts *opts,
                      md5_error *error)
{
    md5_context context;
    md5_file_text text = {0};
    void *asset = NULL;
    md5i_context_begin(&context, opts, path, error);
    if (md5i_read_file_text(&context, path, &text))
        asset = build_with_arena(&context, build, text.bytes, text.size);
    md5i_free_file_text(&context, &text);
    return asset;
}

// -- Names ----------------------------------------------------------------------------------

size_t md5i_name_size(md5_span name)
{
    return name.size + 1;
}

const char *md5i_copy_name(char **end, md5_span name)
{
    char *const start = *end;
    md5_copy_items(start, name.bytes, name.size, 1);
    start[name.size] = '\0';
    *end = start + md5i_name_size(name);
    return start;
}

size_t md5i_joint_names_size(const md5_file_joint *joints, uint32_t num_joints)
{
    size_t size = 0;
    for (uint32_t j = 0; j < num_joints; j++)
        size += md5i_name_size(joints[j].name);
    return size;
}

void md5i_copy_joints(char **end, const md5_file_joint *source, uint32_t num_joints,
                      md5_joint *joints)
{
    for (uint32_t j = 0; j < num_joints; j++)
        joints[j] = (md5_joint){md5i_copy_name(end, source[j].name), source[j].parent};
}
