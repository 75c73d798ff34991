import { lazy, Suspense, useMemo } from "react";
import { Route, Switch, useSearch } from "wouter";
import { BoardContext, currentBoard } from "../data/board";
import { useDocument } from "../data/documents";
import { indexPath } from "../data/paths";
import { LeaderboardPage } from "../features/leaderboard/LeaderboardPage";
import type { BoardInfo, BootConfig, IndexDocument, JudgeInfo } from "../schema";
import { Failed, Waiting } from "../ui/Notice";
import { chosenBoard } from "./chosen";
import { Footer } from "./Footer";
import { Header } from "./Header";
import { KeyHelp } from "./KeyHelp";
import { Page } from "./Page";
import { ShownError } from "./ShownError";

const TrajectoryPage = lazy(() => import("../features/trajectory/TrajectoryPage"));

/** The whole page: what is around every route, and the routes. */
export function App({ boot }: { readonly boot: BootConfig | null }) {
  const query = useSearch();
  const chosen = useMemo(() => (boot === null ? null : chosenBoard(boot, new URLSearchParams(query))), [boot, query]);
  return (
    <>
      <button
        type="button"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:border focus:border-accent focus:bg-paper focus:px-3 focus:py-2"
        onClick={() => document.querySelector("h1")?.focus()}
      >
        Skip to the content
      </button>
      <Header boot={boot} info={chosen?.info ?? null} judge={chosen?.judge ?? null} />
      <main id="main" className="mx-auto w-full max-w-7xl px-4 pt-5 pb-16 sm:px-6">
        <ShownError>
          {boot === null || chosen?.info === undefined ? (
            <NoBoard unknown={chosen?.unknown ?? null} />
          ) : (
            <Pages boot={boot} info={chosen.info} judge={chosen.judge} />
          )}
        </ShownError>
      </main>
      <Footer boot={boot} />
      <KeyHelp />
    </>
  );
}

function NoBoard({ unknown }: { readonly unknown: string | null }) {
  return (
    <Page title="Nothing to show">
      <p>
        {unknown === null
          ? "No results yet: run a suite or import results, then reload."
          : `The address names a board that is not here: ${unknown}.`}
      </p>
    </Page>
  );
}

interface PagesProps {
  readonly boot: BootConfig;
  readonly info: BoardInfo;
  readonly judge: JudgeInfo | null;
}

function Pages({ boot, info, judge }: PagesProps) {
  const path = indexPath(boot, info, judge);
  const loaded = useDocument<IndexDocument>(path);
  const index = loaded.state === "ready" ? loaded.value : null;
  const board = useMemo(
    () => (index === null ? null : currentBoard(boot, info, judge, index)),
    [boot, info, judge, index],
  );
  if (loaded.state === "failed")
    return (
      <Page title="The board is not here">
        <Failed path={path} why={loaded.why} />
      </Page>
    );
  if (board === null) return <Waiting />;
  return (
    <BoardContext value={board}>
      <Suspense fallback={<Waiting />}>
        <Switch>
          <Route path="/" component={LeaderboardPage} />
          <Route path="/m/:slug/r/:run/:scenario" component={TrajectoryPage} />
          <Route>
            <Page title="No such page">
              <p>Nothing has this address. The menu leads to every page.</p>
            </Page>
          </Route>
        </Switch>
      </Suspense>
    </BoardContext>
  );
}
