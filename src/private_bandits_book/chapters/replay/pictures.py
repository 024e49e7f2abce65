"""What stands at the lines of the chapter's first figure: up to which epsilon two policies cannot be told apart."""

import pandas as pd

from private_bandits.estimates import difference_interval
from private_bandits_book.plots import Note
from private_bandits_book.runs import last


def level(runs: pd.DataFrame, policy: str, other: str, words: str) -> list[Note]:
    """Return a note where regret is level with another policy's, from the least epsilon on; without such, none.

    Parameters
    ----------
    runs : DataFrame
        Of `Chapter.play`, at several epsilons.
    policy : str
        At whose line the note stands, in the middle of where it is true.
    other : str
        From whose mean regret at the last round that of the policy is not told apart with 95 %.
    words : str
        What the other is called.
    """
    ends = last(runs)
    mine, theirs = (ends[ends["policy"] == name].groupby("epsilon")["regret"] for name in (policy, other))
    between = {epsilon: difference_interval(regret, theirs.get_group(epsilon)) for epsilon, regret in mine}
    apart = [epsilon for epsilon, found in between.items() if not found.low <= 0 <= found.high]
    known = [epsilon for epsilon in between if not apart or epsilon < apart[0]]
    if not known:
        return []
    until = f"to ε = {known[-1]:g} " if apart else ""
    return [Note(f"{until}level with {words}", known[len(known) // 2], policy)]
