import { useMemo } from "react";
import { Link } from "wouter";
import { EstimateMark } from "../../charts/marks";
import { useBoard, type CurrentBoard } from "../../data/board";
import { measureAbout, measureName } from "../../data/results";
import { scenarioTitle } from "../../data/titles";
import { scenarioPage } from "../../route/paths";
import { useAddress } from "../../route/query";
import type { CellsDocument, ColumnInfo } from "../../schema";
import { percent } from "../../text/format";
import { Downloads } from "../../ui/Downloads";
import { estimateOf, fieldChart, SHARES, type FieldRow } from "./fieldChart";
import { FieldHead } from "./FieldHead";

const COLUMNS: readonly ColumnInfo[] = ["scenario", "share", "lower_quartile", "median", "upper_quartile"].map((key, place) => ({
  key,
  head: key,
  kind: place === 0 ? "id" : "number",
}));

interface ScenarioRow extends FieldRow {
  readonly scenario: string;
}

function fieldRows(board: CurrentBoard, slug: string, cells: CellsDocument): readonly ScenarioRow[] {
  return cells.scenarios.flatMap((scenario, place) => {
    const quartiles = cells.totals.quartiles[place] ?? null;
    if (quartiles === null) return [];
    const [low, middle, high] = quartiles;
    return [{ scenario, label: scenarioTitle(board, scenario), value: cells.means[slug]?.[place] ?? null, low, middle, high }];
  });
}

/** Each scenario's result beside those of the other subjects. */
export function Profile({ slug, cells }: { readonly slug: string; readonly cells: CellsDocument }) {
  const board = useBoard();
  const address = useAddress();
  const rows = useMemo(() => fieldRows(board, slug, cells), [board, slug, cells]);
  return (
    <section aria-labelledby="profile">
      <div className="head">
        <h2 id="profile">
          Compared with the other subjects
        </h2>
        <Downloads
          name={`profile-${slug}`}
          columns={COLUMNS}
          rows={rows.map((row) => [row.scenario, row.value, row.low, row.middle, row.high])}
          svg={() => import("../../charts/save").then(({ chartSvg }) => chartSvg(fieldChart(`profile-${slug}`, `${board.labels.get(slug) ?? slug}, ${measureName(cells)} beside the other subjects`, rows)))}
        />
      </div>
      <p className="note">
        Dot: this subject, mean {measureAbout(cells)} over its runs. Bar: the middle half of all subjects. Line: their median.
      </p>
      <table className="data-table mt-2 table-fixed">
        <FieldHead first="Scenario" low="0%" high="100%" />
        <tbody>
          {rows.map(({ scenario, label, value, low, middle, high }) => (
            <tr key={scenario}>
              <th scope="row" title={label} className="sm:truncate">
                <Link href={address(scenarioPage(scenario))} className="hover:text-accent hover:underline">
                  {label}
                </Link>
              </th>
              <td className="py-0">
                <EstimateMark span={SHARES} estimate={estimateOf({ label, value, low, middle, high })} says={`${label}: ${value === null ? "no result" : percent(value)}, median ${percent(middle)}`} />
              </td>
              <td className="text-right font-medium">{value === null ? "—" : percent(value)}</td>
              <td className="text-right text-muted">{percent(middle)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
