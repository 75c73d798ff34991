import type { BlockDocument, DialogueDocument, SearchHit } from "../../schema";

const BESIDE = 120; // characters before and after what was found

interface Place {
  readonly role: SearchHit["role"];
  readonly turn: string;
  readonly judge: string;
  readonly text: string;
}

function places(dialogue: DialogueDocument): readonly Place[] {
  const turns = (dialogue.turns ?? []).flatMap((turn): Place[] => [
    { role: "answer", turn: turn.id, judge: "", text: turn.text ?? "" },
    { role: "thinking", turn: turn.id, judge: "", text: turn.thinking ?? "" },
    { role: "reasoning", turn: turn.id, judge: "", text: turn.reasoning ?? "" },
  ]);
  const reasons = (dialogue.verdicts ?? []).map(
    (verdict): Place => ({ role: "judge", turn: "", judge: verdict.judge, text: verdict.reasoning ?? "" }),
  );
  return [...turns, ...reasons];
}

/** The texts of a block that hold some words, whatever their case; of each text the first place. */
export function scan(
  block: BlockDocument,
  scenario: string,
  words: string,
  role: SearchHit["role"] | null,
): readonly SearchHit[] {
  const asked = words.toLowerCase();
  const hits: SearchHit[] = [];
  for (const dialogue of block.dialogues) {
    if (dialogue.scenario !== scenario) continue;
    for (const place of places(dialogue)) {
      const start = place.text.toLowerCase().indexOf(asked);
      if (start < 0 || (role !== null && role !== place.role)) continue;
      const end = start + words.length;
      hits.push({
        subject: dialogue.subject,
        scenario,
        run: dialogue.run,
        role: place.role,
        turn: place.turn,
        judge: place.judge,
        before: place.text.slice(Math.max(0, start - BESIDE), start),
        match: place.text.slice(start, end),
        after: place.text.slice(end, end + BESIDE),
      });
    }
  }
  return hits;
}
