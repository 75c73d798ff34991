import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { fieldName } from "../../data/fields";
import { sharedPath } from "../../data/paths";
import { useAddress } from "../../route/query";
import type { ScaleField, TextsDocument } from "../../schema";
import { anchored } from "../rate/anchors";
import { firstSentence, words } from "../../text/format";

function scale({ type, low, high }: ScaleField): string {
  return type === "boolean" ? "yes or no" : `${low ?? ""} to ${high ?? ""}`;
}

/** What a field grades: what its rubric says first, or of a yes or no what a yes says, where no "whether" says that. */
function graded({ type, about = "" }: ScaleField): string {
  const { lead, anchors } = anchored(about);
  const [yes = ""] = (new Map(anchors).get("true") ?? "").split(/[,;]/);
  if (type !== "boolean" || lead.startsWith("Whether") || yes === "") return firstSentence(about);
  return `Yes: ${yes.charAt(0).toLowerCase()}${yes.slice(1).replace(/\.$/, "")}.`;
}

/** What judges are asked: each rubric's fields. */
export function Graded() {
  const board = useBoard();
  const address = useAddress();
  const texts = useDocument<TextsDocument>(sharedPath(board, "texts"));
  if (texts.state !== "ready") return null;
  const rubrics = Object.entries(texts.value.rubrics ?? {}).map(([name, { fields, steps = [] }]) => ({
    name: words(name),
    listed: steps.length > 0,
    told: fields.filter(({ about = "" }) => about !== ""),
    bare: fields.filter(({ about = "" }) => about === ""),
  }));
  const [told, bare] = [rubrics.filter((one) => one.told.length > 0), rubrics.filter((one) => one.bare.length > 0)];
  return (
    <section aria-labelledby="graded">
      <h2 id="graded">
        What is graded
      </h2>
      <p className="note">
        Fields of each rubric. The whole text is on the page <Link href={address("/prompts")} className="link">Prompts and rubrics</Link>.
        {rubrics.some(({ listed }) => listed) && " The list: what the judge writes before it grades, the claims of the answer, in which nobody is “you”."}
      </p>
      {bare.length > 0 && (
        <p className="mt-2">
          Of these fields the names and scales alone are known:{" "}
          {bare.map((one) => `${one.name} (${one.bare.map((field) => `${fieldName(field.name)}, ${scale(field)}`).join("; ")})`).join(", ")}.
        </p>
      )}
      {told.length > 0 && <div className="mt-2 overflow-x-auto" tabIndex={0} role="group" aria-labelledby="graded">
        <table className="data-table">
          <thead>
            <tr>
              <th scope="col">Rubric</th>
              <th scope="col">Field</th>
              <th scope="col">Scale</th>
              <th scope="col">What it grades</th>
            </tr>
          </thead>
          <tbody>
            {told.map(({ name, told: fields }) =>
              fields.map((field, place) => (
                <tr key={`${name}/${field.name}`} className={`align-top ${place === 0 ? "" : "border-t-0"}`}>
                  <td className="font-medium">{place === 0 ? name : ""}</td>
                  <td>{fieldName(field.name)}</td>
                  <td className="whitespace-nowrap">{scale(field)}</td>
                  <td className="min-w-56 text-muted">{graded(field)}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>}
    </section>
  );
}
