"""The dbt project as a run executes it: compiled by dbt once a version, then plain SQL on the build file of a study."""
