# ruff: noqa: E501, C901
"""The renames of docs/glossary.md, a step a commit. A name with = is one by itself, others are pieces of names."""

import re
from typing import Final

KEPT: Final = re.compile(
    r"beyond_parts|BEYOND_PARTS|TOLD_BY_PARTS|told_by_parts|has_parts|path\.parts|scheme\.parts|asked\.parts|model\.generation_config|generation_config(?:\.json)?|add_generation_prompt|generation_kwargs|GenerationConfig"
    r"|generation_config_class"
)
STEPS: Final[dict[str, dict[str, str]]] = {}
STEPS["prompt_by_group_share"] = {"=interaction": "prompt_by_group_share"}
STEPS["placeholders"] = {r"\{role\}": "{system_prompt_name}"}
STEPS["system_placeholder"] = {r"\{system\}": "{system_prompt}"}
STEPS["chunks"] = {"parts": "chunks", "part": "chunk"}
STEPS["chunk_names"] = {
    "PLUMBLINE_PARTS": "PLUMBLINE_CHUNKS",
    r"(?<![\w-])--parts": "--chunks",
    r"infer\.parts\.parts": "infer.chunks.chunks",
    r"infer\.parts\.part_file": "infer.chunks.chunk_file",
    r"infer\.parts": "infer.chunks",
    r"infer/parts": "infer/chunks",
    r"infer\.part\b": "infer.chunk",
    "PARTS_TAG": "CHUNKS_TAG",
    r"dagster_project\.parts": "dagster_project.chunks",
    r"bench_parts": "bench_chunks",
    "parts_here": "chunks_here",
    r"home\(?\)?\.parts": "home().chunks",
    r"plan\.asked\b": "plan.requested",
}
