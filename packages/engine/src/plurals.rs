//! Plurals that the stemmers keep apart from their singulars, as singulars: `corações`, `imágenes`, `photos` and `bøger`. Texts may lack the
//! accents of endings.

use std::sync::LazyLock;

/// Whether a word has accents before its ending.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accents {
    Any,
    Some,
    None,
}

/// Vowels with the accent of a stressed syllable.
const STRESSED: &[char] = &['á', 'à', 'â', 'é', 'è', 'ê', 'í', 'ó', 'ò', 'ô', 'ú'];

/// The ending of a plural, that of the singular, and whether words have accents before it.
type Ending = (&'static str, &'static str, Accents);

/// Endings of plurals, and of their singulars, by language. The first one that fits counts.
const ENDINGS: [(&str, &[Ending]); 5] = [
    ("catalan", &[("ons", "ó", Accents::None), ("ans", "à", Accents::None), ("ins", "í", Accents::None), ("uns", "ú", Accents::None)]),
    (
        "dutch",
        &[
            ("eeën", "ee", Accents::Any),
            ("eeen", "ee", Accents::Any),
            ("ieën", "ie", Accents::Any),
            ("ieen", "ie", Accents::Any),
            ("iën", "ie", Accents::Any),
        ],
    ),
    (
        "french",
        &[
            ("as", "a", Accents::Any),
            ("is", "i", Accents::Any),
            ("os", "o", Accents::Any),
            ("us", "u", Accents::Any),
            // The stemmer reads the masculine `étranger` as a verb.
            ("gère", "ger", Accents::Any),
            ("gères", "ger", Accents::Any),
        ],
    ),
    (
        "portuguese",
        &[
            ("ões", "ão", Accents::Any),
            ("ães", "ão", Accents::Any),
            ("ãos", "ão", Accents::Any),
            ("ãs", "ã", Accents::Any),
            ("oes", "ao", Accents::Any),
            ("aes", "ao", Accents::Any),
            ("aos", "ao", Accents::Any),
            ("éus", "éu", Accents::Any),
            ("eus", "eu", Accents::Any),
            ("ais", "al", Accents::Any),
            ("éis", "el", Accents::Any),
            ("veis", "vel", Accents::Any),
            ("eis", "il", Accents::Some),
            ("eis", "el", Accents::None),
            ("óis", "ol", Accents::Any),
            ("ois", "ol", Accents::Any),
            ("uis", "ul", Accents::Any),
            ("is", "il", Accents::None),
            ("ns", "m", Accents::Any),
        ],
    ),
    (
        "spanish",
        &[
            // Not almacenes and andenes, whose singulars have the accent.
            ("enes", "en", Accents::Some),
            ("arroces", "arroz", Accents::Any),
            ("caces", "caz", Accents::Any),
            ("capaces", "capaz", Accents::Any),
            ("cruces", "cruz", Accents::Any),
            ("disfraces", "disfraz", Accents::Any),
            ("felices", "feliz", Accents::Any),
            ("jueces", "juez", Accents::Any),
            ("lápices", "lápiz", Accents::Any),
            ("lapices", "lapiz", Accents::Any),
            ("luces", "luz", Accents::Any),
            ("narices", "nariz", Accents::Any),
            ("nueces", "nuez", Accents::Any),
            ("peces", "pez", Accents::Any),
            ("raíces", "raíz", Accents::Any),
            ("raices", "raiz", Accents::Any),
            ("tapices", "tapiz", Accents::Any),
            ("trices", "triz", Accents::Any),
            ("veces", "vez", Accents::Any),
            ("veloces", "veloz", Accents::Any),
            ("voces", "voz", Accents::Any),
        ],
    ),
];

/// Endings of words that are no plurals, whose plural is another word, or whose other forms keep the `s`.
const EXCEPTIONS: [(&str, &str); 3] = [
    ("catalan", "grans fons segons abans trons"),
    ("french", "gras ais cis mis ois paris quis ris sis uis clos gros btus clus fus trus digère exagère ingère suggère"),
    ("portuguese", "jamais demais depois heróis herois lapis tenis gratis paris"),
];

/// The shortest word whose ending is replaced. Shorter ones are seldom plurals.
const CHARS_MIN: usize = 5;

