-- The schema. One line `-- migration: NAME` before each step; a step is never edited once released.

-- migration: first schema
CREATE TABLE editions (
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,             -- first 8 hex of the digest of the resolved suite, or 'published'
    document TEXT NOT NULL,            -- the resolved suite as JSON, every text inlined
    used_at TEXT NOT NULL,             -- last time a plan was made on it
    PRIMARY KEY (suite, edition)
);
CREATE TABLE personas (                -- system prompts brought by users
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,
    variant TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (suite, edition, variant)
);
CREATE TABLE subjects (
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,
    config_dir TEXT NOT NULL,          -- published directory grammar
    label TEXT NOT NULL,
    model_id TEXT NOT NULL,
    simulated INTEGER NOT NULL,
    PRIMARY KEY (suite, edition, config_dir)
);
CREATE TABLE trials (                  -- dialogues by content: editions that ask the same thing share them
    key TEXT PRIMARY KEY,
    parent TEXT,                       -- key of the trial whose transcript this one continues
    turns INTEGER NOT NULL,            -- generated turns
    shape TEXT NOT NULL,               -- JSON: what the key was made of, long texts as digests
    lease_owner TEXT,                  -- host:pid:nonce
    lease_until REAL                   -- unix seconds
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
    PRIMARY KEY (suite, edition, variant, mode, config_dir, scenario, run)
) WITHOUT ROWID;
CREATE INDEX planned_trial ON planned (trial);
CREATE TABLE calls (                   -- short columns first: boards never touch the pages that hold texts
    trial TEXT NOT NULL,
    turn INTEGER NOT NULL,             -- 0-based among generated turns
    version INTEGER NOT NULL DEFAULT 0, -- 0 is current; an older answer that was replaced keeps 1, 2, ...
    turn_id TEXT NOT NULL,
    context TEXT NOT NULL,             -- digest of everything before the answer
    after TEXT NOT NULL,               -- digest of everything up to and with the answer
    missing TEXT,                      -- reason, where no usable answer came
    flags TEXT NOT NULL,               -- JSON array
    cost_usd REAL NOT NULL,
    unknown_usd REAL NOT NULL,         -- reserved for attempts whose cost never came back
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    answered_at TEXT NOT NULL,
    channel TEXT,
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
    PRIMARY KEY (trial, turn, version)
) WITHOUT ROWID;
CREATE TABLE verdicts (
    key TEXT PRIMARY KEY,
    trial TEXT NOT NULL,
    judge TEXT NOT NULL,
    pass INTEGER NOT NULL,
    rubric TEXT NOT NULL,              -- digest
    context TEXT NOT NULL,             -- the dialogue it grades: `after` of its last call
    missing TEXT,
    fields TEXT NOT NULL,              -- JSON object of the scores
    cost_usd REAL NOT NULL,
    unknown_usd REAL NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    judged_at TEXT NOT NULL,
    settings TEXT NOT NULL,            -- JSON
    reasoning TEXT NOT NULL,
    raw TEXT NOT NULL,
    attempts TEXT NOT NULL
) WITHOUT ROWID;
-- What boards read of a verdict and of a call, without the texts.
CREATE INDEX verdicts_short ON verdicts (trial, judge, rubric, context, missing, fields, cost_usd, judged_at);
CREATE INDEX calls_short ON calls (trial, turn, version, context, after, missing, flags, cost_usd);
CREATE TABLE failures (                -- calls that could not be settled: asked again on resume
    trial TEXT NOT NULL,
    what TEXT NOT NULL,                -- turn id or judge
    kind TEXT NOT NULL,
    detail TEXT NOT NULL,
    cost_usd REAL NOT NULL,
    unknown_usd REAL NOT NULL,
    attempts TEXT NOT NULL,
    failed_at TEXT NOT NULL
);
CREATE INDEX failures_of_trial ON failures (trial);
CREATE TABLE sidecars (                -- further files of imported runs, as they came
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,
    config_dir TEXT NOT NULL,
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (suite, edition, config_dir, run, name)
) WITHOUT ROWID;

-- migration: whole configuration of a subject, so that it can be asked again; names that subjects chose
ALTER TABLE subjects ADD COLUMN config TEXT NOT NULL DEFAULT ''; -- JSON of config.subjects.Subject; '' for imports
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

