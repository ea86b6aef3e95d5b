"""How YAML is read, a file of a user among it: by libyaml where it was compiled, in a sixth of the time.

Where it was not, a tab between a key and its value is refused, and a byte order mark counts in the places of marks.
"""

from typing import TYPE_CHECKING

import yaml
from yaml.composer import Composer

if TYPE_CHECKING or not hasattr(yaml, "CSafeLoader"):
    LOADER = yaml.SafeLoader
else:

    class LOADER(Composer, yaml.CSafeLoader):  # noqa: N801
        """Nodes are made in Python: those of C end the process where brackets are nested without end."""

        def __init__(self, text: str | bytes) -> None:
            yaml.CSafeLoader.__init__(self, text)
            Composer.__init__(self)
