"""One module per chapter, named like its notebook: its experiments, its figures, its widget."""
