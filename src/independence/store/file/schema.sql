-- The schema of a store. A file of another schema is not opened: `database.OTHER` says how its content comes here.

CREATE TABLE editions (
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,             -- first 8 hex of the digest of the resolved suite, or 'published'
    document TEXT NOT NULL,            -- the resolved suite as JSON, every text inlined; of an import without texts
    used_at TEXT NOT NULL,             -- last time a plan was made on it
    read_as TEXT NOT NULL DEFAULT '',  -- of an import: the suite whose rubrics grade it, as JSON
    wording TEXT NOT NULL DEFAULT '',  -- digest of what models and judges read; '' where it is not known
    digest INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (suite, edition)
);
CREATE TABLE personas (                -- system prompts brought by users
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,
    variant TEXT NOT NULL,
    text TEXT NOT NULL,
    digest INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (suite, edition, variant)
);
CREATE TABLE subjects (
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,
    config_dir TEXT NOT NULL,          -- published directory grammar
    label TEXT NOT NULL,
    model_id TEXT NOT NULL,
    simulated INTEGER NOT NULL,
    config TEXT NOT NULL DEFAULT '',   -- JSON; '' for imports
    digest INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (suite, edition, config_dir)
);
CREATE TABLE trials (                  -- dialogues by content: editions that ask the same thing share them
    key TEXT PRIMARY KEY,
    parent TEXT,                       -- key of the trial whose transcript this one continues
    turns INTEGER NOT NULL,            -- generated turns
    shape TEXT NOT NULL                -- JSON: what the key was made of, long texts as digests
) WITHOUT ROWID;
CREATE TABLE planned (                 -- which trial stands at which place of an edition
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,
    variant TEXT NOT NULL,
    mode TEXT NOT NULL,
    config_dir TEXT NOT NULL,
    scenario TEXT NOT NULL,
    run INTEGER NOT NULL,
    experiment TEXT NOT NULL,
    trial TEXT NOT NULL,
    planned_at TEXT NOT NULL,
    turns INTEGER NOT NULL,            -- as of the trial, as the next: boards read no other table of plans
    parent TEXT,
    digest INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (suite, edition, variant, mode, config_dir, scenario, run)
) WITHOUT ROWID;
CREATE INDEX planned_trial ON planned (trial);

