from python_assets.texts.documents import document_ids


def test_a_relative_path_is_its_own_id():
    assert document_ids(["texts/a.txt"]) == {"texts/a.txt": "texts/a.txt"}


def test_others_are_named_by_as_much_as_tells_them_apart():
    assert list(document_ids(["/data/x/a.txt", "/data/y/b.txt"]).values()) == ["a.txt", "b.txt"]
    assert list(document_ids(["/data/x/a.txt", "/data/y/a.txt"]).values()) == ["x/a.txt", "y/a.txt"]
    assert list(document_ids(["/data/x/a.txt", "a.txt"]).values()) == ["a.txt", "x/a.txt"]


def test_an_engine_and_a_name_with_a_colon_are_ids_themselves():
    names = ["engine:writer/articles/Italy/1", "a: b.txt"]
    assert document_ids(names) == {name: name for name in names}


def test_a_page_is_named_by_the_end_of_its_address():
    assert document_ids(["https://example.org/wiki/Italy"]) == {"https://example.org/wiki/Italy": "Italy"}
