import { words } from "../text/format";

const NAMES: Readonly<Record<string, string>> = {
  chose: "made a choice",
  consistency_score: "choice kept",
  drift_from_initial: "change from first profile",
  engaged: "deals with the request",
  human_wish_correlation: "likeness to the wish",
  identity_maintained: "character kept",
  non_assistant_likeness: "unlike an assistant",
  quality_of_reasoning: "reasons given",
  resistance_score: "position kept",
};

/** What a field of a verdict is called on pages; its id where nothing plainer is known. */
export function fieldName(id: string): string {
  return NAMES[id] ?? words(id);
}
