"""The closed set of things that may happen to a library.

One model per verb; the union is the schema a language model fills in, the contract of
the clerk, and the input of the executor. ``MODEL_ACTIONS`` are the verbs a model may
propose, ``Action`` adds those only a person or the upkeep may ask for. Nothing here
touches a disk.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Kind = Literal["convention", "preference", "finding", "warn", "abstraction", "decision", "event"]
Salience = Literal["contradicts", "novel", "reinforces", "drift"]

UNSAID = "Not said yet: "
"""How the rule of an abstraction begins that code found and nobody has put into words."""

Id = Annotated[str, Field(min_length=3, max_length=200, description="entry id: its path without .md")]
Folder = Annotated[
    str, Field(min_length=1, max_length=160, description="global[/topic…] or projects/<slug>[/topic…]")
]
Line = Annotated[str, Field(max_length=200)]
Text = Annotated[str, Field(max_length=4000)]


class Model(BaseModel):
    """Strict and immutable: an unknown field is an error that goes back to its author."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True, defer_build=True)


class Cite(Model):
    """Where an action comes from: a piece of the transcript and its exact words."""

    event: str = Field(description="id of the piece, as shown in the packet")
    quote: str = Field(min_length=1, max_length=1000, description="words copied exactly from that piece")


class TriggerSpec(Model):
    """A tool call that an entry is about."""

    tool: str = Field(default="Bash", max_length=80, description="tool name, A|B, or *")
    pattern: str = Field(min_length=1, max_length=512, description="RE2, searched in the field")
    field: str = Field(default="", max_length=80, description="input field; empty: the tool's main one")
    files: tuple[Line, ...] = Field(default=(), max_length=20, description="globs the path must match")
    unless: tuple[Line, ...] = Field(default=(), max_length=20, description="RE2 that call it off")
    severity: Literal["advise", "block"] = "advise"


class _Grounded(Model):
    evidence: tuple[Cite, ...] = Field(default=(), max_length=20)


class _Content(_Grounded):
    title: str = Field(min_length=3, max_length=120, description="the rule in a few words")
    rule: str = Field(min_length=3, max_length=1200, description="one or two sentences, in the user's words")
    why: Text = ""
    how: Text = Field(default="", description="how to apply it")
    tags: tuple[Line, ...] = Field(default=(), max_length=12)
    applies_when: tuple[Line, ...] = Field(
        default=(), max_length=12, description="short phrases naming situations in which it matters"
    )
    files: tuple[Line, ...] = Field(default=(), max_length=20, description="globs of files it is about")
    triggers: tuple[TriggerSpec, ...] = Field(default=(), max_length=8)
    related: tuple[Id, ...] = Field(default=(), max_length=12)


class Create(_Content):
    """A new entry."""

    verb: Literal["create"] = "create"
    folder: Folder
    slug: str = Field(default="", max_length=63, description="file name without .md; empty: from the title")
    kind: Kind
    salience: Salience = "novel"
    supersedes: tuple[Id, ...] = Field(default=(), max_length=8, description="entries this corrects")
    subject: Line = Field(default="", description="what it is about, in one or two words")
    when: Line = ""
    participants: tuple[Line, ...] = ()
    location: Line = ""
    alternatives: tuple[Line, ...] = ()
    expires: Line = Field(default="", description="ISO day, or empty")
    pinned: bool = False


class Update(_Grounded):
    """Some parts of an entry said anew; None leaves a part as it is."""

    verb: Literal["update"] = "update"
    entry: Id
    title: str | None = Field(default=None, min_length=3, max_length=120)
    rule: str | None = Field(default=None, min_length=3, max_length=1200)
    why: str | None = Field(default=None, max_length=4000)
    how: str | None = Field(default=None, max_length=4000)
    tags: tuple[Line, ...] | None = None
    applies_when: tuple[Line, ...] | None = None
    files: tuple[Line, ...] | None = None
    triggers: tuple[TriggerSpec, ...] | None = None
    salience: Salience = "drift"


class Reinforce(_Grounded):
    """The person said again what an entry says."""

    verb: Literal["reinforce"] = "reinforce"
    entry: Id


class MarkHelpful(_Grounded):
    """The agent really relied on a surfaced entry; a mention is not use."""

    verb: Literal["mark_helpful"] = "mark_helpful"
    entry: Id
    turn: int = Field(default=-1, description="turn in which it was relied on; counted once a turn")


class Deprecate(_Grounded):
    """An entry no longer holds: the person said otherwise."""

    verb: Literal["deprecate"] = "deprecate"
    entry: Id
    reason: Line
    superseded_by: Line = ""


