"""What is being done, in the words of other languages than English; imported only for a prompt without common English words.

The activities that standing rules are most often about. ``WORDS`` are whole words of languages in Latin letters,
``STEMS`` stand anywhere in the text: scripts without spaces, and languages that bend the ends of words.
"""

# ruff: noqa: RUF001 -- letters of other scripts, as they are written

WORDS = {
    "commits": "committe commite committen commiten committest eincheckt einchecken commiter committer committez commitea commitear "
    "comitea confirma commita commitar comita commitare committa committate vastleggen zacommituj commituj tiomantas",
    "pushes": "pushe pushen gepusht pousse pousser poussez pushea pushear empuja envía pusha pushar pushare spingi wypchnij wypchnąć gönder "
    "gönderelim",
    "merges": "mergen zusammenführen fusionne fusionner fusionnez fusiona fusionar mescla mesclar unisci unire fondi "
    "samenvoegen scal scalić połącz birleştir birleştirelim cumaisc",
    "writes docs": "dokumentation dokumentiere dokumentieren doku documentation documente documenter documentación documenta documentar "
    "documentação documenta documentazione documentare documentatie documenteer documenteren dokumentacja dokumentację dokumentacji "
    "udokumentuj dokümantasyon belgele belgelendirme doiciméadú doiciméadaigh",
    "adds a dependency": "abhängigkeit abhängigkeiten bibliothek paket pakete installiere installieren dépendance dépendances bibliothèque "
    "paquet installe installer installez dependencia dependencias biblioteca librería paquete instala instalar dependência dependências "
    "pacote instale dipendenza dipendenze libreria pacchetto installa installare afhankelijkheid afhankelijkheden bibliotheek pakket "
    "installeer installeren zależność zależności bibliotekę pakiet zainstaluj zainstalować bağımlılık kütüphane paketi kur yükle spleáchas "
    "spleáchais leabharlann suiteáil",
    "deletes": "lösche löschen entferne entfernen supprime supprimer supprimez efface effacer borra borrar elimina eliminar apaga apagar "
    "exclua remova cancella cancellare eliminare verwijder verwijderen wis usuń usunąć skasuj sil silelim scrios",
    "reviews": "überprüfe überprüfen durchsicht begutachte relis relire révise réviser relecture revisa revisar revisión revisão revise "
    "rivedi rivedere revisione beoordeel beoordelen nakijken sprawdź przejrzyj recenzja incele inceleme gözden athbhreithnigh",
    "runs tests": "teste testen tests getestet prüfungen testez tester essais prueba pruebas probar testa testar testes collauda "
    "testare testy testów przetestuj testler testleri sına tástáil tástálacha",
    "releases": "deploye deployen veröffentliche veröffentlichen ausliefern ausrollen freigabe déploie déployer déployez déploiement publie "
    "publier despliega desplegar despliegue publica publicar lanza implanta implantar publique lança rilascia rilasciare pubblica "
    "pubblicare distribuisci uitrollen publiceer publiceren uitbrengen wdróż wdrożyć wdrożenie wydaj opublikuj yayınla yayımla dağıt "
    "imscar foilsigh scaoil",
}  # fmt: skip
STEMS = {
    "commits": ("коммит", "закоммить", "коміт", "закоміть", "提交", "コミット", "커밋", "कमिट", "التزام", "كوميت"),
    "pushes": ("запуш", "пуш", "推送", "プッシュ", "푸시", "पुश", "ادفع"),
    "merges": ("слияни", "слей", "смерж", "злий", "злитт", "合并", "合併", "マージ", "병합", "머지", "मर्ज", "ادمج", "دمج"),
    "writes docs": ("документаци", "документаці", "文档", "文檔", "ドキュメント", "문서", "दस्तावेज", "توثيق", "الوثائق", "وثّق"),
    "adds a dependency": (
        "зависимост", "библиотек", "пакет", "установи", "залежн", "бібліотек", "встанови", "依赖", "依賴", "安装", "安裝", "依存", "ライブラリ",
        "パッケージ", "インストール", "의존성", "라이브러리", "패키지", "설치", "निर्भरता", "लाइब्रेरी", "पैकेज", "इंस्टॉल", "اعتمادية", "مكتبة", "حزمة",
        "تثبيت", "ثبّت", "ثبت",
    ),
    "deletes": ("удали", "видали", "删除", "刪除", "削除", "삭제", "हटा", "احذف", "حذف"),
    "reviews": ("ревью", "проверь код", "рев'ю", "перевір код", "审查", "審查", "レビュー", "검토", "리뷰", "समीक्षा", "راجع", "مراجعة"),
    "runs tests": ("тест", "测试", "測試", "テスト", "테스트", "टेस्ट", "परीक्षण", "اختبار"),
    "releases": ("задеплой", "деплой", "релиз", "выпусти", "реліз", "випусти", "розгорни", "разверни", "部署", "发布", "發布", "デプロイ", "リリース",
                 "배포", "릴리스", "डिप्लॉय", "तैनात", "रिलीज़", "انشر", "نشر", "إصدار"),
}  # fmt: skip


def doing(low: str, said: "set[str]") -> "list[str]":
    """The activities that *low*, a text in lower case with the words *said*, is about."""
    found = [name for name, words in WORDS.items() if not said.isdisjoint(words.split())]
    if not low.isascii():
        found += [name for name, stems in STEMS.items() if any(stem in low for stem in stems)]
    return found
