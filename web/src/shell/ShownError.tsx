import { Component, type ReactNode } from "react";

interface Props {
  readonly path: string; // another page is drawn anew
  readonly children: ReactNode;
}

interface State {
  readonly message: string | null;
  readonly path: string; // on which it failed
}

/** Says what failed in place of a page that could not be drawn; the rest of the shell stays. */
export class ShownError extends Component<Props, State> {
  override state: State = { message: null, path: this.props.path };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  static getDerivedStateFromProps(props: Props, state: State): State | null {
    return props.path === state.path ? null : { message: null, path: props.path };
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
