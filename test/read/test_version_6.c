// Models and animations of version 6, of Doom 3's alpha of 2002. The texts are written here, and
// the expected results are computed in double precision, by matrices.
#include "test/real.h"
#include "test/load/test_asset.h"
#include "test/scoped.h"
#include "test/pose/test_generated_pose.h"
#include "test/read/read_case.h"

// Rows from the tests of md5-converter's reader: the first bones of a zombie, the first of which is
// rotated left by 90 degrees.
static const char good_mesh[] =
    "MD5Version 6\ncommandline \"mesh a.mb -game Doom\"\n\nnumbones 3\n"
    "bone 0 {\n\tname \"origin\"\n\tbindpos 0.000000 0.000000 0.000000\n"
    "\tbindmat 0.0 1.0 0.0 -1.0 0.0 0.0 0.0 0.0 1.0\n}\n"
    "bone 1 {\n\tname \"Body2\"\n\tbindpos 0.217826 0.000000 51.499458\n"
    "\tbindmat 0.0 1.0 0.0 0.0 0.0 1.0 1.0 0.0 0.0\n\tparent \"origin\"\n}\n"
    "bone 2 {\n\tname \"other\"\n\tbindpos 1 2 3\n\tbindmat 1 0 0 0 1 0 0 0 1\n}\n"
    "nummeshes 1\nmesh 0 {\n\tshader \"P:/Doom/base/models/com1_eye.tga\"\n\n\tnumverts 3\n"
    "\tvert 0 0.004951 0.25 0 1\n\tvert 1 0.5 0.75 1 1\n\tvert 2 1 0 2 2\n\n"
    "\tnumtris 1\n\ttri 0 2 1 0\n\n\tnumweights 4\n"
    "\tweight 0 0 1.000000 3 4 5\n\tweight 1 1 1.000000 -1.5 2 4\n"
    "\tweight 2 1 0.250000 8 0 0\n\tweight 3 2 0.750000 0 -4 0\n}\n";

static const char good_anim[] =
    "MD5Version 6\ncommandline \"\"\n\nnumchannels 3\n\n"
    "channel 0 {\n\tjoint \"origin\"\n\tattribute \"x\"\n\tstarttime 0.041667\n"
    "\tendtime 2.916667\n\tframerate 24.000000\n\n\tstrings 0\n\n\trange 1 4\n"
    "\tkeys 2\n\t\t -2.5 -3.25\n}\n"
    "channel 1 {\n\tjoint \"origin\"\n\tattribute \"yaw\"\n\tstarttime 0.041667\n"
    "\tendtime 2.916667\n\tframerate 24.000000\n\n\tstrings 2\n\t\t \"a\" \"b\"\n\n"
    "\tkeys 2\n\t\t 0 90\n}\n"
    "channel 2 {\n\tjoint \"Body2\"\n\tattribute \"z\"\n\tstarttime 0.041667\n"
    "\tendtime 2.916667\n\tframerate 24.000000\n\tstrings 0\n\tkeys 1 7\n}\n";

static bool load_model(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    SCOPED_MODEL model = md5_parse_model(text, size, opts, error);
    const char *const fault = model ? asset_model_fault(model) : NULL;
    CHECK_THAT(!fault, "%s", fault ? fault : "");
    return model != NULL;
}

static bool load_anim(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    SCOPED_ANIM anim = md5_parse_anim(text, size, opts, error);
    const char *const fault = anim ? asset_anim_fault(anim) : NULL;
    CHECK_THAT(!fault, "%s", fault ? fault : "");
    return anim != NULL;
}

#define CHECK_CASES READ_CASES_CHECK

static void check_point(md5_vec3 point, double x, double y, double z)
{
    CHECK_VEC3(point, x, y, z, 1e-5);
}

// -- Models ---------------------------------------------------------------------------------------

