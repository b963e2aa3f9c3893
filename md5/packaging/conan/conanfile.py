"""Conan 2 recipe: conan create md5/packaging/conan"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Md5model(ConanFile):
    name = "md5model"
    license = "MIT"
    description = "Loads, animates, skins and draws id Software's MD5 models"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False], "simd": [True, False], "gl": [True, False]}
    default_options = {"shared": False, "fPIC": True, "simd": True, "gl": False}
    implements = ["auto_shared_fpic"]
    languages = "C"

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._root, "md5", "md5model.h"))
        self.version = ".".join(re.findall(r"define MD5_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", header))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "md5/*", "render/*", "shaders/*"):
            copy(self, pattern, self._root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["MD5MODEL_SIMD"] = bool(self.options.simd)
        toolchain.cache_variables["MD5MODEL_GL"] = bool(self.options.gl)
        toolchain.cache_variables["MD5MODEL_PROGRAMS"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        libraries = ["md5model", "md5play", "md5game", "md5ragdoll", "md5edit"]
        if self.options.gl:
            libraries.append("md5gl")
        for name in libraries:
            component = self.cpp_info.components[name]
            component.libs = [name]
            component.set_property("cmake_target_name", "md5model::" + name)
            component.set_property("pkg_config_name", name)
            if self.options.shared:
                component.defines = ["MD5_SHARED"]
            if self.settings.os in ("Linux", "FreeBSD"):
                component.system_libs = ["m"]
            if name != "md5model":
                component.requires = ["md5game" if name == "md5ragdoll" else "md5model"]
