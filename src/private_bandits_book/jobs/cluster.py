"""A Dask cluster that plays the runs: any number of its workers gives the bits of one process."""

import atexit
import functools
import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from private_bandits_book.parameters import UsageError

OUTPUT_VARIABLE = "PRIVATE_BANDITS_OUTPUT"
STRICT_VARIABLE = "PRIVATE_BANDITS_STRICT"  # set where a notebook is made to be committed
SCHEDULER_VARIABLE = "PRIVATE_BANDITS_SCHEDULER"
_PATIENCE = 10  # seconds that a scheduler has for its answer


class ClusterLost(RuntimeError):
    """The scheduler went away in the middle; the message is one line."""


@contextmanager
def cluster(address: str) -> Iterator[None]:
    """Let a cluster play what `simulate` plays, here and in the kernels that are started here.

    Parameters
    ----------
    address : str
        Of the scheduler, `tcp://host:port`; "" for none, which changes nothing.

    Raises
    ------
    UsageError
        If Dask is not installed, nobody answers, or a worker would play other code.
    ClusterLost
        If the block fails and the scheduler is gone.
    """
    if not address:
        yield
        return
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise UsageError(f"--scheduler needs the extra `private-bandits[dask]`, got {address!r} without it") from None
    import joblib

    logging.getLogger("distributed.client").disabled = True  # a lost scheduler is told below, in one line
    with ExitStack() as held:
        held.enter_context(dask.config.set(scheduler=None))  # which a client that fails leaves changed
        try:
            client = held.enter_context(Client(address, timeout=_PATIENCE))
        except (OSError, ValueError, TypeError):
            raise UsageError(f"--scheduler must be where a Dask scheduler listens, got {address!r}") from None
        held.enter_context(joblib.parallel_config(backend="dask"))
        os.environ[SCHEDULER_VARIABLE] = address
        try:
            for worker, theirs in client.run(code, on_error="return").items():
                if theirs != code():
                    raise UsageError(f"the worker {worker} must have {code()}, got {theirs!r}")
            yield
        except Exception:
            if client.status == "running":
                raise
            raise ClusterLost(f"the scheduler at {address} was lost") from None
        finally:
            os.environ.pop(SCHEDULER_VARIABLE, None)


def code() -> str:
    """Return what must be the same wherever runs are played: the versions, and the sources of compiled loops."""
    from private_bandits.compilation import sources
    from private_bandits.simulation import versions

    return f"{versions()}, {sources()}"


@functools.cache
def join() -> None:
    """Let the cluster that the environment names play the runs of this process, until it ends."""
    held = ExitStack()
    held.enter_context(cluster(os.environ.get(SCHEDULER_VARIABLE, "")))
    atexit.register(held.close)
