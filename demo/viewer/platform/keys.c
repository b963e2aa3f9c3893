// Names of keys, gamepad buttons as keys, and recognition of double clicks and of touches with
// several fingers.
#include "demo/viewer/platform/platform.h"

#include "demo/common/memory.h"

#include <ctype.h>
#include <math.h>

// Returns the name of a key, such as "PageUp", or "" if it has no name. Keys with a fixed name
// are in the table. The names of function keys, digits of the number pad and printable
// characters are computed.
const char *view_name_key(int32_t key, char *text, size_t size)
{
    static const struct {
        int32_t key;
        const char *name;
    } names[] = {
        {VIEW_KEY_BACKSPACE, "Backspace"},
        {VIEW_KEY_TAB, "Tab"},
        {VIEW_KEY_RETURN, "Return"},
        {VIEW_KEY_ESCAPE, "Escape"},
        {VIEW_KEY_DELETE, "Delete"},
        {' ', "Space"},
        {VIEW_KEY_UP, "Up"},
        {VIEW_KEY_DOWN, "Down"},
        {VIEW_KEY_LEFT, "Left"},
        {VIEW_KEY_RIGHT, "Right"},
        {VIEW_KEY_HOME, "Home"},
        {VIEW_KEY_END, "End"},
        {VIEW_KEY_PAGE_UP, "PageUp"},
        {VIEW_KEY_PAGE_DOWN, "PageDown"},
        {VIEW_KEY_PAUSE, "Pause"},
        {VIEW_KEY_MENU, "Application"},
        {VIEW_KEY_LEFT_SHIFT, "Left Shift"},
        {VIEW_KEY_RIGHT_SHIFT, "Right Shift"},
        {VIEW_KEY_LEFT_ALT, "Left Alt"},
        {VIEW_KEY_PAD_ENTER, "Keypad Enter"},
        {VIEW_KEY_PAD_PLUS, "Keypad +"},
        {VIEW_KEY_PAD_MINUS, "Keypad -"},
    };
    for (size_t i = 0; i < COMMON_LENGTH(names); i++) {
        if (names[i].key == key)
            return names[i].name;
    }
    if (key > VIEW_KEY_F0 && key <= VIEW_KEY_F12)
        snprintf(text, size, "F%d", (key - VIEW_KEY_F0));
    else if (key >= VIEW_KEY_PAD_0 && key <= VIEW_KEY_PAD_9)
        snprintf(text, size, "Keypad %d", (key - VIEW_KEY_PAD_0));
    else if (key > ' ' && key < VIEW_KEY_DELETE)
        snprintf(text, size, "%c", toupper(key));
    else
        snprintf(text, size, "%s", "");
    return text;
}

// Returns the number of a mouse press in a series of presses; 2 is a double click. `time` is in
// milliseconds and may wrap around, because only differences are used. (x, y) is in pixels.
int view_count_clicks(view_clicks *clicks, int button, uint32_t time, float x, float y)
{
    enum { MAX_DELAY = 500 }; // ms
    const float max_distance = 16;
    const bool is_near =
        fabsf(x - clicks->x) <= max_distance && fabsf(y - clicks->y) <= max_distance;
    const bool is_soon = time - clicks->time <= MAX_DELAY;
    const bool continues = is_near && is_soon && button == clicks->button;
    const int count = continues ? clicks->count + 1 : 1;
    *clicks = (view_clicks){.count = count, .button = button, .time = time, .x = x, .y = y};
    return count;
}

// Updates the number of fingers on the screen. Returns true if a tap with three fingers has just
// ended. `down` is the new number of fingers, and `time` the time in seconds. A tap is a touch
// that ends before it counts as a long touch. Its number of fingers is the largest number during
// the touch.
bool view_count_fingers(view_fingers *fingers, int down, double time)
{
    const int before = fingers->down;
    const bool is_first = before == 0 && down > 0;
    if (is_first)
        *fingers = (view_fingers){.begin = time};
    // `down` is negative at the end of a touch that began before the window was opened.
    fingers->down = down > 0 ? down : 0;
    if (down > fingers->max_down)
        fingers->max_down = down;
    const bool is_end = before > 0 && down == 0;
    const bool is_tap = is_end && !view_is_long_touch(fingers, time);
    return is_tap && fingers->max_down == 3;
}

// Returns the pressed buttons of a gamepad. The stick presses the buttons of its directions. If it
// is fully deflected, it also presses the button to run.
static uint32_t pressed_buttons(const view_pad *pad)
{
    const float min_deflection = 0.35f;
    const float run_deflection = 0.85f;
    uint32_t pressed = pad->buttons;
    if (pad->y < -min_deflection)
        pressed |= VIEW_PAD_UP;
    if (pad->y > min_deflection)
        pressed |= VIEW_PAD_DOWN;
    if (pad->x < -min_deflection)
        pressed |= VIEW_PAD_LEFT;
    if (pad->x > min_deflection)
        pressed |= VIEW_PAD_RIGHT;
    if (hypotf(pad->x, pad->y) > run_deflection)
        pressed |= VIEW_PAD_RUN;
    return pressed;
}

// Writes one key event for a button of a gamepad that has changed. Returns false if no button has
// changed. Only keys control the character. The buttons and the stick of a gamepad are therefore
// reported as the keys with the same function.
bool view_next_pad_key(view_pad *pad, view_input *event)
{
    // The key for each bit of view_pad_button, starting with the lowest bit.
    static const int32_t keys[] = {' ', VIEW_KEY_PAUSE, VIEW_KEY_LEFT_SHIFT, 'w', 's', 'a', 'd'};
    const uint32_t pressed = pressed_buttons(pad);
    for (size_t i = 0; i < COMMON_LENGTH(keys); i++) {
        const uint32_t bit = (uint32_t)1 << i;
        const bool is_pressed = (pressed & bit) != 0;
        const bool was_pressed = (pad->reported & bit) != 0;
        if (is_pressed == was_pressed)
            continue;
        pad->reported ^= bit;
        *event = (view_input){.kind = is_pressed ? VIEW_INPUT_KEY_DOWN : VIEW_INPUT_KEY_UP,
                              .key = keys[i]};
        return true;
    }
    return false;
}
