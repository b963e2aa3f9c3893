// Variables that are freed automatically at the end of their block, in reverse order of their
// declarations. Each OWN_* macro declares a variable of one type. Also contains loads of the
// project's files, and loops that make each allocation fail.
#ifndef TEST_OWN_H
#define TEST_OWN_H

#include "test/test.h"

#include "md5/md5dialects.h"
#include "md5/md5edit.h"
#include "md5/md5game.h"
#include "md5/md5ragdoll.h"
#include "md5/md5play.h"

static inline void own_memory(const void *owner)
{
    void *memory;
    memcpy(&memory, owner, sizeof memory);
    free(memory);
}

// OWN float *const numbers = malloc(size);
// OWN_STRING text = test_read_file(path, &size);
#define OWN __attribute__((unused, cleanup(own_memory)))
#define OWN_STRING OWN char *const

#define OWNED(name, release)                                \
    static inline void own_##name(md5_##name *const *owner) \
    {                                                       \
        release(*owner);                                    \
    }

OWNED(actor, md5_destroy_actor)
OWNED(anim, md5_free_anim)
OWNED(baked, md5_destroy_baked)
OWNED(binding, md5_free_binding)
OWNED(camera, md5_free_camera)
OWNED(character, md5_free_character)
OWNED(cube2, md5_free_cube2)
OWNED(curve, md5_destroy_curve)
OWNED(entity, md5_free_entity)
OWNED(game, md5_destroy_game)
OWNED(image, md5_free_image)
OWNED(machine, md5_destroy_machine)
OWNED(machine_file, md5_free_machine_file)
OWNED(model, md5_free_model)
OWNED(morph, md5_destroy_morph)
OWNED(player, md5_destroy_player)
OWNED(retarget, md5_destroy_retarget)
OWNED(scales, md5_free_scales)
OWNED(script, md5_free_script)
OWNED(squad, md5_destroy_squad)
OWNED(states, md5_destroy_states)
OWNED(weights, md5_destroy_weights)

// OWN_MODEL model = md5_load_model(path, NULL, NULL);
#define OWN_ACTOR __attribute__((unused, cleanup(own_actor))) md5_actor *const
#define OWN_ANIM __attribute__((unused, cleanup(own_anim))) md5_anim *const
#define OWN_BAKED __attribute__((unused, cleanup(own_baked))) md5_baked *const
#define OWN_BINDING __attribute__((unused, cleanup(own_binding))) md5_binding *const
#define OWN_CAMERA __attribute__((unused, cleanup(own_camera))) md5_camera *const
#define OWN_CHARACTER __attribute__((unused, cleanup(own_character))) md5_character *const
#define OWN_CUBE2 __attribute__((unused, cleanup(own_cube2))) md5_cube2 *const
#define OWN_CURVE __attribute__((unused, cleanup(own_curve))) md5_curve *const
#define OWN_ENTITY __attribute__((unused, cleanup(own_entity))) md5_entity *const
#define OWN_GAME __attribute__((unused, cleanup(own_game))) md5_game *const
#define OWN_IMAGE __attribute__((unused, cleanup(own_image))) md5_image *const
#define OWN_MACHINE __attribute__((unused, cleanup(own_machine))) md5_machine *const
#define OWN_MACHINE_FILE __attribute__((unused, cleanup(own_machine_file))) md5_machine_file *const
#define OWN_MODEL __attribute__((unused, cleanup(own_model))) md5_model *const
#define OWN_MORPH __attribute__((unused, cleanup(own_morph))) md5_morph *const
#define OWN_PLAYER __attribute__((unused, cleanup(own_player))) md5_player *const
#define OWN_RETARGET __attribute__((unused, cleanup(own_retarget))) md5_retarget *const
#define OWN_SCRIPT __attribute__((unused, cleanup(own_script))) md5_script *const
#define OWN_STATES __attribute__((unused, cleanup(own_states))) md5_states *const
#define OWN_SCALES __attribute__((unused, cleanup(own_scales))) md5_scales *const
#define OWN_SQUAD __attribute__((unused, cleanup(own_squad))) md5_squad *const
#define OWN_WEIGHTS __attribute__((unused, cleanup(own_weights))) md5_weights *const

#undef OWNED

static inline void own_text(const test_text *owner)
{
    free(owner->bytes);
}
// OWN_TEXT text = {0};
#define OWN_TEXT __attribute__((unused, cleanup(own_text))) test_text

// Declares a zeroed array: OWN_ARRAY(float, numbers, 3 * count);
#define OWN_ARRAY(type, name, count) OWN type *const name = test_calloc((count), sizeof *(name))

// -- Files of the project -------------------------------------------------------------------------

static inline md5_model *our_model(const char *path)
{
    return md5_load_model(test_path(path), NULL, NULL);
}

static inline md5_anim *our_anim(const char *path)
{
    return md5_load_anim(test_path(path), NULL, NULL);
}

// Parses a text with default options.
static inline md5_model *text_model(const char *text, md5_error *error)
{
    return md5_parse_model(text, strlen(text), NULL, error);
}

static inline md5_anim *text_anim(const char *text, md5_error *error)
{
    return md5_parse_anim(text, strlen(text), NULL, error);
}

// -- Failing allocations --------------------------------------------------------------------------

// If `limit` is 0, the memory is not limited.
static inline md5_load_opts heap_opts(test_heap *heap, size_t limit)
{
    return (md5_load_opts){.allocator = {test_heap_alloc, test_heap_free, heap, limit}};
}

typedef struct test_failure {
    test_heap heap;
    md5_load_opts opts; // with the heap as allocator
    md5_error error;
} test_failure;

static inline bool next_failure(test_failure *failure, const char *file, int line)
{
    const size_t failed = failure->heap.fail_at;
    test_check_uint(failure->heap.live, 0, file, line, "number of blocks that are left");
    test_check_uint(failure->heap.live_bytes, 0, file, line, "number of bytes that are left");
    if (failure->heap.num_allocs < failed)
        return false;
    *failure = (test_failure){.heap = {.fail_at = failed + 1}};
    failure->opts = heap_opts(&failure->heap, 0);
    return test_check(failed < 10000, file, line, "allocations have no end");
}

// for (test_failure failure = {0}; NEXT_FAILURE(failure);) { ... }
// In the first iteration the first allocation fails, in the second iteration the second allocation,
// and so on, until an iteration needs fewer allocations. The body frees its results; NEXT_FAILURE()
// checks that no memory is left.
#define NEXT_FAILURE(failure) next_failure(&(failure), __FILE__, __LINE__)

// Checks that such an iteration ended with a result, or with MD5_ERROR_MEMORY.
#define CHECK_FAILURE(failure, result) \
    CHECK_UINT((failure).error.status, (result) ? MD5_OK : MD5_ERROR_MEMORY)

#endif
