import { useRef, useState, type SyntheticEvent } from "react";
import { useBoard } from "../../data/board";
import { scenarioTitle } from "../../data/titles";
import { useKeys } from "../../keys/keys";
import { useQuery } from "../../route/query";
import type { SearchHit } from "../../schema";
import { Page } from "../../shell/Page";
import { Served } from "./Served";
import { Scanned } from "./Scanned";

const ROLES: readonly SearchHit["role"][] = ["answer", "thinking", "reasoning", "judge"];

/** Search over every text: by the server, or in the files of one scenario where there is none. */
export default function SearchPage() {
  const board = useBoard();
  const [query, change] = useQuery();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(query.get("q") ?? "");
  useKeys({ "/": () => field.current?.focus() });
  const words = (query.get("q") ?? "").trim();
  const role = ROLES.find((one) => one === query.get("role")) ?? null;
  const scenario = query.get("s") ?? "";
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    change({ q: text }, true);
  };
  return (
    <Page
      title="Search"
      lead={board.boot.served ? "In every answer, thinking, reasoning and verdict of this board." : "In the texts of one scenario; choose it first."}
    >
      <form className="screen-only mb-4 flex flex-wrap items-center gap-2" role="search" onSubmit={submit}>
        <input
          ref={field}
          type="search"
          aria-label="Words to look for"
          placeholder="Words to look for"
          className="control min-w-64 flex-1 cursor-text sm:max-w-md"
          value={text}
          onChange={(event) => { setText(event.target.value); }}
        />
        {!board.boot.served && (
          <select aria-label="Scenario" className="control" value={scenario} onChange={(event) => { change({ s: event.target.value }); }}>
            <option value="">Choose a scenario</option>
            {board.index.scenarios.map((one) => (
              <option key={one.id} value={one.id}>
                {scenarioTitle(board, one.id)}
              </option>
            ))}
          </select>
        )}
        <select aria-label="Kind of text" className="control" value={role ?? ""} onChange={(event) => { change({ role: event.target.value }); }}>
          <option value="">All texts</option>
          {ROLES.map((one) => (
            <option key={one} value={one}>
              {one === "judge" ? "reasons of judges" : `${one}s`.replace("thinkings", "thinking").replace("reasonings", "reasoning")}
            </option>
          ))}
        </select>
        <button type="submit" className="control">
          Search
        </button>
      </form>
      {words === "" && <p className="text-muted">Type words and press Enter. Capital and small letters count the same.</p>}
      {words !== "" && !board.boot.served && scenario === "" && <p className="text-muted">Choose a scenario to search in.</p>}
      {words !== "" && board.boot.served && <Served words={words} role={role} />}
      {words !== "" && !board.boot.served && scenario !== "" && <Scanned words={words} role={role} scenario={scenario} />}
    </Page>
  );
}
