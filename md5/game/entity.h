// Functions of entity.c that actors, monsters and figures also use.
#ifndef MD5_GAME_ENTITY_H
#define MD5_GAME_ENTITY_H

#include "md5/core/context.h"
#include "md5/md5actor.h"

// Writes the base frame of a clip with its root at the origin. The engine shows this pose if frame
// 1 is held.
void md5i_base_frame_pose(const md5_binding *binding, md5_xform *pose);

// Returns the transform of a joint's parent in model space. Returns the identity for the root.
md5_xform md5i_parent_transform(const md5_skeleton *skeleton, const md5_xform *pose,
                                uint32_t joint);

// Reads up to `count` numbers from the value of a key as the engine does. If the text has fewer
// numbers, the other elements of `values` do not change. `text` is NULL if the key is missing.
void md5i_entity_numbers(const char *text, float *values, int count);

// Reports a problem at the location of a key: a warning if `status` is MD5_WARNING, otherwise the
// error of the call. Returns false.
bool md5i_report_key(md5_context *context, md5_status status, const md5_entity_key *key,
                     const char *format, ...) MD5_PRINTF(4, 5);

// Makes the actor blink in the next advance.
void md5i_actor_blink(md5_actor *actor);

// Finds a joint as the engine does, ignoring case. Returns -1 if it does not exist.
int32_t md5i_find_joint(const md5_skeleton *skeleton, const char *name);

#endif
