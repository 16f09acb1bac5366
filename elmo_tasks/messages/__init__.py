"""Texts of the UI, the CLI, the report and the benchmarks; standard library only."""
