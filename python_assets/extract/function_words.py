"""The language of a short running text by its function words, where a detector of letters would guess.

Words of a clause (pronouns, verbs, conjunctions, negations) tell a language; what also joins names and dishes
("de", "von", "al") only counts beside them. Where two languages that share their words are both possible, both are.
"""

import re
from collections.abc import Mapping
from typing import Final

# What a clause is made of; not what stands in names, titles and dishes.
_CLAUSAL: Final[Mapping[str, frozenset[str]]] = {
    code: frozenset(words.split())
    for code, words in {
        "en": "a in on me the of and to is are was were be been being have has had that this these those it its he "
        "she they them their his her you your i my we our us not but with for from by as at or if because would "
        "should could can will there which who what when where how why very more most some any than then into about "
        "do does did an may might must only also while during between both each other such no nor so all don doesn "
        "didn isn aren wasn won wouldn couldn ve ll re cannot please sorry help one just over after before out up",
        "es": "que no es son está están fue era ser estar ha han he puedo puede pueden puedes podría debe deben por "
        "para como más pero porque cuando donde quien una uno unos unas su sus mi tu se lo le les me te nos este esta "
        "esto estos estas ese esa eso muy sin sobre hay tiene tienen tengo también ya si sí entre cada ni todo todos "
        "toda todas nada siempre nunca otro otra otros mientras hacer siento gracias usted ustedes ella ellos él yo "
        "así aunque según desde hasta fueron había sido siendo ante",
        "pt": "que não é são está estão foi era ser estar há posso pode podem poderia deve devem por para como mais "
        "mas porque quando onde quem uma um uns umas seu sua seus suas meu minha se lhe me nos este esta isto essa "
        "esse isso muito sem sobre tem têm tenho também já entre cada nem tudo todos todas nada sempre nunca outro "
        "outra enquanto fazer desculpe obrigado obrigada você vocês ela eles ele eu assim embora até foram havia sido "
        "pela pelo pelas pelos aos às ao sinto ajudar",
        "fr": "que qui est sont était étaient être ai a ont avait peut peux peuvent doit doivent par pour comme plus "
        "mais parce quand où une un son sa ses mon ma mes se lui leur leurs me te nous vous il elle ils elles je tu "
        "on ce cet cette ces ne pas non très sans sur avec dans y cela ça si ou donc car entre chaque tout tous toute "
        "toutes rien toujours jamais autre autres aussi même faire désolé merci été étant selon sous vers qu suis "
        "sommes puis afin ainsi aux bien",
        "it": "no sì me che non è sono era erano essere ho ha hanno può posso possono deve devono per come più ma "
        "perché quando dove chi una uno un suo sua suoi sue mio mia si gli lo le mi ti ci vi questo questa questi "
        "queste quello quella molto senza sopra c anche già se tra fra ogni né tutto tutti tutta tutte niente sempre "
        "mai altro altra mentre fare spiace grazie lei lui loro io così sebbene secondo fino stato stata stati siamo "
        "essendo quindi oppure nella nelle nel nei sulla sul alla alle dalla dal",
        "de": "und ist sind war waren wird werden wurde wurden sein haben hat hatte hatten kann können könnte muss "
        "müssen soll sollte darf nicht kein keine keinen ich du er sie es wir ihr ihm ihn ihnen sich mich mir dir uns "
        "ein eine einen einem einer eines das dass dieser diese dieses diesem diesen mit für auf aus bei nach über "
        "unter vor zu zum zur im am vom als wie wenn weil aber oder auch noch nur schon sehr mehr immer alle alles "
        "leider tut leid danke hier dort so doch also ob seine seiner seinen ihre ihren ihrer meine man etwas jeder "
        "jede durch gegen ohne zwischen während möchte bin",
        "nl": "me het een en is zijn was waren wordt worden werd hebben heeft had kan kunnen moet moeten zal zou niet "
        "geen ik je jij hij zij ze wij we hun hem haar zich mij ons dat dit deze die met voor op uit bij naar over "
        "onder om te als maar of ook nog alleen al zeer meer altijd alle alles helaas sorry spijt dank hier daar zo "
        "dus omdat wanneer waar wie wat hoe door tegen zonder tussen tijdens wil ben mijn uw u",
        "id": "yang dan ini itu dengan untuk tidak adalah dari pada dalam akan saya anda dia mereka kami kita juga "
        "atau ada oleh bisa dapat karena bahwa sudah telah lebih sangat hanya seperti jika tetapi tapi namun maaf "
        "terima kasih bukan belum masih agar supaya sebagai harus para tersebut memiliki menjadi secara antara setiap "
        "semua lain tentang terhadap ke",
        "ms": "yang dan ini itu dengan untuk tidak adalah ialah dari daripada pada dalam akan saya anda dia mereka "
        "kami kita juga atau ada oleh boleh dapat kerana bahawa sudah telah lebih sangat hanya seperti jika tetapi "
        "namun maaf terima kasih bukan belum masih supaya sebagai perlu harus para tersebut mempunyai menjadi secara "
        "antara setiap semua lain tentang terhadap ke",
        "fi": "ja on ei en ole oli olivat olla että mutta tai kun jos koska niin myös voi voin voivat hän he minä "
        "sinä me te se ne tämä nämä joka jotka mitä mikä kuin vain hyvin enemmän aina kaikki anteeksi kiitos eikä "
        "eivät ovat ollut sekä tässä tätä sen niiden häntä pysty pysy sitä siitä kanssa ilman",
        "sv": "och är var att det som en ett den inte jag du han hon vi ni de dem sig mig dig oss sin sitt sina med "
        "för på av från till om men eller också bara mycket mer alltid alla kan kunde ska skulle måste har hade blir "
        "blev tyvärr tack här där så när hur vad vem varför efter genom mellan utan vara min",
        "da": "og er var at det som en et den ikke jeg du han hun vi i de dem sig mig dig os sin sit sine med for på "
        "af fra til om men eller også kun meget mere altid alle kan kunne skal skulle må har havde bliver blev "
        "desværre tak her der så når hvordan hvad hvem hvorfor efter gennem mellem uden være min",
        "no": "og er var at det som en et den ikke jeg du han hun vi dere de dem seg meg deg oss sin sitt sine med "
        "for på av fra til om men eller også bare veldig mer alltid alle kan kunne skal skulle må har hadde blir ble "
        "dessverre takk her der så når hvordan hva hvem hvorfor etter gjennom mellom uten være min",
        "pl": "na się nie jest są był była było były być że który która które jak ale lub czy dla od do po przez przy "
        "bez może mogę mogą można musi ja ty on ona ono my wy oni mnie jego jej ich tego tej tym ten ta te tylko "
        "także bardzo więcej zawsze wszystkie wszyscy przykro przepraszam dziękuję gdy jeśli ponieważ oraz za jako "
        "już jeszcze",
        "cs": "na se si ne není je jsou byl byla bylo být že který která které jak ale nebo pro od do po při bez může "
        "mohu mohou musí já ty on ona my vy oni mě jeho její jejich toho té tím ten ta také velmi více vždy všechny "
        "omlouvám děkuji když pokud protože za jako už ještě jsem jste",
        "ro": "și este sunt era au fost fi nu că care ce pentru cu din pe la în de un o al ale a să pot poate trebuie "
        "eu tu el ea noi voi ei ele îmi mă se lui lor acest această mai foarte doar dar sau dacă când unde cum "
        "întotdeauna toate toți rău mulțumesc fără între după prin",
        "tr": "ve bir bu şu o için ile değil var yok çok daha ama veya gibi olarak olan olduğu olduğunu ne kadar her "
        "ben sen biz siz onlar beni bana onun üzgünüm maalesef teşekkür edebilir edemem olabilir olmak sonra önce "
        "göre ancak çünkü eğer hem de da ki mi mı",
        "hu": "az és nem is hogy egy ez van volt lesz vagy de ha mert mint csak már még nagyon több mindig minden én "
        "te ő mi ti ők sajnálom köszönöm tudok tud lehet kell meg el ki be fel azt ezt aki ami amely",
        "vi": "là và của không có được cho với trong này đó một những các tôi bạn anh chị em họ chúng ta người rất "
        "cũng nhưng hoặc nếu vì khi để đã đang sẽ thể phải xin lỗi cảm ơn như từ về ra vào nên thì mà",
        "tl": "ang ng mga sa ay na at hindi ito iyon siya sila ako ikaw kami tayo ko mo niya nila ni si kay para kung "
        "dahil pero o din rin lang may mayroon wala ba po",
        "ca": "que no és són està era ser ha han puc pot poden per com més però perquè quan on una un seu seva seus "
        "el la els les em et es li ens us aquest aquesta això molt sense sobre hi té també ja entre cada tot tots res "
        "sempre altre fer sento gràcies amb i dels als ell ella jo així",
        "ru": "и в не на я что он она они мы вы это как но или для по с из к у за от же бы был была было были есть "
        "может могу можно нет да так только также очень если потому который которая мне меня вас его её их о при",
        "uk": "і в не на я що він вона вони ми ви це як але або для по з до у за від же був була було були є може "
        "можу можна ні так тільки також дуже якщо тому який яка мені мене вас його її їх про при та",
    }.items()
}

