// What all parts of a machine's making share: checks and their messages, memory.
#include "md5/play/make/building.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define QUOTED(name) md5i_quote((name), strlen(name)).text

bool md5i_fail_at(md5_building *building, const void *member, md5_status status, const char *format,
                  ...)
{
    char message[sizeof((md5_error *)0)->message];
    const md5_location position = md5i_find_location(building->desc->locations, member);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return md5i_fail(building->context, status, position.line, position.column, "%s", message);
}

bool md5i_resolve(md5_building *building, const md5_names *names, const char *const *name,
                  const char *kind, const char *owner, int32_t *number)
{
    *number = *name ? md5i_find_name(names, *name) : -1;
    if (!*name || *number >= 0)
        return true;
    return md5i_fail_at(building, name, MD5_ERROR_MISMATCH,
                        "%s %s names %s %s, which does not exist", kind, QUOTED(owner), names->what,
                        QUOTED(*name));
}

void *md5i_build_array(md5_building *building, size_t count, size_t size)
{
    return md5i_arena_alloc(building->arena, count, size);
}

bool md5i_build_reference(md5_building *building, uint32_t source, const uint32_t *frame,
                          int32_t *reference)
{
    md5_machine *const machine = building->machine;
    const md5_source *const from = &machine->sources[source];
    const uint32_t num_frames = from->binding->anim->num_frames;
    if (*frame >= num_frames)
        return md5i_fail_at(building, frame, MD5_ERROR_RANGE,
                            "frame %u of clip %s is a reference, but the last frame is %u", *frame,
                            QUOTED(building->desc->clips[source].name), num_frames - 1);
    *reference = (int32_t)machine->num_references++;
    md5i_sample_source(machine, from, &(md5_moment){.frame0 = *frame, .frame1 = *frame},
                       machine->references + (size_t)*reference * machine->num_joints);
    return true;
}