// A vertex is the sum of bias * (position + x * first row + y * second row + z * third row).
TEST (version_6_models_are_read) {
    md5_error error = {0};
    SCOPED_MODEL model = text_model(good_mesh, &error);
    if (!CHECK_DONE(model, error))
        return;
    const md5_mesh *const mesh = &model->meshes[0];
    CHECK_UINT(model->skeleton.num_joints, 3);
    CHECK_STRING(model->skeleton.joints[1].name, "Body2");
    CHECK(model->skeleton.joints[0].parent == MD5_NONE && model->skeleton.joints[1].parent == 0
          && model->skeleton.joints[2].parent == MD5_NONE);
    CHECK_STRING(mesh->shader, "P:/Doom/base/models/com1_eye.tga");
    CHECK_NEAR(mesh->texcoords[0].x, 0.004951, 1e-7);
    check_point(mesh->positions[0], -4, 3, 5);
    check_point(mesh->positions[1], 4.217826, -1.5, 53.499458);
    check_point(mesh->positions[2], 0.25 * 0.217826 + 0.75, 0.25 * 8 + 0.75 * -2,
                0.25 * 51.499458 + 0.75 * 3.0);
    CHECK_UINT(mesh->indices[0], 2);
    CHECK_UINT(model->num_warnings, 0);
    CHECK(!asset_model_fault(model));
}

TEST (version_6_models_report_errors) {
    CHECK_CASES(
        good_mesh, load_model,
        {"", "MD5Version 6 commandline \"\" numbones 1 x",
         "1:38: error: numbones is too large for the file: found 1, but only 2 bytes are left"},
        {"numbones 3", "numbones 2", "16:1: error: too many bones: expected 2 (numbones)"},
        {"numbones 3\n", "\n", "5:1: error: missing 'numbones': expected it before 'bone'"},
        {"bone 1", "bone 2", "10:6: error: bone number is out of order: expected 1, found 2"},
        {"bone 1", "mesh 1", "10:1: error: missing 'bone': expected it before 'mesh'"},
        {"\tname \"origin\"\n", "", "8:1: error: incomplete bone: 'name' is missing"},
        {"\tbindpos 1 2 3\n", "", "19:1: error: incomplete bone: 'bindpos' is missing"},
        {"\tbindmat 1 0 0 0 1 0 0 0 1\n", "", "19:1: error: incomplete bone: 'bindmat' is missing"},
        {"bindmat 1 0 0 0 1 0 0 0 1", "bindmat 1 0 0 0 1 0 0 0 -1",
         "19:10: error: bindmat is not a rotation matrix"},
        {"bindmat 1 0 0 0 1 0 0 0 1", "bindmat 1 0 0.1 0 1 0 0 0 1",
         "19:10: error: bindmat is not a rotation matrix"},
        {"bindmat 1 0 0 0 1 0 0 0 1", "bindmat 1 0 0 0 1 0 0 0",
         "20:1: error: expected a number, found '}'"},
        {"bindpos 1 2 3", "bindpos 1 2e9 3",
         "18:12: error: number is out of range: expected -1e9 to 1e9, found '2e9'"},
        {"bindpos 1 2 3", "name \"again\"",
         "18:2: error: invalid bone: expected each of name, bindpos, bindmat and parent once, or "
         "'}', found 'name'"},
        {"parent \"origin\"", "parent \"nobody\"",
         "14:9: error: parent bone 'nobody' does not exist"},
        {"bindpos 0.000000 0.000000 0.000000", "parent \"Body2\" bindpos 0 0 0",
         "5:1: error: joint 'origin' is its own ancestor"},
        {"nummeshes 1\n", "", "21:1: error: missing 'nummeshes': expected it before 'mesh'"},
        {"nummeshes 1", "nummeshes 2",
         "21:11: warning: nummeshes does not match the file: declared 2, found 1"},
        {"nummeshes 1", "numMeshes 1",
         "21:1: error: keyword 'numMeshes' belongs to MD5 version 10: the file has version 6"},
        {"mesh 0 {", "mesh {", "22:6: error: expected an integer, found '{'"},
        {"vert 2 1 0 2 2", "vert 2 1 0 2 3",
         "28:13: error: vertex refers to unknown weights: expected indices below 4 (numweights), "
         "found 2 to 4"},
        {"vert 1 0.5 0.75 1 1", "vert 1 ( 0.5 0.75 ) 1 1",
         "27:9: error: expected a number, found '('"},
        {"numverts 3", "numverts 2",
         "28:2: error: too many entries: expected 2 (numverts), found 3"},
        {"vert 1 0.5", "vert 7 0.5",
         "27:7: warning: found 'vert 7', expected 'vert 1': using the order in the file"},
        {"vert 0 0.004951 0.25 0 1\n\tvert 1", "vert 5 0.004951 0.25 0 1\n\tvert 6",
         "26:7: warning: found 'vert 5', expected 'vert 0': using the order in the file"},
        {"weight 1 1", "weight 9 1",
         "35:9: warning: found 'weight 9', expected 'weight 1': using the order in the file"},
        {"weight 3 2 ", "weight 3 3 ",
         "37:11: error: weight refers to an unknown joint: expected an index below 3 (numbones), "
         "found 3"},
        {"numweights 4", "numweights 3",
         "37:2: error: too many entries: expected 3 (numweights), found 4"},
        {"MD5Version 6\n", "",
         "1:1: warning: missing line 'MD5Version 10'\n"
         "3:1: error: keyword 'numbones' belongs to MD5 version 6 (alpha of 2002): add the line "
         "'MD5Version "
         "6'"},
        {"MD5Version 6", "MD5Version 10",
         "1:12: warning: MD5Version does not match the content: declared 10, but keyword "
         "'numbones' belongs to version 6 (alpha of 2002); the declared version is ignored"},
        {"", "MD5Version 6 commandline \"\" ",
         "1:28: error: expected 'bone', found the end of the file"},
        {"numbones 3", "numchannels 3",
         "4:1: error: wrong file type: expected a model (.md5mesh), found an animation (.md5anim) "
         "with keyword 'numchannels'"});
}

