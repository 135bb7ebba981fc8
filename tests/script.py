"""A script that is no part of a package, as a module."""

import importlib.util


def script(path):
    """The module that the script at *path* makes."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
