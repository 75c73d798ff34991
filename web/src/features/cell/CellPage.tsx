import { Link, useParams } from "wouter";
import { useBoard } from "../../data/board";
import { sharesOf, slugsInOrder, useCells } from "../../data/results";
import { scenarioTitle } from "../../data/titles";
import { trajectoryPage } from "../../route/paths";
import { useAddress, useQuery } from "../../route/query";
import type { ScenarioInfo, VerdictDocument } from "../../schema";
import { Page } from "../../shell/Page";
import { decimal, percent, signed, words } from "../../text/format";
import { Markdown } from "../../text/Markdown";
import { Failed, Waiting } from "../../ui/Notice";
import { useRuns } from "../trajectory/dialogue";

/** One case of a paired suite: all its sides and wordings beside each other, for one subject. */
export default function CellPage() {
  const { unit = "" } = useParams();
  const board = useBoard();
  const [query, change] = useQuery();
  const scenarios = board.index.scenarios.filter((scenario) => scenario.unit === unit);
  const order = slugsInOrder(board);
  const asked = query.get("m") ?? "";
  const slug = board.subjects.has(asked) ? asked : (order[0] ?? "");
  const runs = board.subjects.get(slug)?.runs ?? 1;
  const run = Math.min(Math.max(1, Number(query.get("run") ?? "1") || 1), runs);
  const first = scenarios[0];
  if (first === undefined)
    return (
      <Page title="No such case">
        <p>This board has no case at this address.</p>
      </Page>
    );
  const title = (first.cell ?? "") === "" ? scenarioTitle(board, first.id) : words(first.cell ?? "");
  const factors = Object.entries(first.factors ?? {}).filter(([name, value]) => scenarios.every((one) => one.factors?.[name] === value));
  return (
    <Page title={title} lead={factors.map(([name, value]) => `${words(name)}: ${words(value)}`).join(" · ")}>
      <div className="screen-only mb-4 flex flex-wrap items-center gap-2">
        <select aria-label="Subject" className="control min-w-0" value={slug} onChange={(event) => { change({ m: event.target.value }); }}>
          {order.map((other) => (
            <option key={other} value={other}>
              {board.labels.get(other)}
            </option>
          ))}
        </select>
        <select aria-label="Run" className="control" value={run} onChange={(event) => { change({ run: event.target.value }); }}>
          {Array.from({ length: runs }, (_, place) => (
            <option key={place} value={place + 1}>
              Run {place + 1}
            </option>
          ))}
        </select>
      </div>
      <Contrast slug={slug} unit={unit} />
      <div className="grid gap-x-6 gap-y-8 md:grid-cols-2 xl:grid-cols-3">
        {scenarios.map((scenario) => (
          <Side key={scenario.id} scenario={scenario} slug={slug} run={run} />
        ))}
      </div>
    </Page>
  );
}

/** What the sides of this case differ by, as its analysis counts it. */
function Contrast({ slug, unit }: { readonly slug: string; readonly unit: string }) {
  const cells = useCells();
  if (cells?.state !== "ready") return null;
  const { quantity = "", units = [], contrasts = {} } = cells.value;
  if (quantity === "") return null;
  const value = contrasts[slug]?.[units.indexOf(unit)] ?? null;
  return (
    <p className="mb-6">
      <span className="text-2xl font-semibold tabular-nums">{value === null ? "—" : signed(value, 2)}</span>{" "}
      <span className="text-muted">
        {quantity} of this case{value === null ? ": not all of its sides were judged" : ""}
      </span>
    </p>
  );
}

function Side({ scenario, slug, run }: { readonly scenario: ScenarioInfo; readonly slug: string; readonly run: number }) {
  const board = useBoard();
  const address = useAddress();
  const cells = useCells();
  const { block, path, runs } = useRuns(slug, scenario.id, run);
  const dialogue = runs.find((one) => one.run === run);
  const share = cells?.state === "ready" ? (sharesOf(cells.value, slug, scenario.id)[run - 1] ?? null) : null;
  return (
    <section aria-label={scenarioTitle(board, scenario.id)} className="min-w-0 border-t-2 border-accent pt-2">
      <h2 className="text-sm">
        <Link href={address(trajectoryPage(slug, run, scenario.id))} className="font-medium hover:text-accent hover:underline">
          {scenarioTitle(board, scenario.id)}
        </Link>
        <span className="block text-xs text-muted">
          {[scenario.side ?? "", ...Object.values(scenario.factors ?? {})].filter((part) => part !== "").map(words).join(" · ")}
        </span>
      </h2>
      <p className="mt-1 text-2xl font-semibold tabular-nums">{share === null ? "—" : percent(share)}</p>
      {(dialogue?.verdicts ?? []).map((verdict, place) => (
        <Values key={place} verdict={verdict} />
      ))}
      {block.state === "loading" && <Waiting />}
      {block.state === "failed" && path !== null && <Failed path={path} why={block.why} />}
      {(dialogue?.turns ?? []).map((turn) => (
        <div key={turn.id} className="mt-3">
          <p className="text-xs text-muted">{words(turn.id)}</p>
          <Markdown text={turn.text ?? ""} />
        </div>
      ))}
    </section>
  );
}

function Values({ verdict }: { readonly verdict: VerdictDocument }) {
  if (verdict.outdated === true) return null;
  const shown = Object.entries(verdict.values ?? {}).map(
    ([field, value]) => `${words(field)} ${typeof value === "boolean" ? (value ? "yes" : "no") : decimal(value)}`,
  );
  return (
    <p className="text-xs text-muted tabular-nums">
      {verdict.judge}: {(verdict.missing ?? "") === "" ? shown.join(", ") : `no verdict, ${words(verdict.missing ?? "")}`}
    </p>
  );
}
