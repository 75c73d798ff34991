// Written by `python -m tests.report.site.regenerate`; a test compares it with report/pages/schema.py.

export const SCHEMA = 1;

/** The JSON in the page itself. `base` is where the documents lie, relative to the page. */
export interface BootConfig {
  readonly schema: number;
  readonly base: string;
  readonly served: boolean;
  readonly embedded: boolean;
  readonly board_list: BoardList;
}

/** `boards.json`: which boards there are, last used first. */
export interface BoardList {
  readonly schema: number;
  readonly dataset: string;
  readonly version: string;
  readonly boards: readonly BoardInfo[];
  readonly profile: boolean;
}

/** One board: a wording of a suite under one condition. Its documents lie below `id`. */
export interface BoardInfo {
  readonly id: string;
  readonly suite: string;
  readonly title: string;
  readonly edition: string;
  readonly editions: readonly string[];
  readonly variant: string;
  readonly mode: string;
  readonly language: string;
  readonly analysis: string;
  readonly ranked: boolean;
  readonly imported: boolean;
  readonly own_prompt: boolean;
  readonly judges: readonly JudgeInfo[];
  readonly scorings: readonly ScoringInfo[];
  readonly subjects: number;
  readonly simulated: number;
  readonly scenarios: number;
  readonly dialogues: number;
  readonly answers: number;
  readonly verdicts: number;
  readonly provisional: boolean;
  readonly buckets: number;
}

/** A judge of a board. `slug` stands in paths. */
export interface JudgeInfo {
  readonly name: string;
  readonly slug: string;
  readonly kind: string;
  readonly verdicts: number;
}

/** A way in which a board is scored. `slug` stands in addresses, and in paths unless it is `strict`. */
export interface ScoringInfo {
  readonly name: string;
  readonly slug: string;
}

/** `index.VIEW.json`, VIEW being JUDGE or JUDGE.SCORING: a board, its scenarios and its subjects. */
export interface IndexDocument {
  readonly schema: number;
  readonly id: string;
  readonly judge: string | null;
  readonly scenarios: readonly ScenarioInfo[];
  readonly subjects: readonly SubjectProfile[];
  readonly board: IndexBoard | null;
  readonly components: readonly ComponentInfo[];
  readonly parts: Readonly<Record<string, readonly (number | null)[]>>;
  readonly part_quartiles: readonly (readonly [number, number, number] | null)[];
  readonly result: string;
  readonly furthest: FurthestCase | null;
  readonly fold: Quotation | null;
  readonly marks: Readonly<Record<string, MarkInfo>>;
  readonly notes: readonly string[];
  readonly tables: readonly TableDocument[];
}

/** One scenario. Scenarios of one unit lie in one block. */
export interface ScenarioInfo {
  readonly id: string;
  readonly unit: string;
  readonly experiment: string;
  readonly title?: string;
  readonly title_is_ours?: boolean;
  readonly cell?: string;
  readonly cell_title?: string;
  readonly choices?: readonly string[];
  readonly side?: string;
  readonly factors?: Readonly<Record<string, string>>;
  readonly follows?: string;
  readonly turns?: readonly string[];
}

/** A model configuration under test. */
export interface SubjectProfile {
  readonly slug: string;
  readonly config: string;
  readonly label: string;
  readonly name: string;
  readonly mark: string;
  readonly model: string;
  readonly family: string;
  readonly runs: number;
  readonly maker?: string;
  readonly badges?: readonly NameBadge[];
  readonly simulated?: boolean;
  readonly endpoint?: string;
  readonly effort?: string;
  readonly temperature?: number | null;
  readonly pin?: string;
  readonly delivery?: string;
  readonly origin?: "imported" | "measured here" | null;
}

/** A short mark beside a subject's name. */
export interface NameBadge {
  readonly kind: "body" | "effort" | "free" | "host" | "limit" | "local" | "origin" | "quantisation" | "simulated" | "single" | "temperature" | "variant";
  readonly text: string;
  readonly about: string;
}

