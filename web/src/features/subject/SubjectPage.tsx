import { useParams } from "wouter";
import { groupOf, mainOf, useBoard } from "../../data/board";
import { groupsOf } from "../../data/groups";
import { slugsInOrder, useCells } from "../../data/results";
import { useKeys } from "../../keys/keys";
import { navigate } from "../../route/hash";
import { subjectPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { Row as BoardRow, SubjectProfile } from "../../schema";
import { NoSuch } from "../../shell/NoSuch";
import { Page } from "../../shell/Page";
import { decimal, dollars, percent, shown, words } from "../../text/format";
import { Badge } from "../../ui/Badge";
import { CopyLink } from "../../ui/CopyLink";
import { Waiting } from "../../ui/Notice";
import { SubjectLabel } from "../../ui/SubjectName";
import { CompareButton } from "../compare/CompareButton";
import { toggle } from "../compare/tray";
import { rank, runsOf, unequal } from "../leaderboard/entries";
import { Commitments } from "./Commitments";
import { Dimensions } from "./Dimensions";
import { Disputes } from "./Disputes";
import { Matrix } from "./Matrix";
import { NamesTaken } from "./NamesTaken";
import { Profile } from "./Profile";
import { Siblings } from "./Siblings";
import { Split } from "./Split";

/** Everything about one subject. */
export default function SubjectPage() {
  const { slug = "" } = useParams();
  const board = useBoard();
  const subject = board.subjects.get(slug);
  if (subject === undefined)
    return <NoSuch what="subject" />;
  return <Subject subject={subject} />;
}

function Subject({ subject }: { readonly subject: SubjectProfile }) {
  const board = useBoard();
  const address = useAddress();
  const cells = useCells();
  const persona = cells?.state === "ready" ? cells.value.personas?.[subject.slug] : undefined;
  const row = board.rows.get(subject.slug) ?? null;
  const order = slugsInOrder(board);
  const place = order.indexOf(subject.slug);
  const go = (slug: string | undefined) => () => {
    if (slug !== undefined) navigate(address(subjectPage(slug)));
  };
  useKeys({ J: go(order[place + 1]), K: go(order[place - 1]), c: () => { toggle(subject.slug); } });
  return (
    <Page
      title={board.labels.get(subject.slug) ?? subject.label}
      heading={<SubjectLabel slug={subject.slug} />}
      lead={facts(subject, row).join(" · ")}
      actions={
        <>
          <CompareButton slug={subject.slug} />
          <CopyLink to={address(subjectPage(subject.slug))} />
        </>
      }
    >
      {row !== null && <Standing row={row} ranked={order.length} note={board.index.board?.few_scenarios?.note ?? ""} />}
      <div className="mt-10 space-y-12">
        {cells?.state === "loading" && <Waiting what="Loading the results" />}
        {cells?.state === "ready" && persona !== undefined && <Commitments slug={subject.slug} own={persona} />}
        <Dimensions slug={subject.slug} />
        {cells?.state === "ready" && (cells.value.moves === undefined ? <Disputes slug={subject.slug} cells={cells.value} /> : <Split slug={subject.slug} cells={cells.value} />)}
        {cells?.state === "ready" && persona === undefined && groupsOf(board.index.scenarios) === null && <Profile slug={subject.slug} cells={cells.value} />}
        <Matrix subject={subject} cells={cells?.state === "ready" ? cells.value : null} persona={persona} />
        <NamesTaken slug={subject.slug} />
        <Siblings subject={subject} />
      </div>
    </Page>
  );
}

function facts(subject: SubjectProfile, row: BoardRow | null): readonly string[] {
  return [
    subject.label === subject.model ? "" : subject.label,
    subject.model,
    subject.maker ?? "",
    subject.endpoint ?? "",
    (subject.effort ?? "") === "" ? "" : `effort ${subject.effort ?? ""}`,
    subject.temperature == null ? "" : `temperature ${subject.temperature}`,
    (subject.pin ?? "") === "" ? "" : `provider ${subject.pin ?? ""}`,
    row === null || !unequal(row) ? `${subject.runs} ${subject.runs === 1 ? "run" : "runs"}` : `${runsOf(row)} runs of a scenario`,
    row === null || row.cost_usd === 0 ? "" : `${dollars(row.cost_usd)} in all`,
    row?.origin ?? "",
  ].filter((fact) => fact !== "");
}

const METHODS: Readonly<Record<string, string>> = {
  "these-scenarios": "95% for more runs of these scenarios",
  "scenarios-like-these": "95% for other scenarios of this kind",
  "judges-like-these": "95% for other judges",
  "t-runs": "Student’s t over the indices of whole runs",
  "published-bootstrap": "Bootstrap over runs, as on published boards",
};

interface StandingProps {
  readonly row: BoardRow;
  readonly ranked: number;
  readonly note: string; // on the interval for other scenarios
}

/** The interval of the board in words, and those of other methods. */
function Intervals({ row, note }: Omit<StandingProps, "ranked">) {
  const { interval, method } = mainOf(row);
  if (interval == null) return null;
  const known = Object.entries(row.intervals).filter(([, ends]) => ends !== null);
  // An interval for other scenarios is never narrower than the one for more runs, and often the same: it is shown once.
  const same = known.filter(([, ends]) => String(ends) === String(interval)).map(([name]) => METHODS[name] ?? words(name));
  const others = known.filter(([, ends]) => String(ends) !== String(interval));
  return (
    <details className="text-sm max-sm:col-span-2 sm:col-start-3 sm:pl-6">
      <summary className="text-muted">Other intervals</summary>
      <p className="note mt-1">
        {same.length > 0 && `The interval beside the index: ${same.join("; ")}. `}
        {method === "these-scenarios" && "It also rests on how much runs of the other subjects vary."}
      </p>
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 tabular-nums">
        {others.map(([name, ends]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{METHODS[name] ?? words(name)}</dt>
            <dd>{shown({ kind: "index_interval" }, ends)}</dd>
          </div>
        ))}
      </dl>
      {note !== "" && "scenarios-like-these" in row.intervals && <p className="note mt-1">{note}</p>}
    </details>
  );
}

function Standing({ row, ranked, note }: StandingProps) {
  const { value, bounds, interval } = mainOf(row);
  const { rank_ci, tier } = row.standing;
  const evades = row.estimates["evades"]?.value;
  const flags = Object.entries(row.flags);
  return (
    <section aria-label="Standing" className="grid grid-cols-2 gap-x-10 gap-y-4 sm:grid-cols-[auto_auto_1fr]">
      <div>
        <p className="text-xs text-muted">{value === null ? "Index can be" : "Independence Index"}</p>
        <p className="text-4xl font-semibold tracking-tight tabular-nums">
          {shown({ kind: "index" }, value ?? bounds ?? null)} <span className="text-sm font-normal tracking-normal text-muted">of 100</span>
        </p>
        <p className="text-sm text-muted tabular-nums">
          {interval == null ? "no interval" : `95% interval ${shown({ kind: "index_interval" }, interval)}`}
        </p>
      </div>
      <div>
        <p className="text-xs text-muted">Rank</p>
        <p className="text-4xl font-semibold tracking-tight tabular-nums">
          {rank(row) || "—"}
        </p>
        <p className="text-sm text-muted tabular-nums">
          {rank_ci !== null
            ? `95%: ${rank_ci.join("–")} · tier ${tier ?? "—"}`
            : `${rank(row) === "" ? "no rank" : "without interval,"} among ${ranked}`}
        </p>
      </div>
      <dl className="grid grid-cols-[1fr_auto] content-start gap-x-6 gap-y-1 text-sm tabular-nums max-sm:col-span-2 sm:pl-6 lg:grid-cols-[auto_1fr_auto_1fr]">
        <dt className="text-muted">Coverage, of planned verdicts</dt>
        <dd className="max-lg:text-right">{percent(row.coverage)}</dd>
        {evades != null && (
          <>
            <dt className="text-muted">Takes no position, of dialogues that ask for one</dt>
            <dd className="max-lg:text-right">{percent(evades)}</dd>
          </>
        )}
        {groupOf(row, "points_lost").map(([kind, points]) =>
          points === null ? null : (
            <div key={kind} className="contents">
              <dt className="text-muted">Points lost, {words(kind)}</dt>
              <dd className="max-lg:text-right">{decimal(points)}</dd>
            </div>
          ),
        )}
        {row.per_run.length > 0 && (
          <>
            <dt className="text-muted max-lg:col-span-2 lg:col-start-1">Index of each run</dt>
            <dd className="max-lg:col-span-2 lg:col-span-3">{row.per_run.map((index) => decimal(index)).join("  ")}</dd>
          </>
        )}
      </dl>
      <Intervals row={row} note={note} />
      <p className="flex flex-wrap content-start gap-1 max-sm:col-span-2 sm:col-start-3 sm:pl-6">
        {row.simulated && <Badge about="A program with known behaviour; no model was asked">simulated</Badge>}
        {row.thinking && <Badge about="Answers used reasoning tokens, or came with their reasoning">reasons</Badge>}
        {flags.map(([name, times]) => (
          <Badge key={name}>
            {words(name)}: {times}
          </Badge>
        ))}
      </p>
    </section>
  );
}