-- Tables whose rows hold long texts have rowids: SQLite reads those without along with every row that it passes.
CREATE TABLE calls (
    trial TEXT NOT NULL,
    turn INTEGER NOT NULL,             -- 0-based among generated turns
    version INTEGER NOT NULL DEFAULT 0, -- 0 is current; an older answer that was replaced keeps 1, 2, ...
    turn_id TEXT NOT NULL,
    context TEXT NOT NULL,             -- digest of everything before the answer
    after TEXT NOT NULL,               -- digest of everything up to and with the answer
    missing TEXT,                      -- reason, where no usable answer came
    detail TEXT NOT NULL DEFAULT '',   -- the same in a sentence; '' where nobody said why
    flags TEXT NOT NULL,               -- JSON array
    cost_usd REAL NOT NULL,
    unknown_usd REAL NOT NULL,         -- reserved for attempts whose cost never came back
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    answered_at TEXT NOT NULL,
    channel TEXT,                      -- tool or content
    finish_reason TEXT,
    served_model TEXT NOT NULL,
    served_provider TEXT NOT NULL,
    response_id TEXT NOT NULL,
    text TEXT NOT NULL,
    raw TEXT NOT NULL,
    thinking TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    tool_calls TEXT NOT NULL,          -- JSON array, as on the wire
    attempts TEXT NOT NULL,            -- JSON array
    messages BLOB,                     -- request as it was published (imports only)
    said TEXT NOT NULL DEFAULT '',     -- digest of its words, whatever they answer
    PRIMARY KEY (trial, turn, version)
);
CREATE TABLE verdicts (
    key TEXT PRIMARY KEY NOT NULL,
    trial TEXT NOT NULL,
    judge TEXT NOT NULL,
    pass INTEGER NOT NULL,
    rubric TEXT NOT NULL,              -- digest
    context TEXT NOT NULL,             -- the dialogue it grades: `after` of its last call
    missing TEXT,                      -- as of a call, as the next
    detail TEXT NOT NULL DEFAULT '',
    fields TEXT NOT NULL,              -- JSON object of the values
    cost_usd REAL NOT NULL,
    unknown_usd REAL NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    judged_at TEXT NOT NULL,
    settings TEXT NOT NULL,            -- JSON
    reasoning TEXT NOT NULL,
    raw TEXT NOT NULL,
    attempts TEXT NOT NULL,            -- JSON array
    quote TEXT,                        -- the passage that the judge went by
    quote_found INTEGER,               -- whether it is in the replies
    digest INTEGER NOT NULL DEFAULT 0
);
-- What boards read of a verdict, without the texts.
CREATE INDEX verdicts_short ON verdicts (
    trial, judge, rubric, context, missing, fields, cost_usd, judged_at, quote_found, digest
);
CREATE TABLE artefacts (               -- what a judge wrote before it graded
    key TEXT PRIMARY KEY NOT NULL,
    trial TEXT NOT NULL,
    judge TEXT NOT NULL,
    step TEXT NOT NULL,
    position INTEGER NOT NULL,
    wording TEXT NOT NULL,
    context TEXT NOT NULL,
    missing TEXT,
    detail TEXT NOT NULL DEFAULT '',
    cost_usd REAL NOT NULL,
    unknown_usd REAL NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    written_at TEXT NOT NULL,
    settings TEXT NOT NULL,
    text TEXT NOT NULL,
    raw TEXT NOT NULL,
    attempts TEXT NOT NULL,
    digest INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX artefacts_short ON artefacts (trial, judge, context, missing, cost_usd, key, digest);
CREATE TABLE failures (                -- calls that could not be settled: asked again on resume
    trial TEXT NOT NULL,
    what TEXT NOT NULL,                -- turn id or judge
    kind TEXT NOT NULL,
    detail TEXT NOT NULL,
    cost_usd REAL NOT NULL,
    unknown_usd REAL NOT NULL,
    attempts TEXT NOT NULL,
    failed_at TEXT NOT NULL,
    digest INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX failures_of_trial ON failures (trial);
CREATE TABLE attempts (                -- written before the next attempt of the call is made, gone once it is settled
    trial TEXT NOT NULL,
    what TEXT NOT NULL,                -- turn id or judge, as in `failures`
    number INTEGER NOT NULL,           -- from 0
    request TEXT NOT NULL,             -- digest of what was asked
    attempt TEXT NOT NULL,             -- JSON: how it ended and what it took
    answer TEXT,                       -- JSON: what came; NULL: no answer
    digest INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (trial, what, number)
) WITHOUT ROWID;
CREATE TABLE leases (                  -- which process works on a trial
    trial TEXT PRIMARY KEY,
    owner TEXT NOT NULL,               -- host:pid:nonce
    until REAL NOT NULL                -- unix seconds
) WITHOUT ROWID;
CREATE TABLE sidecars (                -- further files of imported runs, as they came
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,
    config_dir TEXT NOT NULL,
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (suite, edition, config_dir, run, name)
);
CREATE TABLE names (                   -- what an extractor read out of one run's identity dialogues
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,
    variant TEXT NOT NULL,
    mode TEXT NOT NULL,
    config_dir TEXT NOT NULL,
    run INTEGER NOT NULL,
    extractor TEXT NOT NULL,           -- model id, or 'cues'
    source TEXT NOT NULL,              -- digest of the dialogues it read: others since make it stale
    missing TEXT,                      -- reason, where nothing usable came
    names TEXT NOT NULL,               -- JSON array of {name, sources: [scenario]}
    declined TEXT NOT NULL,            -- JSON array of scenarios in which a name was refused
    primary_name TEXT,
    cost_usd REAL NOT NULL,
    unknown_usd REAL NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    extracted_at TEXT NOT NULL,
    raw TEXT NOT NULL,
    attempts TEXT NOT NULL,            -- JSON array
    PRIMARY KEY (suite, edition, variant, mode, config_dir, run, extractor)
) WITHOUT ROWID;
CREATE TABLE sessions (                -- clear-cache leaves them alone
    id INTEGER PRIMARY KEY,
    began_at TEXT NOT NULL,
    last_at TEXT NOT NULL,             -- of the last change
    command TEXT NOT NULL,
    about TEXT NOT NULL,               -- suite@edition
    spent_usd REAL NOT NULL,           -- reserved for attempts of unknown cost included
    unknown_usd REAL NOT NULL,
    digest INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE progress (
    owner TEXT PRIMARY KEY,            -- as of a lease
    at REAL NOT NULL,                  -- when the snapshot was written, seconds since 1970
    snapshot TEXT NOT NULL             -- JSON
) WITHOUT ROWID;
CREATE TABLE verifications (           -- why an import is taken to have a wording
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,             -- the import
    wording TEXT NOT NULL,             -- of the suite that it was compared with
    requests INTEGER NOT NULL,         -- that were compared
    equal INTEGER NOT NULL,
    exceptions TEXT NOT NULL,          -- JSON object: reason -> count
    verified_at TEXT NOT NULL,
    read_as_before TEXT NOT NULL,      -- what the import was graded by until then
    configurations TEXT NOT NULL,      -- JSON object: config_dir -> why it is set aside, '' where it is not
    digest INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (suite, edition)
) WITHOUT ROWID;
CREATE TABLE deliveries (              -- whether every part of a request reaches a model, as its server counts tokens
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,               -- id at the endpoint, with +PROVIDER where one is pinned
    delivery TEXT NOT NULL,            -- a delivery mode, or 'judge'
    probed_at TEXT NOT NULL,           -- beside the rest of the key: SQLite 3.40 checks such tables wrongly otherwise
    address TEXT NOT NULL,             -- without anything secret
    template TEXT NOT NULL,            -- digest of the server's chat template; '' where it does not tell
    version TEXT NOT NULL,             -- of this package
    found TEXT NOT NULL,               -- JSON
    digest INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (endpoint, model, delivery, probed_at)
) WITHOUT ROWID;
CREATE TABLE decisions (               -- as they were planned, before anything of them was looked at
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,
    sides TEXT NOT NULL,               -- sorted JSON array of [config_dir, variant, mode]
    margin REAL NOT NULL,              -- index points
    runs INTEGER NOT NULL,             -- at most of each side, in calls' worth
    planned_at TEXT NOT NULL,
    below TEXT NOT NULL,               -- JSON array of [config_dir, variant, mode, stage from which on it was surely below]
    digest INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (suite, edition, sides)
) WITHOUT ROWID;

-- What follows from answers, written with them: how far those of a trial go, and which of a run repeat others of it.
CREATE TABLE dialogues (
    trial TEXT PRIMARY KEY,
    start_context TEXT,                -- `context` of its first answer; NULL: the key of the trial
    at TEXT,                           -- digest of the dialogue up to its last answer in line; NULL: none is current
    answered INTEGER NOT NULL,         -- answers in line
    missing TEXT,                      -- reason of the first turn that came to nothing
    broken INTEGER NOT NULL,           -- there are others, given on a history that was replaced
    flags TEXT,                        -- `flags` of its answers, joined by commas; NULL: none has any
    said TEXT NOT NULL,                -- the first 16 digits of each answer's `said`
    thought INTEGER NOT NULL,          -- an answer took reasoning tokens, or came with the reasoning
    first_at TEXT,                     -- `answered_at`, where that is known
    last_at TEXT,
    cost_usd REAL NOT NULL,            -- of all its calls, replaced answers included
    digest INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TRIGGER dialogues_until_change AFTER UPDATE ON calls
BEGIN
    DELETE FROM dialogues WHERE trial IN (OLD.trial, NEW.trial);
END;
CREATE TRIGGER dialogues_until_deletion AFTER DELETE ON calls
BEGIN
    DELETE FROM dialogues WHERE trial = OLD.trial;
END;

CREATE TABLE repetitions (
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,
    variant TEXT NOT NULL,
    mode TEXT NOT NULL,
    config_dir TEXT NOT NULL,
    run INTEGER NOT NULL,
    answers TEXT NOT NULL,             -- digest of all answers of the run: with others it holds no more
    repeated TEXT NOT NULL,            -- JSON: scenario -> for each of its answers a sign, as `repetitions.py` has it
    digest INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (suite, edition, variant, mode, config_dir, run)
) WITHOUT ROWID;

CREATE TABLE tallies (                 -- of each table whose rows have digests; kept by triggers
    name TEXT PRIMARY KEY,
    rows INTEGER NOT NULL,
    digests INTEGER NOT NULL           -- their sum
) WITHOUT ROWID;
