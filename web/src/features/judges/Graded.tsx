import { Link } from "wouter";
import { useBoard } from "../../data/board";
import { useDocument } from "../../data/documents";
import { sharedPath } from "../../data/paths";
import { useAddress } from "../../route/query";
import type { ScaleField, TextsDocument } from "../../schema";
import { firstSentence, words } from "../../text/format";

function scale({ type, low, high }: ScaleField): string {
  return type === "boolean" ? "yes or no" : `${low ?? ""} to ${high ?? ""}`;
}

/** What judges are asked: each rubric's fields. */
export function Graded() {
  const board = useBoard();
  const address = useAddress();
  const texts = useDocument<TextsDocument>(sharedPath(board, "texts"));
  if (texts.state !== "ready") return null;
  const rubrics = Object.entries(texts.value.rubrics ?? {}).map(([name, { fields }]) => ({
    name: words(name),
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
      </p>
      {bare.length > 0 && (
        <p className="mt-2">
          Of these fields the names and scales alone are known:{" "}
          {bare.map((one) => `${one.name} (${one.bare.map((field) => `${words(field.name)}, ${scale(field)}`).join("; ")})`).join(", ")}.
        </p>
      )}
      {told.length > 0 && <div className="mt-2 overflow-x-auto" tabIndex={0} role="group" aria-labelledby="graded">
        <table className="data-table">
          <thead>
            <tr>
              <th scope="col">Rubric</th>
              <th scope="col">Field</th>
              <th scope="col">Scale</th>
              <th scope="col">What it says</th>
            </tr>
          </thead>
          <tbody>
            {told.map(({ name, told: fields }) =>
              fields.map((field, place) => (
                <tr key={`${name}/${field.name}`} className={`align-top ${place === 0 ? "" : "border-t-0"}`}>
                  <td className="font-medium">{place === 0 ? name : ""}</td>
                  <td>{words(field.name)}</td>
                  <td className="whitespace-nowrap">{scale(field)}</td>
                  <td className="min-w-56 text-muted">{firstSentence(field.about ?? "")}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>}
    </section>
  );
}
