// Runs Python code with the package in Pyodide: node pyodide.mjs <runtime folder> <package folder> <code>
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, folder, code] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(runtime, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: runtime, stdout: (line) => console.log(line) });
await python.loadPackage(["numpy"], { messageCallback: () => {} });
copy(folder, "/code/sigbook");
await python.runPythonAsync(`import sys; sys.path.insert(0, "/code")\n${code}`);

function copy(from, to) {
  python.FS.mkdirTree(to);
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [here, there] = [path.join(from, entry.name), `${to}/${entry.name}`];
    if (entry.isDirectory()) {
      copy(here, there);
    } else if (entry.name.endsWith(".py")) {
      python.FS.writeFile(there, fs.readFileSync(here));
    }
  }
}
