/** Proposals for files in other languages than English: titles, ids, sums of money, addresses and counts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Proposal, type ProposedField, proposedApi, titleWeight } from '@querent/contract/proposal'
import { propose } from './propose.ts'
import { readSample, type SampleFormat } from './read-sample.ts'

const proposeFor = async (text: string, format: SampleFormat = 'csv'): Promise<Proposal> => {
  const sample = await readSample(Buffer.from(text), format, false)
  return typeof sample === 'string' ? assert.fail(sample) : propose('offres', sample)
}
const readField = ({ fields }: Proposal, name: string): ProposedField =>
  fields.find(field => field.name === name) ?? assert.fail(name)
const suggested = (proposal: Proposal) => {
  const endpoint = proposedApi(proposal).endpoints?.suggest
  return endpoint?.kind === 'match' ? endpoint.fields : undefined
}

const jobs = [
  'Boulanger',
  'Infirmière de nuit',
  'Chef de cuisine',
  'Pâtissier',
  'Conducteur de bus',
  'Comptable',
]
const offers = (heading: string, salary: (index: number) => string) =>
  [
    `Référence;${heading};Salaire annuel;Description`,
    ...Array.from(
      { length: 60 },
      (_, index) =>
        `FR-${String(index).padStart(4, '0')};${jobs[index % jobs.length]};${salary(index)};Vous travaillez dans une équipe de ${index} personnes, et vous êtes la personne qui accueille les clients`,
    ),
  ].join('\n')
const euros = (index: number) => `${30 + (index % 17)} ${index % 2 ? '500' : '000'} €`

test('a title in another language counts more and suggests, and the code of a document does not', async () => {
  for (const heading of ['Intitulé du poste', 'Nom du métier', 'Poste', 'Título', 'nazwa_oferty']) {
    const proposal = await proposeFor(offers(heading, euros))
    assert.deepEqual(proposal.id, { field: 'Référence' })
    assert.deepEqual(
      [readField(proposal, heading).type, readField(proposal, heading).weight],
      ['text', titleWeight],
    )
    assert.equal(readField(proposal, 'Référence').weight, 1)
    assert.deepEqual(suggested(proposal), [heading])
  }
})

test('suggestions follow a corrected proposal, and leave out an id that is a code although it counts more', async () => {
  const proposal = await proposeFor(offers('Fonction', euros))
  const change = (name: string, part: Partial<ProposedField>, fields = proposal.fields) =>
    fields.map(field => (field.name === name ? { ...field, ...part } : field))
  const heavyId = change('Référence', { type: 'text', use: true, weight: titleWeight })
  const light = change('Fonction', { type: 'text', use: true, weight: 1 }, heavyId)
  const plain = change('Description', { weight: 1 }, light)
  assert.deepEqual(suggested({ ...proposal, fields: plain }), ['Fonction'])
  const ticked = change('Fonction', { weight: titleWeight }, light)
  assert.ok(suggested({ ...proposal, fields: ticked })?.includes('Fonction'))
  assert.ok(!suggested({ ...proposal, fields: ticked })?.includes('Référence'))
  const alone = plain.map(field => (field.name === 'Référence' ? field : { ...field, use: false }))
  assert.deepEqual(suggested({ ...proposal, fields: alone }), ['Référence'])
})

test('whole sums of money have the decimal comma of the language, unless other columns tell a point', async () => {
  const decimal = async (text: string, name = 'Salaire annuel') =>
    readField(await proposeFor(text), name).decimal
  assert.equal(await decimal(offers('Poste', euros)), ',')
  assert.equal(await decimal(offers('Poste', index => `${20 + index}\u202f000 €`)), ',')
  assert.equal(await decimal(offers('Poste', index => `${2000 + index}`)), undefined)
  const withRates = offers('Poste', euros)
    .split('\n')
    .map((line, index) => `${line};${index === 0 ? 'Taux' : `${index}.25`}`)
  assert.equal(await decimal(withRates.join('\n')), '.')
  const flats = Array.from({ length: 30 }, (_, index) => `K${index};${2 + (index % 7)} 500 €`).join('\n')
  assert.equal(await decimal(`kod;czynsz\n${flats}`, 'czynsz'), ',')
  const english = Array.from(
    { length: 40 },
    (_, index) =>
      `A${index};You will work with the team of ${index} people and welcome our guests;£${20 + index},000`,
  ).join('\n')
  assert.equal(await decimal(`code;description;salary\n${english}`, 'salary'), '.')
})

test('addresses of pages are no searched text beside another text, and are one without', async () => {
  const rows = (title: boolean) =>
    Array.from({ length: 30 }, (_, index) =>
      JSON.stringify({
        id: `a${index}`,
        ...(title ? { title: `How to do the thing ${index}` } : {}),
        url: `https://help.example/articles/${index}`,
      }),
    ).join('\n')
  const url = readField(await proposeFor(rows(true), 'ndjson'), 'url')
  assert.deepEqual([url.type, url.use, url.search], ['keyword', false, false])
  assert.equal(readField(await proposeFor(rows(false), 'ndjson'), 'url').use, true)
})

test('counts of what people did are ranges, however small', async () => {
  const rows = Array.from({ length: 90 }, (_, index) =>
    JSON.stringify({
      id: `a${index}`,
      title: `How to do the thing ${index}`,
      votes: { up: index, down: index % 10 },
      rooms: 1 + (index % 5),
    }),
  )
  const proposal = await proposeFor(rows.join('\n'), 'ndjson')
  const down = readField(proposal, 'votes.down')
  assert.deepEqual([down.facet, down.range], [false, true])
  assert.equal(readField(proposal, 'rooms').facet, true)
})
