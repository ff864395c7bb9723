// Divergent loops of lanes that share rows of data: eight lanes have its elements in turn. Where that is seen they are run for eight lanes at
// a time, and how many rounds they make is counted ahead. What lanes make of their rows has to be the same as in any other loop: where some
// are off, where the first one leaves first, where counters are about to wrap, and where more than a counter decides.
#include "check.h"

#include <type_traits>
#include <vector>

enum { ITEMS = 1024, ROWS = ITEMS / 8, WORDS = 1 << 14 };

enum Way {
    PLAIN,     // while i < end
    INCLUDED,  // while i <= end
    FIRST,     // the first round in any case
    BACKWARDS, // the first lane has the row's eighth element, and leaves first
    APART,     // lanes' elements do not lie side by side
    ENDS,      // each lane has an end of its own
    BREAK,     // what is loaded decides too
    KEPT,      // where lanes have come to is used
};

struct Item {
    unsigned sum, rounds, last;
};

template <int way, typename Index>
__host__ __device__ static Item walk(const unsigned *places, const unsigned *words, Index begin, Index end, unsigned lane) {
    Item item = {0, 0, 0};
    Index i = begin + (Index)(way == BACKWARDS ? 7 - lane : way == APART ? 3 * lane : lane);
    if (way == ENDS)
        end += (Index)(lane * 5 % 7);
#pragma clang loop unroll(disable) vectorize(disable)
    for (bool first = way == FIRST; first || (way == INCLUDED ? i <= end : i < end); i += 8, first = false) {
        unsigned word = words[places[i]];
        item.sum += word;
        item.rounds++;
        if (way == BREAK && word % 7 == 0)
            break;
    }
    if (way == KEPT)
        item.last = (unsigned)i;
    return item;
}

// `together`: the rows' sums are made too, for which workgroups are run as one.
template <int way, typename Index, bool together>
__global__ void walk_rows(const unsigned *places, const unsigned *words, const Index *begins, const Index *ends, const unsigned *off,
                          Item *items, unsigned *sums) {
    __shared__ unsigned part[256];
    unsigned item = blockIdx.x * 256 + threadIdx.x, row = item / 8, lane = item % 8;
    Item made = {0, 0, 0};
    if (!off[item])
        made = walk<way>(places, words, begins[row], ends[row], lane);
    items[item] = made;
    if (!together)
        return;
    part[threadIdx.x] = made.sum;
    __syncthreads();
    for (unsigned half = 4; half; half /= 2) {
        if (lane < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (lane == 0)
        sums[row] = part[threadIdx.x];
}

static unsigned random_bits(unsigned *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }

template <typename T> static T *device(const std::vector<T> &host) {
    T *memory;
    HIP(hipMalloc((void **)&memory, host.size() * sizeof(T)));
    HIP(hipMemcpy(memory, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
    return memory;
}

template <typename T> static void fetch(std::vector<T> &host, T *memory) {
    HIP(hipMemcpy(host.data(), memory, host.size() * sizeof(T), hipMemcpyDeviceToHost));
    HIP(hipFree(memory));
}

// Rows from `first` on, of which some end where another step would be the last that does not wrap if they lie that high.
template <int way, typename Index>
static void make_rows(int64_t first, unsigned seed, std::vector<Index> *begins, std::vector<Index> *ends) {
    const int margin = way == APART || way == FIRST || way == ENDS ? 40 : 9;
    for (int row = 0; row < ROWS; row++) {
        int length = (int)(random_bits(&seed) % (random_bits(&seed) % 4 ? 13 : 90)), end = WORDS - margin;
        if (row % 3)
            end = length + (int)random_bits(&seed) % (WORDS - margin - length);
        begins->push_back((Index)(first + end - length));
        ends->push_back((Index)(first + end));
        if (way == PLAIN && std::is_unsigned<Index>::value && !first &&
            row % 7 == 0) { // lanes 4 and on have wrapped: they have the first elements
            begins->back() = (Index)-4;
            ends->back() = (Index)length;
        }
    }
}

template <int way, typename Index, bool together> static void check_rows(int64_t first, unsigned seed) {
    std::vector<Index> begins, ends;
    std::vector<unsigned> places(WORDS), words(WORDS), off(ITEMS), sums(ROWS);
    std::vector<Item> items(ITEMS);
    make_rows<way>(first, seed, &begins, &ends);
    for (int i = 0; i < WORDS; i++) {
        places[i] = random_bits(&seed) % WORDS;
        words[i] = random_bits(&seed);
    }
    for (int i = 0; i < ITEMS; i++)
        off[i] = random_bits(&seed) % 5 == 0;
    unsigned *dplaces = device(places), *dwords = device(words), *doff = device(off), *dsums = device(sums);
    Index *dbegins = device(begins), *dends = device(ends);
    Item *ditems = device(items);
    const unsigned *dfirst = (const unsigned *)((uintptr_t)dplaces - (uintptr_t)first * sizeof(unsigned));
    const unsigned *hfirst = (const unsigned *)((uintptr_t)places.data() - (uintptr_t)first * sizeof(unsigned));
    walk_rows<way, Index, together><<<ITEMS / 256, 256>>>(dfirst, dwords, dbegins, dends, doff, ditems, dsums);
    HIP_FINISH();
    fetch(items, ditems);
    fetch(sums, dsums);
    for (int row = 0; row < ROWS; row++) {
        unsigned sum = 0;
        for (int i = 8 * row; i < 8 * row + 8; i++) {
            Item wanted = {0, 0, 0};
            if (!off[i])
                wanted = walk<way>(hfirst, words.data(), begins[row], ends[row], (unsigned)i % 8);
            sum += wanted.sum;
            EXPECT(items[i].sum == wanted.sum && items[i].rounds == wanted.rounds && items[i].last == wanted.last,
                   "way %d, rows from %lld on, item %d: %u in %u rounds up to %u, not %u in %u up to %u", way, (long long)first, i,
                   items[i].sum, items[i].rounds, items[i].last, wanted.sum, wanted.rounds, wanted.last);
        }
        EXPECT(!together || sums[row] == sum, "way %d, rows from %lld on, the sum of row %d: %u, not %u", way, (long long)first, row,
               sums[row], sum);
    }
    for (void *memory : {(void *)dplaces, (void *)dwords, (void *)doff, (void *)dbegins, (void *)dends})
        HIP(hipFree(memory));
}

template <int way> static void check_way(unsigned seed) {
    for (int64_t first : {INT64_C(0), (INT64_C(1) << 32) - WORDS}) {
        check_rows<way, unsigned, false>(first, seed);
        check_rows<way, unsigned, true>(first, seed + 1);
    }
    for (int64_t first : {INT64_C(0), (INT64_C(1) << 31) - WORDS, -(INT64_C(1) << 31), INT64_C(-WORDS / 2)})
        check_rows<way, int, true>(first, seed + 2);
}

int main() {
    check_name = "shared_rows";
    check_way<PLAIN>(1);
    check_way<INCLUDED>(100);
    check_way<FIRST>(200);
    check_way<BACKWARDS>(300);
    check_way<APART>(400);
    check_way<ENDS>(500);
    check_way<BREAK>(600);
    check_way<KEPT>(700);
    return finish();
}
