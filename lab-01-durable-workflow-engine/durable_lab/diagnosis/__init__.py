"""Diagnosis of a wrong engine: the beliefs, the probes that tell them apart, and the belief that fits best."""
