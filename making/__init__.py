"""How the things that are handed out are made: the Debian package, the manual, the drawn pages."""
