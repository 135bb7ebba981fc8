"""A folder belongs to one project, whoever asks and however it is reached."""

import os
import subprocess

import pytest

from ultan import projects


@pytest.fixture
def git(tmp_path, monkeypatch):
    for name in ("GIT_DIR", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(tmp_path)}
    for who in ("AUTHOR", "COMMITTER"):
        environ |= {f"GIT_{who}_NAME": "n", f"GIT_{who}_EMAIL": "e@example.com"}

    def run(folder, *words):
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, env=environ)

    return run


def made(git, folder, remote=""):
    git(folder, "init", "-q")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    return str(folder)


@pytest.mark.parametrize(
    ("url", "identity"),
    [
        ("https://github.com/Owner/Name.git", "github.com/owner/name"),
        ("git@github.com:owner/name.git", "github.com/owner/name"),
        ("ssh://git@github.com:22/owner/name/", "github.com/owner/name"),
        ("https://user:secret@git.example.com/Team/App", "git.example.com/Team/App"),
        ("git://host/a//b.git", "host/a/b"),
        ("/srv/git/app.git", ""), ("../app", ""), ("file:///srv/app", ""), ("C:/repo", ""), ("", ""), ("https://", ""),
    ],
)  # fmt: skip
def test_a_remote_has_one_form(url, identity):
    assert projects.normal_remote(url) == identity


def test_names_become_slugs_one_to_one_and_the_same_every_time(tmp_path, home):
    names = ["my-app", "my_app", "My App", "app.v2", "\u65e5\u672c", "my app", "MY-APP", "a" * 200, "readme", "\u30c7\u30fc\u30bf"]
    slugs = []
    for name in names:
        place = tmp_path / "roots" / name
        place.mkdir(parents=True)
        slugs.append(projects.enrol(str(place), home, "s1").slug)
    assert len(set(slugs)) == len(names)
    assert slugs[0] == "my-app"
    for slug in slugs:
        assert slug.isascii()
        assert slug == slug.lower()
        assert len(slug) <= 63
        assert slug.replace("-", "").isalnum()
    again = [projects.identify(str(tmp_path / "roots" / name), home)[1] for name in names]
    assert again == slugs


def test_two_folders_of_one_name_are_two_projects(tmp_path, home):
    for side in ("a", "b"):
        (tmp_path / side / "app").mkdir(parents=True)
    first, second = (projects.enrol(str(tmp_path / side / "app"), home, "s") for side in ("a", "b"))
    assert first.slug == "app" != second.slug
    assert second.recall == second.slug


def test_every_way_into_a_repository_is_the_same_project(tmp_path, home, git):
    main = made(git, tmp_path / "app", "git@github.com:o/app.git")
    (tmp_path / "app" / "deep" / "er").mkdir(parents=True)
    os.symlink(main, tmp_path / "link")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    ways = [main, main + "/deep/er", str(tmp_path / "link"), str(tmp_path / "link" / "deep"), str(tmp_path / "tree"), main + "/deep/../"]
    assert {projects.identify(way, home) for way in ways} == {("github.com/o/app", "app")}
    assert {projects.enrol(way, home, f"s{n}").recall for n, way in enumerate(ways)} == {"app"}
    assert {projects.identify(way, home) for way in ways} == {("github.com/o/app", "app")}


def test_what_a_removed_worktree_learned_stays_with_its_project(tmp_path, home, git):
    main = made(git, tmp_path / "app")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    slug = projects.enrol(str(tmp_path / "tree"), home, "s").slug
    git(main, "worktree", "remove", str(tmp_path / "tree"))
    assert projects.identify(main, home)[1] == slug


def test_worktrees_stay_apart_where_that_is_chosen(tmp_path, home, git):
    main = made(git, tmp_path / "app", "git@github.com:o/app.git")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    apart = projects.enrol(str(tmp_path / "tree"), home, "s", "separate")
    assert apart.slug != projects.enrol(main, home, "s", "separate").slug
    assert apart.recall == apart.slug


