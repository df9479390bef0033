"""Run once in the reader's browser before the cells of a page: the package, its tables, Matplotlib."""


async def start(here):
    import importlib
    import os
    from pathlib import Path

    import pyodide_js
    from pyodide.ffi import to_js

    os.environ["MPLBACKEND"] = "agg"  # Pyodide's own wants a page to draw on
    await pyodide_js.loadPackage(to_js(here["packages"]))
    # By name: what an import statement names, the kernel would load first and by itself.
    importlib.import_module("matplotlib.font_manager")  # its cache is built here, in no cell of the page
    sigbook = importlib.import_module("sigbook")

    wide()
    # A table is fetched when a cell reads it.
    for name, address in here["tables"].items():
        table = Path(sigbook.__file__).parent.parent / "data" / name
        table.parent.mkdir(parents=True, exist_ok=True)
        pyodide_js.FS.createLazyFile(str(table.parent), table.name, address, True, False)


def wide():
    """Let bincount and repeat take int64, as they do on 64-bit machines; Pyodide has 32 bits."""
    import functools
    import importlib

    np = importlib.import_module("numpy")

    def narrow(x):
        if isinstance(x, np.ndarray) and x.dtype == np.int64:
            small = x.astype(np.intp)
            if np.array_equal(small, x):
                return small
        return x

    def taking(function, place, name):
        @functools.wraps(function)
        def taken(*given, **named):
            given = [narrow(x) if k == place else x for k, x in enumerate(given)]
            return function(*given, **{key: narrow(x) if key == name else x for key, x in named.items()})

        return taken

    np.bincount = taking(np.bincount, 0, "x")
    np.repeat = taking(np.repeat, 1, "repeats")
