/* What a kernel is told at its start, by the pages that run live and by their notebooks in JupyterLite.
   live.json, which lies beside this file in the site, says where Python comes from. */
const base = new URL("./", import.meta.url);

export async function json(name) {
  const answer = await fetch(new URL(name, base)).catch(() => null);
  if (!answer || !answer.ok) throw new Error(`this site has no live/${name}; “make book” writes it`);
  return answer.json();
}

/* site: live.json; packages: what a page wants besides; folder, wheels: those of the application's kernel. */
export async function settings(site, packages, folder, wheels) {
  const runtime = new URL(site.runtime, base);
  const own = wheels.map((name) => new URL(name, folder).href);
  const others = site.packages.map((name) => (name.includes("/") ? new URL(name, base).href : name));
  await reached(runtime);
  return {
    "@jupyterlite/pyodide-kernel-extension:kernel": {
      pyodideUrl: runtime.href,
      pipliteUrls: [new URL("all.json", folder).href],
      pipliteWheelUrl: own.find((address) => address.includes("/piplite-")),
      disablePyPIFallback: true,
      // Named here, packages are fetched while Python itself starts. tools/live/start.py reads SIGBOOK_LIVE.
      loadPyodideOptions: { packages: [...own, ...others, ...packages], env: { SIGBOOK_LIVE: base.href } },
    },
  };
}

async function reached(address) {
  try {
    const answer = await fetch(address);
    if (answer.ok) return;
  } catch (error) {
    console.warn(error);
  }
  throw new Error(`${address.host} did not send Python`);
}
