/** Frequent words of names, ingredients and remarks, which have no small words such as "the". A word of two languages is in neither list. */
import type { Language } from '@querent/contract/languages'

const lists = {
  english: `apple apples bacon bag bean beans beef black blue board book books bottle bowl box bread breast broth brown butter cabbage cake
    carrot carrots chair cheese chicken children chocolate chopped church city clean coffee cold cooked cookies corn cotton cream cup cups
    daily dish dough dried early egg eggs evening fish flour food free fresh fried garden garlic glass green grilled ground hammer heavy honey
    house juice kitchen knife lamb large leather leaves left lemon light lime meat medium milk minced morning mountain mushroom mushrooms
    night noodles oil old onion onions open orange oven paper parsley peas peeled pepper pie pork potato potatoes price red rice right river
    roast roasted room salad salt sauce school screw shirt shoes shop silver sliced small soup spicy spoon steel stew street sugar summer
    sweet table tea tomato tomatoes vegetable vegetables water week wheat white wine winter women wood wooden year yellow young`,
  dutch: `aardappel aardappelen appel appels avond azijn bloem blauw boek boeken boter broek brood bruin dagelijks doos duur eieren feest
    fiets fietsen fietstocht gebakken gebraden geel gehakt gehakte gerookte gemeente gesneden gezond goed goedkoop gratis grijs groen groente
    groenten groot grote hout houten huis jaar jeugd jongeren kaas kerk keuken kinderen kip kipfilet klein kleine knoflook koekjes koffie
    koken komkommer kookworkshop koud lepel lezing maand markt melk middag mes meubels muziek nieuw nieuwe ochtend olie olijfolie oud oven
    paard papier paprika peper peterselie prijs prijzen rijst rommelmarkt rood rundvlees sinaasappel slagroom soep spek straat stoel suiker
    taart tafel thee tomaten ui uien vlees vogels voorstelling vrij vrouwen wandeling warm week wijn wit wortel wortels zomer zout zwart
    zwarte zwemles`,
  german: `abend achtung alt apfel äpfel backofen baumwolle beachten blau braun breite brot bücher buch butterschmalz dose dunkel edelstahl
    eier einbau essig farbe feuer fisch flasche fleisch frisch frische garten gebraten gehackt gelb gelbe gemüse geschnitten gewicht gewürze
    glas grau groß große grün grüne gurke haus herren holz honig höhe hähnchen jahr jahre käse kartoffel kartoffeln kerze kinder kirche klein
    kleine knoblauch kuchen küche kunststoff lager länge leder licht maße mehl milch möhren morgen musik nacht neu neue olivenöl öl pfeffer
    petersilie pilze preis prüfen reinigen reis rind rindfleisch rot rote sahne salz schal schraube schrauben schuhe schule schwarz schwarze
    schwein sommer speck stadt stahl straße stück stuhl suppe tasche tasse tauschen tisch tomaten torte uhr wagen wasser wein weiß weiße
    werkzeug wetter winter wurst zitrone zucker zwiebel zwiebeln`,
  french: `agneau ail année après-midi argent beurre blanc blanche blanches blé bleu bois boîte bœuf boeuf bouteille café carotte carottes
    champignon champignons chaise chaud chaussures chemise cheval chocolat citron confiture courgette crème cuillère cuisine cuir cuit
    eau école église enfant enfants entretien épinards été farine femme femmes feuille fleur fleurs frais fraise fraises fraîche froid fromage
    fruits gâteau gâteaux gratuit gros hachée haricots hiver homme hommes huile jambon jardin jaune jeune jour jus lait légume légumes lit
    livre livres maison marché marron miel mois moutarde neuf noir noire nuit œuf œufs oeufs oignon oignons pain pâte pâtes persil petit petite
    petits poêle poireau poisson poivre pomme pommes porc poudre poulet prix rôti rouge rouges rue salade sel semaine soir soupe sucre tarte
    tasse thé tomate verre vert verte vertes viande ville vin vinaigre voiture`,
  spanish: `aceite aceituna agua ajo almendra amarillo año años arroz atún azúcar azul baño barco blanca blanco botella caballo cabeza caja calle
    caliente cama camisa carne casa cebolla cebollas cerdo chica ciudad cocina cocido coche cordero cuchara cuchillo cuero dulce ensalada
    escuela fresco fruta galletas gallina grande gratis hierro hija hijo hogar hombre huevo huevos iglesia invierno jabón jamón jardín joven
    juguete leche lechuga libro libros limón luz madera maíz mañana mantequilla manzana mar mesa miel montaña mujer mujeres naranja negra negro
    niña niño niños noche nuevo nueva oro pan papel patatas pepino pequeña pequeño perejil perro pescado picante pimienta pimiento playa plata
    pollo precio primavera pueblo queso rojo roja ropa sal semana silla sopa taza tarde tomates trigo vaso verano verde verduras viejo vinagre
    vino zanahoria zapatos`,
  italian: `aceto acqua aglio agnello albero anno arancia argento bambini bambino bianca bianche bianco bicchiere biscotti bottiglia burro caffè
    caldo camera cane carciofi carne cavallo cena chiesa cioccolato cipolla cipolle città coltello cucchiaio cucina cuoio dolce donna donne
    estate fagioli farina finestra fiore fiori forno formaggio fragole freddo fresco frutta funghi gatto ghiaccio giallo giardino giorno
    gnocchi grano insalata inverno latte legno letto libri libro limone luce maiale manzo mattina mela mele melanzane mese miele montagna
    nero nera notte nuovo nuova olio olive pane panna pasta patate pepe pesce piatto piccolo pollo pomodori pomodoro prezzemolo prezzo
    prosciutto ragazzo riso rosso rossa sale salsa scarpe sedia sera settimana spinaci strada tavolo tazza torta uova uovo uva vecchio verdure
    vino vitello zucca zucchero zucchine zuppa`,
} satisfies Partial<Record<Language, string>>

