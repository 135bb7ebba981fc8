"""The clerk in each language it knows: rules kept, orders of the moment left, corrections understood."""

# ruff: noqa: RUF001 -- letters of the languages under test
import pytest

from ultan.events import Piece, Transcript
from ultan.library.snapshot import read_library
from ultan.library.twin import MemoryStore
from ultan.staff import cues, subjects
from ultan.staff.clerk import propose, weigh
from ultan.staff.statements import statements
from ultan.staff.weights import THRESHOLD

EMPTY = read_library(MemoryStore())


def rules(text):
    proposal = propose(Transcript("s", "shop", [Piece("p", "user", text)]), EMPTY)
    return [suggestion.action for suggestion in proposal.suggestions]


def check(language, standing, momentary):
    """*standing*: uv not pip · tests for every function · hands off migrations · short answers · as I said · fn_."""
    for text in standing:
        assert len(rules(text)) >= 1, text
    for text in momentary:
        assert rules(text) == [], text
    table = cues.table(language)
    packages, tests, hands_off, answers, reminded, names = standing
    subject = subjects.subject_of(packages, table)
    assert "uv" in subject.wants
    assert "pip" in subject.bans
    assert any("pip" in trigger.pattern for trigger in rules(packages)[0].triggers)
    assert {"test", "function"} <= subjects.subject_of(tests, table).concepts
    assert subjects.subject_of(hands_off, table).negative
    assert subjects.subject_of(reminded, table).negative
    assert rules(answers)[0].kind == "preference"
    (slot, *_) = subjects.subject_of(names, table).slots
    assert (slot.aspect, slot.target, slot.values) == ("prefix", {"function"}, {"fn_"})


def test_german():
    check(
        "de",
        (
            "Nein, benutze immer uv, nie pip.",
            "Ab jetzt schreibst du für jede neue Funktion Tests.",
            "Fass den Ordner migrations nie wieder an!",
            "Ich bevorzuge kurze Antworten.",
            "Wie gesagt: keine Kommentare, die nur den Code wiederholen.",
            "Funktionsnamen sollen immer mit 'fn_' beginnen.",
        ),
        (
            "Mach das rückgängig.",
            "Schreib noch keinen Code.",
            "Warum schlägt der Test fehl?",
            "Zeig mir die Datei.",
        ),
    )


def test_french():
    check(
        "fr",
        (
            "Non, utilise toujours uv, jamais pip.",
            "Désormais, écris des tests pour chaque nouvelle fonction.",
            "Ne touche plus jamais au dossier migrations !",
            "Je préfère des réponses courtes.",
            "Comme je l'ai dit, pas de commentaires inutiles dans le code.",
            "Les noms de fonctions doivent toujours commencer par 'fn_'.",
        ),
        (
            "Annule ça.",
            "N'écris pas encore de code.",
            "Pourquoi le test échoue ?",
            "Montre-moi le fichier.",
        ),
    )


def test_spanish():
    check(
        "es",
        (
            "No, usa siempre uv, nunca pip.",
            "A partir de ahora escribe pruebas para cada función nueva.",
            "¡No toques nunca más la carpeta migrations!",
            "Prefiero respuestas cortas.",
            "Como te dije, nada de comentarios inútiles en el código.",
            "Los nombres de funciones deben empezar siempre con 'fn_'.",
        ),
        (
            "Deshaz eso.",
            "No escribas código todavía.",
            "¿Por qué falla la prueba?",
            "Muéstrame el archivo.",
        ),
    )


def test_portuguese():
    check(
        "pt",
        (
            "Não, usa sempre uv, nunca pip.",
            "A partir de agora escreve testes para cada nova função.",
            "Nunca mais mexas na pasta dos ficheiros migrations!",
            "Prefiro respostas curtas, tu sabes.",
            "Como eu disse, nada de comentários inúteis no código do projecto.",
            "Os nomes das funções devem começar sempre com 'fn_'.",
        ),
        (
            "Desfaz isso.",
            "Ainda não escrevas código.",
            "Porque é que o teste falha?",
            "Mostra-me o ficheiro.",
        ),
    )


