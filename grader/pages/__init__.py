"""The pages that people read: the class page, the page of each student, one part of a report."""
