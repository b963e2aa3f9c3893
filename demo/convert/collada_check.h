// Searches Collada files for content that libassimp reads incorrectly and that collada.c does not
// repair.
#ifndef DEMO_CONVERT_COLLADA_CHECK_H
#define DEMO_CONVERT_COLLADA_CHECK_H

#include "demo/convert/collada.h"
#include "demo/convert/collada_xml.h"

// A Collada file while it is checked and repaired.
typedef struct collada_text {
    const convert_job *job;
    xml_range all;  // the original file
    xml_range text; // the file with the changes so far
    xml_list sources;
    double rate;    // frames per second
    size_t num_new; // sources that were created
    collada_file result;
} collada_text;

// Stores a name and its line and column, if this is the first problem of its kind. `at` is the
// position of the element with the problem in file->all.
void collada_store_problem(const collada_text *file, collada_problem *problem, xml_range name,
                           const char *at);

// Searches for a channel that libassimp ignores or reads incorrectly, and stores its target.
void collada_check_channels(collada_text *file);

// Searches for a joint of a skin that libassimp takes from another skeleton. In Collada the joints
// of a skin are searched by their sids in the skeletons of its instance, so several skeletons can
// have the same sids, and several instances of a skin can have different skeletons. libassimp
// searches the whole scene, and ignores the elements <skeleton>.
void collada_check_skins(collada_text *file);

#endif
