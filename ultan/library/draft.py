"""Draft: a working copy of the library in which actions are tried, one after the other (pure).

Every action either does all of its part or raises ``Declined`` with the reason; what it had
begun is then taken back. Nothing here touches a disk.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import takewhile
from typing import Any, assert_never

from ultan.errors import InvalidEntry, LibraryError, NoSuchEntry
from ultan.events import Piece
from ultan.library import actions as act
from ultan.library import condense
from ultan.library import grounds as ground
from ultan.library.body import composed, revised, wikilinks, with_related
from ultan.library.condense import Condensed
from ultan.library.entry import ARCHIVE, Entry, parse, scope_of
from ultan.library.grounds import CONFIRMED, PERSONAL, Grounds
from ultan.library.rendering import edited, render
from ultan.library.snapshot import Library, folders_of, key
from ultan.library.store import Tombstone, digest
from ultan.library.upkeep import relinked
from ultan.library.yamlfront import front

RULE_KINDS = ("convention", "preference", "warn", "abstraction", "decision", "event")
LEAF_KINDS = ("convention", "preference", "warn", "decision")
PARENT_STRENGTH = 0.74  # at most: a parent is never beyond fading by birth
DEEPEST = 6
LONGEST_PATH = 200
RESERVED = {"readme", "index", "log", "con", "nul", "aux", "prn", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))}
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


class Declined(LibraryError):
    """An action that is not carried out, with the reason."""


class Held(LibraryError):
    """An action that only a person may decide, with the reason."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks, when, and on what grounds; the same for all actions of one call."""

    by: str
    today: str
    session: str = ""
    sources: Mapping[str, Piece] | None = None
    confirmed: bool = False

    @property
    def is_person(self) -> bool:
        """Whether a person speaks, at the terminal or through an import."""
        return self.by in ("person", "import")

    @property
    def decides(self) -> bool:
        """Whether a person decides: speaks, or approves what somebody else proposed."""
        return self.is_person or self.confirmed