def test_brazilian_portuguese():
    check(
        "pt-BR",
        (
            "Não, use sempre uv, nunca pip, tá?",
            "Daqui pra frente escreva testes para cada função nova, por favor.",
            "Nunca mais mexa na pasta migrations do arquivo, você quebrou tudo!",
            "A gente prefere respostas curtas.",
            "Eu já falei: nada de comentários inúteis no código, você sabe.",
            "Os nomes das funções devem sempre começar com 'fn_', você entendeu?",
        ),
        (
            "Desfaça isso.",
            "Ainda não escreva código.",
            "Por que o teste falha?",
            "Me mostre o arquivo.",
        ),
    )


def test_italian():
    check(
        "it",
        (
            "No, usa sempre uv, mai pip.",
            "D'ora in poi scrivi test per ogni nuova funzione.",
            "Non toccare mai più la cartella migrations!",
            "Preferisco risposte brevi.",
            "Come ho detto, niente commenti inutili nel codice.",
            "I nomi delle funzioni devono sempre iniziare con 'fn_'.",
        ),
        (
            "Annulla.",
            "Non scrivere ancora codice, per ora.",
            "Perché il test fallisce?",
            "Mostrami il file.",
        ),
    )


def test_dutch():
    check(
        "nl",
        (
            "Nee, gebruik altijd uv, nooit pip.",
            "Vanaf nu schrijf je tests voor elke nieuwe functie.",
            "Raak de map migrations nooit meer aan!",
            "Ik heb liever korte antwoorden.",
            "Zoals gezegd: geen overbodige commentaar in de broncode.",
            "Functienamen moeten altijd met 'fn_' beginnen.",
        ),
        (
            "Maak dat ongedaan.",
            "Schrijf nog niet de code.",
            "Waarom faalt de test?",
            "Laat me het bestand zien.",
        ),
    )


def test_polish():
    check(
        "pl",
        (
            "Nie, zawsze używaj uv, nigdy pip.",
            "Od teraz pisz testy dla każdej nowej funkcji.",
            "Nigdy więcej nie dotykaj folderu migrations!",
            "Wolę krótkie odpowiedzi.",
            "Jak mówiłem, nie dodawaj zbędnych komentarzy w kodzie.",
            "Nazwy funkcji muszą zawsze zaczynać się od 'fn_'.",
        ),
        (
            "Cofnij to.",
            "Nie pisz jeszcze kodu, na razie.",
            "Dlaczego test nie działa?",
            "Pokaż mi plik.",
        ),
    )


def test_russian():
    check(
        "ru",
        (
            "Нет, всегда используй uv, никогда pip.",
            "Отныне пиши тесты для каждой новой функции.",
            "Больше никогда не трогай папку migrations!",
            "Я предпочитаю короткие ответы.",
            "Как я говорил, не добавляй лишние комментарии в код.",
            "Имена функций должны всегда начинаться с 'fn_'.",
        ),
        (
            "Откати это.",
            "Пока не пиши код.",
            "Почему тест падает?",
            "Покажи файл.",
        ),
    )


def test_ukrainian():
    check(
        "uk",
        (
            "Ні, завжди використовуй uv, ніколи pip.",
            "Відтепер пиши тести для кожної нової функції.",
            "Більше ніколи не чіпай папку migrations, це заборонено!",
            "Я віддаю перевагу коротким відповідям.",
            "Як я казав, не додавай зайві коментарі в код.",
            "Імена функцій повинні завжди починатися з 'fn_'.",
        ),
        (
            "Скасуй це і відкоти.",
            "Поки не пиши код, ще рано її міняти.",
            "Чому тест падає, що з ним?",
            "Покажи її файл.",
        ),
    )


def test_turkish():
    check(
        "tr",
        (
            "Hayır, her zaman uv kullan, asla pip kullanma.",
            "Bundan sonra her yeni fonksiyon için test yaz.",
            "Bir daha asla migrations klasörüne dokunma!",
            "Kısa cevapları tercih ederim.",
            "Dediğim gibi, koda gereksiz yorum ekleme.",
            "Fonksiyon adları her zaman 'fn_' ile başlamalı.",
        ),
        (
            "Bunu geri al.",
            "Henüz kod yazma.",
            "Test neden çalışmıyor?",
            "Bana dosyayı göster.",
        ),
    )


