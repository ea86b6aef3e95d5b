from python_assets.study.problems import MOST_NAMES, listed


def test_of_many_names_some_are_listed_and_the_others_counted():
    names = [f"n{number}" for number in range(MOST_NAMES + 3)]
    assert listed([]) == "none"
    assert listed(names[:MOST_NAMES]).endswith(f"'n{MOST_NAMES - 1}'")
    assert listed(names) == f"{listed(names[:MOST_NAMES])} and 3 more"
