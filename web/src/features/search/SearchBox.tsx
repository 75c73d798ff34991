import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { useLocation } from "wouter";
import { isNamed, useBoard, type CurrentBoard } from "../../data/board";
import { slugsInOrder } from "../../data/results";
import { scenarioTitle } from "../../data/titles";
import { navigate } from "../../route/hash";
import { scenarioPage, subjectPage } from "../../route/paths";
import { useAddress, useQuery, type Query } from "../../route/query";
import { hasFilter } from "../../shell/understood";
import { SubjectLabel } from "../../ui/SubjectName";
import { openSearch, useSearchIsOpen } from "./opened";

const MOST = 7; // subjects, and scenarios

interface Choice {
  readonly kind: string;
  readonly name: ReactNode;
  readonly path: string; // empty: this page
  readonly query?: Query;
}

/** Whether every word of a query stands in a name. */
function named(name: string, query: string): boolean {
  return query.toLowerCase().split(/\s+/).every((word) => name.toLowerCase().includes(word));
}

/** What a query may mean: words in the texts, a subject, a scenario; first what is about this page alone. */
function choices(board: CurrentBoard, query: string, path: string): readonly Choice[] {
  if (query === "") return [];
  const [here, dialogue] = [decodeURIComponent(path.split("/").at(-1) ?? ""), path.includes("/r/")];
  const words = (scenario: string | null): Choice => ({
    kind: scenario === null ? "All texts" : scenarioTitle(board, scenario),
    name: `“${query}”`,
    path: "/search",
    query: { q: query, s: scenario },
  });
  const subjects = slugsInOrder(board).filter((slug) => isNamed(board.subjects.get(slug), query));
  const scenarios = board.index.scenarios.filter((one) => named(`${scenarioTitle(board, one.id)} ${one.id}`, query));
  const rows = { kind: dialogue ? "This dialogue" : "Filter of this page", name: `“${query}”`, path: "", query: { q: query } };
  const page = path !== "/search" && hasFilter(board, path) ? [rows] : [];
  const asked = board.scenarios.has(here) ? [words(here)] : [];
  return [
    ...(asked.length === 0 ? [words(null), ...page] : [...(dialogue ? [...page, ...asked] : [...asked, ...page]), words(null)]),
    ...subjects.slice(0, MOST).map((slug) => ({ kind: "Subject", name: <SubjectLabel slug={slug} />, path: subjectPage(slug) })),
    ...scenarios.slice(0, MOST).map((one) => ({ kind: "Scenario", name: scenarioTitle(board, one.id), path: scenarioPage(one.id) })),
  ];
}

/** The search box that opens over any page: by /, Ctrl-K or Cmd-K, or the button at the top. */
export function SearchBox() {
  const open = useSearchIsOpen();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const pressed = (event: globalThis.KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      openSearch(true);
    };
    document.addEventListener("keydown", pressed);
    return () => { document.removeEventListener("keydown", pressed); };
  }, []);
  useEffect(() => {
    const element = dialog.current;
    if (open && element?.open === false) element.showModal();
    if (!open && element?.open === true) element.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      aria-label="Search"
      onClose={() => { openSearch(false); }}
      onClick={(event) => { if (event.target === event.currentTarget) openSearch(false); }}
      className="mx-auto mt-[12vh] mb-auto w-[min(36rem,calc(100vw-2rem))] rounded-lg border border-faint bg-paper text-ink backdrop:bg-[rgb(0_0_0/0.4)]"
    >
      {open && <Choices />}
    </dialog>
  );
}

function Choices() {
  const board = useBoard();
  const address = useAddress();
  const [path] = useLocation();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [, change] = useQuery();
  const all = choices(board, text.trim(), path);
  const chosen = Math.min(at, Math.max(all.length - 1, 0));
  const go = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    openSearch(false);
    if (choice.path === "") change(choice.query ?? {}, true);
    else navigate(address(choice.path, choice.query));
  };
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") go(all[chosen]);
    else if (step !== undefined && all.length > 0) setAt((chosen + step + all.length) % all.length);
    else return;
    event.preventDefault();
  };
  return (
    <div className="p-3">
      <input
        autoFocus
        type="search"
        role="combobox"
        aria-label="Subjects, scenarios, words"
        aria-expanded={all.length > 0}
        aria-controls={all.length > 0 ? "search-choices" : undefined}
        aria-activedescendant={all.length > 0 ? `search-choice-${chosen}` : undefined}
        autoComplete="off"
        placeholder="Subjects, scenarios, words"
        className="control w-full cursor-text text-base"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={pressed}
      />
      {all.length > 0 && <ul id="search-choices" role="listbox" aria-label="Found" className="mt-2 max-h-[60vh] overflow-y-auto">
        {all.map((choice, place) => (
          <li
            key={`${choice.path}?${choice.query?.["s"] ?? ""}`}
            id={`search-choice-${place}`}
            role="option"
            aria-selected={place === chosen}
            className={`flex cursor-pointer items-baseline gap-3 rounded-md px-2 py-1.5 text-sm ${place === chosen ? "bg-band outline-1 outline-accent" : ""}`}
            onPointerMove={() => { setAt(place); }}
            onClick={() => { go(choice); }}
          >
            <span className="min-w-0 flex-1 break-words">{choice.name}</span>
            <span className="shrink-0 text-xs text-muted">{choice.kind}</span>
          </li>
        ))}
      </ul>}
      {all.length === 0 && <p className="mt-2 px-2 text-xs text-muted">Enter opens what is chosen; up and down choose; Esc closes.</p>}
    </div>
  );
}
