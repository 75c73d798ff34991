// Characters that show nothing, or turn the direction of what stands around them.

// Control characters, soft hyphens, marks and overrides of direction, characters without width, fillers, tags. A joiner
// between letters, or in an emoji, is a part of how those are written.
const UNSEEN =
  /(?:[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}]|(?<![\p{L}\p{M}\p{Emoji}\ufe0f])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Emoji}]))+/gu;
const MOST = 4; // that are named one by one

/** A part of a text; `code` names the characters of one that would not be seen. */
export interface Sign {
  readonly text: string;
  readonly code: string | null;
}

function named(text: string): string {
  const codes = Array.from(text, (one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
  return codes.length > MOST ? `${codes.slice(0, MOST).join(" ")} and ${codes.length - MOST} more` : codes.join(" ");
}

/** The parts of a text, seen and unseen. */
export function signs(text: string): readonly Sign[] {
  const found: Sign[] = [];
  let from = 0;
  for (const { 0: unseen, index } of text.matchAll(UNSEEN)) {
    if (index > from) found.push({ text: text.slice(from, index), code: null });
    found.push({ text: unseen, code: named(unseen) });
    from = index + unseen.length;
  }
  if (from < text.length) found.push({ text: text.slice(from), code: null });
  return found;
}
