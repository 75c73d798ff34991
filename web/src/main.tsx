import "./app.css";
import { createRoot } from "react-dom/client";

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<main className="p-4">AI Independence Bench</main>);
