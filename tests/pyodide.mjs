// Runs Python code with the package in Pyodide: node pyodide.mjs <runtime folder> <package folder> <code>
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, folder, code] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(runtime, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: runtime, stdout: (line) => console.log(line) });
await python.loadPackage(["numpy"], { messageCallback: () => {} });
python.FS.mkdirTree("/code/sigbook");
for (const name of fs.readdirSync(folder)) {
  if (name.endsWith(".py")) {
    python.FS.writeFile(`/code/sigbook/${name}`, fs.readFileSync(path.join(folder, name)));
  }
}
await python.runPythonAsync(`import sys; sys.path.insert(0, "/code")\n${code}`);
