(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = { read() { try { return localStorage.getItem("theme"); } catch { return null; } },
                 write(theme) { try { localStorage.setItem("theme", theme); } catch { /* a file may keep nothing */ } } };
  const theme = () => root.dataset.theme ?? (dark.matches ? "dark" : "light");
  if (["light", "dark"].includes(kept.read())) root.dataset.theme = kept.read();

  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("button.theme");
    const other = () => (theme() === "dark" ? "light" : "dark");
    const label = () => {
      button.textContent = other() === "dark" ? "Dark" : "Light";
      button.setAttribute("aria-label", `Switch to the ${other()} theme`);
    };
    button.hidden = false;
    button.addEventListener("click", () => { root.dataset.theme = other(); kept.write(root.dataset.theme); label(); });
    dark.addEventListener("change", label);
    label();

    const links = new Map([...document.querySelectorAll(".contents a")].map((a) => [a.hash.slice(1), a]));
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries.filter((one) => one.isIntersecting)) {
        for (const link of links.values()) link.removeAttribute("aria-current");
        links.get(entry.target.id)?.setAttribute("aria-current", "true");
      }
    }, { rootMargin: "-10% 0px -80% 0px" });
    for (const section of document.querySelectorAll("main > section")) seen.observe(section);
    for (const box of document.querySelectorAll(".scroll")) showEdges(box);
    for (const box of document.querySelectorAll(".tall")) offerAll(box);
    for (const table of document.querySelectorAll(".table table")) if (table.tBodies[0].rows.length > 2) makeSortable(table);
  });

  // A box fades where it goes on.
  const showEdges = (box) => {
    const look = () => {
      box.classList.toggle("right", box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
      box.classList.toggle("below", box.scrollTop + box.clientHeight < box.scrollHeight - 2);
    };
    box.addEventListener("scroll", look, { passive: true });
    const sizes = new ResizeObserver(look);
    for (const one of [box, ...box.children]) sizes.observe(one);
  };
  const offerAll = (box) => {
    const button = document.createElement("button");
    const rows = box.querySelectorAll("tbody tr").length;
    const label = () => { button.textContent = box.classList.contains("whole") ? "Fewer rows" : `All ${rows} rows`; };
    button.type = "button";
    button.className = "all";
    button.addEventListener("click", () => { box.classList.toggle("whole"); label(); });
    label();
    box.after(button);
  };

  const makeSortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    for (const [place, head] of heads.entries()) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      const numeric = head.classList.contains("n");
      button.addEventListener("click", () => {
        const first = numeric ? "descending" : "ascending";
        const order = head.ariaSort === first ? (numeric ? "ascending" : "descending") : first;
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", order);
        const rows = [...table.tBodies[0].rows].map((row) => [sortKey(row.cells[place], numeric), row]);
        const sign = order === "ascending" ? 1 : -1;
        rows.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : sign * compared(a, b)));
        table.tBodies[0].append(...rows.map(([, row]) => row));
      });
    }
  };
  // null where a cell has no value; such rows stay last.
  const sortKey = (cell, numeric) => {
    const text = cell.textContent.trim();
    if (text === "\u2014") return null;
    return numeric ? Number.parseFloat(text.replace(/[^\d.eE+ -]/g, "")) : text;
  };
  const compared = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => { for (const fold of opened) fold.open = false; });
})();
