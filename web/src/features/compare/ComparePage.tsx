import { useMemo } from "react";
import { useBoard } from "../../data/board";
import { slugsInOrder, useResults } from "../../data/results";
import { scenarioTitle } from "../../data/titles";
import { useKeys } from "../../keys/keys";
import { useQuery } from "../../route/query";
import { Page } from "../../shell/Page";
import { Aligned } from "./Aligned";
import { Differences } from "./Differences";
import { Gaps } from "./Gaps";
import { useGaps } from "./gaps";
import { COMPARED, useTray } from "./tray";

/** Two to four subjects beside each other on one scenario. */
export default function ComparePage() {
  const board = useBoard();
  const [query, change] = useQuery();
  const tray = useTray();
  const order = useMemo(() => slugsInOrder(board), [board]);
  const asked = COMPARED.flatMap((name) => query.get(name) ?? []);
  const usual = tray.length > 1 ? tray.filter((slug) => board.subjects.has(slug)) : order.slice(0, 2);
  const slugs: readonly string[] = asked.length > 0 ? asked : usual;
  const gaps = useGaps(slugs);
  const only = query.get("only") === "1";
  const listed = (gaps?.gaps ?? []).filter(({ differs }) => !only || differs).flatMap((gap) => gap.scenarios);
  const scenarios = gaps === null ? board.index.scenarios.map((one) => one.id) : listed;
  const scenario = query.get("s") ?? scenarios[0] ?? board.index.scenarios[0]?.id ?? "";
  const results = useResults(board.scenarios.get(scenario));
  const run = Number(query.get("run")); // 0: of each the one whose result is the median
  const runs = slugs.map((slug, place) => {
    const median = results?.subjects.find((one) => one.slug === slug)?.median_run ?? 1;
    const own = Number(query.get(`run_${COMPARED[place] ?? ""}`)) || run || median;
    return Math.min(own, board.subjects.get(slug)?.runs ?? 1);
  });
  const own = COMPARED.some((name) => query.has(`run_${name}`));
  const raw = query.get("raw") === "1";
  const set = (next: readonly string[]) => {
    const named = COMPARED.map((name, place) => [name, next[place] ?? null] as const);
    const own = COMPARED.map((name, place) => [`run_${name}`, next[place] === slugs[place] ? query.get(`run_${name}`) : null] as const);
    change(Object.fromEntries([...named, ...own]));
  };
  const together = (next: number) => {
    change({ run: next === 0 ? null : next, ...Object.fromEntries(COMPARED.map((name) => [`run_${name}`, null])) });
  };
  const step = (by: number) => () => {
    const next = scenarios[scenarios.indexOf(scenario) + by];
    if (next !== undefined) change({ s: next });
  };
  const most = Math.max(...slugs.map((slug) => board.subjects.get(slug)?.runs ?? 1));
  useKeys({
    "{": step(-1),
    "}": step(1),
    "[": () => { together(Math.max(0, run - 1)); },
    "]": () => { together(Math.min(most, run + 1)); },
    r: () => { change({ raw: raw ? null : 1 }); },
  });
  return (
    <Page title="Compare" lead="The same scenario, answered by different subjects.">
      <div className="bar mb-4">
        <select aria-label="Scenario" className="control min-w-0" value={scenario} onChange={(event) => { change({ s: event.target.value }); }}>
          {(scenarios.includes(scenario) ? scenarios : [scenario, ...scenarios]).map((id) => (
            <option key={id} value={id}>
              {scenarioTitle(board, id)}
            </option>
          ))}
        </select>
        <select aria-label="Run of all" className="control" value={own ? "own" : run} onChange={(event) => { together(Number(event.target.value)); }}>
          {own && <option value="own">Runs chosen one by one</option>}
          <option value={0}>Median run of each</option>
          {Array.from({ length: most }, (_, place) => (
            <option key={place} value={place + 1}>
              Run {place + 1}
            </option>
          ))}
        </select>
        <button type="button" className="control" aria-pressed={raw} onClick={() => { change({ raw: raw ? null : 1 }); }}>
          Raw text
        </button>
        {slugs.length < COMPARED.length && (
          <button
            type="button"
            className="control"
            onClick={() => { set([...slugs, order.find((slug) => !slugs.includes(slug)) ?? ""].filter((slug) => slug !== "")); }}
          >
            Add a subject
          </button>
        )}
      </div>
      <Differences slugs={slugs} />
      {gaps !== null && slugs.length > 1 && <Gaps found={gaps} slugs={slugs} scenario={scenario} only={only} />}
      {run === 0 && !own && most > 1 && (
        <p className="mb-2 text-xs text-muted">Shown: the median run of each subject.</p>
      )}
      <Aligned
        slugs={slugs}
        scenario={scenario}
        runs={runs}
        raw={raw}
        order={order}
        onRun={(place, next) => { change({ [`run_${COMPARED[place] ?? ""}`]: next }); }}
        onChange={(place, slug) => { set(slug === "" ? slugs.filter((_, other) => other !== place) : slugs.with(place, slug)); }}
      />
    </Page>
  );
}