/** A board of a suite with an index, by which its rows are ordered. */
export interface IndexBoard {
  readonly repeats: readonly string[];
  readonly as_full: readonly string[];
  readonly dates: Dates | null;
  readonly language?: string;
  readonly prompt_note?: string;
  readonly caution?: string;
  readonly quotations?: QuotationCounts;
  readonly half_finished?: string;
  readonly set_aside?: readonly string[];
  readonly suite: string;
  readonly edition: string;
  readonly condition: string;
  readonly analysis: string;
  readonly scoring: string;
  readonly judge: string | null;
  readonly correction: string;
  readonly rows: readonly Row[];
  readonly generalises_to: string;
  readonly minimum_detectable: number | null;
  readonly minimum_detectable_corrected: number | null;
  readonly judge_prompt?: "as published";
  readonly words?: "own" | "published";
  readonly wording?: string;
  readonly editions?: readonly string[];
  readonly looks?: number;
  readonly below_since?: Readonly<Record<string, number>>;
  readonly changed?: string;
  readonly unequal?: readonly string[];
  readonly few_scenarios?: FewScenarios;
  readonly kinds?: Readonly<Record<string, ScenarioKind>>;
  readonly top?: TopVariance;
  readonly missing_details?: Readonly<Record<string, string>>;
}

/** First and last, ISO 8601; None where there is none, or nobody wrote it down. */
export interface Dates {
  readonly first_reply: string | null;
  readonly last_reply: string | null;
  readonly first_verdict: string | null;
  readonly last_verdict: string | null;
}

/** How many verdicts were to quote a passage, and how many quote one that is not there. */
export interface QuotationCounts {
  readonly asked: number;
  readonly not_found: number;
}

/** One subject. Numbers are unrounded except where a published rule rounds. `estimates` has an entry for every number of the analysis, the one that orders the board first. */
export interface Row {
  readonly config: string;
  readonly label: string;
  readonly simulated: boolean;
  readonly thinking: boolean;
  readonly origin?: "imported" | "measured here";
  readonly coverage: number;
  readonly standing: Standing;
  readonly verdict: string;
  readonly estimates: Readonly<Record<string, Estimate>>;
  readonly intervals: Readonly<Record<string, readonly [number, number] | null>>;
  readonly runs: number;
  readonly most_runs: number;
  readonly complete_runs: number;
  readonly per_run: readonly number[];
  readonly facts: Readonly<Record<string, string | number | boolean | readonly [number, number] | null>>;
  readonly flags: Readonly<Record<string, number>>;
  readonly cost_usd: number;
}

/** The place of a subject among all of a board, whatever its missing verdicts would be. */
export interface Standing {
  readonly rank: number | null;
  readonly rank_bounds: readonly [number, number] | null;
  readonly rank_ci: readonly [number, number] | null;
  readonly tier: number | null;
}

/** A number on the scale of its measure, how sure it is, and what it rests on. `value` is None where what was judged does not show it. `bounds` are what the value can still be, with each missing verdict at either end of its scale; None where none is missing. `n` counts what the value rests on (runs, cells, stems), 0 where nothing is counted. `method` says how the 95 % interval was made, and so what it is about. */
export interface Estimate {
  readonly value: number | null;
  readonly interval?: readonly [number, number] | null;
  readonly n?: number;
  readonly method?: string;
  readonly bounds?: readonly [number, number] | null;
}

/** How few scenarios a board rests on, and what that costs; standard errors of a typical index, in points. */
export interface FewScenarios {
  readonly scenarios: number;
  readonly fewest: number;
  readonly se_these: number | null;
  readonly se_like_these: number | null;
  readonly note: string;
}

/** Scenarios of which boards say how many points of the index are lost in them. */
export interface ScenarioKind {
  readonly about: string;
  readonly scenarios: Readonly<Record<string, string>>;
}

/** Of the subjects with an index in the first tier. */
export interface TopVariance {
  readonly subjects: number;
  readonly scenarios: Readonly<Record<string, number>>;
}

/** A part of the index, as boards have a column of it; from `worst` to `best` it counts from nothing to all. */
export interface ComponentInfo {
  readonly key: string;
  readonly head: string;
  readonly about: string;
  readonly weight: number;
  readonly worst: number;
  readonly best: number;
}

/** Of a grid: the case in which a subject's advice depends most on who asks. */
export interface FurthestCase {
  readonly subject: string;
  readonly unit: string;
  readonly quantity: string;
  readonly value: number;
}

