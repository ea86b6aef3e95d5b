"""All stages of inference on a build file, as the assets run them, for programs that time a whole study."""

from pathlib import Path

from python_assets.infer.agreement.label_agreement import infer_agreement
from python_assets.infer.associations.infer_associations import infer_associations
from python_assets.infer.parts.processes import parts_here
from python_assets.infer.regressions.infer_regressions import infer_regressions
from python_assets.infer.run import infer_study
from python_assets.infer.subgroups.subgroups import infer_subgroups
from python_assets.study.study import Study
from python_assets.warehouse.build import open_build


def infer_all(study: Study, path: Path) -> None:
    """Write every table of schema inference.

    Args:
        study: the study.
        path: its build file, after dbt's first half.
    """
    with open_build(path) as connection:
        with parts_here(connection, study) as parts:
            infer_study(connection, study, parts=parts)
        infer_subgroups(connection, study.alpha)
        is_asked = study.analysis.association_tests
        infer_associations(connection, is_asked, seed=study.seed, n_permutations=study.n_permutations)
        infer_regressions(connection, study)
        infer_agreement(connection, study.alpha, study.seed)
