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
    <figure className="border-l-2 border-folded pl-5 xl:w-[23rem]" aria-label="Words in which a subject gave way">
      <blockquote className="line-clamp-4 text-xl/7 text-folded">“{fold.text}”</blockquote>
      <figcaption className="note mt-1.5">
        {board.labels.get(fold.subject) ?? fold.subject} gave way in{" "}
        <Link href={address(trajectoryPage(fold.subject, fold.run, fold.scenario), { quote: fold.judge })} className="link">
          {scenarioTitle(board, fold.scenario)}, run {fold.run}
        </Link>{" "}
        and kept {percent(fold.share)} of its scale. Chosen from a scenario in which results differ most; the report has its counterpart.
      </figcaption>
    </figure>
  );
}
