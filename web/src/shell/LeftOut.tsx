import { Link, useLocation, useSearch } from "wouter";
import { Remark } from "../ui/Notice";
import { useUnderstood } from "./understood";

/** Says what of the address the page does not understand and leaves out. */
export function LeftOut() {
  const { left } = useUnderstood();
  const [path] = useLocation();
  const query = useSearch();
  if (left.length === 0) return null;
  return (
    <div role="status" className="mb-4">
      <Remark>
        Left out of this address:{" "}
        {left.map((part, place) => (
          <bdi key={part} className="[overflow-wrap:anywhere]">
            {place > 0 && ", "}
            {part}
          </bdi>
        ))}
        . <Link href={query === "" ? path : `${path}?${query}`} className="link">Mend the address</Link>
      </Remark>
    </div>
  );
}
