"""One module a stage: each asset opens study and warehouse, calls one function and reports its counts."""
