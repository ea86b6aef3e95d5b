"""Labels and marks that an engine gives."""
