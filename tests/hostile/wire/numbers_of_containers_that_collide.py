"""Names its containers with numbers that all have the same hash, so that each takes longer than the one before."""

HANGS = True

begin()
collide = 2**61 - 1
say(ok=[1], heap={str(1 + 2 * k * collide): [] for k in range(55_000)})
hear()
