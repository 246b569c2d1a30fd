"""From a claim to all that its attempt needs: task, configuration, agent, graders, sandboxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from graders import make_graders
from runner.agents import AgentServices, Turn, make_agent
from runner.domain import BlobSource, Config, Isolation, SandboxSpec, Suite
from runner.engine.trial import TrialWork
from runner.ledger import Claim
from runner.sandbox import SandboxBackend, choose_backend


class Workshop:
    """Makes ready what attempts of one suite need.

    Args:
        suite: What is run; every configuration in it.
        files: The bytes of the suite's files.
        api_key: The model service's key, or None.
        local_urls: Where runner serves models on this machine, by model name.
    """

    def __init__(
        self,
        suite: Suite,
        *,
        files: BlobSource,
        api_key: str | None,
        local_urls: Mapping[str, str],
    ) -> None:
        self._tasks = {task.id: task for task in suite.tasks}
        self._configs = {config.name: config for config in suite.configs}
        self._files = files
        self._services = AgentServices(api_key=api_key)
        self._local_urls = local_urls
        self._backends: dict[SandboxSpec, SandboxBackend | None] = {}

    def check(self) -> None:
        """Make each configuration's agent, each task's graders and each back end once.

        Raises:
            UsageError: If one of them cannot be made; nothing has been spent then.
        """
        first = next(iter(self._tasks.values()))
        for config in self._configs.values():
            make_agent(
                config,
                first,
                turn=Turn(repeat=1, attempt=1),
                files=self._files,
                services=self._services_for(config),
            )
        for task in self._tasks.values():
            make_graders(task)
            self.backend(task.sandbox)

    def prepare(self, claim: Claim) -> TrialWork:
        """Give what an attempt at this trial needs."""
        task, config = self._tasks[claim.task], self._configs[claim.config]
        return TrialWork(
            task=task,
            config=config,
            label=f"{claim.trial}.{claim.number}",
            make_agent=partial(
                make_agent,
                config,
                task,
                turn=Turn(repeat=claim.repeat, attempt=claim.number),
                files=self._files,
                services=self._services_for(config),
            ),
            graders=make_graders(task),
            backend=self.backend(task.sandbox),
            files=self._files,
        )

    def backend(self, spec: SandboxSpec) -> SandboxBackend | None:
        """Choose the back end for a sandbox, once for each kind; None where there is none."""
        if spec not in self._backends:
            none = spec.isolation is Isolation.NONE
            self._backends[spec] = None if none else choose_backend(spec)
        return self._backends[spec]

    def warnings(self) -> list[str]:
        """Say what people should know before commands run: where sandboxes do not isolate."""
        lines = []
        weak = [task.id for task in self._tasks.values() if self._is_weak(task.sandbox)]
        if weak:
            some = ", ".join(weak[:3]) + (", …" if len(weak) > 3 else "")
            lines.append(
                f"warning: the sandboxes of {len(weak)} tasks ({some}) do not isolate: what an "
                "agent runs there can reach this machine"
            )
        return lines

    def _is_weak(self, spec: SandboxSpec) -> bool:
        backend = self.backend(spec)
        return backend is not None and not backend.isolates

    def _services_for(self, config: Config) -> AgentServices:
        return replace(self._services, local_url=self._local_urls.get(config.model or ""))
