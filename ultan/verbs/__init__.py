"""One module per thing you can ask for; each returns values and prints nothing."""
