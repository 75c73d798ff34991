import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { pairsPath, STRICT } from "../../data/paths";
import { Downloads } from "../../ui/Downloads";
import { SubjectLabel } from "../../ui/SubjectName";
import type { ColumnInfo, PairsDocument } from "../../schema";
import { DASH, probability, shown, signed } from "../../text/format";

const COLUMNS: readonly ColumnInfo[] = [
  { key: "subject", head: "Subject" },
  { key: "other", head: "Other subject" },
  { key: "difference", head: "Difference", kind: "signed" },
  { key: "ci", head: "95% interval", kind: "signed_interval" },
  { key: "p", head: "p", kind: "p" },
];

/** The index of the first subject less that of each other one, with its interval. */
export function Differences({ slugs }: { readonly slugs: readonly string[] }) {
  const board = useBoard();
  const [first, ...others] = slugs;
  const ranked = board.index.board !== null && first !== undefined && others.length > 0;
  const loaded = useDocument<PairsDocument>(ranked ? pairsPath(board, first) : null);
  if (!ranked || loaded.state !== "ready") return null;
  const about = loaded.value.generalises_to.replaceAll("-", " ");
  const files = others.map((slug) => {
    const pair = loaded.value.pairs.find((one) => one.slug === slug);
    return [first, slug, pair?.difference ?? null, pair?.ci ?? null, pair?.p ?? null];
  });
  const notes = loaded.value.pairs.flatMap(({ slug, looks }) => (looks == null || !others.includes(slug) ? [] : [{ slug, looks }]));
  return (
    <section aria-label="Differences of the index" className="mb-10">
      <div className="head mb-1">
        <h2>Difference in index points</h2>
        <Downloads name={`differences-${first}`} columns={COLUMNS} rows={files} />
      </div>
      <p className="note mb-1">
        {board.labels.get(first)} minus the other, {board.index.board.scoring === STRICT ? "paired by scenario" : "by the indices of whole runs"}, with the 95% interval for {about} and
        p, both not adjusted for multiple comparisons
      </p>
      <table className="data-table max-sm:text-[0.8125rem]">
        <caption className="sr-only">Difference in index points</caption>
        <thead>
          <tr>
            <th scope="col">Other subject</th>
            <th scope="col" className="text-right">
              Difference
            </th>
            <th scope="col" className="text-right">
              95% interval
            </th>
            <th scope="col" className="text-right">
              p
            </th>
          </tr>
        </thead>
        <tbody>
          {others.map((slug) => {
            const pair = loaded.value.pairs.find((one) => one.slug === slug);
            const difference = pair?.difference ?? null;
            return (
              <tr key={slug}>
                <th scope="row" className="[overflow-wrap:anywhere]">
                  <SubjectLabel slug={slug} />
                </th>
                <td className="text-right font-medium">{difference === null ? DASH : signed(difference, 1)}</td>
                <td className="text-right whitespace-nowrap text-muted">{shown({ kind: "signed_interval" }, pair?.ci ?? null)}</td>
                <td className="text-right text-muted">
                  {pair?.p == null ? "one of them has no index or was run once" : probability(pair.p)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {notes.map(({ slug, looks }) => (
        <p key={slug} className="mt-1 note">
          {board.labels.get(slug)}: {looks.note} {looks.ci !== null && `At that level the interval is ${shown({ kind: "signed_interval" }, looks.ci)}, as \`independence compare\` prints it.`}
        </p>
      ))}
    </section>
  );
}
