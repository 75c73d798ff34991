import { useMemo } from "react";
import { Link } from "wouter";
import { result } from "../../charts/share";
import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { groupsOf } from "../../data/groups";
import { sharedPath } from "../../data/paths";
import { measureAbout, measureName, useCells } from "../../data/results";
import { cellTitle, PERSONA, scenarioTitle, titleUnder, varying, versionTitle } from "../../data/titles";
import { cellPage, scenarioPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { CellsDocument, ColumnInfo, ScenarioInfo, TextsDocument } from "../../schema";
import { Page } from "../../shell/Page";
import { count, percent, signed, words } from "../../text/format";
import { Downloads } from "../../ui/Downloads";
import { Markdown } from "../../text/Markdown";

const COLUMNS: readonly ColumnInfo[] = [
  { key: "scenario", head: "Scenario", kind: "id" },
  { key: "title", head: "Title" },
  { key: "experiment", head: "Experiment", kind: "id" },
  { key: "mean", head: "Mean", kind: "number" },
];

/** Every scenario by its experiment, with the mean over all subjects. */
export default function ScenariosPage() {
  const board = useBoard();
  const address = useAddress();
  const cells = useCells();
  const texts = useDocument<TextsDocument>(sharedPath(board, "texts"));
  const results = cells?.state === "ready" ? cells.value : null;
  const about = texts.state === "ready" ? (texts.value.experiments ?? {}) : {};
  const isPersona = board.info.analysis === PERSONA;
  const named = [...new Set(board.index.scenarios.map((scenario) => scenario.experiment))];
  const experiments = isPersona ? Object.keys(about).filter((name) => named.includes(name)) : named;
  return (
    <Page title="Scenarios" lead={texts.state === "ready" ? <Markdown text={texts.value.about} /> : undefined}>
      {results !== null && (
        <div className="head mb-5">
          <p className="note">{results.scale == null ? "Percentages" : "Numbers"}: mean {measureAbout(results)} over all subjects. <Link href={address("/items")} className="link">Which of them still tell subjects apart</Link></p>
          <Downloads
            name={`scenarios-${board.info.id}`}
            columns={COLUMNS}
            rows={board.index.scenarios.map(({ id, experiment }) => [id, scenarioTitle(board, id), experiment, overall(results, id)])}
          />
        </div>
      )}
      {board.index.scenarios.some(({ factors }) => factors?.["voice"] !== undefined && factors["feeling"] !== undefined) && (
        <p className="note mb-5">
          Versions of a dispute: who asks; the parties named by role, or the asker in the first person; the deciding fact early or
          last; without or with the asker’s feelings. An uninvolved person speaks of roles alone, and of no feelings.
        </p>
      )}
      <div className="space-y-10">
        {experiments.map((experiment) => (
          <section key={experiment} aria-labelledby={`experiment-${experiment}`}>
            <h2 id={`experiment-${experiment}`} className="first-letter:uppercase">
              {isPersona ? (about[experiment] ?? "") : words(experiment)}
            </h2>
            {!isPersona && about[experiment] !== undefined && <p className="note">{about[experiment]}</p>}
            <ListOf heading={about[experiment] ?? ""} scenarios={board.index.scenarios.filter((scenario) => scenario.experiment === experiment)} cells={results} />
          </section>
        ))}
      </div>
    </Page>
  );
}

interface ListProps {
  readonly heading: string; // above them
  readonly scenarios: readonly ScenarioInfo[];
  readonly cells: CellsDocument | null;
}

/** Scenarios one by one; those of a grid under what their cases share, folded. */
function ListOf({ heading, scenarios, cells }: ListProps) {
  const groups = useMemo(() => groupsOf(scenarios), [scenarios]);
  if (groups?.every((group) => cases(group.scenarios).length === 1) === true)
    return <ul className="mt-2">{groups.map((group) => <Case key={group.name} scenarios={group.scenarios} cells={cells} />)}</ul>;
  if (groups !== null)
    return groups.map((group) => (
      <details key={group.name} className="border-t border-faint py-1">
        <summary>
          <h3 className="inline">{group.name}</h3> <span className="text-sm text-muted">{count(group.scenarios.length)} scenarios</span>
        </summary>
        <ul className="mt-1 ml-5">
          {cases(group.scenarios).map((own) => (
            <Case key={own[0]?.unit} scenarios={own} cells={cells} />
          ))}
        </ul>
      </details>
    ));
  return (
    <ul className="mt-2 grid gap-x-10 lg:grid-cols-2">
      {scenarios.map((scenario) => (
        <Entry key={scenario.id} heading={heading} scenario={scenario} cells={cells} />
      ))}
    </ul>
  );
}

/** Scenarios by the case that they belong to. */
function cases(scenarios: readonly ScenarioInfo[]): readonly (readonly ScenarioInfo[])[] {
  const found = new Map<string, ScenarioInfo[]>();
  for (const scenario of scenarios) found.set(scenario.unit, [...(found.get(scenario.unit) ?? []), scenario]);
  return [...found.values()];
}

/** The mean over all subjects. */
function overall(cells: CellsDocument | null, scenario: string): number | null {
  return cells?.totals.columns[cells.scenarios.indexOf(scenario)]?.[0] ?? null;
}

/** One case of a grid with all its sides and wordings. */
function Case({ scenarios, cells }: { readonly scenarios: readonly ScenarioInfo[]; readonly cells: CellsDocument | null }) {
  const address = useAddress();
  const names = varying(scenarios);
  const contrast = cells?.unit_totals?.columns[(cells.units ?? []).indexOf(scenarios[0]?.unit ?? "")]?.[0];
  return (
    <li className="border-t border-faint py-2 text-sm">
      <Link href={address(cellPage(scenarios[0]?.unit ?? ""))} className="inline-block min-h-6 font-medium hover:text-accent hover:underline">
        {cellTitle(scenarios[0])}
      </Link>{" "}
      {contrast != null && (
        <span className="ml-2 text-muted tabular-nums">
          mean {cells?.quantity} {signed(contrast)}
        </span>
      )}
      <ul className="mt-1 grid gap-x-6 sm:grid-cols-3 gap-y-0.5 text-[0.8125rem]">
        {scenarios.map((scenario) => {
          const own = overall(cells, scenario.id);
          return (
            <li key={scenario.id} className="flex justify-between gap-2">
              <Link href={address(scenarioPage(scenario.id))} className="inline-block min-h-6 min-w-0 text-muted hover:text-accent hover:underline">
                {versionTitle(scenario, names)}
              </Link>
              <span className="tabular-nums">{own === null || cells === null ? "" : result(cells, own)}</span>
            </li>
          );
        })}
      </ul>
    </li>
  );
}

function Entry({ heading, scenario, cells }: Omit<ListProps, "scenarios"> & { readonly scenario: ScenarioInfo }) {
  const board = useBoard();
  const address = useAddress();
  const own = overall(cells, scenario.id);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_4rem_3rem] sm:grid-cols-[minmax(0,1fr)_minmax(4rem,12rem)_3rem] items-center gap-3 border-t border-faint py-1 text-sm">
      <span className="min-w-0">
        <Link href={address(scenarioPage(scenario.id))} className="inline-block min-h-6 font-medium hover:text-accent hover:underline">
          {titleUnder(heading, scenarioTitle(board, scenario.id))}
        </Link>
      </span>
      {own === null || cells === null ? (
        <span />
      ) : (
        <svg role="img" aria-label={`Mean ${measureName(cells)} ${percent(own)}`} className="block h-2 w-full">
          <rect width="100%" height="8" rx="2" className="fill-faint" />
          <rect width={`${100 * own}%`} height="8" rx="2" className="fill-soft" />
        </svg>
      )}
      <span className="text-right tabular-nums">{own === null ? "" : percent(own)}</span>
    </li>
  );
}
