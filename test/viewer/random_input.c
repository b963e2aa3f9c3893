// A simulated user for random_input.sh. This library is preloaded into md5view. It replaces the
// events of SDL by random events, so that the complete program runs without a display, and measures
// the processor time of each step. A step is the work between two requests for an event: handling
// an event, or drawing a frame.
//
// Drawing functions of OpenGL do nothing, because a driver without a GPU would need most of the
// time. All other OpenGL functions call the driver.
//
// Environment variables:
// - RANDOM_SEED: the same seed gives the same events
// - RANDOM_EVENTS: number of events. After the last event, the window is closed
// - RANDOM_FILES: paths of files to drop, separated by newlines
// - RANDOM_LIMIT: processor time in seconds. Longer steps are printed
// - RANDOM_TRACE: if set, all events are printed
//
// At the end, a line such as "random: 2000 events, 312 frames, longest step 0.31 s" is printed.
#define _GNU_SOURCE // RTLD_NEXT
#define SDL_MAIN_HANDLED
#include <SDL.h>

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum {
    MAX_FILES = 256,
    MAX_QUEUE = 16,
    EVENTS_PER_FRAME = 12,
    STILL_FRAMES = 3,      // consecutive frames without an event
    MAX_USUAL_SIDE = 1500, // a larger window is made smaller after its first frame
};

static struct {
    bool has_begun;
    bool has_ended;
    bool prints_events;
    uint64_t random; // state of the random numbers
    unsigned long num_events;
    unsigned long max_events;
    unsigned long num_frames;
    int next_frame; // events before the next frame; if negative, -1 - further frames without events

    char *files;
    const char *paths[MAX_FILES];
    unsigned num_paths;

    SDL_Window *window;
    int width; // width of the window, points
    int height;
    int x; // x of the mouse, points
    int y;
    Uint16 modifiers;
    Uint64 skipped; // simulated waiting time, in units of SDL_GetPerformanceCounter()

    SDL_Event queue[MAX_QUEUE]; // remaining events of the current action
    int num_queued;
    char description[256]; // description of the current action

    double limit; // s
    double begin; // processor time at the begin of the step, s
    double longest_step;
} user;

// == Helpers ======================================================================================

// Returns a function of SDL that this library replaces.
static void *find_original(const char *name)
{
    void *const function = dlsym(RTLD_NEXT, name);
    if (function == NULL)
        abort();
    return function;
}

// Returns a random number below `count` (the algorithm is splitmix64).
static unsigned random_below(unsigned count)
{
    user.random += 0x9E3779B97F4A7C15u;
    uint64_t bits = user.random;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    return (unsigned)((bits ^ bits >> 31) % count);
}

// Returns true with a probability of `per_thousand` / 1000.
static bool has_chance(unsigned per_thousand)
{
    return random_below(1000) < per_thousand;
}

// Returns the processor time of this thread, in seconds.
static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Stores the description of the current action, for reports.
static void describe(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(user.description, sizeof user.description, format, values);
    va_end(values);
    if (user.prints_events)
        fprintf(stderr, "random: %lu: %s\n", user.num_events, user.description);
}

static void enqueue(SDL_Event event)
{
    event.common.timestamp = SDL_GetTicks();
    if (user.num_queued < MAX_QUEUE)
        user.queue[user.num_queued++] = event;
}

// == Actions ======================================================================================

static SDL_Keycode choose_key(void)
{
    static const SDL_Keycode keys[] = {
        ' ',           SDLK_LEFT,    SDLK_RIGHT,    SDLK_UP,
        SDLK_DOWN,     SDLK_HOME,    SDLK_END,      SDLK_PAGEUP,
        SDLK_PAGEDOWN, SDLK_RETURN,  SDLK_TAB,      SDLK_ESCAPE,
        SDLK_DELETE,   SDLK_F1,      SDLK_F2,       SDLK_BACKSPACE,
        SDLK_F3,       SDLK_F4,      SDLK_F5,       SDLK_F6,
        SDLK_F7,       SDLK_F8,      SDLK_F9,       SDLK_F10,
        SDLK_F11,      '+',          '-',           '=',
        '.',           ',',          '/',           '[',
        ']',           SDLK_KP_PLUS, SDLK_KP_1,     SDLK_KP_MINUS,
        SDLK_KP_5,     SDLK_KP_7,    SDLK_KP_ENTER, SDLK_APPLICATION,
        SDLK_PAUSE,
    };
    const unsigned kind = random_below(1000);
    if (kind < 3)
        return SDLK_F12; // rare, because it writes a file
    if (kind < 450)
        return 'a' + (SDL_Keycode)random_below(26);
    if (kind < 550)
        return '0' + (SDL_Keycode)random_below(10);
    return keys[random_below(COUNT_OF(keys))];
}

