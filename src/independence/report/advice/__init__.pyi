# What other rooms may use, and what is loaded when it is first used.
from independence.report.advice import board as board
from independence.report.advice import published as published
from independence.report.advice import sections as sections
from independence.report.advice import tables as tables
