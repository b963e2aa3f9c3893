// Joint names with all characters that an MD5 file allows, wherever a machine file names a joint.
#include "test/test.h"

#include "md5/md5play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Names as exporters write them: as they stand in a .md5mesh, where quoted names have no escapes,
// and as a machine file writes them.
static const struct {
    const char *mesh, *machine;
} names[] = {
    {"\"origin\"", "origin"},
    {"\"Bip01 L Hand\"", "\"Bip01 L Hand\""},
    {"'Bip01 \"R\" Hand'", "'Bip01 \"R\" Hand'"},
    {"\"it's\"", "\"it's\""},
    {"\"back\\\"", "back\\"},
    {"\"back\\slash \\\"", "\"back\\slash \\\""},
    {"\"-minus\"", "\"-minus\""},
    {"\"*star\"", "\"*star\""},
    {"\"-*\"", "\"-*\""},
    {"\"(round) {curly}\"", "\"(round) {curly}\""},
    {"\"// comment\"", "'// comment'"},
    {"\"100\"", "\"100\""},
    {"\"nothing\"", "nothing"},
    {"\"l\xc3\xa4uft\"", "l\xc3\xa4uft"},
    {"\"\xe9\x80\x9f \xe5\xba\xa6\"", "\"\xe9\x80\x9f \xe5\xba\xa6\""},
    {"\"\xe9\xe8\"", "'\xe9\xe8'"}, // Latin-1
    {"\" blanks \"", "\" blanks \""},
    {"\"=><&,;:.\"", "=><&,;:."},
};
enum { NUM_NAMES = sizeof names / sizeof names[0], ROOM = 8192 };

static md5_model *make_model(void)
{
    char text[ROOM];
    md5_error error;
    size_t used = (size_t)snprintf(text, ROOM,
                                   "MD5Version 10 commandline \"\" numJoints %d numMeshes 1\n"
                                   "joints {\n",
                                   (int)NUM_NAMES);
    for (int i = 0; i < NUM_NAMES; i++)
        used += (size_t)snprintf(text + used, ROOM - used, "%s %d ( %d 0 0 ) ( 0 0 0 )\n",
                                 names[i].mesh, i - 1, i);
    used += (size_t)snprintf(text + used, ROOM - used,
                             "}\nmesh { shader \"\" numverts 1 vert 0 ( 0 0 ) 0 1 numtris 0 "
                             "numweights 1 weight 0 0 1 ( 0 0 0 ) }\n");
    md5_model *const model = md5_parse_model(text, used, NULL, &error);
    if (!CHECK(model)) {
        printf("%s\n", error.message);
        abort();
    }
    return model;
}

// Two masks, a modifier and a layer for each joint, some with names that are just as unusual.
TEST (machine_names_any_joint_in_masks_and_modifiers) {
    char text[ROOM];
    md5_error error;
    md5_model *const model = make_model();
    size_t used = (size_t)snprintf(text, ROOM, "machine m {\n");
    for (int i = 0; i < NUM_NAMES; i++)
        used += (size_t)snprintf(text + used, ROOM - used,
                                 "mask %s ( %s ) mask \"all %d\" ( *%s )\n"
                                 "modifier %s joint %s layer %s { mask %s state %s \"%s\" }\n",
                                 names[i].machine, names[i].machine, i, names[i].machine,
                                 names[i].machine, names[i].machine, names[i].machine,
                                 names[i].machine, names[i].machine, "x");
    used += (size_t)snprintf(text + used, ROOM - used, "clip x x }");
    md5_machine_file *const file = md5_parse_machine_file(text, used, NULL, &error);
    if (!CHECK(file)) {
        printf("%u:%u: %s\n", error.line, error.column, error.message);
        md5_free_model(model);
        return;
    }
    CHECK_UINT(file->desc.num_modifiers, NUM_NAMES);
    for (int i = 0; i < NUM_NAMES; i++) {
        const char *const name = model->skeleton.joints[i].name;
        CHECK_STRING(file->desc.modifiers[i].name, name);
        CHECK_STRING(file->desc.modifiers[i].joint, name);
        CHECK_STRING(file->desc.layers[i].mask, name);
        CHECK_STRING(file->desc.layers[i].states[0].name, name);
        float one[NUM_NAMES], all[NUM_NAMES];
        CHECK(md5_build_mask(&model->skeleton, file->desc.masks[2 * i].joints, 0, one, &error));
        CHECK(md5_build_mask(&model->skeleton, file->desc.masks[2 * i + 1].joints, 0, all, &error));
        for (int joint = 0; joint < NUM_NAMES; joint++)
            CHECK(one[joint] == (float)(joint == i) && all[joint] == (float)(joint >= i));
    }
    file->desc.model = model;
    CHECK(!md5_create_machine(&file->desc, NULL, &error));
    CHECK_STRING(error.message, "clip 'x' has no binding"); // which is checked first
    md5_machine_desc desc = file->desc;
    desc.num_clips = desc.num_layers = 0;
    md5_machine *const machine = md5_create_machine(&desc, NULL, &error);
    if (!CHECK(machine))
        printf("%u:%u: %s\n", error.line, error.column, error.message);
    md5_destroy_machine(machine);
    md5_free_machine_file(file);
    md5_free_model(model);
}
