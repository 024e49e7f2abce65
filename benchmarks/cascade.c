/* The cascade round by hand: index, list of the K largest, click, one Laplace draw per observed position.
 *
 * usage: cascade ROUNDS SEED SCALE      prints nanoseconds per round and the pseudo-regret
 * The work of the index kernel with L = 20, K = 4 on B_LB(20, 4, 0.2, 0.15): Algorithm 2 of Wang et al. (2021). Ties,
 * which have probability zero once there is noise, fall to the lower item number.
 */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { L = 20, K = 4 };

static __uint128_t state;

/* PCG64 (XSL-RR), the generator of NumPy */
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

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const long rounds = atol(argv[1]);
    const double scale = atof(argv[3]);
    double means[L], total[L], mean[L], root[L], index[L], values[K];
    long count[L];
    int order[K];
    state = (__uint128_t)strtoull(argv[2], NULL, 10) * 0x9E3779B97F4A7C15ULL + 1;
    for (int e = 0; e < L; e++) {
        means[e] = e < K ? 0.2 : 0.05;
        count[e] = 1;
        total[e] = mean[e] = uniform() < means[e] ? 1.0 : 0.0;
        root[e] = 1.0;
    }
    double best = 1.0;
    for (int k = 0; k < K; k++) best *= 1.0 - 0.2;
    best = 1.0 - best;
    double regret = 0.0;

    struct timespec start, stop;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long t = 1; t <= rounds; t++) {
        const double log_t = log((double)t);
        const double a = sqrt(1.5 * log_t) + sqrt(24.0 * scale * scale * log_t);
        for (int e = 0; e < L; e++) index[e] = mean[e] + a * root[e];
        for (int e = 0; e < L; e++) {
            const double value = index[e];
            int slot = e < K ? e : K - 1;
            if (e >= K && value <= values[K - 1]) continue;
            while (slot > 0 && value > values[slot - 1]) {
                values[slot] = values[slot - 1];
                order[slot] = order[slot - 1];
                slot--;
            }
            values[slot] = value;
            order[slot] = e;
        }
        for (int k = 0; k < K; k++) {
            const int e = order[k];
            const int clicked = uniform() < means[e];
            count[e]++;
            total[e] += clicked + (scale > 0.0 ? laplace(scale) : 0.0);
            mean[e] = total[e] / count[e];
            root[e] = 1.0 / sqrt((double)count[e]);
            if (clicked) break;
        }
        double miss = 1.0;
        for (int k = 0; k < K; k++) miss *= 1.0 - means[order[k]];
        regret += best - (1.0 - miss);
    }
    clock_gettime(CLOCK_MONOTONIC, &stop);
    const double seconds = (stop.tv_sec - start.tv_sec) + 1e-9 * (stop.tv_nsec - start.tv_nsec);
    printf("%.3f %.3f\n", seconds / rounds * 1e9, regret);
    return 0;
}
