// Replaces functions of the C library, which are 2 KB of the element, by functions of the browser. web.mk renames the calls.
mergeInto(LibraryManager.library, {
    page_sin: function (x) { return Math.sin(x); },
    page_cos: function (x) { return Math.cos(x); },
    page_tan: function (x) { return Math.tan(x); },
    page_sinf: function (x) { return Math.sin(x); },
    page_cosf: function (x) { return Math.cos(x); },
    page_tanf: function (x) { return Math.tan(x); },
});
