import { Link } from "wouter";
import { FieldMark } from "../../charts/FieldMark";
import { useBoard } from "../../data/board";
import { mean, measureName, quantile, sharesOf } from "../../data/results";
import { scenarioTitle } from "../../data/titles";
import { scenarioPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { CellsDocument } from "../../schema";
import { percent } from "../../text/format";

/** Each scenario's result beside those of the other subjects. */
export function Profile({ slug, cells }: { readonly slug: string; readonly cells: CellsDocument }) {
  const board = useBoard();
  const address = useAddress();
  return (
    <section aria-labelledby="profile">
      <h2 id="profile" className="font-semibold">
        Beside the other subjects
      </h2>
      <p className="text-sm text-muted">
        Dot: this subject, mean {measureName(cells)} over its runs. Bar: the middle half of all subjects. Line: their median.
      </p>
      <table className="mt-2 w-full max-w-4xl text-sm">
        <thead className="sr-only">
          <tr>
            <th scope="col">Scenario</th>
            <th scope="col">Place in the field</th>
            <th scope="col">This subject</th>
            <th scope="col">Median of the field</th>
          </tr>
        </thead>
        <tbody>
          {cells.scenarios.map((scenario) => {
            const own = mean(sharesOf(cells, slug, scenario));
            const field = Object.keys(cells.shares).flatMap((other) => mean(sharesOf(cells, other, scenario)) ?? []);
            const [low, middle, high] = [quantile(field, 0.25), quantile(field, 0.5), quantile(field, 0.75)];
            if (low === null || middle === null || high === null) return null;
            const title = scenarioTitle(board, scenario);
            return (
              <tr key={scenario}>
                <th scope="row" className="w-2/5 max-w-64 truncate py-0.5 pr-3 text-left font-normal sm:w-64">
                  <Link href={address(scenarioPage(scenario))} className="hover:text-accent hover:underline">
                    {title}
                  </Link>
                </th>
                <td className="py-0.5">
                  <FieldMark value={own} low={low} middle={middle} high={high} says={`${title}: ${own === null ? "no result" : percent(own)}, median ${percent(middle)}`} />
                </td>
                <td className="w-14 py-0.5 text-right font-medium">{own === null ? "—" : percent(own)}</td>
                <td className="w-14 py-0.5 text-right text-muted">{percent(middle)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
