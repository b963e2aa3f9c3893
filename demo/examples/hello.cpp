// Uses the library from C++17: smart pointers free models and clips, and vectors store poses.
// Prints the height of the animated character at several times.
//
//   c++ -std=c++17 hello.cpp $(pkg-config --cflags --libs md5model) -o hello
//   ./hello models/bobbin/bobbin.md5mesh models/bobbin/dance.md5anim
#include <md5model/md5skin.h>

#include <cstdio>
#include <memory>
#include <vector>

// Frees an asset with the function `Free` of the library.
template <auto Free> struct Deleter {
    template <typename T> void operator()(T *asset) const
    {
        Free(asset);
    }
};
using Model = std::unique_ptr<md5_model, Deleter<md5_free_model>>;
using Anim = std::unique_ptr<md5_anim, Deleter<md5_free_anim>>;
using Binding = std::unique_ptr<md5_binding, Deleter<md5_free_binding>>;

// Loads a model and a clip, matches them, and measures the skinned character at four times.
int main(int argc, char **argv)
{
    if (argc != 3) {
        std::fprintf(stderr, "usage: hello MODEL.md5mesh CLIP.md5anim\n");
        return 2;
    }
    md5_error error{};
    const Model model{md5_load_model(argv[1], nullptr, &error)};
    const Anim anim{md5_load_anim(argv[2], nullptr, &error)};
    const Binding binding{md5_bind(model.get(), anim.get(), nullptr, &error)};
    if (!binding) {
        std::fprintf(stderr, "%s:%u: %s\n", error.file, static_cast<unsigned>(error.line),
                     error.message);
        return 1;
    }

    // The buffers are allocated once for all frames.
    std::vector<md5_xform> pose(model->skeleton.num_joints);
    std::vector<md5_mat34> palette(pose.size());
    for (int frame = 0; frame < 4; frame++) {
        const md5_sample_position sample =
            md5_sample_position_at(anim.get(), frame * 0.25, MD5_WRAP_LOOP);
        md5_pose_palette(binding.get(), sample, MD5_ROOT_FILE, pose.data(), nullptr,
                         palette.data());
        const md5_bounds bounds = md5_skin_bounds(model.get(), palette.data());
        std::printf("%.2f s: %.1f units high\n", frame * 0.25,
                    static_cast<double>(bounds.max.z - bounds.min.z));
    }
}
