/* Accesses of lanes that have nothing in common, without a loop: the host's gathers and scatters where they are quick, else one
 * scalar or vector access for each lane and shuffles between lanes and rows. Inactive lanes access a spare place. */
#include "translate/lift/marks.h"
#include "translate/lift/memory/memory.h"
#include "translate/lift/memory/scattered.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

enum { SPARE_BYTES = 16 }; /* of a lane: the most that one moves */

bool wl_spread_possible(const struct wl_access *a) { return a->place == WL_PLACE_MEMORY && a->kind != WL_ACCESS_ATOMIC && !a->is_volatile; }

struct spread {
    const struct wl_access *access;
    LLVMValueRef addresses; /* <16 x i64>: of active lanes, of a spare place for the others */
    LLVMValueRef buffer;    /* ptr: the same in memory */
    LLVMValueRef exec;      /* <16 x i1> */
};

static LLVMTypeRef spare_type(struct wl_lift *l) { return LLVMArrayType2(l->i8, (uint64_t)SPARE_BYTES * WL_STRIP); }

static LLVMValueRef or_spare(struct wl_lift *l, LLVMValueRef addresses, LLVMValueRef exec, LLVMValueRef spare) {
    LLVMValueRef first = wl_strip_splat(l, LLVMBuildPtrToInt(l->b, spare, l->i64, ""));
    LLVMValueRef places = LLVMBuildAdd(l->b, first, wl_memory_iota(l, l->i64, SPARE_BYTES), "");
    return LLVMBuildSelect(l->b, exec, addresses, places, "");
}

LLVMValueRef wl_spread_addresses(struct wl_lift *l, LLVMValueRef addresses, LLVMValueRef exec) {
    return or_spare(l, addresses, exec, wl_memory_local(l, spare_type(l)));
}

/* The same in the unit itself; all lanes' own addresses in FULL code. */
static LLVMValueRef unit_addresses(struct wl_lift *l, const struct wl_lanes *lanes) {
    LLVMValueRef addresses = wl_lanes_addresses(l, lanes);
    if (!l->exec)
        return addresses;
    if (!l->unit.spare_place)
        l->unit.spare_place = wl_lift_kept_alloca(l, spare_type(l));
    return or_spare(l, addresses, l->exec, l->unit.spare_place);
}

static LLVMValueRef behind(struct wl_lift *l, LLVMValueRef address, uint64_t offset) {
    return offset ? LLVMBuildAdd(l->b, address, LLVMConstInt(l->i64, offset, false), "") : address;
}

/* Loads beside others are quicker than taking a vector apart. */
static LLVMValueRef lane_address(struct wl_lift *l, const struct spread *s, unsigned lane, unsigned offset) {
    LLVMValueRef index = LLVMConstInt(l->i64, lane, false);
    LLVMValueRef address = LLVMBuildLoad2(l->b, l->i64, LLVMBuildGEP2(l->b, l->i64, s->buffer, &index, 1, ""), "");
    LLVMSetAlignment(address, 8);
    return behind(l, address, offset);
}

static void lane_addresses(struct wl_lift *l, const struct spread *s, LLVMValueRef *address) {
    for (unsigned i = 0; i < WL_STRIP; i++)
        address[i] = lane_address(l, s, i, 0);
}

static LLVMValueRef pointers(struct wl_lift *l, const struct spread *s, unsigned offset) {
    LLVMValueRef addresses = s->addresses;
    if (offset)
        addresses = LLVMBuildAdd(l->b, addresses, wl_lift_int(l, l->strip_i64, offset), "");
    return LLVMBuildIntToPtr(l->b, addresses, LLVMVectorType(l->ptr, WL_STRIP), "");
}

/* Elements of `element`, one a lane, at `offset` behind the lanes' addresses. Single loads, since the host has more of those under way
 * at once than of its gathers' where they miss its caches. */
static LLVMValueRef gather(struct wl_lift *l, const struct spread *s, LLVMTypeRef element, unsigned offset) {
    LLVMValueRef lanes = LLVMGetPoison(LLVMVectorType(element, WL_STRIP));
    for (unsigned i = 0; i < WL_STRIP; i++) {
        LLVMValueRef value = wl_memory_load(l, element, lane_address(l, s, i, offset), false);
        lanes = LLVMBuildInsertElement(l->b, lanes, value, LLVMConstInt(l->i32, i, false), "");
    }
    return lanes;
}

/* The parts of a vector, `count` elements each. */
static LLVMValueRef part(struct wl_lift *l, LLVMValueRef vector, unsigned first, unsigned count) {
    LLVMValueRef mask[2 * WL_STRIP];
    for (unsigned i = 0; i < count; i++)
        mask[i] = LLVMConstInt(l->i32, first + i, false);
    return LLVMBuildShuffleVector(l->b, vector, LLVMGetPoison(LLVMTypeOf(vector)), LLVMConstVector(mask, count), "");
}

static LLVMValueRef concatenate(struct wl_lift *l, LLVMValueRef a, LLVMValueRef b, unsigned each) {
    LLVMValueRef mask[2 * WL_STRIP];
    for (unsigned i = 0; i < 2 * each; i++)
        mask[i] = LLVMConstInt(l->i32, i, false);
    return LLVMBuildShuffleVector(l->b, a, b, LLVMConstVector(mask, 2 * each), "");
}

