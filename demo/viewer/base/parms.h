// What drives the materials of a game folder besides the clock: see md5_material_input.
#ifndef DEMO_VIEWER_BASE_PARMS_H
#define DEMO_VIEWER_BASE_PARMS_H

// Rows of sliders: time, then the parameters of the entity.
enum { VIEW_NUM_PARMS = 12, VIEW_PARM_TIME = 0, VIEW_FIRST_PARM, VIEW_NUM_PARM_ROWS = 13 };

typedef struct view_parms {
    float values[VIEW_NUM_PARMS];
    float ahead; // seconds by which the materials' time is ahead of the clip's
} view_parms;

// What an entity begins with that says nothing. Time is a minute ahead: parm 4 is minus the time at
// which a gun fired last, so that at time 0 all would fire. After a minute no glow is left, and
// what repeats any number of times a minute is as at time 0.
view_parms view_usual_parms(void);

// What a row's slider covers, and the value of an entity that says nothing.
typedef struct view_parm_range {
    const char *name;
    float high, usual; // from 0
} view_parm_range;

const view_parm_range *view_range_of_parm(int row);

// The materials' time in seconds, never below 0, at a time of the clip.
float view_material_time(const view_parms *parms, double clip_time);

// Sets a row to a value: time to seconds, by moving it ahead of the clip. Parms 4 and 7 are times
// of the clip, which ends that of view_usual_parms().
void view_set_parm(view_parms *parms, int row, float value, double clip_time);

#endif
