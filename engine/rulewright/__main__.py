"""Runs the command line: ``python -m rulewright``."""

from rulewright.cli.app import main

if __name__ == "__main__":
    main()
