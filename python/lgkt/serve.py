# SPDX-License-Identifier: MIT
"""A client of `lgkt serve`, on the standard library alone.

A call that gets no answer is sent again with the same key and the same bytes, so nothing is decided
twice. Where the server stays away and there is a `fallback`, the client draws the action itself. It
writes the decision to its spool first (JSON lines, on the disk before the caller hears of it), and
tells the server when it is back.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import shutil
import ssl
import threading
import time
import urllib.parse
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from lgkt._errors import Error, error
from lgkt._extras import needed
from lgkt._spool import Spool

__all__ = ["Client", "Decision", "Refused", "Unreachable"]


def __dir__() -> list[str]:
    return __all__


Json = dict[str, Any]
_AGAIN = (429, 503)  # answers after which the same call may succeed
_FIRST_WAIT, _LONGEST_WAIT = 0.05, 2.0  # seconds between two tries, doubled each time


class Refused(Error):
    """The server said no: `http` is the status, `problem` the whole answer."""

    def __init__(self, http: int, problem: Json) -> None:
        super().__init__(str(problem.get("detail", f"the server answered {http}")))
        self.http, self.problem, self.status = http, problem, "REFUSED"


class Unreachable(Error):
    """No answer within the client's patience, and no fallback."""

    status = "SYSTEM"


@dataclass
class Decision:
    """What was decided. `number` is None while the server has not heard of it (source "client")."""

    unit: str
    key: str
    action: str
    probability: float | None
    source: str
    number: int | None = None
    propensities: Mapping[str, float] | None = None
    answer: Json = field(default_factory=dict, repr=False)


