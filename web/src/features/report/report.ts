import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { reportPath } from "../../data/paths";
import type { ReportDocument, SectionDocument } from "../../schema";

export type LoadedReport =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly why: string; readonly path: string }
  | { readonly state: "ready"; readonly sections: readonly SectionDocument[] };

/** The report of this board under its judge. */
export function useReport(): LoadedReport {
  const path = reportPath(useBoard());
  const loaded = useDocument<ReportDocument>(path);
  if (loaded.state === "ready") return { state: "ready", sections: loaded.value.sections };
  return loaded.state === "failed" ? { ...loaded, path } : loaded;
}
