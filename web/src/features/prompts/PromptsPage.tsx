import { useMemo, useState } from "react";
import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { groupsOf, type Group } from "../../data/groups";
import { fieldName } from "../../data/fields";
import { sharedPath } from "../../data/paths";
import { scenarioTitle } from "../../data/titles";
import type { RubricText, ScaleField, TextsDocument } from "../../schema";
import { Page } from "../../shell/Page";
import { count, words } from "../../text/format";
import { Markdown } from "../../text/Markdown";
import { Failed, Waiting } from "../../ui/Notice";
import { Script } from "../scenario/Script";

const NAMED = 15; // scenarios of a rubric up to which they are named
const MANY = 6; // scenarios above which their texts are folded

/** Every text in full: the system prompt, the tool, what is asked, and by what judges grade. */
export default function PromptsPage() {
  const board = useBoard();
  const path = sharedPath(board, "texts");
  const loaded = useDocument<TextsDocument>(path);
  return (
    <Page
      title="Prompts and rubrics"
      lead={
        board.info.imported
          ? "As they stand in the imported requests. The published rubrics are not known; fields are those of the verdicts."
          : "Every text that was sent, and what judges grade by."
      }
    >
      {loaded.state === "loading" && <Waiting what="Loading the texts" />}
      {loaded.state === "failed" && <Failed path={path} why={loaded.why} />}
      {loaded.state === "ready" && <Texts texts={loaded.value} />}
    </Page>
  );
}

function Texts({ texts }: { readonly texts: TextsDocument }) {
  const board = useBoard();
  const groups = useMemo(() => groupsOf(board.index.scenarios), [board]);
  const system = texts.messages.filter((message) => message.role === "system");
  return (
    <div className="[&_.prose-text]:max-w-text">
      <section aria-labelledby="system" className="part">
        <h2 id="system">System prompt</h2>
        <div className="space-y-3">
          {system.length === 0 && <p className="text-muted">None was sent.</p>}
          {system.map((message, place) => (
            <div key={place} className="rounded-md bg-band px-4 py-3">
              <Markdown text={message.text} />
            </div>
          ))}
          {texts.tool != null && (
            <p className="text-sm text-muted">
              Every request offers the tool <code>{texts.tool.name}</code>: {texts.tool.description} Its parameter{" "}
              <code>{texts.tool.parameter}</code>: {texts.tool.parameter_description}
            </p>
          )}
        </div>
      </section>
      <section aria-labelledby="scenarios" className="part">
        <h2 id="scenarios">Scenarios</h2>
        <div className="space-y-3">
          {groups === null
            ? board.index.scenarios.map((scenario) => (
                <div key={scenario.id}>
                  <h3 className="mb-1 font-medium">{scenarioTitle(board, scenario.id)}</h3>
                  <Script scenario={scenario} folded={board.index.scenarios.length > MANY} />
                </div>
              ))
            : groups.map((group) => <Case key={group.name} group={group} />)}
        </div>
      </section>
      <section aria-labelledby="rubrics" className="part">
        <h2 id="rubrics">Rubrics</h2>
        <div className="space-y-3">
          {Object.entries(texts.rubrics ?? {}).map(([name, rubric]) => (
            <Rubric key={name} name={name} rubric={rubric} />
          ))}
        </div>
      </section>
    </div>
  );
}

/** One dispute of a grid: its scenarios are chosen from a list. */
function Case({ group }: { readonly group: Group }) {
  const board = useBoard();
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(group.scenarios[0]?.id ?? "");
  const scenario = group.scenarios.find(({ id }) => id === chosen);
  return (
    <details className="border-t border-faint pt-1.5" onToggle={(event) => { setOpen(event.currentTarget.open); }}>
      <summary>
        <h3 className="ml-1 inline font-medium">{group.name}</h3> <span className="text-sm text-muted">{count(group.scenarios.length)} scenarios</span>
      </summary>
      {open && scenario !== undefined && (
        <div className="mt-2 space-y-2">
          <select aria-label={`Scenario of ${group.name}`} className="control" value={chosen} onChange={(event) => { setChosen(event.target.value); }}>
            {group.scenarios.map(({ id }) => (
              <option key={id} value={id}>
                {scenarioTitle(board, id)}
              </option>
            ))}
          </select>
          <Script key={chosen} scenario={scenario} />
        </div>
      )}
    </details>
  );
}

function scale(field: ScaleField): string {
  if (field.type === "boolean") return "yes or no";
  return field.low == null || field.high == null ? field.type : `${field.low} to ${field.high}`;
}

function Rubric({ name, rubric }: { readonly name: string; readonly rubric: RubricText }) {
  const board = useBoard();
  return (
    <details className="rounded-md border border-faint px-4 py-2.5">
      <summary>
        <span className="ml-1 font-medium">{words(name)}</span>{" "}
        <span className="text-sm text-muted">{rubric.scenarios.length > NAMED ? `${count(rubric.scenarios.length)} scenarios` : rubric.scenarios.map((id) => scenarioTitle(board, id)).join(", ")}</span>
      </summary>
      <dl className="mt-2 space-y-1 text-sm">
        {rubric.fields.map((field) => (
          <div key={field.name}>
            <dt className="inline font-medium">
              {fieldName(field.name)} <span className="font-normal text-muted">({scale(field)})</span>
            </dt>
            <dd className="inline"> {field.about}</dd>
          </div>
        ))}
      </dl>
      {(rubric.steps ?? []).map((step) => (
        <div key={step.name} className="mt-3">
          <p className="text-xs text-muted">Written before grading: {words(step.name)}</p>
          <Markdown text={step.prompt} raw />
        </div>
      ))}
      {rubric.known ? (
        <div className="mt-3">
          <Markdown text={rubric.prompt ?? ""} raw />
        </div>
      ) : (
        <p className="mt-2 text-sm text-muted">The prompt of this rubric is not known.</p>
      )}
    </details>
  );
}
