# What other rooms, and everybody else, may use.
from independence.testing import loopback as loopback
from independence.testing import sim as sim
