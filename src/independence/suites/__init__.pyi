# What other rooms may use.
from independence.suites import digest as digest
from independence.suites import grid as grid
from independence.suites import load as load
from independence.suites import schema as schema
from independence.suites import script as script
from independence.suites import template as template
from independence.suites import without_texts as without_texts
