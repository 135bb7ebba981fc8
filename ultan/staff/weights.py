"""How much each mark of a statement speaks for a standing rule.

Positive speaks for, negative against; a statement is proposed from ``THRESHOLD`` on. The numbers
are a logistic regression over labelled sessions of two kinds (curt orders to a coding agent, and
long talks between colleagues), drawn towards hand-set values so that marks the sessions lack keep
a sensible weight, rounded. Crossed halves gave precision .74 at recall .40 over conventions,
preferences and warnings, in sample .78 at .50; see docs/adr on the clerk.
"""

THRESHOLD = 3.5
WEIGHTS = {
    # constructions that mostly occur when a rule is laid down
    "protest": 2.4, "refused": 1.8, "purpose": 1.7, "declared": 1.3, "ordained": 1.2, "required": 1.8, "granted": 1.0,
    "principle": 0.9, "grounded": 0.8, "forsworn": 0.8, "barred": 0.7, "bounded": 0.6, "scolded": 0.6, "denied": 0.6,
    "stressed": 0.4, "forbidden": 0.4,
    # single cues
    "standing": 1.4, "never": 1.2, "correction": 1.1, "reminder": 1.0, "decide": 1.0, "refuse": 1.0, "everywhere": 0.9,
    "command": 0.9, "slot": 0.7, "accept": 0.7, "fact": 0.7, "annoyed": 0.6, "practice": 0.5, "norm": 0.5, "want": 0.5,
    "ban": 0.5, "value": 0.5, "ask": 0.3, "reason": 0.3, "danger": 0.2, "opposite": 0.2, "filled": 0.4, "whole": 0.6, "contrast": 0.2,
    "assign": 0.2, "order": 0.1, "dictating": 0.1, "long": 0.3, "short": 0.3, "rejection": 1.2,
    # what an order of the moment, a question, a report or a courtesy looks like
    "tiny": -0.2, "object": -0.2, "ruledoc": -0.2, "general": -0.2, "hedge": -0.4, "oneoff": -0.5, "question": -0.6,
    "asks": -0.6, "weak": -0.8, "report": -0.9, "vague": -1.0, "offtopic": -1.0, "courtesy": -2.2,
}  # fmt: skip
