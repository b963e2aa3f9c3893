// The contents of a game as a list: requests by keys, text and mouse.
#include "demo/viewer/ui/browser.h"
#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include <SDL.h>

typedef struct listed {
    view_library *library;
    view_browser browser;
} listed;

static bool list_base(listed *of, view_section section, const char *shown)
{
    md5_error error;
    *of = (listed){0};
    of->library = view_open_library(test_path("models/game/base"), NULL, NULL, &error);
    if (!CHECK(of->library != NULL))
        return false;
    view_list_section(&of->browser, of->library, section, shown);
    return true;
}

static void end_listed(listed *of)
{
    view_clear_browser(&of->browser);
    view_drop_library(of->library);
}

static view_command press_key(listed *of, int32_t code)
{
    return view_key_browser(&of->browser, code, false);
}

#define TEST_HERE(title, ...) \
    TEST_IF (title, listed, of, list_base(of, __VA_ARGS__), end_listed(of))

TEST_HERE (game_list_begins_at_what_is_shown, VIEW_ENTITIES, "monster_thimble") {
    view_command request = press_key(of, SDLK_RETURN);
    CHECK(request.action == VIEW_OPEN_NAMED && request.number == VIEW_ENTITIES);
    CHECK(strcmp(request.path, "monster_thimble") == 0);
    CHECK(of->browser.kind == VIEW_BROWSE_NOTHING);
    free(request.path);
}

TEST_HERE (game_list_finds_by_typing_and_keeps_that_in_other_sections, VIEW_ENTITIES, NULL) {
    CHECK(view_type_browser(&of->browser, "MOS").action == VIEW_LISTED);
    CHECK(of->browser.num_found == 1);
    view_list_section(&of->browser, of->library, VIEW_SKINS, NULL);
    CHECK(strcmp(of->browser.filter, "MOS") == 0 && of->browser.num_found == 1);
    view_command request = press_key(of, SDLK_RETURN);
    CHECK(request.action == VIEW_OPEN_NAMED && request.number == VIEW_SKINS);
    CHECK(strstr(request.path, "moss") != NULL);
    free(request.path);
}

TEST_HERE (game_list_turns_through_its_sections, VIEW_ENTITIES, NULL) {
    view_command request = press_key(of, SDLK_TAB);
    CHECK(request.action == VIEW_OPEN_SECTION && request.number == VIEW_MODELS);
    request = press_key(of, SDLK_LEFT);
    CHECK(request.action == VIEW_OPEN_SECTION && request.number == VIEW_SKINS);
    of->browser.section = VIEW_SKINS;
    request = press_key(of, SDLK_RIGHT);
    CHECK(request.action == VIEW_OPEN_SECTION && request.number == VIEW_ENTITIES);
    CHECK(view_first_section(of->library) == VIEW_ENTITIES);
}

TEST (files_of_a_folder_turn_into_its_game) {
    view_browser browser = {0};
    view_browse_folder(&browser, test_path("models/game"), NULL);
    CHECK(view_key_browser(&browser, SDLK_LEFT, false).action == VIEW_NOTHING);
    const view_command request = view_key_browser(&browser, SDLK_TAB, false);
    CHECK(request.action == VIEW_OPEN_GAME && strcmp(request.path, test_path("models/game")) == 0);
    free(request.path);
    view_clear_browser(&browser);
}

TEST (list_of_a_game_that_is_being_opened_is_empty) {
    view_browser browser = {0};
    view_list_scan(&browser, "somewhere", 0);
    view_list_scan(&browser, "somewhere", 1234);
    CHECK(browser.is_scanning && browser.num_scanned == 1234 && browser.num_found == 0);
    CHECK(view_key_browser(&browser, SDLK_RETURN, false).action == VIEW_TAKEN);
    CHECK(view_key_browser(&browser, SDLK_TAB, false).action == VIEW_TAKEN);
    CHECK(view_key_browser(&browser, SDLK_ESCAPE, false).action == VIEW_CLOSED);
    CHECK(browser.kind == VIEW_BROWSE_NOTHING);
}
