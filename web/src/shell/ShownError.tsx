import { Component, type ReactNode } from "react";
import { ScriptMissing } from "./later";

interface Props {
  readonly path: string; // another page is drawn anew
  readonly children: ReactNode;
}

interface State {
  readonly error: Error | null;
  readonly path: string; // on which it failed
}

/** Says what failed in place of a page that could not be drawn; the rest of the shell stays. */
export class ShownError extends Component<Props, State> {
  override state: State = { error: null, path: this.props.path };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps(props: Props, state: State): State | null {
    return props.path === state.path ? null : { error: null, path: props.path };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const missing = error instanceof ScriptMissing;
    return (
      <div role="alert">
        <h1>{missing ? "This page could not be loaded" : "This page could not be drawn"}</h1>
        <p className="mt-2 text-muted">{missing ? unreached() : error.message}</p>
        <button type="button" className="control mt-4" onClick={() => void reloaded()}>
          Try again
        </button>
      </div>
    );
  }
}

/** Loads the page again where the server answers: without one the browser would show nothing of it any more. */
async function reloaded(): Promise<void> {
  try {
    await fetch("./", { method: "HEAD", cache: "no-store" });
    window.location.reload();
  } catch {
    // It says already that nobody answers.
  }
}

function unreached(): string {
  return navigator.onLine ? "The server does not answer, or has another version of this page by now." : "This device is offline.";
}
