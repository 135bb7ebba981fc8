"""How much each mark of a statement speaks for a standing rule.

Positive speaks for, negative against; a statement is proposed from ``THRESHOLD`` on. The numbers
are a logistic regression over labelled sessions of two kinds (curt orders to a coding agent, and
long talks between colleagues), drawn towards hand-set values so that marks the sessions lack keep
a sensible weight, rounded by hand. Before that rounding crossed halves gave precision .74 at recall
.40 over conventions, preferences and warnings; the shipped table .76 at .59 in sample; see docs/adr/0031-the-clerk.md.
"""

THRESHOLD = 3.5
WEIGHTS = {
    # constructions that mostly occur when a rule is laid down
    "protest": 2.4, "refused": 1.8, "purpose": 1.7, "declared": 1.3, "ordained": 1.5, "required": 2.2, "granted": 1.0,
    "principle": 1.0, "universal": 2.0, "commanded": 1.3,
    "conditional": 1.0, "plain": 1.4, "grounded": 0.8, "forsworn": 0.8, "barred": 0.9, "bounded": 0.6, "scolded": 0.6, "denied": 0.6,
    "stressed": 0.4, "forbidden": 0.4,
    # single cues
    "entrust": 3.4, "entrusted": 1.0, "noted": 4.5, "swapped": 1.3, "local": 3.0, "decreed": 3.2, "mannered": 3.6, "sweeping": 3.0, "recurrent": 3.5,
    "limited": 2.8, "provided": 1.3, "located": 3.7, "contrasted": 1.4, "obliged": 0.2, "standing": 2.0, "never": 2.0, "taste": 3.9, "forbid": 2.0, "mind": 1.0, "onward": 0.9, "opposed": 0.8, "correction": 1.1, "reminder": 1.0, "decide": 1.0, "refuse": 1.0, "everywhere": 0.9,
    "command": 1.1, "slot": 0.7, "accept": 0.7, "fact": 0.7, "annoyed": 0.6, "practice": 0.5, "norm": 0.5, "want": 0.5,
    "ban": 0.5, "value": 0.5, "ask": 0.3, "reason": 0.3, "danger": 0.2, "opposite": 0.2, "filled": 0.4, "whole": 0.6, "contrast": 0.2,
    "assign": 0.2, "order": 0.1, "dictating": 0.1, "long": 0.3, "short": 0.3, "rejection": 2.2,
    "spelled": 1.6,
    # forms that say what holds (constructions.py)
    "settled": 4.0, "ours": 3.8, "habit": 3.6, "generic": 3.7, "nothing": 3.3, "therefore": 3.3, "usual": 4.1, "chosen": 3.2, "cease": 3.0, "before": 3.4, "liking": 3.4, "custom": 3.4, "none": 3.2, "plural": 3.7, "tongue": 3.6, "fragment": 3.5,
    # what an order of the moment, a question, a report or a courtesy looks like
    "tiny": -0.2, "object": -0.2, "ruledoc": -0.2, "general": -0.2, "hedge": -0.4, "oneoff": -0.5, "question": -0.6,
    "asks": -0.6, "weak": -0.8, "idle": -2.0, "loose": -1.2, "report": -0.9, "vague": -1.0, "announcing": -0.8, "offtopic": -1.0, "relayed": -1.5, "recollected": -2.4, "worldly": -1.6, "courtesy": -2.2, "story": -2.6,
}  # fmt: skip

# Whether a rule is about the person and how the agent works, whatever the project (positive), or about
# one project's own things ("elsewhere": said in another project, too). Hand-set; only the starting value was chosen on labelled sessions. A rule
# without any of PERSONAL stays with its project.
PERSONAL = frozenset(("agent", "mannered", "taste", "personal", "habitual", "everywhere", "protest", "forbid", "annoyed", "ruledoc", "=interaction", "elsewhere"))
SCOPE = {
    "taste": 1.5, "mannered": 1.5, "habitual": 1.5, "elsewhere": 1.0, "agent": 1.2, "=interaction": 0.8, "personal": 0.5, "=comment": 0.5, "protest": 0.4,
    "forbid": 0.4, "ruledoc": 0.3, "=review": 0.3, "annoyed": 0.2, "=commit": 0.2,
    "anaphor": -0.2, "fact": -0.3, "value": -0.4, "practice": -0.4, "=config": -0.4, "=file": -0.4, "=function": -0.4, "=interface": -0.4,
    "code": -0.5, "filled": -0.5, "us": -0.5, "declared": -0.5, "grounded": -0.6, "=build": -0.6, "=tool": -0.7,
    "=data": -0.8, "=api": -0.8, "=ui": -0.8, "purpose": -1.2, "": 0.4,
}  # fmt: skip
