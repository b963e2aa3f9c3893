#include "md5/core/assert.h"

#if !defined(NDEBUG)

#include <stdio.h>
#include <stdlib.h>

void md5i_assert_failed(const char *function, const char *condition, const char *rule)
{
    (void)fprintf(stderr, "md5model: %s(): %s (%s is false)\n", function, rule, condition);
    abort();
}

#endif
