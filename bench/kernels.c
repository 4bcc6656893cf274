/*
 * The loops of src/filters/kernels in plain C, on chunks of 64 KiB: what bench/pipelines.mjs holds the WebAssembly module
 * against. Built with gcc -O3, run as `kernels REPEATS`; prints a name and MB/s of output and processor time a line.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 65536, BLOCK = 8192, SLACK = 64 };

static uint8_t input[CHUNK + SLACK], output[CHUNK + SLACK], planes[BLOCK];

static void unbyteshuffle(const uint8_t *restrict in, uint8_t *restrict out, size_t count, size_t size) {
  if (size == 4)
    for (size_t i = 0; i < count; i++)
      for (size_t b = 0; b < 4; b++) out[4 * i + b] = in[b * count + i];
  else
    for (size_t i = 0; i < count; i++)
      for (size_t b = 0; b < 8; b++) out[8 * i + b] = in[b * count + i];
}

static void transpose(const uint8_t *restrict rows, size_t groups, uint8_t *restrict out) {
  for (size_t g = 0; g < groups; g++) {
    uint64_t x = 0, t;
    for (size_t r = 0; r < 8; r++) x |= (uint64_t)rows[r * groups + g] << (8 * r);
    t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aaULL;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000cccc0000ccccULL;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0ULL;
    x ^= t ^ (t << 28);
    memcpy(out + 8 * g, &x, 8);
  }
}

static void unbitshuffle(const uint8_t *in, uint8_t *out, size_t size) {
  for (size_t at = 0; at < CHUNK; at += BLOCK) {
    size_t groups = BLOCK / size / 8;
    for (size_t b = 0; b < size; b++) transpose(in + at + b * 8 * groups, groups, planes + b * 8 * groups);
    unbyteshuffle(planes, out + at, 8 * groups, size);
  }
}

static void sums32(const uint32_t *restrict in, uint32_t *restrict out) {
  uint32_t sum = 0;
  for (size_t i = 0; i < CHUNK / 4; i++) out[i] = sum += in[i];
}

static void sums64(const uint64_t *restrict in, uint64_t *restrict out) {
  uint64_t sum = 0;
  for (size_t i = 0; i < CHUNK / 8; i++) out[i] = sum += in[i];
}

#define UNDOUBLE_DELTA(name, T)                                                              \
  static void name(const uint64_t *restrict in, T *restrict out, unsigned bits) {            \
    uint64_t value = 0, delta = 0;                                                           \
    unsigned bit = 0;                                                                        \
    for (size_t i = 0; i < CHUNK / sizeof(T); i++) {                                         \
      unsigned word = bit >> 6, used = bit & 63;                                             \
      uint64_t top = (in[word] << used) | ((in[word + 1] >> 1) >> (63 - used));              \
      uint64_t sign = (uint64_t)((int64_t)top >> 63);                                        \
      delta += (((top << 1) >> (64 - bits)) ^ sign) - sign;                                  \
      out[i] = (T)(value += delta);                                                          \
      bit += bits + 1;                                                                       \
    }                                                                                        \
  }
UNDOUBLE_DELTA(undouble32, uint32_t)
UNDOUBLE_DELTA(undouble64, uint64_t)

/* Windows of 1 KiB, as BIT_WIDTH_REDUCTION's metadata tells them: the offset, u8 bits, u32 bytes before reduction. */
#define WIDEN(name, S, T)                                                                    \
  static int name(const uint8_t *table, const uint8_t *in, uint8_t *out) {                   \
    const size_t step = sizeof(T) + 5;                                                       \
    uint32_t bytes, total = 0;                                                               \
    for (size_t window = 0; window < CHUNK / 1024; window++) {                               \
      memcpy(&bytes, table + window * step + sizeof(T) + 1, 4);                              \
      if (table[window * step + sizeof(T)] != 8 * sizeof(S)) return 0;                       \
      total += bytes;                                                                        \
    }                                                                                        \
    if (total != CHUNK) return 0;                                                            \
    for (size_t window = 0; window < CHUNK / 1024; window++) {                               \
      T offset;                                                                              \
      memcpy(&offset, table + window * step, sizeof(T));                                     \
      memcpy(&bytes, table + window * step + sizeof(T) + 1, 4);                              \
      size_t count = bytes / sizeof(T);                                                      \
      const S *restrict from = (const S *)in;                                                \
      T *restrict to = (T *)out;                                                             \
      for (size_t i = 0; i < count; i++) to[i] = from[i] + offset;                           \
      in += count * sizeof(S);                                                               \
      out += bytes;                                                                          \
    }                                                                                        \
    return 1;                                                                                \
  }
WIDEN(widen8to32, uint8_t, uint32_t)
WIDEN(widen16to64, uint16_t, uint64_t)

static uint8_t table[CHUNK / 1024 * 13];

static void make_table(size_t size, uint8_t bits) {
  uint32_t bytes = 1024;
  for (uint64_t window = 0; window < CHUNK / 1024; window++) {
    uint64_t offset = window * 977;
    uint8_t *entry = table + window * (size + 5);
    memcpy(entry, &offset, size);
    entry[size] = bits;
    memcpy(entry + size + 1, &bytes, 4);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define MEASURE(name, call)                                                                  \
  do {                                                                                       \
    double start = now();                                                                    \
    for (int i = 0; i < repeats; i++) {                                                      \
      call;                                                                                  \
      __asm__ volatile("" : : "r"(output) : "memory");                                       \
    }                                                                                        \
    printf("%s %.0f\n", name, (double)repeats * CHUNK / (now() - start) / 1e6);              \
  } while (0)

int main(int count, char **arguments) {
  int done = 1;
  int repeats = count > 1 ? atoi(arguments[1]) : 2000;
  for (size_t i = 0; i < sizeof input; i++) input[i] = (uint8_t)rand();
  MEASURE("un-bitshuffle 4", unbitshuffle(input, output, 4));
  MEASURE("un-bitshuffle 8", unbitshuffle(input, output, 8));
  MEASURE("un-byteshuffle 4", unbyteshuffle(input, output, CHUNK / 4, 4));
  MEASURE("un-byteshuffle 8", unbyteshuffle(input, output, CHUNK / 8, 8));
  MEASURE("prefix sum 4", sums32((uint32_t *)input, (uint32_t *)output));
  MEASURE("prefix sum 8", sums64((uint64_t *)input, (uint64_t *)output));
  MEASURE("double-delta 4", undouble32((uint64_t *)input, (uint32_t *)output, 4));
  MEASURE("double-delta 8", undouble64((uint64_t *)input, (uint64_t *)output, 4));
  make_table(4, 8);
  MEASURE("widen 8 to 32", done &= widen8to32(table, input, output));
  make_table(8, 16);
  MEASURE("widen 16 to 64", done &= widen16to64(table, input, output));
  return !done;
}
