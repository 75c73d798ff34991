import type { ChartBlock, ColumnInfo } from "../schema";
import type { Value } from "../text/format";
import { drawBars } from "./bars";
import { drawHeat } from "./heatmap";
import { drawIntervals } from "./intervals";
import { drawLines } from "./lines";
import type { Drawing } from "./paint";
import { drawPlane } from "./plane";
import { drawScatter } from "./scatter";

/** What is drawn: `independence.report.charts` has the same kinds. */
export type ChartSpec = ChartBlock["chart"];

/** A chart at a width in pixels. */
export function draw(chart: ChartSpec, width: number): Drawing {
  switch (chart.kind) {
    case "intervals":
      return drawIntervals(chart, width);
    case "heat":
      return drawHeat(chart, width);
    case "scatter":
      return drawScatter(chart, width);
    case "plane":
      return drawPlane(chart, width);
    case "lines":
      return drawLines(chart, width);
    case "bars":
      return drawBars(chart, width);
  }
}

interface Sheet {
  readonly columns: readonly ColumnInfo[];
  readonly rows: readonly (readonly Value[])[];
}

function number(key: string): ColumnInfo {
  return { key, head: key, kind: "number" };
}

function key(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "");
}

/** Every number of a chart as a table: one row a mark. */
export function sheet(chart: ChartSpec): Sheet {
  const label: ColumnInfo = { key: "label", head: "label" };
  switch (chart.kind) {
    case "intervals": {
      const kinds = ["inner", "outer", "bounds"] as const;
      const several = chart.scales.length > 1;
      const columns = chart.scales.flatMap(({ head }): ColumnInfo[] => {
        const before = several ? `${key(head)}_` : "";
        return [number(`${before}value`), ...kinds.map((kind): ColumnInfo => ({ key: `${before}${kind}`, head: kind, kind: "interval" }))];
      });
      const rows = chart.rows.map((row) => [
        row.label,
        row.tier ?? null,
        ...row.values.flatMap((own) => [own?.value ?? null, own?.inner ?? null, own?.outer ?? null, own?.bounds ?? null]),
        ...row.values.flatMap((own) => [...(own?.field ?? []), ...(own?.others ?? [])]),
      ]);
      const most = Math.max(0, ...rows.map((row) => row.length - 2 - columns.length));
      const fields = chart.rows.some((row) => row.values[0]?.field);
      const more = fields ? ["lower_quartile", "median", "upper_quartile"] : (chart.marks ?? []).slice(1).map(key);
      return { columns: [label, number("tier"), ...columns, ...more.slice(0, most).map(number)], rows };
    }
    case "heat":
      return { columns: [label, ...chart.columns.map((column): ColumnInfo => number(column.scenario ?? column.label))], rows: chart.rows.map((row) => [row.label, ...row.values]) };
    case "scatter":
      return {
        columns: [label, number(key(chart.x.head)), number(key(chart.y.head)), { key: "frontier", head: "frontier", kind: "flag" }],
        rows: chart.points.map(({ label: name, x, y }, place) => [name, x, y, (chart.frontier ?? []).includes(place)]),
      };
    case "plane": {
      const axes = [chart.y, chart.x].flatMap(({ head }): ColumnInfo[] => [number(key(head)), { key: `${key(head)}_interval`, head, kind: "interval" }]);
      return {
        columns: [label, ...axes, ...["centre_x", "centre_y", "half_axis", "other_half_axis", "degrees"].map(number)],
        rows: chart.points.map(({ label: name, x, y, x_ci, y_ci, ellipse: own }) => [
          name, y, y_ci ?? null, x, x_ci ?? null, own?.x ?? null, own?.y ?? null, own?.first ?? null, own?.second ?? null, own?.degrees ?? null,
        ]),
      };
    }
    case "lines":
      return {
        columns: [label, number(key(chart.x.head)), ...chart.series.map((name) => number(key(name)))],
        rows: chart.panels.flatMap((panel) => panel.xs.map((x, at) => [panel.label, x, ...panel.values.map((values) => values[at] ?? null)])),
      };
    case "bars":
      return chart.upright === true
        ? { columns: [number("from"), number("to"), number(key(chart.head))], rows: chart.bars.map(({ ends, count }) => [ends?.[0] ?? null, ends?.[1] ?? null, count]) }
        : { columns: [label, number(key(chart.head))], rows: chart.bars.map(({ label: name, count }) => [name, count]) };
  }
}
