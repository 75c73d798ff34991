import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { CellsDocument, ScenarioResults, TellingDialogue, VerdictDocument } from "../../schema";
import { ResultMark } from "../../ui/ResultMark";
import { SubjectLabel } from "../../ui/SubjectName";
import { useRuns } from "../trajectory/dialogue";
import { Reasons } from "./Reasons";

/** The two ends of a scenario: what the judge of the one that kept least says, and of the one that kept most. */
export function Telling({ results, cells }: { readonly results: ScenarioResults; readonly cells: CellsDocument }) {
  const kept = cells.measure === "kept";
  const { fold, hold } = results;
  if (fold === null || hold === null) return null;
  return (
    <section aria-labelledby="telling">
      <h2 id="telling">
        Lowest and highest
      </h2>
      <p className="note">
        The dialogues with the lowest and the highest {kept ? "share kept" : "result"}.
      </p>
      <div className="mt-2 grid gap-4 gap-x-6 sm:grid-cols-2">
        <One title={kept ? "Lowest share kept" : "Lowest"} rule={kept ? "border-folded" : "border-soft"} scenario={results.id} dialogue={fold} />
        <One title={kept ? "Highest share kept" : "Highest"} rule={kept ? "border-accent" : "border-soft"} scenario={results.id} dialogue={hold} />
      </div>
    </section>
  );
}

interface OneProps {
  readonly title: string;
  readonly rule: string;
  readonly scenario: string;
  readonly dialogue: TellingDialogue;
}

const LONG = 240; // letters of a reply that are shown where no judge quoted it

function One({ title, rule, scenario, dialogue: { slug, run, share } }: OneProps) {
  const board = useBoard();
  const address = useAddress();
  const { runs } = useRuns(slug, scenario, run);
  const found = runs.find((one) => one.run === run);
  const verdict = ofJudge(found?.verdicts ?? [], board.judge?.name);
  const quote = verdict?.quote ?? "";
  const quoted = quote !== "" && verdict?.quote_found !== false;
  const said = found?.turns?.at(-1)?.text ?? "";
  return (
    <article className={`min-w-0 border-t-2 pt-2 text-sm ${rule}`}>
      <h3 className="text-xs text-muted">{title}</h3>
      <p className="flex items-baseline justify-between gap-2">
        <Link href={address(trajectoryPage(slug, run, scenario), { quote: quoted ? board.judge?.name : null })} className="link min-w-0 font-medium">
          <SubjectLabel slug={slug} /> <span className="text-sm whitespace-nowrap">run {run}</span>
        </Link>
        <ResultMark share={share} />
      </p>
      <blockquote dir="auto" className="mt-1.5 text-base [overflow-wrap:anywhere]">
        {quoted ? quote : said.length > LONG ? `${said.slice(0, LONG)}…` : said}
      </blockquote>
      {verdict !== undefined && <Reasons verdict={verdict} quoted={false} open />}
    </article>
  );
}

function ofJudge(verdicts: readonly VerdictDocument[], judge: string | undefined): VerdictDocument | undefined {
  return verdicts.find((one) => one.judge === judge && one.current === true);
}
