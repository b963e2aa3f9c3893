// Messages of the process that runs libassimp, and the limits on its elements and memory.
#include "demo/convert/assimp_import.h"

#if defined(HAS_ASSIMP) && defined(HAS_JANSSON)

#include <stdarg.h>

void assimp_add_line(assimp_importer *importer, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (char *c = text; *c != '\0'; c++) { // messages of libassimp may have several lines
        if (*c == '\n')
            *c = ' ';
    }
    convert_count_note(&importer->budget, format, text);
}

size_t assimp_find_invalid(const float *numbers, size_t count)
{
    const float max_number = 1e30f; // limit of gltf_read_floats()
    for (size_t i = 0; i < count; i++) {
        if (!(fabsf(numbers[i]) < max_number))
            return i;
    }
    return count;
}

bool assimp_charge(assimp_importer *importer, uint64_t num_elements)
{
    const bool is_charged = convert_charge(&importer->job, num_elements, &importer->error);
    if (!is_charged)
        assimp_add_line(importer, ASSIMP_PROBLEM "%s", importer->error.message);
    return is_charged;
}

bool assimp_charge_bytes(assimp_importer *importer, uint64_t count, uint64_t size)
{
    const bool is_charged = convert_charge_bytes(&importer->job, count, size, &importer->error);
    if (!is_charged)
        assimp_add_line(importer, ASSIMP_PROBLEM "%s", importer->error.message);
    return is_charged;
}

#endif
