// Links with md5gl, and an inline function with the C library's mathematics. It has no context and
// prints the error.
#include <md5model/md5gl.h>
#include <stdio.h>

static md5gl_proc load(void *user, const char *name)
{
    (void)user, (void)name;
    return NULL;
}

int main(void)
{
    md5_error error = {0};
    const md5gl_opts opts = {.load = load};
    md5gl_renderer *renderer = md5gl_create_renderer(&opts, &error);
    puts(error.message);
    md5gl_destroy_renderer(renderer);
    return renderer || md5_vec3_length((md5_vec3){3, 4, 0}) != 5.0f ? 1 : 0;
}
