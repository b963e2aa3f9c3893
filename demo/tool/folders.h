// Whole folders for `md5tool convert`.
#ifndef DEMO_TOOL_FOLDERS_H
#define DEMO_TOOL_FOLDERS_H

#include "demo/common/file.h"
#include "demo/convert/convert.h"
#include "demo/tool/tool.h"

// Converts the models of the folder arguments->words[0], each with its clips, as `pattern` says, to
// files in the same places below arguments->output: on all cores, leaving out those whose output is
// newer than their inputs, unless forced. Prints a report. Adds the files that were written to
// `written`. Returns the exit status.
int tool_convert_folder(const tool_arguments *arguments, const convert_job *pattern,
                        common_list *written);

#endif