class Merge(_Content):
    """Several entries that say one thing become the first of them; the others are archived."""

    verb: Literal["merge"] = "merge"
    into: Id
    entries: tuple[Id, ...] = Field(min_length=1, max_length=10)


class Move(Model):
    """An entry belongs in another folder; links to it are rewritten."""

    verb: Literal["move"] = "move"
    entry: Id
    folder: Folder


class SplitFolder(Model):
    """A folder with too many entries gets sub-folders."""

    verb: Literal["split_folder"] = "split_folder"
    folder: Folder
    into: dict[Line, tuple[Id, ...]] = Field(min_length=1, description="sub-folder name → entries")


class AddWikilink(Model):
    """Two entries belong together."""

    verb: Literal["add_wikilink"] = "add_wikilink"
    entry: Id
    target: Id


class Gates(Model):
    """Why an abstraction is one, a sentence for each gate."""

    remote: Text = Field(min_length=10, description="which different domains the children come from")
    predictive: Text = Field(min_length=10, description="an unseen case that only the parent decides")
    non_obvious: Text = Field(min_length=10, description="why an assistant would not say it unprompted")
    compresses: Text = Field(min_length=10, description="how the children follow from the parent")


class Abstract(_Content):
    """A rule that related entries imply; they stay where they are."""

    verb: Literal["abstract"] = "abstract"
    folder: Folder
    slug: str = Field(default="", max_length=63)
    children: tuple[Id, ...] = Field(min_length=2, max_length=12)
    gates: Gates


class Revive(_Grounded):
    """New evidence supports an archived entry."""

    verb: Literal["revive"] = "revive"
    entry: Id


class Nudge(_Grounded):
    """A remark for the next turn, from an entry that the work at hand goes against."""

    verb: Literal["nudge"] = "nudge"
    entry: Id
    text: Line


class Archive(Model):
    """Put an entry away; it stays readable and can be restored."""

    verb: Literal["archive"] = "archive"
    entry: Id
    reason: Line = ""


class Pin(Model):
    """Keep an entry from fading, or no longer."""

    verb: Literal["pin"] = "pin"
    entry: Id
    pinned: bool = True


class Confirm(Model):
    """A person vouches for an entry: trust becomes ``confirmed``."""

    verb: Literal["confirm"] = "confirm"
    entry: Id


class Affirm(Model):
    """A strong entry that went unused still holds, perhaps in better words: asked by the upkeep, answered by a person."""

    verb: Literal["affirm"] = "affirm"
    entry: Id
    title: str | None = Field(default=None, min_length=3, max_length=120)
    rule: str | None = Field(default=None, min_length=3, max_length=1200)
    reason: Line = ""


class Condense(Model):
    """An old, unused, long entry told in fewer words; level 0 is the whole text again."""

    verb: Literal["condense"] = "condense"
    entry: Id
    body: str = Field(min_length=1, max_length=65536)
    level: int = Field(ge=0, le=2, description="1: key sentences, 2: one line")
    original: str = Field(default="", max_length=80, description="digest of the file that says it in full")


class Contradict(Model):
    """A person says that an entry is wrong, without a new rule."""

    verb: Literal["contradict"] = "contradict"
    entry: Id
    reason: Line = ""


class Rewrite(Model):
    """A person edited the whole file."""

    verb: Literal["rewrite"] = "rewrite"
    entry: Id
    text: str = Field(max_length=65536)


class Adopt(Model):
    """A person takes over a file that no operation made."""

    verb: Literal["adopt"] = "adopt"
    path: Line


class Bring(Model):
    """A person brings an entry as another library has it, with its history of trust and use."""

    verb: Literal["bring"] = "bring"
    path: Line
    text: str = Field(max_length=65536)


class Bump(Model):
    """Counters folded in from events; never a change of content."""

    verb: Literal["bump"] = "bump"
    entry: Id
    fired: int = Field(default=0, ge=0)
    helpful: int = Field(default=0, ge=0)
    ignored: int = Field(default=0, ge=0)
    fetched: int = Field(default=0, ge=0)
    surfaced_on: Line = ""
    helpful_on: Line = ""


ModelAction = Annotated[
    Create | Update | Reinforce | MarkHelpful | Deprecate | Merge | Move | SplitFolder | AddWikilink
    | Abstract | Revive | Nudge,
    Field(discriminator="verb"),
]  # fmt: skip
Action = (
    Create | Update | Reinforce | MarkHelpful | Deprecate | Merge | Move | SplitFolder | AddWikilink
    | Abstract | Revive | Nudge | Archive | Pin | Confirm | Affirm | Condense | Contradict | Rewrite | Adopt | Bring | Bump
)  # fmt: skip
