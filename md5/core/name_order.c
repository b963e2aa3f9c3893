#include "md5/core/name_order.h"

#include <stdlib.h>

static int compare_spans(md5_span a, md5_span b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size > 0 ? memcmp(a.bytes, b.bytes, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_names(const void *a, const void *b)
{
    const md5_ordered_name *const first = (const md5_ordered_name *)a;
    const md5_ordered_name *const second = (const md5_ordered_name *)b;
    const int order = compare_spans(first->name, second->name);
    return order != 0 ? order : (first->number > second->number) - (first->number < second->number);
}

void md5i_order_names(md5_ordered_name *names, size_t count)
{
    if (count > 0)
        qsort(names, count, sizeof *names, compare_names);
}

const md5_ordered_name *md5i_find_ordered_name(const md5_ordered_name *names, size_t count,
                                               md5_span name)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_spans(names[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && compare_spans(names[low].name, name) == 0 ? &names[low] : NULL;
}
