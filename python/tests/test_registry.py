# SPDX-License-Identifier: MIT
"""The registries: the library's tables as Python sees them."""

from __future__ import annotations

import html.parser
import pickle
from typing import Any

import pytest

import lgkt
from lgkt import _core


@pytest.mark.parametrize(("kind", "registry"), [("learner", lgkt.learners()), ("env", lgkt.envs())])
def test_entries_are_those_of_the_library(kind: str, registry: lgkt.registry.Registry) -> None:
    rows = _core.entries(kind)
    assert len(rows) == len(registry) == len(set(registry.names)) > 15
    for row, entry in zip(rows, registry):
        assert (entry.name, entry.summary, entry.source, entry.memory) == row[:4]
        assert [param.name for param in entry.params] == [param[0] for param in row[4]]
        assert (entry.data, entry.inner, entry.inner_after, entry.traits) == row[5:]
        assert entry.traits == (lgkt.traits(entry.name) if kind == "learner" else ())
        assert registry[entry.name] is entry and entry in registry
        assert registry.__contains__(entry.name)
        for param in entry.params:
            assert entry[param.name] is param and param.help
            number = param.type in ("integer", "real")
            assert (param.min is not None) == (param.max is not None) == number
            assert (param.type == "choice") == bool(param.choices)


def test_traits() -> None:
    everything = ("law", "fed", "shared", "masked", "grown", "states")
    assert lgkt.traits("auto") == lgkt.learners()["lg2t"].traits == everything
    assert lgkt.traits("linucb") == (*everything[:-1], "records")
    assert lgkt.traits("window:of=psrl") == everything[1:]
    assert "fed" not in lgkt.traits("anytime:of=q-learning")
    for spec, words in [("aut", "auto"), ("auto:zz=1", "zz"), ("window:of=sarsa", "sarsa")]:
        with pytest.raises(lgkt.InputError, match=words):
            lgkt.traits(spec)


def test_known_rows() -> None:
    window = lgkt.envs()["trading"]["window"]
    assert (window.type, window.default, window.min, window.max) == ("integer", "10", 1, 2**24)
    profile = lgkt.learners()["lg2t"]["profile"]
    assert (profile.default, profile.choices) == ("released", ("paper", "practical", "released"))
    assert profile.range == "paper, practical, released"
    assert lgkt.learners()["lg2t"]["width"].range == ">= 0"
    assert lgkt.learners()["lg2t"]["width"].default_text == "(by profile: 3, 1, 1)"
    assert lgkt.envs()["model"].data == "model" and lgkt.envs()["trading"].data == "series"
    assert lgkt.envs()["changing"].inner_after == "after"
    assert lgkt.envs()["scaled"].inner == "of" and lgkt.envs()["riverswim"].inner is None


def test_every_default_is_accepted() -> None:
    """What the table shows can be typed."""
    for entry in lgkt.learners():
        typed = [f"{p.name}={p.default}" for p in entry.params
                 if p.default and p.default[0] != "@" and not set(p.default) & set(",()")]
        model = lgkt.Model([[[1.0]]], [[0.5]])
        spec = f"{entry.name}:{','.join(typed)}" if typed else entry.name
        if "states" in entry.traits:
            lgkt.Learner(spec, 1, 1, 10, model=model)
        else:
            lgkt.Learner(spec, features=1, actions=1, horizon=10)


def test_unknown_names_get_a_suggestion() -> None:
    tables: list[tuple[Any, str, str]] = [
        (lgkt.learners(), "aut", 'unknown learner "aut"; did you mean "auto"?'),
        (lgkt.envs(), "rivrswim", 'unknown environment "rivrswim"; did you mean "riverswim"?'),
        (lgkt.learners()["lg2t"], "treshold",
         'unknown parameter of lg2t "treshold"; did you mean "threshold"?'),
        (lgkt.envs(), "?", 'unknown environment "?"; known: synthetic, '),
    ]
    for table, name, text in tables:
        with pytest.raises(lgkt.InputError) as caught:
            table[name]
        assert str(caught.value).startswith(text) and caught.value.status == "UNKNOWN_NAME"


def test_sequence() -> None:
    registry = lgkt.learners()
    assert registry[0].name == "auto" and registry[-1] is registry[len(registry) - 1]
    assert registry[:2].names == registry.names[:2]
    assert not registry.__contains__("nothing") and not registry.__contains__(7)
    with pytest.raises(IndexError):
        registry[1000]
    assert pickle.loads(pickle.dumps(registry[0])) == registry[0]


class Balanced(html.parser.HTMLParser):
    """Checks that tags close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_printing() -> None:
    lines = repr(lgkt.learners()).splitlines()
    assert len(lines) == len(lgkt.learners())
    assert lines[0].startswith("auto  ") and all(entry.summary in line for entry, line
                                                 in zip(lgkt.learners(), lines))
    for registry in lgkt.learners(), lgkt.envs():
        for entry in registry:
            table = repr(entry)
            assert table.startswith(f"{entry.name}: ") and len(table.splitlines()) >= 2
            # no word is lost by wrapping
            for param in entry.params:
                assert all(word in table for word in param.help.split("-")[0].split())
            page = Balanced()
            page.feed(entry._repr_html_())
            assert not page.open and all(param.help in page.text for param in entry.params)
        page = Balanced()
        page.feed(registry._repr_html_())
        assert not page.open and registry[0].summary in page.text


# ---- specs ----


def test_specs() -> None:
    spec = "lg1t-rl:rl=(ucrl2:delta=0.1),k=2"
    assert _core.spec_name(spec) == "lg1t-rl"
    assert _core.spec_value(spec, "rl") == "ucrl2:delta=0.1"
    assert _core.spec_value(spec, "k") == "2" and _core.spec_value(spec, "delta") is None
    for bad in "", "a:", "a:b", "a:b=(c", "x" * 5000:
        with pytest.raises(lgkt.InputError):
            _core.spec_value(bad, "b")
    for wrong in (None,), (1,), ():
        with pytest.raises(TypeError):
            _core.spec_name(*wrong)
    with pytest.raises(ValueError, match="null"):
        _core.spec_name("a\0b")


def test_small_functions() -> None:
    assert _core.suggest("ab", ()) == "there are none"
    for wrong in ("a", ["a"]), ("a", (1,)), (1, ("a",)), ("a", ("\ud800",)):
        with pytest.raises((TypeError, UnicodeEncodeError)):
            _core.suggest(*wrong)
    for kind in "learners", "", None, 1:
        with pytest.raises((lgkt.InputError, TypeError)):
            _core.entries(kind)  # type: ignore[arg-type]