// The first keyword of the body determines the version; a later line `MD5Version` has no effect.
TEST (version_after_other_keywords_is_ignored) {
    CHECK_CASES(good_mesh, load_model,
                {"", "commandline \"\" numJoints 1 MD5Version 6 bone 0 { }",
                 "1:1: warning: missing line 'MD5Version 10'\n"
                 "1:39: warning: 'MD5Version 6' after other keywords is ignored: using version 10\n"
                 "1:41: error: keyword 'bone' belongs to MD5 version 6 (alpha of 2002): the file "
                 "declares a later version"});
}

TEST (version_6_cameras_are_rejected) {
    static const char text[] = "MD5Version 6 commandline \"\" numchannels 0";
    md5_error error = {0};
    CHECK_REFUSED(md5_parse_camera(text, strlen(text), NULL, &error), error, MD5_ERROR_VERSION,
                  "unsupported MD5 version: expected version 10 or 12, found 6");
}

// -- Animations -----------------------------------------------------------------------------------

// The first key applies before its frame and the last key after its frame. A component without a
// channel is 0.
TEST (version_6_animations_are_read) {
    md5_error error = {0};
    SCOPED_ANIM anim = text_anim(good_anim, &error);
    if (!CHECK_DONE(anim, error))
        return;
    static const float x[] = {-2.5f, -2.5f, -3.25f, -3.25f};
    static const double yaw[] = {0, 90, 90, 90};
    CHECK_UINT(anim->num_frames, 4);
    CHECK_EXACT(anim->frame_rate, 24);
    CHECK_UINT(anim->skeleton.num_joints, 2);
    CHECK(anim->parents_unknown && anim->skeleton.joints[1].parent == MD5_NONE);
    CHECK_UINT(anim->num_components, 4); // x and one rotation
    CHECK(!anim->frame_bounds && anim->num_warnings == 0);
    for (uint32_t frame = 0; frame < 4; frame++) {
        md5_xform pose[2];
        sample_anim(anim, md5_sample_position_from_frames(anim, frame, frame, 0), MD5_ROOT_FILE,
                    pose);
        check_point(pose[0].translation, x[frame], 0, 0);
        check_point(pose[1].translation, 0, 0, 7);
        CHECK_NEAR(md5_quat_to_euler(pose[0].rotation).yaw, yaw[frame], 1e-4);
    }
}

#define ATTRIBUTES                                                                                 \
    "invalid channel: expected each of joint, attribute, starttime, endtime, framerate, strings, " \
    "range and keys "                                                                              \
    "once, or '}', found "

