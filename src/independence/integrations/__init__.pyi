# What other rooms may use.
from independence.integrations import inspect_logs as inspect_logs
from independence.integrations import logs as logs
