import { useEffect, useMemo, useState } from "react";
import { Link, Route, Router, Switch, useLocation, useSearch } from "wouter";
import { BoardContext, currentBoard, type CurrentBoard } from "../data/board";
import { IN_FILE } from "../data/boot";
import { useDocument } from "../data/documents";
import { showChanges, useFollowing } from "../data/live";
import { indexPath } from "../data/paths";
import { Tray } from "../features/compare/Tray";
import { SearchBox } from "../features/search/SearchBox";
import { LeaderboardPage } from "../features/leaderboard/LeaderboardPage";
import type { BoardInfo, BoardList, BootConfig, IndexDocument, JudgeInfo, ScoringInfo } from "../schema";
import { isWritten } from "../route/hash";
import { Failed, Waiting } from "../ui/Notice";
import { chosenBoard } from "./chosen";
import { Footer } from "./Footer";
import { Header } from "./Header";
import { KeyHelp } from "./KeyHelp";
import { later } from "./later";
import { LeftOut } from "./LeftOut";
import { MenuKeys } from "./MenuKeys";
import { NoSuch } from "./NoSuch";
import { OtherDataSet } from "./OtherDataSet";
import { Page } from "./Page";
import { ShownError } from "./ShownError";
import { StoreNews } from "./StoreNews";
import { useUnderstoodQuery } from "./understood";

const AboutPage = later(() => import("../features/about/AboutPage"));
const CellPage = later(() => import("../features/cell/CellPage"));
const ComparePage = later(() => import("../features/compare/ComparePage"));
const DataPage = later(() => import("../features/data/DataPage"));
const HeatmapPage = later(() => import("../features/heatmap/HeatmapPage"));
const ItemsPage = later(() => import("../features/items/ItemsPage"));
const JudgesPage = later(() => import("../features/judges/JudgesPage"));
const LivePage = later(() => import("../features/live/LivePage"));
const NamesPage = later(() => import("../features/names/NamesPage"));
const NotesPage = later(() => import("../features/notes/NotesPage"));
const ProfilePage = later(() => import("../features/report/ProfilePage"));
const PromptsPage = later(() => import("../features/prompts/PromptsPage"));
const Runs = later(() => import("../features/live/Runs"));
const RatePage = later(() => import("../features/rate/RatePage"));
const ReportPage = later(() => import("../features/report/ReportPage"));
const ScenarioPage = later(() => import("../features/scenario/ScenarioPage"));
const ScenariosPage = later(() => import("../features/scenario/ScenariosPage"));
const SearchPage = later(() => import("../features/search/SearchPage"));
const SubjectPage = later(() => import("../features/subject/SubjectPage"));
const TrajectoryPage = later(() => import("../features/trajectory/TrajectoryPage"));

/** The whole page: what is around every route, and the routes. */
export function App({ boot: written }: { readonly boot: BootConfig | null }) {
  const query = useSearch();
  const [path] = useLocation();
  const boot = useCurrentBoot(written);
  const chosen = useMemo(() => (boot === null ? null : chosenBoard(boot, new URLSearchParams(query))), [boot, query]);
  return (
    <>
      <Header boot={boot} info={chosen?.info ?? null} judge={chosen?.judge ?? null} scoring={chosen?.scoring ?? null} />
      <main id="main" className="frame flex-1 pt-6 pb-16">
        <ShownError path={path}>
          {boot === null || chosen?.info === undefined || chosen.unknown !== null ? (
            <NoBoard served={boot?.served ?? false} unknown={chosen?.unknown ?? null} />
          ) : (
            <Pages boot={boot} info={chosen.info} judge={chosen.judge} scoring={chosen.scoring} />
          )}
        </ShownError>
      </main>
      <Footer boot={boot} info={chosen?.info ?? null} />
      <KeyHelp boot={boot} info={chosen?.info ?? null} />
      <StoreNews />
    </>
  );
}

/** What the page was written with; with the newest list of boards once the reader asked for new results. */
function useCurrentBoot(boot: BootConfig | null): BootConfig | null {
  const { shows } = useFollowing();
  const list = useDocument<BoardList>(boot !== null && shows > 0 ? `${boot.base}boards.json` : null);
  return useMemo(
    () => (boot !== null && list.state === "ready" ? { ...boot, board_list: list.value } : boot),
    [boot, list],
  );
}