TEST (version_6_animations_report_errors) {
    CHECK_CASES(
        good_anim, load_anim,
        {"numchannels 3", "numchannels 4",
         "40:2: error: too few entries: expected 4 (numchannels), found the end of "
         "the file after 3"},
        {"numchannels 3", "numchannels 2",
         "4:13: warning: numchannels is too small: declared 2, found 3; the last one is ignored"},
        {"numchannels 3", "numchannels 0",
         "4:13: error: numchannels is out of range: expected at least 1, found 0"},
        {"channel 1", "channel 7",
         "19:9: error: channel number is out of order: expected 1, found 7"},
        {"\tjoint \"origin\"\n", "", "17:1: error: incomplete channel: 'joint' is missing"},
        {"\tattribute \"x\"\n", "", "17:1: error: incomplete channel: 'attribute' is missing"},
        {"\tframerate 24.000000\n", "", "17:1: error: incomplete channel: 'framerate' is missing"},
        {"\tkeys 2\n\t\t -2.5 -3.25\n", "", "16:1: error: incomplete channel: 'keys' is missing"},
        {"strings 0", "joint b", "13:2: error: " ATTRIBUTES "'joint'"},
        {"strings 0", "something 0", "13:2: error: " ATTRIBUTES "'something'"},
        {"strings 0", "strings 5000000000",
         "13:10: error: strings is out of range: expected 0 to 4294967295, found 5000000000"},
        {"strings 0", "strings 1", "15:8: error: " ATTRIBUTES "'1'"},
        {"framerate 24.000000", "framerate 0",
         "11:12: error: framerate is out of range: expected more than 0, found 0"},
        {"framerate 24.000000", "framerate 12",
         "19:1: warning: channels have different frame rates: expected 12 as in the first channel, "
         "found 24; using the first (2 times, last in line 32)"},
        {"range 1 4", "range 4 1",
         "15:10: error: range ends before it begins: expected at least 4, found 1"},
        {"range 1 4", "range -1 4",
         "15:8: error: first frame is out of range: expected 0 to 4294967295, found -1"},
        {"range 1 4", "range 1 116", ""}, // 465 bytes, four numbers in each frame
        {"range 1 4", "range 1 117",
         "6:1: error: animation is too large: 117 frames of 4 components exceed the file size (465 "
         "bytes)"},
        {"range 1 4", "range 1 400",
         "6:1: error: animation is too large: 400 frames of 4 components exceed the file size (465 "
         "bytes)"},
        {"keys 2\n\t\t -2.5", "keys 3\n\t\t -2.5",
         "18:1: error: too few entries: expected 3 (keys), found '}' after 2"},
        {"keys 2\n\t\t -2.5", "keys 0\n\t\t -2.5",
         "16:7: error: keys is out of range: expected at least 1, found 0"},
        {"-3.25", "-3.25e9",
         "17:9: error: number is out of range: expected -1e9 to 1e9, found '-3.25e9'"},
        {"attribute \"x\"", "attribute \"size\"",
         "8:12: warning: unknown attribute 'size': expected x, y, z, yaw, pitch, roll or fov; "
         "channel skipped"},
        {"attribute \"yaw\"", "attribute \"x\"",
         "21:12: warning: duplicate attribute of joint 'origin': using the first channel"},
        {"numchannels", "numbones",
         "4:1: error: wrong file type: expected an animation (.md5anim), found a model (.md5mesh) "
         "with keyword 'numbones'"},
        {"range 1 4", "range 1 x", "15:10: error: expected an integer, found 'x'"},
        {"keys 1 7\n}\n", "keys 1 7\n} /* ",
         "40:3: warning: unterminated comment: expected '*/', found the end of the "
         "file"},
        {"MD5Version 6", "MD5Version 12",
         "1:12: warning: MD5Version does not match the content: declared 12, but keyword "
         "'numchannels' belongs to version 6 (alpha of 2002); the declared version is ignored"},
        {"numchannels 3\n\n", "", "4:1: error: expected 'numchannels', found 'channel'"});
}

TEST (version_6_animations_need_a_joint) {
    static const char text[] = "MD5Version 6 commandline \"\" numchannels 2\n"
                               "channel 0 { joint camera1 attribute fov framerate 24 keys 1 90 }\n"
                               "channel 1 { joint boundsMin attribute x framerate 24 keys 1 9 }\n";
    md5_error error = {0};
    CHECK(!text_anim(text, &error));
    CHECK(error.line == 1 && error.column == 41);
    CHECK_STRING(error.message,
                 "no joint is animated: expected a channel with x, y, z, yaw, pitch or roll");
}