class Client:
    """One programme of a server.

    `url` is that of the server, `token` one with the role "decide" (or "admin"). `timeout` is how
    long one try may take, `patience` how long all tries of a call, in seconds. `fallback` is a law
    of the actions to draw from where the server is away; it needs a `spool`, a file of this client
    alone.

    >>> import lgkt.serve
    >>> client = lgkt.serve.Client("http://127.0.0.1:8077", "token", "berg")
    >>> client
    <lgkt.serve.Client of berg at http://127.0.0.1:8077>
    """

    def __init__(self, url: str, token: str, programme: str, *, timeout: float = 5.0,
                 patience: float = 10.0, fallback: Mapping[str, float] | None = None,
                 spool: str | os.PathLike[str] | None = None) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise error("ARGUMENT", f'"{url}" is no address of a server, as http://127.0.0.1:8077')
        self.url, self.programme = url.rstrip("/"), programme
        self._parts, self._token = parts, token
        self.timeout, self.patience = timeout, patience
        self._connection: http.client.HTTPConnection | None = None
        self._lock = threading.RLock()
        self.fallback = _law(fallback) if fallback is not None else None
        if (fallback is None) != (spool is None):
            raise error("ARGUMENT", "fallback and spool belong together: what the client draws "
                                    "itself must be on the disk before it is used")
        self._spool = Spool(spool) if spool is not None else None

    def __repr__(self) -> str:
        return f"<lgkt.serve.Client of {self.programme} at {self.url}>"

    def close(self) -> None:
        """Closes connection and spool; what is in the spool stays there."""
        with self._lock:
            self._disconnect()
            if self._spool is not None:
                self._spool.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- deciding ----

    def decide(self, unit: str, state: Mapping[str, Any] | None = None, *,
               allowed: Sequence[str] | None = None, key: str | None = None) -> Decision:
        """Decides for a unit. `key` names the occasion, as "p17/2026-11-16/am": the same key gets
        the same answer, also after a crash of the caller if it knows the key before it asks.
        Without one, only the tries of this call are the same."""
        body = _without_none({"unit": unit, "state": state,
                              "allowed": None if allowed is None else list(allowed)})
        key = key if key is not None else f"{unit}/{uuid.uuid4()}"
        with self._lock:
            waiting = self._spool.find(key) if self._spool is not None else None
            if waiting is not None:  # it was decided here, and the server does not know it yet
                return _spooled(waiting)
            # what was decided here comes first, and a server that was away gets one try
            back = self._back()
            try:
                answer = self._ask("POST", "/decisions", body, key=key,
                                   patience=None if back else 0.0)
            except Unreachable:
                if self.fallback is None or self._spool is None:
                    raise
                return self._drawn(key, body)
            return _decision(unit, key, answer)

    def decide_batch(self, occasions: Sequence[Mapping[str, Any]], *,
                     key: str) -> list[Decision]:
        """Decides for many units, {"unit", "state"?, "allowed"?} each, or for none of them."""
        with self._lock:
            answer = self._ask("POST", "/decisions:batch",
                               {"decisions": [dict(one) for one in occasions]}, key=key)
        return [_decision(str(one["unit"]), key, said)
                for one, said in zip(occasions, answer["decisions"], strict=True)]

    def taken(self, unit: str, action: str, state: Mapping[str, Any] | None = None, *, key: str,
              allowed: Sequence[str] | None = None, probability: float | None = None,
              propensities: Mapping[str, float] | None = None) -> Decision:
        """A decision that was made elsewhere, by a person or another program."""
        body = _without_none({
            "unit": unit, "state": state, "allowed": None if allowed is None else list(allowed),
            "action": action, "probability": probability, "propensities": propensities})
        with self._lock:
            return _decision(unit, key, self._ask("POST", "/decisions:taken", body, key=key))

    def _drawn(self, key: str, body: Json) -> Decision:
        assert self.fallback is not None and self._spool is not None
        allowed = body.get("allowed") or list(self.fallback)
        total = sum(self.fallback.get(action, 0.0) for action in allowed)
        if not total > 0.0:
            raise Unreachable("the server does not answer, and the fallback plays none of the "
                              "allowed actions")
        law = {action: self.fallback.get(action, 0.0) / total for action in allowed}
        action = random.SystemRandom().choices(list(law), list(law.values()))[0]
        line = {"kind": "taken", "key": key, **body, "action": action,
                "probability": law[action], "propensities": law}
        self._spool.add(line)
        return _spooled(line)

    # ---- reporting ----

    def reward(self, decision: Decision | int, reward: float) -> None:
        """The reward of a decision, whenever it is known."""
        self.report(decision, reward=reward)

    def report(self, decision: Decision | int, *, reward: float | None = None,
               next_state: Mapping[str, Any] | None = None, ended: bool | None = None,
               executed: bool | None = None) -> None:
        """What came of a decision. The same report again is none; another one is refused."""
        told = _without_none({"reward": reward, "next_state": next_state, "ended": ended,
                              "executed": executed})
        with self._lock:
            number = self._number(decision)
            if number is None:
                assert isinstance(decision, Decision) and self._spool is not None
                self._spool.add({"kind": "report", "key": decision.key, **told})
                return
            try:
                said = self.reports([{"decision": number, **told}])[0]
            except Unreachable:
                if self._spool is None:
                    raise
                self._spool.add({"kind": "report", "decision": number, **told})
                return
        if said["status"] >= 400:
            raise Refused(said["status"], said)

    def reports(self, reports: Sequence[Mapping[str, Any]]) -> list[Json]:
        """Many reports, {"decision", "reward"?, ..} each, taken or refused one by one."""
        with self._lock:
            return list(self._asked("POST", "/reports", [dict(one) for one in reports]))

    def _number(self, decision: Decision | int) -> int | None:
        if isinstance(decision, int):
            return decision
        if decision.number is None and self._spool is not None:
            decision.number = self._spool.numbers.get(decision.key)
        return decision.number

    # ---- what was decided here ----

    @property
    def waiting(self) -> int:
        """Lines of the spool that the server has not heard of."""
        return 0 if self._spool is None else len(self._spool.lines)

    def send(self) -> int:
        """Tells the server what is in the spool, and says how many lines it took; `decide` does so
        first, too. A line that the server refuses goes to the file `spool` + ".refused", with the
        reason."""
        return self._send(None)

    def _send(self, patience: float | None) -> int:
        sent = 0
        with self._lock:
            while self._spool is not None and self._spool.lines:
                line = self._spool.lines[0]
                try:
                    self._tell(self._spool, line, patience)
                except Refused as why:
                    self._spool.refuse(line, str(why))
                else:
                    sent += 1
                self._spool.drop_first()
        return sent

    def _tell(self, spool: Spool, line: Json, patience: float | None) -> None:
        body = {name: value for name, value in line.items() if name not in ("kind", "key")}
        if line["kind"] == "taken":
            answer = self._ask("POST", "/decisions:taken", body, key=line["key"],
                               patience=patience)
            spool.known(line["key"], int(answer["decision"]))
            return
        if "decision" not in body:
            raise Refused(404, {"detail": f'the decision of "{line["key"]}" was refused'})
        said = self._asked("POST", "/reports", [body], patience=patience)[0]
        if said["status"] >= 400:
            raise Refused(said["status"], said)

    def _back(self) -> bool:
        """Whether nothing waits any more; a server that is away is asked once."""
        try:
            self._send(0.0)
        except Unreachable:
            return False
        return True

    # ---- looking ----

    def explain(self, state: Mapping[str, Any] | None = None, *, unit: str | None = None,
                allowed: Sequence[str] | None = None) -> list[Json]:
        """What is known of each action in a state; changes nothing."""
        body = _without_none({"unit": unit, "state": state,
                              "allowed": None if allowed is None else list(allowed)})
        return list(self._ask("POST", "/explain", body)["actions"])

    def policy(self, states: Sequence[Mapping[str, Any]] | None = None) -> list[Json]:
        """The law of states, or of all where they are numbered."""
        if states is None:
            return list(self._ask("GET", "/policy")["policy"])
        body = {"states": [dict(one) for one in states]}
        return list(self._ask("POST", "/policy", body)["policy"])

    def show(self) -> Json:
        """Settings, mode and counts of the programme."""
        return self._ask("GET", "")

    def decision(self, number: int) -> Json:
        """A decision with its reports."""
        return self._ask("GET", f"/decisions/{int(number)}")

    def unit(self, unit: str) -> Json:
        """What happened to a unit, the newest first."""
        return self._ask("GET", f"/units/{urllib.parse.quote(unit, safe='')}")

    def monitor(self) -> Json:
        """Checks with lights: whether what is recorded is what happens."""
        return self._ask("GET", "/monitor")

    def create(self, *, key: str | None = None, **config: Any) -> Json:
        """Makes the programme; the settings are those of docs/serve.md."""
        return self._ask("POST", "", {"name": self.programme, **config},
                         key=key or f"create/{self.programme}", at="/v1/programmes")

    def change(self, *, key: str | None = None, match: str = "*", **changes: Any) -> Json:
        """Changes mode, horizon, floor or limits; `match` is the ETag it must have, * for any."""
        return self._ask("PATCH", "", changes, key=key or f"change/{uuid.uuid4()}",
                         headers={"If-Match": match})

    def erase(self, unit: str) -> Json:
        """Erases a unit: its name and all that is told of it."""
        return self._ask("DELETE", f"/units/{urllib.parse.quote(unit, safe='')}")

    def export(self, path: str | os.PathLike[str]) -> None:
        """Writes the decision log: .csv, .jsonl, or .parquet (which needs pyarrow)."""
        name = os.fspath(path)
        kind = name.rsplit(".", 1)[-1].lower()
        if kind not in ("csv", "jsonl", "parquet"):
            raise error("ARGUMENT", f'"{name}" ends with neither .csv, .jsonl nor .parquet')
        wanted = "csv" if kind == "csv" else "jsonl"
        part = f"{name}.part"
        try:
            with self._lock, self._answered("GET", f"{self._base}/export?format={wanted}", None,
                                            {}) as answer, open(part, "wb") as file:
                if answer.status >= 400:
                    raise Refused(answer.status, _parsed(answer.read()))
                shutil.copyfileobj(answer, file, 2**20)
            if kind == "parquet":
                _as_parquet(part, f"{part}.parquet")
                os.replace(f"{part}.parquet", name)
            else:
                os.replace(part, name)
        finally:
            for left in (part, f"{part}.parquet"):
                if os.path.exists(left):
                    os.unlink(left)

    # ---- HTTP ----

    @property
    def _base(self) -> str:
        return f"{self._parts.path.rstrip('/')}/v1/programmes/{self.programme}"

    def _ask(self, method: str, path: str, body: Any = None, **how: Any) -> Json:
        """The answer of `_asked`, an object."""
        answer: Json = self._asked(method, path, body, **how)
        return answer

    def _asked(self, method: str, path: str, body: Any = None, *, key: str | None = None,
               headers: Mapping[str, str] | None = None, at: str | None = None,
               patience: float | None = None) -> Any:
        """The answer, or Refused; tries again as long as there is patience."""
        lines = dict(headers or {})
        if key is not None:
            lines["Idempotency-Key"] = f'"{key}"'
        where = (self._parts.path.rstrip("/") + at if at is not None else self._base + path)
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        with self._lock:
            until, wait = time.monotonic() + (
                self.patience if patience is None else patience), _FIRST_WAIT
            while True:
                again, why = wait * random.uniform(0.5, 1.0), ""
                try:
                    with self._answered(method, where, data, lines) as answer:
                        told = answer.read()
                        if answer.status < 400:
                            return _parsed(told)
                        if answer.status not in _AGAIN:
                            raise Refused(answer.status, _parsed(told))
                        why = str(_parsed(told).get("detail", answer.status))
                        again = max(again, float(answer.headers.get("Retry-After") or 0.0))
                except (OSError, http.client.HTTPException) as trouble:
                    self._disconnect()
                    why = str(trouble) or type(trouble).__name__
                if time.monotonic() + again > until:
                    raise Unreachable(f"{self.url} does not answer: {why}")
                time.sleep(again)
                wait = min(2.0 * wait, _LONGEST_WAIT)

    @contextmanager
    def _answered(self, method: str, where: str, data: bytes | None,
                  headers: Mapping[str, str]) -> Iterator[http.client.HTTPResponse]:
        if self._connection is None:
            host, port = self._parts.hostname, self._parts.port
            assert host is not None
            self._connection = (
                http.client.HTTPSConnection(host, port, timeout=self.timeout,
                                            context=ssl.create_default_context())
                if self._parts.scheme == "https"
                else http.client.HTTPConnection(host, port, timeout=self.timeout))
        lines = {"Authorization": f"Bearer {self._token}", **headers}
        if data is not None:
            lines["Content-Type"] = "application/json"
        self._connection.request(method, where, data, lines)
        answer = self._connection.getresponse()
        try:
            yield answer
        finally:
            if not answer.isclosed():
                self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _law(fallback: Mapping[str, float]) -> dict[str, float]:
    law = {str(action): float(p) for action, p in fallback.items()}
    for action, p in law.items():
        if not 0.0 <= p <= 1.0:
            raise error("ARGUMENT", f'fallback: "{action}" has probability {p}; it must be from 0 '
                                    "to 1")
    if not abs(sum(law.values()) - 1.0) <= 1e-6:
        raise error("ARGUMENT", f"fallback: the probabilities sum to {sum(law.values()):.9g}, not "
                                "to 1")
    return law


