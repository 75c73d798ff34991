import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { subjectPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import { MakerMark, NameBadges } from "../../ui/SubjectName";
import type { Entry } from "./entries";
import { Parts } from "./Parts";
import { badAnswers, missing } from "./marks";

/** A subject's name with what a reader should know beside it; marks of imports are on its page. */
export function SubjectName({ entry: { subject, row }, bars }: { readonly entry: Entry; readonly bars: boolean }) {
  const board = useBoard();
  const address = useAddress();
  const bad = badAnswers(board, row);
  const lacks = missing(board, row);
  return (
    <div className="flex gap-2">
      <MakerMark subject={subject} />
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <Link href={address(subjectPage(subject.slug))} title={`${subject.label} (${subject.model})`} className="font-medium hover:text-accent hover:underline">
          {subject.name}
          {row.thinking && <sup title="Answers used reasoning tokens, or came with their reasoning">†</sup>}
        </Link>
        <NameBadges badges={subject.badges} />
        {bad.shown !== "" && (
          <span className="text-xs text-folded" title={`Answers, by mark. ${bad.about}`}>
            {bad.shown}
          </span>
        )}
        {lacks.shown !== "" && (
          <span className="text-xs whitespace-nowrap text-open" title={`Planned verdicts that are not there. ${lacks.about}`}>
            {lacks.shown}
          </span>
        )}
        {bars && (
          <span className="lg:hidden">
            <Parts components={board.index.components} values={board.index.parts[subject.slug] ?? []} />
          </span>
        )}
      </div>
    </div>
  );
}