@dataclass(slots=True)
class Draft:
    """The library as it would be.

    Attributes:
        entries, archived: id → entry, as they would be.
        dirty: path → new text, or ``None`` where the file goes.
        events: names of the uses that were counted.
        tombstones, adopted: for the operation.
        notes: what the person should know.
    """

    library: Library
    asked: Asked
    entries: dict[str, Entry]
    archived: dict[str, Entry]
    dirty: dict[str, str | None] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    tombstones: list[Tombstone] = field(default_factory=list)
    adopted: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _lying: frozenset[str] | None = None
    _folders: dict[str, str] | None = None
    _rules: dict[str, tuple[Entry, str]] = field(default_factory=dict)
    _stems: dict[str, tuple[Entry, frozenset[str]]] = field(default_factory=dict)

    def attempt(self, action: act.Action) -> tuple[str, str, str]:
        """What was done: verb, entry id, note.

        Raises:
            Declined, Held: nothing was done, with the reason.
        """
        before = (
            dict(self.entries), dict(self.archived), dict(self.dirty), list(self.events), list(self.tombstones),
            dict(self.adopted), list(self.notes),
        )  # fmt: skip
        try:
            return self._apply(action)
        except (InvalidEntry, NoSuchEntry) as error:
            self._restore(before)
            raise Declined(str(error)) from None
        except (Declined, Held):
            self._restore(before)
            raise

    def _restore(self, before: tuple[Any, ...]) -> None:
        self.entries, self.archived, self.dirty, self.events, self.tombstones, self.adopted, self.notes = before

    def _apply(self, action: act.Action) -> tuple[str, str, str]:  # noqa: C901, PLR0911, PLR0912 -- one case a verb
        match action:
            case act.Create():
                return self._create(action)
            case act.Update():
                return self._update(action)
            case act.Reinforce():
                return self._reinforce(self._live(action.entry), self._grounds(action.evidence))
            case act.MarkHelpful():
                return self._mark_helpful(action)
            case act.Deprecate():
                return self._deprecate(action)
            case act.Merge():
                return self._merge(action)
            case act.Move():
                entry = self._live(action.entry)
                return "move", self._move(entry, action.folder), f"from {entry.id}"
            case act.SplitFolder():
                return self._split(action)
            case act.AddWikilink():
                return self._add_wikilink(action)
            case act.Abstract():
                return self._abstract(action)
            case act.Revive():
                return self._revive(action)
            case act.Nudge():
                return self._nudge(action)
            case act.Archive():
                return self._archive_on_request(action)
            case act.Pin():
                self._needs_person("pins")
                return self._field(action.entry, "pin" if action.pinned else "unpin", pinned=action.pinned)
            case act.Confirm():
                return self._confirm(action)
            case act.Affirm():
                return self._affirm(action)
            case act.Condense():
                return self._condense(action)
            case act.Contradict():
                return self._contradict(action)
            case act.Rewrite():
                return self._rewrite(action)
            case act.Adopt():
                return self._adopt(action)
            case act.Bump():
                return self._bump(action)
            case _ as never:
                assert_never(never)

    # --- new entries --------------------------------------------------------------------------------

    def _create(self, action: act.Create) -> tuple[str, str, str]:
        found = self._grounds(action.evidence)
        folder = self._folder(action.folder)
        scope = scope_of(f"{folder}/x")
        self._may_say(action.kind, scope, found)
        superseded = [self._target(each) for each in action.supersedes]
        for old in superseded:
            self._outranks(found, old, "replace")
            self._may_take_away(old, action.evidence)
        again = self._same_rule(action.rule, scope, {old.id for old in superseded})
        if again is not None:
            return self._instead(self._again(again, found), superseded, found)
        self._may_learn(action.rule, scope, found)
        self._supported(f"{action.title} {action.rule}", action.evidence)
        triggers, notes = self._triggers(action.triggers, found)
        strength = ground.encoding_strength(
            "contradicts" if superseded else action.salience, kind=action.kind, words=found.words,
            likeness=self._likeness(action.rule, scope),
        )  # fmt: skip
        entry = Entry(
            id=self._free_id(folder, action.slug or action.title), title=_one_line(action.title), kind=action.kind,
            scope=scope, created=self.asked.today, updated=self.asked.today, tags=action.tags,
            applies_when=action.applies_when, files=action.files, triggers=triggers, trust=found.name,
            evidence=found.evidence, encoding_strength=strength.value,
            pinned=action.pinned and found.trust >= CONFIRMED, supersedes=tuple(old.id for old in superseded),
            expires=self._expiry(action.expires, found), alternatives=action.alternatives, subject=action.subject,
            source=_source(found), when=action.when, participants=action.participants, location=action.location,
            body=composed(action.rule, action.why, action.how, self._related(action.related)),
        )  # fmt: skip
        self._linked(entry.body)
        self._put(entry)
        for old in superseded:
            self._supersede(old, entry.id, found)
        instead = [f"in place of {old.id}" for old in superseded]
        return "create", entry.id, "; ".join([f"strength {strength.explained()}", *instead, *notes])

    def _instead(self, done: tuple[str, str, str], superseded: Sequence[Entry], found: Grounds) -> tuple[str, str, str]:
        """What was done, after the known entry that it was done to took the place of those it contradicts."""
        entry = self.entries[done[1]]
        if superseded:
            names = tuple(dict.fromkeys((*entry.supersedes, *(old.id for old in superseded))))
            self._edit(entry, {"supersedes": names})
        for old in superseded:
            self._supersede(old, entry.id, found)
        return done

    def _again(self, entry: Entry, found: Grounds) -> tuple[str, str, str]:
        """A rule that is known already: heard once more, or brought back."""
        if entry.shelved:
            self._outranks(found, entry, "bring back")
            return "revive", self._unshelve(entry, found), "the same rule was in the archive"
        verb, id_, note = self._reinforce(entry, found)
        return verb, id_, f"known already; {note}"

    def _same_rule(self, rule: str, scope: str, besides: set[str]) -> Entry | None:
        wanted = ground.rule_key(rule)
        foreign = set(self.library.foreign)
        for pool in (self.entries, self.archived):
            for entry in pool.values():
                if (
                    entry.scope in (scope, "global")
                    and (entry.status == "active" or (entry.shelved and entry.status == "stale"))
                    and not entry.superseded_by
                    and entry.id not in besides
                    and entry.path not in foreign
                    and self._rule_key(entry) == wanted
                ):
                    return entry
        return None

    def _likeness(self, rule: str, scope: str) -> float | None:
        """How like the nearest entry that holds where *scope* is a new *rule* is."""
        foreign = set(self.library.foreign)
        known = (
            entry for entry in self.entries.values()
            if entry.scope in (scope, "global") and entry.status == "active" and not entry.superseded_by
            and entry.path not in foreign
        )  # fmt: skip
        return ground.likeness(ground.stems(rule), (self._stems_of(entry) for entry in known))

    def _stems_of(self, entry: Entry) -> frozenset[str]:
        known = self._stems.get(entry.path)
        if known is None or known[0] is not entry:
            known = self._stems[entry.path] = (entry, ground.stems(entry.rule))
        return known[1]

    def _rule_key(self, entry: Entry) -> str:
        known = self._rules.get(entry.path)
        if known is None or known[0] is not entry:
            known = self._rules[entry.path] = (entry, ground.rule_key(entry.rule))
        return known[1]

    def _abstract(self, action: act.Abstract) -> tuple[str, str, str]:
        children = [self._live(each) for each in dict.fromkeys(action.children)]
        if len(children) < 2:
            raise Declined("an abstraction needs two entries that exist")
        if action.rule.startswith(act.UNSAID):
            raise Declined("nobody has put its rule into words yet: approve it with --title and --rule, or reject it")
        found = self._inherited(action.evidence, children)
        folder = self._folder(action.folder if self.asked.decides else placed(children))
        scope = scope_of(f"{folder}/x")
        self._may_say("abstraction", scope, found)
        leafless = next((child for child in children if child.kind not in LEAF_KINDS), None)
        if leafless is not None:
            raise Declined(f"{leafless.id} is a{'n' if leafless.kind[0] in 'ae' else ''} {leafless.kind}; a parent stands over rules and decisions")
        if any(child.scope not in (scope, "global") for child in children) and scope != "global":
            raise Declined("its children belong to another project")
        if len(action.rule) >= sum(len(child.rule) for child in children):
            raise Declined("it is not shorter than what it stands for")
        self._may_learn(action.rule, scope, found)
        related = self._related((*(child.id for child in children), *action.related))
        entry = Entry(
            id=self._free_id(folder, action.slug or action.title), title=_one_line(action.title), kind="abstraction",
            scope=scope, created=self.asked.today, updated=self.asked.today, tags=action.tags,
            applies_when=action.applies_when, files=action.files, trust=found.name, evidence=found.evidence,
            encoding_strength=parental(children), body=composed(action.rule, action.why, action.how, related),
        )  # fmt: skip
        self._linked(entry.body)
        self._put(entry)
        for child in children:
            self._link(child, entry.id)
        return "abstract", entry.id, f"strength {entry.encoding_strength:g} of its {len(children)} children; over {', '.join(child.id for child in children)}"

    # --- changes of content ---------------------------------------------------------------------------

    def _update(self, action: act.Update) -> tuple[str, str, str]:
        entry = self._live(action.entry)
        found = self._grounds(action.evidence)
        self._outranks(found, entry, "edit")
        if action.rule is not None or action.triggers is not None:
            self._may_take_away(entry, action.evidence)
        changes: dict[str, Any] = {}
        notes: tuple[str, ...] = ()
        for name in ("tags", "applies_when", "files"):
            value = getattr(action, name)
            if value is not None:
                changes[name] = value
        if action.title is not None:
            changes["title"] = _one_line(action.title)
        if action.triggers is not None:
            changes["triggers"], notes = self._triggers(action.triggers, found)
        body = None
        if (action.rule, action.why, action.how) != (None, None, None):
            body = revised(entry.body, rule=action.rule, why=action.why, how=action.how)
            self._linked(body, entry.links)
        if action.rule is not None:
            self._may_say(entry.kind, entry.scope, found)
            self._may_learn(action.rule, entry.scope, found)
            self._supported(f"{action.title or ''} {action.rule}", action.evidence)
            changes["trust"] = found.name
            strength = ground.encoding_strength(action.salience, kind=entry.kind, words=found.words)
            changes["encoding_strength"] = max(strength.value, entry.encoding_strength)
        if not changes and body is None:
            raise Declined("it changes nothing")
        if found.evidence:
            changes["evidence"] = ground.gathered(entry.evidence, found.evidence)
        self._edit(entry, {**changes, "updated": self.asked.today}, body)
        return "update", entry.id, "; ".join(notes)

    def _reinforce(self, entry: Entry, found: Grounds) -> tuple[str, str, str]:
        if found.trust < PERSONAL and not self.asked.confirmed:
            raise Declined("only the person's own words reinforce an entry")
        mark = f"reinforce:{entry.id}:{self.asked.session}" if self.asked.session else ""
        counted = mark and (mark in self.library.events or mark in self.events)
        if counted or entry.last_reinforced == self.asked.today:
            return "reinforce", entry.id, "heard again; a session and a day count once"
        pieces = {(each.session, each.turn) for each in entry.evidence}
        if found.evidence and all((each.session, each.turn) in pieces for each in found.evidence):
            return "reinforce", entry.id, "heard again; these very words made it"
        if mark:
            self.events.append(mark)
        strength = min(1.0, round(entry.encoding_strength + ground.REPETITION, 3))
        changes: dict[str, Any] = {
            "reinforced": entry.reinforced + 1, "last_reinforced": self.asked.today, "encoding_strength": strength,
        }  # fmt: skip
        if found.evidence:
            changes["evidence"] = ground.gathered(entry.evidence, found.evidence)
        if entry.trust_rank < PERSONAL and found.trust == PERSONAL and entry.kind == "finding":
            changes |= {"trust": "person", "expires": ""}
        self._edit(entry, changes)
        return "reinforce", entry.id, f"said again ({entry.reinforced + 1})"

    def _deprecate(self, action: act.Deprecate) -> tuple[str, str, str]:
        entry = self._live(action.entry)
        found = self._grounds(action.evidence)
        self._outranks(found, entry, "end")
        self._may_take_away(entry, action.evidence)
        if action.superseded_by:
            newer = self._live(action.superseded_by)
            if newer.id == entry.id:
                raise Declined("an entry cannot follow itself")
            self._supersede(entry, newer.id, found)
            if entry.id not in newer.supersedes:
                self._edit(self.entries[newer.id], {"supersedes": (*newer.supersedes, entry.id)})
        else:
            self._supersede(entry, "", found)
        return "deprecate", entry.id, action.reason

    def _supersede(self, entry: Entry, by: str, found: Grounds) -> None:
        """End *entry*: its text stays, its strength is discounted, and it is not learned again by itself."""
        self._edit(
            entry,
            {
                "status": "deprecated", "superseded_by": by, "updated": self.asked.today, "reinforced": 0,
                "encoding_strength": round(entry.encoding_strength * ground.DISCOUNT, 3),
            },
        )  # fmt: skip
        if found.trust >= CONFIRMED:
            self._bury(entry)

    def contest(self, id_: str) -> None:
        """Where *id_* holds again, what had taken its place no longer says so; the person is told that both hold."""
        back = self.entries.get(id_)
        if back is None or back.status != "active" or back.superseded_by:
            return
        for entry in list(self.entries.values()):
            if id_ in entry.supersedes and entry.status == "active":
                self._edit(entry, {"supersedes": tuple(each for each in entry.supersedes if each != id_)})
                self.notes.append(f"{entry.id} had taken its place and holds too: `ultan archive {entry.id}` if it should not")

    def _bury(self, entry: Entry) -> None:
        pieces = tuple(each.turn for each in entry.evidence)
        self.tombstones.append(Tombstone(entry.scope, ground.rule_key(entry.rule), pieces))

    def _merge(self, action: act.Merge) -> tuple[str, str, str]:
        into = self._live(action.into)
        others = [self._live(each) for each in dict.fromkeys(action.entries) if each != into.id]
        if not others:
            raise Declined("there is nothing to merge")
        if any(other.scope != into.scope for other in others):
            raise Declined("entries of different scopes are not merged")
        found = self._inherited(action.evidence, [into, *others])
        for entry in (into, *others):
            self._outranks(self._voiced(action.evidence), entry, "merge")
            self._may_take_away(entry, action.evidence)
        self._may_learn(action.rule, into.scope, found)
        triggers, notes = self._triggers(action.triggers, found)
        evidence = ground.gathered(into.evidence, (*(e for other in others for e in other.evidence), *found.evidence))
        changes: dict[str, Any] = {
            "title": _one_line(action.title), "updated": self.asked.today, "trust": found.name, "evidence": evidence,
            "supersedes": tuple(dict.fromkeys((*into.supersedes, *(other.id for other in others)))),
            "reinforced": into.reinforced + sum(other.reinforced for other in others),
            "encoding_strength": max(entry.encoding_strength for entry in (into, *others)),
        }  # fmt: skip
        given = {"tags": action.tags, "applies_when": action.applies_when, "files": action.files, "triggers": triggers}
        for name, value in given.items():
            kept = [item for entry in (into, *others) for item in getattr(entry, name)]
            changes[name] = tuple(dict.fromkeys((*kept, *value)))
        related = [self.library.resolve(each) for each in (*into.links, *action.related)]
        gone = {other.id for other in others}
        body = composed(action.rule, action.why, action.how, [r for r in related if r and r not in gone | {into.id}])
        self._linked(body)
        self._edit(into, changes, body)
        for other in others:
            self._edit(self.entries[other.id], {"status": "deprecated", "superseded_by": into.id})
            self._shelve(self.entries[other.id])
        self._relink({other.id: into.id for other in others})
        return "merge", into.id, "; ".join([f"took in {', '.join(sorted(gone))}", *notes])

    def _rewrite(self, action: act.Rewrite) -> tuple[str, str, str]:
        self._needs_person("rewrites a whole file")
        entry = self._target(action.entry)
        text = action.text if action.text.endswith("\n") else action.text + "\n"  # the model strips its texts
        new = parse(text, entry.path)
        said = front(text).get("id", entry.id)
        if said != entry.id:
            raise Declined(f"it says its id is {said}; `ultan restore` and links need {entry.id}, move it instead")
        self._linked(new.body, entry.links)
        self._store(new)
        return "rewrite", entry.id, ""

    # --- uses and marks -----------------------------------------------------------------------------------

    def _mark_helpful(self, action: act.MarkHelpful) -> tuple[str, str, str]:
        entry = self._live(action.entry)
        if action.evidence:
            self._grounds(action.evidence)
        mark = f"helpful:{self.asked.session}:{action.turn}:{entry.id}"
        if mark in self.library.events or mark in self.events:
            return "mark_helpful", entry.id, "counted already in this turn"
        self.events.append(mark)
        self._edit(entry, {"fired_helpful": entry.fired_helpful + 1, "last_helpful": self.asked.today})
        return "mark_helpful", entry.id, ""

    def _bump(self, action: act.Bump) -> tuple[str, str, str]:
        entry = self._target(action.entry)
        changes: dict[str, Any] = {
            "fired": entry.fired + action.fired, "fired_helpful": entry.fired_helpful + action.helpful,
            "ignored": entry.ignored + action.ignored, "fetched": entry.fetched + action.fetched,
            "last_surfaced": max(entry.last_surfaced, action.surfaced_on),
            "last_helpful": max(entry.last_helpful, action.helpful_on),
        }  # fmt: skip
        changes = {name: value for name, value in changes.items() if value != getattr(entry, name)}
        if changes:
            self._edit(entry, changes)
        return "bump", entry.id, ""

    def _field(self, name: str, verb: str, **changes: Any) -> tuple[str, str, str]:
        entry = self._live(name)
        self._edit(entry, changes)
        return verb, entry.id, ""

    def _confirm(self, action: act.Confirm) -> tuple[str, str, str]:
        self._needs_person("vouches for an entry")
        entry = self._live(action.entry)
        if entry.trust_rank >= CONFIRMED:
            return "confirm", entry.id, "a person vouches for it already"
        self._edit(entry, {"trust": "confirmed", "expires": "", "updated": self.asked.today})
        return "confirm", entry.id, ""

    def _affirm(self, action: act.Affirm) -> tuple[str, str, str]:
        entry = self._live(action.entry)
        if not self.asked.decides:
            raise Held(action.reason or "still true?")
        changes: dict[str, Any] = {"updated": self.asked.today, "ignored": 0}
        if action.title is not None:
            changes["title"] = _one_line(action.title)
        if entry.trust_rank < CONFIRMED:
            changes |= {"trust": "confirmed", "expires": ""}
        body = None if action.rule is None else revised(entry.body, rule=action.rule)
        if body is not None:
            self._linked(body, entry.links)
        self._edit(entry, changes, body)
        return "affirm", entry.id, "still true" if body is None else "true in better words"

    def _condense(self, action: act.Condense) -> tuple[str, str, str]:
        if self.asked.by not in ("person", "upkeep"):
            raise Declined("only a person or the upkeep condenses")
        entry = self._live(action.entry)
        if action.level and entry.pinned:
            raise Declined("it is pinned")
        self._linked(action.body, entry.links)
        told = Condensed(action.level, self.asked.today, entry.fetched, action.original, condense.said(action.body))
        body = action.body if action.body.endswith("\n") else action.body + "\n"
        self._edit(entry, {condense.KEY: told.written() if action.level else None}, body)
        return "condense", entry.id, condense.LEVELS[action.level]

    def _contradict(self, action: act.Contradict) -> tuple[str, str, str]:
        self._needs_person("contradicts without words to quote")
        entry = self._live(action.entry)
        self._supersede(entry, "", Grounds(PERSONAL))
        return "contradict", entry.id, action.reason

    def _nudge(self, action: act.Nudge) -> tuple[str, str, str]:
        entry = self._live(action.entry)
        self._grounds(action.evidence)
        if entry.trust_rank < CONFIRMED:
            raise Declined("only what a person said or confirmed is worth a nudge")
        known = f"{entry.title} {entry.rule}"
        if ground.is_unsupported(action.text, known):
            raise Declined("its text has nothing to do with the entry")
        return "nudge", entry.id, action.text

    # --- places -------------------------------------------------------------------------------------------

    def _move(self, entry: Entry, folder: str) -> str:
        target = self._folder(folder)
        scope = scope_of(f"{target}/x")
        if scope != entry.scope and not self.asked.decides:
            raise Held("moving an entry to another scope is for a person to decide")
        if target == entry.folder:
            raise Declined("it lies there already")
        new_id = self._free_id(target, entry.slug)
        if new_id.rpartition("/")[2] != entry.slug:
            raise Declined(f"{target} has another entry called {entry.slug}")
        text = edited(entry.raw, {"id": new_id, "scope": scope})
        self._drop(entry)
        self._store(parse(text, f"{new_id}.md"))
        self._relink({entry.id: new_id})
        return new_id

    def _split(self, action: act.SplitFolder) -> tuple[str, str, str]:
        folder = action.folder.strip("/")
        moved = 0
        for name, ids in action.into.items():
            for each in ids:
                entry = self._live(each)
                if entry.folder != folder:
                    raise Declined(f"{entry.id} does not lie in {folder}")
                self._move(entry, f"{folder}/{name}")
                moved += 1
        return "split_folder", folder, f"{moved} entries into {', '.join(action.into)}"

    def _relink(self, moved: Mapping[str, str]) -> None:
        """Make every link and reference to a moved entry name its new place."""
        meant = {}
        for entry in (*self.entries.values(), *self.archived.values()):
            for target in entry.links:
                meant[target] = self.library.resolve(target) or target
        for entry in (*self.entries.values(), *self.archived.values()):
            if entry.path in self.library.foreign:
                continue
            changes: dict[str, Any] = {}
            if entry.superseded_by in moved:
                changes["superseded_by"] = moved[entry.superseded_by]
            if any(each in moved for each in entry.supersedes) and entry.id not in moved.values():
                changes["supersedes"] = tuple(moved.get(each, each) for each in entry.supersedes)
            body = entry.body
            if any(meant.get(target) in moved for target in entry.links):
                body = relinked(entry.body, moved, meant)
            if changes or body != entry.body:
                self._edit(entry, changes, body if body != entry.body else None)

    def _archive_on_request(self, action: act.Archive) -> tuple[str, str, str]:
        if self.asked.by not in ("person", "import", "upkeep"):
            raise Declined("only a person or the upkeep archives")
        entry = self._live(action.entry)
        if entry.pinned and self.asked.by == "upkeep":
            raise Declined("it is pinned")
        self._shelve(entry)
        return "archive", entry.id, action.reason

    def _shelve(self, entry: Entry) -> None:
        status = "stale" if entry.status == "active" else entry.status
        text = edited(entry.raw, {"status": status, "archived": self.asked.today})
        new_id = self._unused(entry.id, self._taken(), ARCHIVE)
        self._drop(entry)
        if new_id != entry.id:
            text = edited(text, {"id": new_id})
        self._store(parse(text, f"{ARCHIVE}{new_id}.md"))

    def _revive(self, action: act.Revive) -> tuple[str, str, str]:
        entry = self._target(action.entry)
        found = self._grounds(action.evidence)
        if not entry.shelved:
            raise Declined("it is not in the archive")
        self._outranks(found, entry, "bring back")
        return "revive", self._unshelve(entry, found), ""

    def _unshelve(self, entry: Entry, found: Grounds) -> str:
        new_id = self._unused(entry.id, self._taken(), "")
        changes: dict[str, Any] = {"id": new_id, "status": "active", "archived": "", "updated": self.asked.today, "superseded_by": ""}
        if found.evidence:
            changes["evidence"] = ground.gathered(entry.evidence, found.evidence)
        if found.trust >= CONFIRMED:  # somebody missed it: it is said again, and lasts longer than the first time
            changes |= {"reinforced": entry.reinforced + 1, "last_reinforced": self.asked.today}
        text = edited(entry.raw, changes)
        self._drop(entry)
        self._store(parse(text, f"{new_id}.md"))
        return new_id

    def _add_wikilink(self, action: act.AddWikilink) -> tuple[str, str, str]:
        entry, target = self._live(action.entry), self._live(action.target)
        if entry.id == target.id:
            raise Declined("an entry does not link to itself")
        if target.trust_rank < entry.trust_rank and not self.asked.decides:
            raise Declined("an entry does not link to one of lower trust")
        if target.id in {self._resolve(each) for each in entry.links}:
            return "add_wikilink", entry.id, "linked already"
        self._link(entry, target.id)
        return "add_wikilink", entry.id, f"to {target.id}"

    def _link(self, entry: Entry, target: str) -> None:
        now = self.entries[entry.id]
        if target not in now.links:
            self._edit(now, {}, with_related(now.body, target))

    def _adopt(self, action: act.Adopt) -> tuple[str, str, str]:
        if self.asked.by not in ("person", "import", "upkeep"):
            raise Declined("only a person adopts a file")
        path = action.path.removeprefix("knowledge/")
        if path not in self.library.digests:
            raise Declined(f"there is no file {path}")
        self.adopted[path] = self.library.digests[path]
        return "adopt", path.removesuffix(".md"), ""

    # --- what an action may do --------------------------------------------------------------------------------

    def _grounds(self, cites: Sequence[act.Cite]) -> Grounds:
        found = ground.grounds(
            cites, self.asked.sources, by=self.asked.by, session=self.asked.session, confirmed=self.asked.confirmed
        )
        if isinstance(found, str):
            raise Declined(found)
        return found

    def _voiced(self, cites: Sequence[act.Cite]) -> Grounds:
        """As ``_grounds``; without any evidence it rests on the curator's word, which is the lowest trust."""
        if not cites and not self.asked.is_person:
            return Grounds(CONFIRMED if self.asked.confirmed else 0)
        return self._grounds(cites)

    def _inherited(self, cites: Sequence[act.Cite], parents: Sequence[Entry]) -> Grounds:
        """The lowest trust of the parents and of what is cited."""
        lowest = min(entry.trust_rank for entry in parents)
        if not cites:
            return Grounds(min(lowest, PERSONAL))
        found = self._grounds(cites)
        return replace(found, trust=min(found.trust, lowest))

    def _needs_person(self, what: str) -> None:
        if not self.asked.is_person:
            raise Declined(f"only a person {what}")

    def _outranks(self, found: Grounds, entry: Entry, verb: str) -> None:
        if found.trust < entry.trust_rank and not self.asked.decides:
            raise Held(f"what it cites has less trust than {entry.id}; it may not {verb} it")

    def _may_take_away(self, entry: Entry, cites: Sequence[act.Cite]) -> None:
        """Hold the loss of a guard (a warning, a trigger, a pin) that a model rests on words about something else."""
        is_guard = bool(entry.triggers) or entry.pinned or entry.kind == "warn"
        if self.asked.by != "scholar" or self.asked.decides or not is_guard:
            return
        sources = self.asked.sources or {}
        cited = " ".join(f"{sources[cite.event].about} {cite.quote}" for cite in cites if cite.event in sources)
        known = [entry.title, entry.rule, *entry.tags, *entry.applies_when, *(each.pattern for each in entry.triggers)]
        if ground.is_unsupported(" ".join(known), cited):
            raise Held(f"{entry.id} guards something, and what is cited says nothing about it")

    def _may_say(self, kind: str, scope: str, found: Grounds) -> None:
        if found.trust >= CONFIRMED:
            return
        if kind in RULE_KINDS:
            raise Declined(f"a {kind} needs the person's own words; it cites what is only {found.name}")
        if scope == "global":
            raise Declined(f"what is only {found.name} stays in its project")

    def _may_learn(self, rule: str, scope: str, found: Grounds) -> None:
        if self.asked.decides:
            return
        reason = ground.forbidden(rule, scope, found, (*self.library.tombstones, *self.tombstones))
        if reason:
            raise Declined(reason)

    def _supported(self, said: str, cites: Sequence[act.Cite]) -> None:
        if self.asked.decides:
            return
        pieces = [(self.asked.sources or {})[cite.event] for cite in cites]
        cited = " ".join(f"{piece.about} {piece.text}" for piece in pieces)
        if ground.is_unsupported(said, cited):
            raise Held("the rule shares no word with what it cites")

    def _triggers(self, specs: Iterable[act.TriggerSpec], found: Grounds) -> tuple[tuple[Any, ...], tuple[str, ...]]:
        specs = tuple(specs)
        if specs and found.trust < CONFIRMED:
            return (), ("triggers left out: they need the person's own words",)
        return ground.triggers_of(specs, found.trust)

    def _expiry(self, wished: str, found: Grounds) -> str:
        wished = wished if re.fullmatch(r"\d{4}-\d{2}-\d{2}", wished) else ""
        if found.trust >= CONFIRMED:
            return wished
        latest = (date.fromisoformat(self.asked.today) + timedelta(days=ground.FINDING_DAYS)).isoformat()
        return min(wished, latest) if wished else latest

    # --- names and places ---------------------------------------------------------------------------------------

    def _live(self, name: str) -> Entry:
        entry = self._target(name)
        if entry.shelved:
            raise Declined(f"{entry.id} is in the archive")
        return entry

    def _target(self, name: str) -> Entry:
        entry = self._named(name)
        if entry.path in self.library.foreign and not self.asked.is_person:
            raise Declined(f"{entry.path} was made by no operation; it waits for `ultan adopt`")
        return entry

    def _named(self, name: str) -> Entry:
        wanted = name.strip().strip("[]").removesuffix(".md")
        if wanted in self.entries:
            return self.entries[wanted]
        if wanted in self.archived:
            return self.archived[wanted]
        found = self.library.find(name)
        entry = (self.archived if found.shelved else self.entries).get(found.id)
        if entry is None:
            raise Declined(f"{found.id} was moved or put away just now")
        return entry

    def _resolve(self, target: str) -> str:
        wanted = target.removesuffix(".md")
        if wanted in self.entries or wanted in self.archived:
            return wanted
        fresh = [id_ for id_ in self.entries if id_.endswith(f"/{wanted}") and id_ not in self.library.entries]
        return self.library.resolve(target) or (fresh[0] if len(fresh) == 1 else "")

    def _linked(self, body: str, before: Sequence[str] = ()) -> None:
        """Decline a body whose new wikilinks lead nowhere."""
        lost = next((each for each in wikilinks(body) if each not in before and not self._resolve(each)), "")
        if lost:
            raise Declined(f"it links to {lost!r}, which is no entry")

    def _related(self, targets: Iterable[str]) -> list[str]:
        found = []
        for target in dict.fromkeys(targets):
            id_ = self._resolve(target)
            if not id_:
                raise Declined(f"it links to {target!r}, which is no entry")
            found.append(id_)
        return found

    def _folder(self, folder: str) -> str:
        """*folder* if entries may be made in it: ``global`` or ``projects/<slug>``, plain names below."""
        parts = folder.split("/")
        known = self._known_folders()
        if parts[0] not in ("global", "projects") or (parts[0] == "projects" and len(parts) < 2):
            raise Declined(f"{folder[:80]!r} is no folder of the library: global or projects/<slug>, then topics")
        for depth in range(1, len(parts) + 1):
            here = "/".join(parts[:depth])
            twin = known.get(key(here), "")
            if twin == here:
                continue
            if not _NAME.fullmatch(parts[depth - 1]) or parts[depth - 1] in RESERVED:
                raise Declined(f"{parts[depth - 1][:40]!r} is no name for a folder (a-z, 0-9 and -)")
            if twin:
                raise Declined(f"the folder {here} would differ from {twin} in case only")
        if len(parts) > DEEPEST:
            raise Declined(f"{folder[:80]!r} lies deeper than {DEEPEST} folders")
        return folder

    def _known_folders(self) -> dict[str, str]:
        """Key of a folder → its name, for every folder that entries lie in or will."""
        if self._folders is None:
            self._folders = {key(each): each for each in folders_of((*self.entries, *self.archived))}
        return self._folders

    def _free_id(self, folder: str, wanted: str) -> str:
        slug = slug_of(wanted)
        if len(f"{folder}/{slug}.md".encode()) > LONGEST_PATH:
            raise Declined(f"the path is longer than {LONGEST_PATH} bytes")
        return self._unused(f"{folder}/{slug}", self._taken(), "")

    def _taken(self) -> Callable[[str], bool]:
        """Whether a file lies, or will lie, at a path; asked by the path's key."""
        if self._lying is None:
            unreadable = (path for path, _ in self.library.unreadable)
            self._lying = frozenset(map(key, (*self.library.digests, *unreadable)))
        lying = self._lying
        new = {key(path): text is not None for path, text in self.dirty.items()}
        return lambda wanted: new.get(wanted, wanted in lying)

    def _unused(self, id_: str, taken: Callable[[str], bool], prefix: str) -> str:
        number = 1
        candidate = id_
        while taken(key(f"{prefix}{candidate}.md")):
            number += 1
            candidate = f"{id_}-{number}"
        return candidate

    # --- files ------------------------------------------------------------------------------------------------------

    def _edit(self, entry: Entry, changes: Mapping[str, Any], body: str | None = None) -> None:
        self._store(parse(edited(entry.raw, changes, body), entry.path))

    def _put(self, entry: Entry) -> None:
        self._store(parse(render(entry), entry.path))

    def _store(self, entry: Entry) -> None:
        (self.archived if entry.shelved else self.entries)[entry.id] = entry
        self.dirty[entry.path] = entry.raw
        if self._folders is not None:
            self._folders.update((key(each), each) for each in folders_of((entry.id,)))

    def _drop(self, entry: Entry) -> None:
        (self.archived if entry.shelved else self.entries).pop(entry.id, None)
        self.dirty[entry.path] = None


