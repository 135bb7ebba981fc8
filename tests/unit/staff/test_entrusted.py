"""What a person asks to be remembered, in so many words, is remembered."""

# ruff: noqa: RUF001 -- letters of the languages under test
import pytest

from ultan.events import Piece, Transcript
from ultan.library.snapshot import read_library
from ultan.library.twin import MemoryStore
from ultan.staff import clerk
from ultan.staff.cues import languages


def suggested(text):
    transcript = Transcript("s", "shop", [Piece("p", "user", text, "", 0)])
    return clerk.propose(transcript, read_library(MemoryStore())).suggestions


@pytest.mark.parametrize(
    "text",
    [
        "Remember: every commit message starts with the ticket number.",
        "remember that we deploy on Tuesdays only",
        "Please remember: the staging database is read-only.",
        "Keep in mind that the API is rate limited to 10 calls a minute.",
        "For future reference, the fixtures live in tests/data.",
    ],
)
def test_an_outright_request_is_kept(text):
    (one,) = suggested(text)
    assert one.action.verb == "create"
    assert one.action.evidence[0].quote in text


@pytest.mark.parametrize(
    "text",
    [
        "do you remember that bug from yesterday?",
        "I can't remember where the config is",
        "remember me?",
        "Remember, consistency is key.",
        "And remember, if you have any questions about the code, ask.",
        "Remember to have a break, the build takes a while.",
        "Don't forget to bring the laptop.",
        "Keep in mind that everyone is busy with their own tasks.",
        "Remember when we talked about formatting?",
    ],
)
def test_talk_of_remembering_is_no_request(text):
    assert not suggested(text)


# Two a language: with a colon, and as a sentence.
ELSEWHERE = {
    "de": ("Merk dir: die Staging-Datenbank ist schreibgeschützt.", "Bitte denk daran, dass wir nur dienstags deployen."),
    "fr": ("Retiens : la base de staging est en lecture seule.", "N'oublie pas que la base de données est en lecture seule."),
    "es": ("Recuerda: la base de datos de staging es de solo lectura.", "Ten en cuenta que solo desplegamos los martes."),
    "pt": ("Lembra-te: a base de dados de staging é só de leitura.", "Não te esqueças que só fazemos deploy às terças."),
    "pt-BR": ("Lembre-se: o banco de dados é somente leitura, você entendeu.", "Lembre que a gente só faz deploy às terças, tá."),
    "it": ("Ricorda: il database di staging è in sola lettura.", "Tieni presente che facciamo il deploy solo il martedì."),
    "nl": ("Onthoud: de staging-database is alleen-lezen.", "Vergeet niet dat we alleen op dinsdag deployen."),
    "pl": ("Zapamiętaj: baza danych stagingu jest tylko do odczytu.", "Pamiętaj, że wdrażamy tylko we wtorki."),
    "ru": ("Запомни: база данных staging только для чтения.", "Имей в виду, что мы деплоим только по вторникам."),
    "uk": ("Запам'ятай: база даних staging лише для читання.", "Май на увазі, що ми деплоїмо лише у вівторок."),
    "tr": ("Unutma: staging veritabanı salt okunurdur.", "Sadece salı günleri deploy ettiğimizi unutma."),
    "ar": ("تذكر: قاعدة بيانات staging للقراءة فقط.", "لا تنس أن قاعدة البيانات للقراءة فقط."),
    "hi": ("याद रखना: staging डेटाबेस केवल पढ़ने के लिए है।", "याद रखो कि हम केवल मंगलवार को deploy करते हैं।"),
    "ja": ("覚えておいて：ステージングのデータベースは読み取り専用です。", "デプロイは火曜日だけだと覚えておいてください。"),
    "ko": ("기억해: 스테이징 데이터베이스는 읽기 전용이야.", "배포는 화요일에만 한다는 걸 기억해 줘."),
    "zh": ("记住：预发布数据库是只读的。", "请记住，我们只在星期二部署。"),
    "ga": ("Cuimhnigh: tá an bunachar sonraí inléite amháin.", "Cuimhnigh go ndéanaimid deploy ar an Máirt amháin."),
}  # fmt: skip
# Talk in which the same words are no request.
ASIDES = {
    "de": "Erinnerst du dich an den Fehler von gestern?", "fr": "Tu te souviens du bug d'hier ?", "es": "¿Recuerdas el error de ayer?",
    "pt": "Lembras-te do erro de ontem?", "pt-BR": "Você lembra do erro de ontem?", "it": "Ti ricordi il bug di ieri?",
    "nl": "Weet je die fout van gisteren nog?", "pl": "Pamiętasz ten błąd z wczoraj?", "ru": "Помнишь вчерашнюю ошибку?",
    "uk": "Пам'ятаєш вчорашню помилку?", "tr": "Dünkü hatayı hatırlıyor musun?", "ar": "هل تتذكر خطأ الأمس؟", "hi": "क्या तुम्हें कल की गलती याद है?",
    "ja": "昨日のバグを覚えている？", "ko": "어제 버그 기억해?", "zh": "你记得昨天的错误吗？", "ga": "An cuimhin leat an fhadhb inné?",
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text"), [(code, text) for code, pair in ELSEWHERE.items() for text in pair]
)
def test_an_outright_request_is_kept_in_every_language(language, text):
    (one,) = suggested(text)
    assert one.action.verb == "create"
    assert one.action.evidence[0].quote == text or one.action.evidence[0].quote == text.rstrip(".।。")
    assert language in languages()


@pytest.mark.parametrize("text", ASIDES.values(), ids=list(ASIDES))
def test_talk_of_remembering_is_no_request_in_any_language(text):
    assert not suggested(text)


def test_every_language_has_its_request():
    assert {"en", *ELSEWHERE} == {"en", *ASIDES} == set(languages())


def test_the_request_itself_is_no_part_of_the_rule():
    (one,) = suggested("Merk dir: die Staging-Datenbank ist schreibgeschützt.")
    assert one.action.rule == "Die Staging-Datenbank ist schreibgeschützt."
