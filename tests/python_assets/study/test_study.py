import pytest
from pydantic import ValidationError

from python_assets.study.study import Factor


def test_a_factor_may_have_a_rule_for_one_level_alone():
    assert Factor(rules={"kind": "nice|dear"}, otherwise="plain").rules == {"kind": "nice|dear"}
    with pytest.raises(ValidationError):
        Factor(rules={}, otherwise="plain")
