from python_assets.study.control_types import alike_controls, types_problem, types_proposal


def own_texts(*names):
    return {name: name for name in names}


def test_edits_of_one_sentence_are_one_type():
    of_hiring = ["car-red", "car-silver", "day-saturday", "day-tuesday", "weather clear", "weather rain", "noop"]
    assert alike_controls(own_texts(*of_hiring)) == {
        "car-red": "car",
        "car-silver": "car",
        "day-saturday": "day",
        "day-tuesday": "day",
        "weather clear": "weather",
        "weather rain": "weather",
        "noop": "noop",
    }


def test_texts_are_read_where_they_are_known():
    texts = {"a": "Received on a Tuesday.", "b": "Received on a Monday.", "c": "It rained.", "d": "It rained today."}
    assert alike_controls(texts) == {"a": "received on a", "b": "received on a", "c": "c", "d": "d"}


def test_single_words_have_nothing_in_common():
    assert alike_controls(own_texts("red", "silver")) == {"red": "red", "silver": "silver"}


def test_a_chain_of_edits_is_one_type_named_by_its_first():
    assert alike_controls(own_texts("car red", "car blue", "sky blue")) == dict.fromkeys(
        ["car red", "car blue", "sky blue"], "car red"
    )


def test_declared_types_are_not_proposed_anew_but_held_together():
    types = {"car-red": "colour", "car-silver": "paint", "noop": "blank"}
    assert types_proposal(types) == ""
    (line,) = types_problem(types)
    assert line.startswith("car-red and car-silver differ in one word, and are declared as 2 types (colour, paint)")
    assert [*types_problem(dict.fromkeys(types))] == []
    assert types_proposal(dict.fromkeys(types)).endswith("{car-red: car, car-silver: car, noop: noop}")
