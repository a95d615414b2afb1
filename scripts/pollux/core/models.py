# SPDX-License-Identifier: BSD-3-Clause
"""Models of files in JSON and TOML, and how those that this package keeps are read and written."""

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.validation import first_problem, printable_json
from pollux.core.writing import replace_file


class Strict(BaseModel):
    """A part of a file that this package writes: unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Table(Strict):
    """A table of a file that users write: so are values of another type."""

    model_config = ConfigDict(strict=True)


class Lenient(BaseModel):
    """Something that programs print; fields that no command here needs are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def json_schema(model: type[BaseModel], title: str, **options: Any) -> str:  # noqa: ANN401 (of pydantic's method)
    """The JSON Schema of a file, for editors and for other programs."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schema |= model.model_json_schema(**options) | {"title": title}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


Kept = TypeVar("Kept", bound=BaseModel)


def read_kept(path: Path, model: type[Kept], what: str, remedy: str) -> Kept | None:
    """The contents of a file, None where there is none; BadUsageError if it is not `what`."""
    try:
        return model.model_validate_json(printable_json(path.read_bytes()))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadUsageError(f"cannot read {path} ({error.strerror})") from error
    except ValidationError as error:
        problem = first_problem(error, unless="the file")
        raise BadUsageError(f"{path} is no {what} ({problem}); {remedy}") from error


def keep(path: Path, contents: BaseModel, remedy: str = "") -> None:
    """Write a file as it is read; MachineError where it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, (contents.model_dump_json(by_alias=True, indent=1) + "\n").encode())
    except OSError as error:
        raise MachineError(f"cannot write {path} ({error.strerror}){remedy}") from error
