// A program of a user for the libraries on top of md5model: it parses an invalid machine, and
// destroys NULL.
#include <md5model/md5edit.h>
#include <md5model/md5game.h>
#include <md5model/md5play.h>
#include <md5model/md5ragdoll.h>

int main(void)
{
    md5_error error = {0};
    if (md5_parse_machine_file("machine", 7, NULL, &error) || error.status == MD5_OK)
        return 1;
    md5_free_machine_file(NULL);
    md5_destroy_game(NULL);
    md5_destroy_ragdoll(NULL);
    md5_free_doc(NULL);
    return 0;
}
