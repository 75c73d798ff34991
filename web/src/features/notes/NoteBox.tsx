import { useState } from "react";
import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { useAddress } from "../../route/query";
import { noteKey, saveNote, tagsOf, useIsKept, useNotebook } from "./notes";

interface NoteBoxProps {
  readonly slug: string;
  readonly scenario: string;
  readonly run: number;
  readonly item: string; // of the dialogue as it is
}

/** A reader's note and tags beside a dialogue, kept as they are typed. Give it a key: it is about one dialogue. */
export function NoteBox({ slug, scenario, run, item }: NoteBoxProps) {
  const { info } = useBoard();
  const address = useAddress();
  const isKept = useIsKept();
  const place = { board: info.id, subject: slug, scenario, run };
  const note = useNotebook().notes.find((one) => noteKey(one) === noteKey(place));
  const [typed, setTyped] = useState((note?.tags ?? []).join(", "));
  const [open] = useState(note !== undefined);
  const save = (text: string, tags: readonly string[]) => { saveNote({ ...place, item, text, tags, at: new Date().toISOString() }); };
  const stale = note !== undefined && note.item !== item;
  return (
    <details className="screen-only mt-8 border-t border-faint pt-3 text-sm" open={open}>
      <summary className="font-medium">Note and tags</summary>
      <div className="mt-2 grid gap-2">
        <label className="grid gap-1">
          Note
          <textarea rows={3} className="control cursor-text" value={note?.text ?? ""} onChange={(event) => { save(event.target.value, note?.tags ?? []); }} />
        </label>
        <label className="grid gap-1">
          Tags, separated by commas
          <input
            className="control cursor-text"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              save(note?.text ?? "", tagsOf(event.target.value));
            }}
          />
        </label>
        <p className="text-muted">
          {stale && <span className="text-open">The dialogue was asked again after this was written. </span>}
          {isKept ? "Kept in this browser. " : "This browser keeps nothing for these pages: save the notes as a file before you close it. "}
          <Link href={address("/notes")} className="link">
            All notes
          </Link>
        </p>
      </div>
    </details>
  );
}
