// The brightness of each studio light and the direction of the key light, relative to the defaults:
// numbers that the sliders, the command line and the configuration share.
#ifndef DEMO_VIEWER_BASE_LAMPS_H
#define DEMO_VIEWER_BASE_LAMPS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum view_lamp {
    VIEW_LAMP_KEY, // casts shadows
    VIEW_LAMP_SKY,
    VIEW_LAMP_FILL,   // from the viewer's right
    VIEW_LAMP_RIM,    // from behind
    VIEW_LAMP_AROUND, // rotation of the key light about the vertical axis, degrees
    VIEW_LAMP_HEIGHT, // change of its elevation, degrees
    VIEW_NUM_LAMPS,
} view_lamp;

// Factors for the lights, degrees for the direction; the defaults are 1 and 0.
typedef struct view_lamps {
    float values[VIEW_NUM_LAMPS];
} view_lamps;

typedef struct view_lamp_range {
    const char *name;
    float low, high, usual;
} view_lamp_range;

const view_lamp_range *view_range_of_lamp(view_lamp lamp);

view_lamps view_usual_lamps(void);

// Reads "NAME=VALUE,NAME=VALUE" and sets these values. Returns false if the text is malformed.
bool view_read_lamps(const char *text, view_lamps *lamps);

// Writes them so that view_read_lamps() reads the same values. `size`: VIEW_LAMPS_TEXT is enough.
enum { VIEW_LAMPS_TEXT = 192 };
void view_write_lamps(const view_lamps *lamps, char *text, size_t size);

#endif