-- migration: what judges write before they grade
CREATE TABLE artefacts (               -- outputs of the steps of rubrics
    key TEXT PRIMARY KEY,
    trial TEXT NOT NULL,
    judge TEXT NOT NULL,
    step TEXT NOT NULL,
    position INTEGER NOT NULL,         -- of the step in its rubric, from 0
    wording TEXT NOT NULL,             -- digest of the step's prompt and the variables it quotes
    context TEXT NOT NULL,             -- the dialogue it is about: `after` of its last call
    missing TEXT,                      -- reason, where nothing usable came
    cost_usd REAL NOT NULL,
    unknown_usd REAL NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    written_at TEXT NOT NULL,
    settings TEXT NOT NULL,            -- JSON, the judge's
    text TEXT NOT NULL,
    raw TEXT NOT NULL,                 -- what came, where cleaning changed it
    attempts TEXT NOT NULL             -- JSON array
) WITHOUT ROWID;
CREATE INDEX artefacts_of_trial ON artefacts (trial, judge, context);

-- migration: which verdicts were bought from a model beside those of the offline judge
CREATE TABLE routes (                  -- beside verdicts of offline and hybrid judges
    verdict TEXT NOT NULL,             -- its key
    auditor TEXT NOT NULL,             -- the judge that verdicts were bought from
    trial TEXT NOT NULL,
    route TEXT NOT NULL,               -- offline: not bought; unsure: for its doubt; audit: drawn
    probability REAL NOT NULL,         -- of being bought, above 0 where it could be drawn at all
    routed_at TEXT NOT NULL,
    PRIMARY KEY (verdict, auditor)
) WITHOUT ROWID;
CREATE INDEX routes_of_trial ON routes (trial);

-- migration: what every command spent
CREATE TABLE sessions (                -- clear-cache leaves them alone
    id INTEGER PRIMARY KEY,
    began_at TEXT NOT NULL,
    last_at TEXT NOT NULL,             -- of the last change
    command TEXT NOT NULL,
    about TEXT NOT NULL,               -- suite@edition
    spent_usd REAL NOT NULL,           -- reserved for attempts of unknown cost included
    unknown_usd REAL NOT NULL
);
-- What a store of an older version holds was bought in sessions that nobody counted; imports were bought by others.
INSERT INTO sessions (began_at, last_at, command, about, spent_usd, unknown_usd)
SELECT min(at), max(at), 'before the ledger', '', total(usd), total(unknown) FROM (
    SELECT answered_at AS at, cost_usd + unknown_usd AS usd, unknown_usd AS unknown FROM calls WHERE messages IS NULL
    UNION ALL SELECT judged_at, cost_usd + unknown_usd, unknown_usd FROM verdicts WHERE rubric <> 'published'
    UNION ALL SELECT written_at, cost_usd + unknown_usd, unknown_usd FROM artefacts
    UNION ALL SELECT failed_at, cost_usd + unknown_usd, unknown_usd FROM failures
    UNION ALL SELECT extracted_at, cost_usd + unknown_usd, unknown_usd FROM names
) HAVING total(usd) > 0;

-- migration: imported editions hold no words of ours; the suite that they are read by is kept beside them
ALTER TABLE editions ADD COLUMN read_as TEXT NOT NULL DEFAULT ''; -- of an import: our suite (JSON), its rubrics grade

-- migration: a digest of each reply's words, so that equal ones are told without reading them; who thinks
ALTER TABLE calls ADD COLUMN said TEXT NOT NULL DEFAULT ''; -- '' where nothing usable came
UPDATE calls SET said = said_digest(text, thinking) WHERE missing IS NULL;
DROP INDEX calls_short;
CREATE INDEX calls_short ON calls (
    trial, turn, version, context, after, missing, flags, cost_usd, said, reasoning_tokens
);

-- migration: which replies say the same; the version of the rules behind verdicts of the rule judge
ALTER TABLE calls ADD COLUMN words TEXT; -- digest of a reply's words; NULL: none, or older than digests; '': unknown
DROP INDEX calls_short;
CREATE INDEX calls_short ON calls (
    trial, turn, version, context, after, missing, flags, cost_usd, said, reasoning_tokens, words, answered_at
);
CREATE INDEX calls_unmarked ON calls (trial) WHERE words IS NULL AND missing IS NULL AND version = 0;
UPDATE calls SET words = '' WHERE trial IN (SELECT trial FROM planned WHERE edition = 'published');
UPDATE verdicts SET judge = 'cues@1' WHERE judge = 'cues';

