/* initcheck: findings. */
#include "sanitize/allocations.h"
#include "sanitize/init_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where the bits come from that nobody wrote. */
static void tell_origin(struct wl_san_finding *finding, uint64_t origin) {
    const uint64_t number = wl_origin_number(origin);
    char *detail = finding->detail;
    switch (wl_origin_kind(origin)) {
    case WL_ORIGIN_MEMORY:
        finding->address = number;
        if (!wl_san_find(number, &finding->block) || number - finding->block.address >= finding->block.size) {
            memset(&finding->block, 0, sizeof finding->block);
            snprintf(detail, sizeof finding->detail, "nobody wrote the memory at 0x%" PRIx64 ", which it comes from", number);
        }
        break;
    case WL_ORIGIN_LDS:
        finding->space = WL_SANITIZE_LDS;
        finding->address = number;
        snprintf(detail, sizeof finding->detail, "nobody wrote offset %" PRIu64 " of the workgroup's LDS, which it comes from", number);
        break;
    case WL_ORIGIN_SCRATCH:
        finding->space = WL_SANITIZE_SCRATCH;
        finding->address = number;
        snprintf(detail, sizeof finding->detail, "nobody wrote offset %" PRIu64 " of the private memory, which it comes from", number);
        break;
    case WL_ORIGIN_VGPR:
        snprintf(detail, sizeof finding->detail, "nobody wrote register %c%" PRIu64 ", which it comes from",
                 number >= WL_AGPR && number < WL_AGPR_END ? 'a' : 'v',
                 number >= WL_AGPR && number < WL_AGPR_END ? number - WL_AGPR : number);
        break;
    case WL_ORIGIN_SGPR:
        snprintf(detail, sizeof finding->detail,
                 number == WL_SGPR_SCC                                ? "nobody wrote SCC, which it comes from"
                 : number == WL_SGPR_VCC || number == WL_SGPR_VCC + 1 ? "nobody wrote VCC, which it comes from"
                 : number == WL_SGPR_M0                               ? "nobody wrote M0, which it comes from"
                                                                      : "nobody wrote register s%u, which it comes from",
                 (unsigned)number);
        break;
    default:
        break;
    }
}

void wl_init_report(const struct wl_san_wave *wave, uint64_t code, enum wl_undefined_use use, uint32_t lane, uint64_t origin) {
    static const enum wl_san_kind kinds[] = {[WL_USE_BRANCH] = WL_SAN_UNINITIALIZED_BRANCH,
                                             [WL_USE_EXEC] = WL_SAN_UNINITIALIZED_EXEC,
                                             [WL_USE_ADDRESS] = WL_SAN_UNINITIALIZED_ADDRESS,
                                             [WL_USE_ATOMIC] = WL_SAN_UNINITIALIZED_ATOMIC,
                                             [WL_USE_HOST] = WL_SAN_UNINITIALIZED_HOST};
    struct wl_san_finding finding = {.tool = WL_SANITIZE_INITCHECK, .kind = kinds[use]};
    if (wave->group->launch->silent)
        return;
    wl_san_fill_place(wave, code, lane & 63, WL_SANITIZE_LOAD, &finding.at);
    if (lane >= 64)
        finding.at.has_item = false;
    tell_origin(&finding, origin);
    wl_san_report(&finding);
}

void wl_init_report_copy(uint64_t address, uint64_t size, const char *call, uint64_t stack) {
    struct wl_san_finding finding = {
        .tool = WL_SANITIZE_INITCHECK, .kind = WL_SAN_UNINITIALIZED_HOST, .at = {.stack = stack, .call = call}};
    tell_origin(&finding, wl_init_origin(address));
    if (!*finding.detail)
        snprintf(finding.detail, sizeof finding.detail, "%" PRIu64 " bytes in a row of a copy are values that nobody wrote", size);
    wl_san_report(&finding);
}