# What joins the words of a clause as well as those of a name.
_JOINING: Final[Mapping[str, frozenset[str]]] = {
    code: frozenset(words.split())
    for code, words in {
        "es": "de la el los las del al y o e con en a un",
        "pt": "de a o os as do da dos das e em no na nos nas com ou à",
        "fr": "de la le les du des et à au l d en s n c j m t",
        "it": "di la il i e a del della dei degli delle da in con o al ai l d un all dell",
        "de": "der die den dem des von in an um bis",
        "nl": "de van in den der aan",
        "id": "di si se",
        "ms": "di si se",
        "sv": "i och",
        "da": "i og",
        "no": "i og",
        "ca": "de del d l a en o",
        "pl": "a i o u w z",
        "cs": "a i k o s u v z",
        "hu": "a e s",
    }.items()
}

_KNOWN: Final = {code: words | _JOINING.get(code, frozenset()) for code, words in _CLAUSAL.items()}
_LANGUAGES_OF: Final = {
    word: [code for code, words in _KNOWN.items() if word in words] for word in frozenset().union(*_KNOWN.values())
}

_WORD: Final = re.compile(r"[^\W\d_]+")

# Below these nothing is decided: a title or the name of a dish has fewer.
LEAST_LETTERS: Final = 40
_LEAST_CLAUSAL: Final = 2
_LEAST_SHARE: Final = 0.25
# Of the words that tell the language another one has so many: it may be that; one more word makes it likelier so.
_NEAR: Final = 0.5
_TELLING: Final = 4
# Another one has a word of its own: it may still be that.
_STRAY: Final = 0.01