-- migration: what an offline or hybrid judge predicts in a column of its own; what came as words is of models alone
ALTER TABLE verdicts ADD COLUMN prediction TEXT; -- JSON, of judges whose verdicts rest on predictions
UPDATE verdicts SET prediction = raw, raw = '' WHERE raw LIKE '{%'
    AND (judge = 'offline' OR judge LIKE 'offline@%' OR judge LIKE 'hybrid:%');

-- migration: which passage a judge went by, and whether the replies hold it
ALTER TABLE verdicts ADD COLUMN quote TEXT; -- NULL: the rubric asks for none
ALTER TABLE verdicts ADD COLUMN quote_found INTEGER; -- 0 or 1; NULL like `quote`
DROP INDEX verdicts_short;
CREATE INDEX verdicts_short ON verdicts (
    trial, judge, rubric, context, missing, fields, cost_usd, judged_at, quote_found
);
UPDATE verdicts SET judge = 'cues@2' WHERE judge = 'cues';

-- migration: editions of one wording
ALTER TABLE editions ADD COLUMN wording TEXT NOT NULL DEFAULT ''; -- digest of what models and judges read; '': unknown
CREATE TABLE verifications (           -- why an import is taken to have a wording
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,             -- the import
    wording TEXT NOT NULL,             -- of the suite that it was compared with
    requests INTEGER NOT NULL,         -- that were compared
    equal INTEGER NOT NULL,
    exceptions TEXT NOT NULL,          -- JSON object: reason -> count
    verified_at TEXT NOT NULL,
    read_as_before TEXT NOT NULL,      -- what the import was graded by until then
    PRIMARY KEY (suite, edition)
) WITHOUT ROWID;

-- migration: what each run says of itself, for who follows it from another process
CREATE TABLE progress (
    owner TEXT PRIMARY KEY,            -- host:pid:nonce of the process, as in leases
    at REAL NOT NULL,                  -- when the snapshot was written, seconds since 1970
    snapshot TEXT NOT NULL             -- JSON
) WITHOUT ROWID;

