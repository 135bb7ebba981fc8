import pytest

from ultan.recall.situations import ACTIVITIES, situations_of
from ultan.recall.tongues import STEMS, WORDS

SAID = {
    "de": ("committe das bitte", "installiere ein Paket für Datumswerte", "schreib die Doku", "veröffentliche das jetzt"),
    "es": ("commitea los cambios", "instala una librería para fechas", "escribe la documentación", "despliega ahora"),
    "fr": ("committez les changements", "ajoute une dépendance", "écris la documentation du module", "déploie maintenant"),
    "it": ("committa le modifiche", "installa una libreria per le date", "scrivi la documentazione", "rilascia adesso"),
    "pt": ("commita as mudanças", "adicione uma dependência", "escreva a documentação", "implantar agora"),
    "pt-BR": ("comita tudo", "instale um pacote para datas", "atualize a documentação", "publicar agora"),
    "nl": ("wijzigingen vastleggen", "installeer een pakket voor datums", "werk de documentatie bij", "nu uitrollen"),
    "pl": ("zacommituj zmiany", "zainstaluj pakiet do dat", "napisz dokumentację", "opublikuj teraz"),
    "ru": ("закоммить изменения", "установи пакет для дат", "обнови документацию", "задеплой сейчас"),
    "uk": ("закоміть зміни", "встанови бібліотеку для дат", "онови документацію", "випусти зараз"),
    "tr": ("commitle: commit at", "tarih için bir kütüphane ekle", "modülü belgele", "şimdi yayınla"),  # noqa: RUF001 -- as it is written
    "ar": ("نفّذ كوميت للتغييرات", "ثبّت حزمة للتواريخ", "حدّث التوثيق", "انشر الآن"),
    "hi": ("बदलाव कमिट करो", "एक पैकेज इंस्टॉल करो", "दस्तावेज लिखो", "अभी डिप्लॉय करो"),
    "ja": ("変更をコミットして", "日付のライブラリを追加して", "ドキュメントを書いて", "今デプロイして"),
    "ko": ("변경 사항을 커밋해", "날짜 라이브러리를 설치해", "문서를 써줘", "지금 배포해"),
    "zh": ("提交更改", "安装一个处理日期的包", "写文档", "现在部署"),
    "ga": ("tiomantas a dhéanamh: commit", "suiteáil leabharlann dátaí", "scríobh an doiciméadú", "foilsigh anois"),
}  # fmt: skip
ASKED = ("commits", "adds a dependency", "writes docs", "releases")


@pytest.mark.parametrize("language", sorted(SAID))
def test_what_is_being_done_is_told_in_the_languages_of_the_clerk(language: str) -> None:
    for prompt, situation in zip(SAID[language], ASKED, strict=True):
        assert situation in situations_of(prompt), (language, prompt)


@pytest.mark.parametrize(
    ("prompt", "situation"),
    [("führe die Tests aus", "runs tests"), ("laisse-moi relire avant", "reviews"), ("lösche den Ordner", "deletes"), ("запусти тесты", "runs tests"),
     ("テストを実行して", "runs tests"), ("审查这段代码", "reviews"), ("합치지 말고 병합해", "merges"), ("推送分支", "pushes")],
)  # fmt: skip
def test_tests_reviews_and_the_rest_too(prompt: str, situation: str) -> None:
    assert situation in situations_of(prompt)


@pytest.mark.parametrize("prompt", ["what is the total here", "prices in cents", "warum ist das so langsam", "где лежит конфигурация", "なぜ遅いのですか"])
def test_other_prompts_are_about_none_of_it(prompt: str) -> None:
    assert not set(situations_of(prompt)) & set(WORDS)


def test_only_situations_that_there_are_have_words_in_other_languages() -> None:
    assert set(WORDS) == set(STEMS) <= set(ACTIVITIES)