/** A passage of a reply that a verdict names. Its text is a model's: whoever writes it escapes it. */
export interface Quotation {
  readonly kind: "quotation";
  readonly held: boolean;
  readonly text: string;
  readonly turn: string;
  readonly subject: string;
  readonly name: string;
  readonly scenario: string;
  readonly run: number;
  readonly judge: string;
  readonly share: number;
  readonly asked: string;
}

/** One mark of a board: what it is about, what it is called, and what it says. */
export interface MarkInfo {
  readonly kind: "answer" | "missing" | "note" | "waiting";
  readonly head: string;
  readonly about: string;
}

/** A table. Each row has one value for each column; null is absent and never a number. */
export interface TableDocument {
  readonly id: string;
  readonly title: string;
  readonly columns: readonly ColumnInfo[];
  readonly rows: readonly (readonly (string | number | boolean | readonly [number, number] | null)[])[];
  readonly notes?: readonly string[];
  readonly limit?: number | null;
  readonly subjects?: readonly string[];
}

/** One column of a table; `kind` and `digits` say how its numbers are written. */
export interface ColumnInfo {
  readonly key: string;
  readonly head: string;
  readonly kind?: "count" | "dollars" | "flag" | "id" | "index" | "index_interval" | "index_range" | "interval" | "number" | "p" | "percent" | "signed" | "signed_interval" | "text" | "words";
  readonly digits?: number;
  readonly about?: string;
}

/** `cells.JUDGE.json`: each dialogue's result as a share of its scale, 0 to 1; of a grid each cell's contrast. */
export interface CellsDocument {
  readonly schema: number;
  readonly measure: string;
  readonly scenarios: readonly string[];
  readonly shares: Readonly<Record<string, readonly (readonly (number | null)[])[]>>;
  readonly quantity?: string;
  readonly units?: readonly string[];
  readonly scale?: readonly [number, number] | null;
  readonly contrasts?: Readonly<Record<string, readonly (number | null)[]>>;
  readonly deeds?: Readonly<Record<string, readonly (readonly ("change" | "evade" | "keep" | null)[])[]>>;
  readonly moves?: Readonly<Record<string, readonly ("either" | "never" | "other" | "reason" | null)[]>>;
  readonly personas?: Readonly<Record<string, PersonaResult>>;
  readonly means: Readonly<Record<string, readonly (number | null)[]>>;
  readonly totals: HeatTotals;
  readonly unit_totals?: HeatTotals | null;
}

/** One subject under one system prompt. */
export interface PersonaResult {
  readonly commitments: readonly CommitmentResult[];
  readonly fair: FairResult;
  readonly missing: number;
}

/** One commitment of one subject. */
export interface CommitmentResult {
  readonly commitment: string;
  readonly text: string;
  readonly reading: "evaded" | "given up" | "kept" | "open";
  readonly broken: number;
  readonly clean: number;
  readonly evaded: number;
  readonly kinds: Readonly<Record<string, readonly [number, number]>>;
  readonly in_words: boolean;
  readonly shown: readonly SeenDialogue[];
  readonly elsewhere: number;
}

/** A dialogue with a breach, or a fair request that was not granted. */
export interface SeenDialogue {
  readonly scenario: string;
  readonly run: number;
  readonly kind: string;
  readonly request: string;
  readonly end: "broken" | "clean" | "evaded";
}

/** What became of fair requests. */
export interface FairResult {
  readonly granted: number;
  readonly refused: number;
  readonly evaded: number;
  readonly shown: readonly SeenDialogue[];
}

/** What rows and columns of a heatmap come to; the spread of means is their standard deviation. */
export interface HeatTotals {
  readonly rows: Readonly<Record<string, readonly [number | null, number | null]>>;
  readonly columns: readonly (readonly [number | null, number | null])[];
  readonly quartiles: readonly (readonly [number, number, number] | null)[];
  readonly row_order: readonly string[];
  readonly column_order: readonly number[];
}

/** `results/UNIT.JUDGE.json`: who kept how much in the scenarios of a unit. */
export interface ResultsDocument {
  readonly schema: number;
  readonly measure: string;
  readonly scenarios: readonly ScenarioResults[];
}