def is_clause(text: str) -> bool:
    """Whether a word of a text is made for clauses."""
    return any(word in words for word in _words(text) for words in _CLAUSAL.values())


def languages_by_words(text: str) -> dict[str, float] | None:
    """The languages that a short running text may be in, with their probabilities; None where it is not sure.

    Args:
        text: letters of the Latin or the Cyrillic script.
    """
    words = _words(text)
    if sum(map(len, words)) < LEAST_LETTERS:
        return None
    by_code: dict[str, list[str]] = {code: [] for code in _CLAUSAL}
    for word in words:
        for code in _LANGUAGES_OF.get(word, ()):
            by_code[code].append(word)
    best = max(by_code, key=lambda code: len(by_code[code]))
    telling = by_code[best]
    is_sure = (
        len(set(telling) & _CLAUSAL[best]) >= _LEAST_CLAUSAL
        and len(set(telling)) > _LEAST_CLAUSAL
        and len(telling) >= _LEAST_SHARE * len(words)
    )
    if not is_sure:
        return None
    known = _KNOWN[best]
    near = [code for code, hits in by_code.items() if len(hits) >= _NEAR * len(telling)]
    stray = [
        code for code, hits in by_code.items() if code not in near and not _CLAUSAL[code].isdisjoint({*hits} - known)
    ]
    weights = {code: len(by_code[code]) ** _TELLING for code in near}
    left = (1 - _STRAY * len(stray)) / sum(weights.values())
    return {code: left * weight for code, weight in weights.items()} | dict.fromkeys(stray, _STRAY)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
