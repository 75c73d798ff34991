import { Link } from "wouter";
import { heat } from "../../charts/heat";
import { useBoard } from "../../data/board";
import { trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { DialogueDocument, TurnDocument } from "../../schema";
import { given, percent, words, why } from "../../text/format";
import { Markdown } from "../../text/Markdown";
import { Badge } from "../../ui/Badge";
import { Failed } from "../../ui/Notice";
import { CompareButton } from "../compare/CompareButton";
import { useRuns } from "../trajectory/dialogue";
import type { FeedRow } from "./rows";

interface FeedCardProps {
  readonly row: FeedRow;
  readonly scenario: string;
  readonly turn: string; // whose answer is shown; empty: the last one
  readonly raw: boolean;
}

/** One dialogue of the feed: who, which run, what came of it, and the answer. */
export function FeedCard({ row, scenario, turn, raw }: FeedCardProps) {
  const board = useBoard();
  const address = useAddress();
  const { block, path, runs } = useRuns(row.slug, scenario, row.run);
  const dialogue = runs.find((one) => one.run === row.run);
  return (
    <article className="border-t border-faint py-3">
      <h3 className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Link href={address(trajectoryPage(row.slug, row.run, scenario))} className="font-medium hover:text-accent hover:underline">
          {board.labels.get(row.slug)}
        </Link>
        <span className="text-muted tabular-nums">run {row.run}</span>
        {row.share !== null && (
          <span className="rounded px-1.5 text-xs leading-5 tabular-nums" style={heat(1 - row.share)}>
            {percent(row.share)}
          </span>
        )}
        {board.subjects.get(row.slug)?.simulated === true && <Badge>simulated</Badge>}
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

/** What judges gave, in short. */
function Verdicts({ dialogue }: { readonly dialogue: DialogueDocument | undefined }) {
  const verdicts = (dialogue?.verdicts ?? []).filter((verdict) => verdict.outdated !== true);
  return (
    <div className="space-y-1.5 text-[0.8125rem] text-muted">
      {verdicts.map((verdict, place) => (
        <div key={place}>
          <p className="text-xs">{verdict.judge}</p>
          {(verdict.missing ?? "") !== "" && <p className="text-open">No verdict: {why(verdict)}.</p>}
          <dl className="grid grid-cols-[1fr_auto] gap-x-3 tabular-nums">
            {Object.entries(verdict.values ?? {}).map(([field, value]) => (
              <div key={field} className="contents">
                <dt>{words(field)}</dt>
                <dd className="text-right text-ink">{given(value)}</dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
    </div>
  );
}

function chosen(dialogue: DialogueDocument | undefined, turn: string): TurnDocument | undefined {
  const turns = dialogue?.turns ?? [];
  return turn === "" ? turns.at(-1) : turns.find((one) => one.id === turn);
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
      {(shown.flags ?? []).map((flag) => (
        <Badge key={flag} warns>
          {words(flag)}
        </Badge>
      ))}
    </div>
    <Verdicts dialogue={dialogue} />
    </div>
  );
}
