import { Fragment, useState } from "react";
import { fieldName } from "../../data/fields";
import { useKeys } from "../../keys/keys";
import type { Rating, ScaleField, TextsDocument } from "../../schema";
import { anchored } from "./anchors";
import { keyed, optionsOf } from "./asked";
import { Blind, useItem } from "./Blind";
import type { Place } from "./queue";
import { useSeconds } from "./seconds";

interface RubricItemProps {
  readonly place: Place;
  readonly texts: TextsDocument;
  readonly onRated: (rating: Rating) => void;
}

type Values = Readonly<Record<string, number | boolean>>;
const TEN = 10;
const ANSWERS: Readonly<Record<string, string>> = { true: "yes", false: "no" };

function fieldsOf(texts: TextsDocument, scenario: string): readonly ScaleField[] {
  return Object.values(texts.rubrics ?? {}).find((rubric) => rubric.scenarios.includes(scenario))?.fields ?? [];
}

/** One dialogue, scored field by field. */
export function RubricItem({ place, texts, onRated }: RubricItemProps) {
  const item = useItem(place);
  const fields = fieldsOf(texts, place.scenario);
  const seconds = useSeconds();
  const [values, setValues] = useState<Values>({});
  const [guess, setGuess] = useState("");
  const [at, setAt] = useState(0);
  const whole = fields.length > 0 && fields.every((field) => values[field.name] !== undefined);
  const set = (field: ScaleField, chosen: number | boolean) => {
    setValues({ ...values, [field.name]: chosen });
    setAt(Math.min(fields.indexOf(field) + 1, fields.length - 1));
  };
  const press = (number: number) => () => {
    const field = fields[at];
    const chosen = field === undefined ? null : keyed(field, number);
    if (field !== undefined && chosen !== null) set(field, chosen);
  };
  const done = () => {
    if (whole && item !== "") onRated({ item, values, seconds: seconds(), guess });
  };
  const digits = Array.from({ length: TEN }, (_, digit) => [String(digit), press(digit)] as const);
  useKeys({ ...Object.fromEntries(digits), x: press(TEN), Enter: done, Backspace: () => { setAt(Math.max(0, at - 1)); } });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <Blind place={place} texts={texts} name="Dialogue" />
      <section aria-label="Rating" className="space-y-4 lg:sticky lg:top-16 lg:self-start">
        {fields.map((field, number) => (
          <FieldInput key={field.name} field={field} value={values[field.name]} current={number === at} onChange={(chosen) => { set(field, chosen); }} />
        ))}
        {fields.length === 0 && <p className="text-open">The fields of this rubric are not known.</p>}
        <label className="grid gap-1 text-sm">
          Do you think you know who wrote this? (may stay empty)
          <input className="control cursor-text" maxLength={100} value={guess} onChange={(event) => { setGuess(event.target.value); }} />
        </label>
        <button type="button" className="control" disabled={!whole || item === ""} onClick={done}>
          Next (Enter)
        </button>
      </section>
    </div>
  );
}

interface FieldInputProps {
  readonly field: ScaleField;
  readonly value: number | boolean | undefined;
  readonly current: boolean;
  readonly onChange: (value: number | boolean) => void;
}

function FieldInput({ field, value: chosen, current, onChange }: FieldInputProps) {
  const options = optionsOf(field).map((option) => [option, option === true ? "yes (1)" : option === false ? "no (0)" : String(option)] as const);
  const { lead, anchors } = anchored(field.about ?? "");
  return (
    <fieldset className={`border-l-2 pl-3 ${current ? "border-accent" : "border-faint"}`}>
      <legend className="float-left w-full font-medium">{fieldName(field.name)}</legend>
      <p className="clear-both text-sm text-muted">{(field.about ?? "") === "" ? "What its values mean is not known." : lead}</p>
      <div className="mt-1 flex gap-0.5">
        {options.map(([option, name]) => (
          <button key={name} type="button" title={anchors.find(([at]) => at === String(option))?.[1]} className="control min-w-7 grow px-0.5 tabular-nums" aria-pressed={chosen === option} onClick={() => { onChange(option); }}>
            {name}
          </button>
        ))}
      </div>
      {anchors.length > 0 && (
        <dl className="mt-1.5 grid grid-cols-[auto_1fr] gap-x-2 gap-y-0.5 text-[0.8125rem]">
          {anchors.map(([at, says]) => (
            <Fragment key={at}>
              <dt className={`text-right font-medium tabular-nums ${at === String(chosen) ? "text-accent" : ""}`}>{ANSWERS[at] ?? at}</dt>
              <dd className={at === String(chosen) ? "" : "text-muted"}>{says}</dd>
            </Fragment>
          ))}
        </dl>
      )}
    </fieldset>
  );
}
