// Game folders on disk as search paths of a game: the modification times of their files.
#define _XOPEN_SOURCE 700 // mkdtemp(), utimensat()

#include "demo/common/file.h"
#include "demo/common/game_folder.h"
#include "test/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_file(const char *folder, const char *name, time_t seconds)
{
    char *const path = common_join(folder, name);
    FILE *const file = fopen(path, "wb");
    if (CHECK(file != NULL))
        CHECK(fclose(file) == 0);
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
    free(path);
}

static void remove_file(const char *folder, const char *name)
{
    char *const path = common_join(folder, name);
    CHECK(remove(path) == 0);
    free(path);
}

// Returns the modification time of the file of this name.
static int64_t time_of(const md5_game_path *place, const char *name)
{
    size_t file = 0;
    while (file < place->num_files && strcmp(place->name(place->user, file), name) != 0)
        file++;
    return CHECK(file < place->num_files) ? place->time(place->user, file) : -1;
}

TEST (files_of_game_folders_have_their_times) {
    const char *const above = getenv("TMPDIR");
    char *const folder = common_join(above ? above : "/tmp", "md5game-XXXXXX");
    if (!CHECK(mkdtemp(folder) != NULL)) {
        free(folder);
        return;
    }
    put_file(folder, "new.tga", 1000000);
    put_file(folder, "old.tga", 900000);
    common_game_places places = {.count = 0};
    CHECK(common_add_game_folder(&places, folder));
    if (CHECK(places.count == 1 && places.paths[0].num_files == 2)) {
        const md5_game_path *const place = &places.paths[0];
        const double ratio = (double)time_of(place, "new.tga") / (double)time_of(place, "old.tga");
        CHECK_NEAR(ratio, 10.0 / 9.0, 1e-12); // in any unit
        remove_file(folder, "old.tga");
        CHECK(time_of(place, "old.tga") == 0);
        remove_file(folder, "new.tga");
    }
    common_free_game_places(&places);
    CHECK(remove(folder) == 0);
    free(folder);
}
