/** What a field measures, and what each of some values stands for. */
export interface Anchored {
  readonly lead: string;
  readonly anchors: readonly (readonly [value: string, says: string])[];
}

const ANCHOR = /(?:^|(?<=[.;?!)”"]\s))(true|false|-?\d+(?:\.\d+)?):\s/g;

/** A field's description in parts: rubrics write `VALUE: what it stands for.` for the values that they describe. */
export function anchored(about: string): Anchored {
  const found = [...about.matchAll(ANCHOR)];
  const anchors = found.map(({ 0: whole, 1: value = "", index }, place): readonly [string, string] => {
    const says = about.slice(index + whole.length, found[place + 1]?.index).trim();
    return [value, says.charAt(0).toUpperCase() + says.slice(1)];
  });
  return { lead: about.slice(0, found[0]?.index).trim(), anchors };
}
