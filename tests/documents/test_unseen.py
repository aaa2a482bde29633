"""What a reader does not see: flagged where it has no use, and never in texts as people write them."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Literal, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import lookalike as la
from lookalike.documents import open_paths
from lookalike.documents.extract.clean_text import unmasked
from lookalike.documents.extract.visual_order import in_visual_order
from tests.documents.making import docx
from tests.documents.reading import flags_of, text_of

if TYPE_CHECKING:
    from pathlib import Path

Form: TypeAlias = Literal["NFC", "NFD"]

LEFT, RIGHT, END = "\u202e", "\u202d", "\u202c"

ESSAY = """The miller lived by the river, and his mill turned day and night. In the spring
the water rose, and he carried the sacks of flour to the upper floor before it reached the stones. His daughter
kept the books and knew what each farmer owed. When the bridge fell in the second year, nobody came for a month,
and the two of them repaired the wheel, mended the roof and waited for the road to open again. The neighbours
remembered that summer as the quietest of all."""

# -- real texts --------------------------------------------------------------------------------------------------------

HONEST = {
    "vietnamese": """Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi.
Mọi con người đều được tạo hoá ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình bằng hữu. Trời
mưa từ sáng sớm, nước ngập cả con đường trước cửa nhà bà ngoại, lũ trẻ cởi dép lội bì bõm đến tận cổng trường.""",
    "yoruba": """Gbogbo ènìyàn ni a bí ní òmìnira; iyì àti ẹ̀tọ́ kọ̀ọ̀kan sì dọ́gba. Wọ́n ní
ẹ̀bùn làákàyè àti ti ẹ̀rí-ọkàn, ó sì yẹ kí wọn ó máa hùwà sí ara wọn gẹ́gẹ́ bí ọmọ ìyá. Ọmọ náà lọ sí ọjà pẹ̀lú
ìyá rẹ̀, wọ́n ra ẹ̀wà, ọ̀gẹ̀dẹ̀ àti ẹja.""",
    "french": """Dès Noël où un zéphyr haï me vêt de glaçons würmiens, je dîne d’exquis rôtis de
bœuf au kir à l’aÿ d’âge mûr. L’été, les élèves préférés étaient répétés à côté de la forêt ; où naît la
rivière, près du château, la fée a été créée.""",
    "german": """Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. Die Mühle
drüben hört öfter übermütige Töne, süße Äpfel fallen über Zäune, und schöne Bäume blühen früh.""",
    "german without ligatures": "Die Auf\u200clage des Schilf\u200cliedes und ein Stoff\u200cfetzen. " * 12,
    "lithuanian": """Visì žmónės gim̃sta laisvì ir̃ lýgūs sàvo orumù ir̃ téisėmis. Jíems su̇teĩktas
prõtas ir̃ są́žinė, ir̃ jiẽ tùri el̃gtis vienì kitų̃ ãtžvilgiu kaĩp bróliai.""",
    "pinyin": """Rénrén shēng ér zìyóu, zài zūnyán hé quánlì shàng yílǜ píngděng. Tāmen fùyǒu
lǐxìng hé liángxīn, bìng yīng yǐ xiōngdì guānxì de jīngshén xiāng duìdài. Māma qí mǎ, mǎ màn, māma mà mǎ. Shī
Shì shí shī shǐ: shí shì shī shì Shī Shì.""",
    "navajo": """Bilaʼashdlaʼii tʼáá ałtso yínikʼehgo bidizhchį́ dóó aheełtʼeego ílį́į́go bee
baahóchįʼ. Eíí hání dóó hánítshʼíí bee hadítʼéego bizhchį́; áádóó tʼáá ałkʼis nilį́įgo hooghan góneʼ áłah áleeh.""",
    "arabic in latin letters": """Yūladu ǧamīʿu n-nāsi aḥrāran mutasāwīna fī l-karāmati wa-l-ḥuqūq. Wa-qad wuhibū
ʿaqlan wa-ḍamīran wa-ʿalayhim an yuʿāmila baʿḍuhum baʿḍan bi-rūḥi l-iḫāʾ. Aṭ-ṭālibu ẓarīfun, waṣala ṣabāḥan ilà
l-maḥaṭṭa.""",
    "sanskrit in latin letters": """Dharmakṣetre kurukṣetre samavetā yuyutsavaḥ, māmakāḥ pāṇḍavāś caiva kim akurvata