-- migration: values of verdicts as numbers; tables that hold texts by row number
-- Rows of texts overflow the pages of a table that is ordered by its key, and leave most of what they take empty.
CREATE TABLE field_sets (              -- the fields of verdicts, in order
    id INTEGER PRIMARY KEY,
    layout TEXT NOT NULL UNIQUE        -- JSON: [[field, how `struct` writes its values], ...]
);
CREATE TABLE calls_by_row (
    trial TEXT NOT NULL,
    turn INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 0,
    turn_id TEXT NOT NULL,
    context TEXT NOT NULL,
    after TEXT NOT NULL,
    missing TEXT,
    flags TEXT NOT NULL,
    cost_usd REAL NOT NULL,
    unknown_usd REAL NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    answered_at TEXT NOT NULL,
    channel TEXT,
    finish_reason TEXT,
    served_model TEXT NOT NULL,
    served_provider TEXT NOT NULL,
    response_id TEXT NOT NULL,
    text TEXT NOT NULL,
    raw TEXT NOT NULL,
    thinking TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    tool_calls TEXT NOT NULL,
    attempts TEXT NOT NULL,
    messages BLOB,
    said TEXT NOT NULL DEFAULT '',
    words TEXT,
    PRIMARY KEY (trial, turn, version)
);
INSERT INTO calls_by_row SELECT * FROM calls ORDER BY trial, turn, version;
DROP TABLE calls;
ALTER TABLE calls_by_row RENAME TO calls;
CREATE INDEX calls_short ON calls (
    trial, turn, version, context, after, missing, flags, cost_usd, said, reasoning_tokens, words, answered_at
);
CREATE INDEX calls_unmarked ON calls (trial) WHERE words IS NULL AND missing IS NULL AND version = 0;
CREATE TABLE verdicts_by_row (
    key TEXT PRIMARY KEY NOT NULL,
    trial TEXT NOT NULL,
    judge TEXT NOT NULL,
    pass INTEGER NOT NULL,
    rubric TEXT NOT NULL,
    context TEXT NOT NULL,
    missing TEXT,
    fields TEXT NOT NULL,
    cost_usd REAL NOT NULL,
    unknown_usd REAL NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    judged_at TEXT NOT NULL,
    settings TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    raw TEXT NOT NULL,
    attempts TEXT NOT NULL,
    prediction TEXT,
    quote TEXT,
    quote_found INTEGER,
    field_set INTEGER,                 -- NULL: no values
    field_values BLOB                  -- the values in the order of its set
);
INSERT INTO field_sets (layout) SELECT DISTINCT field_layout(fields) AS own FROM verdicts WHERE own IS NOT NULL;
INSERT INTO verdicts_by_row
SELECT v.*, (SELECT id FROM field_sets WHERE layout = field_layout(v.fields)), field_bytes(v.fields)
FROM verdicts v ORDER BY key;
DROP TABLE verdicts;
ALTER TABLE verdicts_by_row RENAME TO verdicts;
-- What boards read of a verdict, without the texts.
CREATE INDEX verdicts_short ON verdicts (
    trial, judge, rubric, context, missing, field_set, field_values, cost_usd, judged_at, quote_found
);
CREATE TABLE artefacts_by_row (
    key TEXT PRIMARY KEY NOT NULL,
    trial TEXT NOT NULL,
    judge TEXT NOT NULL,
    step TEXT NOT NULL,
    position INTEGER NOT NULL,
    wording TEXT NOT NULL,
    context TEXT NOT NULL,
    missing TEXT,
    cost_usd REAL NOT NULL,
    unknown_usd REAL NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    written_at TEXT NOT NULL,
    settings TEXT NOT NULL,
    text TEXT NOT NULL,
    raw TEXT NOT NULL,
    attempts TEXT NOT NULL
);
INSERT INTO artefacts_by_row SELECT * FROM artefacts ORDER BY key;
DROP TABLE artefacts;
ALTER TABLE artefacts_by_row RENAME TO artefacts;
CREATE INDEX artefacts_of_trial ON artefacts (trial, judge, context);
CREATE TABLE sidecars_by_row (
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,
    config_dir TEXT NOT NULL,
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (suite, edition, config_dir, run, name)
);
INSERT INTO sidecars_by_row SELECT * FROM sidecars ORDER BY suite, edition, config_dir, run, name;
DROP TABLE sidecars;
ALTER TABLE sidecars_by_row RENAME TO sidecars;
-- A heartbeat finds the trials of its process without reading all others.
CREATE INDEX trials_leased ON trials (lease_owner) WHERE lease_owner IS NOT NULL;
-- What states are read by, beside the places: a trial's never change.
ALTER TABLE planned ADD COLUMN turns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE planned ADD COLUMN parent TEXT;
UPDATE planned SET (turns, parent) = (SELECT t.turns, t.parent FROM trials t WHERE t.key = planned.trial)
WHERE EXISTS (SELECT 1 FROM trials t WHERE t.key = planned.trial);

-- migration: what boards read of a finished dialogue, in one row; costs of calls that cost something
CREATE TABLE finished (                -- dialogues whose turns are all answered, one after the other; follows from `calls`
    trial TEXT PRIMARY KEY,
    start_context TEXT,                -- `context` of its first answer; NULL: the key of the trial
    end_context TEXT NOT NULL,         -- `after` of its last answer
    flags TEXT,                        -- `flags` of its answers, joined by commas; NULL: none has any
    said TEXT NOT NULL,                -- the first 16 digits of each answer's `said`
    words TEXT NOT NULL,               -- each answer's `words`, 16 digits; dashes: unknown
    thought INTEGER NOT NULL,          -- an answer took reasoning tokens
    first_at TEXT,                     -- `answered_at`, where that is known
    last_at TEXT
) WITHOUT ROWID;
CREATE VIEW finished_by_calls AS       -- what `finished` holds, from `calls`
SELECT c.trial AS trial,
    nullif(min(iif(c.turn = 0, c.context, NULL)), c.trial) AS start_context,
    max(iif(c.turn = t.turns - 1, c.after, NULL)) AS end_context,
    iif(count(nullif(c.flags, '[]')), group_concat(c.flags), NULL) AS flags,
    group_concat(substr(c.said, 1, 16), '') AS said,
    group_concat(ifnull(nullif(c.words, ''), '----------------'), '') AS words,
    max(c.reasoning_tokens > 0) AS thought,
    min(nullif(c.answered_at, '')) AS first_at,
    max(nullif(c.answered_at, '')) AS last_at