static void press_key(void)
{
    SDL_Keycode key = choose_key();
    user.modifiers = 0;
    if (has_chance(200))
        user.modifiers |= KMOD_LSHIFT;
    if (has_chance(150))
        user.modifiers |= KMOD_LCTRL;
    if (has_chance(20))
        user.modifiers |= KMOD_LALT;
    const bool has_control = (user.modifiers & KMOD_CTRL) != 0;
    if (has_control && key == 'q')
        key = 'p'; // Ctrl+Q would end the program
    const char *const control_name = has_control ? "Ctrl+" : "";
    const char *const shift_name = (user.modifiers & KMOD_SHIFT) != 0 ? "Shift+" : "";
    describe("key %s%s%s", control_name, shift_name, SDL_GetKeyName(key));

    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED}};
    event.key.repeat = has_chance(50);
    event.key.keysym = (SDL_Keysym){.sym = key, .mod = user.modifiers};
    enqueue(event);
    const bool is_text = key >= ' ' && key < SDLK_DELETE && !(user.modifiers & ~KMOD_SHIFT);
    if (is_text) {
        SDL_Event text = {.text = {.type = SDL_TEXTINPUT}};
        text.text.text[0] = (char)key;
        enqueue(text);
    }
    event.key.type = SDL_KEYUP;
    event.key.state = SDL_RELEASED;
    enqueue(event);
}

static void type_text(void)
{
    static const char *const texts[] = {
        "speed 0.5", "bones",  "walk", "12",    "-1e30",      "nan",
        "999999999", "/",      "..",   "hide",  "crowd 300",  "\xC3\xA4\xE2\x80\xA6",
        "0.3,0.2,1", "export", "head", "reset", "root place", "lesson",
    };
    SDL_Event event = {.text = {.type = SDL_TEXTINPUT}};
    snprintf(event.text.text, sizeof event.text.text, "%s", texts[random_below(COUNT_OF(texts))]);
    describe("text %s", event.text.text);
    enqueue(event);
}

static int clamp(int value, int limit)
{
    if (value < 0)
        return 0;
    return value < limit ? value : limit - 1;
}

static void move_mouse(void)
{
    SDL_Event event = {.motion = {.type = SDL_MOUSEMOTION, .xrel = -user.x, .yrel = -user.y}};
    if (has_chance(500)) {
        user.x = (int)random_below((unsigned)user.width);
        user.y = (int)random_below((unsigned)user.height);
    } else {
        user.x = clamp(user.x + (int)random_below(81) - 40, user.width);
        user.y = clamp(user.y + (int)random_below(81) - 40, user.height);
    }
    event.motion.x = user.x;
    event.motion.y = user.y;
    event.motion.xrel += user.x;
    event.motion.yrel += user.y;
    describe("move to %d,%d", user.x, user.y);
    enqueue(event);
}

// Clicks, or drags if the mouse moves before the release.
static void click(void)
{
    static const Uint8 buttons[] = {
        SDL_BUTTON_LEFT,   SDL_BUTTON_LEFT,  SDL_BUTTON_LEFT,  SDL_BUTTON_LEFT,
        SDL_BUTTON_MIDDLE, SDL_BUTTON_RIGHT, SDL_BUTTON_RIGHT, SDL_BUTTON_X1,
    };
    static const unsigned numbers_of_moves[] = {0, 0, 1, 4};
    user.modifiers = has_chance(100) ? KMOD_LSHIFT : 0;
    if (has_chance(50))
        user.modifiers |= KMOD_LCTRL;

    SDL_Event event = {.button = {.type = SDL_MOUSEBUTTONDOWN, .state = SDL_PRESSED}};
    event.button.button = buttons[random_below(COUNT_OF(buttons))];
    event.button.clicks = has_chance(200) ? 2 : 1;
    event.button.which = has_chance(50) ? SDL_TOUCH_MOUSEID : 0;
    event.button.x = user.x;
    event.button.y = user.y;
    enqueue(event);
    const unsigned num_moves = numbers_of_moves[random_below(COUNT_OF(numbers_of_moves))];
    for (unsigned i = 0; i < num_moves; i++)
        move_mouse();

    event.button.type = SDL_MOUSEBUTTONUP;
    event.button.state = SDL_RELEASED;
    event.button.x = user.x;
    event.button.y = user.y;
    describe("button %u at %d,%d after %u moves", event.button.button, user.x, user.y, num_moves);
    enqueue(event);
}

