// Names in order, so that one is found among many in logarithmic time.
#ifndef MD5_CORE_NAME_ORDER_H
#define MD5_CORE_NAME_ORDER_H

#include "md5/core/lex.h"

typedef struct md5_ordered_name {
    md5_span name;
    uint32_t number;
} md5_ordered_name;

// Sorts by name, equal ones by number.
void md5i_order_names(md5_ordered_name *names, size_t count);

// Returns the first of a name, or NULL.
const md5_ordered_name *md5i_find_ordered_name(const md5_ordered_name *names, size_t count,
                                               md5_span name);

#endif
