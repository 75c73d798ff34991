import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { scenarioTitle } from "../../data/titles";
import { useAddress } from "../../route/query";
import { trajectoryPage } from "../../route/paths";
import { percent } from "../../text/format";

/** Words in which a subject gave way, and whose they are. */
export function Fold() {
  const board = useBoard();
  const address = useAddress();
  const { fold } = board.index;
  if (fold === null) return null;
  return (
    <figure className="mt-3 border-l-4 border-folded pl-3" aria-label="Words in which a subject gave way">
      <blockquote className="line-clamp-4 text-ink">“{fold.text}”</blockquote>
      <figcaption className="text-sm text-muted">
        {board.labels.get(fold.subject) ?? fold.subject} in{" "}
        <Link href={address(trajectoryPage(fold.subject, fold.run, fold.scenario), { quote: fold.judge })} className="link">
          {scenarioTitle(board, fold.scenario)}, run {fold.run}
        </Link>
        . Share kept: {percent(fold.share)}.
      </figcaption>
    </figure>
  );
}
