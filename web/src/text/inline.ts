// Emphasis and code in a line, by the rules of CommonMark. Links, images, entities and HTML are left as they stand: what
// a model wrote is read, never followed.

/** `at`: where the text of a node begins in the source, from where on both are the same. */
export type Inline =
  | { readonly kind: "text"; readonly text: string; readonly at: number }
  | { readonly kind: "code"; readonly text: string; readonly at: number }
  | { readonly kind: "em" | "strong"; readonly children: readonly Inline[] };

interface Run {
  readonly kind: "run";
  readonly sign: string;
  readonly at: number;
  readonly length: number; // as written
  readonly opens: boolean;
  readonly closes: boolean;
  left: number; // signs that no pair has taken
}

const PUNCTUATION = /[\p{P}\p{S}]/u;
const SPACE = /\s/u;
const ESCAPABLE = /[!-/:-@[-`{-~\n]/; // at the end of a line it breaks it

function before(source: string, place: number): string {
  const unit = source.charCodeAt(place - 1);
  const isLow = unit >= 0xdc00 && unit <= 0xdfff;
  return place === 0 ? "" : source.slice(place - (isLow ? 2 : 1), place);
}

function after(source: string, place: number): string {
  const point = source.codePointAt(place);
  return point === undefined ? "" : String.fromCodePoint(point);
}

function run(source: string, start: number, end: number): Run {
  const [previous, next] = [before(source, start), after(source, end)];
  const [spaceBefore, spaceAfter] = [previous === "" || SPACE.test(previous), next === "" || SPACE.test(next)];
  const [signBefore, signAfter] = [PUNCTUATION.test(previous), PUNCTUATION.test(next)];
  const opening = !spaceAfter && (!signAfter || spaceBefore || signBefore);
  const closing = !spaceBefore && (!signBefore || spaceAfter || signAfter);
  const sign = source.charAt(start);
  const inWord = sign === "_";
  return {
    kind: "run",
    sign,
    at: start,
    length: end - start,
    left: end - start,
    opens: opening && (!inWord || !closing || signBefore),
    closes: closing && (!inWord || !opening || signAfter),
  };
}

function endOfRun(source: string, start: number): number {
  let end = start;
  while (source[end] === source[start] && end < source.length) end += 1;
  return end;
}

/** Where a code span that opens with `length` back-ticks before `start` closes; -1 where it does not. */
function closing(source: string, start: number, length: number): number {
  let place = source.indexOf("`", start);
  while (place >= 0) {
    const end = endOfRun(source, place);
    if (end - place === length) return place;
    place = source.indexOf("`", end);
  }
  return -1;
}

function code(text: string, at: number): Inline {
  const oneLine = text.replaceAll("\n", " ");
  const padded = oneLine.startsWith(" ") && oneLine.endsWith(" ") && oneLine.trim() !== "";
  return padded ? { kind: "code", text: oneLine.slice(1, -1), at: at + 1 } : { kind: "code", text: oneLine, at };
}

function scanned(source: string): (Inline | Run)[] {
  const found: (Inline | Run)[] = [];
  const unclosed = new Set<number>(); // lengths of back-tick runs that nothing closes any more
  let from = 0; // of the text that is not in a node yet
  let place = 0;
  const take = (node: Inline | Run | null, end: number) => {
    if (place > from) found.push({ kind: "text", text: source.slice(from, place), at: from });
    if (node !== null) found.push(node);
    from = end;
    place = end;
  };
  while (place < source.length) {
    const sign = source.charAt(place);
    const end = endOfRun(source, place);
    if (sign === "*" || sign === "_") {
      take(run(source, place, end), end);
    } else if (sign === "`") {
      const close = unclosed.has(end - place) ? -1 : closing(source, end, end - place);
      if (close >= 0) take(code(source.slice(end, close), end), close + end - place);
      else {
        unclosed.add(end - place);
        place = end;
      }
    } else if (sign === "\\" && ESCAPABLE.test(source.charAt(place + 1))) {
      take(null, place + 1);
      place += 1; // what is escaped is text
    } else place += 1;
  }
  take(null, place);
  return found;
}

function isPair(opener: Inline | Run | undefined, closer: Run): opener is Run {
  if (opener?.kind !== "run" || opener.sign !== closer.sign || !opener.opens || opener.left === 0) return false;
  const both = opener.closes || closer.opens;
  const odd = (opener.length + closer.length) % 3 === 0 && (opener.length % 3 !== 0 || closer.length % 3 !== 0);
  return !(both && odd);
}

function settled(nodes: readonly (Inline | Run)[]): Inline[] {
  return nodes.flatMap((node): Inline[] => {
    if (node.kind !== "run") return [node];
    return node.left === 0 ? [] : [{ kind: "text", text: node.sign.repeat(node.left), at: node.at }];
  });
}

/** The nodes of a paragraph's text. */
export function inline(source: string): readonly Inline[] {
  const nodes = scanned(source);
  for (let place = 0; place < nodes.length; place += 1) {
    const closer = nodes[place];
    if (closer?.kind !== "run" || !closer.closes) continue;
    for (let open = place - 1; open >= 0 && closer.left > 0; open -= 1) {
      const opener = nodes[open];
      if (!isPair(opener, closer)) continue;
      const taken = opener.left >= 2 && closer.left >= 2 ? 2 : 1;
      const children = settled(nodes.slice(open + 1, place));
      nodes.splice(open + 1, place - open - 1, { kind: taken === 2 ? "strong" : "em", children });
      opener.left -= taken;
      closer.left -= taken;
      place = open + 2;
      open += 1; // the same opener may have signs left
    }
  }
  return settled(nodes);
}