/// Plurals with other changes, and their singulars. Romanian has the older letters with a cedilla, as its stemmer. Long ones may be the last part of a compound.
const IRREGULAR: [(&str, &str); 13] = [
    ("catalan", "mans>mà pans>pa vins>vi pins>pi bons>bo plans>pla sons>so"),
    (
        "danish",
        "bøger>bog fødder>fod hænder>hånd tænder>tand nætter>nat mænd>mand bønder>bonde gæs>gås køer>ko brødre>bror døtre>datter mødre>moder fædre>fader børn>barn møbler>møbel cykler>cykel",
    ),
    ("estonian", "tööd>töö ööd>öö toad>tuba käed>käsi veed>vesi mehed>mees südamed>süda võtmed>võti õed>õde õlled>õlu tähed>täht"),
    ("finnish", "työt>työ yöt>yö tiet>tie suot>suo äidit>äiti mökit>mökki kädet>käsi käden>käsi vedet>vesi veden>vesi pöytiä>pöytä"),
    ("french", "amis>ami ennemis>ennemi fourmis>fourmi travaux>travail vitraux>vitrail coraux>corail yeux>œil"),
    ("hungarian", "lovak>ló kövek>kő szavak>szó fák>fa füvek>fű tavak>tó csövek>cső művek>mű"),
    ("irish", "fir>fear mná>bean tíortha>tír laethanta>lá míonna>mí ainmneacha>ainm cathracha>cathair éisc>iasc mic>mac"),
    (
        "lithuanian",
        "žmonės>žmogus žmonių>žmogus žmonėms>žmogus šunys>šuo šunų>šuo šunims>šuo vandenys>vanduo vandenų>vanduo vandens>vanduo",
    ),
    (
        "norwegian",
        "bøker>bok føtter>fot hender>hånd tenner>tann netter>natt menn>mann bønder>bonde trær>tre knær>kne brødre>bror søstre>søster døtre>datter mødre>mor fedre>far møbler>møbel sykler>sykkel nøkler>nøkkel øyer>øy bøkene>bok føttene>fot hendene>hånd tennene>tann nettene>natt møblene>møbel syklene>sykkel nøklene>nøkkel",
    ),
    (
        "romanian",
        "fete>fată străzi>stradă flori>floare şcoli>şcoală mâini>mână vieţi>viaţă băieţi>băiat râsuri>râs mâncăruri>mâncare uşi>uşă pieţe>piaţă seri>seară mese>masă scări>scară plăji>plajă zile>zi poduri>pod",
    ),
    (
        "spanish",
        "bebés>bebé cafés>café carnés>carné chalés>chalé comités>comité champús>champú mamás>mamá menús>menú papás>papá purés>puré sofás>sofá tabús>tabú tés>té",
    ),
    (
        "swedish",
        "böcker>bok fötter>fot rötter>rot händer>hand tänder>tand städer>stad länder>land stränder>strand nätter>natt söner>son döttrar>dotter bröder>broder mödrar>moder fäder>fader bönder>bonde möss>mus gäss>gås ögon>öga öron>öra nycklar>nyckel stövlar>stövel cyklar>cykel möbler>möbel fåglar>fågel speglar>spegel månader>månad",
    ),
    ("turkish", "ağzı>ağız burnu>burun şehri>şehir oğlu>oğul fikri>fikir ismi>isim"),
];

/// Irregular plurals with their singulars.
type Pairs = Vec<(&'static str, &'static str)>;

static IRREGULAR_PAIRS: LazyLock<Vec<(&str, Pairs)>> = LazyLock::new(|| {
    IRREGULAR.iter().map(|(language, list)| (*language, list.split(' ').filter_map(|pair| pair.split_once('>')).collect())).collect()
});

const PART_CHARS_MIN: usize = 5;
/// Endings after an irregular plural: the articles of the Nordic languages, and their genitive.
const ARTICLES: [&str; 6] = ["", "s", "na", "nas", "ne", "nes"];
const ROMANIAN: &str = "romanian";
const ROMANIAN_ARTICLES: [&str; 4] = ["", "i", "le", "lor"];
/// Languages that write no compounds, where another word may end like a plural.
const WITHOUT_COMPOUNDS: [&str; 4] = ["irish", "lithuanian", ROMANIAN, "turkish"];

/// Replaces a plural by its singular. Words are in lower case.
pub fn write_as_singular(language: &str, word: &mut String) {
    let singular = find_irregular(language, word).or_else(|| find_regular(language, word));
    if let Some((length, ending)) = singular {
        word.truncate(length);
        word.push_str(ending);
    }
}