def test_arabic():
    check(
        "ar",
        (
            "لا، استخدم دائما uv، ولا تستخدم pip أبدا.",
            "من الآن فصاعدا اكتب اختبارات لكل دالة جديدة.",
            "لا تلمس مجلد migrations أبدا!",
            "أفضل الإجابات القصيرة، إجابات قصيرة.",
            "كما قلت، لا تضف تعليقات غير ضرورية في الكود.",
            "أسماء الدوال يجب أن تبدأ دائما بـ 'fn_'.",
        ),
        (
            "تراجع عن ذلك.",
            "لا تكتب الكود الآن، ليس بعد.",
            "لماذا فشل الاختبار؟",
            "أرني الملف.",
        ),
    )


def test_hindi():
    check(
        "hi",
        (
            "नहीं, हमेशा uv इस्तेमाल करो, pip कभी मत इस्तेमाल करो।",
            "अब से हर नए फ़ंक्शन के लिए टेस्ट लिखो।",
            "migrations फ़ोल्डर को कभी मत छुओ!",
            "मुझे छोटे जवाब पसंद हैं।",
            "जैसा मैंने कहा, कोड में बेकार टिप्पणियाँ मत जोड़ो।",
            "फ़ंक्शन के नाम हमेशा 'fn_' से शुरू होने चाहिए।",
        ),
        (
            "इसे वापस करो।",
            "अभी मत कोड लिखो।",
            "टेस्ट क्यों फेल हो रहा है?",
            "मुझे फ़ाइल दिखाओ।",
        ),
    )


def test_japanese():
    check(
        "ja",
        (
            "いや、常に uv を使って、pip は絶対に使わないで。",
            "今後は新しい関数には必ずテストを書いてください。",
            "migrations フォルダには二度と触らないで！",
            "短い回答の方がいいです。簡潔な回答が好きです。",
            "前にも言ったように、コードに不要なコメントを追加しないで。",
            "関数名は必ず 'fn_' で始めること。",
        ),
        (
            "元に戻して。",
            "まだコードを書かないで。",
            "なぜテストが失敗しますか？",
            "ファイルを見せて。",
        ),
    )


def test_korean():
    check(
        "ko",
        (
            "아니, 항상 uv를 사용하고 pip는 절대 쓰지 마.",
            "앞으로 새 함수마다 반드시 테스트를 작성해 줘.",
            "migrations 폴더는 다시는 건드리지 마!",
            "나는 짧은 답변을 선호해.",
            "말했듯이 코드에 불필요한 주석을 추가하지 마.",
            "함수 이름은 항상 'fn_'로 시작해야 해.",
        ),
        (
            "되돌려 줘.",
            "아직 코드를 쓰지 마.",
            "왜 테스트가 실패하나요?",
            "파일을 보여줘.",
        ),
    )


def test_chinese():
    check(
        "zh",
        (
            "不，总是使用 uv，绝不使用 pip。",
            "从现在起，每个新函数都要写测试。",
            "以后不要再碰 migrations 文件夹！",
            "我更喜欢简短的回答。",
            "我说过，不要在代码里加多余的注释。",
            "函数名必须始终以 'fn_' 开头。",
        ),
        (
            "撤销这个。",
            "先不要写代码。",
            "为什么测试失败了？",
            "给我看一下文件。",
        ),
    )


def test_irish():
    check(
        "ga",
        (
            "Ní hea, úsáid uv i gcónaí, ná húsáid pip riamh.",
            "As seo amach, scríobh tástálacha do gach feidhm nua.",
            "Ná bain leis an bhfillteán migrations go deo arís!",
            "Is fearr liom freagraí gearra.",
            "Mar a dúirt mé, ná cuir tráchtanna gan ghá sa chód.",
            "Caithfidh ainmneacha na bhfeidhmeanna tosú le 'fn_' i gcónaí.",
        ),
        (
            "Cealaigh é sin agus cuir ar ais é.",
            "Ná scríobh cód fós.",
            "Cén fáth ar theip ar an tástáil?",
            "Taispeáin an comhad dom.",
        ),
    )


def test_every_table_has_its_test():
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    for language in cues.languages():
        raw = cues.table(language)
        assert raw.common, language
    assert len(tested - {"every_table_has_its_test"}) >= len(cues.languages()) - 1


