"""Sphinx settings of the book as PDF: those of _config.yml, and how they are set on paper.

tools/make_pdf.py builds with this file instead of Jupyter Book, so that nothing here touches the site.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from jupyter_book.config import get_final_config

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

settings, _ = get_final_config(user_yaml=ROOT / "_config.yml", sourcedir=ROOT,
                               cli_config={"external_toc_path": str(ROOT / "_toc.yml"), "latex_individualpages": False})
globals().update({key: value for key, value in settings.items() if not key.startswith("html_")})

# sphinx_jupyterbook_latex numbers by parts ("Definition 1.4.1"); paper.py arranges the book instead.
extensions = [name for name in settings["extensions"] if name != "sphinx_jupyterbook_latex"] + ["paper"]
project = settings["html_title"]
bibtex_bibfiles = [str(ROOT / name) for name in settings["bibtex_bibfiles"]]
numfig = True
pygments_style = "default"  # darker than the site's, for paper
exclude_patterns = settings["exclude_patterns"]

subtitle = re.search(r"^\*(.+)\*$", (ROOT / "book" / "index.md").read_text("utf-8"), re.M)[1]
licence = re.sub(r"<.+?>", "", settings["html_theme_options"]["extra_footer"])

latex_engine = "xelatex"
latex_documents = [("book/index", "book.tex", project, settings["author"], "manual")]
latex_toplevel_sectioning = "chapter"
latex_use_xindy = False
latex_domain_indices = False
latex_show_urls = "footnote"
latex_table_style = ["booktabs"]
latex_additional_files = [str(HERE / "sigbook.sty"), str(HERE / "sigbook-fonts.sty")]
latex_elements = {
    "papersize": "a4paper",
    "pointsize": "10pt",
    "extraclassoptions": "openany,oneside",
    "figure_align": "H",
    "fncychap": "",
    "fontpkg": r"\usepackage{sigbook-fonts}",
    "sphinxsetup": "hmargin=2.4cm,vmargin={2.4cm,2.6cm},TitleColor={HTML}{1F3A5F},InnerLinkColor={HTML}{1F4E8C},"
                   "OuterLinkColor={HTML}{1F4E8C},VerbatimColor={HTML}{F4F5F7},VerbatimBorderColor={HTML}{F4F5F7},"
                   "verbatimhintsturnover=false",
    "preamble": rf"""\usepackage{{sigbook}}
\newcommand{{\booksubtitle}}{{{subtitle}}}
\newcommand{{\booklicence}}{{{licence}}}""",
    "maketitle": r"\booktitle",
}
