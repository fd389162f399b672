"""The inventory of a floor: one file, from which the files of all its tables are made."""
