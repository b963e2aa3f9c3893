// The facts that the pages of blending and skinning show.
#include "test/viewer/test_view_page_case.h"

#include <math.h>

TEST (page_crossfade_is_the_old_pose_and_then_the_new_one) {
    page_case of;
    if (page_open(&of, "crossfade")) {
        page_set(&of, "seconds", 1.0f); // from second 1 to 2
        page_set(&of, "easing", (float)(int)MD5_EASE_SMOOTH);
        page_show(&of, 0.9);
        CHECK_NEAR(page_fact(&of, "to the old pose"), 0.0, 0.02);
        page_show(&of, 1.25);
        const double t = 0.25;
        CHECK_NEAR(page_fact(&of, "weight of the new"), t * t * (3.0 - 2.0 * t), 1e-5);
        page_show(&of, 1.5);
        CHECK_NEAR(page_fact(&of, "weight of the new"), 0.5, 1e-5);
        // Half of the distance for the joint that differs most.
        CHECK_NEAR(page_fact(&of, "to the old pose"), 0.5 * page_fact(&of, "between both"), 0.05);
        CHECK_NEAR(page_fact(&of, "to the new pose"), 0.5 * page_fact(&of, "between both"), 0.05);
        page_show(&of, 2.1);
        CHECK_NEAR(page_fact(&of, "to the new pose"), 0.0, 0.02);
        CHECK(page_fact(&of, "between both") > 5.0);
    }
    page_close(&of);
}

TEST (page_inertial_does_not_jump_and_arrives) {
    page_case of;
    if (page_open(&of, "inertial")) {
        page_set(&of, "seconds", 0.4f); // from second 0.5 to 0.9
        page_show(&of, 1.0);
        CHECK(page_fact(&of, "jump, inertial") < 0.5 * page_fact(&of, "jump, cut"));
        CHECK_NEAR(page_fact(&of, "inertial to the new"), 0.0, 0.1);
        CHECK_NEAR(page_fact(&of, "cross-fade to the new"), 0.0, 0.1);
        page_show(&of, 0.6);
        CHECK(page_fact(&of, "inertial to the new") > 1.0);
        CHECK(page_fact(&of, "cross-fade to the new") > 1.0);
    }
    page_close(&of);
}

TEST (page_additive_keeps_a_nod_a_nod) {
    page_case of;
    if (page_open(&of, "additive")) {
        page_set(&of, "head turned, degrees", 60.0f);
        page_set(&of, "nod, degrees", 30.0f);
        page_set(&of, "weight", 1.0f);
        page_show(&of, 0.0);
        CHECK_NEAR(page_fact(&of, "library to pose * difference"), 0.0, 0.05);
        // A rotation by 30 degrees about two axes that are 60 degrees apart, as quaternions: the
        // angle between the results, and how far the left axis rises.
        const double half = 15.0 * 3.14159265358979 / 180.0, apart = 3.14159265358979 / 3.0;
        const double dot = cos(half) * cos(half) + sin(half) * sin(half) * cos(apart);
        CHECK_NEAR(page_fact(&of, "between the two"), 2.0 * acos(dot) * 180.0 / 3.14159265358979,
                   0.1);
        CHECK(fabs(page_fact(&of, "leans, pose first")) < 3.0); // as the clip has it
        CHECK(page_fact(&of, "leans, difference first") > 20.0);
        page_set(&of, "head turned, degrees", 0.0f); // without a turn the order does not matter
        page_show(&of, 0.0);
        CHECK_NEAR(page_fact(&of, "between the two"), 0.0, 0.05);
    }
    page_close(&of);
}

TEST (page_masks_rise_over_the_levels) {
    static const char *const joints[] = {"spine_1", "spine_2", "chest", "neck"};
    page_case of;
    if (page_open(&of, "masks")) {
        for (int feather = 0; feather <= 4; feather++) {
            page_set(&of, "feather, levels", (float)feather);
            page_show(&of, 0.7);
            for (int level = 0; level < 4; level++)
                CHECK_NEAR(page_fact(&of, joints[level]),
                           fmin((level + 1.0) / (feather + 1.0), 1.0), 1e-6);
            CHECK_NEAR(page_fact(&of, "thigh_l"), 0.0, 0.0);
            CHECK_NEAR(page_fact(&of, "thigh to the walk"), 0.0, 0.02);
            CHECK_NEAR(page_fact(&of, "hand to the wave"), 0.0, 0.02);
        }
        page_set(&of, "weight", 0.0f);
        page_show(&of, 0.7);
        CHECK(page_fact(&of, "hand to the wave") > 1.0);
    }
    page_close(&of);
}

TEST (page_sync_keeps_the_stride) {
    page_case of;
    if (page_open(&of, "sync")) {
        page_set(&of, "walk 0, run 1", 0.5f);
        page_show(&of, 1.0);
        const double own = page_fact(&of, "smallest step, own rates");
        const double phase = page_fact(&of, "smallest step, in phase");
        CHECK(own < 0.75 * phase);
        page_set(&of, "walk 0, run 1", 0.0f); // the walk alone needs no synchronisation
        page_show(&of, 1.0);
        CHECK_NEAR(page_fact(&of, "smallest step, own rates"),
                   page_fact(&of, "smallest step, in phase"), 1e-3);
    }
    page_close(&of);
}

