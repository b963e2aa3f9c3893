// Fuzz target for .shader files, in which the material "m" is looked up.
#include "test/fuzz/target.h"

#include "demo/looks/look.h"

static bool is_picture(const char *path)
{
    return !path || (path[0] != '\0' && strchr("$*_", path[0]) == NULL);
}

static void count(void *user, const char *text)
{
    (void)text;
    ++*(uint32_t *)user;
}

const char *fuzz_shader(const uint8_t *data, size_t size)
{
    uint32_t num_warnings = 0;
    view_look look;
    const bool is_found = view_read_shader("x", (const char *)data, size, "m", &look,
                                           (view_listener){count, &num_warnings});
    const char *fault = NULL;
    const bool is_set = look.diffuse || look.normals || look.two_sided;
    if (!is_found && is_set)
        fault = "the image set of a material that does not exist";
    if (!is_picture(look.diffuse) || !is_picture(look.normals))
        fault = "an image that is built into the engine";
    if (num_warnings > 20)
        fault = "more warnings than the limit per file";
    free(look.diffuse);
    free(look.normals);
    return fault;
}