/* Lanes of 64 bits as two rows. */
static void split_pairs(struct wl_lift *l, LLVMValueRef pairs, LLVMValueRef *rows) {
    LLVMValueRef both = LLVMBuildBitCast(l->b, pairs, LLVMVectorType(l->i32, 2 * WL_STRIP), "");
    LLVMValueRef halves[2] = {part(l, both, 0, WL_STRIP), part(l, both, WL_STRIP, WL_STRIP)};
    wl_memory_deinterleave(l, 2, halves, rows);
}

/* Rows of a 4 x 4 transposition within each quarter of four vectors, and back: it is its own inverse. */
static void transpose_quarters(struct wl_lift *l, LLVMValueRef *v) {
    LLVMValueRef low[2], high[2], index[4][WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++) {
        unsigned quarter = i / 4 * 4, odd = i % 2 * WL_STRIP, pair = i % 4 / 2;
        index[0][i] = LLVMConstInt(l->i32, quarter + pair + odd, false);     /* a0 b0 a1 b1 */
        index[1][i] = LLVMConstInt(l->i32, quarter + 2 + pair + odd, false); /* a2 b2 a3 b3 */
        index[2][i] = LLVMConstInt(l->i32, quarter + i % 2 + pair * WL_STRIP, false);
        index[3][i] = LLVMConstInt(l->i32, quarter + 2 + i % 2 + pair * WL_STRIP, false);
    }
    LLVMValueRef masks[4];
    for (unsigned i = 0; i < 4; i++)
        masks[i] = LLVMConstVector(index[i], WL_STRIP);
    for (unsigned i = 0; i < 2; i++) {
        low[i] = LLVMBuildShuffleVector(l->b, v[(size_t)2 * i], v[(size_t)2 * i + 1], masks[0], "");
        high[i] = LLVMBuildShuffleVector(l->b, v[(size_t)2 * i], v[(size_t)2 * i + 1], masks[1], "");
    }
    v[0] = LLVMBuildShuffleVector(l->b, low[0], low[1], masks[2], "");
    v[1] = LLVMBuildShuffleVector(l->b, low[0], low[1], masks[3], "");
    v[2] = LLVMBuildShuffleVector(l->b, high[0], high[1], masks[2], "");
    v[3] = LLVMBuildShuffleVector(l->b, high[0], high[1], masks[3], "");
}

/* Vector v holds lanes v, v + 4, v + 8 and v + 12: rows are then a transposition within quarters. */
static void load_quads(struct wl_lift *l, const LLVMValueRef *address, LLVMValueRef *rows) {
    LLVMTypeRef quad = LLVMVectorType(l->i32, 4);
    for (unsigned v = 0; v < 4; v++) {
        LLVMValueRef lanes[4];
        for (unsigned q = 0; q < 4; q++)
            lanes[q] = wl_memory_load(l, quad, address[4 * q + v], false);
        rows[v] = concatenate(l, concatenate(l, lanes[0], lanes[1], 4), concatenate(l, lanes[2], lanes[3], 4), 8);
    }
    transpose_quarters(l, rows);
}

/* ---- four dwords a lane, each four lanes one after the other: how tiles of 64 bytes a row are copied ---- */

enum { FOUR = 4 };

/* i1: whether they are, of addresses or offsets (<16 x iN>). */
static LLVMValueRef in_fours(struct wl_lift *l, LLVMValueRef addresses) {
    LLVMTypeRef type = LLVMTypeOf(addresses), element = LLVMGetElementType(type);
    LLVMValueRef first[WL_STRIP], step[WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++) {
        first[i] = LLVMConstInt(l->i32, i / FOUR * FOUR, false);
        step[i] = LLVMConstInt(element, UINT64_C(16) * (i % FOUR), false);
    }
    LLVMValueRef starts = LLVMBuildShuffleVector(l->b, addresses, LLVMGetPoison(type), LLVMConstVector(first, WL_STRIP), "");
    LLVMValueRef wanted = LLVMBuildAdd(l->b, starts, LLVMConstVector(step, WL_STRIP), "");
    return wl_memory_all(l, LLVMBuildICmp(l->b, LLVMIntEQ, addresses, wanted, ""), LLVMConstInt(l->i16, 0xffff, false));
}

/* `address`: of each lane, of which the first of each four counts. */
static void load_fours(struct wl_lift *l, const LLVMValueRef *address, LLVMValueRef *rows) {
    LLVMValueRef v[FOUR];
    for (unsigned i = 0; i < FOUR; i++)
        v[i] = wl_memory_load(l, l->strip_i32, address[(size_t)FOUR * i], false);
    wl_memory_deinterleave(l, FOUR, v, rows);
}

static void store_fours(struct wl_lift *l, const LLVMValueRef *address, LLVMValueRef *rows) {
    LLVMValueRef v[FOUR];
    wl_memory_interleave(l, FOUR, rows, v);
    for (unsigned i = 0; i < FOUR; i++)
        wl_memory_store(l, v[i], address[(size_t)FOUR * i], false);
}

static void store_quads(struct wl_lift *l, const LLVMValueRef *address, bool three, LLVMValueRef *rows);

