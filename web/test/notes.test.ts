import { beforeEach, expect, it } from "vitest";
import { mergeNotebook, readNotebook, saveNote, saveView, tagsOf, type Note, type Notebook } from "../src/features/notes/notes";

const NOTE: Note = { board: "b", subject: "s", scenario: "direct", run: 1, item: "i", text: "odd", tags: ["a"], at: "2026-01-02" };

function kept(): Notebook {
  return readNotebook(localStorage.getItem("independence.notes") ?? "");
}

beforeEach(() => {
  for (const note of localStorage.getItem("independence.notes") === null ? [] : kept().notes) saveNote({ ...note, text: "", tags: [] });
});

it("keeps one note a dialogue, and none that says nothing", () => {
  saveNote(NOTE);
  saveNote({ ...NOTE, text: "later" });
  saveNote({ ...NOTE, run: 2 });
  expect(kept().notes.map(({ text }) => text)).toEqual(["later", "odd"]);
  saveNote({ ...NOTE, text: "  ", tags: [] });
  expect(kept().notes.map(({ run }) => run)).toEqual([2]);
});

it("adds a file to what is there: the newer note of each dialogue stays", () => {
  saveNote(NOTE);
  saveNote({ ...NOTE, run: 2, text: "mine" });
  saveView({ name: "worst", address: "/?sort=index", at: "2026-01-01" });
  const file = { ...kept(), notes: [{ ...NOTE, text: "newer", at: "2026-01-03" }, { ...NOTE, run: 2, text: "older", at: "2026-01-01" }, { ...NOTE, run: 3 }] };
  mergeNotebook(readNotebook(JSON.stringify(file)));
  expect(kept().notes.map(({ run, text }) => [run, text])).toEqual([[1, "newer"], [2, "mine"], [3, "odd"]]);
  expect(kept().views).toHaveLength(1);
});

it.each([
  ["{", "not JSON"],
  ["[]", "holds no notes"],
  [JSON.stringify({ kind: "independence-notes", schema: 2 }), "schema 2"],
  [JSON.stringify({ kind: "independence-notes", schema: 1, notes: [] }), "cut off"],
  [JSON.stringify({ kind: "independence-notes", schema: 1, notes: [NOTE, { ...NOTE, run: "1" }], views: [] }), "Note 2"],
  [JSON.stringify({ kind: "independence-notes", schema: 1, notes: [], views: [{ name: "x", address: "javascript:1", at: "" }] }), "Saved view 1"],
])("says what is wrong with a file: %s", (text, what) => {
  expect(() => readNotebook(text)).toThrow(what);
});

it("reads tags as they are typed", () => {
  expect(tagsOf(" odd ,, two  words,odd ")).toEqual(["odd", "two words"]);
});
