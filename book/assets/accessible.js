/* What other scripts draw gets names and keys here: sliders, boxes that scroll sideways, theme buttons. */
(() => {
  // What may be wider than the page, and how its box is called; a figure has its caption, a paragraph cannot have a name.
  const WIDE = [
    ["figure, p", ""],
    ["mjx-container[display=true], div.math", "Formula"],
    [".cell_input pre", "Code"],
    [".cell_output pre, .jp-OutputArea-output", "Output"],
    ["pre", "Text"],
    [".widget-html-content", "Picture and table"],
    [".pst-scrollable-table-container, .cell_output > .output, .jp-RenderedHTMLCommon", "Table"],
  ];
  let soon;

  addEventListener("DOMContentLoaded", () => {
    nameThemeButtons();
    const later = () => {
      clearTimeout(soon);
      soon = setTimeout(refresh, 100);
    };
    new MutationObserver(later).observe(document.querySelector("article") || document.body, { childList: true, subtree: true });
    addEventListener("resize", later);
    addEventListener("toggle", later, true); // a folded part has no width until it is opened
    // Copying takes the focus away from its button.
    addEventListener("click", ({ target }) => {
      const button = target.closest(".copybtn");
      if (button) setTimeout(() => button.focus({ preventScroll: true }));
    });
    refresh();
  });

  function refresh() {
    document.querySelectorAll("article .noUi-handle").forEach(nameSlider);
    for (const [selector, name] of WIDE) document.querySelectorAll(`article :is(${selector})`).forEach((part) => reach(part, name));
  }

  function nameSlider(handle) {
    const row = handle.closest(".widget-inline-hbox");
    const label = row?.querySelector(".widget-label")?.textContent;
    const readout = row?.querySelector(".widget-readout");
    if (!label || !readout) return;
    set(handle, "aria-label", label);
    set(handle, "aria-valuetext", readout.textContent); // the value shown, not its place in a list
    if (!readout.isContentEditable) return;
    set(readout, "role", "textbox");
    set(readout, "aria-label", `${label}, value`);
  }

  /* Arrow keys scroll a box that has the focus, so a box that scrolls can get it. */
  function reach(part, name) {
    const scrolls = part.scrollWidth > part.clientWidth && /auto|scroll/.test(getComputedStyle(part).overflowX);
    if (scrolls === (part.dataset.scrolls === "yes")) return;
    if (scrolls) {
      part.dataset.scrolls = "yes";
      part.tabIndex = 0;
      if (!name) return;
      part.setAttribute("role", "group");
      part.setAttribute("aria-label", `${name}, scrolls sideways`);
    } else {
      ["data-scrolls", "tabindex", "role", "aria-label"].forEach((key) => part.removeAttribute(key));
    }
  }

  function nameThemeButtons() {
    // The name is what is seen, "Search Ctrl+K".
    document.querySelectorAll(".search-button-field").forEach((button) => button.removeAttribute("aria-label"));
    // Of the pictures of the modes only one is seen, and the button has a name. Another script draws them, at its time.
    document.querySelectorAll(".theme-switch-button").forEach((button) => {
      const silence = () => button.querySelectorAll(":scope > *").forEach((picture) => {
        ["title", "role", "aria-labelledby"].forEach((key) => picture.removeAttribute(key));
        picture.setAttribute("aria-hidden", "true");
        picture.querySelector("title")?.remove();
      });
      new MutationObserver(silence).observe(button, { childList: true, subtree: true });
      silence();
    });
    const sidebar = document.getElementById("pst-primary-sidebar");
    sidebar?.setAttribute("role", "navigation");
    sidebar?.setAttribute("aria-label", "Book");
    // A menu that is closed gives the focus back to its button.
    for (const kind of ["primary", "secondary"]) {
      const button = document.querySelector(`.${kind}-toggle`);
      const menu = document.getElementById(`pst-${kind}-sidebar-modal`);
      menu?.addEventListener("close", () => setTimeout(() => button?.focus({ preventScroll: true })));
    }
  }

  function set(part, key, value) {
    if (part.getAttribute(key) !== value) part.setAttribute(key, value);
  }
})();
