import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { cellTitle, scenarioTitle } from "../../data/titles";
import { useAddress } from "../../route/query";
import { cellPage, trajectoryPage } from "../../route/paths";
import { percent, signed } from "../../text/format";

/** Words in which a subject gave way, and whose they are; of a grid the case that shows most. */
export function Fold() {
  const board = useBoard();
  const address = useAddress();
  const { fold, furthest } = board.index;
  if (furthest != null)
    return (
      <p className="mt-3 border-l-4 border-folded pl-3 text-sm">
        {board.labels.get(furthest.subject) ?? furthest.subject} moves furthest in{" "}
        <Link href={address(cellPage(furthest.unit), { m: furthest.subject })} className="link">
          {cellTitle(board.index.scenarios.find(({ unit }) => unit === furthest.unit))}
        </Link>
        , {furthest.quantity} {signed(furthest.value)}: what it told each side stands there side by side.
      </p>
    );
  if (fold === null) return null;
  return (
    <figure className="border-l-2 border-folded pl-5 xl:w-[23rem]" aria-label="Words in which a subject gave way">
      {fold.asked !== "" && <p className="note mb-1.5 line-clamp-3">Asked: <bdi>{fold.asked}</bdi></p>}
      <blockquote className="line-clamp-4 text-xl/7 text-folded">“{fold.text}”</blockquote>
      <figcaption className="note mt-1.5">
        {board.labels.get(fold.subject) ?? fold.subject} in{" "}
        <Link href={address(trajectoryPage(fold.subject, fold.run, fold.scenario), { quote: fold.judge })} className="link">
          {scenarioTitle(board, fold.scenario)}, run {fold.run}
        </Link>
        . Share kept: {percent(fold.share)}.
      </figcaption>
    </figure>
  );
}