/* An access of four dwords a lane in both forms. `find` gives the address of a lane where it is needed. */
static void access_quads(struct wl_lift *l, bool stores, LLVMValueRef test,
                         LLVMValueRef (*find)(struct wl_lift *l, const void *of, unsigned lane), const void *of, LLVMValueRef *rows) {
    LLVMBasicBlockRef fours = wl_memory_block(l, "fours"), single = wl_memory_block(l, "single"), done = wl_memory_block(l, "moved"),
                      from[2];
    LLVMValueRef address[WL_STRIP], moved[2][FOUR];
    LLVMBuildCondBr(l->b, test, fours, single);
    for (unsigned way = 0; way < 2; way++) {
        LLVMPositionBuilderAtEnd(l->b, way ? single : fours);
        for (unsigned i = 0; i < WL_STRIP; i += way ? 1 : FOUR)
            address[i] = find(l, of, i);
        if (stores && way)
            store_quads(l, address, false, rows);
        else if (stores)
            store_fours(l, address, rows);
        else
            (way ? load_quads : load_fours)(l, address, moved[way]);
        from[way] = LLVMGetInsertBlock(l->b);
        LLVMBuildBr(l->b, done);
    }
    LLVMPositionBuilderAtEnd(l->b, done);
    for (unsigned r = 0; r < FOUR && !stores; r++) {
        LLVMValueRef values[2] = {moved[0][r], moved[1][r]};
        rows[r] = LLVMBuildPhi(l->b, l->strip_i32, "");
        LLVMAddIncoming(rows[r], values, from, 2);
    }
}

static LLVMValueRef listed_address(struct wl_lift *l, const void *of, unsigned lane) { return lane_address(l, of, lane, 0); }

static void load(struct wl_lift *l, const struct spread *s, LLVMValueRef *rows) {
    const struct wl_access *a = s->access;
    LLVMValueRef narrow;
    switch (a->dwords) {
    case 1:
        narrow = gather(l, s, LLVMIntTypeInContext(l->context, a->bits), 0);
        if (a->bits < 32)
            narrow = a->sign ? LLVMBuildSExt(l->b, narrow, l->strip_i32, "") : LLVMBuildZExt(l->b, narrow, l->strip_i32, "");
        rows[0] = narrow;
        break;
    case 4:
        access_quads(l, false, in_fours(l, s->addresses), listed_address, s, rows);
        break;
    default:
        split_pairs(l, gather(l, s, l->i64, 0), rows);
        if (a->dwords == 3)
            rows[2] = gather(l, s, l->i32, 8);
    }
}

/* The host's scatter goes from the lowest lane to the highest, as a wave's stores do. */
static bool scatter(struct wl_lift *l, const struct spread *s, LLVMValueRef values) {
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(values));
    if (!l->has_avx512 || (element != l->i32 && element != l->i64))
        return false;
    wl_lift_masked_store(l, values, pointers(l, s, 0), 1, s->exec);
    return true;
}

static void store_elements(struct wl_lift *l, const struct spread *s, LLVMValueRef values) {
    if (scatter(l, s, values))
        return;
    for (unsigned i = 0; i < WL_STRIP; i++)
        wl_memory_store(l, LLVMBuildExtractElement(l->b, values, LLVMConstInt(l->i32, i, false), ""), lane_address(l, s, i, 0), false);
}

/* Three or four dwords a lane, lane after lane. */
static void store_quads(struct wl_lift *l, const LLVMValueRef *address, bool three, LLVMValueRef *rows) {
    LLVMValueRef v[4] = {rows[0], rows[1], rows[2], three ? LLVMGetPoison(l->strip_i32) : rows[3]};
    transpose_quarters(l, v);
    for (unsigned i = 0; i < WL_STRIP; i++) {
        LLVMValueRef lane = part(l, v[i % 4], i / 4 * 4, 4);
        if (!three) {
            wl_memory_store(l, lane, address[i], false);
            continue;
        }
        LLVMValueRef pair = LLVMBuildBitCast(l->b, part(l, lane, 0, 2), l->i64, "");
        wl_memory_store(l, pair, address[i], false);
        wl_memory_store(l, LLVMBuildExtractElement(l->b, lane, LLVMConstInt(l->i32, 2, false), ""), behind(l, address[i], 8), false);
    }
}

static void store(struct wl_lift *l, const struct spread *s, LLVMValueRef *rows) {
    const struct wl_access *a = s->access;
    LLVMValueRef values = rows[0], address[WL_STRIP];
    if (a->dwords == 4) {
        access_quads(l, true, in_fours(l, s->addresses), listed_address, s, rows);
        return;
    }
    if (a->dwords == 3) {
        lane_addresses(l, s, address);
        store_quads(l, address, true, rows);
        return;
    }
    if (a->dwords == 2) {
        LLVMValueRef halves[2];
        wl_memory_interleave(l, 2, rows, halves);
        values = LLVMBuildBitCast(l->b, concatenate(l, halves[0], halves[1], WL_STRIP), l->strip_i64, "");
    } else if (a->bits < 32) {
        values = LLVMBuildTrunc(l->b, values, LLVMVectorType(LLVMIntTypeInContext(l->context, a->bits), WL_STRIP), "");
    }
    store_elements(l, s, values);
}

/* On hosts without quick gathers: single loads. Offset 0 is always there for lanes that are off. */
static LLVMValueRef load_local(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    LLVMTypeRef element = a->dwords == 2 ? l->i64 : l->i32;
    LLVMValueRef offsets = lanes->offset, loaded = LLVMGetPoison(LLVMVectorType(element, WL_STRIP));
    if (l->exec)
        offsets = LLVMBuildSelect(l->b, l->exec, offsets, LLVMConstNull(l->strip_i32), "");
    if (!l->unit.lane_offsets)
        l->unit.lane_offsets = wl_lift_kept_alloca(l, l->strip_i32);
    LLVMSetAlignment(LLVMBuildStore(l->b, offsets, l->unit.lane_offsets), 64);
    for (unsigned i = 0; i < WL_STRIP; i++) {
        LLVMValueRef index = LLVMConstInt(l->i64, i, false);
        LLVMValueRef offset = LLVMBuildLoad2(l->b, l->i32, LLVMBuildGEP2(l->b, l->i32, l->unit.lane_offsets, &index, 1, ""), "");
        LLVMValueRef address = LLVMBuildAdd(l->b, lanes->base, LLVMBuildZExt(l->b, offset, l->i64, ""), "");
        LLVMValueRef value = wl_memory_load(l, element, address, false);
        loaded = LLVMBuildInsertElement(l->b, loaded, value, LLVMConstInt(l->i32, i, false), "");
    }
    rows[0] = loaded;
    if (a->dwords == 2)
        split_pairs(l, loaded, rows);
    return loaded;
}

