/* PCG64 (XSL-RR), the generator of NumPy, and what is drawn from it */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAYERS = 128 };

static __uint128_t state;
static double edge[LAYERS + 1], inner[LAYERS];

static inline uint64_t next(void) {
    const __uint128_t multiplier = ((__uint128_t)2549297995355413924ULL << 64) + 4865540595714422341ULL;
    state = state * multiplier + 1442695040888963407ULL;
    uint64_t folded = (uint64_t)(state >> 64) ^ (uint64_t)state;
    unsigned turn = state >> 122;
    return (folded >> turn) | (folded << ((-turn) & 63));
}

static inline double uniform(void) { return (next() >> 11) * 0x1.0p-53; }

static inline double laplace(double scale) {
    double u = uniform();
    return copysign(scale * log(fmin(u + u, 2.0 - u - u)), u - 0.5);
}

/* the ziggurat of Doornik (2005) */
static inline double normal(void) {
    for (;;) {
        const uint64_t bits = next();
        const int layer = bits % LAYERS;
        const double u = 2.0 * ((bits >> 11) * 0x1.0p-53) - 1.0, x = u * edge[layer];
        if (fabs(u) < inner[layer]) return x;
        if (layer == 0) {
            double tail, y;
            do {
                tail = log(uniform()) / edge[1];
                y = log(uniform());
            } while (-2.0 * y < tail * tail);
            return u < 0.0 ? tail - edge[1] : edge[1] - tail;
        }
        const double above = exp(-0.5 * (edge[layer] * edge[layer] - x * x));
        const double below = exp(-0.5 * (edge[layer + 1] * edge[layer + 1] - x * x));
        if (below + uniform() * (above - below) < 1.0) return x;
    }
}

static void seed_with(const char *word) {
    const double area = 9.91256303526217e-3;
    edge[1] = 3.442619855899;
    edge[0] = area / exp(-0.5 * edge[1] * edge[1]);
    for (int i = 2; i < LAYERS; i++)
        edge[i] = sqrt(-2.0 * log(area / edge[i - 1] + exp(-0.5 * edge[i - 1] * edge[i - 1])));
    edge[LAYERS] = 0.0;
    for (int i = 0; i < LAYERS; i++) inner[i] = edge[i + 1] / edge[i];
    state = strtoull(word, NULL, 10) * (__uint128_t)0x9E3779B97F4A7C15ULL + 1;
    for (int i = 0; i < 16; i++) next();
}

/* of this program, whatever else the machine does */
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}
