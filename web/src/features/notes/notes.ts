// Notes, tags and saved views of a reader. They stay in this browser until they are saved as a file.
import { useSyncExternalStore } from "react";

/** What a reader wrote beside a dialogue. */
export interface Note {
  readonly board: string; // id
  readonly subject: string; // slug
  readonly scenario: string;
  readonly run: number;
  readonly item: string; // the dialogue as it was: another one means that it was asked again
  readonly text: string;
  readonly tags: readonly string[];
  readonly at: string; // ISO 8601
}

/** An address within these pages, by the name that the reader gave it. */
export interface SavedView {
  readonly name: string;
  readonly address: string; // what follows `#`
  readonly at: string;
}

/** All of it, as it is kept and saved. */
export interface Notebook {
  readonly kind: "independence-notes";
  readonly schema: 1;
  readonly notes: readonly Note[];
  readonly views: readonly SavedView[];
}

const KEY = "independence.notes";
const EMPTY: Notebook = { kind: "independence-notes", schema: 1, notes: [], views: [] };
const TEXTS = { note: ["board", "subject", "scenario", "item", "text", "at"], view: ["name", "address", "at"] } as const;
const listeners = new Set<() => void>();

/** Which dialogue a note is about. */
export function noteKey({ board, subject, scenario, run }: Pick<Note, "board" | "subject" | "scenario" | "run">): string {
  return JSON.stringify([board, subject, scenario, run]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasTexts(value: Record<string, unknown>, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === "string");
}

function isNote(value: unknown): value is Note {
  if (!isRecord(value) || !hasTexts(value, TEXTS.note)) return false;
  const { run, tags } = value;
  return Number.isInteger(run) && Number(run) > 0 && Array.isArray(tags) && tags.every((tag) => typeof tag === "string");
}

function isView(value: unknown): value is SavedView {
  return isRecord(value) && hasTexts(value, TEXTS.view) && String(value["address"]).startsWith("/");
}

/** Reads a saved file. Raises an Error that says what is wrong with it. */
export function readNotebook(text: string): Notebook {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Error("The file is not JSON; choose one that this page saved.");
  }
  if (!isRecord(found) || found["kind"] !== EMPTY.kind) throw new Error("The file holds no notes; choose one that this page saved.");
  if (found["schema"] !== EMPTY.schema) throw new Error(`The notes have schema ${String(found["schema"])}; this page reads ${EMPTY.schema}.`);
  const { notes, views } = found;
  if (!Array.isArray(notes) || !Array.isArray(views)) throw new Error("The file was cut off: it has no list of notes or of views.");
  const bad = notes.findIndex((note) => !isNote(note));
  if (bad >= 0) throw new Error(`Note ${bad + 1} of the file is not complete; nothing was read.`);
  const badView = views.findIndex((view) => !isView(view));
  if (badView >= 0) throw new Error(`Saved view ${badView + 1} of the file is not complete; nothing was read.`);
  return { ...EMPTY, notes: notes as readonly Note[], views: views as readonly SavedView[] };
}

function stored(): Notebook {
  try {
    const text = localStorage.getItem(KEY);
    return text === null ? EMPTY : readNotebook(text);
  } catch {
    return EMPTY; // of another version, or storage is forbidden
  }
}

let held = stored();
let isKept = true;

function changed(): void {
  for (const listener of listeners) listener();
}

window.addEventListener("storage", (event) => {
  if (event.key !== KEY) return;
  held = stored();
  changed();
});

function set(next: Notebook): void {
  held = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
    isKept = true;
  } catch {
    isKept = false;
  }
  changed();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What is kept. */
export function useNotebook(): Notebook {
  return useSyncExternalStore(subscribe, () => held);
}

/** False where the browser does not let these pages keep anything: notes then last until the page is closed. */
export function useIsKept(): boolean {
  return useSyncExternalStore(subscribe, () => isKept);
}

/** Tags as they are typed: separated by commas, each once. */
export function tagsOf(typed: string): readonly string[] {
  return [...new Set(typed.split(",").map((tag) => tag.trim().replace(/\s+/g, " ")).filter((tag) => tag !== ""))];
}

/** Every tag of some notes, in the order of the alphabet. */
export function everyTag(notes: readonly Note[]): readonly string[] {
  return [...new Set(notes.flatMap(({ tags }) => tags))].toSorted((one, other) => one.localeCompare(other));
}

/** Keeps a note in place of an earlier one about the same dialogue; one without text and tags is deleted. */
export function saveNote(note: Note): void {
  const others = held.notes.filter((one) => noteKey(one) !== noteKey(note));
  set({ ...held, notes: note.text.trim() === "" && note.tags.length === 0 ? others : [...others, note] });
}

/** Keeps an address by a name; an earlier view of the name goes. */
export function saveView(view: SavedView): void {
  set({ ...held, views: [...held.views.filter(({ name }) => name !== view.name), view] });
}

/** Forgets a view. */
export function deleteView(name: string): void {
  set({ ...held, views: held.views.filter((view) => view.name !== name) });
}

function newest<T extends { readonly at: string }>(own: readonly T[], other: readonly T[], key: (one: T) => string): readonly T[] {
  const found = new Map(own.map((one) => [key(one), one]));
  for (const one of other) {
    const mine = found.get(key(one));
    if (mine === undefined || mine.at < one.at) found.set(key(one), one);
  }
  return [...found.values()];
}

/** Adds what a file holds; of two notes about one dialogue the newer one stays. */
export function mergeNotebook(file: Notebook): void {
  set({ ...EMPTY, notes: newest(held.notes, file.notes, noteKey), views: newest(held.views, file.views, ({ name }) => name) });
}
