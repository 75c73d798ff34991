# What other rooms may use.
from independence.api import adopting as adopting
from independence.api import comparing as comparing
from independence.api import files as files
from independence.api import importing as importing
from independence.api import reading as reading
from independence.api import running as running
