import { useBoard } from "../../data/board";
import { fieldName } from "../../data/fields";
import { PERSONA } from "../../data/titles";
import type { DialogueDocument, RubricText, JudgeStep, TextsDocument, VerdictDocument } from "../../schema";
import { dollars, given, signed, words, why } from "../../text/format";
import { Markdown } from "../../text/Markdown";
import type { Mark } from "../../text/marks";
import { MarkedText } from "../../text/MarkedText";
import { judgeLook, quoteName } from "../../text/quotations";
import { Badge } from "../../ui/Badge";
import type { Place } from "./marking";

interface VerdictsProps {
  readonly dialogue: DialogueDocument;
  readonly texts: TextsDocument;
  readonly choices?: readonly string[] | undefined; // that values stand for
  readonly raw: boolean;
  readonly marks: ReadonlyMap<Place, readonly Mark[]>;
  readonly lit: string | null; // what addresses call the verdict whose passages stand out
  readonly show: (verdict: VerdictDocument) => void; // its passages
}

/** What the element of a verdict is called. */
export const verdictElement = (place: number): string => `verdict-${place}`;

/** Every judge's verdict beside each other, with what it rests on. */
export function Verdicts({ dialogue, texts, choices = NO_CHOICES, raw, marks, lit, show }: VerdictsProps) {
  const { info } = useBoard();
  const verdicts = dialogue.verdicts ?? [];
  return (
    <section aria-labelledby="verdicts" tabIndex={0} className="min-w-0 xl:sticky xl:top-28 xl:max-h-[calc(100vh-8rem)] xl:self-start xl:overflow-y-auto">
      <h2 id="verdicts">
        {verdicts.length === 1 ? "Verdict" : "Verdicts"}
      </h2>
      {verdicts.length === 0 && <p className="mt-1 text-sm text-muted">Nobody has judged this dialogue.</p>}
      <div className="mt-2 space-y-5">
        {verdicts.map((verdict, place) => (
          <Verdict
            key={place}
            id={verdictElement(place)}
            verdict={verdict}
            look={judgeLook(verdicts, verdict.judge)}
            lit={quoteName(verdict) === lit}
            spans={marks.get(`judge ${place}`) ?? NONE}
            show={() => { show(verdict); }}
            rubric={rubricOf(texts, dialogue.scenario, verdict)}
            steps={(dialogue.steps ?? []).filter((step) => step.judge === verdict.judge)}
            choices={choices}
            names={info.analysis === PERSONA ? texts.experiments : undefined}
            raw={raw}
          />
        ))}
      </div>
    </section>
  );
}

/** What a verdict was given by. The scales of a published one are those of its scenario here, even if its text is not known. */
function rubricOf(texts: TextsDocument, scenario: string, verdict: VerdictDocument): RubricText | null {
  if (!(verdict.rubric ?? "").startsWith("published")) return texts.rubrics?.[texts.graded?.[verdict.rubric ?? ""] ?? ""] ?? null;
  return Object.values(texts.rubrics ?? {}).find((rubric) => rubric.scenarios.includes(scenario)) ?? null;
}

const NONE: readonly Mark[] = [];
const NO_CHOICES: readonly string[] = [];

interface VerdictProps {
  readonly id: string;
  readonly look: string; // of its passages
  readonly lit: boolean;
  readonly spans: readonly Mark[]; // in its reasons
  readonly show: () => void;
  readonly verdict: VerdictDocument;
  readonly rubric: RubricText | null;
  readonly steps: readonly JudgeStep[];
  readonly choices: readonly string[]; // that values stand for
  readonly names: Readonly<Record<string, string>> | undefined; // of fields that are commitments
  readonly raw: boolean;
}

