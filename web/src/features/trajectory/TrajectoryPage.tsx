import { Link, useParams } from "wouter";
import { useBoard } from "../../data/board";
import { useKeys } from "../../keys/keys";
import { navigate } from "../../route/hash";
import { scenarioTitle } from "../../data/titles";
import { cellPage, subjectPage, trajectoryPage } from "../../route/paths";
import { useAddress, useQuery } from "../../route/query";
import { NoSuch } from "../../shell/NoSuch";
import { Page } from "../../shell/Page";
import { NoteBox } from "../notes/NoteBox";
import { CompareButton } from "../compare/CompareButton";
import { toggle } from "../compare/tray";
import { CopyLink } from "../../ui/CopyLink";
import { Failed, Waiting } from "../../ui/Notice";
import { SubjectLabel } from "../../ui/SubjectName";
import { useDialogue } from "./dialogue";
import { Neighbours } from "./Neighbours";
import { neighbours } from "./places";
import { Dialogue } from "./Dialogue";
import { Unanswered } from "./Unanswered";

/** One dialogue: what was sent, what came back, and what every judge said of it. */
export default function TrajectoryPage() {
  const { slug = "", run: runText = "1", scenario: encoded = "" } = useParams();
  const scenario = decodeURIComponent(encoded);
  const run = Number(runText);
  const board = useBoard();
  const subject = board.subjects.get(slug);
  if (subject === undefined || !board.scenarios.has(scenario) || !Number.isInteger(run) || run < 1 || run > subject.runs)
    return <NoSuch what="dialogue" {...(subject === undefined ? {} : { back: { path: subjectPage(slug), name: "Dialogues of this subject" } })} />;
  return <Trajectory slug={slug} scenario={scenario} run={run} />;
}

interface TrajectoryProps {
  readonly slug: string;
  readonly scenario: string;
  readonly run: number;
}

function Trajectory({ slug, scenario, run }: TrajectoryProps) {
  const board = useBoard();
  const address = useAddress();
  const [query, change] = useQuery();
  const loaded = useDialogue(slug, scenario, run);
  const raw = query.get("raw") === "1";
  const thinking = query.get("think") === "1";
  const near = neighbours(board, slug, scenario, run);
  const kept = { raw: raw ? 1 : null, think: thinking ? 1 : null };
  const marked = { ...kept, quote: query.get("quote"), q: query.get("q") };
  const go = (place: string | null) => () => {
    if (place !== null) navigate(address(place, kept));
  };
  const toggles = {
    raw: () => { change({ raw: raw ? null : 1 }); },
    think: () => { change({ think: thinking ? null : 1 }); },
  };
  useKeys({
    "[": go(near.run.before),
    "]": go(near.run.after),
    "{": go(near.scenario.before),
    "}": go(near.scenario.after),
    K: go(near.subject.before),
    J: go(near.subject.after),
    r: toggles.raw,
    t: toggles.think,
    c: () => { toggle(slug); },
  });
  const name = board.labels.get(slug) ?? slug;
  const title = scenarioTitle(board, scenario);
  const { cell = "", unit = "" } = board.scenarios.get(scenario) ?? {};
  const delivery = board.subjects.get(slug)?.delivery ?? "";
  return (
    <Page
      title={`${name}, ${title}, run ${run}`}
      heading={
        <>
          <Link href={address(subjectPage(slug))} className="hover:text-accent hover:underline">
            <SubjectLabel slug={slug} />
          </Link>
          <span className="mt-0.5 block text-base font-normal tracking-normal text-muted">
            {cell === "" ? title : <Link href={address(cellPage(unit), { m: slug, run })} className="hover:text-accent hover:underline">{title}</Link>} · run {run}
          </span>
        </>
      }
      actions={
        <>
          <button type="button" className="control" aria-pressed={raw} onClick={toggles.raw}>
            Raw text
          </button>
          <button type="button" className="control" aria-pressed={thinking} onClick={toggles.think}>
            Show reasoning
          </button>
          <CompareButton slug={slug} />
          <CopyLink to={address(trajectoryPage(slug, run, scenario), marked)} />
        </>
      }
    >
      <Neighbours slug={slug} scenario={scenario} run={run} near={near} kept={kept} />
      {delivery && <p className="mb-4 text-sm text-muted">{delivery}</p>}
      {loaded.state === "loading" && <Waiting what="Loading the dialogue" />}
      {loaded.state === "failed" && <Failed path={loaded.path} why={loaded.why} />}
      {loaded.state === "ready" && loaded.value.dialogue === null && (
        <p className="py-8 text-muted">Nothing is stored of this dialogue yet.</p>
      )}
      {loaded.state === "ready" && loaded.value.dialogue !== null && <Unanswered dialogue={loaded.value.dialogue} />}
      {loaded.state === "ready" && loaded.value.dialogue !== null && (
        <>
          <Dialogue key={`${slug}/${run}/${scenario}`} dialogue={loaded.value.dialogue} found={loaded.value} raw={raw} thinking={thinking} />
          <NoteBox key={`${slug}/${scenario}/${run}`} slug={slug} scenario={scenario} run={run} item={loaded.value.dialogue.item ?? ""} />
        </>
      )}
    </Page>
  );
}
