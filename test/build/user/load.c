// Prints the version of the library, and the number of joints of a model.
#include <md5model/md5model.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    md5_error error = {0};
    md5_model *model = md5_load_model(argc > 1 ? argv[1] : "", NULL, &error);
    printf("%d.%d.%d %u\n", MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH,
           model ? (unsigned)model->skeleton.num_joints : 0);
    md5_free_model(model);
    return model ? 0 : 1;
}
