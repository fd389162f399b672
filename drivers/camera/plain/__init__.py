"""Cards without a code: a camera that has learnt what a deck looks like reads rank and suit as they are
printed.

`learn` makes a library of a deck from pictures of its cards, `reader` says which card a picture shows,
`marks` says it in the words of the camera's other reader. Nothing here is imported where no library is
configured.
"""
