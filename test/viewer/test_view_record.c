// Movies of the window: written while it runs, without knowing the number of pictures.
#include "test/viewer/test_view_shot.h"

#include "demo/common/memory.h"
#include "demo/common/file.h"
#include "demo/viewer/app/input.h"
#include "demo/viewer/app/record.h"
#include "demo/viewer/jobs/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 48 };

// The number of pictures that an APNG file announces: in the chunk acTL behind the signature and
// the chunk IHDR of 25 bytes, after its size and name.
static uint32_t announced(const uint8_t *bytes)
{
    const uint8_t *const at = bytes + 8 + 25 + 8;
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint8_t *write_movie(const char *path, uint32_t num_frames, size_t *size)
{
    view_log log = {.level = VIEW_QUIET};
    uint8_t pixels[4 * 4 * 2] = {0};
    const char *problem = NULL;
    view_movie *const movie = view_begin_movie(path, 4, 2, 25.0, num_frames, &log);
    if (!CHECK(movie != NULL))
        return NULL;
    for (uint8_t i = 0; i < 3; i++) {
        memset(pixels, 40 * i, sizeof pixels);
        CHECK(view_add_picture(movie, pixels));
    }
    CHECK(view_end_movie(movie));
    uint8_t *const bytes = (uint8_t *)common_read_stream(path, size, &problem);
    CHECK(remove(path) == 0);
    return bytes;
}

// The two files are equal, checksums included.
TEST (view_movie_counts_its_pictures_at_the_end) {
    size_t known_size = 0, open_size = 0;
    uint8_t *const known = write_movie("record_known.apng", 3, &known_size);
    uint8_t *const open = write_movie("record_open.apng", 0, &open_size);
    if (CHECK(known != NULL && open != NULL)) {
        CHECK_UINT(announced(open), 3);
        CHECK_UINT(open_size, known_size);
        CHECK(known_size == open_size && memcmp(known, open, open_size) == 0);
    }
    free(known);
    free(open);
}

TEST_SCENE (view_record_begins_and_ends_by_a_key) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene,
                  "models/zoo/triangle.md5mesh --frame-rate 10 --resolution 64,48")) {
        view_state *const state = &viewer.state;
        const char *problem = NULL;
        CHECK(!view_is_recording(state));
        view_record_frame(state); // has no effect
        view_perform(state, (view_command){.action = VIEW_RECORD});
        if (CHECK(view_is_recording(state))) {
            char *const path = common_copy(state->recording.path);
            CHECK_NEAR(view_recording_rate(state), 10.0, 0.0);
            view_record_frame(state);
            view_record_frame(state);
            CHECK_UINT(state->recording.count, 2);
            view_perform(state, (view_command){.action = VIEW_RECORD});
            CHECK(!view_is_recording(state));
            CHECK(strstr(state->ui.notice, "2 pictures") != NULL);
            size_t size = 0;
            char *const bytes = common_read_stream(path, &size, &problem);
            CHECK(bytes != NULL && size > 100 && announced((const uint8_t *)bytes) == 2);
            free(bytes);
            CHECK(remove(path) == 0);
            free(path);
        }
        // A window of another size ends it.
        view_perform(state, (view_command){.action = VIEW_RECORD});
        if (CHECK(view_is_recording(state))) {
            char *const path = common_copy(state->recording.path);
            view_record_frame(state);
            state->width = WIDTH / 2;
            view_record_frame(state);
            CHECK(!view_is_recording(state));
            CHECK(remove(path) == 0);
            free(path);
        }
    }
    shot_close(&viewer);
}
