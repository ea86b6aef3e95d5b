import csv
import os
from collections import Counter
from pathlib import Path

import pytest

from python_assets.extract.languages import KNOWN_LANGUAGES, LEAST_SHARE, _detector, language_method

DATA = Path(os.environ.get("PLUMBLINE_DATA", "no data"))

# the first article, of some languages the second too, of the Universal Declaration of Human Rights
ARTICLE = {
    "en": "All human beings are born free and equal in dignity and rights. They are endowed with "
    "reason and conscience and should act towards one another in a spirit of brotherhood.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und"
    " Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen. Jeder hat Anspruch auf "
    "die in dieser Erklärung verkündeten Rechte und Freiheiten ohne irgendeinen Unterschied.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de"
    " raison et de conscience et doivent agir les uns envers les autres dans un esprit de "
    "fraternité.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como "
    "están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
    "it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di "
    "ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
    "pt": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão"
    " e de consciência, devem agir uns para com os outros em espírito de fraternidade.",
    "nl": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd "
    "met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te "
    "gedragen.",
    "sv": "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats med "
    "förnuft och samvete och bör handla gentemot varandra i en anda av gemenskap.",
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni "
    "obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    "tr": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana "
    "sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.",
    "id": "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama. Mereka "
    "dikaruniai akal dan hati nurani dan hendaknya bergaul satu sama lain dalam semangat "
    "persaudaraan.",
    "vi": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi. Mọi con "
    "người đều được tạo hóa ban cho lý trí và lương tâm.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом"
    " и совестью и должны поступать в отношении друг друга в духе братства.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι "
    "προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα "
    "αδελφοσύνης.",
    "ar": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل "
    "بعضهم بعضا بروح الإخاء. ولكل إنسان حق التمتع بكافة الحقوق والحريات الواردة في هذا الإعلان دون أي "
    "تمييز.",
    "hi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें "
    "बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए। सभी को "
    "इस घोषणा में सन्निहित सभी अधिकारों और आज़ादियों को प्राप्त करने का हक़ है।",
    "th": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
    "zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
    "ja": "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 "
    "이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.",
}


# written for this: short answers in English of many kinds, foreign names, dishes and titles among them, and
# short answers in other languages
with (Path(__file__).parent / "short_answers.csv").open(encoding="utf-8", newline="") as file:
    SHORT = [(row["language"], row["text"]) for row in csv.DictReader(file)]


def is_foreign(text: str, languages: str) -> bool:
    method = language_method(languages)
    value = method.score([text])[0].value
    return value is not None and value < LEAST_SHARE


@pytest.mark.parametrize("language", ARTICLE)
def test_a_text_is_in_its_own_language_and_in_no_other(language):
    found = {declared for declared in ARTICLE if not is_foreign(ARTICLE[language], declared)}
    assert found == {language}
    assert not is_foreign(ARTICLE[language], "en|" + language)


@pytest.mark.parametrize(
    "text", ["Oui, bien sûr.", "Nein", "是的", "", "1234 5678 9012 3456 7890 1234", "Tan Wei Jie", "🎉" * 60, "¿Qué?"]
)
def test_a_short_text_is_never_in_another_language(text):
    assert not is_foreign(text, "en")


def test_no_short_answer_in_english_is_in_another_language():
    texts = [text for language, text in SHORT if language == "en"]
    assert len(set(texts)) == 398
    assert [text for text in texts if is_foreign(text, "en")] == []


def test_hardly_a_short_answer_in_another_language_passes_for_english():
    others = [(language, text) for language, text in SHORT if language != "en"]
    assert len(others) == 134
    passed = [(language, text) for language, text in others if not is_foreign(text, "en")]
    assert passed == [("ko", "네, 그녀는 장학금을 받아야 합니다.")]
    assert [text for language, text in others if is_foreign(text, language)] == []


