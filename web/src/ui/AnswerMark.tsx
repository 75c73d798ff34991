import { useBoard } from "../data/board";
import { words } from "../text/format";
import { Badge } from "./Badge";

/** A mark on an answer: what is bad about it, or a note of how it was stored or imported. */
export function AnswerMark({ mark }: { readonly mark: string }) {
  const info = useBoard().index.marks[mark];
  return (
    <Badge warns={info?.kind !== "note"} {...(info === undefined ? {} : { about: info.about })}>
      {info?.head ?? words(mark)}
    </Badge>
  );
}
