// Errors and memory for all files of this folder. A block of memory begins with a header, which
// contains its size and the kind of the object, such as renderer or model. Assertions check the
// kind to detect objects of a wrong type and objects that were freed.
#include "render/gl_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes the status and the message of a failure to `error`, which may be NULL. Returns false, so
// that callers can return the result directly.
bool md5gli_fail(md5_error *error, md5_status status, const char *format, ...)
{
    if (!error)
        return false;
    *error = (md5_error){.status = status};
    va_list values;
    va_start(values, format);
    vsnprintf(error->message, sizeof error->message, format, values);
    va_end(values);
    return false;
}

// Reports that the caller passed NULL instead of an object. `argument` names the object. If `error`
// already contains the reason why the object could not be created, that error remains. Otherwise
// sets MD5_ERROR_MISSING.
bool md5gli_fail_missing(md5_error *error, const char *argument)
{
    if (!error || error->status != MD5_OK)
        return false;
    return md5gli_fail(error, MD5_ERROR_MISSING,
                       "argument '%s' is missing: expected an object, found NULL", argument);
}

// Returns the name of a GL error.
static const char *error_name(GLenum code)
{
    switch (code) {
    case GL_INVALID_ENUM:
        return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE:
        return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION:
        return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
        return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY:
        return "GL_OUT_OF_MEMORY";
    case 0x0507: // GL 4.5 and KHR_robustness
        return "GL_CONTEXT_LOST";
    default:
        return "unknown OpenGL error";
    }
}

// Clears all GL errors and returns the first one, or GL_NO_ERROR. GL has one flag per kind of
// error, and each call of GetError() clears one of them. A lost context can report errors forever,
// so the number of calls is limited.
GLenum md5gli_clear_errors(md5gl_renderer *renderer)
{
    enum { MAX_ERRORS = 32 };
    const GLenum first = renderer->gl.GetError();
    for (int i = 0; i < MAX_ERRORS; i++) {
        if (renderer->gl.GetError() == GL_NO_ERROR)
            break;
    }
    return first;
}

// Clears all pending GL errors. If there were any, returns false and fills the error. The message
// contains the first error and `where`.
bool md5gli_check(md5gl_renderer *renderer, const char *where, md5_error *error)
{
    const GLenum code = md5gli_clear_errors(renderer);
    if (code == GL_NO_ERROR)
        return true;
    return md5gli_fail(error, MD5_ERROR_GPU, "%s (0x%04x) while %s", error_name(code), code, where);
}

// Returns false and fills the error if the driver reports that the context is lost.
bool md5gli_check_context(md5gl_renderer *renderer, md5_error *error)
{
    enum { GUILTY_CONTEXT_RESET = 0x8253, INNOCENT_CONTEXT_RESET = 0x8254 };
    const md5gl_optional_functions *optional = &renderer->optional;
    const GLenum state = optional->GetGraphicsResetStatus ? optional->GetGraphicsResetStatus() : 0;
    if (state == GL_NO_ERROR)
        return true;
    const char *cause = "cause unknown";
    if (state == GUILTY_CONTEXT_RESET)
        cause = "caused by this program";
    if (state == INNOCENT_CONTEXT_RESET)
        cause = "caused by another program";
    return md5gli_fail(error, MD5_ERROR_GPU,
                       "OpenGL context was lost (%s, 0x%04x): the driver was reset; create the "
                       "context and all objects again",
                       cause, state);
}

// Each block begins with a header. It contains the size of the block and, at KIND_OFFSET, the kind
// of the object. The header has 16 bytes, so that the object after it remains aligned.
enum { HEADER = 16, KIND_OFFSET = 8 };

// Returns zeroed memory for `count` elements of `size` bytes, with a header before it. Returns NULL
// and fills the error if memory runs out or the size overflows.
void *md5gli_alloc(const md5_allocator *allocator, size_t count, size_t size, md5_error *error)
{
    const bool fits = size == 0 || count <= (SIZE_MAX - HEADER) / size;
    const size_t bytes = fits ? HEADER + count * size : 0;
    unsigned char *block = NULL;
    if (fits)
        block = (unsigned char *)allocator->alloc(allocator->user, bytes);
    if (!block) {
        md5gli_fail(error, MD5_ERROR_MEMORY, "out of memory: %zu elements of %zu bytes requested",
                    count, size);
        return NULL;
    }
    memset(block, 0, bytes);
    memcpy(block, &bytes, sizeof bytes);
    return block + HEADER;
}

// Frees memory of md5gli_alloc(). The allocator receives the size from the header. Clears the kind
// of the object, so that assertions detect a later use. `memory` may be NULL.
void md5gli_free(md5gl_renderer *renderer, void *memory)
{
    const md5_allocator allocator = renderer->allocator;
    unsigned char *const block = memory ? (unsigned char *)memory - HEADER : NULL;
    size_t bytes;
    if (!block)
        return;
    memcpy(&bytes, block, sizeof bytes);
    memset(block + KIND_OFFSET, 0, HEADER - KIND_OFFSET);
    allocator.free(allocator.user, block, bytes);
}

void md5gli_set_kind(void *object, md5gl_kind kind)
{
    if (object)
        memcpy((unsigned char *)object - HEADER + KIND_OFFSET, &kind, sizeof kind);
}

// Returns true if an object has this kind and is not destroyed. Reads the kind from the header
// before the object.
bool md5gli_is_alive(const void *object, md5gl_kind kind)
{
    md5gl_kind found;
    memcpy(&found, (const unsigned char *)object - HEADER + KIND_OFFSET, sizeof found);
    return found == kind;
}
