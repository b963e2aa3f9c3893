// Assertions about objects of the library (assets, players, ragdolls ...): an argument is not NULL,
// was not freed, and is an object of the right kind. Only builds with assertions check this.
//
// Every object that the library creates stores its kind in `internal.tag`. Before the memory is
// freed, debug builds fill it with MD5_FREED_BYTE, so that the tag becomes MD5_TAG_FREED. Functions
// check the tags of their arguments and of objects that the arguments refer to. The check reads
// freed memory: see freed.h.
#ifndef MD5_CORE_OBJECT_H
#define MD5_CORE_OBJECT_H

#include "md5/core/assert.h"
#include "md5/md5model.h"

enum { MD5_FREED_BYTE = 0xDD };
#define MD5_TAG_FREED UINT32_C(0xDDDDDDDD)

// Kinds of objects. Programs may fill structures of the kinds up to MD5_LAST_PUBLIC_TAG themselves;
// their tag is 0.
typedef enum md5_tag {
    MD5_TAG_NONE,
    MD5_TAG_MODEL = 0x6D643501, // "md5" and 1, so that few other bytes look like a tag
    MD5_TAG_ANIM,
    MD5_TAG_CAMERA,
    MD5_TAG_MORPH,
    MD5_TAG_BAKED,
    MD5_TAG_SCALES,
    MD5_TAG_IMAGE,
    MD5_TAG_DOC,
    MD5_TAG_ENTITY,
    MD5_LAST_PUBLIC_TAG = MD5_TAG_ENTITY,
    MD5_TAG_BINDING,
    MD5_TAG_POSE_BUFFERS,
    MD5_TAG_CURVE,
    MD5_TAG_SQUAD,
    MD5_TAG_RETARGET,
    MD5_TAG_MACHINE,
    MD5_TAG_MACHINE_FILE,
    MD5_TAG_PLAYER,
    MD5_TAG_CHARACTER,
    MD5_TAG_CHECK,
    MD5_TAG_WEIGHTS,
    MD5_TAG_GAME,
    MD5_TAG_ACTOR,
    MD5_TAG_SCRIPT,
    MD5_TAG_STATES,
    MD5_TAG_FIGURE,
    MD5_TAG_MONSTER,
    MD5_TAG_RAGDOLL,
    MD5_TAG_CUBE2,
} md5_tag;

MD5_READS_FREED static inline bool md5_was_freed(const md5_internal *internal)
{
    return internal->tag == MD5_TAG_FREED;
}

MD5_READS_FREED static inline bool md5_is_kind(const md5_internal *internal, md5_tag kind)
{
    const bool is_built_by_program = internal->tag == MD5_TAG_NONE && kind <= MD5_LAST_PUBLIC_TAG;
    return internal->tag == (uint32_t)kind || is_built_by_program;
}

// Returns true if all bytes are MD5_FREED_BYTE.
MD5_READS_FREED static inline bool md5_is_filled(const void *memory, size_t size)
{
    const unsigned char *const bytes = (const unsigned char *)memory;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != MD5_FREED_BYTE)
            return false;
    }
    return true;
}

static inline void md5_fill_freed(void *memory, size_t size)
{
    if (MD5_HAS_ASSERTS)
        memset(memory, MD5_FREED_BYTE, size);
}

// -- Checks of arguments: the macros supply the name of the argument ------------------------------

// MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL): not NULL, not freed, and an object of this kind.
#define MD5_ASSERT_ALIVE(object, kind)                                                         \
    do {                                                                                       \
        MD5_ASSERT_NOT_NULL(object);                                                           \
        MD5_ASSERT(!md5_was_freed(&(object)->internal), #object ": must not have been freed"); \
        MD5_ASSERT(md5_is_kind(&(object)->internal, kind),                                     \
                   #object ": must be an object of this library that was not freed");          \
    } while (0)
// MD5_ASSERT_PART(skeleton, joints): not NULL and not freed, for a part of an object that does not
// have a tag, such as a mesh. The bytes of `member` must never all be MD5_FREED_BYTE in valid
// parts.
#define MD5_ASSERT_PART(part, member)                                     \
    do {                                                                  \
        MD5_ASSERT_NOT_NULL(part);                                        \
        MD5_ASSERT(!md5_is_filled(&(part)->member, sizeof(part)->member), \
                   #part ": must not have been freed");                   \
    } while (0)

// Like the macros above, for an argument that may be NULL.
#define MD5_ASSERT_NULL_OR_ALIVE(object, kind) \
    do {                                       \
        if ((object) != NULL)                  \
            MD5_ASSERT_ALIVE(object, kind);    \
    } while (0)
#define MD5_ASSERT_NULL_OR_PART(part, member) \
    do {                                      \
        if ((part) != NULL)                   \
            MD5_ASSERT_PART(part, member);    \
    } while (0)

// NOLINTBEGIN(bugprone-macro-parentheses): messages contain the arguments unchanged

// Checks a binding and the objects that it refers to.
#define MD5_ASSERT_BINDING(binding)                              \
    do {                                                         \
        MD5_ASSERT_ALIVE(binding, MD5_TAG_BINDING);              \
        MD5_ASSERT_ALIVE(binding->anim, MD5_TAG_ANIM);           \
        MD5_ASSERT_NULL_OR_ALIVE(binding->model, MD5_TAG_MODEL); \
        MD5_ASSERT_PART(binding->skeleton, joints);              \
    } while (0)

// Checks a figure and its entity.
#define MD5_ASSERT_FIGURE(figure)                         \
    do {                                                  \
        MD5_ASSERT_ALIVE(figure, MD5_TAG_FIGURE);         \
        MD5_ASSERT_ALIVE(figure->entity, MD5_TAG_ENTITY); \
    } while (0)

// NOLINTEND(bugprone-macro-parentheses)

// -- Callbacks ------------------------------------------------------------------------------------

// Debug builds mark an object while it calls a function of the program that must not change it.
typedef enum md5_callback {
    MD5_NO_CALLBACK,
    MD5_CALLBACK,
    MD5_SETTING_CALLBACK, // may set parameters and targets
} md5_callback;

static inline void md5_mark_callback(md5_internal *internal, md5_callback callback)
{
    if (MD5_HAS_ASSERTS)
        internal->callback = callback;
}

#define MD5_ASSERT_NO_CALLBACK(object)                         \
    MD5_ASSERT((object)->internal.callback == MD5_NO_CALLBACK, \
               #object ": must not be changed or destroyed in its own callback")
// Like MD5_ASSERT_NO_CALLBACK(), for a function that sets parameters or targets.
#define MD5_ASSERT_MAY_SET(object)                          \
    MD5_ASSERT((object)->internal.callback != MD5_CALLBACK, \
               #object ": must not be changed in its own callback")

#endif
