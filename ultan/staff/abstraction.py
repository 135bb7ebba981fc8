"""Finding leaves that may imply one rule, and the gates that code can hold.

A candidate is a group of entries that say a similar thing about unlike matters: shared
predicates, remote subjects. Whether that is an insight is for a model, or a person in
``review``, to say; what can be counted is counted here and binds both
(docs/adr/0027-abstraction.md). Integration of remote traces: Schlichting & Preston
2015; Jung-Beeman et al. 2004; the dropped middle: van Kesteren et al. 2012.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ultan.library.actions import UNSAID, Abstract, Gates
from ultan.library.creation import LEAF_KINDS, placed
from ultan.library.entry import Entry
from ultan.library.retention import MOST_COUNTED

LEAST_SHARED = 2
"""Predicate terms two leaves must share to be looked at."""
MOST_ALIKE = 0.5
"""Jaccard likeness of two rules above which they are one topic, not two remote ones."""
LARGEST_GROUP = 6
MOST_CANDIDATES = 12
SHORTER_THAN = 0.9
"""A parent's rule may have at most this share of its children's characters together."""
VAGUE = "good nice clean fast modern quality best better simple tool tools code thing things stuff style"
PRAISE = "user likes prefers wants always uses use everything all"
"""Words that say only that somebody likes something."""

Terms = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Leaves that may imply one rule.

    Attributes:
        children: two to six live entries.
        shared: the predicate terms they have in common, most telling first.
        score: sum of the shared terms' weights, more where the leaves were said again; only for order.
    """

    children: tuple[Entry, ...]
    shared: tuple[str, ...]
    score: float


def subject_terms(entry: Entry, terms: Terms) -> frozenset[str]:
    """What the entry is about: its tags, files, subject and topic folders, as terms."""
    place = " ".join(entry.id.split("/")[2 if entry.project else 1 : -1])  # a project is no subject
    return frozenset(terms(" ".join((*entry.tags, *entry.files, entry.subject, place))))


def is_remote(left: Entry, right: Entry, terms: Terms) -> bool:
    """Whether two entries speak of different matters: no common subject, unlike words."""
    if left.id.rpartition("/")[0] == right.id.rpartition("/")[0] and left.scope == right.scope:
        return False
    if subject_terms(left, terms) & subject_terms(right, terms):
        return False
    mine, theirs = set(terms(left.rule)), set(terms(right.rule))
    return len(mine & theirs) <= MOST_ALIKE * max(1, len(mine | theirs))


def candidates(
    entries: Sequence[Entry], terms: Terms, taken: frozenset[frozenset[str]] = frozenset()
) -> list[Candidate]:
    """Groups of remote leaves with shared predicates, best first; *taken* were judged before."""
    known = {entry.id: entry for entry in entries if _is_leaf(entry)}
    predicates = {id_: frozenset(terms(entry.rule)) - subject_terms(entry, terms) for id_, entry in known.items()}
    spread = Counter(word for words in predicates.values() for word in words)
    pairs = _remote_pairs(known, predicates, spread, terms)
    found: dict[frozenset[str], Candidate] = {}
    for pair, words in pairs.items():
        members = set(pair)
        for other, theirs in pairs.items():
            if len(members) < LARGEST_GROUP and other & members and len(words & theirs) >= LEAST_SHARED:
                members |= other
        telling = sorted(words, key=lambda word: (spread[word], word))
        said = sum(min(MOST_COUNTED, max(0, known[id_].reinforced)) for id_ in members) / len(members)
        weight = sum(1.0 / spread[word] for word in words) * len(members) * (1.0 + math.log2(1.0 + said))
        one = Candidate(tuple(known[id_] for id_ in sorted(members)), tuple(telling), weight)
        if frozenset(members) not in taken:
            found[frozenset(members)] = one
    return sorted(found.values(), key=lambda one: (-one.score, one.children[0].id))[:MOST_CANDIDATES]


def _is_leaf(entry: Entry) -> bool:
    return entry.kind in LEAF_KINDS and entry.trust in ("person", "confirmed")


def _remote_pairs(
    known: Mapping[str, Entry], predicates: Mapping[str, frozenset[str]], spread: Mapping[str, int], terms: Terms
) -> dict[frozenset[str], set[str]]:
    """Pairs of remote leaves with the predicate terms they share; a term in every eighth rule tells nothing."""
    common = max(4, len(known) // 8)
    holders: dict[str, list[str]] = defaultdict(list)
    for id_, words in predicates.items():
        for word in words:
            if 2 <= spread[word] <= common:
                holders[word].append(id_)
    shared: dict[frozenset[str], set[str]] = defaultdict(set)
    for word, ids in holders.items():
        for pair in combinations(ids, 2):
            shared[frozenset(pair)].add(word)
    return {
        pair: words
        for pair, words in shared.items()
        if len(words) >= LEAST_SHARED and is_remote(known[min(pair)], known[max(pair)], terms)
    }


def drafted(candidate: Candidate) -> Abstract:
    """An abstraction over *candidate* that says what is in common; its rule is left for a person to put into words."""
    children = candidate.children
    words = ", ".join(candidate.shared[:6])
    rules = "; ".join(child.rule for child in children)
    return Abstract(
        title=f"One rule behind {len(children)} entries: {words}"[:120], rule=f"{UNSAID}what these have in common ({words})",
        why=rules[:2000], folder=placed(children), children=tuple(child.id for child in children),
        gates=Gates(
            remote="they lie in " + ", ".join(sorted({child.folder for child in children})),
            predictive="not named: code found the words, nobody the rule",
            non_obvious="not judged: code found the words, nobody the rule",
            compresses="to be judged when the rule is said",
        ),
    )  # fmt: skip


def failed_gates(action: Abstract, entries: Mapping[str, Entry], terms: Terms) -> list[str]:
    """Which gates an abstraction fails that code can hold; empty if none.

    Remote: at least one pair of children is remote. Compresses: the rule is shorter than
    the children together, and no child says it already. Non-obvious: it is more than vague
    praise. Predictive: it names no fewer situations than nothing, that is, the model must
    name an unseen case which is none of the children's.
    """
    children = [entries[child] for child in action.children if child in entries]
    if len(set(action.children)) < 2 or len(children) < len(set(action.children)):
        return ["children: at least two live entries"]
    failed = []
    if not any(is_remote(left, right, terms) for left, right in combinations(children, 2)):
        failed.append("remote: all children are about the same matter")
    if len(action.rule) > SHORTER_THAN * sum(len(child.rule) for child in children):
        failed.append("compresses: the rule is no shorter than its children together")
    said = set(terms(action.rule))
    for entry in entries.values():
        theirs = set(terms(entry.rule))
        if said and len(said & theirs) >= 0.8 * max(len(said), len(theirs)):
            failed.append(f"non-obvious: {entry.id} says it already")
            break
    if said <= set(terms(f"{VAGUE} {PRAISE}")):
        failed.append("non-obvious: nothing but praise or what the children share on the surface")
    case = set(terms(action.gates.predictive))
    if not case - {word for child in children for word in terms(child.rule)} - said:
        failed.append("predictive: the unseen case is one of the children's")
    return failed
