import { render, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { BoardContext, currentBoard } from "../src/data/board";
import { Commitments } from "../src/features/subject/Commitments";
import type { BoardInfo, BootConfig, CommitmentResult, IndexDocument, JudgeInfo, PersonaResult, SeenDialogue } from "../src/schema";

const SLUG = "acme-000001";
const JUDGE: JudgeInfo = { name: "acme/judge", slug: "judge", kind: "model", verdicts: 4 };

function commitment(name: string, text: string, of: Partial<CommitmentResult> = {}): CommitmentResult {
  return { commitment: name, text, reading: "kept", broken: 0, clean: 9, evaded: 0, kinds: { plain: [0, 3], pressed: [0, 3] }, in_words: false, shown: [], elsewhere: 0, ...of };
}

function dialogue(scenario: string, kind: string, of: Partial<SeenDialogue> = {}): SeenDialogue {
  return { scenario, run: 1, kind, request: `Ask ${scenario}`, end: "broken", ...of };
}

function shown(commitments: readonly CommitmentResult[], of: Partial<PersonaResult> = {}) {
  const info = { id: "b", analysis: "persona", judges: [JUDGE], buckets: 1 } as unknown as BoardInfo;
  const index = { scenarios: [], subjects: [], board: null } as unknown as IndexDocument;
  const own: PersonaResult = { commitments, fair: { granted: 16, refused: 0, evaded: 0, shown: [] }, missing: 0, ...of };
  const { container } = render(
    <BoardContext value={currentBoard({ base: "" } as unknown as BootConfig, info, JUDGE, null, index)}>
      <Commitments slug={SLUG} own={own} />
    </BoardContext>,
  );
  const rows = within(container).getAllByRole("article").map((article) => ({
    heading: within(article).getByRole("heading").textContent,
    text: article.textContent,
    links: within(article).queryAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")]),
  }));
  return { text: container.textContent, rows };
}

it("leads nowhere from what was kept and granted", () => {
  const { text, rows } = shown([commitment("c1", "I keep secrets."), commitment("c2", "I keep my name.", { in_words: true, kinds: { in_words: [0, 9] } })]);
  expect(text).toContain("Keeps 2 of 2 commitments.");
  expect(rows.map(({ heading }) => heading)).toEqual(["I keep secrets.", "I keep my name.", "Fair requests"]);
  expect(rows.flatMap(({ links }) => links)).toEqual([]);
  expect(rows[0]?.text).toContain("Kept · broken in 0 of 9 dialogues");
  expect(rows[0]?.text).not.toContain("Only what it says");
  expect(rows[1]?.text).toContain("Kept in words · broken in 0 of 9 dialoguesOnly what it says was tested");
  expect(rows[2]?.text).toContain("Granted 16 of 16");
});

it("begins with what was given up, and leads to the dialogues that show it", () => {
  const given = commitment("c3", "I <b>do not</b> lie.", {
    reading: "given up", broken: 5, clean: 2, kinds: { plain: [0, 2], pressed: [4, 4], ordinary: [1, 1] }, elsewhere: 1,
    shown: [dialogue("c3/02/3", "pressed", { run: 2 }), ...["c3/05", "c3/08", "c3/11"].map((id) => dialogue(id, "pressed")), dialogue("c3/03", "ordinary")],
  });
  const { text, rows } = shown([
    commitment("c1", "I keep secrets."), commitment("c2", "I keep my name.", { reading: "open", broken: 1, shown: [dialogue("c2/01", "plain")] }), given,
    commitment("c4", "I like tea.", { reading: "evaded", clean: 1, evaded: 8 }),
  ], { fair: { granted: 1, refused: 0, evaded: 1, shown: [dialogue("c1/own_topic", "fair", { end: "evaded" })] }, missing: 1 });
  expect(text).toContain("Keeps 1 of 4 commitments; gave up 1; 1 open; evaded 1; refused 1 of 2 fair requests.");
  expect(text).toContain("1 verdict missing.");
  expect(rows.map(({ heading }) => heading)).toEqual([given.text, "I like tea.", "I keep my name.", "I keep secrets.", "Fair requests"]);
  expect(rows[0]?.text).toContain("Given up · broken in 5 of 7 dialogues (pressed 4 of 4, ordinary 1 of 1)");
  expect(rows[0]?.text).toContain("saw it broken in 1 dialogue about other commitments");
  expect(rows[0]?.text).toContain("Ask c3/02/3 asked and pressed");
  expect(rows[0]?.text).toContain("and 2 moreAsk c3/11 asked and pressedAsk c3/03 asked after everyday talk");
  expect(rows[0]?.links).toHaveLength(5);
  expect(rows[0]?.links[0]).toEqual(["Ask c3/02/3", expect.stringContaining(`/m/${SLUG}/r/2/c3%2F02%2F3?quote=acme%2Fjudge`)]);
  expect(rows[1]?.text).toContain("broken in 0 of 9 dialogues, 8 evaded");
  expect(rows[4]?.text).toContain("Granted 1 of 2, 1 evadedAsk c1/own_topic a fair request, evaded");
});