/** One scenario: subjects by what they kept, and the two ends. */
export interface ScenarioResults {
  readonly id: string;
  readonly subjects: readonly SubjectResult[];
  readonly counts: readonly number[];
  readonly fold: TellingDialogue | null;
  readonly hold: TellingDialogue | null;
  readonly method: string;
}

/** What a subject kept in one scenario. */
export interface SubjectResult {
  readonly slug: string;
  readonly mean: number;
  readonly runs: number;
  readonly ci?: readonly [number, number] | null;
  readonly spread?: number;
  readonly median_run: number;
}

/** A dialogue that shows what a scenario is about. */
export interface TellingDialogue {
  readonly slug: string;
  readonly run: number;
  readonly share: number;
}

/** `texts.json`: every message that was sent to several subjects once, and what each turn was asked on. A script is a list of messages: a number means one of `messages`, a text the subject's own answer of that turn. */
export interface TextsDocument {
  readonly schema: number;
  readonly about: string;
  readonly ours: boolean;
  readonly messages: readonly SentMessage[];
  readonly scripts: Readonly<Record<string, readonly (number | string)[]>>;
  readonly rubrics?: Readonly<Record<string, RubricText>>;
  readonly graded?: Readonly<Record<string, string>>;
  readonly experiments?: Readonly<Record<string, string>>;
  readonly tool?: OfferedToolText | null;
}

/** A message of a request. `call`: it was sent as the argument of a call of that tool. */
export interface SentMessage {
  readonly role: string;
  readonly text: string;
  readonly call?: string;
}

/** A rubric. Where it is not `known`, nobody has its words, and fields are names and ranges alone. */
export interface RubricText {
  readonly scenarios: readonly string[];
  readonly known: boolean;
  readonly fields: readonly ScaleField[];
  readonly prompt?: string;
  readonly steps?: readonly RubricStep[];
  readonly quote?: string;
}

/** One field of a rubric. */
export interface ScaleField {
  readonly name: string;
  readonly type: "boolean" | "integer" | "number";
  readonly about?: string;
  readonly low?: number | null;
  readonly high?: number | null;
}

/** What a judge writes before it grades, and by which prompt. */
export interface RubricStep {
  readonly name: string;
  readonly prompt: string;
}

/** The tool that every request of the board offers. */
export interface OfferedToolText {
  readonly name: string;
  readonly description: string;
  readonly parameter: string;
  readonly parameter_description: string;
}

/** `text/UNIT/BUCKET.TENS.json`: the dialogues of one unit with the subjects of one bucket, ten runs. */
export interface BlockDocument {
  readonly schema: number;
  readonly dialogues: readonly DialogueDocument[];
}

/** One dialogue with all its answers and verdicts. Missing turns were not answered yet. */
export interface DialogueDocument {
  readonly subject: string;
  readonly scenario: string;
  readonly run: number;
  readonly turns?: readonly TurnDocument[];
  readonly verdicts?: readonly VerdictDocument[];
  readonly steps?: readonly JudgeStep[];
  readonly failures?: readonly FailureDocument[];
  readonly item?: string;
}

/** One generated turn with its current answer. What is empty did not come. */
export interface TurnDocument {
  readonly text?: string;
  readonly channel?: "content" | "tool" | null;
  readonly raw?: string;
  readonly thinking?: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly finish_reason?: string | null;
  readonly flags?: readonly string[];
  readonly usage?: Usage;
  readonly served_model?: string;
  readonly served_provider?: string;
  readonly response_id?: string;
  readonly attempts?: readonly Attempt[];
  readonly missing?: "altered" | "blocked" | "both_named" | "no_answer" | "no_cue" | "not_run" | "other_model" | "parent_missing" | "prompt_cut" | "refused" | "stale" | "too_long" | "transport" | "unjudged" | "unreadable_verdict" | "unsure" | null;
  readonly detail?: string;
  readonly stale?: boolean;
  readonly seconds?: number;
  readonly answered_at?: string;
  readonly context?: string;
  readonly after?: string;
  readonly turn_id: string;
  readonly sent?: readonly (number | string | SentMessage)[] | null;
  readonly versions?: number;
}

