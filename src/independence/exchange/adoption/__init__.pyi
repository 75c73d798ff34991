# What other rooms may use.
from independence.exchange.adoption import imported_requests as imported_requests
from independence.exchange.adoption import suite_folder as suite_folder
from independence.exchange.adoption import verifying as verifying
