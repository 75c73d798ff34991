import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { sharesOf, useCells } from "../../data/results";
import { scenarioTitle } from "../../data/titles";
import { navigate } from "../../route/hash";
import { trajectoryPage } from "../../route/paths";
import { useAddress, type Query } from "../../route/query";
import { percent } from "../../text/format";
import type { Neighbourhood } from "./places";

interface NeighboursProps {
  readonly slug: string;
  readonly scenario: string;
  readonly run: number;
  readonly near: Neighbourhood;
  readonly kept: Query;
}

/** The runs of this scenario with what each kept, and the ways to other scenarios and subjects. */
export function Neighbours({ slug, scenario, run, near, kept }: NeighboursProps) {
  const board = useBoard();
  const address = useAddress();
  const cells = useCells();
  const runs = Array.from({ length: board.subjects.get(slug)?.runs ?? 1 }, (_, place) => place + 1);
  // Of a persona, dialogues that begin with the same words are runs of different scenarios.
  const own = cells?.state === "ready" && cells.value.personas !== undefined ? sharesOf(cells.value, slug, scenario) : null;
  return (
    <nav aria-label="Other dialogues" className="screen-only mb-6 flex flex-wrap items-center gap-x-4 gap-y-2 border-y border-faint py-2 text-sm">
      <ul className="flex flex-wrap gap-1 max-sm:w-full [&>li]:max-sm:flex-auto">
        {runs.filter((number) => number === run || own === null || own[number - 1] != null).map((number) => (
          <li key={number}>
            <Link
              href={address(trajectoryPage(slug, number, scenario), kept)}
              aria-current={number === run ? "true" : undefined}
              className="control flex items-center justify-center gap-1.5 tabular-nums"
            >
              Run {number}
              <Share slug={slug} scenario={scenario} run={number} />
            </Link>
          </li>
        ))}
      </ul>
      <span className="flex min-w-0 items-center gap-1 max-sm:w-full">
        <Step to={near.scenario.before} kept={kept} name="Previous scenario" sign="‹" />
        <select
          aria-label="Scenario"
          className="control min-w-0 max-sm:flex-1"
          value={scenario}
          onChange={(event) => { navigate(address(trajectoryPage(slug, run, event.target.value), kept)); }}
        >
          {board.index.scenarios.map((one) => (
            <option key={one.id} value={one.id}>
              {scenarioTitle(board, one.id)}
            </option>
          ))}
        </select>
        <Step to={near.scenario.after} kept={kept} name="Next scenario" sign="›" />
      </span>
      <span className="flex items-center gap-1">
        <Step to={near.subject.before} kept={kept} name="Previous subject" sign="‹" />
        <span className="text-muted">subject</span>
        <Step to={near.subject.after} kept={kept} name="Next subject" sign="›" />
      </span>
    </nav>
  );
}

function Share({ slug, scenario, run }: { readonly slug: string; readonly scenario: string; readonly run: number }) {
  const cells = useCells();
  if (cells?.state !== "ready") return null;
  const share = sharesOf(cells.value, slug, scenario)[run - 1] ?? null;
  return share === null ? null : <span className="text-xs text-muted">{percent(share)}</span>;
}

interface StepProps {
  readonly to: string | null;
  readonly kept: Query;
  readonly name: string;
  readonly sign: string;
}

function Step({ to, kept, name, sign }: StepProps) {
  const address = useAddress();
  if (to === null)
    return (
      <span aria-hidden="true" className="control text-center text-faint max-sm:min-w-10">
        {sign}
      </span>
    );
  return (
    <Link href={address(to, kept)} className="control text-center max-sm:min-w-10" aria-label={name} title={name}>
      {sign}
    </Link>
  );
}
