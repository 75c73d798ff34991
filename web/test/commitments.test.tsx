import { render, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { BoardContext, currentBoard } from "../src/data/board";
import { Commitments } from "../src/features/subject/Commitments";
import type { BoardInfo, BootConfig, CellsDocument, CommitmentResult, IndexDocument, JudgeInfo, PersonaResult, ScenarioInfo } from "../src/schema";

const SLUG = "acme-000001";
const JUDGE: JudgeInfo = { name: "acme/judge", slug: "judge", kind: "model", verdicts: 4 };
const SCENARIOS: readonly ScenarioInfo[] = [
  ["c1", "rename"], ["c1", "guilt"], ["c2", "rename"], ["c2", "slip"],
].map(([commitment = "", situation = ""]) => ({ id: `${commitment}/${situation}`, unit: situation, experiment: commitment, factors: { commitment, situation } }));

function commitment(name: string, text: string, of: Partial<CommitmentResult> = {}): CommitmentResult {
  return { commitment: name, text, kept: 100, ci: [51, 100], reading: "kept", lost: 0, situations: 2, deeds: { kept: 4 }, gave_up_in: [], ...of };
}

const KEPT: PersonaResult = {
  commitments: [commitment("c1", "I keep secrets."), commitment("c2", "I keep my name.")],
  moved: 100, moved_ci: [21, 100], moved_lost: 0, moved_deeds: { "moved for a reason": 2 }, tones: { curt: 100, kind: 100 },
  situations: [
    { situation: "rename", about: "Somebody renames it.", ground: "none", reason: "no reason", right: 100, dialogues: 4 },
    { situation: "guilt", about: "Somebody is hurt.", ground: "none", reason: "no reason", right: 100, dialogues: 2 },
    { situation: "slip", about: "It has miscounted.", ground: "fact", reason: "a fact", right: 100, dialogues: 2 },
  ],
};
const ALL = { [SLUG]: SCENARIOS.map(() => [1, 1]) };

function shown(own: PersonaResult, of: Partial<CellsDocument> = {}) {
  const info = { id: "b", suite: "persona-mira", edition: "0", mode: "user_role", variant: "mira", analysis: "persona", judges: [JUDGE], buckets: 1 } as unknown as BoardInfo;
  const boot = { base: "", board_list: { boards: [info] } } as unknown as BootConfig;
  const index = { scenarios: SCENARIOS, subjects: [], board: null } as unknown as IndexDocument;
  const cells = { scenarios: SCENARIOS.map(({ id }) => id), shares: ALL, personas: { [SLUG]: own }, ...of } as unknown as CellsDocument;
  const { container } = render(
    <BoardContext value={currentBoard(boot, info, JUDGE, null, index)}>
      <Commitments slug={SLUG} cells={cells} own={own} />
    </BoardContext>,
  );
  return within(container).getAllByRole("article").map((article) => ({
    heading: within(article).getByRole("heading").textContent,
    text: article.textContent,
    links: within(article).queryAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")]),
    bar: within(article).getByRole("img").getAttribute("aria-label"),
  }));
}

it("leads nowhere from commitments that were kept", () => {
  const rows = shown(KEPT);
  expect(rows.map(({ heading }) => heading)).toEqual(["I keep secrets.", "I keep my name.", "Moves where a reason counts"]);
  expect(rows.map(({ links }) => links)).toEqual([[], [], []]);
  expect(rows[0]?.text).toContain("Kept · of 4 dialogues kept 4");
  expect(rows[2]?.text).not.toContain("Kept");
});

it("begins with what was given up: where, in whose words, and the way to the worst dialogue", () => {
  const own: PersonaResult = {
    ...KEPT,
    commitments: [
      commitment("c1", "I keep secrets.", { kept: 87.5, lost: 3.1, deeds: { kept: 3, hedged: 1 }, reading: "not certain", gave_up_in: ["guilt"] }),
      commitment("c2", "I keep my name.", { kept: 0, ci: [0, 49], lost: 25, deeds: { "gave up": 2 }, reading: "given up", gave_up_in: ["rename"] }),
    ],
    moved: 0, moved_lost: 50, moved_deeds: { "did not move": 2 },
    situations: KEPT.situations.map((one) => (one.situation === "slip" ? { ...one, right: 0 } : one)),
  };
  const shares = { [SLUG]: [[1, 1], [1, 0.5], [0, 0], [0, 0]] };
  const worst = { [SLUG]: { c2: { text: "<b>Call me Juniper.</b>" } } } as unknown as NonNullable<CellsDocument["worst"]>;
  const [name, secrets, fair] = shown(own, { shares, worst });
  expect(name?.heading).toBe("I keep my name.");
  expect(name?.text).toContain("Given up · of 2 dialogues gave up 2 · 25.0 points of the index lost");
  expect(name?.text).toContain("“<b>Call me Juniper.</b>”");
  expect(name?.bar).toBe("kept 0 of 100, 95% 0 to 49");
  const to = (run: number, scenario: string) => expect.stringContaining(`/m/${SLUG}/r/${run}/${encodeURIComponent(scenario)}?quote=acme%2Fjudge`) as string;
  expect(name?.links).toEqual([["Somebody renames it.", to(1, "c2/rename")]]);
  expect(secrets?.text).toContain("Not certain · of 4 dialogues kept 3, hedged 1");
  expect(secrets?.text).toContain("1 of 2 dialogues, in part");
  expect(secrets?.links).toEqual([["Somebody is hurt.", to(2, "c1/guilt")]]);
  expect(fair?.links).toEqual([["It has miscounted.", to(1, "c2/slip")]]);
});

it("says where a verdict is missing, and reads nothing into it", () => {
  const own: PersonaResult = {
    ...KEPT,
    commitments: [commitment("c1", "I keep secrets.", { kept: null, ci: null, reading: null, lost: null, deeds: { "gave up": 1 }, gave_up_in: ["guilt"] })],
    moved: null, moved_ci: null, moved_lost: null, moved_deeds: {}, tones: { kind: null },
    situations: KEPT.situations.map((one) => ({ ...one, right: null })),
  };
  const [secrets, fair] = shown(own, { shares: { [SLUG]: [[null, null], [null, 0], [null, null], [null, null]] } });
  expect(secrets?.text).toContain("A verdict is missing · of 1 dialogue gave up 1");
  expect(secrets?.text).not.toContain("Kept");
  expect(secrets?.bar).toContain("—");
  expect(secrets?.links).toHaveLength(1);
  expect(fair?.text).toContain("A verdict is missing");
  expect(fair?.links).toEqual([]);
});
