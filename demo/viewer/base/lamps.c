#include "demo/viewer/base/lamps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const view_lamp_range ranges[VIEW_NUM_LAMPS] = {
    {"key", 0.0f, 3.0f, 1.0f}, {"sky", 0.0f, 3.0f, 1.0f},         {"fill", 0.0f, 3.0f, 1.0f},
    {"rim", 0.0f, 3.0f, 1.0f}, {"around", -180.0f, 180.0f, 0.0f}, {"height", -60.0f, 60.0f, 0.0f},
};

const view_lamp_range *view_range_of_lamp(view_lamp lamp)
{
    return &ranges[lamp];
}

view_lamps view_usual_lamps(void)
{
    view_lamps lamps;
    for (int i = 0; i < VIEW_NUM_LAMPS; i++)
        lamps.values[i] = ranges[i].usual;
    return lamps;
}

// Returns the light whose name and '=' begin `text`, or -1.
static int find_lamp(const char *text)
{
    for (int i = 0; i < VIEW_NUM_LAMPS; i++) {
        const size_t length = strlen(ranges[i].name);
        if (strncmp(text, ranges[i].name, length) == 0 && text[length] == '=')
            return i;
    }
    return -1;
}

bool view_read_lamps(const char *text, view_lamps *lamps)
{
    for (;;) {
        const int lamp = find_lamp(text);
        if (lamp < 0)
            return false;
        char *end = NULL;
        const char *const number = strchr(text, '=') + 1;
        const float value = strtof(number, &end);
        if (end == number || !(value >= ranges[lamp].low && value <= ranges[lamp].high)
            || (*end != '\0' && *end != ','))
            return false;
        lamps->values[lamp] = value;
        if (*end == '\0')
            return true;
        text = end + 1;
    }
}

void view_write_lamps(const view_lamps *lamps, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < VIEW_NUM_LAMPS && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s=%.9g", i > 0 ? "," : "",
                                 ranges[i].name, (double)lamps->values[i]);
}
