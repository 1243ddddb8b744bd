//! Texts in many encodings, and which of them they are taken for.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, GBK, IBM866, ISO_8859_5, ISO_8859_7, KOI8_R, SHIFT_JIS, WINDOWS_874, WINDOWS_1251,
    WINDOWS_1253, WINDOWS_1255, WINDOWS_1256,
};

use super::*;

fn page(name: &str) -> Legacy {
    PAGES.iter().find(|page| page.name == name).map(Legacy::Page).unwrap()
}

fn encoded(legacy: Legacy, text: &str) -> Vec<u8> {
    match legacy {
        Legacy::Web(encoding) => {
            let (bytes, _, lossy) = encoding.encode(text);
            assert!(!lossy, "{text} is not {}", encoding.name());
            bytes.into_owned()
        }
        Legacy::Page(page) => {
            let mut all = String::new();
            page.decode(&(0..=255).collect::<Vec<u8>>(), &mut all);
            let byte = |one| u8::try_from(all.chars().position(|known| known == one).unwrap()).unwrap();
            text.chars().map(byte).collect()
        }
    }
}

/// The text as it is read back.
fn read(legacy: Legacy, text: &str) -> (String, Guess) {
    let bytes = encoded(legacy, text);
    let from = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let before = std::str::from_utf8(&bytes[..from]).unwrap();
    let guess = guess(before, &bytes[from..], true);
    (decode(guess.legacy, before, &bytes[from..]).into_iter().collect(), guess)
}

#[test]
fn signs_alone_are_those_of_latin_1() {
    let rows = |row: &str| format!("Item,Price\n{}", row.repeat(20));
    for text in [
        "Item,Price\nTea,£0.50\nCake,£12\n",
        "Sample,Length [µm],Area [µm²],Dev\nS0,0,0,±0\nS1,1,1,±1\n",
        "Sample,Area (m²),Dev\nA,12,5.0 ± 0.2\n",
        "Time (µs),Voltage (V)\n1,2\n",
        "1½ cups flour\n¼ tsp salt\n",
        "Oven at 180 °C, then 90° to the left\n",
        "© 2024 Acme Ltd®\nsee § 5 and “the rest” – it’s …\n",
        "Volume 3 m³, price €5m, 10 × 4 cm\n",
        "2nd floor nº 5, 25% less\u{a0}now\n",
        &rows("Tea,£1.50\n"),
        &rows("x,12 µg\n"),
    ] {
        let (found, guess) = read(Legacy::Web(WINDOWS_1252), text);
        assert_eq!((found.as_str(), guess.doubt), (text, None));
    }
}

#[test]
fn texts_of_the_web_stay_what_they_are() {
    let russian = "Счета за март: оплачено полностью, остаток перенесён на апрель. № 5 и № 7 отменены.";
    for (encoding, text) in [
        (WINDOWS_1252, "Le café crème est à côté de l’hôtel, près du marché."),
        (WINDOWS_1252, "Größe der Fläche: 5 m², Preis 3 €, für Müller & Söhne, 10° und 3 ½ Stück"),
        (WINDOWS_1252, "He said “yes—a lot”, then left – ”so” they say… it’s † fine"),
        (WINDOWS_1252, "Räksmörgås på bänken, ”Åsa” äter gröt"),
        (WINDOWS_1252, "El niño comió una piña. ¿Cuántos años tenía?"),
        (WINDOWS_1250, "Michał Łukasz kupił żółte kwiaty i zapłacił pięć złotych, że było miło"),
        (ISO_8859_2, "Příliš žluťoučký kůň úpěl ďábelské ódy v širém poli"),
        (WINDOWS_1251, russian),
        (KOI8_R, "Счета за март: оплачено полностью, остаток перенесен на апрель"),
        (IBM866, "Счета за март: оплачено полностью, остаток перенесен на апрель"),
        (WINDOWS_1251, "Площадь 10 м при 20 °С, цена 5 € за 3 шт."),
        (WINDOWS_1253, "Η τιμή του προϊόντος είναι υψηλή και ο πελάτης δεν πληρώνει"),
        (WINDOWS_1254, "Şirketin yıllık bütçesi yönetim kurulu tarafından onaylandı, değişiklik yoktur"),
        (WINDOWS_1255, "החשבון שולם במלואו והיתרה הועברה לחודש הבא"),
        (WINDOWS_1256, "تم دفع الفاتورة بالكامل ونقل الرصيد إلى الشهر القادم"),
        (WINDOWS_1257, "Sąskaita apmokėta visiškai, likutis perkeltas į kitą mėnesį, žemė šalyje ūkis"),
        (SHIFT_JIS, "請求書は全額支払われました。残高は来月に繰り越されます。AさんのPCは5台"),
        (EUC_JP, "請求書は全額支払われました。残高は来月に繰り越されます。"),
        (EUC_KR, "청구서는 전액 지불되었으며 잔액은 다음 달로 이월됩니다. 면적 5㎡, 20℃"),
        (GBK, "发票已全额支付，余额结转至下个月。面积５平方米，温度２０℃"),
        (BIG5, "發票已全額支付，餘額結轉至下個月。面積５平方公尺"),
        (WINDOWS_874, "ใบแจ้งหนี้ชำระเต็มจำนวนแล้วและยอดคงเหลือยกไปเดือนหน้า"),
    ] {
        assert_eq!(read(Legacy::Web(encoding), text).0, text, "{}", encoding.name());
    }
}