// -- A figure, of which both kinds of file are written --------------------------------------------

enum { NUM_BONES = 12, NUM_FRAMES = 9 };

typedef struct figure {
    int parents[NUM_BONES];
    double at[NUM_FRAMES][NUM_BONES][6]; // x y z yaw pitch roll, relative to the parent
} figure;

typedef struct placement {
    double axes[3][3], origin[3]; // axes[i]: direction of the i-th axis
} placement;

// Rotates a vector about x, y or z (axis 0, 1 or 2), counterclockwise as seen from the end of the
// axis.
static void rotate_axis(double v[3], int axis, double degrees)
{
    const double c = cos(degrees * 3.14159265358979323846 / 180.0);
    const double s = sin(degrees * 3.14159265358979323846 / 180.0);
    const int a = (axis + 1) % 3;
    const int b = (axis + 2) % 3;
    const double first = v[a];
    const double second = v[b];
    v[a] = first * c - second * s;
    v[b] = first * s + second * c;
}

// Computes the transforms of bones in model space: roll about x, then pitch about y, then yaw about
// z, then the transform of the parent.
static void compute_placements(const figure *fixture, int frame, placement placed[NUM_BONES])
{
    for (int bone = 0; bone < NUM_BONES; bone++) {
        const double *const at = fixture->at[frame][bone];
        const placement *const parent =
            fixture->parents[bone] < 0 ? NULL : &placed[fixture->parents[bone]];
        for (int i = 0; i < 4; i++) { // three axes and the origin
            double v[3] = {i == 0, i == 1, i == 2};
            double *const to = i < 3 ? placed[bone].axes[i] : placed[bone].origin;
            rotate_axis(v, 0, i < 3 ? at[5] : 0);
            rotate_axis(v, 1, i < 3 ? at[4] : 0);
            rotate_axis(v, 2, i < 3 ? at[3] : 0);
            for (int k = 0; k < 3; k++)
                v[k] = i < 3 ? v[k] : at[k];
            for (int k = 0; k < 3; k++) {
                to[k] = v[k];
                if (parent)
                    to[k] = v[0] * parent->axes[0][k] + v[1] * parent->axes[1][k]
                            + v[2] * parent->axes[2][k] + (i < 3 ? 0 : parent->origin[k]);
            }
        }
    }
}

static char *write_mesh(const figure *fixture)
{
    placement placed[NUM_BONES];
    test_text text = {0};
    test_append(&text, "MD5Version 6\ncommandline \"\"\nnumbones %d\n", NUM_BONES);
    compute_placements(fixture, 0, placed);
    for (int bone = 0; bone < NUM_BONES; bone++) {
        const placement *const at = &placed[bone];
        test_append(&text, "bone %d {\n name \"b%d\"\n bindpos %.7f %.7f %.7f\n bindmat", bone,
                    bone, at->origin[0], at->origin[1], at->origin[2]);
        for (int i = 0; i < 9; i++)
            test_append(&text, " %.8f", at->axes[i / 3][i % 3]);
        if (fixture->parents[bone] >= 0)
            test_append(&text, "\n parent \"b%d\"", fixture->parents[bone]);
        test_append(&text, "\n}\n");
    }
    test_append(&text, "nummeshes 0\n");
    return text.bytes;
}

// Writes channels in an order that mixes the joints. A channel whose value never changes has one
// key.
static char *write_anim(const figure *fixture)
{
    STRINGS(names) = {"x", "y", "z", "yaw", "pitch", "roll"};
    test_text text = {0};
    test_append(&text, "MD5Version 6\ncommandline \"\"\nnumchannels %d\n", 6 * NUM_BONES + 6);
    int number = 0;
    for (int i = 0; i < 6; i++) {
        const char *const corner = i < 3 ? "Min" : "Max";
        const int value = i < 3 ? -i - 1 : i;
        test_append(&text,
                    "channel %d { joint \"bounds%s\" attribute \"%s\" framerate 30 keys 1 %d }\n",
                    number++, corner, names[i % 3], value);
    }
    for (int i = 0; i < 6; i++) {
        for (int bone = NUM_BONES - 1; bone >= 0; bone--) {
            const bool is_still = (bone + i) % 3 == 0;
            test_append(&text,
                        "channel %d { joint \"b%d\" attribute \"%s\" starttime 0 endtime 1 "
                        "framerate 30 strings 0 range 0 %d keys %d",
                        number++, bone, names[i], NUM_FRAMES, is_still ? 1 : NUM_FRAMES);
            for (int frame = 0; frame < (is_still ? 1 : NUM_FRAMES); frame++)
                test_append(&text, " %.6f", fixture->at[frame][bone][i]);
            test_append(&text, " }\n");
        }
    }
    return text.bytes;
}

