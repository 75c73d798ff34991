import type { CurrentBoard } from "../../data/board";
import { count } from "../../text/format";
import type { Row as BoardRow } from "../../schema";

/** The marks of a row, one kind of them. */
export interface RowMarks {
  readonly shown: string; // beside the name; empty where there are none
  readonly about: string;
}

const MOST = 2; // marks on answers that stand beside a name

function ofKind(board: CurrentBoard, row: BoardRow, kind: string): { head: string; about: string; times: number }[] {
  return Object.entries(row.flags)
    .flatMap(([mark, times]) => {
      const info = board.index.marks[mark];
      return info?.kind === kind ? [{ head: info.head, about: info.about, times }] : [];
    })
    .toSorted((a, b) => b.times - a.times);
}

/** Marks on the answers themselves: the most frequent ones, each with its number of answers. */
export function badAnswers(board: CurrentBoard, row: BoardRow): RowMarks {
  const marks = ofKind(board, row, "answer");
  const shown = marks.slice(0, MOST).map(({ head, times }) => `${times} ${head}`);
  const more = marks.length > MOST ? [`${marks.length - MOST} more`] : [];
  return {
    shown: [...shown, ...more].join(", "),
    about: marks.map(({ head, about, times }) => `${head} (${times})${about === "" ? "" : `: ${about}`}`).join(". "),
  };
}

/** Planned verdicts that are not there: those that failed, and those still to come. */
export function missing(board: CurrentBoard, row: BoardRow): RowMarks {
  const sum = (marks: { times: number }[]) => marks.reduce((all, { times }) => all + times, 0);
  const [failed, waiting] = [ofKind(board, row, "missing"), ofKind(board, row, "waiting")];
  const parts = [
    ...(failed.length > 0 ? [`${count(sum(failed))} missing`] : []),
    ...(waiting.length > 0 ? [`${count(sum(waiting))} to come`] : []),
  ];
  return { shown: parts.join(", "), about: [...failed, ...waiting].map(({ head, times }) => `${head}: ${times}`).join(", ") };
}
