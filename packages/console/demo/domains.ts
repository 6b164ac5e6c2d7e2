/** Names for WordNet's domains that people understand. */
const names: Record<string, string> = {
  'adj.all': 'Adjectives',
  'adj.pert': 'Adjectives of nouns',
  'adj.ppl': 'Participles',
  'adv.all': 'Adverbs',
  'noun.Tops': 'The most general words',
  'noun.act': 'Actions',
  'noun.animal': 'Animals',
  'noun.artifact': 'Made by people',
  'noun.attribute': 'Qualities',
  'noun.body': 'Parts of the body',
  'noun.cognition': 'Ideas and knowledge',
  'noun.communication': 'Language and messages',
  'noun.event': 'Events',
  'noun.feeling': 'Feelings',
  'noun.food': 'Food and drink',
  'noun.group': 'Groups',
  'noun.location': 'Places',
  'noun.motive': 'Motives',
  'noun.object': 'Things in nature',
  'noun.person': 'People',
  'noun.phenomenon': 'Phenomena',
  'noun.plant': 'Plants',
  'noun.possession': 'Property and money',
  'noun.process': 'Processes',
  'noun.quantity': 'Amounts',
  'noun.relation': 'Relations',
  'noun.shape': 'Shapes',
  'noun.state': 'States',
  'noun.substance': 'Substances',
  'noun.time': 'Time',
}

/** `verb.motion` is "Verbs: motion". */
export const nameDomain = (value: string): string =>
  names[value] ??
  value.replace(
    /^(\w)(\w*)\.(.*)$/,
    (_, first: string, rest: string, name: string) => `${first.toUpperCase()}${rest}s: ${name}`,
  )
