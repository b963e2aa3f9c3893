// Texts made to be slow or large to read: for test_hostile.c.
#ifndef TEST_LOAD_TEST_HOSTILE_FILES_H
#define TEST_LOAD_TEST_HOSTILE_FILES_H

#include "test/test.h"

#include <stdbool.h>
#include <stddef.h>

// Text that grows. Free `bytes`.
typedef struct hostile_text {
    char *bytes;
    size_t size, room;
} hostile_text;

void hostile_add(hostile_text *text, const char *format, ...) TEST_PRINTF(2, 3);
void hostile_fill(hostile_text *text, const char *part, size_t size); // `part` again and again
void hostile_fill_nul(hostile_text *text, size_t size);

// The start of an .md5mesh up to the bracket after `joints`; a joint; both, with `count` roots and
// the closing bracket, for one mesh to follow.
void hostile_begin_mesh(hostile_text *text, size_t num_joints, size_t num_meshes);
void hostile_add_joint(hostile_text *text, long parent);
void hostile_add_roots(hostile_text *text, size_t count);

// Writes about `size` bytes.
typedef void hostile_make(hostile_text *text, size_t size);

typedef struct hostile_file {
    const char *name;
    hostile_make *make;
    bool is_refused; // an error is the right answer, else an asset
} hostile_file;

// Each list ends with a name of NULL. Tokens are read as models.
extern const hostile_file hostile_models[], hostile_tokens[], hostile_anims[], hostile_cameras[];

// A model and an animation that are hard to match.
typedef struct hostile_pair {
    const char *name;
    hostile_make *make_mesh, *make_anim;
} hostile_pair;

extern const hostile_pair hostile_pairs[]; // likewise

#endif
