// How bright each light of the studio is and where the key light stands, against how it was set up:
// numbers that sliders, the command line and what a window remembers all share.
#ifndef DEMO_VIEWER_BASE_LAMPS_H
#define DEMO_VIEWER_BASE_LAMPS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum view_lamp {
    VIEW_LAMP_KEY, // the one that throws shadows
    VIEW_LAMP_SKY,
    VIEW_LAMP_FILL,   // from the beholder's right
    VIEW_LAMP_RIM,    // from behind
    VIEW_LAMP_AROUND, // degrees that the key light is turned about the vertical
    VIEW_LAMP_HEIGHT, // degrees that it is raised
    VIEW_NUM_LAMPS,
} view_lamp;

// Of the lights factors; 1 and 0 degrees are as they were set up.
typedef struct view_lamps {
    float values[VIEW_NUM_LAMPS];
} view_lamps;

typedef struct view_lamp_range {
    const char *name;
    float low, high, usual;
} view_lamp_range;

const view_lamp_range *view_range_of_lamp(view_lamp lamp);

view_lamps view_usual_lamps(void);

// Reads "NAME=VALUE,NAME=VALUE" and sets those. Returns false when it is not that.
bool view_read_lamps(const char *text, view_lamps *lamps);

// Writes them so that view_read_lamps() reads the same values. `size`: VIEW_LAMPS_TEXT is enough.
enum { VIEW_LAMPS_TEXT = 192 };
void view_write_lamps(const view_lamps *lamps, char *text, size_t size);

#endif
