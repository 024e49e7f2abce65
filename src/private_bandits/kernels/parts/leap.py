"""Index algorithms whose list stays for many rounds: it is looked for only when it may have changed.

A second loop for policies whose index is a mean of reports of 0 and 1 and a radius. It draws the same random numbers
and plays the same lists as `index._rounds`; nothing else is gained by it than time in long runs.

Between every two neighbours of the list, and between its last item and the others, a level is set. As long as each
index stays between its two levels, the list keeps its order. With n reports of sum S and q = 1 - 2 flip an index is
(S/n - flip)/q + a(t)/sqrt(n). Until round `end`, a lies between a(t) and `top` = a(t) + (end - t) a'(t), since it is
concave. So an item keeps its place after a report if

    n (q below + flip) - q a(t) sqrt(n)  <  S  <  n (q above + flip) - q top sqrt(n).

An item without a new report only rises, and `_set_levels` chooses `end` such that all of them stay below their levels.
Levels keep a distance of `SLACK` times all that is added, hundreds of times what rounding does.
"""

import math

import numpy as np

from private_bandits.compilation import compiled
from private_bandits.kernels.parts.selection import least_first, top_list
from private_bandits.kernels.protocol import lower_bound, record_round
from private_bandits.mechanisms import _raw as mechanisms
from private_bandits.problems.lists import pseudo_regret

SLACK = 1e-12


@compiled(borrows=True)
def rounds(first_only, problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise):
    """Play the rounds first..last.

    Parameters
    ----------
    first_only : bool
        Whether only the item of fewest reports, which is put first, is reported; otherwise all that are observed.
    problem, policy, state, first, last, checkpoints, regret, trace, env, choice, noise
        As in `index.advance`; reports that answer at random have policy.flip > 0.
    """
    means, cascade, best = problem.means, problem.cascade, problem.best
    terms, flip, clock = policy.terms, policy.flip, policy.clock
    pulls, total, mean, root = state.pulls, state.total, state.mean, state.root
    indices, order, values, levels = state.indices, state.order, state.values, state.levels
    below, above, lost = levels[0], levels[1], levels[2]
    t, total_regret, mark, q = first, state.regret[0], lower_bound(checkpoints, first), 1.0 - 2.0 * flip
    while t <= last:
        a, rise = _radius(terms, t + clock)
        for item in range(len(indices)):
            indices[item] = mean[item] + a * root[item]
        top_list(indices, cascade, choice, order, values)
        end, top = _set_levels(a, rise, t, last, flip, indices, root, order, below, above)
        lost[:] = np.nan  # what the list gives up with this item first, not found before it is
        inside = True
        while inside and t <= end:
            lead = least_first(pulls, order, len(order)) if first_only else 0
            position, stopped = 0, False
            while position < len(order) and not stopped:
                item, slot = order[position], lead if first_only else position
                clicked = env.random() < means[item]
                if position == 0 or not first_only:
                    pulls[item] += 1
                    n, side = pulls[item], q * math.sqrt(pulls[item])
                    total[item] += float(mechanisms.respond(noise, int(clicked), 2, flip))
                    inside &= n * below[slot] - a * side < total[item] < n * above[slot] - top * side
                stopped = clicked and cascade
                position += 1
            if math.isnan(lost[lead]):
                lost[lead] = pseudo_regret(means, cascade, best, order)
            total_regret += lost[lead]
            mark = record_round(t, order, position, total_regret, mark, checkpoints, regret, trace)
            order[0], order[lead] = order[lead], order[0]
            t += 1
        for slot in range(len(order)):
            item = order[slot]
            if pulls[item] > 0:
                mean[item] = (total[item] / pulls[item] - flip) / q
                root[item] = 1.0 / math.sqrt(pulls[item])
    state.regret[0] = total_regret


@compiled(inline="always")
def _radius(terms, clock):
    """a(t) and its derivative."""
    log_t, a, rise = math.log(clock), 0.0, 0.0
    for term in range(len(terms)):
        part = math.sqrt(terms[term, 0] * log_t + terms[term, 1])
        a += part
        rise += terms[term, 0] / (2.0 * clock * part)
    return a, rise


@compiled(borrows=True)
def _set_levels(a, rise, t, last, flip, indices, root, order, below, above):
    """Set each item's two levels, as mean reports; return the last round for which they are good, and its a.

    That is round t itself where there is a tie, or where two indices are too near.
    """
    size, q = len(order), 1.0 - 2.0 * flip
    largest, least = indices[order[0]], indices[order[size - 1]]
    others, steepest, at_least = -np.inf, 0.0, 0
    for item in range(len(indices)):
        at_least += indices[item] >= least
        if indices[item] < least:
            others, steepest = max(others, indices[item]), max(steepest, root[item])
    slack = SLACK * (1.0 / q + a + abs(largest) + abs(least))
    lasting, level = float(last - t), 0.5 * (least + others)
    if others > -np.inf:
        lasting = min(lasting, (level - others - slack) / (rise * steepest))
    if at_least > size or largest == np.inf or not lasting >= 1.0:
        return t, a
    certain, top, over = True, a + rise * int(lasting), np.inf
    for slot in range(size):
        item = order[slot]
        under = 0.5 * (indices[item] + indices[order[slot + 1]]) if slot < size - 1 else level
        certain &= under + slack < indices[item] and indices[item] + (top - a) * root[item] < over - slack
        below[slot], above[slot] = q * (under + slack) + flip, q * (over - slack) + flip
        over = under
    return (t + int(lasting), top) if certain else (t, a)
