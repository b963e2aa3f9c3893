// Replaces functions of the C library, which would be more than 4 KB of the element, by functions of the browser. web.mk renames the calls.
// Also replaces a long function of emscripten.
mergeInto(LibraryManager.library, {
    page_pow: function (x, y) { return Math.pow(x, y); },
    page_powf: function (x, y) { return Math.pow(x, y); },
    page_sin: function (x) { return Math.sin(x); },
    page_cos: function (x) { return Math.cos(x); },
    page_tan: function (x) { return Math.tan(x); },
    page_sinf: function (x) { return Math.sin(x); },
    page_cosf: function (x) { return Math.cos(x); },
    page_tanf: function (x) { return Math.tan(x); },
    page_acosf: function (x) { return Math.acos(x); },
    page_asinf: function (x) { return Math.asin(x); },
    page_atan: function (x) { return Math.atan(x); },
    page_atan2: function (y, x) { return Math.atan2(y, x); },
    page_atan2f: function (y, x) { return Math.atan2(y, x); },
    // The function behind glGetIntegerv, glGetFloatv and glGetBooleanv. The function of emscripten reports errors, and also
    // handles variables that the renderer does not query.
    $emscriptenWebGLGet__deps: [],
    $emscriptenWebGLGet: function (name, pointer, type) {
        var value = name === 0x821D /* GL_NUM_EXTENSIONS */ ? (GLctx.getSupportedExtensions() || []).length
            : name === 0x821B /* GL_MAJOR_VERSION */ ? 3
            : name === 0x821C /* GL_MINOR_VERSION */ ? 0
            : GLctx.getParameter(name);
        var is_object = typeof value === "object" && value !== null;
        var values = is_object && "length" in value ? value : [is_object ? value.name : value];
        for (var i = 0; i < values.length; i++) {
            if (type === {{{ cDefine("EM_FUNC_SIG_PARAM_F") }}})
                HEAPF32[(pointer >> 2) + i] = values[i];
            else if (type === {{{ cDefine("EM_FUNC_SIG_PARAM_B") }}})
                HEAP8[pointer + i] = values[i];
            else
                HEAP32[(pointer >> 2) + i] = values[i];
        }
    },
});
