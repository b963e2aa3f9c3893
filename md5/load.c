#include "md5/load.h"

#include "md5/core/axes.h"
#include "md5/core/file_text.h"

#include <stdio.h>

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

// -- Messages -----------------------------------------------------------------------------------

// A text that is truncated if it does not fit.
typedef struct bounded_text {
    char *bytes;
    size_t size, length; // without the NUL
} bounded_text;

static void add_bytes(bounded_text *text, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, text->length++) {
        if (text->length + 1 < text->size)
            text->bytes[text->length] = bytes[i];
    }
}

// Escapes bytes that are not printable: a file's name may contain terminal control sequences.
static void add_escaped(bounded_text *text, const char *source)
{
    const size_t size = strlen(source);
    for (size_t i = 0; i < size;) {
        char escaped[8];
        const size_t length = md5i_printable_length((const unsigned char *)source + i, size - i);
        if (length == 0)
            snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned)(unsigned char)source[i]);
        add_bytes(text, length > 0 ? source + i : escaped, length > 0 ? length : 4);
        i += length > 0 ? length : 1;
    }
}

size_t md5_format_error(const md5_error *error, char *text, size_t size)
{
    bounded_text all = {text, size, 0};
    char location[32] = "";
    if (error->line > 0)
        snprintf(location, sizeof location, "%u:%u:", error->line, error->column);
    add_escaped(&all, error->file);
    add_escaped(&all, error->file[0] ? ":" : "");
    add_escaped(&all, location);
    add_escaped(&all, error->file[0] || location[0] ? " " : "");
    add_escaped(&all, error->status == MD5_WARNING ? "warning: " : "error: ");
    add_escaped(&all, error->message);
    if (size > 0)
        text[all.length < size ? all.length : size - 1] = '\0';
    return all.length;
}
