"""The scenarios of the books are played by test_atlas.py, with the vocabulary that lies under theirs."""

collect_ignore_glob = ["*.scenario"]
