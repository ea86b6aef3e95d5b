"""The servers that providers are tested with answer the stage, too."""

from tests.python_assets.providers.conftest import ask, log_path, ollama_server, openai_server, waits

__all__ = ["ask", "log_path", "ollama_server", "openai_server", "waits"]