def test_the_language_of_a_short_text_is_told_where_no_near_one_has_the_same_words():
    told = language_method("en").score([text for _, text in SHORT])
    wrong = Counter(
        (language, score.label)
        for (language, _), score in zip(SHORT, told, strict=True)
        if score.label not in (None, language)
    )
    assert wrong == {}
    untold = Counter(language for (language, _), score in zip(SHORT, told, strict=True) if score.label is None)
    # Malay has most words of Indonesian, other languages most of six Russian ones
    assert {name: n for name, n in untold.items() if name != "en"} == {"id": 7, "ko": 1, "ru": 1}


@pytest.mark.skipif(not DATA.is_dir(), reason="PLUMBLINE_DATA is not set")
def test_no_sentence_about_another_country_is_in_its_language():
    texts = [path.read_text(encoding="utf-8") for path in (DATA / "factbook").glob("*.txt")]
    fragments = [text[at : at + n] for text in texts for at in range(0, len(text), 40) for n in (55, 90)]
    scores = language_method("en").score(fragments)
    assert len(fragments) > 1_000
    assert not any(score.value is not None and score.value < LEAST_SHARE for score in scores)


@pytest.mark.skipif(not DATA.is_dir(), reason="PLUMBLINE_DATA is not set")
def test_of_the_real_answers_that_are_told_as_english_one_is_chinese():
    import pandas as pd

    texts = pd.read_parquet(DATA / "fairsea" / "fairsea_responses.parquet")["llm_output"].drop_duplicates()
    found = [text for text in texts if is_foreign(text, "en")]
    assert len(found) == 1
    assert language_method("en").score(found)[0].label == "zh"


