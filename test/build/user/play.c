// A stranger's program for the libraries on top of md5model: a machine without states, and no game.
#include <md5model/md5game.h>
#include <md5model/md5play.h>

int main(void)
{
    md5_error error = {0};
    if (md5_parse_machine_file("machine", 7, NULL, &error) || error.status == MD5_OK)
        return 1;
    md5_free_machine_file(NULL);
    md5_destroy_game(NULL);
    return 0;
}
