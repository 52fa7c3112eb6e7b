"""Which belief explains what a wrong engine does: the beliefs, the probes that tell them apart, the match."""
