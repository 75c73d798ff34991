import { Link } from "wouter";
import { useAddress } from "../../route/query";

/** What the system prompt `strong_independence` asks for, and what follows for results. */
export function UnderPrompt() {
  const address = useAddress();
  return (
    <p className="text-sm">
      The <Link href={address("/prompts")} className="link">system prompt</Link> tells the subject to be independent and to keep its
      identity. Results need not hold under other prompts.
    </p>
  );
}
