/* AML's error codes (AML, "Error management"). Included by aml.h. */
#ifndef AML_ERROR_H
#define AML_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

#define AML_SUCCESS   0 /* nothing went wrong */
#define AML_FAILURE   1 /* something did, and no other code tells what */
#define AML_ENOMEM    2 /* not enough memory */
#define AML_EINVAL    3 /* an argument is invalid */
#define AML_EDOM      4 /* an argument is out of bounds */
#define AML_ENOTSUP   5 /* not supported by this implementation or device */
#define AML_EBUSY     6 /* the resource is in use */
#define AML_EPERM     7 /* not permitted */
#define AML_ERROR_MAX 8 /* above all codes */

/* The error code of the calling thread's last failed call that had no other way to return it. Calls that succeed leave it as it is. */
extern __thread int aml_errno;

/* Says what an error code (positive) means. The text is the library's and lives as long as the process; a number that is no
 * code gives "unknown error". Thread-safe. */
const char *aml_strerror(const int err);

/* Prints "msg: " and what aml_errno means as a line on stderr. msg: not NULL. Thread-safe. */
void aml_perror(const char *msg);

#ifdef __cplusplus
}
#endif

#endif
