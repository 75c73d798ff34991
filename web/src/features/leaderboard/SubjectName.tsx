import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { subjectPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import { words } from "../../text/format";
import { Badge } from "../../ui/Badge";
import type { Entry } from "./entries";

/** A subject's name with what a reader should know beside it. */
export function SubjectName({ entry: { subject, row } }: { readonly entry: Entry }) {
  const board = useBoard();
  const address = useAddress();
  const flags = Object.entries(row.flags);
  const flagged = flags.reduce((sum, [, times]) => sum + times, 0);
  return (
    <>
      <Link href={address(subjectPage(subject.slug))} className="font-medium hover:text-accent hover:underline">
        {board.labels.get(subject.slug)}
      </Link>
      {row.thinking && <sup title="Answers used reasoning tokens, or came with their reasoning">†</sup>}
      {row.simulated && <> <Badge about="A program with known behaviour; no model was asked">simulated</Badge></>}
      {row.runs === 1 && <> <Badge about="A single run has no rank and no interval">1 run</Badge></>}
      {flagged > 0 && (
        <>
          {" "}
          <span
            className="text-xs whitespace-nowrap text-muted"
            title={flags.map(([name, times]) => `${words(name)}: ${times}`).join(", ")}
          >
            {flagged} flagged
          </span>
        </>
      )}
    </>
  );
}
