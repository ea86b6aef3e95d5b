"""Both halves of the SQL and inference on a build file, as the assets run them, for programs that time a study."""

from pathlib import Path

from python_assets.infer.agreement.label_agreement import infer_agreement
from python_assets.infer.associations.infer_associations import infer_associations
from python_assets.infer.chunks.processes import chunks_here
from python_assets.infer.regressions.infer_regressions import infer_regressions
from python_assets.infer.run import infer_study
from python_assets.infer.subgroups.subgroups import infer_subgroups
from python_assets.study.study import Study
from python_assets.transform.compile import compiled_project
from python_assets.transform.run import run_steps
from python_assets.warehouse.build import open_build
from python_assets.warehouse.progress import SILENT


def make_before_inference(path: Path) -> None:
    """Make what inference reads of a build file."""
    project = compiled_project()
    with open_build(path) as connection:
        run_steps(connection, project, project.before_inference, SILENT)


def make_after_inference(path: Path) -> None:
    """Make what is made of inference."""
    project = compiled_project()
    with open_build(path) as connection:
        run_steps(connection, project, project.after_inference, SILENT)


def infer_all(study: Study, path: Path) -> None:
    """Write every table of schema inference.

    Args:
        study: the study.
        path: its build file, after the SQL's first half.
    """
    with open_build(path) as connection:
        with chunks_here(connection, study) as chunks:
            infer_study(connection, study, chunks=chunks)
        infer_subgroups(connection, study.alpha)
        is_asked = study.analysis.association_tests
        infer_associations(connection, is_asked, seed=study.seed, n_permutations=study.n_permutations)
        infer_regressions(connection, study)
        infer_agreement(connection, study.alpha, study.seed)
