-- For a project's xmake.lua: includes("md5model/md5/packaging/xmake"), add_requires("md5model"),
-- and in a target add_packages("md5model").
package("md5model")
    set_description("Loads, animates, skins and draws id Software's MD5 models")
    set_license("MIT")
    set_sourcedir(path.join(os.scriptdir(), "..", "..", ".."))

    add_deps("cmake")
    add_configs("gl", {description = "Build md5gl, which draws with OpenGL.", default = false, type = "boolean"})
    add_configs("simd", {description = "Build kernels for SIMD instructions.", default = true, type = "boolean"})
    if is_plat("linux", "bsd") then
        add_syslinks("m")
    end

    on_load(function (package)
        if package:config("gl") then
            package:add("links", "md5gl")
        end
        package:add("links", "md5play", "md5ragdoll", "md5game", "md5edit", "md5model")
        if package:config("shared") and package:is_plat("windows", "mingw") then
            package:add("defines", "MD5_SHARED")
        end
    end)

    on_install(function (package)
        local configs = {"-DMD5MODEL_PROGRAMS=OFF", "-DMD5MODEL_INSTALL=ON"}
        table.insert(configs, "-DCMAKE_BUILD_TYPE=" .. (package:is_debug() and "Debug" or "Release"))
        table.insert(configs, "-DBUILD_SHARED_LIBS=" .. (package:config("shared") and "ON" or "OFF"))
        table.insert(configs, "-DMD5MODEL_GL=" .. (package:config("gl") and "ON" or "OFF"))
        table.insert(configs, "-DMD5MODEL_SIMD=" .. (package:config("simd") and "ON" or "OFF"))
        import("package.tools.cmake").install(package, configs)
    end)

    on_test(function (package)
        assert(package:has_cfuncs("md5_load_model", {includes = "md5model/md5model.h"}))
    end)
package_end()
