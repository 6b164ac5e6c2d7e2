import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSeparators } from './find-separators.ts'

const find = (values: readonly unknown[], name = 'Column') => findSeparators(name, values).listSeparator
const repeat = (values: readonly string[], times = 8) => Array.from({ length: times }, () => values).flat()

test('the sign between values that recur in other texts, at other places, is a separator', () => {
  assert.equal(find(repeat(['gift;new', 'new;sale', 'sale', 'gift'])), ';')
  assert.equal(
    find(repeat(['keuken, porselein', 'porselein', 'keuken, glas', 'glas, porselein, keuken'])),
    ',',
  )
  assert.equal(find(repeat(['Rock / Pop', 'Pop', 'Jazz / Rock', 'Pop / Jazz'])), '/')
  assert.equal(find(repeat(['red\nblue', 'blue\ngreen', 'green'])), '\n')
  assert.equal(find(repeat(['drama|comedy', 'comedy', 'comedy|drama|crime'])), '|')
  assert.equal(find(repeat(['S, M, L', 'M, L', 'L, XL', 'M', 'S, M'])), ',')
})

test('a clear sign is a separator of values that seldom recur, such as authors, if their number differs', () => {
  assert.equal(
    find([
      'Smith, John; Doe, Jane',
      'Brown, Ada',
      'Poe, Edgar A.; Li, Wei; Roe, J. R.',
      'Kay, Alan; Poe, Edgar A.',
    ]),
    ';',
  )
  assert.equal(
    find(
      ['https://a.example/1.jpg, https://a.example/2.jpg', 'https://a.example/3.jpg, https://b.example/4'],
      'web',
    ),
    ',',
  )
})

test('a column of labels, colors and the like has lists although each value has its place, or no value recurs', () => {
  const goods = ['keuken, porselein', 'keuken, glas', 'slaapkamer, wol', 'kantoor, metaal']
  assert.equal(find(goods, 'Labels'), ',')
  assert.equal(find(goods, 'Omschrijving'), undefined)
  assert.equal(find(['work, idea', 'home', 'idea, work'], 'Tags'), ',')
  assert.equal(find(['C;Python', 'JavaScript;Go', 'Rust'], 'WorkedWith'), ';')
  assert.equal(find(['Email, Calendar', 'Drive', 'Email, Drive, Meet'], 'Which do you use?'), ',')
  assert.equal(find(['1,5', '2,5 kg'], 'Sizes'), undefined)
  const objects = ["[{'id': 16, 'name': 'Animation'}]", "[{'id': 18, 'name': 'Drama'}]"]
  assert.deepEqual(findSeparators('genres', objects).listSeparators, [])
  assert.deepEqual(findSeparators('tags', ['Pan (small, red)', 'Pan (big, red)']).listSeparators, [])
  assert.deepEqual(findSeparators('tags', ['<b>a</b>, b', '<b>c</b>, d']).listSeparators, [])
})

test('names, addresses, sentences, numbers, titles and paths of categories are one value', () => {
  const people = ['Smith, John', 'Smith, Jane', 'Doe, John', 'Brown, Mary', 'Brown, John', 'Doe, Mary']
  assert.equal(find(repeat(people), 'Author'), undefined)
  assert.equal(
    find(repeat(['Utrecht, NL', 'Gent, BE', 'Leiden, NL', 'Brugge, BE', 'NL', 'Amsterdam, NH, NL']), 'Place'),
    undefined,
  )
  assert.equal(
    find(repeat(['Main St 5, Springfield, IL', 'Oak Ave 7, Springfield, IL', 'Elm 1, Chicago, IL'])),
    undefined,
  )
  assert.equal(find(repeat(['1,5 kg', '2,5 kg', '1,5 kg, rood', 'rood'])), undefined)
  assert.equal(
    find(['Come in, sit down, have a rest.', 'Red, or blue, as you wish it to be.', 'One word']),
    undefined,
  )
  assert.equal(find(['Pots &amp; pans', 'Tools &amp; nails', 'Pots &amp; tools', 'Tools']), undefined)
  assert.equal(
    find(['War; a history', 'Peace', 'The sea', 'A life', 'Home', 'Art; an outline', 'Sky'], 'Title'),
    undefined,
  )
  assert.equal(find(repeat(['Home, Kitchen, Pots', 'Home, Kitchen, Pans', 'Home, Garden, Tools'])), undefined)
  assert.equal(find(repeat(['and/or', 'n/a', '24/7', 'km/h'])), undefined)
  assert.equal(find([['a;b'], 'a;b', 'b;a']), undefined)
  assert.equal(find(repeat(['new', 'sale', 'gift'])), undefined)
})

test('a person may choose a sign that may be a separator, although nothing is sure', () => {
  const people = repeat(['Smith, John', 'Doe, Jane', 'Brown, Mary'])
  assert.deepEqual(findSeparators('Maat', repeat(['S/M', 'M/L', 'S/M/L', 'L'])), {
    listSeparator: undefined,
    listSeparators: ['/'],
  })
  for (const texts of [
    ['02/04', '12/03', '12/04'],
    ['https://a.example/b', 'https://a.example/c'],
    ['a/b.ts', 'a/c.ts'],
  ])
    assert.deepEqual(findSeparators('x', texts).listSeparators, [])
  assert.deepEqual(findSeparators('Author', people), { listSeparator: undefined, listSeparators: [','] })
  const prose = [
    'It is a long way to the sea, and a short one back home.',
    'A place to rest, with a view over the bay.',
  ]
  assert.deepEqual(findSeparators('About', prose).listSeparators, [])
})
