/* Clients name this library and import nothing from it: it has the version node alone, which they ask for. */
typedef int wl_compat_nothing;
