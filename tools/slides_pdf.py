"""Print each deck as PDF, one page a slide: _build/slides_pdf/<chapter>.pdf. Needs Chromium and the built site.

    python tools/slides_pdf.py [--site FOLDER] [--out FOLDER] [chapter …]
"""

from __future__ import annotations

import argparse
import sys
import threading
from pathlib import Path

import chromium
import make_slides
import serve

PRINTED = """async () => {
  if (window.MathJax && MathJax.startup) await MathJax.startup.promise;
  for (let k = 0; k < 100 && !document.querySelector('.pdf-page'); k++) await new Promise((go) => setTimeout(go, 50));
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
  return document.querySelectorAll('.pdf-page').length;
}"""


def print_deck(browser, address: str, chapter: str, path: Path) -> int:
    """Print one deck; returns its number of pages."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{address}/slides/{chapter}.html?print-pdf", wait_until="load")
    pages = page.evaluate(PRINTED)
    path.parent.mkdir(parents=True, exist_ok=True)
    page.pdf(path=path, prefer_css_page_size=True, print_background=True)
    page.close()
    return pages


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, default=make_slides.SITE, help="folder of the built book")
    parser.add_argument("--out", type=Path, default=make_slides.ROOT / "_build" / "slides_pdf")
    parser.add_argument("chapters", nargs="*", help="chapters (default: all)")
    options = parser.parse_args(arguments)
    httpd = serve.server(str(options.site))
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    with chromium.browser() as browser:
        if browser is None:
            print(chromium.MISSING, file=sys.stderr)
            return 1
        for name in options.chapters or make_slides.chapters():
            path = options.out / f"{name}.pdf"
            pages = print_deck(browser, f"http://127.0.0.1:{httpd.server_port}", name, path)
            print(f"{path}: {pages} slides")
    httpd.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