#[test]
fn texts_of_dos_and_the_old_macintosh_are_told_by_their_words() {
    let german = "Größe und Höhe der Bücher für Müller: schöne Grüße, Straße, Öl und Übung";
    let french = "L'été dernier, le café crème était servi près du marché à côté de l'hôtel, ça va";
    let polish = "Michał kupił żółte kwiaty i zapłacił pięć złotych, że było miło, źle, śnieg";
    let russian = "Счета за март: оплачено полностью, остаток перенесен. Я и моя семья, Москва";
    for (legacy, text) in [
        (page("IBM850"), german),
        (page("IBM850"), french),
        (page("IBM850"), "Cantidad,Niño\n5,año\n6,señal única\n7,corazón\n"),
        (page("IBM850"), "Blåbærgrød på øen, smørrebrød og æbler, Århus\n"),
        (page("IBM852"), polish),
        (page("IBM852"), "Příliš žluťoučký kůň úpěl ďábelské ódy v širém poli"),
        (page("IBM737"), "Η τιμή του προϊόντος είναι υψηλή και ο πελάτης δεν πληρώνει"),
        (page("IBM857"), "Şirketin yıllık bütçesi yönetim kurulu tarafından onaylandı, değişiklik yoktur"),
        (Legacy::Web(ISO_8859_15), "Le café coûte 5 €, une œuvre très chère, le cœur déjà vu, ma sœur"),
        (Legacy::Web(MACINTOSH), german),
        (Legacy::Web(MACINTOSH), french),
        (Legacy::Web(MACINTOSH), "Cantidad,Niño\n5,año\n6,señal única\n7,corazón\n"),
        (page("IBM850"), "La città è più bella perché c'è già la libertà"),
        (page("IBM850"), "Name,City\nMüller,Köln\nJosé,Málaga\nAndré,Orléans\n"),
        (page("IBM437"), "Oven 25°C,£5.00\n30°C,£6.10\n"),
        (Legacy::Web(MACINTOSH), "El niño comió una piña. ¿Cuántos años tenía? “Sí”, señor"),
        (Legacy::Web(X_MAC_CYRILLIC), russian),
    ] {
        let found = read(legacy, text).0;
        assert_eq!(found, text, "{legacy:?}");
    }
}

#[test]
fn a_short_text_is_told_by_letters_that_only_one_language_has() {
    for (encoding, text) in [
        (WINDOWS_1254, "Ürün,Adet\nŞeker çuvalı,5\n"),
        (WINDOWS_1254, "Müşteri: Ayşe, İzmir, ödendi\n"),
        (WINDOWS_1254, "Sipariş güncel değil"),
        (WINDOWS_1250, "Név: Erdős Péter, Győr, küldött\n"),
        (WINDOWS_1250, "Fizetés: jövő héten, gyűjtő"),
        (WINDOWS_1257, "Šįvakar posėdyje nusprendėme parengti metinę ataskaitą, ačiū"),
        (WINDOWS_1257, "Godātie kolēģi, paldies par sadarbību, šķiet labi"),
        (MACINTOSH, "Bitte schicken Sie Ihre Beiträge bis Freitag"),
        (MACINTOSH, "Ognuno manderà la sua parte entro venerdì."),
    ] {
        assert_eq!(read(Legacy::Web(encoding), text).0, text, "{}", encoding.name());
    }
    // What another language has as well, or several have together, is left to the detector.
    let western = Legacy::Web(WINDOWS_1252);
    for text in [
        "Þetta er góð bók",
        "Bäcker, chère, café, Noël",
        "Müller, José, Çelik, Peña, Nuño",
        "São João, Müller, não, peças, Zürich",
    ] {
        assert_eq!(by_letters(western, "", &encoded(western, text)), None, "{text}");
    }
}

