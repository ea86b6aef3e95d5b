"""Names to objects: what a study file may call by name, and functions of the user's own beside it.

Belongs here: the look-up alone. A registry stands in the package whose files register themselves, and imports
them when it is first asked for something: a new file is found without being named anywhere.
"""

import ast
import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import symtable
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, TypeVar

from python_assets.errors import PlumblineError, StudyError, Told

_T = TypeVar("_T")
_MAKES_NAMES: Final = frozenset({"globals", "exec", "__getattr__"})  # names in a module that no table tells


class Registry(Generic[_T]):
    """The objects of one kind by name, for example every provider."""

    def __init__(self, kind: str, module: str) -> None:
        """Declare a registry.

        Args:
            kind: what its objects are, for error texts.
            module: the module it stands in; the files beside it and in sub-rooms register what they hold.
        """
        self.kind = kind
        self._package = module.rpartition(".")[0]
        self._is_complete = False
        self._objects: dict[str, _T] = {}

    def register(self, name: str) -> Callable[[_T], _T]:
        """Decorate an object with the name a study file calls it by.

        Raises:
            ValueError: the name is taken.
        """

        def add(registered: _T) -> _T:
            if name in self._objects:
                raise ValueError(f"{self.kind} {name!r} is registered twice")
            self._objects[name] = registered
            return registered

        return add

    def __getitem__(self, name: str) -> _T:
        found = self._complete()
        if name not in found:
            raise PlumblineError(self.kind, repr(name), f"one of {', '.join(sorted(found))}", "correct the name")
        return found[name]

    def __contains__(self, name: str) -> bool:
        return name in self._complete()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._complete()))

    def _complete(self) -> dict[str, _T]:
        if not self._is_complete:
            import_files(self._package)
            self._is_complete = True
        return self._objects


def import_files(package: str) -> None:
    """Import every module of a package and of its sub-rooms, so that each file registers what it holds."""
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        importlib.import_module(module.name)


class UserFunction(NamedTuple):
    """A function beside the study file and the hash of the file that holds it."""

    function: Callable[..., Any]
    source_sha256: str


def is_function_path(name: str) -> bool:
    """Tell whether a name of the study file means a function, as `module:function`."""
    module, _, function = name.partition(":")
    return module.isidentifier() and function.isidentifier()


def absent_function(path: str, folder: Path) -> StudyError | None:
    """Why `module:function` cannot be loaded, as far as its file tells without being run; None where it may.

    Args:
        path: as load_function takes it.
        folder: the folder of the study file.
    """
    module_name, _, function_name = path.partition(":")
    file = folder / f"{module_name}.py"
    if not file.is_file():
        return StudyError(path, Told(f"no file {file}"), "the function in it", f"put {file.name} beside the study file")
    try:
        source = importlib.util.decode_source(file.read_bytes())
        names = symtable.symtable(source, str(file), "exec")
    except (SyntaxError, ValueError) as error:
        return _broken(path, file, error)
    if "import *" in source or _MAKES_NAMES & set(names.get_identifiers()):
        return None
    own = {name.get_name() for name in names.get_symbols() if name.is_assigned() or name.is_imported()}
    return None if function_name in own else _lacking(path, file)


def _broken(path: str, file: Path, error: Exception) -> StudyError:
    got = Told(f"{type(error).__name__} in {file}: {error}")
    return StudyError(path, got, "a file that can be imported", "correct it")


def _lacking(path: str, file: Path) -> StudyError:
    return StudyError(path, Told(f"{file} without it"), "a function", "add it, or correct the name")


def unfit_function(path: str, folder: Path, n_arguments: int) -> StudyError | None:
    """Why `module:function` cannot be loaded or called with so many arguments, as absent_function tells it.

    Args:
        path: as load_function takes it.
        folder: the folder of the study file.
        n_arguments: that it is called with, by position.
    """
    if absent := absent_function(path, folder):
        return absent
    module_name, _, function_name = path.partition(":")
    file = folder / f"{module_name}.py"
    written = _written_function(ast.parse(file.read_bytes()), function_name)
    if written is None or _takes(written.args, n_arguments):
        return None
    return _misfit(path, f"{function_name}({ast.unparse(written.args)})", n_arguments)


def _written_function(tree: ast.Module, name: str) -> ast.FunctionDef | ast.Lambda | None:
    """What a file last binds a name to, where that is a function whose arguments stand there: no decorator's."""
    last = next((node for node in reversed(tree.body) if name in _bound(node)), None)
    if isinstance(last, ast.FunctionDef) and not last.decorator_list:
        return last
    if isinstance(last, ast.Assign) and isinstance(last.value, ast.Lambda):
        return last.value
    return None


def _bound(statement: ast.stmt) -> set[str]:
    """Names of the module that a statement may bind, inside its blocks too."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


def _takes(arguments: ast.arguments, n: int) -> bool:
    n_named = len(arguments.posonlyargs) + len(arguments.args)
    is_enough = n_named - len(arguments.defaults) <= n
    return is_enough and (n <= n_named or arguments.vararg is not None) and None not in arguments.kw_defaults


def _misfit(path: str, signature: str, n_arguments: int) -> StudyError:
    expected = f"a function that is called with {n_arguments} argument{'s' * (n_arguments != 1)}"
    return StudyError(path, Told(signature), expected, "give the others a default, or remove them")


def load_function(path: str, folder: Path, n_arguments: int | None = None) -> UserFunction:
    """Import `module:function` from the folder of the study file, and nothing before it is asked for.

    Args:
        path: for example `my_scores:politeness`; my_scores.py lies in `folder`.
        folder: the folder of the study file.
        n_arguments: that it is called with, by position, where that is to be looked at.

    Returns:
        The function and the sha256 of its file, which becomes part of the extractor version.

    Raises:
        StudyError: the file or the function is absent, the file fails to import, or the function takes others.
    """
    if problem := absent_function(path, folder):
        raise problem
    module_name, _, function_name = path.partition(":")
    file = folder / f"{module_name}.py"
    spec = importlib.util.spec_from_file_location(f"plumbline_study_{module_name}", file)
    if spec is None or spec.loader is None:
        raise ValueError(f"{file} is not a Python file")  # whose name ends in .py
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise _broken(path, file, error) from error
    function = getattr(module, function_name, None)
    if not callable(function):
        raise _lacking(path, file)
    if n_arguments is not None:
        _require_arguments(path, function, n_arguments)
    return UserFunction(function, hashlib.sha256(file.read_bytes()).hexdigest())


def _require_arguments(path: str, function: Callable[..., Any], n_arguments: int) -> None:
    try:
        signature = inspect.signature(function)
    except ValueError:  # some functions written in C do not tell
        return
    try:
        signature.bind(*range(n_arguments))
    except TypeError as error:
        raise _misfit(path, f"{path.partition(':')[2]}{signature}", n_arguments) from error


def source_sha256(path: str, folder: Path) -> str:
    """Hash of the file that holds `module:function`.

    Raises:
        StudyError: it is not there.
    """
    file = folder / f"{path.partition(':')[0]}.py"
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise StudyError(path, Told(f"no file {file}"), "the function in it", f"put {file.name} back") from error
