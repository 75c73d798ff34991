import { result, resultStyle } from "../charts/share";
import { useCells } from "../data/results";

/** The result of a dialogue on its colour. */
export function ResultMark({ share }: { readonly share: number | null }) {
  const cells = useCells();
  if (share === null || cells?.state !== "ready") return null;
  return (
    <span className="rounded px-1.5 text-xs leading-5 tabular-nums" style={resultStyle(cells.value, share)}>
      {result(cells.value, share)}
    </span>
  );
}
