// Linked into all programs with sanitizers. It keeps GL drivers loaded until the search for leaks:
// addresses in an unloaded driver have no names, so the names in leaks.txt could not distinguish
// leaks of the driver from leaks of our code.
__attribute__((visibility("default"))) int dlclose(void *library);

int dlclose(void *library)
{
    (void)library;
    return 0;
}
