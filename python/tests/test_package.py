# SPDX-License-Identifier: MIT
"""The package as a whole: version, contents, what it imports, its texts and their examples."""

from __future__ import annotations

import doctest
import importlib
import importlib.metadata
import importlib.resources
import inspect
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from command import COMMAND, ROOT, needs_command

import lgkt
from lgkt import _core, _extras

MODULES = [
    importlib.import_module(name)
    for name in ["lgkt", *(found.name for found in pkgutil.walk_packages(lgkt.__path__, "lgkt."))]
]


# ---- version ----


def test_version_is_that_of_the_header() -> None:
    header = (ROOT / "include/lgkt/base.h").read_text(encoding="utf-8")
    found = re.search(r'define LGKT_VERSION_STRING\s+"([^"]+)"', header)
    assert found and lgkt.__version__ == found[1]


def test_version_is_that_of_the_installed_package() -> None:
    try:
        installed = importlib.metadata.version("lgkt")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("not installed, but run from the tree")
    assert installed == lgkt.__version__


@needs_command
def test_version_is_that_of_the_command() -> None:
    said = subprocess.run([COMMAND, "--version"], check=True, capture_output=True, text=True)
    assert said.stdout.split() == ["lgkt", lgkt.__version__]


# ---- contents ----


def wheel_names(path: Path) -> set[str]:
    """The files of a wheel; those about it without the version in the name of their folder."""
    with zipfile.ZipFile(path) as wheel:
        return {re.sub(r"^lgkt-[^/]*\.dist-info/", "info/", name) for name in wheel.namelist()}


def expected_names() -> set[str]:
    package = ROOT / "python/lgkt"
    own = [p for p in package.rglob("*") if p.suffix in (".py", ".pyi") or p.name == "py.typed"]
    data = (".json", ".html", ".md", ".css")
    own += [p for p in package.rglob("*") if p.suffix in data]
    names = {f"lgkt/{path.relative_to(package).as_posix()}" for path in own}
    names |= {f"lgkt/experiments/{path.name}" for path in (ROOT / "experiments").glob("*.json")}
    about = {f"info/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE",
                                         "licenses/THIRD-PARTY.txt",
                                         "entry_points.txt")}
    jansson = subprocess.run(["pkg-config", "--exists", "jansson"]).returncode == 0
    return names | about | {"lgkt/_core.abi3.so", *["lgkt/bin/lgkt"] * jansson}


def test_wheel_has_the_package_and_nothing_else() -> None:
    path = os.environ.get("LGKT_WHEEL")
    if path is None:
        pytest.skip("LGKT_WHEEL does not name the wheel")
    assert re.search(r"-cp311-abi3-(linux|manylinux|macosx)\w+\.whl$", path)
    assert wheel_names(Path(path)) == expected_names()
    assert Path(path).stat().st_size < 2_000_000


def can_unshare() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode == 0


@pytest.mark.slow
def test_source_distribution_builds_without_git_and_network(tmp_path: Path) -> None:
    pytest.importorskip("scikit_build_core.build")
    make = f"from scikit_build_core.build import build_sdist; build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", make], cwd=ROOT, check=True)
    archive = next(tmp_path.glob("*.tar.gz"))
    assert archive.stat().st_size < 2_000_000
    with tarfile.open(archive) as files:
        names = files.getnames()
        files.extractall(tmp_path)
    top = {name.split("/")[1] for name in names if "/" in name}
    wanted = "CMakeLists.txt LICENSE PKG-INFO README.md cli cmake experiments include"
    assert top == {*wanted.split(), "THIRD-PARTY.txt", "pyproject.toml", "python", "src"}
    assert not [name for name in names if name.endswith((".so", ".pyc")) or "/tests" in name]

    # without optimisation, since it is about the files and not about speed
    alone = ["unshare", "-n"] if can_unshare() else []
    source = str(archive).removesuffix(".tar.gz")
    options = "--quiet --no-index --no-build-isolation --no-deps -C cmake.build-type=Debug".split()
    pip = [*alone, sys.executable, "-m", "pip", "wheel", *options, "-w", str(tmp_path), source]
    subprocess.run(pip, check=True, cwd=tmp_path, env={**os.environ, "CFLAGS": "-O0"})
    assert wheel_names(next(tmp_path.glob("*.whl"))) == expected_names()


def test_the_command_of_the_wheel_needs_no_jansson(tmp_path: Path) -> None:
    if "LGKT_WHEEL" not in os.environ or shutil.which("ldd") is None:
        pytest.skip("no wheel, or no ldd")
    with zipfile.ZipFile(os.environ["LGKT_WHEEL"]) as wheel:
        if "lgkt/bin/lgkt" not in wheel.namelist():
            pytest.skip("the wheel was built without jansson")
        program = wheel.extract("lgkt/bin/lgkt", tmp_path)
    said = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    needs = {line.split()[0].partition(".")[0] for line in said.splitlines()}
    assert needs <= {"linux-vdso", "libm", "libc", "libpthread", "/lib64/ld-linux-x86-64",
                     "/lib/ld-linux-aarch64"}
    # nor is there a path of the machine that built it
    assert str(ROOT).encode() not in Path(program).read_bytes()


