import { Component, type ReactNode } from "react";

interface State {
  readonly message: string | null;
}

/** Says what failed in place of a page that could not be drawn; the rest of the shell stays. */
export class ShownError extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { message: null };

  static getDerivedStateFromError(error: unknown): State {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    if (this.state.message === null) return this.props.children;
    return (
      <div role="alert">
        <h1 className="text-2xl font-semibold">This page could not be drawn</h1>
        <p className="mt-2 text-muted">{this.state.message}</p>
        <button type="button" className="control mt-4" onClick={() => { window.location.reload(); }}>
          Reload
        </button>
      </div>
    );
  }
}
