"""pyproject.toml, environment.yml and the three lock files agree."""

import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from durable_lab.study import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
BASE, EXTRAS = PROJECT["dependencies"], PROJECT["optional-dependencies"]
LOCKS = {
    "requirements.lock": BASE,
    "requirements-lab.lock": BASE + EXTRAS["lab"],
    "requirements-dev.lock": BASE + EXTRAS["dev"],
}


def entries(name):
    """The entries of a lock file: (requirement, its hashes)."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    for line in filter(str.strip, text.splitlines()):
        head, *hashes = re.split(r"\s+--hash=", line.strip())
        yield Requirement(head), hashes


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_names_no_address(name):
    assert "://" not in (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", LOCKS)
def test_every_entry_of_a_lock_file_is_one_version_with_hashes(name):
    found = list(entries(name))
    assert found
    for requirement, hashes in found:
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
        assert requirement.url is None
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", hash) for hash in hashes), requirement


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_is_pinned_in_its_lock_file_within_its_range(name):
    pinned = {canonicalize_name(r.name): Version(str(r.specifier).removeprefix("==")) for r, _ in entries(name)}
    for text in LOCKS[name]:
        wanted = Requirement(text)
        assert canonicalize_name(wanted.name) in pinned, f"{wanted.name} is not in {name}: run `make lock`"
        assert pinned[canonicalize_name(wanted.name)] in wanted.specifier, wanted


@pytest.mark.parametrize("name", LOCKS)
def test_no_lock_file_holds_a_package_that_is_excluded(name):
    excluded = {canonicalize_name(package) for package in PYPROJECT["tool"]["uv"]["exclude-dependencies"]}
    assert excluded
    assert not excluded & {canonicalize_name(requirement.name) for requirement, _ in entries(name)}


def test_the_lock_files_agree_on_every_version():
    pinned = {}
    for name in LOCKS:
        for requirement, hashes in entries(name):
            key = canonicalize_name(requirement.name), str(requirement.marker or "")
            assert pinned.setdefault(key, (requirement.specifier, hashes)) == (requirement.specifier, hashes), name


def test_the_conda_file_asks_for_the_same_as_the_project_and_its_lab_extra():
    path = ROOT / "environment.yml"
    wanted = yaml.safe_load(path.read_text(encoding="utf-8"))["dependencies"]
    [pip] = [entry["pip"] for entry in wanted if isinstance(entry, dict)]
    conda = [entry for entry in wanted if isinstance(entry, str)]
    requirements = [Requirement(entry) for entry in pip if not entry.startswith("-")]
    ours = [Requirement(entry) for entry in BASE + EXTRAS["lab"]]
    assert sorted(map(str, requirements)) == sorted(map(str, ours))
    assert "pip" in conda
    assert f"python{PROJECT['requires-python']}" in conda
