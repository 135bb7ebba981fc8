"""How much each mark of a statement speaks for a standing rule.

Positive speaks for, negative against; a statement is proposed from ``THRESHOLD`` on. Fitted by
``docs/adr`` procedure: logistic regression over labelled sessions, halves crossed, rounded.
"""

THRESHOLD = 2.0
WEIGHTS = {
    "standing": 2.2, "never": 2.0, "ask": 1.0, "order": 0.3, "norm": 0.8, "ban": 0.6, "want": 0.8,
    "practice": 0.9, "correction": 0.7, "reminder": 1.6, "annoyed": 0.5, "contrast": 0.6, "opposite": 0.5,
    "general": 0.5, "decide": 0.7, "fact": 0.5, "reason": 0.1, "shout": 0.3, "bang": 0.2, "quoted": 0.2,
    "asks": -1.2, "question": -0.9, "oneoff": -1.2, "report": -0.9, "hedge": -0.3, "tiny": -0.6,
    "rejection": 1.2, "slot": 0.5, "filled": 1.2, "value": 0.2, "weak": -0.6, "offtopic": -2.0, "courtesy": -3.0, "vague": -1.0, "command": 0.5,
}  # fmt: skip