def test_a_submodule_is_a_project_of_its_own(tmp_path, home, git):
    made(git, tmp_path / "lib")
    main = made(git, tmp_path / "app")
    git(main, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "lib"), "lib")
    assert projects.identify(main + "/lib", home)[1] != projects.identify(main, home)[1]


def test_a_bare_repository_and_its_worktree_are_one(tmp_path, home, git):
    made(git, tmp_path / "seed")
    git(tmp_path, "clone", "-q", "--bare", str(tmp_path / "seed"), "app.git")
    git(tmp_path / "app.git", "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "w")
    assert projects.identify(str(tmp_path / "tree"), home) == projects.identify(str(tmp_path / "app.git"), home)


def test_a_repository_made_of_the_home_folder_is_no_project_of_all_below_it(tmp_path, home, git, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    made(git, tmp_path)
    (tmp_path / "notes").mkdir()
    assert projects.identify(str(tmp_path / "notes"), home) == (f"path:{tmp_path}/notes", "notes")


def test_a_new_folder_that_claims_a_known_remote_is_told_once_and_shares_from_the_next_session(tmp_path, home, git):
    made(git, tmp_path / "app", "git@github.com:o/app.git")
    clone = made(git, tmp_path / "other", "https://github.com/o/app")
    projects.enrol(str(tmp_path / "app"), home, "s1")
    first = projects.enrol(clone, home, "s2")
    assert (first.slug, first.recall) == ("app", "")
    assert "github.com/o/app" in first.news
    again = projects.enrol(clone, home, "s2")
    assert (again.recall, again.news) == ("", "")
    after = projects.enrol(clone, home, "s3")
    assert (after.slug, after.recall, after.news) == ("app", "app", "")


def test_a_claim_can_be_refused_for_good(tmp_path, home, git):
    made(git, tmp_path / "app", "git@github.com:o/app.git")
    clone = made(git, tmp_path / "other", "https://github.com/o/app")
    projects.enrol(str(tmp_path / "app"), home, "s1")
    projects.enrol(clone, home, "s2")
    slug = projects.refuse(clone, home)
    assert slug == "other"
    assert projects.enrol(clone, home, "s3").recall == "other"
    assert projects.identify(str(tmp_path / "app"), home)[1] == "app"


@pytest.mark.parametrize("content", [b"", b"gitdir:", b"gitdir: /nowhere", b"gitdir: a\x00b\n", b"\x00\xff", b"[remote", b"x" * 5000])
def test_a_broken_git_file_makes_the_folder_its_own_project(tmp_path, home, content):
    place = tmp_path / "app"
    place.mkdir()
    (place / ".git").write_bytes(content)
    assert projects.identify(str(place), home)[1] == "app"


def test_a_git_file_that_points_into_a_repository_which_does_not_know_it_shares_nothing(tmp_path, home, git):
    main = made(git, tmp_path / "app", "git@github.com:o/app.git")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    projects.enrol(main, home, "s1")
    for number, target in enumerate((main + "/.git", main + "/.git/worktrees/tree")):
        place = tmp_path / f"forged{number}"
        place.mkdir()
        (place / ".git").write_text(f"gitdir: {target}\n")
        assert projects.enrol(str(place), home, "s2").recall == f"forged{number}"


@pytest.mark.parametrize("content", [b"", b"[", b'{"roots": 7}', b'{"roots": {"a": []}}', b"\xff"])
def test_a_broken_registry_is_read_as_empty_and_made_anew(tmp_path, home, content):
    with open(os.path.join(home, "projects.json"), "wb") as file:
        file.write(content)
    (tmp_path / "app").mkdir()
    assert projects.enrol(str(tmp_path / "app"), home, "s").slug == "app"
    assert projects.known(home)[str(tmp_path / "app")] == "app"


def test_a_linked_config_is_not_followed(tmp_path, home, git):
    place = made(git, tmp_path / "app", "git@github.com:o/app.git")
    os.rename(place + "/.git/config", tmp_path / "config")
    os.symlink(tmp_path / "config", place + "/.git/config")
    assert projects.identify(place, home)[0] == "path:" + place


def test_no_folder_is_no_project(home):
    assert projects.identify("", home) == ("", "")
    assert projects.enrol("", home, "s").slug == ""
