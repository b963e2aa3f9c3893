// Reports failed assertions. This file does not depend on OpenGL, because pictures.c uses it in
// programs without OpenGL.
#include "render/assert.h"

#include <stdio.h>
#include <stdlib.h>

void md5gli_assert_failed(const char *function, const char *condition, const char *rule)
{
    (void)fprintf(stderr, "md5gl: %s(): %s (%s is false)\n", function, rule, condition);
    abort();
}