static void turn_wheel(void)
{
    const int steps = (int)random_below(7) - 3;
    SDL_Event event = {.wheel = {.type = SDL_MOUSEWHEEL, .y = steps}};
    event.wheel.preciseY = (float)steps;
    describe("wheel %d", steps);
    enqueue(event);
}

static void set_size(int width, int height)
{
    user.width = width;
    user.height = height;
    SDL_SetWindowSize(user.window, width, height);
}

// Sets the size of the window to a common size, an extreme size, or any small size.
static void resize_window(void)
{
    static const int sizes[][2] = {{320, 200}, {3840, 2160}, {800, 450}, {64, 48},   {1920, 30},
                                   {640, 480}, {1280, 720},  {1, 1},     {30, 1000}, {420, 300}};
    const int *const size = sizes[random_below(COUNT_OF(sizes))];
    if (has_chance(300))
        set_size(1 + (int)random_below(900), 1 + (int)random_below(700));
    else
        set_size(size[0], size[1]);
    describe("resize to %dx%d", user.width, user.height);
}

static void drop_files(void)
{
    if (user.num_paths == 0)
        return;
    const int num_files = has_chance(200) ? 2 : 1;
    enqueue((SDL_Event){.drop = {.type = SDL_DROPBEGIN}});
    for (int i = 0; i < num_files; i++) {
        const char *const path = user.paths[random_below(user.num_paths)];
        describe("drop %s", path);
        enqueue((SDL_Event){.drop = {.type = SDL_DROPFILE, .file = SDL_strdup(path)}});
    }
    enqueue((SDL_Event){.drop = {.type = SDL_DROPCOMPLETE}});
}

static void touch(void)
{
    const Uint32 type = has_chance(500) ? SDL_FINGERDOWN : SDL_FINGERUP;
    describe("finger");
    enqueue((SDL_Event){.tfinger = {.type = type, .touchId = 1}});
    enqueue((SDL_Event){.mgesture = {.type = SDL_MULTIGESTURE, .dDist = 0.1f, .numFingers = 2}});
}

// Changes the focus of the window, or uncovers it.
static void change_window(void)
{
    static const Uint8 kinds[] = {SDL_WINDOWEVENT_EXPOSED, SDL_WINDOWEVENT_FOCUS_LOST,
                                  SDL_WINDOWEVENT_FOCUS_GAINED, SDL_WINDOWEVENT_LEAVE};
    const Uint8 kind = kinds[random_below(COUNT_OF(kinds))];
    describe("window event");
    enqueue((SDL_Event){.window = {.type = SDL_WINDOWEVENT, .event = kind}});
}

// Adds the events of a random action to the queue. The weights are per thousand.
static void act(void)
{
    static const struct {
        unsigned weight;
        void (*run)(void);
    } actions[] = {{450, press_key}, {240, move_mouse}, {210, click},
                   {50, turn_wheel}, {15, type_text},   {12, resize_window},
                   {8, drop_files},  {10, touch},       {5, change_window}};
    unsigned number = random_below(1000);
    size_t i = 0;
    while (number >= actions[i].weight)
        number -= actions[i++].weight;
    actions[i].run();
}

// == Steps ========================================================================================

static void print_summary(void)
{
    fprintf(stderr, "random: %lu events, %lu frames, longest step %.2f s\n", user.num_events,
            user.num_frames, user.longest_step);
}

static void begin_user(void)
{
    const char *const seed = getenv("RANDOM_SEED");
    const char *const events = getenv("RANDOM_EVENTS");
    const char *const limit = getenv("RANDOM_LIMIT");
    const char *const files = getenv("RANDOM_FILES");
    user.has_begun = true;
    user.prints_events = getenv("RANDOM_TRACE") != NULL;
    user.random = seed != NULL ? strtoull(seed, NULL, 10) * 1000003 : 0;
    user.max_events = events != NULL ? strtoul(events, NULL, 10) : 1000;
    user.limit = limit != NULL ? strtod(limit, NULL) : 1;
    user.next_frame = EVENTS_PER_FRAME;
    SDL_GetWindowSize(user.window, &user.width, &user.height);

    user.files = files != NULL ? strdup(files) : NULL;
    char *rest = user.files;
    while (rest != NULL && user.num_paths < MAX_FILES) {
        const char *const path = strsep(&rest, "\n");
        if (path[0] != '\0')
            user.paths[user.num_paths++] = path;
    }
    describe("start");
    (void)atexit(print_summary);
}

