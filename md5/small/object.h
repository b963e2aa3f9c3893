// Objects in the small form: their kinds are stored, but not checked, and freed memory is not kept.
// Replaces md5/core/object.h and md5/core/freed.h.
#ifndef MD5_SMALL_OBJECT_H
#define MD5_SMALL_OBJECT_H

#include "md5/core/compiler.h"
#include "md5/md5model.h"

// Kinds, in md5_internal.tag.
enum {
    MD5_TAG_MODEL = 1,
    MD5_TAG_ANIM,
    MD5_TAG_BINDING,
};

// Frees an object that is one block and has a `size`; NULL is allowed.
#define MD5_FREE(object, kind)                                                    \
    do {                                                                          \
        if (object)                                                               \
            md5_free_block(object, (object)->size, (object)->internal.allocator); \
    } while (0)
static inline void md5_free_block(void *memory, size_t size, md5_allocator allocator)
{
    allocator.free(allocator.user, memory, size);
}

#endif