def test_types_come_along() -> None:
    files = importlib.resources.files("lgkt")
    assert (files / "py.typed").is_file()
    assert (files / "_core.pyi").is_file()


def test_import_needs_numpy_only() -> None:
    others = ["gymnasium", "jinja2", "matplotlib", "pandas", "scipy", "tqdm", "typing_extensions"]
    show = f"import sys, lgkt; print([name for name in {others} if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", show], check=True, capture_output=True, text=True)
    assert said.stdout.strip() == "[]"


# ---- names ----


def test_completion_shows_public_names_only() -> None:
    """What `dir` of a public module shows is what it offers."""
    shown = {name: getattr(lgkt, name) for name in dir(lgkt)}
    modules = {name: thing for name, thing in shown.items() if inspect.ismodule(thing)}
    assert set(modules) == {"experiment", "files", "gym", "log", "plan", "report", "serve", "stats"}
    assert sorted([*lgkt.__all__, "Log", "gym", "log", "report", "serve"]) == dir(lgkt)
    for name, module in modules.items():
        assert dir(module) == sorted(module.__all__), name
    for name, thing in shown.items():
        if inspect.isclass(thing):
            home = thing.__module__.split(".")[0]
            assert home == "lgkt", name
            stray = [part for part in vars(thing) if not part.startswith("_")
                     and inspect.ismodule(vars(thing)[part])]
            assert stray == []
    with pytest.raises(AttributeError, match="module 'lgkt' has no attribute 'gmy'"):
        lgkt.gmy  # type: ignore[attr-defined]  # noqa: B018


def test_extras_are_those_of_the_project() -> None:
    """The modules that an extra brings, by the names of their projects."""
    tomllib = importlib.import_module("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: sorted(re.split("[>=]", one)[0] for one in packages)
              for name, packages in project["optional-dependencies"].items()}
    everything = extras.pop("all")
    assert extras == {name: sorted(modules) for name, modules in _extras.EXTRAS.items()}
    assert everything == sorted({one for packages in extras.values() for one in packages})


# ---- texts ----


def public_members(thing: object) -> list[tuple[str, object]]:
    """What a class of ours, or a module, defines for others, by name."""

    def ours(member: object) -> bool:
        # functions of the extension have no module
        home = getattr(member, "__module__", None) or "lgkt"
        return not isinstance(thing, ModuleType) or home.split(".")[0] == "lgkt"

    def callable_or_attribute(member: object) -> bool:
        return (inspect.isroutine(member) or inspect.isclass(member)
                or inspect.isdatadescriptor(member)
                or isinstance(member, (classmethod, staticmethod)))

    return [(name, member) for name, member in vars(thing).items()
            if not name.startswith("_") and callable_or_attribute(member) and ours(member)]


def with_members(module: ModuleType) -> Iterator[tuple[str, object]]:
    """A module, what it offers, and what the classes of that offer."""
    yield module.__name__, module
    for name, member in public_members(module):
        yield f"{module.__name__}.{name}", member
        if inspect.isclass(member):
            for part, inner in public_members(member):
                yield f"{module.__name__}.{name}.{part}", inner


def test_every_public_name_has_a_text() -> None:
    # of lgkt.log what it offers itself is public, the modules in it are not
    public = [m for m in MODULES if m is _core or not m.__name__.split(".")[-1].startswith("_")
              and not m.__name__.startswith("lgkt.log.")]
    bare = [name for module in public for name, thing in with_members(module) if not thing.__doc__]
    assert bare == []


def test_every_name_of_all_exists() -> None:
    for module in MODULES:
        missing = [name for name in getattr(module, "__all__", []) if not hasattr(module, name)]
        assert missing == [], module.__name__


# ---- examples in the texts ----


def examples() -> list[doctest.DocTest]:
    """Those of all modules, and those of the extension, which doctest does not find by itself."""
    finder, parser = doctest.DocTestFinder(), doctest.DocTestParser()
    found = [test for module in MODULES if module is not _core for test in finder.find(module)]
    texts = {test.docstring for test in found}
    for name, thing in with_members(_core):
        if (thing.__doc__ or "") not in texts:
            found.append(parser.get_doctest(thing.__doc__ or "", {"lgkt": lgkt}, name, None, None))
    return [test for test in found if test.examples]


@pytest.mark.robust
@pytest.mark.parametrize("test", examples(), ids=lambda test: test.name)
def test_example(test: doctest.DocTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    failed = runner.run(test, out=said.append).failed
    assert failed == 0, "".join(said)