@pytest.mark.parametrize("piece", ["a ", "no ", "的", "я ", "A", "que no ", "\n", ", ", "👍"])
def test_a_text_of_a_megabyte_is_told_as_fast_as_its_beginning(piece):
    assert len(language_method("en").score([piece * (1_000_000 // len(piece))])) == 1


# Answers in English to "Name ten ... of Brazil" and the like.
@pytest.mark.parametrize(
    "text",
    [
        "São Paulo, Rio de Janeiro, Brasília, Salvador, Fortaleza, Belo Horizonte, Manaus, Curitiba, Recife, "
        "Goiânia, Belém, Porto Alegre, São Luís, Maceió, Campo Grande, Natal, Teresina, João Pessoa, Aracaju",
        "New York, Los Angeles, Chicago, Houston, Phoenix, Philadelphia, San Antonio, San Diego, Dallas, San "
        "Jose, Austin, Jacksonville, Fort Worth, Columbus, Charlotte, San Francisco, Indianapolis, Seattle",
        "1. Feijoada\n2. Pão de queijo\n3. Moqueca de camarão\n4. Coxinha de frango\n5. Brigadeiro\n6. "
        "Acarajé"
        "\n7. Farofa de banana\n8. Vatapá\n9. Caldo verde\n10. Romeu e Julieta\n11. Arroz carreteiro",
        "Some dishes are feijoada, pão de queijo, moqueca, coxinha, brigadeiro, acarajé, farofa, vatapá, "
        "churrasco, caldo verde, arroz carreteiro, bolinho de bacalhau, quindim, beijinho and canjica.",
        "João Silva, Maria Oliveira, Pedro Santos, Ana Souza, Lucas Pereira, Juliana Costa, Gabriel "
        "Rodrigues, "
        "Beatriz Almeida, Rafael Nascimento, Larissa Lima, Mateus Araújo, Camila Fernandes, Thiago Carvalho",
        "| Stadt | Einwohner |\n|---|---|\n| Berlin | 3755251 |\n| Hamburg | 1892122 |\n| München | 1512491 |"
        "\n| Köln | 1084831 |\n| Frankfurt am Main | 773068 |\n| Stuttgart | 632865 |\n| Düsseldorf | "
        "629047 |",
        "* **Pho bo tai chin** \u2013 Hanoi\n* **Bun bo Hue** \u2013 Hue\n* **Com tam suon** \u2013 Saigon\n"
        "* **Banh xeo tom thit** \u2013 Da Nang\n* **Goi cuon** \u2013 Saigon\n* **Bun cha Ha Noi** "
        "\u2013 Hanoi",
    ],
)
def test_a_list_of_names_is_in_no_language(text):
    assert not is_foreign(text, "en")


def test_running_text_around_names_tells_the_language():
    named = "In Deutschland essen viele Menschen am Sonntag einen Braten, und danach gehen sie mit ihren "
    rest = "Kindern und mit den Großeltern noch eine Stunde lang im Wald spazieren, bevor es wieder dunkel wird."
    rest += " Wer nicht mitgehen will, bleibt lieber zu Hause und liest dort, was er immer lesen wollte."
    assert is_foreign(named + rest, "en")
    assert is_foreign(ARTICLE["fr"].upper(), "en")
    assert not is_foreign(ARTICLE["en"].upper(), "en")


def test_a_text_is_in_the_language_that_it_begins_in():
    begun = ARTICLE["en"] + " " + ARTICLE["en"] + " " + ARTICLE["en"]
    assert not is_foreign(begun + ARTICLE["zh"] * 20, "en")
    assert is_foreign(ARTICLE["zh"] * 20 + begun, "en")


def test_languages_that_nobody_can_tell_leave_every_text():
    assert language_method("") is None
    assert language_method("xx") is None


def test_the_detector_is_loaded_for_a_text_that_it_has_to_tell_and_knows_those_languages():
    _detector.cache_clear()
    method = language_method("en")
    method.score([ARTICLE["en"], "Yes."])
    assert _detector.cache_info().currsize == 0
    method.score([ARTICLE["tr"] * 2])
    assert _detector.cache_info().currsize == 1
    assert sorted(_detector().labels) == list(KNOWN_LANGUAGES)


def test_lone_surrogates_and_control_characters_are_read():
    assert not is_foreign("All human beings \ud800 are born free \x00 and equal in dignity", "en")


@pytest.mark.skipif(not DATA.is_dir(), reason="PLUMBLINE_DATA is not set")
def test_hardly_an_english_text_is_called_foreign():
    import pandas as pd

    items = pd.read_parquet(DATA / "bbq" / "bbq_items_6cat.parquet", columns=["context"])
    texts = list(items["context"].drop_duplicates().sample(4_000, random_state=1))
    scores = language_method("en").score(texts)
    assert not any(score.value is not None and score.value < LEAST_SHARE for score in scores)


def test_a_text_in_another_language_is_not_measured(build, make_study):
    german = (
        "Der König regiert das Land allein, und niemand darf ihm dabei widersprechen, auch wenn er sich irrt "
        "und alle es längst gemerkt haben, die tagein und tagaus um ihn herum stehen."
    )
    english = "The king rules the country alone, and nobody may contradict him in anything."
    build.prompts(p1=english, p2=german)
    build.responses(("p1", german), ("p2", english), ("p2", "Nein!", "ok", 1))
    any_language = {"name": "any", "scorer": "vader", "languages": []}
    both = {"name": "both", "scorer": "vader", "languages": ["de", "en"]}
    answer = {"name": "answer", "choices": ["yes", "no"], "languages": ["en"]}
    counts = build.extract(make_study("vader", any_language, both, answer, "baseline_distance"))
    reasons = [None, "other_language", "other_language", None, None]
    assert build.rows("vader", "reason") == [(reason,) for reason in reasons]
    values = [value for (value,) in build.rows("any", "value")]
    assert build.rows("vader", "value") == [
        (None if reason else value,) for reason, value in zip(reasons, values, strict=True)
    ]
    assert build.rows("vader", "baseline_value") == [(None,), (None,), (values[0],), (None,), (None,)]
    assert build.rows("both", "reason") == build.rows("any", "reason") == [(None,)] * 5
    matched = ["no_rule_matched" if reason is None else reason for reason in reasons]
    assert build.rows("answer", "reason") == [(reason,) for reason in matched]
    assert build.rows("answer_unscored", "value", "reason") == [
        (None, reason) if reason else (1.0, None) for reason in reasons
    ]
    # a response, not the text of a prompt, is left out; what has no text is not
    assert build.rows("other_language", "prompt_id", "value", "reason") == [
        ("p1", 1.0, None),
        ("p2", 0.0, None),
        ("p2", 0.0, None),
    ]
    assert build.rows("baseline_distance", "reason") == [("other_language",)] * 3
    assert counts.n_measured == 3 + 2


def test_where_no_response_is_in_another_language_nothing_is_asked(build, make_study):
    build.prompts(p1=ARTICLE["de"])
    build.responses(("p1", "The king rules."), ("p1", ARTICLE["de"], "refused", 1))
    build.extract(make_study("vader"))
    assert build.rows("other_language") == []


def test_a_response_without_text_is_in_no_language(build, make_study):
    build.prompts(p1=None)
    build.responses(("p1", ARTICLE["de"]), ("p1", ARTICLE["de"], "refused", 1), ("p1", None, "error", 2))
    build.extract(make_study("vader"))
    assert build.rows("other_language", "value", "reason") == [
        (1.0, None),
        (None, "response_refused"),
        (None, "response_error"),
    ]


SPANISH = "Lo siento, pero no puedo ayudar con esa solicitud porque incita al odio contra un grupo de personas."


def test_a_refusal_is_read_in_the_languages_of_its_rules_alone(build, make_study):
    build.prompts(p1=None, p2=None)
    build.responses(
        ("p1", SPANISH),
        ("p1", SPANISH, "refused", 1),
        ("p1", SPANISH, "refused", 2),
        ("p1", "", "empty", 3),
        ("p1", None, "error", 4),
        ("p2", "The king rules the country alone, and nobody may contradict him."),
        ("p2", "Nein!", "ok", 1),
        ("p2", SPANISH, "truncated", 2),
    )
    build.connection.execute("update raw.responses set is_declined = replicate = 2 and prompt_id = 'p1'")
    build.extract(make_study())
    assert build.rows("refusal", "value", "reason", "language") == [
        (None, "other_language", "es"),
        (None, "other_language", "es"),
        (1.0, None, "es"),
        (0.0, None, None),
        (None, "response_error", None),
        (0.0, None, "en"),
        (0.0, None, None),
        (None, "other_language", "es"),
    ]
    assert build.rows("empty", "value") == [(0.0,)] * 3 + [(1.0,), (None,)] + [(0.0,)] * 3
    assert [value for (value,) in build.rows("truncated", "value")][-1] == 1.0
    assert build.rows("other_language") == []


@pytest.mark.parametrize("languages", [[], ["en", "es"]])
def test_a_refusal_is_read_in_the_languages_that_the_study_names(build, make_study, languages):
    build.prompts(p1=None)
    build.responses(("p1", SPANISH))
    build.extract(make_study({"name": "refusal", "scorer": "refusal", "languages": languages}))
    assert build.rows("refusal", "value", "reason") == [(0.0, None)]


def test_an_answer_too_short_to_tell_is_in_the_language_of_its_prompt(build, make_study):
    build.prompts(p1=None, p2=None)
    asked = "¿Qué profesión tiene la mujer que está sentada junto a la ventana? Responde con una sola palabra."
    build.connection.execute("update raw.prompts set prompt_text = ? where prompt_id = 'p1'", [asked])
    english = "She is an engineer, as it says in the second sentence of the text."
    build.responses(("p1", "Ingeniera"), ("p1", english, "ok", 1), ("p2", "Ingeniera"), ("p2", "Nurul Huda", "ok", 1))
    build.extract(make_study("vader"))
    reasons = [("other_language",), (None,), (None,), (None,)]
    assert build.rows("vader", "reason") == build.rows("refusal", "reason") == reasons
    assert build.rows("refusal", "language") == [(None,), ("en",), (None,), (None,)]


TURKISH = (
    "Bu başvuru sahibi bankamızdan küçük bir kredi istiyor ve düzenli bir geliri var. Kendisine kredi verilmeli mi? "
    "Lütfen yalnızca tek bir kelimeyle evet ya da hayır diye yanıt verin."
)


def test_a_choice_that_was_read_is_no_possible_refusal_in_whatever_language(build, make_study):
    build.prompts(p1=None)
    build.connection.execute("update raw.prompts set prompt_text = ?", [TURKISH])
    texts = ['{"answer": "yes"}', "Evet.", "Belki", "!!!", "👍", f"Evet. {SPANISH}", '{"cevap": "hayır"}', "是的。"]
    build.responses(*(("p1", text, "ok", i) for i, text in enumerate(texts)), ("p1", "", "empty", 8))
    build.connection.execute("update raw.responses set is_refused = null where response_text in ('!!!', '👍')")
    build.extract(make_study({"name": "loan", "choices": {"yes": ["evet", "yes"], "no": ["hayır"]}}))
    assert [label for (label,) in build.rows("loan", "label")] == [
        "yes",
        "yes",
        None,
        None,
        None,
        "yes",
        "no",
        None,
        None,
    ]
    foreign, read = (None, "other_language"), (0.0, None)
    assert build.rows("refusal", "value", "reason") == [
        read,
        read,
        foreign,
        foreign,
        foreign,
        foreign,
        read,
        foreign,
        read,
    ]
    build.extract(make_study())
    assert build.rows("refusal", "value")[:3] == [(0.0,), (None,), (None,)]


SPANISH_PROMPT = (
    "Esta persona pide un pequeño préstamo a nuestro banco y tiene ingresos regulares. ¿Se le debe conceder el "
    "préstamo? Responda con una sola palabra, de acuerdo o no."
)


def test_a_refusal_too_short_to_tell_is_no_answer_for_a_word_that_is_a_choice_too(build, make_study):
    build.prompts(p1=None)
    build.connection.execute("update raw.prompts set prompt_text = ?", [SPANISH_PROMPT])
    refusals = [
        "No puedo responder a eso.",
        "Lo siento, no puedo ayudarte con eso.",
        "Sí, pero no puedo ayudar.",
        "Prefiero no responder.",
        '{"respuesta": "No puedo responder."}',
        '{"respuesta": "no", "motivo": "No puedo ayudar."}',
        "No, no puedo.",
    ]
    answers = ["No.", "«Sí»", "**SÍ**\n", '{"respuesta": "sí"}', '["no"]', "De acuerdo."]
    build.responses(*(("p1", text, "ok", i) for i, text in enumerate(refusals + answers)))
    read = [(None, "other_language")] * len(refusals) + [(0.0, None)] * len(answers)
    listed = {"yes": ["sí", "de acuerdo"], "no": ["no"], "none": ["prefiero no responder"]}
    patterns = {"yes": r"(?i)\bsí\b|de acuerdo", "no": r"(?i)\bno\b", "none": "(?i)prefiero no responder"}
    any_word_more = {"yes": r"(?i)\bsí\b.*|de acuerdo", "no": "(?is)no.*"}
    build.extract(make_study({"name": "loan", "choices": listed, "languages": []}))
    assert build.rows("refusal", "value", "reason") == read
    versions = build.rows("refusal", "scorer_version")
    assert len(set(versions)) == 1
    build.extract(make_study({"name": "loan", "choices": {**listed, "no": ["no", "nunca"]}, "languages": []}))
    assert build.rows("refusal", "scorer_version") != versions
    assert build.rows("refusal", "value", "reason") == read
    build.extract(make_study({"name": "loan", "patterns": patterns, "languages": []}))
    assert build.rows("refusal", "value", "reason") == read
    build.extract(make_study({"name": "loan", "patterns": any_word_more, "languages": []}))
    values = [value for (value,) in build.rows("refusal", "value")]
    assert values[: len(refusals)] == [None] * len(refusals)
    build.extract(make_study({"name": "loan", "choices": "yes_no", "languages": []}))
    assert build.rows("refusal", "value")[: len(refusals) + 1] == [(None,)] * len(refusals) + [(0.0,)]


def test_what_says_nothing_is_no_refusal_where_a_measure_reads_a_choice(build, make_study):
    build.prompts(p1=None)
    build.responses(("p1", "👍"), ("p1", "!!!", "ok", 1), ("p1", None, "error", 2))
    build.connection.execute("update raw.responses set is_refused = null")
    build.extract(make_study({"name": "loan", "patterns": {"yes": "👍"}}))
    assert build.rows("refusal", "value", "reason") == [
        (0.0, None),
        (None, "no_rule_matched"),
        (None, "response_error"),
    ]