/** One tool call on the wire. */
export interface ToolCall {
  readonly id: string;
  readonly function: FunctionCall;
  readonly type: "function";
  readonly extra_content?: Readonly<Record<string, unknown>>;
}

/** The function half of a tool call; `arguments` is JSON text as the model wrote it. */
export interface FunctionCall {
  readonly name: string;
  readonly arguments: string;
}

/** Tokens and dollars of one attempt, or the sum over attempts. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly reasoning_tokens: number;
  readonly cached_tokens: number;
  readonly cost_usd: number;
}

/** One request that left this machine and what became of it. */
export interface Attempt {
  readonly outcome: string;
  readonly seconds: number;
  readonly usage: Usage;
  readonly unknown_usd: number;
  readonly detail: string;
}

/** One judge's verdict. `rubric`: see `graded`; `raw`: what a judge wrote where no verdict could be read. */
export interface VerdictDocument {
  readonly values?: Readonly<Record<string, number | boolean>>;
  readonly reasoning?: string;
  readonly raw?: string;
  readonly usage?: Usage;
  readonly attempts?: readonly Attempt[];
  readonly quote?: string | null;
  readonly quote_found?: boolean | null;
  readonly judge: string;
  readonly pass?: number;
  readonly current?: boolean;
  readonly missing?: "altered" | "blocked" | "both_named" | "no_answer" | "no_cue" | "not_run" | "other_model" | "parent_missing" | "prompt_cut" | "refused" | "stale" | "too_long" | "transport" | "unjudged" | "unreadable_verdict" | "unsure" | null;
  readonly detail?: string;
  readonly rubric?: string;
  readonly context?: string;
  readonly settings?: string;
  readonly judged_at?: string;
  readonly spans?: readonly QuotedSpan[];
}

/** A passage that a verdict names: `turn`'s text from `start` to `end`, in UTF-16 code units as JavaScript counts. `of`: `quote` of the verdict, its `reasons`, or what a phrase that the rules found speaks for: `gave way`, `stood`, or `rules` where it is a degree. */
export interface QuotedSpan {
  readonly turn: string;
  readonly start: number;
  readonly end: number;
  readonly of?: "gave way" | "quote" | "reasons" | "rules" | "stood";
}

/** What a judge wrote before it graded. Without defaults, as most of a reply does not apply. */
export interface JudgeStep {
  readonly text?: string;
  readonly channel?: "content" | "tool" | null;
  readonly raw?: string;
  readonly thinking?: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly finish_reason?: string | null;
  readonly flags?: readonly string[];
  readonly usage?: Usage;
  readonly served_model?: string;
  readonly served_provider?: string;
  readonly response_id?: string;
  readonly attempts?: readonly Attempt[];
  readonly missing?: "altered" | "blocked" | "both_named" | "no_answer" | "no_cue" | "not_run" | "other_model" | "parent_missing" | "prompt_cut" | "refused" | "stale" | "too_long" | "transport" | "unjudged" | "unreadable_verdict" | "unsure" | null;
  readonly detail?: string;
  readonly stale?: boolean;
  readonly seconds?: number;
  readonly answered_at?: string;
  readonly context?: string;
  readonly after?: string;
  readonly key?: string;
  readonly judge: string;
  readonly step: string;
  readonly position?: number;
  readonly wording?: string;
  readonly settings?: string;
}

/** A call that could not be settled: for a turn, or of a judge. */
export interface FailureDocument {
  readonly what: string;
  readonly kind: string;
  readonly detail: string;
  readonly cost_usd: number;
  readonly failed_at: string;
}

/** `report.VIEW.json`: the report's sections, whatever analysis they come from. `profile.json`: one, of a table. */
export interface ReportDocument {
  readonly schema: number;
  readonly sections: readonly SectionDocument[];
}

/** One heading of a report and what stands under it. */
export interface SectionDocument {
  readonly id: string;
  readonly title: string;
  readonly folds: boolean;
  readonly blocks: readonly (Prose | TableBlock | ChartBlock | Quotation)[];
}

/** Our own words as Markdown. What a model or a file wrote is escaped by whoever quotes it here. */
export interface Prose {
  readonly kind: "prose";
  readonly markdown: string;
}