function Verdict({ id, look, lit, spans, show, verdict, rubric, steps, choices, names, raw }: VerdictProps) {
  const values = Object.entries(verdict.values ?? {});
  const usd = verdict.usage?.cost_usd ?? 0;
  return (
    <article id={id} tabIndex={-1} className={`border-t pt-2 text-sm ${lit ? "border-accent" : "border-faint"}`}>
      <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
        {verdict.judge}
        {(verdict.pass ?? 1) > 1 && <Badge>pass {verdict.pass}</Badge>}
        {verdict.current !== true && (
          <Badge warns about="On another dialogue or rubric than now; it does not count any more">
            outdated
          </Badge>
        )}
      </h3>
      {(verdict.missing ?? "") !== "" && <p className="mt-1 text-open">No verdict: {why(verdict)}.</p>}
      {values.length > 0 && (
        <table className="mt-1.5 w-full">
          <tbody>
            {values.map(([field, value]) => (
              <Field key={field} name={field} label={names?.[field] ?? fieldName(field)} value={value} rubric={rubric} choices={choices} />
            ))}
          </tbody>
        </table>
      )}
      <Quote verdict={verdict} look={look} lit={lit} show={show} />
      {(verdict.reasoning ?? "") !== "" && (
        <div className="mt-2">
          <MarkedText text={verdict.reasoning ?? ""} spans={spans} raw={raw} />
        </div>
      )}
      {(verdict.raw ?? "") !== "" && (
        <details className="mt-2">
          <summary className="text-xs text-muted">What the judge wrote</summary>
          <Markdown text={verdict.raw ?? ""} raw />
        </details>
      )}
      {steps.map((step) => (
        <details key={step.step} className="mt-2">
          <summary className="text-xs text-muted">Written before grading: {words(step.step)}</summary>
          <div className="pt-1">
            <Markdown text={step.text ?? ""} raw={raw} />
          </div>
        </details>
      ))}
      <Rubric rubric={rubric} />
      <p className="mt-1.5 text-xs text-muted tabular-nums">
        {[usd > 0 ? dollars(usd, 4) : "", (verdict.judged_at ?? "").slice(0, 16).replace("T", " ")]
          .filter((part) => part !== "")
          .join(" · ")}
      </p>
    </article>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: number | boolean;
  readonly rubric: RubricText | null;
  readonly choices: readonly string[];
}

function Field({ name, label, value, rubric, choices }: FieldProps) {
  const field = rubric?.fields.find((one) => one.name === name);
  const [low, high] = [field?.low ?? null, field?.high ?? null];
  const bounded = choices.length === 0 && typeof value === "number" && low !== null && high !== null;
  return (
    <tr title={field?.about}>
      <th scope="row" className="py-0.5 pr-2 text-left font-normal">
        {label}
      </th>
      <td className="w-24 px-2 py-0.5">{bounded && <Bar from={low < 0 ? -low / (high - low) : 0} to={(value - low) / (high - low)} />}</td>
      <td className="w-16 py-0.5 text-right font-medium whitespace-nowrap">
        {low !== null && low < 0 && typeof value === "number" ? signed(value) : given(value, choices)}
        {bounded && <span className="font-normal text-muted">{low < 0 ? ` in ${low} to ${high}` : ` / ${high}`}</span>}
      </td>
    </tr>
  );
}

/** From where a scale is nothing to the value. */
function Bar({ from, to }: { readonly from: number; readonly to: number }) {
  const left = Math.min(from, to);
  return (
    <svg aria-hidden="true" className="block h-1.5 w-full">
      <rect width="100%" height="6" rx="3" className="fill-faint" />
      <rect x={`${100 * left}%`} width={`${100 * Math.abs(to - from)}%`} height="6" rx="3" className="fill-accent" />
    </svg>
  );
}

interface QuoteProps {
  readonly verdict: VerdictDocument;
  readonly look: string;
  readonly lit: boolean;
  readonly show: () => void;
}

/** What a verdict quotes, and the way to where that stands; a quotation that stands nowhere is said to. */
function Quote({ verdict, look, lit, show }: QuoteProps) {
  const spans = verdict.spans ?? [];
  const quote = verdict.quote ?? "";
  const isThere = spans.some((span) => (span.of ?? "quote") === "quote");
  const count = spans.length === 1 ? "the passage" : `${spans.length} passages`;
  return (
    <>
      {quote !== "" && <blockquote dir="auto" className="mt-2 border-l-2 border-soft pl-3 [unicode-bidi:isolate]"><MarkedText text={quote} /></blockquote>}
      {quote !== "" && !isThere && (
        <p className="mt-1 text-open">
          {verdict.quote_found === false ? "Nobody said this: the quotation is not in the answers." : "The quotation is not in the answers shown here."}
        </p>
      )}
      {spans.length > 0 && (
        <button type="button" className="control screen-only mt-2" aria-pressed={lit} onClick={show}>
          <span className={`mark-sample ${look}`}>Show {count}</span> in the answers
        </button>
      )}
    </>
  );
}

function Rubric({ rubric }: { readonly rubric: RubricText | null }) {
  if (rubric === null) return <p className="mt-2 text-xs text-muted">The rubric of this verdict is not known.</p>;
  return (
    <details className="mt-2">
      <summary className="text-xs text-muted">Rubric</summary>
      <dl className="mt-1 space-y-1 text-xs text-muted">
        {rubric.fields.map((field) => (
          <div key={field.name}>
            <dt className="inline font-medium">{fieldName(field.name)}: </dt>
            <dd className="inline">{field.about}</dd>
          </div>
        ))}
      </dl>
      {rubric.prompt === undefined ? (
        <p className="mt-2 text-xs text-muted">Its prompt is not known; the fields are those of the verdicts.</p>
      ) : (
        <div className="mt-2">
          <Markdown text={rubric.prompt} raw />
        </div>
      )}
    </details>
  );
}
