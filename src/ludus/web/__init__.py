"""The web page as plain files: documents in `pages`, and everything they load in `static`.

No Python and no rules of games in here: the server serves the files and tells the page what is legal.
"""