def _without_none(items: Json) -> Json:
    return {name: value for name, value in items.items() if value is not None}


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return {"detail": "an answer that is no JSON: is this the address of lgkt serve?"}


def _decision(unit: str, key: str, answer: Json) -> Decision:
    try:
        return Decision(unit, key, answer["action"], answer.get("probability"), answer["source"],
                        int(answer["decision"]), answer.get("propensities"), answer)
    except (KeyError, TypeError, AttributeError):
        raise error("FORMAT", "an answer that is no decision: is this the address of lgkt serve?"
                    ) from None


def _spooled(line: Json) -> Decision:
    return Decision(line["unit"], line["key"], line["action"], line["probability"], "client", None,
                    line["propensities"])


def _as_parquet(lines: str, target: str) -> None:
    """JSON lines as Parquet, with what are lists and objects as text."""
    with needed("a log as Parquet", "logs"):
        import pyarrow as pa
        import pyarrow.parquet as parquet
    text, whole, real, flag = pa.string(), pa.int64(), pa.float64(), pa.bool_()
    schema = pa.schema([
        ("seq", whole), ("time", real), ("unit", text), ("decision", whole), ("state", text),
        ("allowed", text), ("action", text), ("probability", real), ("probabilities", text),
        ("source", text), ("reward", real), ("reward_time", real), ("next_state", text),
        ("cut", flag)])

    def plain(row: Json) -> Json:
        return {name: json.dumps(value) if isinstance(value, list | dict) else value
                for name, value in ((name, row.get(name)) for name in schema.names)}

    with open(lines, encoding="utf-8") as file, parquet.ParquetWriter(target, schema) as writer:
        block: list[Json] = []
        for line in file:
            block.append(plain(json.loads(line)))
            if len(block) == 2**16:
                writer.write_table(pa.Table.from_pylist(block, schema))
                block = []
        if block:
            writer.write_table(pa.Table.from_pylist(block, schema))
