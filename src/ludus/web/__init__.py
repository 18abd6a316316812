"""The page as plain files: documents in `pages`, and what they load in `static`.

There are no rules of any game in here, and no Python: the server serves the files, and tells the page what is legal.
"""
