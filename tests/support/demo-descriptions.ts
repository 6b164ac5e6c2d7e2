/**
 * 60 descriptions as people type them into a reverse dictionary, each with the words that they may mean. Written before the search
 * was tuned and frozen since: change the search, not this list. `tests/query/demo-page.test.ts` measures how many are found.
 */
export interface Description {
  text: string
  /** Any of these words counts. */
  words: readonly string[]
  /** The domain of the entry, for words with several senses. */
  domain?: string
}

const describe = (text: string, words: string, domain?: string): Description => ({
  text,
  words: words.split(', '),
  ...(domain !== undefined && { domain }),
})

export const descriptions: readonly Description[] = [
  // From the review of the demo.
  describe('fear of small spaces', 'claustrophobia'),
  describe('wine opener', 'corkscrew'),
  describe('dishwasher', 'dishwasher', 'noun.artifact'),
  describe('walk slowly', 'stroll, amble, saunter, dawdle, mosey, plod, shuffle'),
  describe('large feline with stripes', 'tiger', 'noun.animal'),
  describe('baby dog', 'puppy', 'noun.animal'),
  describe('place where bees live', 'beehive, hive, apiary'),
  describe('someone who studies stars', 'astronomer'),
  describe('feeling of missing home', 'homesickness'),
  describe('king of the jungle', 'lion', 'noun.animal'),
  describe('afraid of spiders', 'arachnophobia'),
  describe('person who collects stamps', 'philatelist'),
  describe('what do you call a person who collects stamps', 'philatelist'),
  describe('tiger', 'tiger', 'noun.animal'),
  // Single words, as people try a search box.
  describe('dog', 'dog', 'noun.animal'),
  describe('coffee', 'coffee', 'noun.food'),
  describe('guitar', 'guitar', 'noun.artifact'),
  describe('happy', 'happy'),
  describe('tigr', 'tiger', 'noun.animal'),
  describe('elefant', 'elephant', 'noun.animal'),
  // Animals.
  describe('baby cat', 'kitten, kitty', 'noun.animal'),
  describe('baby horse', 'foal, colt, filly', 'noun.animal'),
  describe('female horse', 'mare, female horse', 'noun.animal'),
  describe('animal that eats only plants', 'herbivore'),
  describe('animal with a pouch', 'marsupial, kangaroo, opossum', 'noun.animal'),
  describe('bird that cannot fly', 'ostrich, penguin, emu, ratite, flightless bird, kiwi'),
  describe('house for a dog', 'kennel, doghouse'),
  describe('group of wolves', 'pack, wolf pack'),
  // People.
  describe('doctor for children', 'pediatrician, paediatrician, baby doctor'),
  describe('doctor for animals', 'veterinarian, vet, veterinary'),
  describe('someone who makes bread', 'baker, bread maker'),
  describe('someone who fixes pipes', 'plumber'),
  describe('person who does not eat meat', 'vegetarian'),
  describe('woman whose husband died', 'widow'),
  describe('someone who cannot see', 'blind person'),
  describe('person who flies a plane', 'pilot, airplane pilot'),
  describe('mother of my mother', 'grandmother, grandma, maternal grandmother'),
  describe('someone who writes poems', 'poet'),
  describe('person who loves books', 'bibliophile, booklover, book lover'),
  describe('killing your brother', 'fratricide'),
  // Things.
  describe('tool for hitting nails', 'hammer, claw hammer'),
  describe('thing to keep rain off', 'umbrella, raincoat, waterproof'),
  describe('device to measure temperature', 'thermometer'),
  describe('machine that cuts grass', 'lawn mower, mower'),
  describe('glasses for the sun', 'sunglasses, dark glasses, shades'),
  describe('shop that sells meat', 'butcher shop, meat market, butchery'),
  describe('building where books are kept', 'library, depository library'),
  describe('ship that goes under water', 'submarine'),
  // Science and nature.
  describe('study of insects', 'entomology'),
  describe('study of the mind', 'psychology'),
  describe('mountain that erupts', 'volcano'),
  describe('when the moon covers the sun', 'solar eclipse, eclipse'),
  describe('frozen water', 'ice'),
  describe('fear of heights', 'acrophobia'),
  // Verbs, adjectives and ideas.
  describe('talk very quietly', 'whisper, murmur, mutter'),
  describe('cook in hot oil', 'fry, deep-fry, french-fry'),
  describe('very tired', 'exhausted, dog-tired, fagged, played out, bone-weary'),
  describe('unable to speak', 'mute, dumb, speechless, tongueless'),
  describe('government by the people', 'democracy'),
  describe('happening every year', 'annual, yearly'),
]
