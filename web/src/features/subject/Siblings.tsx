import { Link } from "wouter";
import { mainOf, useBoard } from "../../data/board";
import { subjectPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { SubjectProfile } from "../../schema";
import { shown } from "../../text/format";
import { SubjectLabel } from "../../ui/SubjectName";

/** Other configurations of the same model. */
export function Siblings({ subject }: { readonly subject: SubjectProfile }) {
  const board = useBoard();
  const address = useAddress();
  const others = board.index.subjects.filter((other) => other.model === subject.model && other.slug !== subject.slug);
  if (others.length === 0) return null;
  return (
    <section aria-labelledby="siblings">
      <h2 id="siblings">
        The same model, configured otherwise
      </h2>
      <table className="data-table mt-2">
        <tbody>
          {others.map((other) => {
            const row = board.rows.get(other.slug);
            return (
              <tr key={other.slug}>
                <th scope="row">
                  <Link href={address(subjectPage(other.slug))} className="link">
                    <SubjectLabel slug={other.slug} />
                  </Link>
                </th>
                <td className="text-right font-medium">{row === undefined ? "—" : shown({ kind: "index" }, mainOf(row).value ?? mainOf(row).bounds ?? null)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
