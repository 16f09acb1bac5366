"""Words that the screen, the commands, the report and the benchmarks share; standard library only."""
