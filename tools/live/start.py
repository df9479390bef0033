# Run when a kernel starts in the reader's browser: the wheel of sigbook brings it as a startup file of
# IPython. It readies Matplotlib, NumPy and the tables, and leaves no name behind.


def start():
    import json
    import os
    from pathlib import Path

    import pyodide_js
    from pyodide.http import open_url

    os.environ["MPLBACKEND"] = "agg"  # the kernel's own would draw a figure twice
    import matplotlib.font_manager  # noqa: F401  its cache is built here, in no cell

    import sigbook

    # A table is fetched when a cell reads it.
    live = os.environ["SIGBOOK_LIVE"]
    for name in json.load(open_url(f"{live}live.json"))["tables"]:
        table = Path(sigbook.__file__).parent.parent / "data" / name
        table.parent.mkdir(parents=True, exist_ok=True)
        pyodide_js.FS.createLazyFile(str(table.parent), table.name, f"{live}data/{name}", True, False)


def wide():
    """Let bincount and repeat take int64, as they do on 64-bit machines; Pyodide has 32 bits."""
    import functools

    import numpy as np

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


start()
wide()
del start, wide
