#include "demo/viewer/scene/previews.h"

#include "demo/viewer/scene/preview_make.h"

#include <stdlib.h>
#include <string.h>

#include <SDL.h>

// The thread's game is opened again after so many pictures, because what games have read stays in
// memory.
enum { PICTURES_A_GAME = 100 };

typedef struct preview {
    char *name;       // the wish; NULL: none
    view_image image; // .rgba NULL: nothing can be shown
    uint64_t used;    // when it was last asked for
} preview;

struct view_previews {
    char *place;
    SDL_Thread *thread;
    SDL_mutex *mutex; // for what follows
    SDL_cond *changed;
    bool ends;
    char *wishes[VIEW_MOST_WISHES];
    size_t num_wishes;
    char *making;                   // the wish that the thread is busy with, or NULL
    preview made[VIEW_MOST_WISHES]; // not taken yet
    size_t num_made;
    preview kept[VIEW_MOST_PREVIEWS]; // from here on the caller's
    uint64_t now;
};

// -- Making ---------------------------------------------------------------------------------

static bool goes_on(void *user, size_t num_files)
{
    view_previews *const previews = user;
    (void)num_files;
    SDL_LockMutex(previews->mutex);
    const bool ends = previews->ends;
    SDL_UnlockMutex(previews->mutex);
    return !ends;
}

// Waits for a wish and takes it; NULL at the end.
static char *take_wish(view_previews *previews)
{
    char *name = NULL;
    SDL_LockMutex(previews->mutex);
    while (!previews->ends && (previews->num_wishes == 0 || previews->num_made == VIEW_MOST_WISHES))
        SDL_CondWait(previews->changed, previews->mutex);
    if (!previews->ends) {
        name = previews->wishes[0];
        previews->num_wishes--;
        memmove(&previews->wishes[0], &previews->wishes[1],
                previews->num_wishes * sizeof previews->wishes[0]);
        previews->making = name;
    }
    SDL_UnlockMutex(previews->mutex);
    return name;
}

static void hand_over(view_previews *previews, preview made)
{
    SDL_Event event = {.type = SDL_USEREVENT}; // wakes a window that waits for events
    SDL_LockMutex(previews->mutex);
    previews->made[previews->num_made++] = made;
    previews->making = NULL;
    SDL_UnlockMutex(previews->mutex);
    (void)SDL_PushEvent(&event);
}

static int make_pictures(void *user)
{
    view_previews *const previews = user;
    view_library *library = NULL;
    uint32_t num_made = 0;
    for (char *name = take_wish(previews); name != NULL; name = take_wish(previews)) {
        md5_error error;
        if (num_made++ % PICTURES_A_GAME == 0) {
            view_drop_library(library);
            library = view_open_library(previews->place, goes_on, previews, &error);
        }
        preview made = {.name = name};
        if (library != NULL)
            made.image = view_make_preview(library, name);
        hand_over(previews, made);
    }
    view_drop_library(library);
    return 0;
}

// -- Beginning and end ----------------------------------------------------------------------

view_previews *view_begin_previews(const char *place)
{
    view_previews *const previews = common_alloc(1, sizeof *previews);
    previews->place = common_copy(place);
    previews->mutex = SDL_CreateMutex();
    previews->changed = SDL_CreateCond();
    if (previews->mutex != NULL && previews->changed != NULL)
        previews->thread = SDL_CreateThread(make_pictures, "previews", previews);
    return previews; // without a thread there are no pictures
}

static void free_previews(preview *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].name);
        free(list[i].image.rgba);
    }
}

static void forget_wishes(view_previews *previews)
{
    for (size_t i = 0; i < previews->num_wishes; i++)
        free(previews->wishes[i]);
    previews->num_wishes = 0;
}

void view_stop_previews(view_previews *previews)
{
    if (previews == NULL)
        return;
    if (previews->thread != NULL) {
        SDL_LockMutex(previews->mutex);
        previews->ends = true;
        SDL_CondSignal(previews->changed);
        SDL_UnlockMutex(previews->mutex);
        SDL_WaitThread(previews->thread, NULL);
    }
    SDL_DestroyCond(previews->changed);
    SDL_DestroyMutex(previews->mutex);
    forget_wishes(previews);
    free_previews(previews->made, previews->num_made);
    free_previews(previews->kept, VIEW_MOST_PREVIEWS);
    free(previews->place);
    free(previews);
}

// -- The caller's side ----------------------------------------------------------------------

static preview *find_kept(view_previews *previews, const char *name)
{
    for (size_t i = 0; i < VIEW_MOST_PREVIEWS; i++)
        if (previews->kept[i].name != NULL && strcmp(previews->kept[i].name, name) == 0)
            return &previews->kept[i];
    return NULL;
}

// Whether the thread has it, or is making it.
static bool is_coming(const view_previews *previews, const char *name)
{
    for (size_t i = 0; i < previews->num_made; i++)
        if (strcmp(previews->made[i].name, name) == 0)
            return true;
    return previews->making != NULL && strcmp(previews->making, name) == 0;
}

void view_want_previews(view_previews *previews, const char *const *wishes, size_t count)
{
    if (previews->thread == NULL)
        return;
    SDL_LockMutex(previews->mutex);
    forget_wishes(previews);
    for (size_t i = 0; i < count && previews->num_wishes < VIEW_MOST_WISHES; i++)
        if (find_kept(previews, wishes[i]) == NULL && !is_coming(previews, wishes[i]))
            previews->wishes[previews->num_wishes++] = common_copy(wishes[i]);
    SDL_CondSignal(previews->changed);
    SDL_UnlockMutex(previews->mutex);
}

// An unused place, or that of the picture that nobody has asked for the longest.
static preview *oldest(view_previews *previews)
{
    preview *found = &previews->kept[0];
    for (size_t i = 0; i < VIEW_MOST_PREVIEWS; i++)
        if (previews->kept[i].used < found->used)
            found = &previews->kept[i];
    return found;
}

bool view_take_previews(view_previews *previews)
{
    if (previews->thread == NULL)
        return false;
    SDL_LockMutex(previews->mutex);
    const size_t count = previews->num_made;
    for (size_t i = 0; i < count; i++) {
        preview *const place = oldest(previews);
        free_previews(place, 1);
        *place = previews->made[i];
        place->used = ++previews->now;
    }
    previews->num_made = 0;
    SDL_CondSignal(previews->changed);
    SDL_UnlockMutex(previews->mutex);
    return count > 0;
}

const view_image *view_find_preview(view_previews *previews, const char *wish)
{
    preview *const found = find_kept(previews, wish);
    if (found == NULL)
        return NULL;
    found->used = ++previews->now;
    return found->image.rgba != NULL ? &found->image : NULL;
}
