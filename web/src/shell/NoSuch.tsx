import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAddress } from "../route/query";
import { Page } from "./Page";

interface NoSuchProps {
  readonly what: string; // as in "No such scenario"
  readonly back?: { readonly path: string; readonly name: string };
  readonly children?: ReactNode;
}

/** Says that an address names what is not here, and leads to what is. */
export function NoSuch({ what, back = { path: "/", name: "Leaderboard" }, children }: NoSuchProps) {
  const address = useAddress();
  return (
    <Page title={`No such ${what}`}>
      <p>
        {children ?? `This board has no ${what} at this address.`}{" "}
        <Link href={address(back.path)} className="link">
          {back.name}
        </Link>
      </p>
    </Page>
  );
}