// Returns the largest difference between an element of a joint's matrix and the expected placement.
static double placement_error(const md5_mat34 *joint, const placement *expected)
{
    double max_error = 0;
    for (int row = 0; row < 3; row++) {
        for (int axis = 0; axis < 3; axis++)
            real_update_max(&max_error, fabs(joint->m[4 * row + axis] - expected->axes[axis][row]));
        real_update_max(&max_error, fabs(joint->m[4 * row + 3] - expected->origin[row]));
    }
    return max_error;
}

// In the first frame the figure has the pose of the model's file, so angles and matrices must
// describe the same pose. In the other frames it has the pose of the matrices.
TEST (version_6_animations_move_models_of_version_6) {
    static figure fixture;
    static placement placed[NUM_BONES];
    static const double limits[6] = {20, 20, 20, 179, 89, 179}; // x y z, yaw pitch roll
    md5_error error = {0};
    read_case_log log = {.used = 0};
    const md5_load_opts opts = {.warn = read_case_warn, .warn_user = &log};
    uint64_t random = 20020522;
    for (int bone = 0; bone < NUM_BONES; bone++) {
        fixture.parents[bone] = bone < 2 ? -1 : (int)(test_random_u32(&random) % (uint32_t)bone);
        for (int frame = 0; frame < NUM_FRAMES; frame++) {
            for (int i = 0; i < 6; i++) {
                const bool is_still = (bone + i) % 3 == 0 && frame > 0;
                const double value = test_between(-limits[i], limits[i], &random);
                fixture.at[frame][bone][i] = is_still ? fixture.at[0][bone][i] : value;
            }
        }
    }
    SCOPED_STRING mesh = write_mesh(&fixture);
    SCOPED_STRING keys = write_anim(&fixture);
    SCOPED_MODEL model = md5_parse_model(mesh, strlen(mesh), &opts, &error);
    SCOPED_ANIM anim = md5_parse_anim(keys, strlen(keys), &opts, &error);
    SCOPED_BINDING binding = model && anim ? md5_bind(model, anim, &opts, &error) : NULL;
    if (CHECK_DONE(binding, error)) {
        CHECK_UINT(anim->num_frames, NUM_FRAMES);
        CHECK_UINT(binding->num_rebases + binding->num_missing + binding->num_extra, 0);
        CHECK(anim->frame_bounds && anim->frame_bounds[5].min.y == -2
              && anim->frame_bounds[8].max.z == 5);
        double max_error = 0;
        for (int frame = 0; frame < NUM_FRAMES; frame++) {
            md5_xform pose[NUM_BONES];
            md5_mat34 joints[NUM_BONES];
            const md5_sample_position sample =
                md5_sample_position_from_frames(anim, (uint32_t)frame, (uint32_t)frame, 0);
            md5_sample(binding, sample, MD5_ROOT_FILE, pose);
            md5_local_to_model(&model->skeleton, pose, joints);
            compute_placements(&fixture, frame, placed);
            for (int bone = 0; bone < NUM_BONES; bone++)
                real_update_max(&max_error, placement_error(&joints[bone], &placed[bone]));
        }
        // Frames store x y z of a rotation. Near 180 degrees w loses half of its digits.
        CHECK_SMALL(max_error, 1e-3);
    }
    CHECK_STRING(log.text, "");
}

