import { useMemo } from "react";
import { useBoard, type CurrentBoard } from "../../data/board";
import { useDocuments } from "../../data/documents";
import { blockPath } from "../../data/paths";
import type { BlockDocument, SearchHit } from "../../schema";
import { Waiting } from "../../ui/Notice";
import { Hits } from "./Hits";
import { scan } from "./scan";

const PER_BLOCK = 10;

function paths(board: CurrentBoard, scenario: string): readonly string[] {
  const unit = board.scenarios.get(scenario)?.unit;
  if (unit === undefined) return [];
  const found = new Set<string>();
  for (const subject of board.index.subjects) {
    const bucket = parseInt(subject.slug.slice(-6), 16) % board.info.buckets;
    for (let run = 1; run <= subject.runs; run += PER_BLOCK) found.add(blockPath(board, unit, bucket, run));
  }
  return [...found];
}

interface ScannedProps {
  readonly words: string;
  readonly role: SearchHit["role"] | null;
  readonly scenario: string;
}

/** What stands in the files of one scenario; says how many of them are missing. */
export function Scanned({ words, role, scenario }: ScannedProps) {
  const board = useBoard();
  const all = useMemo(() => paths(board, scenario), [board, scenario]);
  const loaded = useDocuments<BlockDocument>(all);
  const ready = loaded.filter((one) => one.state === "ready");
  const failed = loaded.filter((one) => one.state === "failed").length;
  const hits = ready.flatMap((one) => scan(one.value, scenario, words, role));
  if (ready.length + failed < all.length) return <Waiting what={`Reading ${ready.length} of ${all.length} files`} />;
  return (
    <>
      {failed > 0 && (
        <p role="alert" className="mb-2 text-open">
          {failed} of {all.length} files could not be read, so there may be more.
        </p>
      )}
      <Hits hits={hits} found={hits.length} />
    </>
  );
}
