import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { fieldName } from "../../data/fields";
import { trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { DialogueDocument, TurnDocument } from "../../schema";
import { counted, given, why } from "../../text/format";
import { Markdown } from "../../text/Markdown";
import { AnswerMark } from "../../ui/AnswerMark";
import { ResultMark } from "../../ui/ResultMark";
import { Failed } from "../../ui/Notice";
import { SubjectLabel } from "../../ui/SubjectName";
import { CompareButton } from "../compare/CompareButton";
import { useRuns } from "../trajectory/dialogue";
import { Reasons } from "./Reasons";
import type { FeedRow } from "./rows";

interface FeedCardProps {
  readonly row: FeedRow;
  readonly scenario: string;
  readonly turn: string; // whose answer is shown; empty: the last one
  readonly raw: boolean;
}

/** One dialogue of the feed: who, which run, what came of it, and the answer. */
export function FeedCard({ row, scenario, turn, raw }: FeedCardProps) {
  const address = useAddress();
  const { block, path, runs } = useRuns(row.slug, scenario, row.run);
  const dialogue = runs.find((one) => one.run === row.run);
  return (
    <article className="border-t border-faint py-3">
      <h3 className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Link href={address(trajectoryPage(row.slug, row.run, scenario))} className="font-medium hover:text-accent hover:underline">
          <SubjectLabel slug={row.slug} />
        </Link>
        <span className="text-muted tabular-nums">run {row.run}</span>
        <ResultMark share={row.share} />
        {dialogue !== undefined && <DialogueMarks dialogue={dialogue} />}
        <span className="screen-only ml-auto">
          <CompareButton slug={row.slug} />
        </span>
      </h3>
      {block.state === "loading" && <p className="py-6 text-sm text-muted">Loading…</p>}
      {block.state === "failed" && path !== null && <Failed path={path} why={block.why} />}
      {block.state === "ready" && <Shown dialogue={dialogue} turn={turn} raw={raw} />}
    </article>
  );
}

/** What is marked in any answer of a dialogue, and answers or verdicts that it lacks. */
function DialogueMarks({ dialogue: { turns = [], verdicts = [] } }: { readonly dialogue: DialogueDocument }) {
  const lacks = [
    [turns.filter(({ missing }) => (missing ?? "") !== "").length, "answer"] as const,
    [verdicts.filter(({ missing, current }) => (missing ?? "") !== "" && current === true).length, "verdict"] as const,
  ];
  return (
    <>
      {[...new Set(turns.flatMap(({ flags = [] }) => flags))].map((flag) => (
        <AnswerMark key={flag} mark={flag} />
      ))}
      {lacks.map(([times, what]) => times > 0 && <span key={what} className="text-xs text-open">{counted(times, what)} missing</span>)}
    </>
  );
}

/** What judges gave, in short. */
function Verdicts({ dialogue }: { readonly dialogue: DialogueDocument | undefined }) {
  const { choices } = useBoard().scenarios.get(dialogue?.scenario ?? "") ?? {};
  const verdicts = (dialogue?.verdicts ?? []).filter((verdict) => verdict.current === true);
  return (
    <div className="space-y-1.5 text-[0.8125rem] text-muted">
      {verdicts.map((verdict, place) => (
        <div key={place}>
          <p className="text-xs">{verdict.judge}</p>
          {(verdict.missing ?? "") !== "" && <p className="text-open">No verdict: {why(verdict)}.</p>}
          <dl className="grid grid-cols-[1fr_auto] gap-x-3 tabular-nums">
            {Object.entries(verdict.values ?? {}).map(([field, value]) => (
              <div key={field} className="contents">
                <dt>{fieldName(field)}</dt>
                <dd className="text-right text-ink">{given(value, choices)}</dd>
              </div>
            ))}
          </dl>
          <Reasons verdict={verdict} quoted />
        </div>
      ))}
    </div>
  );
}

function chosen(dialogue: DialogueDocument | undefined, turn: string): TurnDocument | undefined {
  const turns = dialogue?.turns ?? [];
  return turn === "" ? turns.at(-1) : turns.find((one) => one.turn_id === turn);
}

function Shown({ dialogue, turn, raw }: { dialogue: DialogueDocument | undefined; turn: string; raw: boolean }) {
  const shown = chosen(dialogue, turn);
  if (shown === undefined) return <p className="mt-1 text-sm text-muted">Not answered yet.</p>;
  const text = raw && (shown.raw ?? "") !== "" ? (shown.raw ?? "") : (shown.text ?? "");
  return (
    <div className="mt-1.5 grid gap-x-8 gap-y-2 lg:grid-cols-[minmax(0,48rem)_minmax(0,1fr)]">
    <div>
      {(shown.missing ?? "") !== "" && <p className="text-open">No usable answer: {why(shown)}.</p>}
      <Markdown text={text} raw={raw} />
    </div>
    <Verdicts dialogue={dialogue} />
    </div>
  );
}