/* Gathers and scatters of one or two dwords. Offsets are taken for signed ones; whatever is that large lies behind LDS anyway. */
static LLVMValueRef gather_local(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    LLVMTypeRef type = a->dwords == 2 ? l->strip_i64 : l->strip_i32;
    LLVMValueRef bound[2] = {lanes->offset, wl_lift_int(l, l->strip_i32, INT32_MAX)}, base = wl_memory_pointer(l, lanes->base);
    LLVMValueRef offset = wl_lift_intrinsic(l, "llvm.umin", &l->strip_i32, 1, bound, 2);
    LLVMValueRef where = LLVMBuildGEP2(l->b, l->i8, base, &offset, 1, ""), exec = wl_strip_exec(l), halves[2];
    if (a->kind == WL_ACCESS_STORE) {
        LLVMValueRef values = rows[0];
        if (a->dwords == 2) {
            wl_memory_interleave(l, 2, rows, halves);
            values = LLVMBuildBitCast(l->b, concatenate(l, halves[0], halves[1], WL_STRIP), l->strip_i64, "");
        }
        return wl_lift_masked_store(l, values, where, 1, exec);
    }
    LLVMValueRef loaded = rows[0] = wl_lift_masked_load(l, type, where, 1, exec);
    if (a->dwords == 2)
        split_pairs(l, loaded, rows);
    return loaded;
}

bool wl_spread_knows_stride(const struct wl_fact *fact) {
    enum { FAR = 4096 }; /* so that the last lane is not further behind the end of LDS than its reservation goes */
    return fact->kind == WL_FACT_AFFINE && !fact->partial && (uint32_t)fact->stride <= FAR;
}

static bool has_known_stride(const struct wl_lanes *lanes) { return wl_spread_knows_stride(&lanes->low_fact); }

void wl_memory_store_columns(struct wl_lift *l, LLVMValueRef start, uint32_t stride, LLVMValueRef *rows) {
    LLVMValueRef v[WL_MAX_ROWS];
    const unsigned each = WL_STRIP / l->strips; /* lanes of a vector */
    wl_memory_interleave(l, l->strips, rows, v);
    for (unsigned i = 0; i < WL_STRIP; i++) {
        LLVMValueRef lane = part(l, v[i / each], i % each * l->strips, l->strips);
        if (l->strips == 2)
            lane = LLVMBuildBitCast(l->b, lane, l->i64, "");
        wl_memory_store(l, lane, behind(l, start, (uint64_t)i * stride), false);
    }
}

static LLVMValueRef own_address(struct wl_lift *l, const void *of, unsigned lane) {
    return wl_lanes_address(l, of, LLVMConstInt(l->i32, lane, false));
}

/* Accesses of four dwords by all lanes. Where the stride is known, one address says all. */
static void quads_local(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    LLVMValueRef address[WL_STRIP];
    if (!has_known_stride(lanes)) {
        access_quads(l, a->kind == WL_ACCESS_STORE, in_fours(l, lanes->offset), own_address, lanes, rows);
        return;
    }
    address[0] = own_address(l, lanes, 0);
    for (unsigned i = 1; i < WL_STRIP; i++)
        address[i] = behind(l, address[0], (uint64_t)i * (uint32_t)lanes->low_fact.stride);
    if (a->kind == WL_ACCESS_LOAD)
        load_quads(l, address, rows);
    else
        store_quads(l, address, false, rows);
}

/* Accesses of two dwords by all lanes at a stride that is known: single accesses, of which the host does two in the time that its
 * gathers and scatters take for one lane. */
static void pairs_local(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    LLVMValueRef first = wl_lanes_address(l, lanes, LLVMConstInt(l->i32, 0, false)), halves[2], pairs = LLVMGetPoison(l->strip_i64);
    if (a->kind == WL_ACCESS_STORE) {
        wl_memory_interleave(l, 2, rows, halves);
        pairs = LLVMBuildBitCast(l->b, concatenate(l, halves[0], halves[1], WL_STRIP), l->strip_i64, "");
    }
    for (unsigned i = 0; i < WL_STRIP; i++) {
        LLVMValueRef lane = LLVMConstInt(l->i32, i, false), address = behind(l, first, (uint64_t)i * (uint32_t)lanes->low_fact.stride);
        if (a->kind == WL_ACCESS_STORE)
            wl_memory_store(l, LLVMBuildExtractElement(l->b, pairs, lane, ""), address, false);
        else
            pairs = LLVMBuildInsertElement(l->b, pairs, wl_memory_load(l, l->i64, address, false), lane, "");
    }
    if (a->kind == WL_ACCESS_LOAD)
        split_pairs(l, pairs, rows);
}

