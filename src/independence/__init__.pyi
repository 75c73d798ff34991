from independence.api.running import aestimate_cost as aestimate_cost
from independence.api.running import agrade as agrade
from independence.api.running import arerun as arerun
from independence.api.running import arun as arun
from independence.api.running import estimate_cost as estimate_cost
from independence.api.running import grade as grade
from independence.api.running import rerun as rerun
from independence.api.running import run as run
from independence.config.options import ConnectionOptions as ConnectionOptions
from independence.config.options import GradeOptions as GradeOptions
from independence.config.options import GridPart as GridPart
from independence.config.options import OfflineOptions as OfflineOptions
from independence.config.options import RerunOptions as RerunOptions
from independence.config.options import RunOptions as RunOptions
from independence.engine.events import Event as Event
from independence.engine.pipeline import RunPreview as RunPreview
from independence.engine.pipeline import RunResult as RunResult
from independence.errors import IndependenceError as IndependenceError
from independence.errors import UsageError as UsageError
from independence.types import Sampling as Sampling

__version__: str
