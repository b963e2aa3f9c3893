// The state of a public call: its options, errors and memory. This file also formats messages. A
// message may quote a part of a file, with unprintable bytes escaped.
#include "md5/core/context.h"

#include <stdlib.h>

enum { DEFAULT_MEMORY_LIMIT = 1 << 30 };

#if UINTPTR_MAX > UINT32_MAX

// Returns memory from malloc(), which aligns to 16 bytes on every 64-bit system.
static void *default_alloc(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

// Frees memory of default_alloc().
static void default_free(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    free(memory);
}

#else

// Returns 16-byte aligned memory from malloc(), which may align to 8 bytes only, as for
// WebAssembly. The returned address is 1 to 16 bytes after the address from malloc(). The byte
// before it stores this distance, which default_free() subtracts again.
static void *default_alloc(void *user, size_t size)
{
    (void)user;
    unsigned char *const memory =
        size <= SIZE_MAX - MD5_ALIGNMENT ? malloc(size + MD5_ALIGNMENT) : NULL;
    if (!memory)
        return NULL;
    const size_t distance = MD5_ALIGNMENT - (uintptr_t)memory % MD5_ALIGNMENT;
    memory[distance - 1] = (unsigned char)distance;
    return memory + distance;
}

// Frees memory of default_alloc(): subtracts the distance that is stored in the byte before it.
static void default_free(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    unsigned char *const bytes = memory;
    free(bytes - bytes[-1]);
}

#endif

bool md5i_is_default_allocator(const md5_allocator *allocator)
{
    return allocator->free == default_free;
}

// Sets the file name for later messages. If `file` is NULL, the messages contain no file name. If
// the name is too long, only its end is stored, because the name of the file matters more than the
// names of its folders.
void md5i_context_set_file(md5_context *context, const char *file)
{
    char *const name = context->error.file;
    const size_t max_size = sizeof context->error.file - 1;
    const size_t length = file ? strlen(file) : 0;
    const size_t size = length < max_size ? length : max_size;
    if (size > 0)
        memcpy(name, file + (length - size), size);
    name[size] = '\0';
}

// Initializes the context of a call: its options, warnings, file name for messages, and the error
// of the caller. Options that are not set get their defaults. `opts`, `file` and `error` may be
// NULL.
void md5i_context_begin(md5_context *context, const md5_load_opts *opts, const char *file,
                        md5_error *error)
{
    static const md5_load_opts defaults = {0};
    const md5_load_opts *selected = opts ? opts : &defaults;
    *context = (md5_context){.allocator = selected->allocator, .caller = error};

    if (!context->allocator.alloc) {
        context->allocator.alloc = default_alloc;
        context->allocator.free = default_free;
    }
    if (context->allocator.limit == 0)
        context->allocator.limit = DEFAULT_MEMORY_LIMIT;

    context->files = selected->files;
    context->axes = selected->axes;
    context->scale = selected->scale == 0 ? 1 : selected->scale;
    context->flip_v = selected->flip_v;
    context->drop_invalid_triangles = selected->drop_invalid_triangles;
    context->require_meshes = selected->require_meshes;
    context->allow_partial_binding = selected->allow_partial_binding;
    context->normals = selected->normals;

    md5i_begin_warnings(context, selected);
    md5i_context_set_file(context, file);
}

void md5i_context_begin_memory(md5_context *context, md5_allocator allocator, md5_error *error)
{
    const md5_load_opts opts = {.allocator = allocator};
    md5i_context_begin(context, &opts, NULL, error);
}

// Makes the call of `context` fail for the same reason as another call, with the file and location
// of that failure. Returns false.
//
// MD5_ERROR_MISSING does not replace an earlier failure in the caller's error, because that failure
// is the reason why the asset is missing. For example, a program may load a model, not check the
// result, and bind the NULL model with the same md5_error. The error then still explains why the
// model could not be loaded.
bool md5i_fail_as(md5_context *context, const md5_error *failure)
{
    if (context->error.status != MD5_OK)
        return false;
    context->error = *failure;
    if (!context->caller)
        return false;
    if (failure->status != MD5_ERROR_MISSING || context->caller->status == MD5_OK)
        *context->caller = *failure;
    return false;
}

// Reports that an argument is NULL, for a public call that has no context yet. `argument` is the
// name of the argument. Does not overwrite a failure that `error` already contains. `error` may be
// NULL. Returns false.
bool md5i_fail_missing(md5_error *error, const char *argument)
{
    if (!error || error->status != MD5_OK)
        return false;
    *error = (md5_error){.status = MD5_ERROR_MISSING};
    snprintf(error->message, sizeof error->message,
             "argument '%s' is missing: expected an object, found NULL", argument);
    return false;
}

// Stores the reason of a failure in the context and in the caller's error. Does nothing if the call
// has failed before. `line` and `column` are the location in the file, from 1. Line 0 means that
// the failure has no location. Returns false.
bool md5i_fail(md5_context *context, md5_status status, uint32_t line, uint32_t column,
               const char *format, ...)
{
    md5_error failure = {.line = line, .column = column, .status = status};
    memcpy(failure.file, context->error.file, sizeof failure.file);
    MD5_PRINT(failure.message, format);
    return md5i_fail_as(context, &failure);
}

// Returns memory from the context's allocator. The context counts this memory as held until it is
// freed. Returns NULL and sets the context's error if the memory limit would be exceeded or the
// allocator fails.
void *md5i_alloc(md5_context *context, size_t size)
{
    if (size > context->allocator.limit - context->memory_held) {
        md5i_fail(context, MD5_ERROR_MEMORY, 0, 0,
                  "memory limit exceeded: %zu bytes requested, %zu of %zu bytes in use; increase "
                  "md5_allocator.limit",
                  size, context->memory_held, context->allocator.limit);
        return NULL;
    }
    void *memory = context->allocator.alloc(context->allocator.user, size ? size : 1);
    if (!memory) {
        md5i_fail(context, MD5_ERROR_MEMORY, 0, 0, "out of memory: %zu bytes requested", size);
        return NULL;
    }
    MD5_ASSERT((uintptr_t)memory % MD5_ALIGNMENT == 0,
               "allocator.alloc: returned memory must be aligned to 16 bytes");
    context->memory_held += size;
    return memory;
}

// Frees a block of `size` bytes that md5i_alloc() returned, and subtracts it from the memory that
// the call holds. `memory` may be NULL.
void md5i_free(md5_context *context, void *memory, size_t size)
{
    if (!memory)
        return;
    context->memory_held -= size;
    md5_fill_freed(memory, size);
    context->allocator.free(context->allocator.user, memory, size ? size : 1);
}

// Returns the length of a UTF-8 sequence of several bytes, according to its first byte. Returns 0
// if no sequence begins with that byte.
static size_t sequence_length(unsigned char lead)
{
    if (lead < 0xC2 || lead > 0xF4) // C0 and C1 would begin overlong forms
        return 0;
    if (lead < 0xE0)
        return 2;
    return lead < 0xF0 ? 3 : 4;
}

// Returns true if the continuation byte `second` may follow `lead`, the first byte of a printable
// character in UTF-8. Most lead bytes allow any continuation byte. The exceptions would encode
// control characters, overlong forms, surrogates, or values above U+10FFFF.
static bool is_valid_second(unsigned char lead, unsigned char second)
{
    switch (lead) {
    case 0xC2: // 80..9F are control characters
    case 0xE0: // 80..9F would be overlong
        return second >= 0xA0;
    case 0xED:
        return second <= 0x9F; // above: surrogates
    case 0xF0:
        return second >= 0x90; // below: overlong
    case 0xF4:
        return second <= 0x8F; // above: beyond the last code point
    default:
        return true;
    }
}

// Returns the number of bytes of the printable UTF-8 character at `bytes`. Returns 0 if the bytes
// are not such a character.
static size_t printable_length(const unsigned char *bytes, size_t size)
{
    const unsigned char lead = bytes[0];
    if (lead < 0x80)
        return lead >= 0x20 && lead != 0x7F ? 1 : 0;
    const size_t length = sequence_length(lead);
    if (length == 0 || length > size)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
    }
    return is_valid_second(lead, bytes[1]) ? length : 0;
}

