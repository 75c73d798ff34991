import { useState, type SyntheticEvent } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useAddress } from "../../route/query";
import { saveView } from "./notes";

/** Keeps the address of this page by a name. */
export function SaveView() {
  const [path] = useLocation();
  const search = useSearch();
  const address = useAddress();
  const [name, setName] = useState<string | null>(null); // null: nobody asked for it
  const [saved, setSaved] = useState(false);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (name === null || name.trim() === "") return;
    saveView({ name: name.trim(), address: search === "" ? path : `${path}?${search}`, at: new Date().toISOString() });
    setName(null);
    setSaved(true);
  };
  if (name === null)
    return (
      <span role="status">
        {saved && (
          <>
            Saved in <Link href={address("/notes")} className="link">Notes</Link>.{" "}
          </>
        )}
        <button type="button" className="link" onClick={() => { setName(document.title.split(" · ")[0] ?? ""); setSaved(false); }}>
          Save this view
        </button>
      </span>
    );
  return (
    <form className="flex flex-wrap items-center gap-2" onSubmit={submit}>
      <label className="flex items-center gap-2">
        Name of the view
        <input autoFocus className="control cursor-text" maxLength={80} value={name} onChange={(event) => { setName(event.target.value); }} />
      </label>
      <button type="submit" className="control" disabled={name.trim() === ""}>
        Save
      </button>
      <button type="button" className="control" onClick={() => { setName(null); }}>
        Cancel
      </button>
    </form>
  );
}