TEST (page_machine_goes_where_its_conditions_lead) {
    page_case of;
    if (page_open(&of, "machine")) {
        page_set(&of, "highest speed",
                 40.0f); // 20 a second: over 0.5 at 0.025 s, over 25 at 1.25 s
        page_set(&of, "fade, seconds", 0.3f);
        page_show(&of, 0.0);
        CHECK_NEAR(page_fact(&of, "state"), 0.0, 0.0);
        page_show(&of, 1.0);
        CHECK_NEAR(page_fact(&of, "speed"), 20.0, 0.7);
        CHECK_NEAR(page_fact(&of, "state"), 1.0, 0.0);
        page_show(&of, 1.4); // in the transition, for 0.15 of 0.3 seconds
        CHECK_NEAR(page_fact(&of, "state"), 2.0, 0.0);
        CHECK_NEAR(page_fact(&of, "from"), 1.0, 0.0);
        CHECK_NEAR(page_fact(&of, "progress"), 0.5, 0.25);
        page_show(&of, 4.0);
        CHECK_NEAR(page_fact(&of, "state"), 2.0, 0.0);
        CHECK_NEAR(page_fact(&of, "from"), -1.0, 0.0);
        page_set(&of, "highest speed", 10.0f); // never fast
        page_show(&of, 4.0);
        CHECK_NEAR(page_fact(&of, "state"), 1.0, 0.0);
    }
    page_close(&of);
}

// -- Skinning -------------------------------------------------------------------------------

TEST (page_quaternion_w_is_rebuilt) {
    page_case of;
    if (page_open(&of, "quaternion_w")) {
        for (int angle = 0; angle <= 360; angle += 20) {
            page_set(&of, "angle, degrees", (float)angle);
            page_set(&of, "digits", 7.0f);
            page_show(&of, 0.0);
            // w is the cosine of half of `angle`; of the two quaternions of a rotation the file's
            // has w <= 0.
            CHECK_NEAR(page_fact(&of, "w"), -fabs(cos(angle * 3.14159265358979 / 360.0)), 1e-6);
            CHECK_NEAR(page_fact(&of, "w rebuilt"), page_fact(&of, "w"), 1e-3);
        }
        // Near half a turn w is small and its digits are lost; at other angles they are not.
        page_set(&of, "digits", 2.0f);
        page_set(&of, "angle, degrees", 172.0f);
        page_show(&of, 0.0);
        const double near_half = page_fact(&of, "error of the rotation");
        page_set(&of, "angle, degrees", 60.0f);
        page_show(&of, 0.0);
        CHECK(near_half > 1.0 && page_fact(&of, "error of the rotation") < near_half);
    }
    page_close(&of);
}

TEST (page_palette_carries_from_the_bind_pose) {
    page_case of;
    if (page_open(&of, "palette")) {
        page_set(&of, "bind 0, clip 1", 0.0f);
        page_show(&of, 0.0);
        CHECK_NEAR(page_fact(&of, "fingertip moves"), 0.0, 1e-3); // its palette is the identity
        CHECK_NEAR(page_fact(&of, "shoulder's matrix moves 0 by"), 0.0, 1e-3);
        page_set(&of, "bind 0, clip 1", 1.0f);
        page_show(&of, 0.0);
        CHECK(page_fact(&of, "fingertip moves") > 5.0);
        CHECK(page_fact(&of, "ours to the library's") < 1e-4);
    }
    page_close(&of);
}

TEST (page_dual_keeps_the_volume_of_what_twists) {
    page_case of;
    if (page_open(&of, "dual")) {
        page_set(&of, "waist, degrees", 0.0f);
        page_set(&of, "neck, degrees", 0.0f);
        page_show(&of, 0.0);
        CHECK_NEAR(page_fact(&of, "volume, linear"), 100.0, 1e-3);
        CHECK_NEAR(page_fact(&of, "farthest apart"), 0.0, 1e-3);
        page_set(&of, "waist, degrees", 150.0f);
        page_show(&of, 0.0);
        const double linear = page_fact(&of, "volume, linear"),
                     dual = page_fact(&of, "volume, dual");
        CHECK(linear < 97.0);
        CHECK(fabs(dual - 100.0) < 0.5 * (100.0 - linear));
        CHECK(page_fact(&of, "farthest apart") > 1.0);
    }
    page_close(&of);
}

TEST (page_influences_measures_weights) {
    page_case of;
    if (page_open(&of, "influences")) {
        const md5_model *const model = of.scene.model;
        uint32_t most = 0;
        double sum = 0.0;
        for (uint32_t m = 0; m < model->num_meshes; m++) // counted in the file's tables
            for (uint32_t v = 0; v < model->meshes[m].num_file_vertices; v++) {
                const md5_vertex vertex = model->meshes[m].file_vertices[v];
                most = vertex.num_weights > most ? vertex.num_weights : most;
            }
        page_set(&of, "joint", 0.0f);
        page_show(&of, 0.0);
        CHECK_NEAR(page_fact(&of, "most joints of a vertex"), most, 0.0);
        for (int joint = 1; joint <= 9; joint++) {
            page_set(&of, "joint", (float)joint);
            page_show(&of, 0.0);
            const double weight = page_fact(&of, "largest weight");
            CHECK(weight > 0.1 && weight < 1.0 + 1e-5);
            CHECK(page_fact(&of, "vertices that it moves") > 10.0);
            sum += page_fact(&of, "vertices that it moves");
        }
        CHECK(sum > 1000.0);
    }
    page_close(&of);
}