FROM calls c CROSS JOIN trials t ON t.key = c.trial
WHERE c.version = 0
GROUP BY c.trial
HAVING count(*) = t.turns AND count(c.missing) = 0 AND min(length(c.said)) >= 16
    AND group_concat(iif(c.turn > 0, c.context, NULL)) IS group_concat(iif(c.turn < t.turns - 1, c.after, NULL));
INSERT INTO finished SELECT * FROM finished_by_calls;
-- The same for a dialogue of one turn, which takes a fraction of the time.
CREATE TRIGGER finished_at_only_answer AFTER INSERT ON calls
WHEN NEW.turn = 0 AND NEW.version = 0 AND NEW.missing IS NULL AND length(NEW.said) >= 16
    AND (SELECT turns FROM trials WHERE key = NEW.trial) = 1
BEGIN
    INSERT OR REPLACE INTO finished VALUES (
        NEW.trial, nullif(NEW.context, NEW.trial), NEW.after, nullif(NEW.flags, '[]'), substr(NEW.said, 1, 16),
        ifnull(nullif(NEW.words, ''), '----------------'), NEW.reasoning_tokens > 0, nullif(NEW.answered_at, ''),
        nullif(NEW.answered_at, '')
    );
END;
CREATE TRIGGER finished_at_last_answer AFTER INSERT ON calls
WHEN NEW.turn > 0 AND NEW.version = 0 AND NEW.missing IS NULL
    AND NEW.turn + 1 = (SELECT turns FROM trials WHERE key = NEW.trial)
BEGIN
    INSERT OR REPLACE INTO finished SELECT * FROM finished_by_calls WHERE trial = NEW.trial;
END;
CREATE TRIGGER finished_after_change AFTER UPDATE ON calls
BEGIN
    DELETE FROM finished WHERE trial IN (OLD.trial, NEW.trial);
    INSERT INTO finished SELECT * FROM finished_by_calls WHERE trial = NEW.trial;
END;
CREATE TRIGGER finished_after_deletion AFTER DELETE ON calls
BEGIN
    DELETE FROM finished WHERE trial = OLD.trial;
END;
DROP INDEX calls_short;
CREATE INDEX calls_paid ON calls (trial, turn, version, cost_usd) WHERE cost_usd <> 0;
CREATE INDEX verdicts_paid ON verdicts (trial, judge, rubric, context, cost_usd) WHERE cost_usd <> 0;

-- migration: what boards read of a subject, in one row
CREATE TABLE kept_dialogues (          -- `subject_dialogues`, MessagePack; follows from `planned`, `finished`, `verdicts`
    suite TEXT NOT NULL,
    edition TEXT NOT NULL,
    variant TEXT NOT NULL,
    mode TEXT NOT NULL,
    config_dir TEXT NOT NULL,
    judge TEXT NOT NULL,               -- empty: nobody graded
    dialogues BLOB NOT NULL,
    PRIMARY KEY (suite, edition, variant, mode, config_dir, judge)
);
CREATE TRIGGER kept_until_insertion_in_planned AFTER INSERT ON planned
WHEN EXISTS (SELECT 1 FROM kept_dialogues)
BEGIN
    DELETE FROM kept_dialogues WHERE suite = NEW.suite AND edition = NEW.edition AND variant = NEW.variant
        AND mode = NEW.mode AND config_dir = NEW.config_dir;
END;
CREATE TRIGGER kept_until_change_in_planned AFTER UPDATE ON planned
WHEN EXISTS (SELECT 1 FROM kept_dialogues)
BEGIN
    DELETE FROM kept_dialogues WHERE suite = OLD.suite AND edition = OLD.edition AND variant = OLD.variant
        AND mode = OLD.mode AND config_dir = OLD.config_dir;
    DELETE FROM kept_dialogues WHERE suite = NEW.suite AND edition = NEW.edition AND variant = NEW.variant
        AND mode = NEW.mode AND config_dir = NEW.config_dir;
END;
CREATE TRIGGER kept_until_deletion_in_planned AFTER DELETE ON planned
WHEN EXISTS (SELECT 1 FROM kept_dialogues)
BEGIN
    DELETE FROM kept_dialogues WHERE suite = OLD.suite AND edition = OLD.edition AND variant = OLD.variant
        AND mode = OLD.mode AND config_dir = OLD.config_dir;
