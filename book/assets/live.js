/* The button "Run this page live": Python starts in the page, the cells run in order into their own
   places, controls rerun their experiments, cells can be edited. tools/make_live.py writes what this
   asks for. Whatever fails, the stored page stays as it was. Beside it a link opens the page's notebook
   in JupyterLite, which tools/make_lite.py puts into the site. */
(() => {
  const page = document.currentScript.dataset.page;
  const root = new URL("../", document.currentScript.src);
  const base = new URL("live/", root);
  const thebe = new URL("_static/thebe/", root);
  const LATE = 60_000; // milliseconds after which a stage says that it may take long

  const box = element("div", { className: "live" });
  const button = element("button", { type: "button", className: "live-button", textContent: "Run this page live" });
  const notebook = element("a", { className: "live-notebook", textContent: "Open as a notebook" });
  notebook.href = new URL(`lite/notebooks/index.html?path=${page.replace(/^book\//, "")}.ipynb`, root);
  const status = element("p", {});
  status.setAttribute("role", "status");
  let slow;

  document.addEventListener("DOMContentLoaded", () => {
    const title = document.querySelector("article h1");
    if (!title || !document.querySelector("article div.cell")) return;
    box.append(button, notebook, status);
    title.after(box);
    button.addEventListener("click", run);
    notebook.addEventListener("click", (event) => served() || event.preventDefault());
  });

  async function run() {
    if (!served()) return;
    button.disabled = true;
    const broken = new Promise((_, fail) => {
      // The kernel's start has no other way to say that it failed.
      addEventListener("unhandledrejection", (event) => {
        if (box.dataset.state === "starting") fail(event.reason);
      });
    });
    const seen = { clicked: performance.now(), cells: [] };
    window.sigbookLive = seen;
    try {
      say("starting", "Starting Python, with NumPy, SciPy and Matplotlib …");
      const { json, settings } = await import(new URL("kernel.js", base)).catch(() => {
        throw new Error("this site has no live/kernel.js; “make book” writes it");
      });
      const [site, { cells, packages }] = await Promise.all([json("live.json"), json(`pages/${page}.json`)]);
      const places = find(cells);
      const told = await settings(site, packages, new URL("lite/pypi/", thebe), site.kernel);
      const kernel = await Promise.race([start(told), broken]);
      const live = cells.map((cell, k) => new Cell(kernel, cell, places[k], k + 1));
      seen.cells = live;
      for (const [k, cell] of live.entries()) {
        say("running", `Running cell ${k + 1} of ${live.length} …`);
        const error = await cell.run();
        if (error && !cell.fails) throw new Error(`cell ${k + 1} of ${live.length} failed (${error}); the later ones did not run`);
      }
      live.forEach((cell) => cell.offer());
      scratch(kernel, live.length + 1);
      say("live", "This page is live: its cells ran in this browser, and its controls rerun their experiments. A cell of your own stands at its foot.");
    } catch (error) {
      console.warn(error);
      say("failed", `This page could not be run live: ${error?.message || error}. Its stored outputs stand; reload it to try again.`);
    }
  }

  function served() {
    if (location.protocol !== "file:") return true;
    say("idle", "Python can start here only when a server sends the page: run “make read” in a clone of the repository and open the address that it prints.");
    return false;
  }

  // Starting ---------------------------------------------------------------------------------------

  async function start(litePluginSettings) {
    document.head.prepend(element("link", { rel: "stylesheet", href: new URL("core/thebe-core.css", thebe) }));
    // The kernel would register a service worker, which only file access needs.
    if (navigator.serviceWorker) navigator.serviceWorker.register = () => Promise.reject(new Error("not wanted"));
    await load(new URL("lite/thebe-lite.min.js", thebe));
    await load(new URL("core/thebe-core.min.js", thebe));
    const core = window.thebeCore.module || window.thebeCore;
    const config = core.makeConfiguration({ mathjaxUrl: "" });
    const registry = core.makeRenderMimeRegistry({ mathjaxUrl: "" });
    const server = new core.ThebeServer(config);
    await server.connectToJupyterLiteServer({ litePluginSettings });
    const session = await server.startNewSession(registry);
    await session.kernel.requestExecute({ code: "" }).done;
    return { core, config, registry, session };
  }

  function load(address) {
    return new Promise((done, fail) => {
      const script = element("script", { src: address, onload: done });
      script.onerror = () => fail(new Error(`${address} did not load`));
      document.head.append(script);
    });
  }

  // Cells ------------------------------------------------------------------------------------------

  function find(cells) {
    const places = [...document.querySelectorAll("article div.cell")];
    if (places.length !== cells.filter((cell) => cell.shown).length) throw new Error("the page is older than its cells; “make book” builds it anew");
    return cells.map((cell) => (cell.shown ? places.shift() : null));
  }

  class Cell {
    constructor(kernel, given, place, number) {
      Object.assign(this, { source: given.source, fails: given.fails, open: given.open, place, number });
      this.code = codeCell(kernel, given.source);
      if (!place) return;
      this.target = element("div", { className: "live-output" });
      let output = place.querySelector(".cell_output");
      if (!output) {
        output = element("div", { className: "cell_output docutils container" });
        (place.querySelector(":scope > details.hide") || place).append(output);
      }
      const figure = output.querySelector("figure");
      this.stored = [...output.children].filter((child) => !figure || !child.contains(figure));
      if (figure) this.stored.push(...figure.querySelectorAll(":scope > :not(figcaption)"));
      this.alt = figure?.querySelector("img")?.alt;
      if (figure) figure.prepend(this.target);
      else output.prepend(this.target);
      this.target.hidden = true;
      this.code.attachToDOM(this.target);
    }

    get outputs() {
      return this.code.outputs.map((x) => (x.output_type === "error" ? { ...x, ename: kind(x) } : x));
    }

    /* What went wrong in a line, or nothing. */
    async run() {
      this.place?.classList.add("live-running");
      const began = performance.now();
      const error = await execute(this.code, this.source);
      this.ended = performance.now();
      this.seconds = (this.ended - began) / 1000;
      if (error && this.fails) {
        // As in the stored page: the last line of the traceback.
        this.code.render(this.outputs.map((x) => (x.output_type === "error" ? { ...x, traceback: [`${x.ename}: ${x.evalue}`] } : x)));
      }
      if (!this.place) return error;
      this.place.classList.remove("live-running");
      // Markdown with references can be set by the build alone, so its stored output stays.
      if (!error && !this.edited && this.outputs.some((x) => x.data?.["text/markdown"])) return error;
      this.target.hidden = false;
      for (const image of this.target.querySelectorAll("img:not([alt])")) image.alt = this.alt || "A picture drawn by this cell";
      if (!error || this.fails || this.edited) this.stored.forEach((child) => (child.hidden = true));
      return error;
    }

    /* Let the reader edit: at once where an answer is wanted, elsewhere on demand. */
    offer() {
      const input = this.place?.querySelector(".cell_input");
      if (!input) return;
      const open = () => {
        this.edited = true;
        const editor = edit(this, `Code of cell ${this.number}`);
        input.hidden = true;
        input.after(editor);
        return editor;
      };
      if (this.open) {
        open();
        return;
      }
      const opener = element("button", { type: "button", className: "live-button", textContent: "Edit" });
      opener.setAttribute("aria-label", `Edit cell ${this.number}`);
      opener.addEventListener("click", () => {
        opener.remove();
        open().querySelector("textarea").focus();
      });
      input.after(opener);
    }
  }

  function scratch(kernel, number) {
    const place = element("section", { className: "live-scratch" });
    const output = element("div", { className: "cell_output docutils container" });
    place.append(element("h2", { textContent: "A cell of your own" }), output);
    const cell = new Cell(kernel, { source: "" }, place, number);
    cell.edited = true;
    output.before(edit(cell, "Code of your own cell"));
    box.parentElement.append(place);
    window.sigbookLive.scratch = cell;
  }

  function edit(cell, label) {
    const editor = element("div", { className: "live-editor" });
    const area = element("textarea", { value: cell.source, spellcheck: false, rows: Math.max(3, cell.source.split("\n").length) });
    area.setAttribute("aria-label", label);
    area.setAttribute("autocapitalize", "off");
    const go = element("button", { type: "button", className: "live-button", textContent: "Run (Shift+Enter)" });
    const runIt = async () => {
      if (go.disabled) return;
      go.disabled = true;
      cell.source = area.value;
      say("live", `Running ${label[0].toLowerCase()}${label.slice(1)} …`);
      const error = await cell.run();
      say("live", error ? `It ended in ${error}.` : "It ran.");
      go.disabled = false;
    };
    go.addEventListener("click", runIt);
    area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.shiftKey || event.ctrlKey)) {
        event.preventDefault();
        runIt();
      }
    });
    area.addEventListener("input", () => (area.rows = Math.max(3, area.value.split("\n").length)));
    editor.append(area, go);
    return editor;
  }

  function codeCell(kernel, source) {
    const notebook = kernel.core.ThebeNotebook.fromCodeBlocks([{ id: String(Math.random()), source }], kernel.config, kernel.registry);
    notebook.attachSession(kernel.session);
    return notebook.cells[0];
  }

  async function execute(cell, source) {
    const done = await cell.execute(source);
    if (!done) return "the kernel does not answer";
    const error = done.error?.find((output) => output.ename !== "stderr");
    return error ? `${kind(error)}: ${error.evalue}` : "";
  }

  /* The kernel calls a ValueError "<class 'ValueError'>". */
  function kind(error) {
    return error.ename.replace(/^<class '(?:.*\.)?(\w+)'>$/, "$1");
  }

  // Words ------------------------------------------------------------------------------------------

  function say(state, text) {
    box.dataset.state = state;
    status.textContent = text;
    clearTimeout(slow);
    if (state === "starting" || state === "running") {
      slow = setTimeout(() => (status.textContent = `${text} It takes long: a slow connection or a slow machine makes it so.`), LATE);
    }
  }

  function element(tag, properties) {
    return Object.assign(document.createElement(tag), properties);
  }
})();