// Copies the printable text at *at to `to`. If the byte there is not printable, writes an escape
// such as \x1b. Moves *at past the bytes that it read. Returns the number of bytes that it wrote.
size_t md5i_escape(const char **at, const char *end, char to[MD5_ESCAPED])
{
    const size_t length = printable_length((const unsigned char *)*at, (size_t)(end - *at));
    if (length > 0)
        memcpy(to, *at, length);
    else
        snprintf(to, MD5_ESCAPED, "\\x%02x", (unsigned)(unsigned char)**at);
    *at += length > 0 ? length : 1;
    return length > 0 ? length : MD5_ESCAPED - 1;
}

// Returns a text in single quotes for a message. Bytes that are not printable become \xNN. If the
// text is too long, "..." replaces its end.
md5_quoted md5i_quote(const char *bytes, size_t size)
{
    enum { ELLIPSIS = 3, END = 2 }; // bytes of "...", and of the closing quote and the NUL
    md5_quoted quoted;
    size_t used = 0;

    quoted.text[used++] = '\'';
    for (const char *at = bytes; at < bytes + size;) {
        // Stop unless there is space for another escaped character, the ellipsis and the end.
        if (used + MD5_ESCAPED - 1 + ELLIPSIS + END > sizeof quoted.text) {
            memcpy(quoted.text + used, "...", ELLIPSIS);
            used += ELLIPSIS;
            break;
        }
        used += md5i_escape(&at, bytes + size, quoted.text + used);
    }
    quoted.text[used++] = '\'';
    quoted.text[used] = '\0';
    return quoted;
}

// Returns the text of an assertion that a name exists. `kind` is the kind of the named object, such
// as "joint".
md5_name_rule md5i_name_rule(const char *kind, const char *name)
{
    md5_name_rule rule;
    snprintf(rule.text, sizeof rule.text, "name: %s %s does not exist", kind,
             name ? MD5_QUOTED(name) : "NULL");
    return rule;
}

#if !defined(NDEBUG)

void md5i_assert_failed(const char *function, const char *condition, const char *rule)
{
    fprintf(stderr, "md5model: %s(): %s (%s is false)\n", function, rule, condition);
    abort();
}

#endif
