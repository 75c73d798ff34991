import { useParams } from "wouter";
import { useBoard } from "../../data/board";
import { slugsInOrder } from "../../data/results";
import { cellTitle, scenarioTitle, varying, wordingTitle } from "../../data/titles";
import { useKeys } from "../../keys/keys";
import { navigate } from "../../route/hash";
import { cellPage } from "../../route/paths";
import { useAddress, useQuery } from "../../route/query";
import type { ScenarioInfo } from "../../schema";
import { NoSuch } from "../../shell/NoSuch";
import { Page } from "../../shell/Page";
import { words } from "../../text/format";
import { SubjectChoice } from "../../ui/SubjectChoice";
import { Arms } from "./Arms";
import { Contrast } from "./Contrast";
import { Side } from "./Side";

/** Scenarios of one wording, one a side. */
export interface Wording {
  readonly name: string; // empty where there is one wording alone
  readonly sides: readonly ScenarioInfo[];
}

function wordings(scenarios: readonly ScenarioInfo[]): readonly Wording[] {
  const names = varying(scenarios);
  const found = new Map<string, ScenarioInfo[]>();
  for (const scenario of scenarios) {
    const name = wordingTitle(scenario, names);
    found.set(name, [...(found.get(name) ?? []), scenario]);
  }
  return [...found].map(([name, sides]) => ({ name, sides }));
}

/** One case of a paired suite: all its sides and wordings beside each other, for one subject. */
export default function CellPage() {
  const { unit = "" } = useParams();
  const board = useBoard();
  const address = useAddress();
  const [query, change] = useQuery();
  const scenarios = board.index.scenarios.filter((scenario) => scenario.unit === unit);
  const order = slugsInOrder(board);
  const slug = query.get("m") ?? order[0] ?? "";
  const runs = board.subjects.get(slug)?.runs ?? 1;
  const run = Math.min(Number(query.get("run") ?? 1), runs);
  const units = [...new Set(board.index.scenarios.map((one) => one.unit))];
  const go = (other: string | undefined) => () => {
    if (other !== undefined) navigate(address(cellPage(other), { m: slug }));
  };
  useKeys({
    "{": go(units[units.indexOf(unit) - 1]),
    "}": go(units[units.indexOf(unit) + 1]),
    J: () => { change({ m: order[order.indexOf(slug) + 1] ?? slug }); },
    K: () => { change({ m: order[order.indexOf(slug) - 1] ?? slug }); },
    "[": () => { change({ run: Math.max(1, run - 1) }); },
    "]": () => { change({ run: Math.min(runs, run + 1) }); },
  });
  const first = scenarios[0];
  if (first === undefined)
    return <NoSuch what="case" back={{ path: "/s", name: "All scenarios" }} />;
  const title = (first.cell ?? "") === "" ? scenarioTitle(board, first.id) : cellTitle(first);
  const free = new Set(varying(scenarios));
  const named = (first.cell ?? "").split("/");
  const factors = Object.entries(first.factors ?? {}).filter(([name, value]) => !free.has(name) && !named.includes(value));
  const all = wordings(scenarios);
  return (
    <Page title={title} lead={factors.map(([name, value]) => `${words(name)}: ${words(value)}`).join(" · ")}>
      <div className="bar mb-5">
        <SubjectChoice name="Subject" className="min-w-0" value={slug} order={order} onChange={(other) => { change({ m: other }); }} />
        <select aria-label="Run" className="control" value={run} onChange={(event) => { change({ run: event.target.value }); }}>
          {Array.from({ length: runs }, (_, place) => (
            <option key={place} value={place + 1}>
              Run {place + 1}
            </option>
          ))}
        </select>
        <select aria-label="Case" className="control min-w-0" value={unit} onChange={(event) => { go(event.target.value)(); }}>
          {units.map((other) => (
            <option key={other} value={other}>
              {cellTitle(board.index.scenarios.find((one) => one.unit === other))}
            </option>
          ))}
        </select>
      </div>
      {first.cell_title !== undefined && <Arms key={unit} slug={slug} run={run} scenarios={scenarios} />}
      {first.cell_title === undefined && <Contrast slug={slug} unit={unit} run={run} wordings={all} />}
      <div className="space-y-8">
        {first.cell_title === undefined && all.map(({ name, sides }) => (
          <section key={name} aria-label={name === "" ? "All sides" : name}>
            {name !== "" && <h2 className="mb-2 first-letter:uppercase">{name}</h2>}
            <div className={`grid gap-x-6 gap-y-6 md:grid-cols-2 ${sides.length > 2 ? "xl:grid-cols-3" : ""}`}>
              {sides.map((scenario, place) => (
                <Side key={scenario.id} scenario={scenario} place={place} slug={slug} run={run} level={name === "" ? "h2" : "h3"} />
              ))}
            </div>
          </section>
        ))}
      </div>
    </Page>
  );
}
