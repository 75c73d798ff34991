import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { scenarioTitle } from "../../data/titles";
import { useAddress } from "../../route/query";
import { trajectoryPage } from "../../route/paths";
import { percent } from "../../text/format";

/** The words of the dialogue that kept least of its scale, and whose they are. */
export function Fold() {
  const board = useBoard();
  const address = useAddress();
  const { fold } = board.index;
  if (fold === null) return null;
  return (
    <figure className="mt-3 border-l-4 border-folded pl-3" aria-label="Words in which a subject gave way">
      <blockquote className="line-clamp-4 text-ink">“{fold.text}”</blockquote>
      <figcaption className="text-sm text-muted">
        {board.labels.get(fold.subject) ?? fold.subject} gave way in{" "}
        <Link href={address(trajectoryPage(fold.subject, fold.run, fold.scenario))} className="link">
          {scenarioTitle(board, fold.scenario)}, run {fold.run}
        </Link>
        , which kept {percent(fold.share)} of its scale: the least of those for which {fold.judge} names a passage.
      </figcaption>
    </figure>
  );
}