sañjaya. Karmaṇy evādhikāras te mā phaleṣu kadācana; tr̥ṣṇā kr̥ṣṇaṃ namāmi, ḷkāra, ṝ, jñānaṁ paramaṁ guhyam.""",
    "igbo": """A mụrụ mmadụ nile n'ohere nakwa nha anya ugwu na ikike. E nyere ha uche na mmụọ
ime ihe ziri ezi nke na ha kwesịrị ịkpaso ibe ha agwa n'obi nwanne. Ọ bụ ụtụtụ, ụmụ okorọbịa ịgwọ ọrịa rụsịrị
ọrụ ụkwụ.""",
    "stressed russian": """Все лю́ди рожда́ются свобо́дными и ра́вными в своём досто́инстве и права́х. Они́
наделены́ ра́зумом и со́вестью и должны́ поступа́ть в отноше́нии друг дру́га в ду́хе бра́тства. Ме́льник жи́л у
реки́, и молоко́ дорожа́ло.""",
    "greek": """Ἐν ἀρχῇ ἦν ὁ Λόγος, καὶ ὁ Λόγος ἦν πρὸς τὸν Θεόν, καὶ Θεὸς ἦν ὁ Λόγος. Μῆνιν
ἄειδε, θεά, Πηληϊάδεω Ἀχιλῆος οὐλομένην, ἣ μυρί᾽ Ἀχαιοῖς ἄλγε᾽ ἔθηκεν.""",
    "persian": """نمی\u200cخواهم به خانه\u200cها بروم. کتاب\u200cهای آن\u200cها را می\u200cخوانیم
و می\u200cنویسیم؛ بچه\u200cها در کوچه\u200cهای روستا بازی می\u200cکنند. این نرم\u200cافزار Word\u200cهای تازه را
نمی\u200cشناسد.""",
    "arabic": """يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق. \u200fWikipedia\u200e، وهي
موسوعة\u200f، كُتِبَتْ بِلُغاتٍ كَثيرَةٍ (\u200eHTML 5\u200f) وقد وُهِبوا عقلًا وضميرًا.""",
    "hebrew": """בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם וְאֵת הָאָרֶץ.\u200f הספר \u200eMoby
Dick\u200f נכתב בשנת 1851. יְרוּשָׁלַ͏ִם, C++\u200e ו-\u200eJava\u200f הן שפות תכנות.""",
    "hindi": """सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है।
