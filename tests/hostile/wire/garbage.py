"""Sends bytes that are no message."""

raw(b"\x00\xff\xfe garbage \x80\n")
raw(b"\n\n{}\n[]\nnull\n")
hear()
