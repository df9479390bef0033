/* Starts JupyterLite on the notebook that the address names: ?path=two_pictures.ipynb. */
import { json, settings } from "../live/kernel.js";

const lite = new URL("./", import.meta.url);
const page = (new URLSearchParams(location.search).get("path") || "").replace(/\.ipynb$/, "");

try {
  const [site, { kernel, ...config }, { packages }] = await Promise.all([
    json("live.json"),
    json("../lite/jupyter-lite.json"),
    json(`pages/book/${page}.json`).catch(() => ({ packages: [] })), // a copy, a notebook of the reader's own
  ]);
  for (const [key, value] of Object.entries(config)) {
    if (typeof value === "string" && value.startsWith("./")) config[key] = new URL(value, lite).pathname;
  }
  config.litePluginSettings = await settings(site, packages, new URL(kernel.folder, lite), kernel.wheels);
  document.getElementById("jupyter-config-data").textContent = JSON.stringify(config);
  const bundle = document.createElement("script");
  bundle.src = new URL("build/notebooks/bundle.js", lite);
  document.head.append(bundle);
} catch (error) {
  document.querySelector("[role=status]").textContent = `The notebook could not be opened: ${error.message}.`;
}
