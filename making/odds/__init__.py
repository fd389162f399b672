"""The tables of the odds, built from the rules: package data of the program, made before it is packed."""
