"""What the process that runs a command and its workers say to each other. All of it can be pickled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from independence.clients.catalogue import Catalogue
from independence.clients.connection import KnownServer
from independence.clients.leases import DollarReport, SlotReport
from independence.config.endpoints import Endpoint
from independence.engine.events import Event, RunPosition
from independence.engine.resume import PendingTrial
from independence.errors import CostCapReached, IndependenceError
from independence.store.writer import StoreCall
from independence.suites.schema import Suite

TokenKey = tuple[str, str, str | None]  # endpoint, model, pinned provider


class Job(NamedTuple):
    """What a worker is told once. It holds API keys: it is sent in a message and stored nowhere."""

    suite: Suite
    rubrics: Mapping[str, str]  # scenario -> digest
    endpoints: Mapping[str, tuple[Endpoint, Catalogue]]  # with this worker's part of what each model takes
    known: Mapping[str, KnownServer]  # endpoint -> what the delivery probe found
    calls: int  # at once within a subject: this worker's part
    total: int  # calls at once, over all subjects: this worker's part
    cap: float | None  # dollars of the whole command
    lease_owner: str


class Chunk(NamedTuple):
    """Trials of one subject that stay together: a dialogue and those that continue it."""

    number: int
    label: str
    todo: tuple[PendingTrial, ...]


class Written(NamedTuple):
    """What became of a write, once it is committed."""

    number: int
    result: object = None
    error: BaseException | None = None


class ToWorker(NamedTuple):
    """What is new for a worker."""

    chunks: tuple[Chunk, ...]
    written: tuple[Written, ...]
    slots: Mapping[str, tuple[int, int]]  # endpoint -> slots from now on, and the epoch of its throttle
    usd: float  # beside what it has
    short: bool  # dollars that are free go back
    refused: CostCapReached | None
    tokens: Mapping[TokenKey, int]
    stop: IndependenceError | None


class FromWorker(NamedTuple):
    """What is new at a worker."""

    writes: tuple[tuple[int, StoreCall[object]], ...]
    events: tuple[tuple[Event, RunPosition | None], ...]
    done: tuple[tuple[int, int], ...]  # number of a chunk -> its trials that another process holds
    slots: Mapping[str, SlotReport]
    dollars: DollarReport
    waiting: Mapping[TokenKey, int]  # calls in line for tokens
    emptied: Mapping[TokenKey, float]  # seconds for which a server wants no requests
    stop: IndependenceError | None
    bug: str = ""  # traceback of what went wrong in this package
