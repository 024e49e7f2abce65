/* The round of the index kernel by hand: indices, list of the K largest, feedback, noise, on B_LB(20, 4, 0.2, 0.15).
 *
 * usage: cascade ROUNDS SEED NOISE ALPHA BETA ALPHA BETA SCALE BONUS
 *        NOISE exact, laplace, gaussian    Wang et al. (2021), Algorithms 2 and 3: a report of each observed click
 *              response                    one randomised bit about the first item, the one with the fewest reports
 *              hybrid                      Algorithm 1: a hybrid counter an item, and BONUS ln t / n
 *              tree                        Chen et al. (2020), Algorithm 3, on the K largest of L: a tree over rounds an
 *                                          arm, BONUS / n, indices clipped at 1, any list where one is below 0
 * The radius is sqrt(ALPHA ln t + BETA), or the sum of two; SCALE is that of the noise, or the chance of a false bit.
 * prints seconds and the pseudo-regret. The work of the kernel, ties included.
 */
#include "random.h"

enum { L = 20, K = 4, BITS = 64 };
enum { EXACT, LAPLACE, GAUSSIAN, RESPONSE, HYBRID, TREE, NOISES };
static const char *const names[NOISES] = {"exact", "laplace", "gaussian", "response", "hybrid", "tree"};

typedef struct {
    double alpha[2], beta[2], scale, bonus;
} policy;

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

/* the noise of a tree's release after round n, the one before it after round `last` */
static inline double release(long n, long last, double scale, double *row) {
    int bit = 63 - __builtin_clzl(n ^ last), place = __builtin_popcountl(n >> bit >> 1);
    for (; bit >= 0; bit--)
        if (n >> bit & 1) {
            row[place + 1] = row[place] + laplace(scale);
            place++;
        }
    return row[place];
}

/* where a tie matters: to who is in the list and, if `ordered`, to who stands where */
static void break_ties(const double *index, const double *values, int *order, int ordered) {
    int group[L], members, slots;
    for (int start = 0; start < K; start += slots) {
        members = 0;
        for (int e = 0; e < L; e++)
            if (index[e] == values[start]) group[members++] = e;
        slots = members < K - start ? members : K - start;
        for (int slot = 0; slot < slots && members > 1 && (ordered || members > slots); slot++) {
            const int other = members - slot > 1 ? slot + (int)(uniform() * (members - slot)) : slot;
            const int chosen = group[other];
            group[other] = group[slot];
            group[slot] = chosen;
            order[start + slot] = chosen;
        }
    }
}

static inline void largest(const double *index, double *values, int *order, int ordered) {
    double runner_up = -1e300;
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
    for (int slot = 1; slot < K; slot++) tied |= ordered && values[slot] == values[slot - 1];
    if (tied) break_ties(index, values, order, ordered);
}

/* called with constants, so that the compiler makes a loop for each kind of noise */
static inline double play(long rounds, int noise, policy p) {
    static double means[L], total[L], mean[L], root[L], inverse[L], index[L], values[K], rows[L][BITS];
    static long count[L], released[L];
    static int order[K];
    const int all_seen = noise == TREE, unseen = noise == RESPONSE || noise == TREE;
    double best = 0.0, regret = 0.0;
    for (int e = 0; e < L; e++) {
        means[e] = e < K ? 0.2 : 0.05;
        best += all_seen && e < K ? means[e] : 0.0;
        count[e] = !unseen;
        mean[e] = unseen ? 1e300 : uniform() < means[e];
        root[e] = inverse[e] = !unseen;
        total[e] = unseen ? 0.0 : mean[e];
    }
    if (!all_seen) best = 1.0 - pow(1.0 - means[0], K);
    for (long t = 1; t <= rounds; t++) {
        const double log_t = log((double)t);
        double a = sqrt(p.alpha[0] * log_t + p.beta[0]), lowest = 0.0;
        if (noise == LAPLACE || noise == GAUSSIAN) a += sqrt(p.alpha[1] * log_t + p.beta[1]);
        const double b = noise == HYBRID ? p.bonus * log_t : noise == TREE ? p.bonus : 0.0;
        for (int e = 0; e < L; e++) index[e] = mean[e] + a * root[e] + (b != 0.0 ? b * inverse[e] : 0.0);
        if (noise == TREE) {
            for (int e = 0; e < L; e++) index[e] = fmin(index[e], 1.0);
            for (int e = 0; e < L; e++) lowest = fmin(lowest, index[e]);
            for (int e = 0; e < L && lowest < 0.0; e++) index[e] = 0.0;
        }
        largest(index, values, order, !all_seen);
        if (noise == RESPONSE) {
            int least = 0;
            for (int k = 1; k < K; k++)
                if (count[order[k]] < count[order[least]]) least = k;
            const int first = order[least];
            order[least] = order[0];
            order[0] = first;
        }
        for (int k = 0; k < K; k++) {
            const int e = order[k], clicked = uniform() < means[e];
            if (noise != RESPONSE || k == 0) {
                const double n = ++count[e];
                double value = clicked, added = 0.0;
                if (noise == LAPLACE) value += laplace(p.scale);
                if (noise == GAUSSIAN) value += p.scale * normal();
                if (noise == RESPONSE) {
                    const double u = uniform();
                    value = u < 2.0 * p.scale ? u >= p.scale : clicked;
                }
                total[e] += value;
                if (noise == HYBRID) added = counter(count[e] - 1, p.scale, rows[e]);
                if (noise == TREE) {
                    added = release(t, released[e], p.scale, rows[e]);
                    released[e] = t;
                }
                mean[e] = (total[e] + added) / n;
                if (noise == RESPONSE) mean[e] = (mean[e] - p.scale) / (1.0 - 2.0 * p.scale);
                root[e] = 1.0 / sqrt(n);
                if (noise == HYBRID || noise == TREE) inverse[e] = 1.0 / n;
            }
            if (clicked && !all_seen) break;
        }
        double miss = 1.0, sum = 0.0;
        for (int k = 0; k < K; k++) {
            miss *= 1.0 - means[order[k]];
            sum += means[order[k]];
        }
        regret += best - (all_seen ? sum : 1.0 - miss);
    }
    return regret;
}

int main(int argc, char **argv) {
    if (argc < 10) return 2;
    const long rounds = atol(argv[1]);
    const policy p = {{atof(argv[4]), atof(argv[6])}, {atof(argv[5]), atof(argv[7])}, atof(argv[8]), atof(argv[9])};
    int noise = 0;
    while (noise < NOISES && strcmp(argv[3], names[noise])) noise++;
    seed_with(argv[2]);
    const double began = seconds();
    double regret;
    switch (noise) {
        case EXACT: regret = play(rounds, EXACT, p); break;
        case LAPLACE: regret = play(rounds, LAPLACE, p); break;
        case GAUSSIAN: regret = play(rounds, GAUSSIAN, p); break;
        case RESPONSE: regret = play(rounds, RESPONSE, p); break;
        case HYBRID: regret = play(rounds, HYBRID, p); break;
        case TREE: regret = play(rounds, TREE, p); break;
        default: return 2;
    }
    printf("%.9f %.6f\n", seconds() - began, regret);
    return 0;
}
