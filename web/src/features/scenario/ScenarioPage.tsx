import { useMemo } from "react";
import { useParams } from "wouter";
import { Histogram } from "../../charts/Histogram";
import { isNamed, useBoard } from "../../data/board";
import { measureAbout, measureName, useCells, useResults } from "../../data/results";
import { scenarioTitle, titleAbout, turnTitle } from "../../data/titles";
import { useKeys } from "../../keys/keys";
import { navigate } from "../../route/hash";
import { scenarioPage } from "../../route/paths";
import { useAddress, useQuery } from "../../route/query";
import type { ScenarioInfo } from "../../schema";
import { NoSuch } from "../../shell/NoSuch";
import { Page } from "../../shell/Page";
import { count, words } from "../../text/format";
import { Failed } from "../../ui/Notice";
import { cellsPath } from "../../data/paths";
import { FilterField } from "../../ui/FilterField";
import { Feed } from "./Feed";
import { bin, feedRows, ordered, ORDERS, type FeedOrder } from "./rows";
import { Script } from "./Script";
import { Strip } from "./Strip";
import { Telling } from "./Telling";

/** Every answer to one scenario, over all subjects and runs. */
export default function ScenarioPage() {
  const { scenario: encoded = "" } = useParams();
  const board = useBoard();
  const scenario = board.scenarios.get(decodeURIComponent(encoded));
  if (scenario === undefined)
    return <NoSuch what="scenario" back={{ path: "/s", name: "All scenarios" }} />;
  return <ScenarioFeed scenario={scenario} />;
}

function ScenarioFeed({ scenario }: { readonly scenario: ScenarioInfo }) {
  const board = useBoard();
  const address = useAddress();
  const [query, change] = useQuery();
  const cells = useCells();
  const shares = cells?.state === "ready" ? cells.value : null;
  const results = useResults(scenario);
  const rows = useMemo(() => feedRows(board, scenario.id, shares), [board, scenario, shares]);
  const [run, text, order] = [query.get("run"), query.get("q") ?? "", query.get("sort") ?? "board"];
  const chosenBin = query.has("bin") ? Number(query.get("bin")) : null;
  const named = useMemo(
    () => rows.filter((row) => (run === null || row.run === Number(run)) && isNamed(board.subjects.get(row.slug), text)),
    [rows, run, text, board],
  );
  const shown = useMemo(() => {
    const inside = named.filter((row) => chosenBin === null || (row.share !== null && bin(row.share) === chosenBin));
    return ordered(inside, order as FeedOrder, results);
  }, [named, chosenBin, order, results]);
  const all = board.index.scenarios.map((one) => one.id);
  const place = all.indexOf(scenario.id);
  const go = (other: string | undefined) => () => {
    if (other !== undefined) navigate(address(scenarioPage(other)));
  };
  const raw = query.get("raw") === "1";
  useKeys({
    "{": go(all[place - 1]),
    "}": go(all[place + 1]),
    r: () => { change({ raw: raw ? null : 1 }); },
  });
  const most = Math.max(...board.index.subjects.map((subject) => subject.runs), 1);
  const title = scenarioTitle(board, scenario.id);
  return (
    <Page
      title={title}
      lead={[`Experiment: ${words(scenario.experiment)}`, `${count(rows.length)} dialogues of ${count(board.subjects.size)} subjects`, titleAbout(board, scenario.id)].filter((part) => part !== "").join(" · ")}
      actions={
        <select aria-label="Scenario" className="control" value={scenario.id} onChange={(event) => { go(event.target.value)(); }}>
          {all.map((id) => (
            <option key={id} value={id}>
              {scenarioTitle(board, id)}
            </option>
          ))}
        </select>
      }
    >
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
        {results !== null && shares !== null && <Strip results={results} cells={shares} />}
        <div className="min-w-0 space-y-6">
          <Script scenario={scenario} folded={results !== null} />
          {results !== null && shares !== null && <Telling results={results} cells={shares} />}
        </div>
        {cells?.state === "failed" && <Failed path={cellsPath(board)} why={cells.why} />}
      </div>
      <h2 className="mt-10 mb-2">Every dialogue</h2>
      {results !== null && shares !== null && (
        <Histogram
          counts={results.counts}
          chosen={chosenBin}
          says={`All dialogues by ${measureName(shares)}`}
          name={`results-${scenario.id}`}
          title={`${title}: dialogues by ${measureAbout(shares)}`}
          onChoose={(chosen) => { change({ bin: chosen }); }}
        />
      )}
      <div className="bar mt-6 mb-3">
        <FilterField label="Filter by subject" hint="Filter by subject" />
        <Choice name="run" empty="All runs" values={Array.from({ length: most }, (_, number) => [String(number + 1), `Run ${number + 1}`])} />
        <Choice name="sort" empty="Leaderboard order" values={ORDERS.slice(1)} />
        {(scenario.turns ?? []).length > 1 && (
          <Choice name="turn" empty="Final answer" values={(scenario.turns ?? []).map((turn) => [turn, turnTitle(scenario, turn)])} />
        )}
        <button type="button" className="control" aria-pressed={raw} onClick={() => { change({ raw: raw ? null : 1 }); }}>
          Raw text
        </button>
        <span role="status" className="text-sm text-muted tabular-nums">
          {count(shown.length)} shown{order === "board" ? "" : "; equal ones in leaderboard order, then by run"}
        </span>
      </div>
      <Feed rows={shown} scenario={scenario.id} turn={query.get("turn") ?? ""} raw={raw} />
    </Page>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly empty: string;
  readonly values: readonly (readonly [value: string, name: string])[];
}

function Choice({ name, empty, values }: ChoiceProps) {
  const [query, change] = useQuery();
  return (
    <select aria-label={empty} className="control" value={query.get(name) ?? ""} onChange={(event) => { change({ [name]: event.target.value }); }}>
      <option value="">{empty}</option>
      {values.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
