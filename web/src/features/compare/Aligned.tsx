import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { fieldName } from "../../data/fields";
import { sharesOf, useCells } from "../../data/results";
import { turnTitle } from "../../data/titles";
import { subjectPage, trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { VerdictDocument } from "../../schema";
import { given, why } from "../../text/format";
import { Markdown } from "../../text/Markdown";
import { Badge } from "../../ui/Badge";
import { ResultMark } from "../../ui/ResultMark";
import { SubjectChoice } from "../../ui/SubjectChoice";
import { Failed, Waiting } from "../../ui/Notice";
import { SubjectLabel } from "../../ui/SubjectName";
import { Script } from "../scenario/Script";
import { useRuns } from "../trajectory/dialogue";

interface AlignedProps {
  readonly slugs: readonly string[];
  readonly scenario: string;
  readonly runs: readonly number[]; // one a subject
  readonly raw: boolean;
  readonly order: readonly string[];
  readonly onChange: (place: number, slug: string) => void; // an empty slug takes the column away
  readonly onRun: (place: number, run: number) => void;
}

const COLUMNS = ["", "", "md:grid-cols-2", "md:grid-cols-2 xl:grid-cols-3", "md:grid-cols-2 xl:grid-cols-4"] as const;

/** The answers turn by turn, one column a subject. */
export function Aligned(props: AlignedProps) {
  const board = useBoard();
  const scenario = board.scenarios.get(props.scenario);
  if (scenario === undefined) return null;
  const turns = scenario.turns ?? [];
  const grid = `grid gap-x-6 gap-y-4 ${COLUMNS[props.slugs.length] ?? ""}`;
  return (
    <>
      <Script scenario={scenario} folded />
      <div className={`mt-5 ${grid}`}>
        {props.slugs.map((slug, place) => (
          <Head key={slug} {...props} slug={slug} place={place} />
        ))}
      </div>
      {turns.map((turn) => (
        <section key={turn} aria-label={turnTitle(scenario, turn)} className="mt-5">
          <h2 className="border-b border-faint pb-1 text-xs text-muted">{turns.length > 1 ? turnTitle(scenario, turn) : "Answer"}</h2>
          <div className={`mt-2 ${grid}`}>
            {props.slugs.map((slug, place) => (
              <TurnColumn key={slug} slug={slug} scenario={props.scenario} run={props.runs[place] ?? 1} turn={turn} raw={props.raw} />
            ))}
          </div>
        </section>
      ))}
      <section aria-label="Verdicts" className="mt-5">
        <h2 className="border-b border-faint pb-1 text-xs text-muted">Verdicts</h2>
        <div className={`mt-2 ${grid}`}>
          {props.slugs.map((slug, place) => (
            <VerdictColumn key={slug} slug={slug} scenario={props.scenario} run={props.runs[place] ?? 1} />
          ))}
        </div>
      </section>
    </>
  );
}

function Head({ slugs, slug, place, scenario, runs, order, onChange, onRun }: AlignedProps & { readonly slug: string; readonly place: number }) {
  const board = useBoard();
  const address = useAddress();
  const cells = useCells();
  const most = board.subjects.get(slug)?.runs ?? 1;
  const own = runs[place] ?? 1;
  const share = cells?.state === "ready" ? (sharesOf(cells.value, slug, scenario)[own - 1] ?? null) : null;
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2 border-t-2 border-accent pt-2">
      <Link href={address(subjectPage(slug))} className="w-full font-medium hover:text-accent hover:underline">
        <SubjectLabel slug={slug} />
      </Link>
      <span className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <SubjectChoice
          name={`Subject ${place + 1}`}
          className="w-24"
          value=""
          empty="Change"
          order={order}
          taken={slugs}
          onChange={(other) => { onChange(place, other); }}
        />
        {slugs.length > 2 && (
          <button type="button" className="control screen-only" aria-label="Take this column away" onClick={() => { onChange(place, ""); }}>
            ×
          </button>
        )}
        <select
          aria-label={`Run of subject ${place + 1}`}
          className="control"
          value={own}
          onChange={(event) => { onRun(place, Number(event.target.value)); }}
        >
          {Array.from({ length: most }, (_, number) => (
            <option key={number} value={number + 1}>
              Run {number + 1}
            </option>
          ))}
        </select>
        <ResultMark share={share} />
        <Link href={address(trajectoryPage(slug, own, scenario))} className="link ml-auto">
          Whole dialogue
        </Link>
      </span>
    </div>
  );
}

interface ColumnProps {
  readonly slug: string;
  readonly scenario: string;
  readonly run: number;
}

function useColumn({ slug, scenario, run }: ColumnProps) {
  const { block, path, runs } = useRuns(slug, scenario, run);
  return { block, path, dialogue: runs.find((one) => one.run === run) };
}

function TurnColumn({ turn, raw, ...column }: ColumnProps & { readonly turn: string; readonly raw: boolean }) {
  const board = useBoard();
  const { block, path, dialogue } = useColumn(column);
  const shown = dialogue?.turns?.find((one) => one.turn_id === turn);
  return (
    <div className="min-w-0">
      <p className="text-xs font-medium text-accent md:sr-only">{board.labels.get(column.slug)}</p>
      {block.state === "loading" && <Waiting />}
      {block.state === "failed" && path !== null && <Failed path={path} why={block.why} />}
      {block.state === "ready" && shown === undefined && <p className="text-sm text-muted">Not answered yet.</p>}
      {shown !== undefined && (
        <>
          {(shown.missing ?? "") !== "" && <p className="text-open">No usable answer: {why(shown)}.</p>}
          <Markdown text={shown.text ?? ""} raw={raw} />
        </>
      )}
    </div>
  );
}

function VerdictColumn(column: ColumnProps) {
  const board = useBoard();
  const { dialogue } = useColumn(column);
  return (
    <div className="min-w-0 text-sm">
      <p className="text-xs font-medium text-accent md:sr-only">{board.labels.get(column.slug)}</p>
      {(dialogue?.verdicts ?? []).map((verdict, place) => (
        <Verdict key={place} verdict={verdict} choices={board.scenarios.get(column.scenario)?.choices} />
      ))}
    </div>
  );
}

function Verdict({ verdict, choices }: { readonly verdict: VerdictDocument; readonly choices: readonly string[] | undefined }) {
  return (
    <div className="mb-3">
      <p className="text-xs text-muted">
        {verdict.judge} {verdict.current !== true && <Badge warns>outdated</Badge>}
      </p>
      {(verdict.missing ?? "") !== "" && <p className="text-open">No verdict: {why(verdict)}.</p>}
      <dl className="grid grid-cols-[1fr_auto] gap-x-3 tabular-nums">
        {Object.entries(verdict.values ?? {}).map(([field, value]) => (
          <div key={field} className="contents">
            <dt>{fieldName(field)}</dt>
            <dd className="text-right font-medium">{given(value, choices)}</dd>
          </div>
        ))}
      </dl>
      {(verdict.reasoning ?? "") !== "" && (
        <details className="mt-1">
          <summary className="text-xs text-muted">Reasons</summary>
          <Markdown text={verdict.reasoning ?? ""} />
        </details>
      )}
    </div>
  );
}