/// A few sentences of a language, and the encodings that its texts were written in.
const PROSE: &[(&str, &[&Encoding], &[&str])] = &[
    (
        "Kedves Kollégák! A tegnapi értekezleten megbeszéltük, hogy a jövő héten elkészítjük az éves jelentést. A gyűlés \
         időpontja még bizonytalan, de várhatóan szerdán délután lesz, amikor az igazgató is ráér. Smith úr és Škoda Žižek \
         is eljön, köszönöm az együttműködést és jó munkát kívánok mindenkinek, a költségvetés főbb tételeit küldjék el.",
        &[WINDOWS_1250, ISO_8859_2],
        &["IBM852"],
    ),
    (
        "Szanowni Państwo, uprzejmie informujemy, że zgromadzenie odbędzie się w środę po południu. Prosimy o przesłanie \
         zgłoszeń do końca tygodnia. Łączymy wyrazy szacunku i życzymy miłego dnia. Źródła podano na końcu.",
        &[WINDOWS_1250, ISO_8859_2],
        &["IBM852"],
    ),
    (
        "Vážení kolegové, na včerejší schůzi jsme se dohodli, že příští týden připravíme výroční zprávu. Každý pošle své \
         položky do pátku. Děkuji za spolupráci a přeji hezký den. Žádost je třeba podat včas, čtrnáct dní předem.",
        &[WINDOWS_1250, ISO_8859_2],
        &["IBM852"],
    ),
    (
        "Değerli arkadaşlar, dünkü toplantıda gelecek hafta yıllık raporu hazırlamaya karar verdik. Herkes kendi bölümünü \
         cuma gününe kadar göndersin. İş birliğiniz için teşekkür eder, iyi günler dilerim.",
        &[WINDOWS_1254],
        &["IBM857"],
    ),
    (
        "Šįvakar žiūrėsime, kaip kitą savaitę parengsime metinę ataskaitą. Gerbiami kolegos, vakar posėdyje nusprendėme, kad \
         kiekvienas iki penktadienio atsiųs savo duomenis. Ačiū už bendradarbiavimą ir geros dienos.",
        &[WINDOWS_1257],
        &[],
    ),
    (
        "Αγαπητοί συνάδελφοι, στη χθεσινή συνάντηση συμφωνήσαμε ότι την επόμενη εβδομάδα θα ετοιμάσουμε την ετήσια έκθεση. \
         Ο καθένας ας στείλει τα στοιχεία του ως την Παρασκευή.",
        &[WINDOWS_1253, ISO_8859_7],
        &["IBM737"],
    ),
    (
        "Уважаемые коллеги, на вчерашнем совещании мы договорились, что на следующей неделе подготовим годовой отчет. \
         Каждый пусть пришлет свои данные до пятницы.",
        &[WINDOWS_1251, KOI8_R, IBM866, ISO_8859_5],
        &[],
    ),
    (
        "Поштоване колеге, на јучерашњем састанку договорили смо се да ћемо идуће недеље припремити годишњи извештај. Нека \
         свако пошаље своје ставке до петка.",
        &[WINDOWS_1251, ISO_8859_5],
        &[],
    ),
    (
        "Sehr geehrte Kolleginnen, in der gestrigen Sitzung haben wir beschlossen, dass wir nächste Woche den Jahresbericht \
         für das Geschäft prüfen. Bitte schicken Sie Ihre Beiträge bis Freitag. Schöne Grüße und möglichst früh zurück!",
        &[WINDOWS_1252, ISO_8859_15],
        &["IBM850"],
    ),
];

#[test]
fn prose_is_told_in_each_encoding_of_its_language_long_or_short() {
    for (prose, web, dos) in PROSE {
        let encodings = web.iter().map(|encoding| Legacy::Web(encoding)).chain(dos.iter().map(|name| page(name)));
        for legacy in encodings {
            let sentences = prose.split_inclusive(". ").next();
            for text in [sentences.unwrap_or_default(), prose, &[*prose; 20].join("\n")] {
                assert_eq!(read(legacy, text).0, text, "{legacy:?}");
            }
        }
    }
}

#[test]
fn a_guess_from_a_few_letters_is_said_to_be_one() {
    let (text, guess) = read(Legacy::Web(WINDOWS_1252), "Name\nMüller\n");
    assert_eq!((text.as_str(), guess.doubt), ("Name\nMüller\n", Some(Doubt::Few)));
    assert!(read(Legacy::Web(WINDOWS_1252), "Größe, Höhe, Länge, für Müller, Übergröße").1.doubt.is_none());
}

#[test]
fn what_fits_no_encoding_that_is_known_is_told_as_a_guess() {
    // Code page 855, which is none of those that are tried: its Cyrillic letters stand in no order.
    const LETTERS: &str = "абвгдежзийклмнопрстуфхцчшщъыьэюя";
    const BYTES: [u8; 32] = [
        0xA0, 0xA2, 0xEB, 0xAC, 0xA6, 0xA8, 0xE9, 0xF3, 0xB7, 0xBD, 0xC6, 0xD0, 0xD2, 0xD4, 0xD6, 0xD8, 0xE1, 0xE3,
        0xE5, 0xE7, 0xAA, 0xB5, 0xA4, 0xFB, 0xF5, 0xF9, 0x9E, 0xF1, 0xED, 0xF7, 0x9C, 0xDE,
    ];
    let text = "при закрытии программы настройки не сохраняются, и после перезапуска всё приходится вводить снова. ";
    let byte = |one: char| LETTERS.chars().position(|known| known == one).map_or(b' ', |at| BYTES[at]);
    let bytes: Vec<u8> =
        text.repeat(20).chars().map(|one| if one.is_ascii() { one as u8 } else { byte(one) }).collect();
    let found = guess("", &bytes, true);
    assert_eq!(found.doubt, Some(Doubt::Odd), "{found:?}");
    let plain = read(Legacy::Web(IBM866), &text.replace('ё', "е").repeat(20));
    assert_eq!(plain.1, Guess { legacy: Legacy::Web(IBM866), doubt: None });
}
