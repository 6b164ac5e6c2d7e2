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

/**
 * Jobs, tools and food, as people describe them. Each was written before its own result was seen, and is frozen like the list above. The
 * synonyms of `packages/cli/dictionary/workspace.yaml` were then chosen with this list in view, so its share is no estimate for other
 * descriptions: of 20 that were written afterwards and tried once, 14 were found.
 */
export const everydayDescriptions: readonly Description[] = [
  // Jobs.
  describe('dentist', 'dentist', 'noun.person'),
  describe('person who fixes teeth', 'dentist, tooth doctor, orthodontist'),
  describe('tooth doctor', 'dentist'),
  describe('someone who cuts hair', 'barber, hairdresser, hairstylist'),
  describe('person who cuts hair', 'barber, hairdresser, hairstylist'),
  describe('someone who sells flowers', 'florist'),
  describe('person who sells meat', 'butcher'),
  describe('someone who puts out fires', 'fireman, firefighter'),
  describe(
    'person who fixes cars',
    'mechanic, automobile mechanic, car-mechanic, auto-mechanic, grease monkey',
  ),
  describe('person who makes furniture', 'cabinetmaker, carpenter, joiner, furniture maker'),
  describe('someone who takes pictures', 'photographer'),
  describe(
    'person who teaches children',
    'teacher, schoolteacher, school teacher, kindergarten teacher, preschool teacher',
  ),
  describe('person who drives a bus', 'bus driver, busman'),
  describe('someone who brings food in a restaurant', 'waiter, server, waitress'),
  describe('person who designs buildings', 'architect'),
  describe('someone who fixes shoes', 'cobbler, shoemaker'),
  describe('person who makes clothes', 'tailor, dressmaker, seamstress, couturier, modiste'),
  describe('doctor for eyes', 'ophthalmologist, oculist, eye doctor, optometrist'),
  describe('doctor for the skin', 'dermatologist, skin doctor'),
  describe('person who brings letters', 'mailman, postman, mail carrier, letter carrier, carrier'),
  // Tools.
  describe('tool to cut paper', 'scissors, pair of scissors, paper cutter'),
  describe('tool for cutting wood', 'saw, ax, axe, handsaw, hand saw, whipsaw, bandsaw, hacksaw, rip saw'),
  describe('tool for turning screws', 'screwdriver'),
  describe('tool to make holes', 'drill, awl, punch, auger, puncher, perforator'),
  describe('thing to open cans', 'can opener, tin opener'),
  describe('tool for digging', 'spade, shovel, pick'),
  describe(
    'thing to clean the floor',
    'mop, broom, swob, swab, vacuum, vacuum cleaner, carpet sweeper, sweeper',
  ),
  describe('thing to clean teeth', 'toothbrush, dental floss, toothpaste, floss'),
  describe('machine that washes clothes', 'washer, washing machine, automatic washer'),
  describe('machine to keep food cold', 'refrigerator, icebox, electric refrigerator, fridge'),
  describe('machine for drying hair', 'hair dryer, hand blower, blow dryer, hair drier'),
  describe('thing to tell the time', 'clock, watch, timepiece, timer'),
  describe('thing to see far away', 'telescope, binoculars, field glasses, spyglass'),
  // Food.
  describe('bread with holes', 'bagel, doughnut, donut, beigel, crumpet, english muffin'),
  describe('bread with a hole', 'bagel, doughnut, donut, beigel'),
  describe('cheese with holes', 'swiss cheese, emmental, emmenthal, emmenthaler, emmentaler, gruyere'),
  describe('cake with a hole', 'doughnut, donut, sinker'),
  describe('flat bread with cheese and tomato', 'pizza, pizza pie'),
  describe('fruit that monkeys eat', 'banana'),
  describe('yellow fruit', 'banana, lemon, pineapple, quince, grapefruit'),
  describe('sour yellow fruit', 'lemon'),
  describe('drink made from grapes', 'wine, vino, grape juice'),
  describe('drink made from apples', 'cider, cyder, apple juice, sweet cider, hard cider'),
  describe('food made from milk', 'cheese, dairy product, yogurt, butter, yoghurt, yoghourt'),
  describe('sweet food made by bees', 'honey'),
  describe('rice with raw fish', 'sushi'),
  describe('soup with beets', 'borsch, borscht, borsh, borshch, borscht, bortsch'),
  describe('meat of a pig', 'pork, bacon, ham, porc'),
  describe('frozen dessert', 'ice cream, sorbet, sherbet, icecream, frozen yogurt, frozen dessert, ice'),
  describe('eggs beaten and fried', 'omelet, omelette, scrambled eggs'),
  describe(
    'fried potatoes',
    'french fries, chips, fries, french-fried potatoes, home fries, hash brown, potato chip, crisp',
  ),
  describe('italian noodles', 'pasta, spaghetti, macaroni, lasagna, linguine, alimentary paste, vermicelli'),
  describe('someone who paints houses', 'painter, house painter'),
  describe('person who guards a prison', 'jailer, jailor, gaoler, prison guard, screw, turnkey'),
  describe(
    'person who cleans houses',
    'cleaner, charwoman, char, cleaning woman, cleaning lady, housemaid, maid',
  ),
  describe('someone who grows vegetables', 'farmer, gardener, nurseryman, market gardener, granger'),
  describe('person who catches fish', 'fisherman, fisher, angler'),
  describe('person who looks after sheep', 'shepherd, sheepherder, sheepman'),
  describe('someone who cooks in a restaurant', 'cook, chef'),
  describe('person who lends money', 'moneylender, lender, loaner, banker, usurer'),
  describe('person who translates', 'translator, interpreter'),
  describe('nurse for women giving birth', 'midwife, accoucheuse'),
  describe('tool for measuring angles', 'protractor, goniometer, bevel, theodolite'),
  describe('tool to tighten bolts', 'wrench, spanner, torque wrench'),
  describe('tool for pulling nails', 'claw hammer, pliers, nail puller, crowbar, pincer, pincers'),
  describe('machine that sews', 'sewing machine'),
  describe('thing to write with', 'pen, pencil, writing implement, ballpoint'),
  describe('thing to sit on', 'chair, seat, stool, bench, sofa'),
  describe('thing to carry water', 'bucket, pail, water jug, canteen, water bottle'),
  describe('thing for boiling water', 'kettle, boiler, teakettle, tea kettle'),
  describe('thing for toasting bread', 'toaster'),
  describe('pan for frying', 'frying pan, frypan, skillet'),
  describe('bread from france', 'french bread, baguette, croissant, french loaf, brioche'),
  describe('drink from hops', 'beer, ale, lager'),
  describe('spicy red powder', 'paprika, cayenne, chili powder, cayenne pepper'),
  describe('hot mexican food', 'taco, burrito, enchilada, tamale, mole, fajita, chili'),
  describe('red fruit in salad', 'tomato, radish'),
  describe('vegetable that makes you cry', 'onion'),
  describe('orange vegetable', 'carrot, pumpkin, sweet potato'),
  describe('sauce for salad', 'salad dressing, dressing, vinaigrette, french dressing, mayonnaise'),
  describe('breakfast with milk', 'cereal, muesli, granola, cornflakes, cold cereal'),
  describe('fish eggs', 'caviar, roe, caviare'),
]
