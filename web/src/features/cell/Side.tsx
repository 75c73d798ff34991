import { Link } from "wouter";
import { MarkKey } from "../../charts/marks";
import { useBoard } from "../../data/board";
import { fieldName } from "../../data/fields";
import { sharesOf, useCells } from "../../data/results";
import { scenarioTitle, sideTitle, turnTitle } from "../../data/titles";
import { trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { ScenarioInfo, VerdictDocument } from "../../schema";
import { given, percent, signed, why } from "../../text/format";
import { Markdown } from "../../text/Markdown";
import { Failed, Waiting } from "../../ui/Notice";
import { Script } from "../scenario/Script";
import { useRuns } from "../trajectory/dialogue";

interface SideProps {
  readonly scenario: ScenarioInfo;
  readonly place: number; // of the side, for its mark
  readonly slug: string;
  readonly run: number;
  readonly level: "h2" | "h3";
}

/** One side of a case: what was asked, the verdict, the answer. */
export function Side({ scenario, place, slug, run, level: Heading }: SideProps) {
  const board = useBoard();
  const address = useAddress();
  const cells = useCells();
  const { block, path, runs } = useRuns(slug, scenario.id, run);
  const dialogue = runs.find((one) => one.run === run);
  const measure = cells?.state === "ready" ? cells.value.measure : "";
  const share = cells?.state === "ready" ? (sharesOf(cells.value, slug, scenario.id)[run - 1] ?? null) : null;
  const verdicts = (dialogue?.verdicts ?? []).filter((verdict) => verdict.current === true);
  const own = verdicts.find((verdict) => verdict.judge === board.judge?.name)?.values?.[measure];
  const several = (dialogue?.turns ?? []).length > 1;
  return (
    <section aria-label={scenarioTitle(board, scenario.id)} className="min-w-0 border-t-2 border-accent pt-2">
      <Heading className="flex items-baseline justify-between gap-3">
        <Link href={address(trajectoryPage(slug, run, scenario.id))} className="font-medium first-letter:uppercase hover:text-accent hover:underline">
          <MarkKey place={place} /> {(scenario.side ?? "") === "" ? scenarioTitle(board, scenario.id) : sideTitle(scenario)}
        </Link>
        <span className="text-xl font-semibold tabular-nums">
          {typeof own === "number" ? signed(own) : share === null ? "—" : percent(share)}
        </span>
      </Heading>
      {verdicts.map((verdict, number) => (
        <Values key={number} verdict={verdict} />
      ))}
      <div className="mt-2 text-sm">
        <Script scenario={scenario} folded />
      </div>
      {block.state === "loading" && <Waiting />}
      {block.state === "failed" && path !== null && <Failed path={path} why={block.why} />}
      {block.state === "ready" && dialogue === undefined && <p className="mt-2 text-sm text-muted">Not answered yet.</p>}
      {(dialogue?.turns ?? []).map((turn) => (
        <div key={turn.turn_id} className="mt-3">
          {several && <p className="text-xs text-muted">{turnTitle(scenario, turn.turn_id)}</p>}
          {(turn.missing ?? "") !== "" && <p className="text-open">No usable answer: {why(turn)}.</p>}
          <Markdown text={turn.text ?? ""} />
        </div>
      ))}
    </section>
  );
}

function Values({ verdict }: { readonly verdict: VerdictDocument }) {
  const shown = Object.entries(verdict.values ?? {}).map(([field, value]) => `${fieldName(field)} ${given(value)}`);
  return (
    <p className="text-xs text-muted tabular-nums">
      {verdict.judge}: {(verdict.missing ?? "") === "" ? shown.join(", ") : `no verdict, ${why(verdict)}`}
    </p>
  );
}
