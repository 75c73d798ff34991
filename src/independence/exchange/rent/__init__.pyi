# What other rooms may use.
from independence.exchange.rent import reader as reader
from independence.exchange.rent import records as records
from independence.exchange.rent import summary as summary
from independence.exchange.rent import words as words
