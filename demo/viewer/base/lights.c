#include "demo/viewer/base/lights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const view_light_range ranges[VIEW_NUM_LIGHTS] = {
    {"key", 0.0f, 3.0f, 1.0f}, {"sky", 0.0f, 3.0f, 1.0f},         {"fill", 0.0f, 3.0f, 1.0f},
    {"rim", 0.0f, 3.0f, 1.0f}, {"around", -180.0f, 180.0f, 0.0f}, {"height", -60.0f, 60.0f, 0.0f},
};

const view_light_range *view_range_of_light(view_light light)
{
    return &ranges[light];
}

view_lights view_usual_lights(void)
{
    view_lights lights;
    for (int i = 0; i < VIEW_NUM_LIGHTS; i++)
        lights.values[i] = ranges[i].usual;
    return lights;
}

// Returns the light whose name and '=' begin `text`, or -1.
static int find_light(const char *text)
{
    for (int i = 0; i < VIEW_NUM_LIGHTS; i++) {
        const size_t length = strlen(ranges[i].name);
        if (strncmp(text, ranges[i].name, length) == 0 && text[length] == '=')
            return i;
    }
    return -1;
}

bool view_read_lights(const char *text, view_lights *lights)
{
    for (;;) {
        const int light = find_light(text);
        if (light < 0)
            return false;
        char *end = NULL;
        const char *const number = strchr(text, '=') + 1;
        const float value = strtof(number, &end);
        if (end == number || !(value >= ranges[light].low && value <= ranges[light].high)
            || (*end != '\0' && *end != ','))
            return false;
        lights->values[light] = value;
        if (*end == '\0')
            return true;
        text = end + 1;
    }
}

void view_write_lights(const view_lights *lights, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < VIEW_NUM_LIGHTS && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s=%.9g", i > 0 ? "," : "",
                                 ranges[i].name, (double)lights->values[i]);
}