/* Stores of a dword by all lanes at a stride that is known: two thirds of the time of the host's scatter. */
static void dwords_local(struct wl_lift *l, const struct wl_lanes *lanes, LLVMValueRef row) {
    LLVMValueRef first = wl_lanes_address(l, lanes, LLVMConstInt(l->i32, 0, false));
    for (unsigned i = 0; i < WL_STRIP; i++) {
        LLVMValueRef value = LLVMBuildExtractElement(l->b, row, LLVMConstInt(l->i32, i, false), "");
        wl_memory_store(l, value, behind(l, first, (uint64_t)i * (uint32_t)lanes->low_fact.stride), false);
    }
}

/* How lanes access LDS, where the host can do it in a way of its own. */
enum local_way { NO_WAY, PAIRS, DWORDS, GATHER, LOADS, QUADS };

static enum local_way way_of(const struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes) {
    if (!a->local || !wl_spread_possible(a) || a->bits != 32 || lanes->wide || !lanes->offset)
        return NO_WAY;
    const bool strided = !l->exec && has_known_stride(lanes);
    if (a->dwords == 2 && strided)
        return PAIRS;
    if (a->dwords == 1 && a->kind == WL_ACCESS_STORE && strided)
        return DWORDS;
    if (a->dwords <= 2)
        return l->has_avx512 ? GATHER : a->kind == WL_ACCESS_LOAD ? LOADS : NO_WAY;
    return a->dwords == 4 && !l->exec ? QUADS : NO_WAY;
}

bool wl_spread_has_local(const struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes) {
    return way_of(l, a, lanes) != NO_WAY;
}

bool wl_spread_local(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    switch (way_of(l, a, lanes)) {
    case PAIRS:
        pairs_local(l, a, lanes, rows);
        return true;
    case DWORDS:
        dwords_local(l, lanes, rows[0]);
        return true;
    case GATHER:
        wl_lift_mark_memory(l, gather_local(l, a, lanes, rows));
        return true;
    case LOADS:
        load_local(l, a, lanes, rows);
        return true;
    case QUADS:
        quads_local(l, a, lanes, rows);
        return true;
    default:
        return false;
    }
}

/* ---- private memory ---- */

/* The dword at `offset` of each lane's private memory, `row` dwords further on, in the order in which dwords of all lanes lie there. */
static LLVMValueRef private_places(struct wl_lift *l, const struct wl_lanes *lanes, unsigned row) {
    LLVMValueRef dword = LLVMBuildLShr(l->b, lanes->offset, wl_lift_int(l, l->strip_i32, 2), "");
    LLVMValueRef index = LLVMBuildMul(l->b, dword, wl_lift_int(l, l->strip_i32, l->wave_size), "");
    LLVMValueRef first = LLVMBuildAdd(l->b, l->strip->first_lane, LLVMConstInt(l->i64, (uint64_t)row * l->wave_size, false), "");
    LLVMValueRef start = LLVMBuildAdd(l->b, lanes->base, LLVMBuildShl(l->b, first, LLVMConstInt(l->i64, 2, false), ""), "");
    index = LLVMBuildAdd(l->b, index, wl_memory_iota(l, l->i32, 1), "");
    return LLVMBuildGEP2(l->b, l->i32, wl_memory_pointer(l, start), &index, 1, "");
}

static LLVMValueRef gather_private(struct wl_lift *l, LLVMValueRef where) {
    LLVMValueRef loaded = wl_lift_masked_load(l, l->strip_i32, where, 4, wl_strip_exec(l));
    wl_lift_mark_memory(l, loaded);
    return loaded;
}

/* Fewer than 32 bits, within a dword. */
static void access_part(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    const uint32_t field = (UINT32_C(1) << a->bits) - 1;
    LLVMValueRef where = private_places(l, lanes, 0), dword = gather_private(l, where);
    LLVMValueRef byte = LLVMBuildAnd(l->b, lanes->offset, wl_lift_int(l, l->strip_i32, 3), "");
    LLVMValueRef shift = LLVMBuildShl(l->b, byte, wl_lift_int(l, l->strip_i32, 3), "");
    if (a->kind == WL_ACCESS_LOAD) {
        LLVMTypeRef narrow = LLVMVectorType(LLVMIntTypeInContext(l->context, a->bits), WL_STRIP);
        LLVMValueRef value = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, dword, shift, ""), narrow, "");
        rows[0] = a->sign ? LLVMBuildSExt(l->b, value, l->strip_i32, "") : LLVMBuildZExt(l->b, value, l->strip_i32, "");
        return;
    }
    LLVMValueRef mask = wl_lift_int(l, l->strip_i32, field), hole = LLVMBuildNot(l->b, LLVMBuildShl(l->b, mask, shift, ""), "");
    LLVMValueRef value = LLVMBuildShl(l->b, LLVMBuildAnd(l->b, rows[0], mask, ""), shift, "");
    value = LLVMBuildOr(l->b, LLVMBuildAnd(l->b, dword, hole, ""), value, "");
    wl_lift_mark_memory(l, wl_lift_masked_store(l, value, where, 4, wl_strip_exec(l)));
}

/* i1: all active lanes access whole elements within a dword, so near that the place's number has 31 bits. */
static LLVMValueRef are_plain(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes) {
    const uint32_t within = a->bits >= 32 ? 3 : a->bits == 16 ? 1 : 0, most = UINT32_C(1) << 24;
    LLVMValueRef odd = LLVMBuildAnd(l->b, lanes->offset, wl_lift_int(l, l->strip_i32, ~(most - 1) | within), "");
    LLVMValueRef is_odd = LLVMBuildICmp(l->b, LLVMIntNE, odd, LLVMConstNull(l->strip_i32), "");
    if (l->exec)
        is_odd = LLVMBuildAnd(l->b, is_odd, l->exec, "");
    return LLVMBuildICmp(l->b, LLVMIntEQ, LLVMBuildBitCast(l->b, is_odd, l->i16, ""), LLVMConstNull(l->i16), "");
}