/** A table of a report. */
export interface TableBlock {
  readonly kind: "table";
  readonly table: TableDocument;
}

/** A chart of a report. */
export interface ChartBlock {
  readonly kind: "chart";
  readonly chart: Intervals | Heat | Scatter | Plane | Lines | Bars;
}

/** Values with intervals, one line each, on one scale or several beside each other. */
export interface Intervals {
  readonly kind: "intervals";
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly scales: readonly Scale[];
  readonly rows: readonly IntervalRow[];
  readonly marks?: readonly string[];
}

/** One axis: what it is called, how its numbers are written, and from where to where it is drawn. */
export interface Scale {
  readonly head: string;
  readonly kind: "count" | "dollars" | "index" | "number" | "percent" | "signed";
  readonly span: readonly [number, number];
  readonly digits?: number;
  readonly low?: string;
  readonly high?: string;
  readonly band?: readonly [number, number] | null;
  readonly zero?: boolean;
}

/** One line: an estimate for each scale, null where there is none. Neighbours of one tier lie on one band. */
export interface IntervalRow {
  readonly label: string;
  readonly subject?: string;
  readonly simulated?: boolean;
  readonly values: readonly (DrawnEstimate | null)[];
  readonly scenario?: string;
  readonly partial?: boolean;
  readonly tier?: number | null;
}

/** A value and how sure it is. Without a value, `bounds` are the worst and the best that it can be. */
export interface DrawnEstimate {
  readonly value?: number | null;
  readonly inner?: readonly [number, number] | null;
  readonly outer?: readonly [number, number] | null;
  readonly bounds?: readonly [number, number] | null;
  readonly field?: readonly [number, number, number] | null;
  readonly others?: readonly (number | null)[];
}

/** Rows by columns. `kept`: of a share kept, 0 to 1, what is lost is inked; `middle`: two hues around 0. */
export interface Heat {
  readonly kind: "heat";
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly colours: "kept" | "middle";
  readonly scale: Scale;
  readonly columns: readonly HeatColumn[];
  readonly rows: readonly HeatRow[];
}

/** What a column is about; neighbours of one group stand together. */
export interface HeatColumn {
  readonly label: string;
  readonly group?: string;
  readonly scenario?: string;
}

/** A value for each column; null where nothing was measured. */
export interface HeatRow {
  readonly label: string;
  readonly subject?: string;
  readonly simulated?: boolean;
  readonly values: readonly (number | null)[];
  readonly scenario?: string;
}

/** Named dots. `frontier`: places of those that no other beats at the same or a lower x, from the lowest x on. */
export interface Scatter {
  readonly kind: "scatter";
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly x: Scale;
  readonly y: Scale;
  readonly points: readonly ScatterPoint[];
  readonly log?: boolean;
  readonly at_zero?: string;
  readonly frontier?: readonly number[];
}

/** A dot. Of a logarithmic axis an `x` of 0 lies in a strip of its own. */
export interface ScatterPoint {
  readonly label: string;
  readonly subject?: string;
  readonly simulated?: boolean;
  readonly x: number;
  readonly y: number;
}

/** Two shares, 0 to 1, in a square: `quantity` is y less x, with a line for each of `levels`. */
export interface Plane {
  readonly kind: "plane";
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly x: Scale;
  readonly y: Scale;
  readonly points: readonly PlanePoint[];
  readonly quantity: string;
  readonly levels: readonly number[];
  readonly corners: readonly [string, string, string, string];
}

/** A dot with the region in which it may lie, or else an interval each way. `says` is told with its numbers. */
export interface PlanePoint {
  readonly label: string;
  readonly subject?: string;
  readonly simulated?: boolean;
  readonly x: number;
  readonly y: number;
  readonly ellipse?: Ellipse | null;
  readonly x_ci?: readonly [number, number] | null;
  readonly y_ci?: readonly [number, number] | null;
  readonly says?: string;
}

/** A region of a plane, in the units of its scales. `degrees`: from the x axis towards the y axis to `first`. */
export interface Ellipse {
  readonly x: number;
  readonly y: number;
  readonly first: number;
  readonly second: number;
  readonly degrees: number;
}

