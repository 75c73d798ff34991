import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { result, resultStyle } from "../../charts/share";
import { useBoard } from "../../data/board";
import { sharesOf } from "../../data/results";
import { scenarioTitle } from "../../data/titles";
import { scenarioPage, trajectoryPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { CellsDocument } from "../../schema";
import { SubjectLabel } from "../../ui/SubjectName";

/** The cell whose runs are listed, and where it stands on the screen. */
export interface OpenCell {
  readonly slug: string;
  readonly scenario: string;
  readonly box: DOMRect;
}

const [WIDTH, HEIGHT, GAP] = [256, 288, 4]; // pixels

/** The runs of one cell with their results, each the way to its dialogue; Escape or a click elsewhere closes it. */
export function RunList({ cell, cells, onClose }: { readonly cell: OpenCell; readonly cells: CellsDocument; readonly onClose: () => void }) {
  const board = useBoard();
  const address = useAddress();
  const panel = useRef<HTMLDivElement>(null);
  const { slug, scenario, box } = cell;
  useEffect(() => {
    panel.current?.showPopover();
    panel.current?.querySelector("a")?.focus({ preventScroll: true });
  }, [cell]);
  const shares = sharesOf(cells, slug, scenario);
  const runs = Array.from({ length: board.subjects.get(slug)?.runs ?? shares.length }, (_, place) => shares[place] ?? null);
  const below = box.bottom + GAP + HEIGHT < window.innerHeight;
  return (
    <div
      ref={panel}
      popover="auto"
      role="dialog"
      aria-label={`Runs of ${board.labels.get(slug) ?? slug} in ${scenarioTitle(board, scenario)}`}
      className="fixed m-0 overflow-y-auto rounded-md border border-soft bg-paper p-3 text-sm text-ink shadow-lg"
      style={{
        width: WIDTH,
        maxHeight: HEIGHT,
        left: Math.max(GAP, Math.min(box.left, window.innerWidth - WIDTH - 2 * GAP)),
        ...(below ? { top: box.bottom + GAP, bottom: "auto" } : { bottom: window.innerHeight - box.top + GAP, top: "auto" }),
      }}
      onToggle={(event) => { if (event.newState === "closed") onClose(); }}
    >
      <p className="font-medium">
        <SubjectLabel slug={slug} />
      </p>
      <p className="mb-1.5 text-xs text-muted">{scenarioTitle(board, scenario)}</p>
      <ul>
        {runs.map((share, place) => (
          <li key={place}>
            <Link href={address(trajectoryPage(slug, place + 1, scenario))} className="flex items-center justify-between rounded-sm px-1 py-0.5 hover:bg-band">
              <span>Run {place + 1}</span>
              <span className="min-w-14 rounded-sm px-2 text-right tabular-nums" style={share === null ? {} : resultStyle(cells, share)}>
                {share === null ? "no result" : result(cells, share)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <Link href={address(scenarioPage(scenario))} className="link mt-1.5 inline-block px-1 text-xs">
        All subjects in this scenario
      </Link>
    </div>
  );
}
