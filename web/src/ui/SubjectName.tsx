import { useBoard } from "../data/board";
import type { NameBadge, SubjectProfile } from "../schema";
import { Badge } from "./Badge";

const TONES = 6;
const PLAIN: readonly string[] = ["effort", "temperature", "limit", "body"]; // settings, of which most names have some

/** Letters for who made a model, in a square of one of a few tones. */
export function MakerMark({ subject: { mark, maker = "" } }: { readonly subject: SubjectProfile }) {
  const tone = Array.from(maker, (letter) => letter.charCodeAt(0)).reduce((sum, code) => sum + code, 0) % TONES;
  return (
    <span aria-hidden="true" title={maker === "" ? "Maker not known" : maker} className={`maker-mark ${maker === "" ? "maker-none" : `maker-${tone}`}`}>
      {mark}
    </span>
  );
}

/** How a subject was asked: its host, precision, effort, temperature, and what a reader should know. */
export function NameBadges({ badges = [] }: { readonly badges?: readonly NameBadge[] | undefined }) {
  return badges.map(({ kind, text, about }) =>
    PLAIN.includes(kind) ? (
      <span key={text} title={about} className="text-xs whitespace-nowrap text-muted">
        {text}
      </span>
    ) : (
      <Badge key={text} about={about}>
        {text}
      </Badge>
    ),
  );
}

/** A subject where it is an item: its maker's mark, its name and how it was asked. It wraps, and is never cut. */
export function SubjectLabel({ slug }: { readonly slug: string }) {
  const subject = useBoard().subjects.get(slug);
  if (subject === undefined) return slug;
  return (
    <span className="inline-flex min-w-0 items-baseline gap-2 text-left">
      <MakerMark subject={subject} />
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 [overflow-wrap:anywhere]">
        {subject.name}
        <NameBadges badges={subject.badges} />
      </span>
    </span>
  );
}
