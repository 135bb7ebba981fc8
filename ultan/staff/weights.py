"""How much each mark of a statement speaks for a standing rule.

Positive speaks for, negative against; a statement is proposed from ``THRESHOLD`` on. The numbers
are a logistic regression over labelled sessions of two kinds (curt orders to a coding agent, and
long talks between colleagues), drawn towards hand-set values so that marks the sessions lack keep
a sensible weight, rounded by hand. Before that rounding crossed halves gave precision .74 at recall
.40 over conventions, preferences and warnings; the shipped table .77 at .55 in sample; see docs/adr/0031-the-clerk.md.
"""

from ultan.library.actions import Kind

THRESHOLD = 3.5
WEIGHTS = {
    # constructions that mostly occur when a rule is laid down
    "protest": 2.4, "refused": 1.8, "purpose": 1.7, "declared": 1.3, "ordained": 1.5, "required": 2.2, "granted": 1.0,
    "principle": 1.0, "universal": 2.0, "commanded": 1.1,
    "conditional": 1.0, "plain": 1.4, "grounded": 0.8, "forsworn": 0.8, "barred": 0.9, "bounded": 0.6, "scolded": 0.6, "denied": 0.6,
    "stressed": 0.4, "forbidden": 0.4,
    # single cues
    "entrust": 3.4, "entrusted": 1.0, "noted": 4.5, "swapped": 1.3, "local": 3.0, "standing": 2.0, "never": 2.0, "taste": 3.9, "forbid": 2.0, "mind": 1.0, "onward": 0.9, "opposed": 0.8, "correction": 1.1, "reminder": 1.0, "decide": 1.0, "refuse": 1.0, "everywhere": 0.9,
    "command": 1.1, "slot": 0.7, "accept": 0.7, "fact": 0.7, "annoyed": 0.6, "practice": 0.5, "norm": 0.5, "want": 0.5,
    "ban": 0.5, "value": 0.5, "ask": 0.3, "reason": 0.3, "danger": 0.2, "opposite": 0.2, "filled": 0.4, "whole": 0.6, "contrast": 0.2,
    "assign": 0.2, "order": 0.1, "dictating": 0.1, "long": 0.3, "short": 0.3, "rejection": 2.2,
    # what an order of the moment, a question, a report or a courtesy looks like
    "tiny": -0.2, "object": -0.2, "ruledoc": -0.2, "general": -0.2, "hedge": -0.4, "oneoff": -0.5, "question": -0.6,
    "asks": -0.6, "weak": -0.8, "idle": -2.0, "loose": -1.2, "report": -0.9, "vague": -1.0, "offtopic": -1.0, "relayed": -1.5, "courtesy": -2.2,
}  # fmt: skip

# What the marks (and, with "=", the concepts) of a statement say about the kind of memory; "" is the
# starting value. Fitted as above; in sample .8 right, over crossed fifths .55: where a fact about
# one feature ends and a convention begins is a matter of taste even between people.
KINDS: dict[Kind, dict[str, float]] = {
    "convention": {
        "placed": 1.0, "pronoun": 2.2, "local": 1.8,
        "required": 1.5, "ordained": 1.5, "ruledoc": 1.3, "standing": 1.3, "never": 1.2, "anaphor": 1.0,
        "practice": 1.0, "principle": 1.0, "universal": 2.0, "protest": 0.9, "stressed": 0.8, "bounded": 0.8, "barred": 1.0,
        "forbidden": 0.6, "value": 0.6, "purpose": 0.6, "decide": 0.6, "command": 0.5, "grounded": 0.5,
        "=build": 0.5, "ban": 0.5, "denied": 0.4, "report": 0.4, "ask": 0.4, "order": 0.4, "annoyed": 0.3,
        "=doc": 0.3, "=tool": 0.3, "opposite": 0.3, "granted": 0.3, "=code": 0.3, "weak": 0.2, "scolded":
        0.2, "=function": 0.2, "=file": 0.2, "norm": 0.2, "quoted": 0.2, "=test": 0.2, "general": 0.2,
        "filled": 0.2, "shout": -0.2, "fact": -0.2, "=api": -0.2, "=interaction": -0.3, "contrast": -0.3,
        "=config": -0.3, "agent": -0.3, "asks": -0.3, "=repository": -0.3, "=interface": -0.3, "danger":
        -0.3, "dictating": -0.4, "personal": -0.4, "declared": -0.4, "assign": -0.4, "want": -0.5, "reason":
        -0.6, "": -0.7,
    },
    "finding": {
        "declared": 1.7, "reason": 1.4, "granted": 1.1, "assign": 0.7, "oneoff": 0.7, "=interface": 0.5,
        "denied": 0.5, "fact": 0.4, "command": 0.4, "refused": 0.4, "forbidden": 0.4, "purpose": 0.4,
        "=config": 0.4, "value": 0.4, "=data": 0.3, "correction": 0.3, "=interaction": 0.3, "code": 0.3,
        "accept": 0.2, "=command": 0.2, "offtopic": 0.2, "general": 0.2, "=repository": 0.2, "ruledoc":
        -0.2, "=function": -0.2, "scolded": -0.2, "decide": -0.2, "report": -0.2, "=test": -0.2, "=code":
        -0.3, "=build": -0.3, "=doc": -0.3, "danger": -0.3, "annoyed": -0.4, "anaphor": -0.4, "reminder":
        -0.4, "short": -0.5, "": 1.1,
    },
    "preference": {
        "valued": 2.5, "taste": 2.0, "habitual": 1.0,
        "agent": 1.9, "=interaction": 1.0, "=doc": 0.8, "personal": 0.8, "=comment": 1.4, "want": 0.7,
        "standing": 0.5, "everywhere": 0.5, "shout": 0.4, "asks": 0.4, "annoyed": 0.3, "reminder": 0.3,
        "=api": 0.3, "dictating": 0.2, "norm": 0.2, "barred": 0.2, "refuse": 0.2, "short": 0.2, "hedge":
        0.2, "forbidden": -0.2, "=repository": -0.2, "danger": -0.2, "oneoff": -0.2, "code": -0.2, "ban":
        -0.2, "=data": -0.2, "offtopic": -0.2, "decide": -0.2, "=file": -0.2, "opposite": -0.3, "purpose":
        -0.3, "=tool": -0.4, "value": -0.5, "": -0.6,
    },
    "warn": {
        "perilous": 3.0,
        "danger": 2.5, "=repository": 0.3, "reason": 0.3, "short": 0.3, "never": 0.3, "fact": 0.3, "accept":
        0.3, "contrast": 0.2, "want": 0.2, "dictating": 0.2, "ban": 0.2, "personal": 0.2, "=doc": -0.2,
        "shout": -0.2, "oneoff": -0.2, "correction": -0.2, "anaphor": -0.2, "general": -0.3, "": -1.4,
    },
}  # fmt: skip
