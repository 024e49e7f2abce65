"""What a learner faces: the means, the feedback of a round, the best list and the gaps."""

from private_bandits.problems.contexts import LinearContext
from private_bandits.problems.convex import ConvexLoss
from private_bandits.problems.lists import Arms, Cascade
from private_bandits.problems.own import Problem
from private_bandits.problems.semibandits import SemiBandit, SetBandit

__all__ = ["Arms", "Cascade", "ConvexLoss", "LinearContext", "Problem", "SemiBandit", "SetBandit"]
