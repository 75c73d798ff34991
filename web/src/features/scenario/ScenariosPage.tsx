import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { sharedPath } from "../../data/paths";
import { mean, measureName, sharesOf, useCells } from "../../data/results";
import { scenarioTitle } from "../../data/titles";
import { cellPage, scenarioPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { CellsDocument, ScenarioInfo, TextsDocument } from "../../schema";
import { Page } from "../../shell/Page";
import { percent, words } from "../../text/format";

/** Every scenario by its experiment, with the mean over all subjects. */
export default function ScenariosPage() {
  const board = useBoard();
  const cells = useCells();
  const texts = useDocument<TextsDocument>(sharedPath(board, "texts"));
  const about = texts.state === "ready" ? (texts.value.experiments ?? {}) : {};
  const experiments = [...new Set(board.index.scenarios.map((scenario) => scenario.experiment))];
  return (
    <Page title="Scenarios" lead={texts.state === "ready" ? texts.value.about : undefined}>
      <div className="space-y-8">
        {experiments.map((experiment) => (
          <section key={experiment} aria-labelledby={`experiment-${experiment}`}>
            <h2 id={`experiment-${experiment}`} className="font-semibold first-letter:uppercase">
              {words(experiment)}
            </h2>
            {about[experiment] !== undefined && <p className="max-w-3xl text-sm text-muted">{about[experiment]}</p>}
            <ul className="mt-2 grid gap-x-8 sm:grid-cols-2">
              {board.index.scenarios
                .filter((scenario) => scenario.experiment === experiment)
                .map((scenario) => (
                  <Entry key={scenario.id} scenario={scenario} cells={cells?.state === "ready" ? cells.value : null} />
                ))}
            </ul>
          </section>
        ))}
      </div>
    </Page>
  );
}

function Entry({ scenario, cells }: { readonly scenario: ScenarioInfo; readonly cells: CellsDocument | null }) {
  const board = useBoard();
  const address = useAddress();
  const means = cells === null ? [] : Object.keys(cells.shares).map((slug) => mean(sharesOf(cells, slug, scenario.id)));
  const own = mean(means);
  return (
    <li className="grid grid-cols-[1fr_6rem_3rem] items-center gap-3 border-t border-faint py-1 text-sm">
      <span className="min-w-0">
        <Link href={address(scenarioPage(scenario.id))} className="font-medium hover:text-accent hover:underline">
          {scenarioTitle(board, scenario.id)}
        </Link>{" "}
        {(scenario.side ?? "") !== "" && <span className="text-muted">{words(scenario.side ?? "")} </span>}
        {(scenario.cell ?? "") !== "" && (
          <Link href={address(cellPage(scenario.unit))} className="link">
            all sides
          </Link>
        )}
      </span>
      {own === null || cells === null ? (
        <span />
      ) : (
        <svg role="img" aria-label={`Mean ${measureName(cells)} ${percent(own)}`} className="block h-2 w-full">
          <rect width="100%" height="8" rx="2" className="fill-faint" />
          <rect width={`${100 * own}%`} height="8" rx="2" className="fill-accent" />
        </svg>
      )}
      <span className="text-right tabular-nums">{own === null ? "" : percent(own)}</span>
    </li>
  );
}
