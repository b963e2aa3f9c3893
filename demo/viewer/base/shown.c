#include "demo/viewer/base/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Lights ------------------------------------------------------------------------------

static const view_light_range light_ranges[VIEW_NUM_LIGHTS] = {
    {"key", 0.0f, 3.0f, 1.0f}, {"sky", 0.0f, 3.0f, 1.0f},         {"fill", 0.0f, 3.0f, 1.0f},
    {"rim", 0.0f, 3.0f, 1.0f}, {"around", -180.0f, 180.0f, 0.0f}, {"height", -60.0f, 60.0f, 0.0f},
};

const view_light_range *view_range_of_light(view_light light)
{
    return &light_ranges[light];
}

view_lights view_usual_lights(void)
{
    view_lights lights;
    for (int i = 0; i < VIEW_NUM_LIGHTS; i++)
        lights.values[i] = light_ranges[i].usual;
    return lights;
}

// Returns the light whose name and '=' begin `text`, or -1.
static int find_light(const char *text)
{
    for (int i = 0; i < VIEW_NUM_LIGHTS; i++) {
        const size_t length = strlen(light_ranges[i].name);
        if (strncmp(text, light_ranges[i].name, length) == 0 && text[length] == '=')
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
        if (end == number
            || !(value >= light_ranges[light].low && value <= light_ranges[light].high)
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
                                 light_ranges[i].name, (double)lights->values[i]);
}

// -- Parameters of materials -------------------------------------------------------------

// The uses are those of the engine's scripts; parm7 is the time of death in most games, and a
// number from 0 to 1 in few.
static const view_parm_range parm_ranges[VIEW_NUM_PARM_ROWS] = {
    {"time", 10.0f, 60.0f},
    {"0 red", 1.0f, 1.0f},
    {"1 green", 1.0f, 1.0f},
    {"2 blue", 1.0f, 1.0f},
    {"3 time scale", 2.0f, 1.0f},
    {"4 offset", 10.0f, 0.0f},
    {"5 diversity", 1.0f, 0.0f},
    {"6", 1.0f, 0.0f},
    {"7 burn, mode", 10.0f, 0.0f},
    {"8 skin scale", 1.0f, 0.0f},
    {"9", 1.0f, 0.0f},
    {"10", 1.0f, 0.0f},
    {"11", 1.0f, 0.0f},
};

const view_parm_range *view_range_of_parm(int row)
{
    return &parm_ranges[row];
}

view_parms view_usual_parms(void)
{
    view_parms parms = {.ahead = parm_ranges[VIEW_PARM_TIME].usual};
    for (int i = 0; i < VIEW_NUM_PARMS; i++)
        parms.values[i] = parm_ranges[VIEW_FIRST_PARM + i].usual;
    return parms;
}

float view_material_time(const view_parms *parms, double clip_time)
{
    const double time = clip_time + (double)parms->ahead;
    return time > 0.0 ? (float)time : 0.0f;
}

void view_set_parm(view_parms *parms, int row, float value, double clip_time)
{
    const int parm = row - VIEW_FIRST_PARM;
    if (row == VIEW_PARM_TIME)
        parms->ahead = (float)((double)value - clip_time);
    else
        parms->values[parm] = value;
    if ((parm == 4 || parm == 7) && parms->ahead == parm_ranges[VIEW_PARM_TIME].usual)
        parms->ahead = 0.0f;
}