static void end_step(void)
{
    const double seconds = processor_seconds() - user.begin;
    if (seconds > user.longest_step)
        user.longest_step = seconds;
    if (seconds > user.limit)
        fprintf(stderr, "random: step of %.2f s at event %lu (%s), frame %lu, window %dx%d\n",
                seconds, user.num_events, user.description, user.num_frames, user.width,
                user.height);
}

// Returns true if the program must draw a frame before the next event. Lets time pass, so that
// clips are played and notices end.
static bool is_frame_due(void)
{
    if (user.next_frame > 0)
        return false;
    const unsigned max_milliseconds = 300;
    user.skipped += (Uint64)random_below(max_milliseconds) * SDL_GetPerformanceFrequency() / 1000;
    user.num_frames++;
    if (user.next_frame < -1)
        user.next_frame++;
    else if (user.next_frame == 0 && has_chance(100))
        user.next_frame = -STILL_FRAMES;
    else
        user.next_frame = EVENTS_PER_FRAME;
    return true;
}

// Sets *event to the next event. Returns false if there is none, so that the program draws a frame.
static bool next_event(SDL_Event *event)
{
    int (*const poll)(SDL_Event *) = (int (*)(SDL_Event *))find_original("SDL_PollEvent");
    if (poll(event) != 0) // an event of SDL itself, such as the new size of the window
        return true;
    if (user.num_queued > 0) {
        *event = user.queue[0];
        user.num_queued--;
        memmove(user.queue, user.queue + 1, (size_t)user.num_queued * sizeof *event);
        return true;
    }
    if (is_frame_due())
        return false;
    if (user.num_events < user.max_events) {
        user.num_events++;
        user.next_frame--;
        act();
        *event = (SDL_Event){.type = SDL_USEREVENT}; // the events of the action follow
        return true;
    }
    if (!user.has_ended)
        SDL_PushEvent(&(SDL_Event){.type = SDL_QUIT});
    user.has_ended = true;
    return false;
}

// == Replaced functions of SDL ====================================================================

int SDL_PollEvent(SDL_Event *event)
{
    if (user.has_begun)
        end_step();
    else
        begin_user();
    const bool has_event = next_event(event);
    user.begin = processor_seconds();
    return has_event;
}

int SDL_WaitEventTimeout(SDL_Event *event, int timeout)
{
    (void)timeout;
    return SDL_PollEvent(event);
}

// md5view opens no window with the driver "offscreen".
const char *SDL_GetCurrentVideoDriver(void)
{
    return "random";
}

SDL_Window *SDL_CreateWindow(const char *title, int x, int y, int width, int height, Uint32 flags)
{
    typedef SDL_Window *create_window(const char *, int, int, int, int, Uint32);
    create_window *const create = (create_window *)find_original("SDL_CreateWindow");
    user.window = create(title, x, y, width, height, flags);
    return user.window;
}

void SDL_GL_SwapWindow(SDL_Window *window)
{
    (void)window;
    if (user.width > MAX_USUAL_SIDE)
        set_size(800, 450);
}

static void do_nothing(void)
{
}

void *SDL_GL_GetProcAddress(const char *name)
{
    typedef void *get_address(const char *);
    static const char *const drawing[] = {
        "glDrawArrays",        "glDrawArraysInstanced", "glDrawElements", "glDrawElementsInstanced",
        "glDrawRangeElements", "glBlitFramebuffer",     "glClear",        "glGenerateMipmap",
    };
    for (size_t i = 0; i < COUNT_OF(drawing); i++) {
        if (strcmp(drawing[i], name) == 0)
            return (void *)do_nothing;
    }
    return ((get_address *)find_original("SDL_GL_GetProcAddress"))(name);
}

Uint32 SDL_GetMouseState(int *x, int *y)
{
    *x = user.x;
    *y = user.y;
    return 0;
}

Uint32 SDL_GetGlobalMouseState(int *x, int *y)
{
    return SDL_GetMouseState(x, y);
}

void SDL_GetWindowPosition(SDL_Window *window, int *x, int *y)
{
    (void)window;
    *x = 0;
    *y = 0;
}

SDL_Keymod SDL_GetModState(void)
{
    return (SDL_Keymod)user.modifiers;
}

Uint64 SDL_GetPerformanceCounter(void)
{
    typedef Uint64 get_counter(void);
    return ((get_counter *)find_original("SDL_GetPerformanceCounter"))() + user.skipped;
}

// The pauses between frames are only simulated, so that the test is fast.
void SDL_Delay(Uint32 milliseconds)
{
    typedef void delay(Uint32);
    ((delay *)find_original("SDL_Delay"))(milliseconds > 0 ? 1 : 0);
}
