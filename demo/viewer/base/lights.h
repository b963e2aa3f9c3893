// The brightness of each studio light and the direction of the key light, relative to the defaults:
// numbers that the sliders, the command line and the configuration share.
#ifndef DEMO_VIEWER_BASE_LIGHTS_H
#define DEMO_VIEWER_BASE_LIGHTS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum view_light {
    VIEW_LIGHT_KEY, // casts shadows
    VIEW_LIGHT_SKY,
    VIEW_LIGHT_FILL,   // from the viewer's right
    VIEW_LIGHT_RIM,    // from behind
    VIEW_LIGHT_AROUND, // rotation of the key light about the vertical axis, degrees
    VIEW_LIGHT_HEIGHT, // change of its elevation, degrees
    VIEW_NUM_LIGHTS,
} view_light;

// Factors for the lights, degrees for the direction; the defaults are 1 and 0.
typedef struct view_lights {
    float values[VIEW_NUM_LIGHTS];
} view_lights;

typedef struct view_light_range {
    const char *name;
    float low, high, usual;
} view_light_range;

const view_light_range *view_range_of_light(view_light light);

view_lights view_usual_lights(void);

// Reads "NAME=VALUE,NAME=VALUE" and sets these values. Returns false if the text is malformed.
bool view_read_lights(const char *text, view_lights *lights);

// Writes them so that view_read_lights() reads the same values. `size`: VIEW_LIGHTS_TEXT is enough.
enum { VIEW_LIGHTS_TEXT = 192 };
void view_write_lights(const view_lights *lights, char *text, size_t size);

#endif
