"""One attempt of the agent: ask, carry out, answer, until it is done or a limit is met."""

from __future__ import annotations

from runner.agents.claude.history import History
from runner.agents.claude.settings import ClaudeSettings
from runner.agents.claude.tool import BadInputError, Told
from runner.agents.claude.toolbox import Toolbox, submitted_answer
from runner.agents.protocol import Assignment
from runner.domain import AgentEnd, JsonObject, Reason
from runner.errors import ProviderError
from runner.models.messages import Answer, ContextWindowError, MessagesClient, Question, ToolCall

#: After so many tool calls in a row that were cut off by ``max_tokens``, more of the same is vain.
MOST_CUT_CALLS = 2
#: A service may pause a long turn of its own; no turn is that long.
MOST_PAUSES = 20

GO_ON = "Your answer was cut off by its length limit. Go on exactly where it stopped."
CUT_CALL = (
    "Not done: the call was cut off by the length limit of your answer. Write less at once, for"
    " instance a long file in several parts."
)


class Loop:
    """The state of one attempt."""

    def __init__(
        self, client: MessagesClient, *, model: str, settings: ClaudeSettings, task: Assignment
    ) -> None:
        self._client = client
        self._model = model
        self._settings = settings
        self._task = task
        self._tools = Toolbox(settings, task)
        self._history = History(task.instruction, keep_thinking=settings.thinking != "off")
        self._steps = 0
        self._output_tokens = 0
        self._cost_nusd = 0
        self._cut_calls = 0
        self._pauses = 0
        self._continued = 0
        self._said = ""

    async def run(self) -> AgentEnd:
        """Work until the end."""
        while True:
            end = self._limit_met()
            if end is not None:
                return end
            question = self._question()
            try:
                answer = await self._client.ask(question)
            except ContextWindowError as error:
                return AgentEnd(reason=Reason.CONTEXT_WINDOW, detail=error.message)
            self._steps += 1
            self._output_tokens += answer.usage.output_tokens or 0
            self._cost_nusd += answer.cost_nusd or 0
            end = await self._take(answer, asked=question.max_tokens)
            if end is not None:
                return end

    def _limit_met(self) -> AgentEnd | None:
        limits = self._task.limits
        if limits.steps is not None and self._steps >= limits.steps:
            return AgentEnd(reason=Reason.MAX_STEPS, detail=f"{self._steps} model calls")
        if self._max_tokens() < self._settings.least_max_tokens:
            detail = f"{self._output_tokens} output tokens"
            return AgentEnd(reason=Reason.OUTPUT_TOKENS, detail=detail)
        if limits.cost_nusd is not None and self._cost_nusd >= limits.cost_nusd:
            detail = f"{self._cost_nusd} nano-dollars"
            return AgentEnd(reason=Reason.COST_LIMIT, detail=detail)
        return None

    def _max_tokens(self) -> int:
        most = self._task.limits.output_tokens
        wanted = self._settings.max_tokens
        return wanted if most is None else min(wanted, most - self._output_tokens)

    def _question(self) -> Question:
        tools = self._tools.definitions
        with_tools: JsonObject = (
            # The conversation grows at its end only, so that all before it is read from the cache.
            {"tools": tools, "cache_control": {"type": "ephemeral"}} if tools else {}
        )
        return Question(
            model=self._model,
            max_tokens=self._max_tokens(),
            parameters={**self._settings.parameters(), **with_tools},
            messages=tuple(self._history.messages),
        )

    async def _take(self, answer: Answer, *, asked: int) -> AgentEnd | None:
        match answer.stop_reason:
            case "end_turn" | "tool_use" | "stop_sequence":
                self._cut_calls = 0
                return await self._use_tools(answer) if answer.tool_calls else self._finish(answer)
            case "max_tokens":
                if asked < self._settings.max_tokens:
                    detail = f"{self._output_tokens} output tokens"
                    return AgentEnd(reason=Reason.OUTPUT_TOKENS, detail=detail)
                return await self._take_cut(answer)
            case "refusal":
                return AgentEnd(reason=Reason.REFUSAL, detail=_refusal(answer))
            case "model_context_window_exceeded":
                return AgentEnd(reason=Reason.CONTEXT_WINDOW, detail="the answer did not fit")
            case "pause_turn":
                return self._pause(answer)
            case unknown:
                msg = f"{self._model} stopped for a reason that is not known: {unknown!r}"
                raise ProviderError(msg, reason=Reason.UNKNOWN_STOP_REASON.value)

    async def _take_cut(self, answer: Answer) -> AgentEnd | None:
        """Take an answer that hit its length limit; a call at its end is never carried out."""
        if answer.blocks and answer.blocks[-1].get("type") == "tool_use":
            self._cut_calls += 1
            if self._cut_calls >= MOST_CUT_CALLS:
                detail = f"{self._cut_calls} tool calls in a row were cut off"
                return AgentEnd(reason=Reason.TRUNCATED_TOOL_CALL, detail=detail)
            return await self._use_tools(answer, last_is_cut=True)
        self._cut_calls = 0
        if answer.tool_calls:
            return await self._use_tools(answer)
        if not answer.text.strip() or self._continued >= (self._settings.continuations or 0):
            return AgentEnd(reason=Reason.TRUNCATED, detail="the answer hit max_tokens")
        self._continued += 1
        self._said += answer.text
        self._history.add_answer(answer)
        self._history.say(GO_ON)
        return None

    def _pause(self, answer: Answer) -> AgentEnd | None:
        self._pauses += 1
        if self._pauses > MOST_PAUSES:
            return AgentEnd(reason=Reason.STUCK, detail=f"the service paused {MOST_PAUSES} times")
        self._history.add_answer(answer)
        return None

    def _finish(self, answer: Answer) -> AgentEnd:
        text = self._said + answer.text
        if not text.strip():
            return AgentEnd(reason=Reason.NO_RESPONSE, detail="the model ended without a word")
        self._task.submission.submit(text)
        return AgentEnd(reason=Reason.COMPLETED)

    async def _use_tools(self, answer: Answer, *, last_is_cut: bool = False) -> AgentEnd | None:
        self._said = ""
        self._continued = 0
        whole = answer.tool_calls[:-1] if last_is_cut else answer.tool_calls
        results: list[tuple[str, Told]] = []
        for asked in whole:
            told = await self._use(asked, answer.call)
            if told is None:
                return AgentEnd(reason=Reason.COMPLETED)
            results.append((asked.id, told))
        if last_is_cut:
            results.append((answer.tool_calls[-1].id, Told(text=CUT_CALL, is_error=True)))
        self._history.add_answer(answer)
        self._history.add_results(results)
        return None

    async def _use(self, asked: ToolCall, call: int) -> Told | None:
        """Carry out one tool call, or give None where it handed in the answer."""
        if asked.input is None:
            return Told(text="Not done: the input is not a valid JSON object.", is_error=True)
        if asked.name != "submit" or asked.name not in self._settings.tools:
            return await self._tools.use(asked.name, asked.input, call=call)
        try:
            self._task.submission.submit(submitted_answer(asked.input))
        except BadInputError as error:
            return Told(text=str(error), is_error=True)
        return None


def _refusal(answer: Answer) -> str:
    details = answer.message.get("stop_details")
    return f"the model refused: {details}" if details else "the model refused"
