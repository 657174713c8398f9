"""Says what an interpreter is: printed as one line of JSON. Run by candidates of any version, so old Python is spoken."""

import json
import os
import sys

answer = {"version": list(sys.version_info[:3])}
if sys.version_info >= (3, 10):
    import importlib.metadata
    import importlib.util

    packages = []
    for name in ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "exceptiongroup", "tomli"):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin:
            folder = os.path.dirname(os.path.dirname(os.path.realpath(spec.origin)))
            if folder not in packages:
                packages.append(folder)
    try:
        pytest = importlib.metadata.version("pytest") if importlib.util.find_spec("pytest") else None
    except importlib.metadata.PackageNotFoundError:
        pytest = None
    # In a virtual environment the executable is a link; the base is what has to be there for it to work.
    executable = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    answer.update(
        executable=executable,
        prefix=os.path.realpath(sys.base_prefix),
        pytest=pytest,
        packages=packages if pytest else [],
    )
print(json.dumps(answer))
