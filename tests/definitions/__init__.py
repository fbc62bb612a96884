"""Tests of reading and writing definition files."""
