"""The published views as dashboards of Superset: a bundle that it imports, written without it."""