END;
CREATE TRIGGER kept_until_insertion_in_finished AFTER INSERT ON finished
WHEN EXISTS (SELECT 1 FROM kept_dialogues)
BEGIN
    DELETE FROM kept_dialogues WHERE (suite, edition, variant, mode, config_dir) IN (
        SELECT suite, edition, variant, mode, config_dir FROM planned WHERE trial IN (NEW.trial)
    );
END;
CREATE TRIGGER kept_until_change_in_finished AFTER UPDATE ON finished
WHEN EXISTS (SELECT 1 FROM kept_dialogues)
BEGIN
    DELETE FROM kept_dialogues WHERE (suite, edition, variant, mode, config_dir) IN (
        SELECT suite, edition, variant, mode, config_dir FROM planned WHERE trial IN (OLD.trial, NEW.trial)
    );
END;
CREATE TRIGGER kept_until_deletion_in_finished AFTER DELETE ON finished
WHEN EXISTS (SELECT 1 FROM kept_dialogues)
BEGIN
    DELETE FROM kept_dialogues WHERE (suite, edition, variant, mode, config_dir) IN (
        SELECT suite, edition, variant, mode, config_dir FROM planned WHERE trial IN (OLD.trial)
    );
END;
CREATE TRIGGER kept_until_insertion_in_verdicts AFTER INSERT ON verdicts
WHEN EXISTS (SELECT 1 FROM kept_dialogues)
BEGIN
    DELETE FROM kept_dialogues WHERE (suite, edition, variant, mode, config_dir) IN (
        SELECT suite, edition, variant, mode, config_dir FROM planned WHERE trial IN (NEW.trial)
    );
END;
CREATE TRIGGER kept_until_change_in_verdicts AFTER UPDATE ON verdicts
WHEN EXISTS (SELECT 1 FROM kept_dialogues)
BEGIN
    DELETE FROM kept_dialogues WHERE (suite, edition, variant, mode, config_dir) IN (
        SELECT suite, edition, variant, mode, config_dir FROM planned WHERE trial IN (OLD.trial, NEW.trial)
    );
END;
CREATE TRIGGER kept_until_deletion_in_verdicts AFTER DELETE ON verdicts
WHEN EXISTS (SELECT 1 FROM kept_dialogues)
BEGIN
    DELETE FROM kept_dialogues WHERE (suite, edition, variant, mode, config_dir) IN (
        SELECT suite, edition, variant, mode, config_dir FROM planned WHERE trial IN (OLD.trial)
    );
END;

-- migration: leases in a table of their own
-- Few and small: taking one writes no page of `trials`, and a heartbeat no trial that is done. Older versions of SQLite
-- cannot drop columns: `lease_owner` and `lease_until` of `trials` stay, and are NULL.
CREATE TABLE leases (
    trial TEXT PRIMARY KEY,
    owner TEXT NOT NULL,               -- host:pid:nonce
    until REAL NOT NULL                -- unix seconds
) WITHOUT ROWID;
INSERT INTO leases SELECT key, lease_owner, lease_until FROM trials WHERE lease_owner IS NOT NULL;
UPDATE trials SET lease_owner = NULL, lease_until = NULL WHERE lease_owner IS NOT NULL;
DROP INDEX trials_leased;

-- migration: why an answer, a verdict or a step is missing, in a sentence
ALTER TABLE calls ADD COLUMN detail TEXT NOT NULL DEFAULT ''; -- '' where it is there, or nobody said why not
ALTER TABLE verdicts ADD COLUMN detail TEXT NOT NULL DEFAULT '';
ALTER TABLE artefacts ADD COLUMN detail TEXT NOT NULL DEFAULT '';

-- migration: what delivery probes found
CREATE TABLE deliveries (              -- whether every part of a request reaches a model, as its server counts tokens
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,               -- id at the endpoint, with +PROVIDER where one is pinned
    delivery TEXT NOT NULL,            -- a delivery mode, or 'judge'
    probed_at TEXT NOT NULL,           -- beside the rest of the key: SQLite 3.40 checks such tables wrongly otherwise
    address TEXT NOT NULL,             -- without anything secret
    template TEXT NOT NULL,            -- digest of the server's chat template; '' where it does not tell
    version TEXT NOT NULL,             -- of this package
    found TEXT NOT NULL,               -- JSON
    PRIMARY KEY (endpoint, model, delivery, probed_at)
) WITHOUT ROWID;

