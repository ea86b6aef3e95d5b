"""The classifiers of a study on this machine, looked up before anything is asked of a model.

Belongs here: which classifiers a study names, and where they are. No model is loaded.
"""

from collections.abc import Iterator

from python_assets.errors import ExtractionError, StudyFileError
from python_assets.extract.classifiers.classifiers import Classifier, find_classifier
from python_assets.extract.measures import Measure, resolve_measures
from python_assets.study.study import Study


def classifier_of(study: Study, measure: Measure) -> Classifier:
    """The classifier that a measure is read by; a folder starts from that of the study file.

    Raises:
        ModelAbsentError: it is not on this machine.
        ExtractionError: its configuration cannot be read.
    """
    named = str(measure.model)
    folder = study.resolve(named)
    return find_classifier(str(folder) if folder.is_dir() else named, measure.model_revision, measure.spec.computing)


def require_classifiers(study: Study) -> None:
    """Refuse a study whose answers could not be measured, before they are asked for.

    Raises:
        StudyFileError: classifiers are not on this machine or cannot be loaded.
    """
    if problems := list(classifier_problems(study)):
        raise StudyFileError(study.path, problems)


def classifier_problems(study: Study) -> Iterator[ExtractionError]:
    """What keeps classifiers of a study from being loaded, each once, with the remedy.

    Args:
        study: the study; where it is simulated, an absent classifier is no problem.
    """
    if study.has_stand_in:
        return
    read = [measure for measure in resolve_measures(study) if measure.reads == "classifier"]
    for measure in {(measure.model, measure.model_revision): measure for measure in read}.values():
        try:
            classifier_of(study, measure)
        except ExtractionError as error:
            yield error
