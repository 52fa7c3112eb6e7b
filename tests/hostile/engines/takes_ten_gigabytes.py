"""Takes all the memory of the machine at once, and then piece by piece."""


class Context:
    def now(self):
        try:
            return bytearray(10 << 30)
        except MemoryError:
            kept = []
            while True:
                kept.append(bytearray(1 << 20))
