"""Sends tuples in tuples, as deep as a reader of JSON goes."""

begin()
raw(b'{"heap":{},"ok":[' + b'{"t":[' * 450 + b"1" + b"]}" * 450 + b"]}\n")
hear()
