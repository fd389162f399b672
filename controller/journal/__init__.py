"""The truth: events and messages in one durable transaction, in a chain of hashes.

What a disk can do to it, and what happens then (each line has a test in ``tests/journal``):

===================================  ========================================================================
full, I/O error                      ``commit`` raises JournalError, nothing has changed, it may be repeated
read-only, no permission             refused at the opening, with the reason; reading and ``verify`` go on
deleted or moved while open          ``commit`` raises JournalError (``journal_gone``)
held by another process              refused at the opening (``journal_locked``), with its process id
kill -9, power cut in a commit       the commit has not happened; said in ``notes`` where a part was left
last record not whole                cut off and said in ``notes``; refused where a consumer acknowledged it
damage before the last record        refused at the opening, nothing is changed
torn or flipped page                 refused at the opening (up to 256 MiB are read whole), or ``verify``
log damaged before its last commit   refused at the opening, the log is kept
tail cut off cleanly                 found only by what a consumer acknowledged (``Witness``)
written by newer software            refused at the opening
===================================  ========================================================================
"""