// Keys that are all equal do not animate the component; a name may be empty; bounds need all six
// numbers.
TEST (version_6_animations_can_be_motionless) {
    static const char text[] =
        "MD5Version 6 commandline \"\" numchannels 5\n"
        "channel 0 { joint \"\" attribute x framerate 24 range 0 9 keys 3 5 5 5 }\n"
        "channel 1 { joint \"\" attribute roll framerate 24 keys 2 -90 -90 }\n"
        "channel 2 { joint boundsMin attribute x framerate 24 keys 1 1 }\n"
        "channel 3 { joint boundsMin attribute y framerate 24 keys 1 1 }\n"
        "channel 4 { joint boundsMax attribute x framerate 24 keys 1 1 }\n";
    md5_error error = {0};
    SCOPED_ANIM anim = text_anim(text, &error);
    if (!CHECK_DONE(anim, error))
        return;
    CHECK_UINT(anim->num_components, 0);
    CHECK_UINT(anim->num_frames, 9);
    CHECK_UINT(anim->skeleton.num_joints, 1);
    CHECK_STRING(anim->skeleton.joints[0].name, "");
    CHECK(!anim->frame_bounds);
    check_point(anim->base_frame[0].translation, 5, 0, 0);
    CHECK_NEAR(md5_quat_to_euler(anim->base_frame[0].rotation).roll, -90, 1e-4);
}

// The first of two bones with one name is the parent.
TEST (version_6_bones_may_share_a_name) {
    static const char text[] =
        "MD5Version 6 commandline \"\" numbones 3\n"
        "bone 0 { name a bindpos 0 0 0 bindmat 1 0 0 0 1 0 0 0 1 }\n"
        "bone 1 { name a bindpos 0 0 0 bindmat 1 0 0 0 1 0 0 0 1 }\n"
        "bone 2 { name ab bindpos 0 0 0 bindmat 1 0 0 0 1 0 0 0 1 parent a }\n"
        "nummeshes 0\n";
    md5_error error = {0};
    SCOPED_MODEL model = text_model(text, &error);
    if (CHECK_DONE(model, error))
        CHECK(model->skeleton.joints[2].parent == 0);
}

// -- Damage ---------------------------------------------------------------------------------------

static void check_cuts(bool is_anim, const char *text)
{
    md5_error error = {0};
    for (size_t i = 0; i < strlen(text); i++) {
        const read_asset asset = read_asset_parse(is_anim, text, i, NULL, &error);
        CHECK(read_asset_is_loaded(asset) ? read_asset_is_valid(asset) : error.message[0] != '\0');
        read_asset_free(asset);
    }
}

static void check_memory(bool is_anim, const char *text)
{
    const size_t size = strlen(text);
    md5_error error = {0};
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        const read_asset asset = read_asset_parse(is_anim, text, size, &failure.opts, &error);
        CHECK(read_asset_is_loaded(asset) || error.status == MD5_ERROR_MEMORY);
        read_asset_free(asset);
    }
}

TEST (version_6_files_survive_being_cut_and_failing_memory) {
    check_cuts(false, good_mesh);
    check_cuts(true, good_anim);
    check_memory(false, good_mesh);
    check_memory(true, good_anim);
}

// The text is large enough that each table needs a separate block of memory.
TEST (version_6_large_animations_survive_failing_memory) {
    enum { NUM_STILL = 6000, NUM_KEYS = 30000 };
    STRINGS(names) = {"x", "y", "z", "yaw"};
    SCOPED_TEXT text = {0};
    test_append(&text, "MD5Version 6 commandline \"\" numchannels %d\n", NUM_STILL + 7);
    int number = 0;
    for (; number < NUM_STILL; number++)
        test_append(&text, "channel %d { joint j%d attribute x framerate 24 keys 1 %d }\n", number,
                    number, number);
    for (int i = 0; i < 6; i++, number++)
        test_append(&text, "channel %d { joint bounds%s attribute %s framerate 24 keys 1 %d }\n",
                    number, i < 3 ? "Min" : "Max", names[i % 3], i);
    test_append(&text, "channel %d { joint j0 attribute yaw framerate 24 keys %d", number,
                NUM_KEYS);
    for (int i = 0; i < NUM_KEYS; i++)
        test_append(&text, " %d", i);
    test_append(&text, " }\n");
    check_memory(true, text.bytes);
}

