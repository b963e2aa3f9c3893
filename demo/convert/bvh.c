#include "demo/convert/convert.h"
bool convert_read_bvh(const convert_job *job, convert_input *input, convert_scene *scene,
                      md5_error *error)
{
    (void)job;
    (void)scene;
    return convert_fail(error, MD5_ERROR_IO, input->path, "no");
}