bool wl_spread_private(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    if (a->place != WL_PLACE_PRIVATE || a->kind == WL_ACCESS_ATOMIC || a->is_volatile || !lanes->offset || !l->has_avx512)
        return false;
    const bool load = a->kind == WL_ACCESS_LOAD;
    LLVMBasicBlockRef plain = wl_memory_block(l, "private"), odd = wl_memory_block(l, WL_COLD_BLOCK), done = wl_memory_block(l, "accessed");
    LLVMBasicBlockRef from[2];
    LLVMValueRef slow[WL_MAX_ROWS];
    wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, are_plain(l, a, lanes), plain, odd));
    LLVMPositionBuilderAtEnd(l->b, odd);
    for (unsigned d = 0; d < a->dwords; d++)
        slow[d] = rows[d];
    wl_memory_slow(l, a, lanes, slow);
    from[1] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, plain);
    wl_access_gather_begin(l, false);
    if (a->bits < 32)
        access_part(l, a, lanes, rows);
    for (unsigned d = 0; a->bits >= 32 && d < a->dwords; d++) {
        LLVMValueRef where = private_places(l, lanes, d);
        if (load)
            rows[d] = gather_private(l, where);
        else
            wl_lift_mark_memory(l, wl_lift_masked_store(l, rows[d], where, 4, wl_strip_exec(l)));
    }
    wl_access_gather_end(l);
    from[0] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    for (unsigned d = 0; load && d < a->dwords; d++) {
        LLVMValueRef values[2] = {rows[d], slow[d]};
        rows[d] = LLVMBuildPhi(l->b, l->strip_i32, "");
        LLVMAddIncoming(rows[d], values, from, 2);
    }
    return true;
}

void wl_spread_access(struct wl_lift *l, const struct wl_access *a, LLVMValueRef addresses, LLVMValueRef buffer, LLVMValueRef exec,
                      LLVMValueRef *rows) {
    struct spread s = {a, addresses, buffer, exec};
    if (a->kind == WL_ACCESS_LOAD)
        load(l, &s, rows);
    else
        store(l, &s, rows);
}

/* Whether there is only the lower half of the strip. */
static bool is_half(const struct wl_lift *l) { return l->strip_lanes == WL_GROUP; }

/* The addresses of the first lanes of the strip's halves. */
static void group_starts(struct wl_lift *l, const struct wl_lanes *lanes, LLVMValueRef *start) {
    LLVMValueRef addresses = l->has_avx512 && !lanes->index ? wl_lanes_addresses(l, lanes) : NULL;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef lane = LLVMConstInt(l->i32, (uint64_t)i * WL_GROUP, false);
        start[i] = addresses ? LLVMBuildExtractElement(l->b, addresses, lane, "") : wl_lanes_address(l, lanes, lane);
    }
}

/* <8 x i1>: the active lanes of half of the strip. */
static LLVMValueRef group_exec(struct wl_lift *l, unsigned half) {
    if (l->has_avx512)
        return part(l, l->exec, half * WL_GROUP, WL_GROUP);
    LLVMValueRef shift = LLVMConstInt(l->i16, (uint64_t)half * WL_GROUP, false);
    return wl_lift_lanes(l, LLVMBuildLShr(l->b, l->exec_bits, shift, ""), WL_GROUP);
}

/* One element for each half of the strip. A half without active lanes may have any address: it takes the other's. */
static void load_same(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    LLVMTypeRef type = LLVMIntTypeInContext(l->context, 32u * a->dwords);
    LLVMValueRef start[2], half[2][2];
    group_starts(l, lanes, start);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef from = start[is_half(l) ? 0 : i];
        if (l->exec && !is_half(l)) {
            LLVMValueRef own = LLVMBuildAnd(l->b, wl_memory_mask(l), LLVMConstInt(l->i16, 0xffu << (i * WL_GROUP), false), "");
            from = LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntNE, own, LLVMConstNull(l->i16), ""), from, start[1 - i], "");
        }
        LLVMValueRef value = wl_memory_load(l, type, from, false);
        for (unsigned d = 0; d < a->dwords; d++) {
            LLVMValueRef dword = d ? LLVMBuildLShr(l->b, value, LLVMConstInt(type, 32, false), "") : value;
            half[d][i] = part(l, wl_strip_splat(l, LLVMBuildTrunc(l->b, dword, l->i32, "")), 0, WL_GROUP);
        }
    }
    for (unsigned d = 0; d < a->dwords; d++)
        rows[d] = concatenate(l, half[d][0], half[d][1], WL_GROUP);
}