/// Returns how much of a word stays, and what follows it in the singular.
fn find_regular(language: &str, word: &str) -> Option<(usize, &'static str)> {
    let (_, endings) = ENDINGS.iter().find(|(name, _)| *name == language)?;
    if word.chars().count() < CHARS_MIN {
        return None;
    }
    let fits = |(plural, _, accents): &&Ending| {
        word.strip_suffix(plural).is_some_and(|rest| *accents == Accents::Any || rest.contains(STRESSED) == (*accents == Accents::Some))
    };
    let (plural, singular, _) = endings.iter().find(fits)?;
    let mut exceptions = EXCEPTIONS.iter().filter(|(name, _)| *name == language).flat_map(|(_, endings)| endings.split(' '));
    let is_exception = exceptions.any(|ending| word.ends_with(ending));
    (!is_exception).then_some((word.len() - plural.len(), *singular))
}

fn find_irregular(language: &str, word: &str) -> Option<(usize, &'static str)> {
    let (_, pairs) = IRREGULAR_PAIRS.iter().find(|(name, _)| *name == language)?;
    let articles = if language == ROMANIAN { &ROMANIAN_ARTICLES[..] } else { &ARTICLES };
    let has_compounds = !WITHOUT_COMPOUNDS.contains(&language);
    pairs.iter().find_map(|(plural, singular)| {
        let is_part = |base: &str| has_compounds && plural.chars().count() >= PART_CHARS_MIN && base.ends_with(*plural);
        let fits = |base: &str| base == *plural || is_part(base);
        let mut bases = articles.iter().filter_map(|article| word.strip_suffix(article));
        let base = bases.find(|base| fits(base))?;
        Some((base.len() - plural.len(), *singular))
    })
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analyzer;

    #[test]
    fn plurals_have_the_stem_of_their_singulars() {
        for (language, pairs) in [
            ("catalan", "cançons>cançó germans>germà jardins>jardí mans>mà estacions>estació"),
            ("danish", "bøger>bog skolebøger>skolebog hænderne>hånd"),
            ("dutch", "ideeën>idee knieën>knie bacteriën>bacterie industrieën>industrie"),
            ("french", "photos>photo amis>ami menus>menu numéros>numéro étrangère>étranger sofas>sofa travaux>travail"),
            ("estonian", "tööd>töö südamed>süda võtmed>võti"),
            ("finnish", "kädet>käsi veden>vesi"),
            ("hungarian", "lovak>ló szavak>szó"),
            ("irish", "fir>fear tíortha>tír"),
            ("lithuanian", "žmonės>žmogus šunys>šuo"),
            ("irish", "fir>fear mná>bean tíortha>tír laethanta>lá míonna>mí ainmneacha>ainm cathracha>cathair éisc>iasc mic>mac"),
            (
                "lithuanian",
                "žmonės>žmogus žmonių>žmogus žmonėms>žmogus šunys>šuo šunų>šuo šunims>šuo vandenys>vanduo vandenų>vanduo vandens>vanduo",
            ),
            ("norwegian", "bøker>bok føttene>fot føtter>fot"),
            (
                "portuguese",
                "pães>pão corações>coração irmãs>irmã animais>animal papéis>papel fáceis>fácil móveis>móvel lençóis>lençol \
             jardins>jardim barris>barril chapéus>chapéu coracoes>coracao",
            ),
            ("romanian", "flori>floare florile>floare străzilor>stradă fetele>fată școlile>școală mâini>mână"),
            (
                "spanish",
                "imágenes>imagen jóvenes>joven luces>luz lápices>lápiz actrices>actriz cafés>café almacenes>almacén índices>índice",
            ),
            ("swedish", "böcker>bok kokböckerna>kokbok ögon>öga nycklar>nyckel månader>månad"),
            ("turkish", "ağzı>ağız"),
        ] {
            let analyzer = Analyzer::for_language(language).unwrap();
            let stem = |word: &str| analyzer.words(word).remove(0).text;
            for (plural, singular) in pairs.split_whitespace().filter_map(|pair| pair.split_once('>')) {
                assert_eq!(stem(plural), stem(singular), "{language} {plural}");
            }
        }
    }

    #[test]
    fn words_that_look_like_plurals_stay_apart() {
        for (language, first, second) in [
            ("french", "français", "françai"),
            ("french", "paris", "pari"),
            ("french", "gras", "gra"),
            ("portuguese", "jamais", "jamal"),
            ("spanish", "entonces", "entonz"),
        ] {
            let analyzer = Analyzer::for_language(language).unwrap();
            assert_ne!(analyzer.words(first), analyzer.words(second), "{language} {first}");
        }
    }
}