@pytest.mark.parametrize("language", [code for code in cues.languages() if code != "en"])
def test_the_language_is_told_by_its_words(language):
    table = cues.table(language)
    assert table.language == language
    assert {"never", "standing", "ban", "norm"} <= {
        phrase.name for group in (*table.exact.values(), *table.stems.values()) for phrase in group
    }


# How the agent answers or asks · what comes again and again · a bound that a number gives.
FORMS = {
    "de": ("Frag mich zuerst, bevor du etwas installierst.", "Schreib nach jeder Änderung einen Test.", "Funktionen sollen höchstens 40 Zeilen haben."),
    "fr": ("Sois bref dans tes réponses.", "Écris un test pour chaque nouvelle fonction.", "Les fonctions doivent avoir au plus 40 lignes."),
    "es": ("Sé breve y no uses emojis en tus respuestas.", "Escribe un test después de cada cambio.", "Las funciones deben tener como máximo 40 líneas."),
    "pt": ("Pergunta-me primeiro antes de instalar alguma coisa.", "Escreve um teste para cada nova função.", "As funções devem ter no máximo 40 linhas."),
    "pt-BR": ("Me pergunte antes de instalar qualquer coisa.", "Escreva um teste para cada nova função.", "As funções devem ter no máximo 40 linhas."),
    "it": ("Sii breve e non usare emoji nelle tue risposte.", "Scrivi un test per ogni nuova funzione.", "Le funzioni devono avere al massimo 40 righe."),
    "nl": ("Vraag me eerst voordat je iets installeert.", "Schrijf een test voor elke nieuwe functie.", "Functies moeten hoogstens 40 regels hebben."),
    "pl": ("Odpowiadaj krótko i nie używaj emoji.", "Pisz test dla każdej nowej funkcji.", "Funkcje muszą mieć co najwyżej 40 linii."),
    "ru": ("Отвечай кратко и не используй эмодзи.", "Пиши тест для каждой новой функции.", "Функции должны иметь не более 40 строк."),
    "uk": ("Відповідай коротко і не використовуй емодзі.", "Пиши тест для кожної нової функції.", "Функції повинні мати не більше 40 рядків."),
    "tr": ("Cevapların kısa olsun ve emoji kullanma.", "Her yeni fonksiyon için test yaz.", "Fonksiyonlar en fazla 40 satır olmalı."),
    "ar": ("اسألني أولا قبل أن تثبت أي شيء.", "اكتب اختبارا بعد كل تغيير.", "يجب أن تكون الدوال 40 سطرا على الأكثر."),
    "hi": ("कुछ भी इंस्टॉल करने से पहले मुझसे पूछो, बिना पूछे मत करो।", "हर नए फ़ंक्शन के लिए टेस्ट लिखो।", "फ़ंक्शन अधिकतम 40 पंक्तियों का होना चाहिए।"),
    "ja": ("回答は簡潔にしてください。", "新しい関数を追加するたびにテストを書いて。", "関数は40行以内にすべきです。"),
    "ko": ("답변은 간결하게 해줘.", "함수를 추가할 때마다 테스트를 작성해.", "함수는 최대 40줄이어야 해."),
    "zh": ("回答要简洁，不要用表情符号。", "每个新函数都要写测试。", "函数最多 40 行，不得超过。"),
    "ga": ("Bí gonta agus ná húsáid emoji i do fhreagraí.", "Scríobh tástáil le gach feidhm nua.", "Caithfidh feidhmeanna 40 líne a bheith acu ar a mhéad."),
}


@pytest.mark.parametrize("language", FORMS)
def test_manner_recurrence_and_bounds_are_heard_as_in_english(language):
    manner, recurring, bounded = (statements(text)[0] for text in FORMS[language])
    assert {each.language[:2] for each in (manner, recurring, bounded)} == {language[:2]}
    assert "mannered" in manner.marks
    assert "recurrent" in recurring.marks
    assert "limited" in bounded.marks
    assert all(weigh(each) >= THRESHOLD for each in (manner, recurring, bounded))


def test_every_language_has_these_forms():
    assert set(FORMS) == set(cues.languages()) - {"en"}