-- migration: verdicts by rules that took an answer without signs for a firm one
UPDATE verdicts SET judge = 'cues@3' WHERE judge = 'cues';

-- migration: attempts of calls that are not settled yet
CREATE TABLE attempts (                -- written before the next attempt of the call is made, gone once it is settled
    trial TEXT NOT NULL,
    what TEXT NOT NULL,                -- turn id or judge, as in `failures`
    number INTEGER NOT NULL,           -- from 0
    request TEXT NOT NULL,             -- digest of what was asked
    attempt TEXT NOT NULL,             -- JSON: how it ended and what it took
    answer TEXT,                       -- JSON: what came; NULL: no answer
    PRIMARY KEY (trial, what, number)
) WITHOUT ROWID;

-- migration: what is scored is checked when it is read: digests of rows, how many there are, and the sum of their digests
DROP TRIGGER kept_until_insertion_in_planned;
DROP TRIGGER kept_until_change_in_planned;
DROP TRIGGER kept_until_deletion_in_planned;
DROP TRIGGER kept_until_insertion_in_finished;
DROP TRIGGER kept_until_change_in_finished;
DROP TRIGGER kept_until_deletion_in_finished;
DROP TRIGGER kept_until_insertion_in_verdicts;
DROP TRIGGER kept_until_change_in_verdicts;
DROP TRIGGER kept_until_deletion_in_verdicts;
DROP TRIGGER finished_at_only_answer;
DROP TRIGGER finished_at_last_answer;
DROP TRIGGER finished_after_change;
DROP TRIGGER finished_after_deletion;
DROP TABLE kept_dialogues;
DROP VIEW finished_by_calls;
DROP TABLE finished;
CREATE TABLE dialogues (               -- how far the answers of a trial go; follows from `calls`, written with them
    trial TEXT PRIMARY KEY,
    start_context TEXT,                -- `context` of its first answer; NULL: the key of the trial
    at TEXT,                           -- digest of the dialogue up to its last answer in line; NULL: none is current
    answered INTEGER NOT NULL,         -- answers in line
    missing TEXT,                      -- reason of the first turn that came to nothing
    broken INTEGER NOT NULL,           -- there are others, given on a history that was replaced
    flags TEXT,                        -- `flags` of its answers, joined by commas; NULL: none has any
    said TEXT NOT NULL,                -- the first 16 digits of each answer's `said`
    words TEXT NOT NULL,               -- each answer's `words`, 16 digits; dashes: unknown
    thought INTEGER NOT NULL,          -- an answer took reasoning tokens
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
ALTER TABLE editions ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE personas ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE subjects ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE planned ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE verdicts ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE field_sets ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE routes ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE artefacts ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE failures ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE verifications ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
DROP INDEX calls_paid;
DROP INDEX calls_unmarked;
DROP INDEX verdicts_paid;
DROP INDEX verdicts_short;
-- What boards read of a verdict and of a step, without the texts.
CREATE INDEX verdicts_short ON verdicts (
    trial, judge, rubric, context, missing, field_set, field_values, cost_usd, judged_at, quote_found, prediction, key,
    digest
);
DROP INDEX artefacts_of_trial;
CREATE INDEX artefacts_short ON artefacts (trial, judge, context, missing, cost_usd, key, digest);
CREATE TABLE tallies (                 -- of each table whose rows have digests; kept by triggers
    name TEXT PRIMARY KEY,
    rows INTEGER NOT NULL,
    digests INTEGER NOT NULL           -- their sum
) WITHOUT ROWID;

-- migration: which configurations of an import have the wording of the suite that it was compared with
-- JSON object: config_dir -> why it is set aside, empty where it is not; what is not in it was not compared.
ALTER TABLE verifications ADD COLUMN configurations TEXT NOT NULL DEFAULT '{}';
UPDATE verifications SET configurations = (
    SELECT json_group_object(config_dir, '') FROM (
        SELECT DISTINCT config_dir FROM planned p
        WHERE p.suite = verifications.suite AND p.edition = verifications.edition ORDER BY config_dir
    )
);

-- migration: answers that came with their reasoning count as reasoned

-- migration: decisions as they were planned, before anything of them was looked at
CREATE TABLE decisions (
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
