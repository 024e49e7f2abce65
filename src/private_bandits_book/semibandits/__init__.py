"""The chapter on Chen et al. (2020), *(Locally) Differentially Private Combinatorial Semi-Bandits*."""

from private_bandits_book.semibandits.experiments import check_parameters
from private_bandits_book.semibandits.studies import long_studies

__all__ = ["check_parameters", "long_studies"]
