/* LDP-LinUCB by hand: fresh unit vectors, one Cholesky factorisation a round, the bonus of every action, noisy messages.
 *
 * usage: linucb ROUNDS SEED SIGMA RIDGE SHIFT LEVEL TAIL    the constants of the linear kernel's record
 * prints seconds and the pseudo-regret, in dimension 20 with 20 actions, theta = (1, ..., 1) / sqrt(20).
 */
#include "random.h"

enum { D = 20, N = 20 };

static double actions[D][N], gram[D][D], factor[D][D], moment[D], theta[D], work[D][N];

/* upper triangular R with R'R = gram + shift I */
static int factorise(double shift) {
    for (int i = 0; i < D; i++) {
        for (int j = i; j < D; j++) factor[i][j] = gram[i][j] + (i == j ? shift : 0.0);
        for (int k = 0; k < i; k++)
            for (int j = i; j < D; j++) factor[i][j] -= factor[k][i] * factor[k][j];
        if (!(factor[i][i] > 0.0)) return 0;
        factor[i][i] = sqrt(factor[i][i]);
        const double scale = 1.0 / factor[i][i];
        for (int j = i + 1; j < D; j++) factor[i][j] *= scale;
    }
    return 1;
}

static void solve(void) {
    for (int i = 0; i < D; i++) {
        theta[i] = moment[i];
        for (int k = 0; k < i; k++) theta[i] -= factor[k][i] * theta[k];
        theta[i] /= factor[i][i];
    }
    for (int i = D - 1; i >= 0; i--) {
        for (int j = i + 1; j < D; j++) theta[i] -= factor[i][j] * theta[j];
        theta[i] /= factor[i][i];
    }
}

int main(int argc, char **argv) {
    if (argc < 8) return 2;
    const long rounds = atol(argv[1]);
    const double sigma = atof(argv[3]), ridge = atof(argv[4]), shift = atof(argv[5]);
    const double level = atof(argv[6]), tail = atof(argv[7]), each = 1.0 / sqrt(D);
    seed_with(argv[2]);
    const double began = seconds();
    double beta = 0.0, regret = 0.0;
    int ready = 0;
    for (long t = 1; t <= rounds; t++) {
        double means[N] = {0.0}, index[N], squares[N] = {0.0}, norms[N];
        for (int a = 0; a < N; a++) {
            double square = 0.0;
            for (int i = 0; i < D; i++) {
                actions[i][a] = normal();
                square += actions[i][a] * actions[i][a];
            }
            norms[a] = 1.0 / sqrt(square);
        }
        for (int i = 0; i < D; i++)
            for (int a = 0; a < N; a++) {
                actions[i][a] *= norms[a];
                means[a] += actions[i][a] * each;
            }
        int chosen = ready ? 0 : (int)(uniform() * N);
        if (ready) {
            for (int i = 0; i < D; i++) {
                for (int a = 0; a < N; a++) work[i][a] = actions[i][a];
                for (int k = 0; k < i; k++)
                    for (int a = 0; a < N; a++) work[i][a] -= factor[k][i] * work[k][a];
                const double scale = 1.0 / factor[i][i];
                for (int a = 0; a < N; a++) {
                    work[i][a] *= scale;
                    squares[a] += work[i][a] * work[i][a];
                }
            }
            for (int a = 0; a < N; a++) index[a] = beta * sqrt(squares[a]);
            for (int i = 0; i < D; i++)
                for (int a = 0; a < N; a++) index[a] += theta[i] * actions[i][a];
            for (int a = 1; a < N; a++)
                if (index[a] > index[chosen]) chosen = a;
        }
        double best = means[0], x[D];
        for (int a = 1; a < N; a++) best = fmax(best, means[a]);
        regret += best - means[chosen];
        const double reward = means[chosen] + 2.0 * uniform() - 1.0;
        for (int i = 0; i < D; i++) x[i] = actions[i][chosen];
        for (int i = 0; i < D; i++)
            for (int j = i; j < D; j++) gram[i][j] += x[i] * x[j] + sigma * normal();
        for (int i = 0; i < D; i++) moment[i] += reward * x[i] + sigma * normal();
        const double upsilon = shift * sqrt((double)t);
        ready = factorise(ridge + 2.0 * upsilon);
        if (ready) solve();
        beta = sqrt(level + D * log(1.0 + t / (D * (ridge + shift))));
        beta += sqrt(ridge + 3.0 * upsilon) + tail * sqrt(t / (ridge + upsilon));
    }
    printf("%.9f %.6f\n", seconds() - began, regret);
    return 0;
}
