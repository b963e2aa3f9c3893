// Types of variables that are freed automatically when their scope ends, also if a test returns
// early. SCOPED_MODEL is a `md5_model *const` that md5_free_model() frees, and so on; several
// variables of one scope are freed in reverse order of their declarations. Also contains functions
// that load files of the project, and loops that make each allocation fail.
#ifndef TEST_SCOPED_H
#define TEST_SCOPED_H

#include "test/test.h"

#include "md5/md5dialects.h"
#include "md5/md5edit.h"
#include "md5/md5game.h"
#include "md5/md5ragdoll.h"
#include "md5/md5play.h"

static inline void release_memory(const void *owner)
{
    void *memory;
    memcpy(&memory, owner, sizeof memory);
    free(memory);
}

// SCOPED float *const numbers = malloc(size);
// SCOPED_STRING text = test_read_file(path, &size);
#define SCOPED __attribute__((unused, cleanup(release_memory)))
#define SCOPED_STRING SCOPED char *const

#define SCOPED_TYPE(name, free_function)                        \
    static inline void release_##name(md5_##name *const *owner) \
    {                                                           \
        free_function(*owner);                                  \
    }

SCOPED_TYPE(actor, md5_destroy_actor)
SCOPED_TYPE(anim, md5_free_anim)
SCOPED_TYPE(baked, md5_destroy_baked)
SCOPED_TYPE(binding, md5_free_binding)
SCOPED_TYPE(camera, md5_free_camera)
SCOPED_TYPE(character, md5_free_character)
SCOPED_TYPE(cube2, md5_free_cube2)
SCOPED_TYPE(curve, md5_destroy_curve)
SCOPED_TYPE(entity, md5_free_entity)
SCOPED_TYPE(game, md5_destroy_game)
SCOPED_TYPE(image, md5_free_image)
SCOPED_TYPE(machine, md5_destroy_machine)
SCOPED_TYPE(machine_file, md5_free_machine_file)
SCOPED_TYPE(model, md5_free_model)
SCOPED_TYPE(morph, md5_destroy_morph)
SCOPED_TYPE(player, md5_destroy_player)
SCOPED_TYPE(retarget, md5_destroy_retarget)
SCOPED_TYPE(scales, md5_free_scales)
SCOPED_TYPE(script, md5_free_script)
SCOPED_TYPE(squad, md5_destroy_squad)
SCOPED_TYPE(states, md5_destroy_states)
SCOPED_TYPE(weights, md5_destroy_weights)

// SCOPED_MODEL model = md5_load_model(path, NULL, NULL);
#define SCOPED_ACTOR __attribute__((unused, cleanup(release_actor))) md5_actor *const
#define SCOPED_ANIM __attribute__((unused, cleanup(release_anim))) md5_anim *const
#define SCOPED_BAKED __attribute__((unused, cleanup(release_baked))) md5_baked *const
#define SCOPED_BINDING __attribute__((unused, cleanup(release_binding))) md5_binding *const
#define SCOPED_CAMERA __attribute__((unused, cleanup(release_camera))) md5_camera *const
#define SCOPED_CHARACTER __attribute__((unused, cleanup(release_character))) md5_character *const
#define SCOPED_CUBE2 __attribute__((unused, cleanup(release_cube2))) md5_cube2 *const
#define SCOPED_CURVE __attribute__((unused, cleanup(release_curve))) md5_curve *const
#define SCOPED_ENTITY __attribute__((unused, cleanup(release_entity))) md5_entity *const
#define SCOPED_GAME __attribute__((unused, cleanup(release_game))) md5_game *const
#define SCOPED_IMAGE __attribute__((unused, cleanup(release_image))) md5_image *const
#define SCOPED_MACHINE __attribute__((unused, cleanup(release_machine))) md5_machine *const
#define SCOPED_MACHINE_FILE \
    __attribute__((unused, cleanup(release_machine_file))) md5_machine_file *const
#define SCOPED_MODEL __attribute__((unused, cleanup(release_model))) md5_model *const
#define SCOPED_MORPH __attribute__((unused, cleanup(release_morph))) md5_morph *const
#define SCOPED_PLAYER __attribute__((unused, cleanup(release_player))) md5_player *const
#define SCOPED_RETARGET __attribute__((unused, cleanup(release_retarget))) md5_retarget *const
#define SCOPED_SCRIPT __attribute__((unused, cleanup(release_script))) md5_script *const
#define SCOPED_STATES __attribute__((unused, cleanup(release_states))) md5_states *const
#define SCOPED_SCALES __attribute__((unused, cleanup(release_scales))) md5_scales *const
#define SCOPED_SQUAD __attribute__((unused, cleanup(release_squad))) md5_squad *const
#define SCOPED_WEIGHTS __attribute__((unused, cleanup(release_weights))) md5_weights *const

#undef SCOPED_TYPE

static inline void release_text(const test_text *owner)
{
    free(owner->bytes);
}
// SCOPED_TEXT text = {0};
#define SCOPED_TEXT __attribute__((unused, cleanup(release_text))) test_text

// Declares a zeroed array: SCOPED_ARRAY(float, numbers, 3 * count);
#define SCOPED_ARRAY(type, name, count) \
    SCOPED type *const name = test_calloc((count), sizeof *(name))

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
