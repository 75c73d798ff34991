import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { scenarioTitle } from "../../data/titles";
import { trajectoryPage } from "../../route/paths";
import { useAddress, useQuery } from "../../route/query";
import type { ColumnInfo } from "../../schema";
import { Page } from "../../shell/Page";
import { count } from "../../text/format";
import { Badge } from "../../ui/Badge";
import { save } from "../../ui/download";
import { Downloads } from "../../ui/Downloads";
import { SubjectLabel } from "../../ui/SubjectName";
import { deleteView, everyTag, mergeNotebook, noteKey, readNotebook, useIsKept, useNotebook, type Note } from "./notes";

const COLUMNS: readonly ColumnInfo[] = ["subject", "scenario", "run", "tags", "text", "at", "item"].map((key) => ({ key, head: key }));

/** What the reader wrote beside dialogues of this board, the views that were saved, and both as files. */
export default function NotesPage() {
  const board = useBoard();
  const notebook = useNotebook();
  const isKept = useIsKept();
  const [query, change] = useQuery();
  const address = useAddress();
  const notes = notebook.notes.filter((note) => note.board === board.info.id).toSorted((one, other) => (one.at < other.at ? 1 : -1));
  const elsewhere = notebook.notes.length - notes.length;
  const tag = query.get("tag") ?? "";
  const shown = tag === "" ? notes : notes.filter(({ tags }) => tags.includes(tag));
  const here = shown.filter((note) => board.subjects.has(note.subject) && board.scenarios.has(note.scenario));
  return (
    <Page
      title="Notes"
      lead="What you wrote beside dialogues, and views that you saved. They are kept in this browser and sent to nobody."
      actions={
        <>
          <button type="button" className="control" disabled={notebook.notes.length + notebook.views.length === 0} onClick={() => { save("notes.json", "application/json", `${JSON.stringify(notebook, null, 2)}\n`); }}>
            Save all as a file
          </button>
          <Import />
        </>
      }
    >
      {!isKept && (
        <p role="alert" className="mb-3 text-open">
          This browser keeps nothing for these pages: save the notes as a file before you close it.
        </p>
      )}
      <section aria-labelledby="notes" className="part">
        <div>
          <h2 id="notes">{shown.length === 1 ? "1 note" : `${count(shown.length)} notes`}</h2>
          {shown.length > 0 && (
            <Downloads
              name="notes"
              columns={COLUMNS}
              rows={shown.map((note) => [board.labels.get(note.subject) ?? note.subject, note.scenario, note.run, note.tags.join(", "), note.text, note.at, note.item])}
            />
          )}
        </div>
        <div className="space-y-4">
          <TagChoice tags={everyTag(notes)} chosen={tag} onChoose={(next) => { change({ tag: next }); }} />
          {notes.length === 0 && <p className="text-muted">No notes yet. Below each dialogue there is a place for one.</p>}
          <ul className="space-y-4 empty:hidden">
            {shown.map((note) => (
              <NoteItem key={noteKey(note)} note={note} />
            ))}
          </ul>
          {here.length > 0 && board.info.judges.length > 0 && (
            <p className="text-sm">
              <Link href={address("/rate", { from: tag === "" ? "notes" : `tag:${tag}` })} className="link">
                Rate {here.length === 1 ? "this dialogue" : `these ${here.length} dialogues`} by the rubric
              </Link>
            </p>
          )}
          {elsewhere > 0 && <p className="note">{elsewhere === 1 ? "1 note is" : `${elsewhere} notes are`} about other boards.</p>}
        </div>
      </section>
      <section aria-labelledby="views" className="part">
        <h2 id="views">Saved views</h2>
        <ul className="space-y-1">
          {notebook.views.length === 0 && <li className="text-muted">None yet. “Save this view” at the foot of each page keeps its address, with its filters.</li>}
          {notebook.views.map((view) => (
            <li key={view.name} className="flex flex-wrap items-baseline gap-3">
              <Link href={view.address} className="link">
                {view.name}
              </Link>
              <button type="button" className="touch text-sm text-muted hover:text-ink" aria-label={`Delete ${view.name}`} onClick={() => { deleteView(view.name); }}>
                Delete
              </button>
            </li>
          ))}
        </ul>
      </section>
    </Page>
  );
}

interface TagChoiceProps {
  readonly tags: readonly string[];
  readonly chosen: string;
  readonly onChoose: (tag: string | null) => void;
}

function TagChoice({ tags, chosen, onChoose }: TagChoiceProps) {
  if (tags.length === 0) return null;
  return (
    <div role="group" aria-label="Notes with a tag" className="flex flex-wrap gap-1.5">
      {tags.map((tag) => (
        <button key={tag} type="button" className="control" aria-pressed={tag === chosen} onClick={() => { onChoose(tag === chosen ? null : tag); }}>
          {tag}
        </button>
      ))}
    </div>
  );
}

function NoteItem({ note }: { readonly note: Note }) {
  const board = useBoard();
  const address = useAddress();
  const known = board.subjects.has(note.subject) && board.scenarios.has(note.scenario);
  const name: ReactNode = (
    <>
      <SubjectLabel slug={note.subject} /> <span className="text-muted">{scenarioTitle(board, note.scenario)}, run {note.run}</span>
    </>
  );
  return (
    <li className="border-l-2 border-soft pl-3">
      <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        {known ? <Link href={address(trajectoryPage(note.subject, note.run, note.scenario))} className="link">{name}</Link> : name}
        {!known && <Badge warns about="This board has no such dialogue">not here</Badge>}
        {note.tags.map((tag) => <Badge key={tag}>{tag}</Badge>)}
        <span className="text-xs text-muted tabular-nums">{note.at.slice(0, 10)}</span>
      </p>
      {note.text !== "" && <p className="mt-1 whitespace-pre-wrap">{note.text}</p>}
    </li>
  );
}

/** Adds the notes of a file to those that are kept. */
function Import() {
  const [said, setSaid] = useState("");
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    try {
      const found = readNotebook(await file.text());
      mergeNotebook(found);
      setSaid(`Read: ${found.notes.length} notes, ${found.views.length} views.`);
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <label className="control flex items-center focus-within:outline-2">
        Add from a file
        <input
          type="file"
          accept="application/json,.json"
          className="sr-only"
          onChange={(event) => {
            void read(event.target.files?.[0]);
            event.target.value = "";
          }}
        />
      </label>
      <span role="status" className="self-center text-sm empty:hidden">
        {said}
      </span>
    </>
  );
}
