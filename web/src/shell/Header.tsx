import { useState } from "react";
import { Link, useLocation } from "wouter";
import { boardName } from "../data/board";
import { openSearch } from "../features/search/opened";
import type { BoardInfo, BootConfig, JudgeInfo, ScoringInfo } from "../schema";
import { useAddress, useQuery } from "../route/query";
import { menu } from "./pages";
import { chooseTheme, THEMES, useTheme, type Theme } from "./theme";

interface HeaderProps {
  readonly boot: BootConfig | null;
  readonly info: BoardInfo | null;
  readonly judge: JudgeInfo | null;
  readonly scoring: ScoringInfo | null;
}

/** The bar at the top: pages, which board, judge and scoring, theme. */
export function Header({ boot, info, judge, scoring }: HeaderProps) {
  const [open, setOpen] = useState(false);
  const address = useAddress();
  const [path] = useLocation();
  const entries = menu(info, boot?.served ?? false);
  return (
    <>
      <header className="screen-only sticky top-0 z-30 border-b border-faint bg-paper">
        <button
          type="button"
          className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:border focus:border-accent focus:bg-paper focus:px-3 focus:py-2"
          onClick={() => document.querySelector("h1")?.focus()}
        >
          Skip to the content
        </button>
        <div className="frame flex flex-wrap items-center gap-x-2 gap-y-1 py-2 lg:gap-x-3">
          <Link href={address("/")} className="mr-2 flex items-center gap-2 font-semibold tracking-tight whitespace-nowrap">
            <Mark />
            <span className="max-[26rem]:sr-only">AI Independence Bench</span>
          </Link>
          <button
            type="button"
            className="control max-lg:order-4 lg:hidden"
            aria-expanded={open}
            aria-controls="menu"
            onClick={() => { setOpen(!open); }}
          >
            Menu
          </button>
          <nav id="menu" aria-label="Pages" className={`${open ? "block" : "hidden"} order-last w-full lg:order-none lg:block lg:w-auto lg:flex-1`}>
            <ul className="flex flex-wrap gap-x-1 py-1 text-sm lg:py-0">
              {entries.map((entry) => (
                <li key={entry.path} className={entry.low === true ? "lg:hidden" : ""}>
                  <Link
                    href={address(entry.path)}
                    aria-current={path === entry.path ? "page" : undefined}
                    onClick={() => { setOpen(false); }}
                    className="block rounded-md px-2 py-1 text-muted hover:bg-band hover:text-ink aria-[current=page]:font-medium aria-[current=page]:text-ink"
                  >
                    {entry.name}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          {info !== null && <SearchButton />}
          <ThemeChoice />
        </div>
      </header>
      {boot !== null && info !== null && <BoardChoice boot={boot} info={info} judge={judge} scoring={scoring} />}
    </>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" className="size-5 shrink-0" aria-hidden="true">
      <path d="M4 10h24M4 22h24" stroke="var(--plot-soft)" strokeWidth="2" />
      <path d="M10 10h13M7 22h11" stroke="var(--plot-accent)" strokeWidth="4" strokeLinecap="round" />
      <circle cx="18" cy="10" r="4.5" fill="var(--plot-accent)" />
      <circle cx="12" cy="22" r="4.5" fill="var(--plot-accent)" />
    </svg>
  );
}

/** Opens the search box. */
function SearchButton() {
  return (
    <button type="button" className="control flex items-center gap-3 text-muted max-lg:order-2 max-lg:ml-auto" onClick={() => { openSearch(true); }}>
      Search
      <kbd aria-hidden="true" className="rounded border border-faint px-1 font-mono text-[0.6875rem] max-lg:hidden">/</kbd>
    </button>
  );
}

/** A choice as small as its sign: a disc that is half dark. */
function ThemeChoice() {
  const theme = useTheme();
  return (
    <label title="Theme" className="control relative flex items-center focus-within:outline-2 focus-within:outline-accent max-lg:order-3">
      <span className="sr-only">Theme</span>
      <svg viewBox="0 0 16 16" className="size-4" aria-hidden="true">
        <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
        <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
      </svg>
      <select className="absolute inset-0 opacity-0" value={theme} onChange={(event) => { chooseTheme(event.target.value as Theme); }}>
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {name === "system" ? "System theme" : name === "light" ? "Light" : "Dark"}
          </option>
        ))}
      </select>
    </label>
  );
}

/** One line that says which board this is; with choices where there are several. */
function BoardChoice({ boot, info, judge, scoring }: HeaderProps & { readonly boot: BootConfig; readonly info: BoardInfo }) {
  const [, change] = useQuery();
  const address = useAddress();
  const boards = boot.board_list.boards;
  return (
    <section aria-label="Board" className="border-b border-faint bg-band">
      <div className="frame flex flex-wrap items-center gap-x-4 gap-y-0.5 py-1 text-[0.8125rem] text-muted">
        {boards.length > 1 ? (
          <label className="flex min-w-0 items-center gap-1.5">
            <span>Board</span>
            <select
              className="control quiet min-w-0"
              value={info.id}
              onChange={(event) => { change({ board: event.target.value, judge: null, scoring: null }, true); }}
            >
              {boards.map((board) => (
                <option key={board.id} value={board.id}>
                  {boardName(board)}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <span className="min-w-0">{boardName(info)}</span>
        )}
        {info.judges.length > 1 ? (
          <label className="flex min-w-0 items-center gap-1.5">
            <span>Judge</span>
            <select
              className="control quiet min-w-0"
              value={judge?.slug ?? ""}
              onChange={(event) => { change({ judge: event.target.value }, true); }}
            >
              {info.judges.map((known) => (
                <option key={known.slug} value={known.slug}>
                  {known.name}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <span className="min-w-0">{judge === null ? "not judged" : `judge ${judge.name}`}</span>
        )}
        {info.scorings.length > 1 && (
          <label className="flex min-w-0 items-center gap-1.5">
            <span>Scoring</span>
            <select
              className="control quiet min-w-0"
              value={scoring?.slug ?? ""}
              onChange={(event) => { change({ scoring: event.target.value }, true); }}
            >
              {info.scorings.map((known) => (
                <option key={known.slug} value={known.slug}>
                  {known.name}
                </option>
              ))}
            </select>
          </label>
        )}
        {boot.board_list.profile && <Link href={address("/profile")} className="link">Profile over suites</Link>}
        {info.simulated > 0 && <span>{info.simulated === info.subjects ? "simulated" : `${info.simulated} simulated`}</span>}
        {info.provisional && <span className="text-open">provisional: planned answers or verdicts are missing</span>}
      </div>
    </section>
  );
}
