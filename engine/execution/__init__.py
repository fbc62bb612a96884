"""Processes of jobs: their directories, their start, their end, and the certainty that they are gone."""
