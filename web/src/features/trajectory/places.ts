import type { CurrentBoard } from "../../data/board";
import { slugsInOrder } from "../../data/results";
import { trajectoryPage } from "../../route/paths";

interface Pair {
  readonly before: string | null;
  readonly after: string | null;
}

/** The dialogues beside one: the next run, the next scenario, the next subject of the board. */
export interface Neighbourhood {
  readonly run: Pair;
  readonly scenario: Pair;
  readonly subject: Pair;
}

function beside(all: readonly string[], one: string, page: (other: string) => string): Pair {
  const place = all.indexOf(one);
  const [before, after] = [place > 0 ? all[place - 1] : undefined, place < 0 ? undefined : all[place + 1]];
  return { before: before === undefined ? null : page(before), after: after === undefined ? null : page(after) };
}

/** What lies beside a dialogue in each direction. */
export function neighbours(board: CurrentBoard, slug: string, scenario: string, run: number): Neighbourhood {
  const runs = board.subjects.get(slug)?.runs ?? run;
  const scenarios = board.index.scenarios.map((one) => one.id);
  return {
    run: {
      before: run > 1 ? trajectoryPage(slug, run - 1, scenario) : null,
      after: run < runs ? trajectoryPage(slug, run + 1, scenario) : null,
    },
    scenario: beside(scenarios, scenario, (other) => trajectoryPage(slug, run, other)),
    subject: beside(slugsInOrder(board), slug, (other) =>
      trajectoryPage(other, Math.min(run, board.subjects.get(other)?.runs ?? 1), scenario),
    ),
  };
}
