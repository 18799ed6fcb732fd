"""New editions: the files that one begins with."""
