"""The engine and the oracle never disagree, whatever the program and whatever the order of its parts."""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from agreement import interleave, steps
from generators import generate, permuted