/* The lanes of a group store to one place, where the last active one's value stays. */
void wl_spread_store_groups(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef row) {
    LLVMTypeRef type = LLVMIntTypeInContext(l->context, a->bits);
    for (unsigned i = 0; i < WL_STRIP; i += WL_GROUP) {
        LLVMValueRef lane = LLVMConstInt(l->i32, i + WL_GROUP - 1, false), known = wl_fact_in_all_lanes(&lanes->low_fact) ? lane : NULL;
        LLVMBasicBlockRef done = NULL;
        if (l->exec) {
            LLVMBasicBlockRef some = wl_memory_block(l, "some");
            done = wl_memory_block(l, "stored");
            LLVMValueRef own = LLVMBuildAnd(l->b, wl_memory_mask(l), LLVMConstInt(l->i16, 0xffu << i, false), "");
            LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntNE, own, LLVMConstNull(l->i16), ""), some, done);
            LLVMPositionBuilderAtEnd(l->b, some);
            LLVMValueRef arguments[2] = {LLVMBuildZExt(l->b, own, l->i32, ""), LLVMConstInt(l->i1, 1, false)};
            LLVMValueRef zeros = wl_lift_intrinsic(l, "llvm.ctlz", &l->i32, 1, arguments, 2);
            lane = LLVMBuildSub(l->b, LLVMConstInt(l->i32, 31, false), zeros, "");
        }
        LLVMValueRef value = LLVMBuildTruncOrBitCast(l->b, LLVMBuildExtractElement(l->b, row, lane, ""), type, "");
        wl_memory_store(l, value, wl_lanes_address(l, lanes, known ? known : lane), false);
        if (!done)
            continue;
        LLVMBuildBr(l->b, done);
        LLVMPositionBuilderAtEnd(l->b, done);
    }
}

void wl_spread_load_groups(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    if (lanes->low_fact.stride == 0) {
        load_same(l, a, lanes, rows);
        return;
    }
    LLVMTypeRef type = LLVMVectorType(l->i32, WL_GROUP);
    LLVMValueRef start[2], half[2];
    group_starts(l, lanes, start);
    for (unsigned i = 0; i < 2; i++) {
        if (!l->exec) {
            half[i] = wl_memory_load(l, type, start[i], false);
            continue;
        }
        if (i && is_half(l)) {
            half[i] = LLVMConstNull(type);
            continue;
        }
        half[i] = wl_lift_masked_load(l, type, wl_memory_pointer(l, start[i]), 1, group_exec(l, i));
        wl_lift_mark_memory(l, half[i]);
    }
    rows[0] = concatenate(l, half[0], half[1], WL_GROUP);
}

/* ---- gathers in the unit itself ---- */

/* In loops whose lanes leave, few lanes are left, for which single loads cost as much as for all: the host's own where they are quick. */

bool wl_spread_in_loop_possible(const struct wl_lift *l, const struct wl_access *a) {
    return l->unit.block->in_loop && l->form->gathers(l) != WL_GATHERS_CALL && a->kind == WL_ACCESS_LOAD && a->bits == 32 &&
           a->dwords <= 2 && wl_spread_possible(a);
}

/* Elements of `type` at the lanes' pointers. */
static LLVMValueRef gather_lanes(struct wl_lift *l, LLVMTypeRef type, LLVMValueRef where) {
    LLVMValueRef loaded = wl_lift_masked_load(l, type, where, 1, wl_strip_exec(l));
    wl_lift_mark_memory(l, loaded);
    return loaded;
}

static LLVMValueRef gather_by_address(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMTypeRef type) {
    struct spread s = {.addresses = wl_lanes_addresses(l, lanes)};
    wl_access_trace_begin(l, a, s.addresses);
    LLVMValueRef loaded = gather_lanes(l, type, pointers(l, &s, 0));
    wl_access_trace_end(l);
    return loaded;
}

/* Elements at base + (index << shift), as many as the index (<n x i32>) has; mask: <n x i1>. */
static LLVMValueRef gather_indexed(struct wl_lift *l, LLVMTypeRef scale, LLVMValueRef base, LLVMValueRef index, LLVMValueRef mask) {
    LLVMTypeRef type = LLVMVectorType(l->i32, LLVMGetVectorSize(LLVMTypeOf(index)));
    LLVMValueRef where = LLVMBuildGEP2(l->b, scale, base, &index, 1, "");
    LLVMValueRef loaded = wl_lift_masked_load(l, type, where, 1, mask);
    wl_lift_mark_memory(l, loaded);
    return loaded;
}

/* The active lanes, of which there are `count` (i32, up to 8), side by side: the host's gathers take as long for a lane that is off. */
static LLVMValueRef gather_packed(struct wl_lift *l, LLVMTypeRef scale, LLVMValueRef base, LLVMValueRef index, LLVMValueRef count) {
    LLVMValueRef one = LLVMConstInt(l->i32, 1, false), packing[3] = {index, LLVMConstNull(l->strip_i32), l->exec};
    LLVMValueRef packed = part(l, wl_lift_intrinsic(l, "llvm.x86.avx512.mask.compress", &l->strip_i32, 1, packing, 3), 0, WL_GROUP);
    LLVMValueRef bits = LLVMBuildTrunc(l->b, LLVMBuildSub(l->b, LLVMBuildShl(l->b, one, count, ""), one, ""), l->i8, "");
    LLVMValueRef mask = LLVMBuildBitCast(l->b, bits, LLVMVectorType(l->i1, WL_GROUP), "");
    wl_access_gather_begin(l, true);
    LLVMValueRef loaded = gather_indexed(l, scale, base, packed, mask);
    wl_access_gather_end(l);
    LLVMValueRef unpacking[3] = {concatenate(l, loaded, LLVMGetPoison(LLVMTypeOf(loaded)), WL_GROUP), LLVMConstNull(l->strip_i32), l->exec};
    return wl_lift_intrinsic(l, "llvm.x86.avx512.mask.expand", &l->strip_i32, 1, unpacking, 3);
}