// Many bones that name their parents: memory must be linear in the size of the text.
TEST (version_6_files_with_many_joints_take_linear_memory) {
    enum { COUNT = 20000 };
    SCOPED_TEXT text = {0};
    test_append(&text, "MD5Version 6 commandline \"\" numbones %d\n", COUNT);
    for (int i = 0; i < COUNT; i++)
        test_append(&text,
                    "bone %d { name j%d bindpos 0 0 0 bindmat 1 0 0 0 1 0 0 0 1 parent j%d }\n", i,
                    i, i > 0 ? i - 1 : COUNT);
    memset(strstr(text.bytes, "parent j20000"), ' ', strlen("parent j20000"));
    test_append(&text, "nummeshes 0");
    test_heap heap = {0};
    const md5_load_opts opts = heap_opts(&heap, 0);
    md5_error error = {0};
    SCOPED_MODEL model = md5_parse_model(text.bytes, text.used, &opts, &error);
    CHECK_DONE(model, error);
    CHECK(heap.peak_bytes < 12 * text.used);
}

// -- Version 12 -----------------------------------------------------------------------------------
//
// Normals and tangents of version 12 files that violate the document of that version: the results
// nevertheless have unit length and are perpendicular.

// Loads a model with one vertex, whose joint is rotated by 90 degrees about z. `frame` is the text
// of the vertex's normal and tangent.
static md5_model *load(const char *frame, md5_error *error)
{
    char text[512];
    snprintf(text, sizeof text,
             "MD5Version 12 commandline \"\" numJoints 1 numMeshes 1\n"
             "joints { \"a\" -1 ( 0 0 0 ) ( 0 0 -0.70710678 ) }\n"
             "mesh { shader \"\" numverts 1 vert 0 ( 0 0 ) 0 1 %s numtris 0\n"
             "numweights 1 weight 0 0 1 ( 1 2 3 ) }\n",
             frame);
    return text_model(text, error);
}

static void check_frame(const char *frame, md5_vec3 normal, md5_vec4 tangent)
{
    md5_error error = {0};
    SCOPED_MODEL model = load(frame, &error);
    if (!CHECK_THAT(model, "%s: %s", frame, error.message))
        return;
    const char *const fault = asset_model_fault(model);
    CHECK_THAT(!fault, "%s: %s", frame, fault ? fault : "");
    const md5_vec3 n = model->meshes[0].normals[0];
    const md5_vec4 t = model->meshes[0].tangents[0];
    CHECK_VEC3(n, normal.x, normal.y, normal.z, 1e-6);
    CHECK_VEC3(((md5_vec3){t.x, t.y, t.z}), tangent.x, tangent.y, tangent.z, 1e-6);
    CHECK(t.w == tangent.w);
}

// The joint rotates x to y and y to -x.
TEST (version_12_tangents_are_orthogonal_to_normals) {
    const float half = 0.70710678f;
    const md5_vec3 up = {0, 0, 1};
    const md5_vec3 left = {0, 1, 0};
    check_frame("( 0 0 1 ) ( 1 0 0 1 )", up, (md5_vec4){0, 1, 0, 1});
    check_frame("( 0 0 1 ) ( 1 0 1 -1 )", up, (md5_vec4){0, 1, 0, -1});
    check_frame("( 1 0 0 ) ( 1 1 0 0 )", left, (md5_vec4){-1, 0, 0, 1});
    check_frame("( 0 1 1 ) ( 0 1 0 1 )", (md5_vec3){-half, 0, half},
                (md5_vec4){-half, 0, -half, 1});
}

TEST (version_12_normals_of_any_length_are_made_unit) {
    const md5_vec3 up = {0, 0, 1};
    const md5_vec4 left = {0, 1, 0, 1};
    check_frame("( 0 0 3e38 ) ( 3e38 0 3e38 1 )", up, left);
    check_frame("( 0 0 1e-45 ) ( 1e-45 0 0 1 )", up, left);
    check_frame("( 0 0 0 ) ( 1 0 0 1 )", up, left);
}

// Any direction perpendicular to the normal is correct.
TEST (version_12_tangents_without_a_direction_get_one) {
    STRINGS(frames) = {"( 0 0 1 ) ( 0 0 0 1 )", "( 0 0 1 ) ( 0 0 -2 1 )", "( 1 0 0 ) ( 1 0 0 1 )",
                       "( 0 1 0 ) ( 0 3e38 0 1 )"};
    for (size_t i = 0; i < COUNT_OF(frames); i++) {
        SCOPED_MODEL model = load(frames[i], NULL);
        CHECK(model && !asset_model_fault(model));
    }
}