function NoBoard({ served, unknown }: { readonly served: boolean; readonly unknown: string | null }) {
  const { changes, shownVersion } = useFollowing();
  useEffect(() => {
    if (changes !== null && changes.version !== shownVersion) showChanges(); // there is nothing that could move
  }, [changes, shownVersion]);
  return (
    <Page title="Nothing to show">
      <p>
        {unknown === null
          ? `No results yet: run a suite or import results${served ? "; they appear here as they come." : ", then reload."}`
          : `The address names a board, a judge or a scoring that is not here: ${unknown}.`}
      </p>
      {served && unknown === null && (
        <div className="mt-5">
          <Runs />
        </div>
      )}
      {unknown !== null && (
        <p className="mt-3">
          <Link href="/" className="link">
            Show what is here
          </Link>
        </p>
      )}
    </Page>
  );
}

/** The board; the one before it until it is there, so that the page keeps its place when a board gets its first judge. */
function useLastOf(id: string, current: CurrentBoard | null): CurrentBoard | null {
  const [last, setLast] = useState(current);
  if (current !== null && current !== last) setLast(current);
  return current ?? (last?.info.id === id ? last : null);
}

interface PagesProps {
  readonly boot: BootConfig;
  readonly info: BoardInfo;
  readonly judge: JudgeInfo | null;
  readonly scoring: ScoringInfo | null;
}

function Pages({ boot, info, judge, scoring }: PagesProps) {
  useLocation(); // the hash below is another one
  const path = indexPath(boot, info, judge, scoring);
  const loaded = useDocument<IndexDocument>(path);
  const index = loaded.state === "ready" ? loaded.value : null;
  const current = useMemo(
    () => (index === null ? null : currentBoard(boot, info, judge, scoring, index)),
    [boot, info, judge, scoring, index],
  );
  const board = useLastOf(info.id, current);
  if (loaded.state === "failed")
    return (
      <Page title="The board is not here">
        <Failed path={path} why={loaded.why} />
      </Page>
    );
  if (board === null) return <Waiting />;
  if (!isWritten(window.location.hash)) return <NoSuch what="page">This address was cut off or mistyped.</NoSuch>;
  return (
    <BoardContext value={board}>
      <Router searchHook={useUnderstoodQuery}>
        <MenuKeys info={info} served={boot.served} />
        <OtherDataSet shown={boot.board_list.dataset} />
        <LeftOut />
        <Switch>
          <Route path="/" component={LeaderboardPage} />
          <Route path="/m/:slug" component={SubjectPage} />
          <Route path="/m/:slug/r/:run/:scenario" component={TrajectoryPage} />
          <Route path="/heat" component={HeatmapPage} />
          <Route path="/s" component={ScenariosPage} />
          <Route path="/s/:scenario" component={ScenarioPage} />
          <Route path="/cell/:unit" component={CellPage} />
          <Route path="/cmp" component={ComparePage} />
          <Route path="/report" component={ReportPage} />
          <Route path="/report/:section" component={ReportPage} />
          <Route path="/items" component={ItemsPage} />
          {boot.board_list.profile && <Route path="/profile" component={ProfilePage} />}
          <Route path="/judges" component={JudgesPage} />
          <Route path="/names" component={NamesPage} />
          <Route path="/notes" component={NotesPage} />
          <Route path="/prompts" component={PromptsPage} />
          <Route path="/search" component={SearchPage} />
          {!IN_FILE && <Route path="/rate" component={RatePage} />}
          {!IN_FILE && <Route path="/data" component={DataPage} />}
          <Route path="/about" component={AboutPage} />
          {boot.served && <Route path="/live" component={LivePage} />}
          <Route>
            <NoSuch what="page">There is no page at this address; the menu and the footer list all pages.</NoSuch>
          </Route>
        </Switch>
        <Tray />
        <SearchBox />
      </Router>
    </BoardContext>
  );
}