/** Small panels of the same series on the same scales. */
export interface Lines {
  readonly kind: "lines";
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly x: Scale;
  readonly y: Scale;
  readonly series: readonly string[];
  readonly panels: readonly LinePanel[];
}

/** One small panel: for each series a value at each x, null where there is none. `says` stands below it. */
export interface LinePanel {
  readonly label: string;
  readonly subject?: string;
  readonly simulated?: boolean;
  readonly xs: readonly number[];
  readonly values: readonly (readonly (number | null)[])[];
  readonly says?: string;
}

/** Counts: by name one line each, or `upright` by neighbouring parts of a scale. */
export interface Bars {
  readonly kind: "bars";
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly head: string;
  readonly bars: readonly Bar[];
  readonly upright?: boolean;
}

/** A count, and the part of a scale that it is of, where it is of one. */
export interface Bar {
  readonly label: string;
  readonly subject?: string;
  readonly simulated?: boolean;
  readonly count: number;
  readonly ends?: readonly [number, number] | null;
}

/** `pairs/SLUG.VIEW.json`: one subject against every other one. */
export interface PairsDocument {
  readonly schema: number;
  readonly slug: string;
  readonly generalises_to: string;
  readonly scenarios: readonly string[];
  readonly differs: string;
  readonly pairs: readonly PairDifference[];
}

/** A subject less another one, in index points; null where one of them has no index or was run once. */
export interface PairDifference {
  readonly slug: string;
  readonly difference: number | null;
  readonly ci?: readonly [number, number] | null;
  readonly p?: number | null;
  readonly looks?: LaterLook | null;
  readonly gaps?: readonly (number | null)[];
  readonly differ?: readonly number[];
}

/** The level of a comparison that was looked at before: `compare` prints its interval and note. */
export interface LaterLook {
  readonly confidence: number;
  readonly ci: readonly [number, number] | null;
  readonly note: string;
}

/** `names.json`: names, most frequent first, and who took none. Each counts once a run. */
export interface NamesDocument {
  readonly schema: number;
  readonly extractor: string | null;
  readonly scenarios: readonly string[];
  readonly names: readonly NameEntry[];
  readonly declined: readonly NameUse[];
  readonly unread: number;
}

/** A name that subjects took when they were free to. */
export interface NameEntry {
  readonly name: string;
  readonly uses: readonly NameUse[];
}

/** A subject that took a name, and the runs in which it did. */
export interface NameUse {
  readonly slug: string;
  readonly runs: readonly number[];
  readonly sources?: readonly (readonly string[])[];
}

/** `disagreements.json`: the dialogues on which judges lie furthest apart, those first. */
export interface DisagreementsDocument {
  readonly schema: number;
  readonly judges: readonly string[];
  readonly shared: number;
  readonly dialogues: readonly DialogueDisagreement[];
}

/** A dialogue that judges see differently, and the field on which two of them are furthest apart. */
export interface DialogueDisagreement {
  readonly subject: string;
  readonly scenario: string;
  readonly run: number;
  readonly gap: number;
  readonly field: string;
  readonly counts: boolean;
  readonly low_judge: string;
  readonly low: number | boolean;
  readonly high_judge: string;
  readonly high: number | boolean;
}

/** `api/changes`, and the event `changes` of its stream. Another `version` means that there are new results. */
export interface ChangesDocument {
  readonly schema: number;
  readonly version: string;
  readonly at: number;
  readonly writable: boolean;
  readonly runs: readonly ProgressRow[];
}

/** The last snapshot of one process. */
export interface ProgressRow {
  readonly owner: string;
  readonly at: number;
  readonly state: "ended" | "gone" | "running";
  readonly snapshot: RunSnapshot;
}

/** Where one run stands. Counts are of this process; moments are seconds since 1970. */
export interface RunSnapshot {
  readonly command: string;
  readonly about: string;
  readonly stage: string;
  readonly began: number;
  readonly started: number | null;
  readonly planned: number;
  readonly done: number;
  readonly failed: number;
  readonly usd: number;
  readonly cap_usd: number | null;
  readonly missing: Readonly<Record<string, number>>;
  readonly retried: Readonly<Record<string, number>>;
  readonly waits: readonly WaitingModel[];
  readonly slots: Readonly<Record<string, readonly [number, number]>>;
  readonly parked: readonly ParkedModel[];
  readonly stopping: string;
  readonly ended: number | null;
}

