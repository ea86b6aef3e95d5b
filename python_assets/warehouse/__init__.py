"""The private build file of a study: where it lies, raw tables, transactions, quarantine, freeze."""
