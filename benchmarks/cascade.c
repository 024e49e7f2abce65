/* The cascade round by hand: index, list of the K largest, click, one Laplace draw per observed position.
 *
 * usage: cascade ROUNDS SEED laplace SCALE         Wang et al. (2021), Algorithm 2; SCALE 0 draws nothing
 *        cascade ROUNDS SEED hybrid SCALE BONUS    Algorithm 1; SCALE is 1/epsilon of a counter, the bonus BONUS ln t / n
 * prints nanoseconds per round and the pseudo-regret, on B_LB(20, 4, 0.2, 0.15).
 *
 * The work of the index kernel, ties included: those that matter are broken uniformly at random.
 */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { L = 20, K = 4, BITS = 64 };

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

/* the noise of a hybrid counter after item n: place d of a row holds the noise of the d highest nodes in use */
static inline double counter(long n, double scale, double *row) {
    const int place = __builtin_popcountl(n);
    int above = place - 1;
    double node = 2.0 * (row[0] - 1.0) * scale;
    if (place == 1) {
        row[0] += 1.0;
        above = 1;
        node = 2.0 * scale;
    }
    return row[place] = row[above] + laplace(node);
}

static void break_ties(const double *index, const double *values, int *order) {
    int group[L], members, slots;
    for (int start = 0; start < K; start += slots) {
        members = 0;
        for (int e = 0; e < L; e++)
            if (index[e] == values[start]) group[members++] = e;
        slots = members < K - start ? members : K - start;
        for (int slot = 0; slot < slots; slot++) {
            const int other = members - slot > 1 ? slot + (int)(uniform() * (members - slot)) : slot;
            const int chosen = group[other];
            group[other] = group[slot];
            group[slot] = chosen;
            order[start + slot] = chosen;
        }
    }
}

static inline void largest(const double *index, double *values, int *order) {
    double runner_up = -1.0;
    for (int e = 0; e < L; e++) {
        const double value = index[e];
        int slot = e < K ? e : K - 1;
        if (e >= K) {
            if (value <= values[K - 1]) {
                runner_up = fmax(runner_up, value);
                continue;
            }
            runner_up = fmax(runner_up, values[K - 1]);
        }
        while (slot > 0 && value > values[slot - 1]) {
            values[slot] = values[slot - 1];
            order[slot] = order[slot - 1];
            slot--;
        }
        values[slot] = value;
        order[slot] = e;
    }
    int tied = runner_up == values[K - 1];
    for (int slot = 1; slot < K; slot++) tied |= values[slot] == values[slot - 1];
    if (tied) break_ties(index, values, order);
}

/* called with constants for `hybrid`, so that the compiler makes a loop for each */
static inline double play(long rounds, int hybrid, double scale, double bonus) {
    static double means[L], total[L], mean[L], root[L], inverse[L], index[L], values[K], rows[L][BITS];
    static long count[L];
    static int order[K];
    for (int e = 0; e < L; e++) {
        means[e] = e < K ? 0.2 : 0.05;
        count[e] = 1;
        total[e] = mean[e] = uniform() < means[e] ? 1.0 : 0.0;
        root[e] = inverse[e] = 1.0;
    }
    const double best = 1.0 - pow(1.0 - 0.2, K);
    double regret = 0.0;
    for (long t = 1; t <= rounds; t++) {
        const double log_t = log((double)t);
        const double a = sqrt(1.5 * log_t) + (hybrid ? 0.0 : sqrt(24.0 * scale * scale * log_t));
        const double b = bonus * log_t;
        for (int e = 0; e < L; e++) index[e] = mean[e] + a * root[e] + (hybrid ? b * inverse[e] : 0.0);
        largest(index, values, order);
        for (int k = 0; k < K; k++) {
            const int e = order[k];
            const int clicked = uniform() < means[e];
            const double n = ++count[e];
            total[e] += clicked + (!hybrid && scale > 0.0 ? laplace(scale) : 0.0);
            mean[e] = (total[e] + (hybrid ? counter(count[e] - 1, scale, rows[e]) : 0.0)) / n;
            root[e] = 1.0 / sqrt(n);
            if (hybrid) inverse[e] = 1.0 / n;
            if (clicked) break;
        }
        double miss = 1.0;
        for (int k = 0; k < K; k++) miss *= 1.0 - means[order[k]];
        regret += best - (1.0 - miss);
    }
    return regret;
}

int main(int argc, char **argv) {
    if (argc < 5 || (argc < 6 && strcmp(argv[3], "hybrid") == 0)) return 2;
    const long rounds = atol(argv[1]);
    const double scale = atof(argv[4]);
    state = (__uint128_t)strtoull(argv[2], NULL, 10) * 0x9E3779B97F4A7C15ULL + 1;
    for (int i = 0; i < 16; i++) next();

    struct timespec start, stop;
    clock_gettime(CLOCK_MONOTONIC, &start);
    const double regret = argc > 5 ? play(rounds, 1, scale, atof(argv[5])) : play(rounds, 0, scale, 0.0);
    clock_gettime(CLOCK_MONOTONIC, &stop);
    const double seconds = (stop.tv_sec - start.tv_sec) + 1e-9 * (stop.tv_nsec - start.tv_nsec);
    printf("%.3f %.6f\n", seconds / rounds * 1e9, regret);
    return 0;
}
