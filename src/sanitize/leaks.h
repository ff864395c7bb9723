/* Memory that the program has not freed at its end. */
#ifndef WL_SANITIZE_LEAKS_H
#define WL_SANITIZE_LEAKS_H

/* Reports each block that is still allocated, those of one call and stack as one finding. */
void wl_san_report_leaks(void);

#endif
