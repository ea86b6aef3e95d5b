"""Sentences from documents: read the sources of a study, keep the sentences that hold a keyword (SAGED 2.1).

A new source or keyword finder is one file here, registered in sources.py or finders.py by its name.
"""
