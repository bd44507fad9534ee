# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a project file, said in one sentence."""


class FileError(ValueError):
    """A file cannot be read or written; the message says what, where and what to do.

    ``name`` is the file, ``place`` the line, entity and field as far as they are known.
    """

    def __init__(self, problem: str, *, name: str = "", place: str = "", advice: str = "") -> None:
        self.problem = problem
        self.name = name
        self.place = place
        self.advice = advice
        super().__init__(str(self))

    def in_file(self, name: str, advice: str = "") -> "FileError":
        """The same error, said about a file; ``advice`` only where there is none yet."""
        return FileError(
            self.problem, name=name, place=self.place, advice=self.advice or advice
        ).with_traceback(self.__traceback__)

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.name, self.place) if part)
        sentence = f"{where}: {self.problem}" if where else self.problem
        return f"{sentence}; {self.advice}" if self.advice else sentence