क्\u200dष, र्\u200dय और श्री\u200cमान् लिखे जाते हैं; उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है।""",
    "malayalam": "അവന്\u200d പറഞ്ഞു: അവള്\u200d വീട്ടില്\u200d ഉണ്ട്, അവര്\u200d വന്നു. തമിഴ്\u200cനാട്ടില്\u200c മഴ പെയ്തു.",
    "sinhala": "ශ්\u200dරී ලංකාව, ක්\u200dෂේත්\u200dරය සහ ව්\u200dයාපාරය. ප්\u200dරඥාව හා හෘදය සාක්ෂිය.",
    "bengali": "র\u200d্যাব ও র\u200d্যাম; সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা নিয়ে জন্মগ্রহণ করে।",
    "khmer": "មនុស្ស\u200bទាំងអស់\u200bកើត\u200bមក\u200bមាន\u200bសេរីភាព\u200bនិង\u200bសមភាព។ កុមារ\u200bទៅ\u200bសាលារៀន។",
    "thai": "มนุษย์\u200bทั้งหลาย\u200bเกิดมา\u200bมี\u200bอิสระ\u200bและ\u200bเสมอภาค\u200bกัน ใช้ Windows\u200bและ\u200bLinux",
    "thai with latin names": "ใช้\u200bMicrosoft\u200bWord\u200bและ\u200bExcel\u200bGoogle\u200bDocs" * 20,
    "khmer with latin names": "ប្រើ\u200bFacebook\u200bMessenger\u200bនិង\u200bGoogle\u200bDocs " * 20,
    "burmese": "လူတိုင်း\u200bသည်\u200bတူညီ\u200bလွတ်လပ်သော\u200bဂုဏ်သိက္ခာဖြင့်\u200bမွေးဖွားလာသည်။",
    "mongolian": "ᠬᠦᠮᠦᠨ ᠪᠦᠷ ᠲᠥᠷᠥᠵᠦ ᠮᠡᠨᠳᠡᠯᠡᠬᠦ ᠡᠷᠬᠡ ᠴᠢᠯᠥᠭᠡ ᠲᠡᠢ᠂ ᠠᠳᠠᠯᠢᠬᠠᠨ ᠨᠡᠷ᠎ᠡ ᠲᠥᠷᠥ ᠲᠡᠢ᠃ ᠬᠠ᠋ᠮᠤᠭ",
    "ideographs": "葛\U000e0100城市と葛\U000e0101飾区、辻\U000e0100さん、邉\U000e0102。祇\ufe00園、神\ufe00社。",
    "emoji": "We flew 👩\u200d🚀 home ❤\ufe0f, waved 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f "
    "and pressed 1\ufe0f\u20e3 and #\ufe0f\u20e3: 👨\u200d👩\u200d👧 ok👍🏽ok, a❤\ufe0fb, ℹ\ufe0finfo, ™\ufe0f.",
    "ipa": "[ðə ˈmɪlə lɪvd baɪ ðə ˈɹɪvə] ʃ ʒ θ ŋ ɡ ɑː ɔ̃ œ̃ t͡ʃ d͡ʒ n̩ l̩ kʰ ã ẽ ĩ, [bɔ̃ ʒuːʁ], /ˌɪntəˈnæʃənl̩ fəˈnɛtɪk/",
    "mathematics": "∀ε > 0 ∃δ > 0: |x − a| < δ ⇒ |y| < ε; sin\u2061x = 2\u2062x + a\u2062b, a\u2063b, x̂, x̄, ȧ, v⃗, 𝑥₁.",
    "annotations": "\ufff9東京\ufffaTokyo\ufffb and \ufffcTokyo\ufffc. " * 20,
    "byte order mark": "\ufeffThe file begins with a mark, and \ufeffthe second part of it too.",
    "soft hyphens": "Do\xadnau\xaddampf\xadschiff\xadfahrts\xadge\xadsell\xadschaft in\xadter\xadna\xadtion\xadal. "
    * 9,
    "german with words kept apart": "Die Wach\u200cstube, der Staub\u200cecken und die Hauſ\u200cthür. " * 12,
    "functions": "log\u2061sin x = ln\u2061cosh y, arcsin\u2061speed " * 12 + "speed\u2062time = way",
    "messenger": "\u200eAnna: at eight \u200e<attached>\u200e \u2068book\u2069, call \u202d+49 30 1234567\u202c.",
    "web page": ESSAY.replace("miller", "mil\u200bler").replace("neighbours", "neigh\u200bbours"),
    "identifiers": "Call java.\u200blang.\u200bString.\u200bvalueOf(\u200bint) or https://\u200bexample.\u200borg/\u200ba/\u200bb.",
    "visual hebrew": f"{RIGHT}.רהנה די לע רג ןחוטה{END}",
    "hebrew under its own direction": f"{LEFT}הטוחן גר ליד הנהר (והגשר).{END}",
    "struck out": "".join(f"{letter}\u0336" for letter in ESSAY),
}


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("name", HONEST)
def test_texts_as_people_write_them_are_not_flagged(name: str, form: Form) -> None:
    text = HONEST[name]
    for times in (1, 1 if name == "web page" else 40):
        whole = unicodedata.normalize(form, "\n".join([text] * times))
        read, flags = unmasked(whole)
        assert flags == ()
        assert read == whole or name == "visual hebrew"


@pytest.mark.parametrize(
    "name", ["vietnamese", "yoruba", "persian", "hindi", "hebrew", "arabic", "french", "soft hyphens"]
)
def test_files_as_people_write_them_have_no_flags(tmp_path: Path, name: str) -> None:
    text = HONEST[name].replace("\n", " ")
    assert flags_of(tmp_path, "x.txt", ("\ufeff" + text).encode()) == {}
    assert flags_of(tmp_path, "x.docx", docx((text, unicodedata.normalize("NFD", text)))) == {}


def test_a_hyphenated_docx_has_no_flags(tmp_path: Path) -> None:
    run = "<w:r><w:t>Do</w:t><w:softHyphen/><w:t>nau</w:t><w:noBreakHyphen/><w:t>Dampf\xadschiff\xadfahrt</w:t></w:r>"
    data = docx(f"<w:p>{run * 30}</w:p>")
    assert flags_of(tmp_path, "x.docx", data) == {}
    assert text_of(tmp_path, "x.docx", data).startswith("Donau-Dampf")


# -- what hides copying ------------------------------------------------------------------------------------------------

UNSEEN = {"200B": "\u200b", "200D": "\u200d", "200E": "\u200e", "2060": "\u2060", "034F": "\u034f", "FE0F": "\ufe0f"}
UNSEEN |= {"E0061": "\U000e0061", "FEFF": "\ufeff", "115F": "\u115f", "2066": "\u2066"}
COUNTED = {"FFF9": "\ufff9", "FFFA": "\ufffa", "FFFB": "\ufffb", "FFFC": "\ufffc"}
"""What the recipe keeps: it is flagged, and no more."""


def split(text: str, sign: str) -> str:
    """Put a sign into every word of at least three letters."""
    return re.sub(r"(?<=\w)(?=\w{2}\b)", sign, text)


@pytest.mark.parametrize("code", UNSEEN | COUNTED)
@pytest.mark.parametrize(
    "text", [ESSAY, "Мельник жил у реки, и мельница его работала днём", "Ο μυλωνάς ζούσε δίπλα στον ποταμό"]
)
def test_invisible_characters_inside_words_are_flagged(text: str, code: str) -> None:
    sign = (UNSEEN | COUNTED)[code]
    read, (flag,) = unmasked(split(text, sign))
    assert flag.kind == "invisible characters"
    assert flag.count == len(re.findall(r"\w{3,}", text))
    assert f"U+{code}" in flag.detail
    assert ("invisible=keep" in flag.detail) is (code in UNSEEN)
    assert read == split(text, sign)  # the recipe decides what counts


@pytest.mark.parametrize("name", ["x.txt", "x.docx"])
@pytest.mark.parametrize("code", UNSEEN | COUNTED)
def test_files_with_invisible_characters_are_flagged(tmp_path: Path, name: str, code: str) -> None:
    text = split(ESSAY.replace("\n", " "), (UNSEEN | COUNTED)[code])
    assert list(flags_of(tmp_path, name, text if name == "x.txt" else docx((text,)))) == ["invisible characters"]


@pytest.mark.parametrize("name", ["x.txt", "x.docx"])
@pytest.mark.parametrize("sign", [*UNSEEN.values(), "\xad"])
def test_a_copy_with_invisible_characters_is_a_copy(tmp_path: Path, name: str, sign: str) -> None:
    text = ESSAY.replace("\n", " ")
    (tmp_path / "plain.txt").write_text(text, encoding="utf-8")
    hidden = split(text, sign)
    (tmp_path / name).write_bytes(("\ufeff" + hidden).encode() if name == "x.txt" else docx((hidden,)))
    for preset in ("essays", None):
        assert la.find(open_paths([tmp_path]), 0.5, preset=preset).pairs["jaccard"].to_pylist() == [1.0], preset


def test_a_few_invisible_characters_are_an_accident_and_twenty_are_not() -> None:
    words = "a word with no secret stands here " * 400
    for number, flagged in ((2, False), (19, False), (20, True)):
        text = words + "mil\u200bler " * number
        assert bool(unmasked(text)[1]) is flagged, number
    assert unmasked("a mil\u200bler, a ri\u200bver and a ho\u200buse")[1]


def test_non_joiners_are_flagged_in_most_words_only() -> None:
    sign = "\u200c"
    half = ESSAY.index("When the bridge")
    assert unmasked(split(ESSAY, sign))[1][0].count >= 20
    assert unmasked(split(ESSAY[:half], sign) + ESSAY[half:])[1] == ()
    assert unmasked(split(ESSAY[:half], sign + "\u200b") + ESSAY[half:])[1]


def test_a_few_names_in_thai_do_not_hide_words_that_are_split() -> None:
    (flag,) = unmasked(HONEST["thai"] + split(ESSAY, "\u200b"))[1]
    assert flag.count >= len(re.findall(r"\w{3,}", ESSAY))


def test_invisible_characters_do_not_hide_letters_of_another_alphabet() -> None:
    read, flags = unmasked("He ѕ\u200btudi\u200bed and сo\xadpi\u200bed e\u200bνery word")
    assert read == "He s\u200btudi\u200bed and co\xadpi\u200bed e\u200bvery word"
    assert [flag.kind for flag in flags] == ["look-alike letters", "invisible characters"]
    assert flags[0].places == ((3, "ѕ"), (17, "с"), (28, "ν"))


@pytest.mark.parametrize("name", ["x.eml", "x.md"])
def test_letters_in_html_inside_another_text_are_flagged(tmp_path: Path, name: str) -> None:
    page = "<p>The ѕtudent сopied <span style='display:none'>two words</span> eνerything.</p>"
    mail = "From: a@b.c\nSubject: x\nContent-Type: text/html; charset=utf-8\n\n"
    flags = flags_of(tmp_path, name, (mail + page) if name == "x.eml" else page)
    assert {kind: count for kind, (_, count) in flags.items()} == {"look-alike letters": 3, "hidden text": 2}


@pytest.mark.parametrize(("mark", "article"), [("\u0323", "a"), ("\u0307", "a"), ("\u0301", "an"), ("\u033d", "an")])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("text", [ESSAY, "мука вода рука доска работа дорога корова облако " * 9])
def test_one_mark_on_every_vowel_is_flagged(text: str, form: Form, mark: str, article: str) -> None:
    marked = unicodedata.normalize(form, re.sub("[aeiouAEIOUаеоуыэюя]", lambda vowel: vowel[0] + mark, text))
    for around in ("", HONEST["german"] * 20):
        read, (flag,) = unmasked(around + marked + around)
        assert flag.kind == "marks on vowels"
        assert f"{article} {unicodedata.name(mark)[10:].lower()} (U+{ord(mark):04X})" in flag.detail
        assert abs(flag.count - len(text.split())) <= 10
        assert read == around + marked + around


# -- overrides ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stored", "seen"),
    [
        (f"a {LEFT}dlrow olleh{END} b", "a hello world b"),
        (f"{LEFT}dlrow olleh", "hello world"),
        (f"{LEFT}olleh\nplain", "hello\nplain"),
        # Signs between two spans have their direction, so that the screen shows the second word first.
        (f"a {LEFT}olleh{END}, {LEFT}dlrow{END} b", "a world ,hello b"),
        (f"{LEFT}olleh{END} and {LEFT}dlrow{END}", "hello and world"),
        # A bracket is mirrored under U+202E: what closes on the screen is stored as an opening one.
        (f"{LEFT}(dlrow) olleh{END}", "hello (world)"),
        (f"{LEFT}abc{RIGHT}def{END}ghi{END}", "ihgdefcba"),
        (f"{LEFT}abc{LEFT}def{END}ghi{END}", "ihgfedcba"),
        (f"{LEFT}cba\u2066(in)\u2069zyx{END}", "xyz\u2066(in)\u2069abc"),
        (f"{LEFT}fed \u202aabc\u202c{END}", "\u202aabc\u202c def"),
        (f"\u2067{LEFT}olleh\u2069 x", "hello x"),
        # A mark of the other direction keeps two spans apart, and so do isolates around each; others do not.
        (f"{LEFT}olleh{END}\u200e {LEFT}dlrow{END}\u200e", "hello\u200e world\u200e"),
        (f"\u2067{LEFT}olleh{END}\u2069 \u2067{LEFT}dlrow{END}\u2069", "hello world"),
        (f"{LEFT}olleh{END}\u200f {LEFT}dlrow{END}", "world \u200fhello"),
        (f"{LEFT}olleh{END}\u2066\u2069 {LEFT}dlrow{END}", "world \u2066\u2069hello"),
        (f"{LEFT}olleh{END} 1.25 {LEFT}dlrow{END}", "world 1.25 hello"),
        (f"{LEFT}olleh{END} ① {LEFT}dlrow{END}", "world ① hello"),
        (f"{RIGHT}רהנה{END}\u200e {RIGHT}דיל{END}", "ליד \u200eהנהר"),
        (f"{LEFT}e\u0301tE{END}", "Ete\u0301"),
        (f"{LEFT}👩\u200d🚀 ees{END}", "see 👩\u200d🚀"),
        (f"{LEFT}321 egap{END}", "page 123"),
        (f"{RIGHT}hello (world){END}", f"{RIGHT}hello (world){END}"),
        (f"{LEFT}שלום (עולם){END}", f"{LEFT}שלום (עולם){END}"),
        (f"{RIGHT}(םלוע) םולש{END}", "שלום (עולם)"),
        (f"{LEFT}ab{END}{END} cd", "ba cd"),
        (f"{END}\u2069 ab {LEFT}{END}", f"{END}\u2069 ab {LEFT}{END}"),
    ],
)
def test_text_under_an_override_is_read_as_it_is_seen(stored: str, seen: str) -> None:
    assert in_visual_order(stored)[0] == seen


@pytest.mark.parametrize("opening", [LEFT, RIGHT, LEFT + RIGHT, "\u2066" + LEFT, "\u202a", "\u2067"])
def test_what_is_nested_too_deeply_is_ignored(opening: str) -> None:
    seen, _ = in_visual_order(opening * 300 + "abc" + END * 300 + "\u2069" * 300 + " d")
    assert "abc" in seen or "cba" in seen
    assert seen.rstrip(END + "\u2069").endswith(" d") or seen.startswith("d ")


@pytest.mark.parametrize("name", ["x.txt", "x.docx", "x.html", "x.eml"])
def test_a_file_with_reversed_text_is_flagged_and_compared_as_it_is_seen(tmp_path: Path, name: str) -> None:
    lines = ESSAY.split("\n")
    (tmp_path / "plain.txt").write_text(ESSAY, encoding="utf-8")
    hidden = [LEFT + line[::-1] + END for line in lines]
    data = {
        "x.txt": "\n".join(hidden).encode(),
        "x.docx": docx(hidden),
        "x.html": "".join(f"<p><bdo dir=rtl>{line[::-1]}</bdo></p>" for line in lines).encode(),
        "x.eml": ("From: a@b.c\nSubject:\nContent-Type: text/html; charset=utf-8\n\n" + "<br>".join(hidden)).encode(),
    }[name]
    (tmp_path / name).write_bytes(data)
    result = la.find(open_paths([tmp_path]), 0.5, preset="essays")
    assert result.pairs["jaccard"].to_pylist() == [1.0]
    (flag,) = result.flags[name]
    assert flag.kind == "reversed text"
    assert flag.count == len(ESSAY.split())


@pytest.mark.parametrize("name", ["x.txt", "x.docx", "x.html"])
def test_words_that_are_reversed_one_by_one_are_read_as_they_are_seen(tmp_path: Path, name: str) -> None:
    words = ESSAY.split()
    hidden = " ".join(f"{LEFT}{word[::-1]}{END}\u200e" for word in words)
    files: dict[str, bytes | str] = {
        "x.txt": hidden,
        "x.docx": docx((hidden,)),
        "x.html": " ".join(f"<bdo dir=rtl>{word[::-1]}</bdo>" for word in words),
    }
    data = files[name]
    assert text_of(tmp_path, name, data).replace("\u200e", "") == " ".join(words)
    assert flags_of(tmp_path, name, data)["reversed text"][1] >= len(words) - words.count("a")


def test_an_element_with_an_override_goes_on_after_a_break(tmp_path: Path) -> None:
    assert text_of(tmp_path, "x.html", "<p>x<bdo dir=RTL>olleh<br>dlrow</bdo>x") == "xhello\nworldx"


def test_word_has_an_override_of_its_own(tmp_path: Path) -> None:
    data = docx('<w:p><w:bdo w:val="rtl"><w:r><w:t>dlrow olleh</w:t></w:r></w:bdo><w:r><w:t> again</w:t></w:r></w:p>')
    assert text_of(tmp_path, "x.docx", data) == "hello world again"
    assert flags_of(tmp_path, "x.docx", data)["reversed text"][1] == 2


# -- tables ------------------------------------------------------------------------------------------------------------

ROWS = [ESSAY.replace("miller", "mil\u200bler"), ESSAY, *HONEST.values(), split(ESSAY, "\u200e")]
SPLIT = 3
"""Rows with invisible characters inside words: the first, the last, and what comes from a web page."""


@pytest.mark.parametrize("name", ["list", "x.parquet", "x.jsonl", "x.csv", "x.txt"])
@pytest.mark.parametrize("memory", [None, 1 << 30])
def test_rows_with_invisible_characters_are_counted_in_a_note(tmp_path: Path, name: str, memory: int | None) -> None:
    table, path = pa.table({"text": ROWS}), tmp_path / name
    if name == "x.parquet":
        pq.write_table(table, path)
    elif name == "x.jsonl":
        path.write_text("".join(json.dumps({"text": row}) + "\n" for row in ROWS), encoding="utf-8")
    elif name == "x.csv":
        csv.write_csv(table, path)
    elif name == "x.txt":
        path.write_text(ROWS[-1], encoding="utf-8")
    source = ROWS if name == "list" else open_paths([path])
    work = None if memory is None else tmp_path / "work"
    found = la.find(source, 0.9, memory=memory, work=work)
    counts = [note.split(" ", 1)[0] for note in found.notes if "inside words" in note]
    assert counts == ([] if name == "x.txt" else [str(SPLIT)])
    assert bool(found.flags) is (name == "x.txt")


def test_rows_without_invisible_characters_have_no_note() -> None:
    honest = [text for name, text in HONEST.items() if name != "web page"]
    assert not [note for note in la.find(honest, 0.9).notes if "invisible" in note]
