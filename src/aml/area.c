/* What is common to all areas. */
#include <aml.h>

__thread int aml_errno;

static const char *const descriptions[AML_ERROR_MAX] = {
    [AML_SUCCESS] = "success",
    [AML_FAILURE] = "failure",
    [AML_ENOMEM] = "not enough memory",
    [AML_EINVAL] = "invalid argument",
    [AML_EDOM] = "argument out of bounds",
    [AML_ENOTSUP] = "not supported",
    [AML_EBUSY] = "resource in use",
    [AML_EPERM] = "not permitted",
};

const char *aml_strerror(const int err) { return err >= 0 && err < AML_ERROR_MAX ? descriptions[err] : "unknown error"; }

void aml_perror(const char *msg) { fprintf(stderr, "%s: %s\n", msg, aml_strerror(aml_errno)); }

int aml_init(int *argc, char **argv[]) {
    (void)argc;
    (void)argv;
    return AML_SUCCESS;
}

int aml_finalize(void) { return AML_SUCCESS; }

void *aml_area_mmap(const struct aml_area *area, size_t size, struct aml_area_mmap_options *opts) {
    if (size == 0)
        return NULL;
    if (!area || !area->ops->mmap) {
        aml_errno = area ? AML_ENOTSUP : AML_EINVAL;
        return NULL;
    }
    return area->ops->mmap(area->data, size, opts);
}

int aml_area_munmap(const struct aml_area *area, void *ptr, size_t size) {
    if (!ptr || size == 0)
        return AML_SUCCESS;
    if (!area)
        return -AML_EINVAL;
    return area->ops->munmap ? area->ops->munmap(area->data, ptr, size) : -AML_ENOTSUP;
}

int aml_area_fprintf(FILE *stream, const char *prefix, const struct aml_area *area) {
    if (!stream || !area)
        return -AML_EINVAL;
    return area->ops->fprintf ? area->ops->fprintf(area->data, stream, prefix ? prefix : "") : -AML_ENOTSUP;
}