def placed(children: Sequence[Entry]) -> str:
    """Where a parent of *children* lies: their common folder, else ``abstractions`` of their project, or of all.

    What speaks for one project stays in it; children of two projects make a rule for all.
    """
    folders = [child.folder.split("/") for child in children]
    shared = [parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))]
    if len(shared) > (2 if shared[:1] == ["projects"] else 1):
        return "/".join(shared)
    projects = {child.project for child in children} - {""}
    return f"projects/{projects.pop()}/abstractions" if len(projects) == 1 else "global/abstractions"


def parental(children: Sequence[Entry]) -> float:
    """How strong a parent is: the mean of its children, weighted by how often each was said, never beyond fading."""
    weights = [1 + min(1000, child.reinforced) for child in children]
    mean = sum(weight * child.encoding_strength for weight, child in zip(weights, children, strict=True)) / sum(weights)
    return round(min(PARENT_STRENGTH, mean), 3)


def slug_of(text: str) -> str:
    """A file name for *text*: plain letters, digits and dashes, at most 60; never a reserved one."""
    plain = unicodedata.normalize("NFKD", text.replace("ß", "ss")).encode("ascii", "ignore").decode().casefold()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(slug) > 60:
        slug = slug[:61].rpartition("-")[0] or slug[:60]
    if len(slug) < 2 or slug in RESERVED:
        return f"entry-{slug + '-' if slug else ''}{digest(text.encode('utf-8', 'replace'))[:8]}"
    return slug


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _source(found: Grounds) -> str:
    """The origin that made the trust low, for `revoke`."""
    if found.trust >= CONFIRMED or not found.evidence:
        return ""
    return next((each.origin for each in found.evidence if each.origin not in ("user", "answer", "rejection")), "")
