"""What a study may spend on calls of models, and what their tokens cost.

Belongs here: the shape of these entries. What was spent is providers/spending.py, published prices are
providers/prices.py.
"""

from pydantic import Field, model_validator

from python_assets.study.base import Part, Unfit


class Budget(Part):
    """The most that may be spent, over all runs of a study as its response logs keep them.

    calls: answered by models. tokens: read and written. usd: by the prices of the models.
    """

    calls: int | None = Field(None, gt=0)
    tokens: int | None = Field(None, gt=0)
    usd: float | None = Field(None, gt=0)

    @model_validator(mode="after")
    def _says_something(self) -> "Budget":
        if self.calls is None and self.tokens is None and self.usd is None:
            raise Unfit("at least one of calls, tokens and usd", "write one, or remove budget")
        return self


class TokenPrice(Part):
    """What a million tokens of a model cost, in US dollars; 0 where nobody is paid.

    in_: read. out: written. cached: read from the provider's cache; as much as any other where it is absent.
    """

    in_: float = Field(alias="in", ge=0)
    out: float = Field(ge=0)
    cached: float | None = Field(None, ge=0)