const split = (list: string): string[] => list.split(/\s+/)
const listCounts = new Map<string, number>()
for (const list of Object.values(lists))
  for (const word of new Set(split(list))) listCounts.set(word, (listCounts.get(word) ?? 0) + 1)

/** The words of each language that no other list has. */
export const frequentWords: readonly (readonly [Language, ReadonlySet<string>])[] = Object.entries(lists).map(
  ([language, list]) => [
    language as Language,
    new Set(split(list).filter(word => listCounts.get(word) === 1)),
  ],
)

const headers: Readonly<Record<string, Language>> = Object.fromEntries(
  Object.entries({
    english:
      'ingredients price brand description notes remarks weight quantity author color colour size date servings',
    dutch:
      'ingrediënten ingredienten prijs merk omschrijving beschrijving opmerking opmerkingen gewicht aantal auteur naam kleur plaats',
    german:
      'zutaten preis marke beschreibung bezeichnung bemerkung bemerkungen hinweis gewicht menge warengruppe hersteller farbe größe lagerbestand',
    french: 'ingrédients prix marque remarque remarques poids quantité auteur nom couleur taille titre ville',
    spanish:
      'ingredientes precio marca descripción descripcion observaciones peso cantidad nombre título titulo ciudad',
    italian: 'ingredienti prezzo descrizione osservazioni quantità autore nome colore titolo città',
  }).flatMap(([language, words]) => words.split(' ').map(word => [word, language as Language])),
)

/** Returns the language of a name of a field; undefined for one that tells none. */
export const readHeaderLanguage = (name: string): Language | undefined =>
  name
    .toLowerCase()
    .split(/[^\p{L}\p{M}]+/u)
    .map(word => (Object.hasOwn(headers, word) ? headers[word] : undefined))
    .find(language => language !== undefined)
