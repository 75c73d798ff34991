import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { sharedPath } from "../../data/paths";
import { scenarioTitle, turnTitle } from "../../data/titles";
import type { ScenarioInfo, SentMessage, TextsDocument } from "../../schema";
import { Markdown } from "../../text/Markdown";
import { Failed, Waiting } from "../../ui/Notice";

/** The scripted messages before an answer that the turn before it did not have. */
function added(texts: TextsDocument, scenario: string, turns: readonly string[], place: number): readonly SentMessage[] {
  const script = texts.scripts[`${scenario}/${turns[place] ?? ""}`] ?? [];
  const before = new Set(place === 0 ? [] : texts.scripts[`${scenario}/${turns[place - 1] ?? ""}`]);
  return script
    .filter((reference) => typeof reference === "number" && !before.has(reference))
    .flatMap((reference) => texts.messages[Number(reference)] ?? [])
    .filter((message) => message.role !== "system");
}

/** What subjects are asked in a scenario, turn by turn. */
export function Script({ scenario, folded = false }: { readonly scenario: ScenarioInfo; readonly folded?: boolean }) {
  const board = useBoard();
  const path = sharedPath(board, "texts");
  const texts = useDocument<TextsDocument>(path);
  const turns = scenario.turns ?? [];
  if (texts.state === "loading") return <Waiting />;
  if (texts.state === "failed") return <Failed path={path} why={texts.why} />;
  return (
    <details className="self-start rounded-md bg-band px-4 py-2.5" open={!folded && turns.length <= 2}>
      <summary className="text-sm font-medium">
        What is asked
      </summary>
      <ol className="mt-2 max-h-80 space-y-3 overflow-y-auto" tabIndex={0}>
        {turns.map((turn, place) => (
          <li key={turn}>
            {turns.length > 1 && <p className="text-xs text-muted">{turnTitle(scenario, turn)}</p>}
            {added(texts.value, scenario.id, turns, place).map((message, number) => (
              <div key={number} className="mt-1">
                <p className="text-xs font-medium text-muted">{message.role === "assistant" ? "Subject (scripted)" : "Person"}</p>
                <Markdown text={message.text} />
              </div>
            ))}
          </li>
        ))}
      </ol>
      {(scenario.follows ?? "") !== "" && <p className="mt-2 text-xs text-muted">Goes on with the dialogue “{scenarioTitle(board, scenario.follows ?? "")}”.</p>}
    </details>
  );
}