/** Calls of one model that pause for one reason. */
export interface WaitingModel {
  readonly model: string;
  readonly reason: string;
  readonly calls: number;
  readonly until: number;
}

/** A model that is not asked any more in this run. `subject`: whose dialogues stop; empty for a judge. */
export interface ParkedModel {
  readonly model: string;
  readonly subject: string;
  readonly why: string;
}

/** `api/live/BOARD`, and the event `board`: how far every subject is with every scenario. `cells[i][j]` is subject i with scenario j, in dialogues: planned; of them held by a process now; answered; of those judged; failed and not taken up again. The rest waits. Last the number of the run to look at: one in progress, else one that failed, else the first. */
export interface LiveDocument {
  readonly schema: number;
  readonly board: string;
  readonly subjects: readonly string[];
  readonly labels: readonly string[];
  readonly scenarios: readonly string[];
  readonly cells: readonly (readonly (readonly [number, number, number, number, number, number] | null)[])[];
  readonly answers: number;
  readonly verdicts: number;
  readonly failures: readonly LiveFailure[];
}

/** Calls of one subject that came to nothing in the same words. */
export interface LiveFailure {
  readonly subject: string;
  readonly label: string;
  readonly what: string;
  readonly kind: string;
  readonly detail: string;
  readonly times: number;
  readonly scenarios: number;
  readonly scenario: string;
  readonly run: number;
  readonly at: string;
}

/** `ratings.json`, as the page saves it and sends it to `api/ratings`. */
export interface RatingsFile {
  readonly schema: number;
  readonly rater: string;
  readonly dataset: string;
  readonly ratings: readonly Rating[];
  readonly pairs: readonly PairRating[];
}

/** One dialogue scored by a person who did not see who wrote it. */
export interface Rating {
  readonly item: string;
  readonly values: Readonly<Record<string, number | boolean>>;
  readonly seconds: number | null;
  readonly guess: string;
}

/** Two dialogues of one scenario compared by a person. `first` was shown first. */
export interface PairRating {
  readonly first: string;
  readonly second: string;
  readonly better: "equal" | "first" | "second" | "skipped";
  readonly seconds: number | null;
}

/** What `api/ratings` says when it has stored them. */
export interface RatingsReceipt {
  readonly schema: number;
  readonly stored: number;
  readonly notes: readonly string[];
}

/** `api/search?board=B&q=WORDS&whole=1`: where words stand in the texts of a board; see `words` for what counts. */
export interface SearchDocument {
  readonly schema: number;
  readonly query: string;
  readonly found: number;
  readonly hits: readonly SearchHit[];
}

/** The texts of one kind in a dialogue that hold the words. */
export interface SearchHit {
  readonly subject: string;
  readonly scenario: string;
  readonly run: number;
  readonly role: "answer" | "judge" | "reasoning" | "thinking";
  readonly judge?: string;
  readonly places: number;
}

/** `search/words.json`: every word of a board's texts in order, and which file has its places. A word is written as how many characters it shares with the one before (base 36), and the rest. `shards`: of each `search/N.json` its first word. */
export interface WordsDocument {
  readonly schema: number;
  readonly words: readonly string[];
  readonly shards: readonly number[];
}

/** `search/texts.json`: what stands where in the row of all words, in columns; each text is as long as its words. `kinds`: a place in `ROLES`, from 3 on 3 plus a place in `judges`. */
export interface WordTextsDocument {
  readonly schema: number;
  readonly subjects: readonly string[];
  readonly scenarios: readonly string[];
  readonly judges: readonly string[];
  readonly subject: readonly number[];
  readonly scenario: readonly number[];
  readonly run: readonly number[];
  readonly kind: readonly number[];
  readonly length: readonly number[];
}

/** `search/N.json`: the places of some words, each less the one before it. */
export interface WordPlacesDocument {
  readonly schema: number;
  readonly places: readonly (readonly number[])[];
}
