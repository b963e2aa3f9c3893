#include "demo/viewer/base/parms.h"

// The uses are those of the engine's scripts; parm7 is the time of death in most games, and a
// number from 0 to 1 in few.
static const view_parm_range ranges[VIEW_NUM_PARM_ROWS] = {
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
    return &ranges[row];
}

view_parms view_usual_parms(void)
{
    view_parms parms = {.ahead = ranges[VIEW_PARM_TIME].usual};
    for (int i = 0; i < VIEW_NUM_PARMS; i++)
        parms.values[i] = ranges[VIEW_FIRST_PARM + i].usual;
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
    if ((parm == 4 || parm == 7) && parms->ahead == ranges[VIEW_PARM_TIME].usual)
        parms->ahead = 0.0f;
}
