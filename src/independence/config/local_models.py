"""The models of a server of one's own, as it tells them before a run is planned: which there are, and their weights.

Several servers may give different weights the same id. So the name of the weights, where it is told, becomes the
provider pin of a subject: `local/half+half-Q8_0@low-t0.7`. What is known under no such name stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from independence.config.subjects import LOCAL, Subject
from independence.errors import IndependenceError, UsageError

_FEW = 6  # ids that a sentence lists


class LocalModels(NamedTuple):
    """What is known of the models at `local/`."""

    address: str = ""  # as it may be printed; empty: it was not asked
    ids: tuple[str, ...] = ()  # none where it lists none
    weights: Mapping[str, str] = {}  # id -> name of its weights, where that is told and the id does not say it
    usual: str = ""  # the id that `local` alone stands for, by LOCAL_MODEL_ID
    problem: IndependenceError | None = None  # why nothing is known of them

    @property
    def only(self) -> str:
        """The id that `local` alone stands for. Raises UsageError where it may be any of several."""
        if self.usual:
            return self.usual
        chat = [name for name in self.ids if "embed" not in name.lower() and "*" not in name]
        if len(chat) == 1:
            return chat[0]
        name_one = f"name one with -m {LOCAL}/ID (`independence models --catalogue --local-url ADDRESS` lists all)"
        if self.problem is not None:
            raise self.problem
        if not chat:
            raise UsageError(f"the server at {self.address} lists no model", name_one)
        more = f" and {len(chat) - _FEW} more" if len(chat) > _FEW else ""
        listed = f"{', '.join(sorted(chat)[:_FEW])}{more}"
        raise UsageError(f"the server at {self.address} has {len(chat)} models ({listed})", name_one)

    def has(self, model: str) -> bool:
        """Whether the server lists it."""
        return model in self.ids or f"{model}:latest" in self.ids

    def of(self, model: str) -> str | None:
        """The name of the weights of a model; None where it is not known."""
        return self.weights.get(model) or self.weights.get(f"{model}:latest")

    def read(self, model: str) -> tuple[str, str | None]:
        """An id and the name of the weights, of an id behind which the name may stand, as in `half+half-Q8_0`.

        Raises UsageError where the server has other weights.
        """
        head, _, weights = model.rpartition("+")
        if self.has(model) or not self.has(head) or not weights:
            return model, None
        self.check(head, weights)
        return head, weights

    def check(self, model: str, weights: str | None) -> None:
        """Raise UsageError where the weights of a model are told and are not these."""
        told = self.of(model)
        if weights and told and told != weights:
            raise UsageError(
                f"{LOCAL}/{model}+{weights} is the model with the weights `{weights}`, and the server at "
                f"{self.address} has loaded `{told}`",
                f"start it with `{weights}`, or `run` {LOCAL}/{model}+{told} as a subject of its own",
            )

    def pinned(self, subject: Subject) -> Subject:
        """A subject with the name of its weights, unless it has a pin or is served elsewhere."""
        weights = self.of(subject.model) if subject.endpoint == LOCAL and not subject.sampling.provider else None
        if weights is None:
            return subject
        return msgspec.structs.replace(subject, sampling=msgspec.structs.replace(subject.sampling, provider=weights))
