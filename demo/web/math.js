// A page has these of its own; the C library's are 1 KB of the element. web.mk renames them to these.
mergeInto(LibraryManager.library, {
    page_sin: function (x) { return Math.sin(x); },
    page_cos: function (x) { return Math.cos(x); },
    page_tan: function (x) { return Math.tan(x); },
});