/* One instruction for 16 lanes of a dword by base and index, which the host takes for signed: an unsigned one counts from the middle. */
static LLVMValueRef gather_by_index(struct wl_lift *l, const struct wl_lanes *lanes) {
    const uint64_t middle = UINT64_C(1) << 31;
    LLVMTypeRef scale = LLVMIntTypeInContext(l->context, 8u << lanes->index_shift);
    LLVMValueRef index = lanes->index, base = lanes->index_base, value[2];
    if (!lanes->index_signed) {
        index = LLVMBuildXor(l->b, index, wl_lift_int(l, l->strip_i32, middle), "");
        base = LLVMBuildAdd(l->b, base, LLVMConstInt(l->i64, middle << lanes->index_shift, false), "");
    }
    base = wl_memory_pointer(l, base);
    LLVMBasicBlockRef few = NULL, done = NULL, from[2];
    if (is_half(l)) {
        wl_access_gather_begin(l, false);
        value[0] = gather_indexed(l, scale, base, part(l, index, 0, WL_GROUP), group_exec(l, 0));
        wl_access_gather_end(l);
        return concatenate(l, value[0], LLVMConstNull(LLVMTypeOf(value[0])), WL_GROUP);
    }
    if (l->form->gathers(l) == WL_GATHERS_BY_COUNT && l->exec) { /* lanes leave */
        LLVMBasicBlockRef many = wl_memory_block(l, "many");
        few = wl_memory_block(l, "few");
        done = wl_memory_block(l, "gathered");
        LLVMValueRef bits = LLVMBuildZExt(l->b, l->exec_bits, l->i32, ""), count = wl_lift_intrinsic(l, "llvm.ctpop", &l->i32, 1, &bits, 1);
        LLVMValueRef fits = LLVMBuildICmp(l->b, LLVMIntULE, count, LLVMConstInt(l->i32, WL_GROUP, false), "");
        LLVMBuildCondBr(l->b, fits, few, many);
        LLVMPositionBuilderAtEnd(l->b, few);
        value[1] = gather_packed(l, scale, base, index, count);
        from[1] = LLVMGetInsertBlock(l->b);
        LLVMBuildBr(l->b, done);
        LLVMPositionBuilderAtEnd(l->b, many);
    }
    wl_access_gather_begin(l, false);
    value[0] = gather_indexed(l, scale, base, index, wl_strip_exec(l));
    wl_access_gather_end(l);
    if (!few)
        return value[0];
    from[0] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    LLVMValueRef loaded = LLVMBuildPhi(l->b, l->strip_i32, "");
    LLVMAddIncoming(loaded, value, from, 2);
    return loaded;
}

bool wl_spread_store_by_index(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    const bool possible = l->has_avx512 && a->kind == WL_ACCESS_STORE && a->bits == 32 && a->dwords == 1 && wl_spread_possible(a);
    if (!possible || l->exec || !lanes->index)
        return false;
    LLVMBasicBlockRef done = wl_memory_block(l, "scattered");
    if (!lanes->index_signed) {
        LLVMValueRef negative = LLVMBuildICmp(l->b, LLVMIntSLT, lanes->index, LLVMConstNull(l->strip_i32), "");
        LLVMValueRef none = LLVMBuildICmp(l->b, LLVMIntEQ, LLVMBuildBitCast(l->b, negative, l->i16, ""), LLVMConstNull(l->i16), "");
        LLVMBasicBlockRef small = wl_memory_block(l, "small"), large = wl_memory_block(l, WL_COLD_BLOCK);
        wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, none, small, large));
        LLVMPositionBuilderAtEnd(l->b, large);
        wl_memory_slow(l, a, lanes, rows);
        LLVMBuildBr(l->b, done);
        LLVMPositionBuilderAtEnd(l->b, small);
    }
    LLVMTypeRef scale = LLVMIntTypeInContext(l->context, 8u << lanes->index_shift);
    LLVMValueRef index = lanes->index, base = wl_memory_pointer(l, lanes->index_base);
    wl_access_gather_begin(l, false);
    LLVMValueRef where = LLVMBuildGEP2(l->b, scale, base, &index, 1, "");
    wl_lift_mark_memory(l, wl_lift_masked_store(l, rows[0], where, 1, wl_strip_exec(l)));
    wl_access_gather_end(l);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    return true;
}

/* Single loads, of hosts without such gathers. */
static LLVMValueRef load_lanes(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes) {
    struct spread s = {.access = a, .addresses = unit_addresses(l, lanes)};
    s.buffer = wl_access_trace_begin(l, a, s.addresses);
    LLVMValueRef loaded = gather(l, &s, a->dwords == 2 ? l->i64 : l->i32, 0);
    wl_access_trace_end(l);
    return loaded;
}

bool wl_spread_in_loop(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    if (!wl_spread_in_loop_possible(l, a))
        return false;
    LLVMTypeRef type = a->dwords == 2 ? l->strip_i64 : l->strip_i32;
    rows[0] = !l->has_avx512                   ? load_lanes(l, a, lanes)
              : lanes->index && a->dwords == 1 ? gather_by_index(l, lanes)
                                               : gather_by_address(l, a, lanes, type);
    if (a->dwords == 2)
        split_pairs(l, rows[0], rows);
    return true;
}

bool wl_spread_in_unit(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    if (!l->unit.row_slots || !wl_spread_possible(a) || a->bits != 32 || a->dwords != 1)
        return false;
    LLVMValueRef addresses = unit_addresses(l, lanes), buffer = wl_access_trace_begin(l, a, addresses);
    wl_spread_access(l, a, addresses, buffer, wl_strip_exec(l), rows);
    wl_access_trace_end(l);
    return true;
}
