#!/usr/bin/env python3
"""Fails where the library or the demos could use CUDA's default stream, which would order the work of independent objects.

A kernel is launched by triptych::launch() or cudaLaunchKernelEx() with a stream, not by <<<>>>. Of the CUDA runtime only the calls
below are allowed: those that have no stream, and those that name one, whose stream must not be 0 or nullptr.

Usage: check_streams.py [ROOT]
"""

import re
import sys

import program

FOLDERS = ("core", "reduction", "capsule_likelihood", "skin_tracker", "aam_fit", "apps")
SUFFIXES = {".cu", ".cuh", ".hpp", ".cpp", ".inl"}
WITHOUT_STREAM = re.compile(
    r"cuda(Get\w+|Device\w*Get\w+|SetDevice|Func\w+|Malloc|MallocHost|Free|FreeHost|PointerGetAttributes|\w+GetVersion|Occupancy\w+|"
    r"Graph(GetNodes|Instantiate|Destroy|ExecDestroy)|Event(CreateWithFlags|Destroy|Query|Synchronize|ElapsedTime)|"
    r"Stream(CreateWithFlags|CreateWithPriority)|DeviceGetStreamPriorityRange|PeekAtLastError|HostRegister|HostUnregister)")
WITH_STREAM = re.compile(
    r"cuda(Memset\w*Async|Memcpy\w*Async|LaunchKernelEx|LaunchHostFunc|GraphLaunch|EventRecord|"
    r"Stream(Synchronize|Destroy|Query|WaitEvent|IsCapturing|BeginCapture|EndCapture))")
CALL = re.compile(r"\b(cuda[A-Z]\w*)\s*\(")
DEFAULT = re.compile(r"\bcudaStream(?:Legacy|PerThread)\b|\bStreamRef\s*[({]\s*(?:static_cast<[^>]*>\s*\(\s*)?(?:0|nullptr)\b")


def without_comments(text):
    """The text with comments and strings blanked, line numbers kept."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", blank, text, flags=re.S)


def arguments(text, begin):
    """The arguments of the call whose opening bracket ends at begin."""
    depth, found = 1, [""]
    for c in text[begin:]:
        depth += (c in "([{") - (c in ")]}")
        if depth == 0:
            break
        if c == "," and depth == 1:
            found.append("")
        else:
            found[-1] += c
    return [a.strip() for a in found]


def problems_of(text):
    """(position, sentence) of every problem."""
    for match in re.finditer(r"<<<", text):
        yield match.start(), "a launch by <<<>>>; use triptych::launch() with a stream"
    for match in DEFAULT.finditer(text):
        yield match.start(), "the default stream; every stream is made by triptych::Stream or given by the caller"
    for match in CALL.finditer(text):
        name = match.group(1)
        if WITH_STREAM.fullmatch(name):
            given = arguments(text, match.end())
            asynchronous = name.endswith("Async")
            expected = 5 if name == "cudaMemcpyAsync" else 4 if name == "cudaMemsetAsync" else 0
            if (asynchronous and expected and len(given) < expected) or given[-1] in ("0", "nullptr") and asynchronous:
                yield match.start(), f"{name} without a stream"
        elif not WITHOUT_STREAM.fullmatch(name):
            yield match.start(), f"{name}, which may use the default stream or synchronise other work"


def check(root):
    problems, files = [], 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            files += 1
            text = without_comments(path.read_text())
            for at, what in problems_of(text):
                problems.append(f"{path.relative_to(root).as_posix()}:{text.count(chr(10), 0, at) + 1}: {what}")
    return problems, files


if __name__ == "__main__":
    sys.exit(program.run(check, "{} uses of the default stream", "nothing in {} files uses the default stream"))
