// Linked into what is built with sanitizers. GL drivers are unloaded before leaks are looked for,
// and a leak in what is not there any more cannot be told apart from our own by the names in
// leaks.txt.
__attribute__((visibility("default"))) int dlclose(void *library);

int dlclose(void *library)
{
    (void)library;
    return 0;
}
