/** Forms for fields, synonyms, endpoints and curation: what they write is what the workspace file says. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { parse } from 'yaml'
import { patienceMs } from '#server/test-wait'
import { inspectViews } from '#tests/support/console-dom/inspect'
import type { Page } from '#tests/support/console-dom/page'
import { type Visit, visitSignedIn, waitForCount } from '#tests/support/console-dom/visit'
import { commentedBooks, commentedShop } from '#tests/support/console-examples'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
before(async () => {
  server = await startServer()
})
after(async () => {
  await server?.stop()
})
/** Undoes what the test before has changed. */
const reset = async () => {
  await server.applyWorkspace(commentedShop)
  await server.importDocuments('shop', 'books', commentedBooks, { replace: true })
}

const exported = () => server.exportWorkspace('shop')
const exportedFile = async (): Promise<WorkspaceFile> =>
  parse(await server.exportWorkspace('shop')) as WorkspaceFile
const changed = (from: string, text: string): string => {
  assert.ok(commentedShop.includes(from), from)
  return commentedShop.replace(from, () => text)
}
const visitShop = (path: string) => visitSignedIn(server, `/w/shop${path}`)
const dialogButton = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })
const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })

test('a field is added, edited and deleted, after a warning that the documents are indexed again', async () => {
  await reset()
  const { page, end } = await visitShop('/data/books/fields')
  await page.getByRole('button', { name: 'Add field' }).click()
  await page.getByLabel('Name').fill('pages')
  await page.getByLabel('Type').selectOption('number')
  await page.getByLabel('Title', { exact: true }).fill('Number of pages')
  await inspectViews(page, 'field-dialog', undefined)
  await dialogButton(page, 'Add').click()
  await page.getByText('All documents of books are indexed again').waitFor()
  await inspectViews(page, 'field-review', undefined)
  await dialogButton(page, 'Add').click()
  await closed(page)
  await page.getByRole('button', { name: 'Edit pages' }).waitFor()
  const line = '# one word\n'
  const added = changed(line, `${line}      pages: { type: number, title: Number of pages }\n`)
  assert.equal(await exported(), added)

  // A weight changes no index, so nothing asks.
  await page.getByRole('button', { name: 'Edit title' }).click()
  await page.getByLabel('Weight').fill('0')
  await dialogButton(page, 'Save').click()
  await page.getByRole('dialog').locator('[aria-invalid=true]').waitFor()
  assert.equal(await exported(), added)
  await page.getByLabel('Weight').fill('3.5')
  await dialogButton(page, 'Save').click()
  await closed(page)
  assert.equal(await exported(), added.replace('weight: 2', 'weight: 3.5'))

  await page.getByRole('button', { name: 'Delete pages' }).click()
  await page.getByText('All documents of books are indexed again').waitFor()
  await dialogButton(page, 'Delete').click()
  await closed(page)
  assert.equal(await exported(), commentedShop.replace('weight: 2', 'weight: 3.5'))
  await end([400])
})

test('a new field says how many stored values fit, and offers to read them as the documents write them', async () => {
  await server.applyWorkspace(`
workspace: lands
collections:
  lands: { fields: { label: { type: text } } }
apis:
  lands: { endpoints: { all: { kind: all, collection: lands } } }
`)
  const lands = [
    { id: 'gb', label: 'United Kingdom', latlng: [54, -2], area: '242.495,0', since: '01.01.1801' },
    { id: 'as', label: 'American Samoa', latlng: [-14.3, -170.7], area: '199,5', since: '17.04.1900' },
  ]
  await server.importDocuments('lands', 'lands', lands.map(land => JSON.stringify(land)).join('\n'))
  const { page, open, end } = await visitSignedIn(server, '/w/lands/data/lands/fields')
  await page.getByRole('button', { name: 'Add field' }).click()
  await page.getByLabel('Type').selectOption('geo')
  await page.getByLabel('Name').fill('latlng')
  await page.getByText('All 2 values fit.').waitFor()
  await page.getByLabel('Lists of two numbers').selectOption('lon-lat')
  await page.getByText('1 of 2 values are no places like 52.37,4.89: [-14.3,-170.7].').waitFor()
  await page.getByLabel('Lists of two numbers').selectOption('lat-lon')
  await page.getByText('All 2 values fit.').waitFor()
  await dialogButton(page, 'Add').click()
  await page.getByText('All documents of lands are indexed again').waitFor()
  await dialogButton(page, 'Add').click()
  await closed(page)
  assert.match(await server.exportWorkspace('lands'), /latlng: \{ type: geo, pairs: lat-lon \}/)
  // Numbers and dates are read as the documents write them.
  await page.getByRole('button', { name: 'Add field' }).click()
  await page.getByLabel('Name').fill('area')
  await page.getByLabel('Type', { exact: true }).selectOption('number')
  await dialogButton(page, 'Read as 1.000,5').click()
  await page.getByText('All 2 values fit.').waitFor()
  assert.equal(await page.getByLabel('Decimal sign').inputValue(), ',')
  await page.getByLabel('Name').fill('since')
  await page.getByLabel('Type', { exact: true }).selectOption('date')
  await dialogButton(page, 'Read as dd.MM.yyyy').click()
  await page.getByText('All 2 values fit.').waitFor()
  await page.getByLabel('Formats').fill('dd.MM.yyyy; epoch-seconds')
  await dialogButton(page, 'Add').click()
  await dialogButton(page, 'Add').click()
  await closed(page)
  assert.match(
    await server.exportWorkspace('lands'),
    /since: { type: date, formats: \[dd\.MM\.yyyy, epoch-seconds\] }/,
  )
  await open('/w/lands/apis/lands?stack=e%2Fall')
  await page.getByRole('tab', { name: 'Map' }).waitFor()
  await end()
})

test('another type says how many values do not fit, and which endpoints need the old one', async () => {
  await reset()
  await server.applyWorkspace(
    commentedShop.replace(
      '# what people type',
      '# what people type\n      titles: { kind: match, collection: books, fields: [title] }',
    ),
  )
  const { page, end } = await visitShop('/data/books/fields')
  await page.getByRole('button', { name: 'Edit title' }).click()
  await page.getByLabel('Type', { exact: true }).selectOption('number')
  await page.getByText(/^3 of 3 values are no numbers .*Spring rivers/).waitFor()
  await page.getByLabel('Decimal sign').selectOption(',')
  await page.getByText(/^3 of 3 values are no numbers like 1\.000,5: Spring rivers/).waitFor()
  // Before anything is saved.
  const uses = page.getByRole('status').filter({ hasText: 'title cannot have the type number yet' })
  await uses.getByRole('link', { name: 'the endpoint titles of shop' }).waitFor()
  await inspectViews(page, 'field-misfits', undefined)
  await dialogButton(page, 'Save').click()
  const refusal = page.getByRole('alert').filter({ hasText: 'title has uses that need its type' })
  await refusal.getByRole('link', { name: 'the endpoint titles of shop' }).waitFor()
  await page.getByLabel('Type', { exact: true }).selectOption('keyword')
  await page.getByText('All 3 values fit.').waitFor()
  // The search that names the field searches its copy instead.
  await dialogButton(page, 'Save').click()
  await dialogButton(page, 'Save').click()
  await closed(page)
  assert.match(await server.exportWorkspace('shop'), /titles: .*fields: \[title-text\]/)
  await end([400])
})

test('a text field that becomes a keyword, for facets, is still found by its words', async () => {
  await reset()
  const { page, end, open } = await visitShop('/apis/shop/endpoints')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByRole('radio', { name: 'Facet', exact: true }).check()
  await page.getByText('Text fields are not in this list.').waitFor()
  await open('/w/shop/data/books/fields')
  await page.getByRole('button', { name: 'Edit title' }).click()
  await page.getByLabel('Type').selectOption('keyword')
  const keep = page.getByLabel('Keep finding it by its words')
  assert.ok(await keep.isChecked())
  await dialogButton(page, 'Save').click()
  await dialogButton(page, 'Save').click()
  await closed(page)
  const file = await server.exportWorkspace('shop')
  assert.match(file, /title: +\{ type: keyword/)
  assert.match(file, /title-text: \{ type: text.*source: title/)
  await end()
})

test('every input of the form of a field is in the file', async () => {
  await reset()
  const { page, end } = await visitShop('/data/books/fields')
  const add = async (name: string, type: string, fill: () => Promise<unknown>) => {
    await page.getByRole('button', { name: 'Add field' }).click()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Type').selectOption(type)
    await fill()
    await dialogButton(page, 'Add').click()
    await page.getByText('All documents of books are indexed again').waitFor()
    await dialogButton(page, 'Add').click()
    await closed(page)
  }
  await add('blurb', 'text', async () => {
    await page.getByLabel('Language').selectOption('dutch')
    await page.getByLabel('Weight').fill('0.5')
    await page.getByLabel('Suggestions').check()
  })
  await add('part', 'text', () => page.getByLabel('Codes').check())
  await add('meaning', 'vector', async () => {
    await page.getByLabel('Dimensions').fill('3')
    await page.getByLabel('Metric').selectOption('dot')
  })
  const { fields } = (await exportedFile()).collections?.books ?? {}
  assert.deepEqual(
    [fields?.blurb, fields?.part, fields?.meaning],
    [
      { type: 'text', language: 'dutch', weight: 0.5, suggest: true },
      { type: 'text', codes: true },
      { type: 'vector', dimensions: 3, metric: 'dot' },
    ],
  )
  await end()
})

test('a field that an endpoint uses is not deleted, and the dialog says which', async () => {
  await reset()
  await server.applyWorkspace(
    commentedShop.replace(
      '# what people type',
      '# what people type\n      genre: { kind: facet, field: genre }',
    ),
  )
  const { page, end } = await visitShop('/data/books/fields')
  const textBefore = await exported()
  await page.getByRole('button', { name: 'Delete genre' }).click()
  const refusal = page.getByRole('dialog').getByRole('alert')
  await refusal.getByText('genre is used by:').waitFor()
  await refusal.getByRole('link', { name: 'the endpoint genre of shop' }).waitFor()
  await inspectViews(page, 'used-field', undefined)
  assert.ok(await dialogButton(page, 'Delete').isDisabled())
  await dialogButton(page, 'Cancel').click()
  await closed(page)
  assert.equal(await exported(), textBefore)

  // Its uses can go with it, and come back with it.
  await page.getByRole('button', { name: 'Delete genre' }).click()
  await dialogButton(page, 'Remove these uses too').click()
  await page.getByRole('dialog').getByText('Removes the endpoint genre of shop').waitFor()
  await page.getByRole('dialog').getByText('Removes the field genre of books').waitFor()
  await dialogButton(page, 'Delete').click()
  await closed(page)
  const { collections, apis } = await exportedFile()
  assert.deepEqual(
    [Object.keys(collections?.books?.fields ?? {}), Object.keys(apis?.shop?.endpoints ?? {})],
    [['title'], ['search', 'all']],
  )
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('status').getByText('Undone.').waitFor()
  assert.deepEqual(await exportedFile(), parse(textBefore))
  await end([400])
})

test('a collection is deleted with its API and what names them, after its name is typed', async () => {
  await reset()
  await server.applyWorkspace(`${commentedShop}
memberDefaults: { apis: all }
groups: { desk: { apis: [shop] } }
tests: [{ endpoint: search, query: rivers, expect: ["1"] }]
`)
  const { page, end } = await visitShop('/data/books')
  await page.getByRole('button', { name: 'Delete collection' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('This permanently deletes its 3 documents.').waitFor()
  await dialog.getByText('Removes the collection books').waitFor()
  await dialog.getByText('Removes the API shop').waitFor()
  // The dialog says once that documents go.
  assert.equal(await dialog.getByText('Please check').count(), 0)
  await inspectViews(page, 'delete-collection', undefined)
  assert.ok(await dialogButton(page, 'Delete collection').isDisabled())
  await page.getByLabel('Type books to confirm').fill('books')
  await dialogButton(page, 'Delete collection').click()
  await closed(page)
  await page.getByText('No collections yet').waitFor()
  // No edit of the file brings the documents back.
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
  const { collections, apis, tests, groups } = await exportedFile()
  assert.deepEqual([collections, apis, tests, groups], [{}, {}, [], { desk: { apis: [] } }])
  await end([400])
})

test('an API is deleted and its documents stay, unless a leak test needs it', async () => {
  await reset()
  await server.applyWorkspace(`${commentedShop}
groups: { desk: {} }
tests: [{ as: { group: desk }, api: shop, endpoint: search, query: rivers, never: { genre: Secret } }]
`)
  const { page, end, open } = await visitShop('/apis/shop/endpoints')
  await page.getByRole('button', { name: 'Delete API' }).click()
  const refusal = page.getByRole('dialog').getByRole('alert')
  await refusal.getByText('shop is used by:').waitFor()
  await refusal.getByText('Change these first.').waitFor()
  await dialogButton(page, 'Cancel').click()
  await closed(page)

  await server.applyWorkspace(`${commentedShop}tests: []\n`)
  await open('/w/shop/apis/shop/endpoints')
  await page.getByRole('button', { name: 'Delete API' }).click()
  await page.getByLabel('Type shop to confirm').fill('shop')
  await dialogButton(page, 'Delete API').click()
  await closed(page)
  await page.getByText('No APIs yet').waitFor()
  const { collections, apis } = await exportedFile()
  assert.deepEqual([Object.keys(collections ?? {}), apis], [['books'], {}])
  await end([400])
})

test('synonyms are added in one direction, edited and deleted; the others keep their layout', async () => {
  await reset()
  const { page, end } = await visitShop('/data/books/synonyms')
  await page.getByRole('button', { name: 'Add synonyms' }).click()
  await page.getByText('One way', { exact: true }).click()
  await page.getByLabel('A search for').fill('js')
  await page.getByLabel('also finds').fill('javascript, ecma script')
  // Escape keeps what was typed.
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Close without saving?' }).getByText('Stay').click()
  await page.getByRole('dialog', { name: 'Close without saving?' }).waitFor({ state: 'detached' })
  // So do the links of the page and the button Back of the browser.
  await page.getByRole('link', { name: 'Overview', includeHidden: true }).click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByText('Stay').click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor({ state: 'detached' })
  await inspectViews(page, 'synonyms-dialog', undefined)
  await dialogButton(page, 'Add').click()
  await closed(page)
  const added = changed(
    '[tv, television]]',
    '[tv, television],\n               { from: [js], to: [javascript, ecma script] }]',
  )
  assert.equal(await exported(), added)
  await page.getByRole('button', { name: 'Edit car, automobile' }).click()
  await page.getByLabel('Words and phrases').fill('car\nautomobile\nvehicle')
  await dialogButton(page, 'Save').click()
  await closed(page)
  assert.equal(await exported(), added.replace('automobile]', 'automobile, vehicle]'))
  await page.getByRole('button', { name: 'Delete tv, television' }).click()
  await dialogButton(page, 'Delete').click()
  await closed(page)
  assert.doesNotMatch(await exported(), /television/)
  await end()
})

test('endpoints are grouped by purpose, each with a sentence, and many can be searched', async () => {
  await reset()
  const endpoints = Array.from(
    { length: 9 },
    (_, index) => `\n      by${index}: { kind: sort, field: genre }`,
  )
  await server.applyWorkspace(
    commentedShop.replace('# what people type', `# what people type${endpoints.join('')}`),
  )
  const { page, end } = await visitShop('/apis/shop/endpoints')
  await page
    .getByRole('table', { name: 'Searches' })
    .getByText(/^Finds books by words in /)
    .waitFor()
  const sorts = page.getByRole('table', { name: 'Order and ranking' })
  await waitForCount(sorts.getByText('Sorts by genre, the lowest first'), 9)
  await inspectViews(page, 'endpoints-by-purpose', undefined)
  await page.getByLabel('Find an endpoint').fill('SORT by7')
  await waitForCount(sorts.getByText('Sorts by genre, the lowest first'), 1)
  await page.getByLabel('Find an endpoint').fill('nowhere')
  await page.getByText('Nothing found').waitFor()
  await end()
})

test('a facet is added by its kind, and the search is edited in place', async () => {
  await reset()
  const { page, end } = await visitShop('/apis/shop/endpoints')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByRole('radio', { name: 'Facet', exact: true }).check()
  await page.getByLabel('Name').fill('options')
  await page.getByText('not e, p or options').waitFor()
  await page.getByLabel('Name').fill('genre')
  await page.getByLabel('Title', { exact: true }).fill('Kind of book')
  await page.getByLabel('Field', { exact: true }).selectOption('genre')
  await inspectViews(page, 'endpoint-dialog', undefined)
  await dialogButton(page, 'Add').click()
  await closed(page)
  const facet = '      genre: { kind: facet, field: genre, title: Kind of book }\n'
  const allLine = '      all:     { kind: all, collection: books }\n'
  assert.equal(await exported(), changed(allLine, allLine + facet))

  await page.getByRole('button', { name: 'Edit search' }).click()
  await page.getByLabel('Words that a document must have').selectOption('relaxed')
  await page.getByLabel('Typos').selectOption('lengths')
  await page.getByLabel('Letters for one typo').fill('3')
  await page.getByLabel('All text fields').uncheck()
  await dialogButton(page, 'Save').click()
  await closed(page)
  const search = 'collection: books, typos: { one: 3, two: 8 }, matching: relaxed, fields: [title] }   # what'
  assert.equal(
    await exported(),
    changed(allLine, allLine + facet).replace('collection: books, typos: true }   # what', search),
  )
  await page.getByRole('button', { name: 'Delete genre' }).click()
  await dialogButton(page, 'Delete').click()
  await closed(page)
  assert.doesNotMatch(await exported(), /facet/)
  await end()
})

test('a warning about another part of the file stops no edit', async () => {
  await reset()
  const source = `${commentedShop}groups: { press: { filter: { genre: [Poem] } } }\nmemberDefaults: { filter: {} }\n`
  await server.applyWorkspace(source)
  const { warnings } = await server.call('applyWorkspaceFile', { input: { source, dryRun: true } })
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['unmatched-value'],
  )
  const { page, end } = await visitShop('/apis/shop/endpoints')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByRole('radio', { name: 'Facet', exact: true }).check()
  await page.getByLabel('Name').fill('genre')
  await page.getByLabel('Field', { exact: true }).selectOption('genre')
  await dialogButton(page, 'Add').click()
  await closed(page)
  assert.match(await exported(), /genre: \{ kind: facet/)
  await end()
})

test('every kind of endpoint can be created from its form', async () => {
  await reset()
  await server.applyWorkspace(
    commentedShop.replace(
      '# one word\n',
      '# one word\n      price: { type: number }\n      added: { type: date }\n      at: { type: geo }\n      maker: { type: keyword }\n',
    ),
  )
  const { page, end } = await visitShop('/apis/shop/endpoints')
  const create = async (kind: string, name: string, fill: () => Promise<unknown>) => {
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    await page.getByRole('radio', { name: kind, exact: true }).check()
    await page.getByLabel('Name').fill(name)
    await fill()
    await dialogButton(page, 'Add').click()
    await closed(page)
  }
  const choose = (label: string, value: string) => page.getByLabel(label, { exact: true }).selectOption(value)
  const write = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value)
  await create('Full-text search', 'words', async () => {
    await choose('Typos', 'off')
    await page.getByLabel('Complete the last word').uncheck()
  })
  await create('Facet', 'classes', async () => {
    await choose('Field', 'price')
    await choose('Options', 'ranges')
    await write('To 1', '5')
    await write('From 2', '5')
    await page.getByRole('button', { name: 'Add range' }).click()
    await page.getByRole('button', { name: 'Delete range 3' }).click()
  })
  await create('Facet', 'years', async () => {
    await choose('Field', 'added')
    await choose('Options', 'interval')
    await choose('Interval', 'month')
  })
  await create('Facet', 'paths', async () => {
    await choose('Field', 'genre')
    await choose('Options', 'separator')
  })
  await create('Facet', 'property', async () => {
    await choose('Field', 'genre')
    await page.getByLabel('The query chooses the field').check()
    await page.getByRole('checkbox', { name: 'maker' }).check()
  })
  await create('One result per value', 'single', () => choose('Field', 'maker'))
  await create('Facet', 'once', async () => {
    await choose('Field', 'genre')
    await page.getByLabel('Count collapsed results').check()
  })
  await create('Filter', 'cheap', async () => {
    await choose('Field', 'price')
    await write('Fixed value', '1')
  })
  await create('Range', 'between', () => choose('Field', 'price'))
  await create('Sort order', 'newest', async () => {
    await choose('Field', 'added')
    await choose('Order', 'descending')
  })
  await create('Boost', 'fresh', async () => {
    await choose('Field', 'added')
    await write('Half-life', '30d')
  })
  await create('Boost', 'near', async () => {
    await choose('Field', 'at')
    await write('Half distance', '5km')
  })
  await create('Boost', 'dear', async () => {
    await choose('Field', 'price')
    await choose('Multiply by', 'log')
  })
  await create('All documents', 'everything', async () => {})
  await create('One document', 'book', async () => {})
  await create('Similar documents', 'like', async () => {})
  await create('Mix of searches', 'best', async () => {
    await page.getByRole('checkbox', { name: 'search' }).check()
    await page.getByRole('checkbox', { name: 'words' }).check()
    await write('Weight of words', '0.5')
  })
  await create('Any of several filters', 'either', async () => {
    await page.getByRole('checkbox', { name: 'cheap' }).check()
    await page.getByRole('checkbox', { name: 'paths:FILTER' }).check()
  })
  const text = await exported()
  for (const line of [
    'words: { kind: match, collection: books }',
    'classes: { kind: facet, field: price, ranges: [{ to: 5 }, { from: 5 }] }',
    'years: { kind: facet, field: added, interval: month }',
    'paths: { kind: facet, field: genre, separator: " > " }',
    'property: { kind: facet, field: { parameter: attribute, among: [genre, maker] } }',
    'single: { kind: collapse, field: maker }',
    'once: { kind: facet, field: genre, counts: collapsed }',
    'cheap: { kind: filter, field: price, value: 1 }',
    'between: { kind: range, field: price }',
    'newest: { kind: sort, field: added, order: descending }',
    'fresh: { kind: boost, field: added, halfLife: 30d }',
    'near: { kind: boost, field: at, halfDistance: 5km }',
    'dear: { kind: boost, field: price, by: log }',
    'everything: { kind: all, collection: books }',
    'book: { kind: lookup, collection: books }',
    'like: { kind: similar, collection: books }',
    'best: { kind: mix, of: { search: 1, words: 0.5 } }',
    'either: { kind: any, of: [cheap, paths:FILTER] }',
  ])
    assert.ok(text.includes(`      ${line}\n`), `${line}\n${text}`)
  await end()
})

const rulesInOrder = async (): Promise<string[]> =>
  [...(await exported()).matchAll(/query: (\w+)/g)].map(([, query]) => query ?? '')

test('a rule that is moved again while its move is saved gets the last place', async t => {
  await reset()
  const { page, end } = await visitShop('/apis/shop/curation')
  const down = page.getByRole('button', { name: 'Move “spring” down' })
  let release = () => {}
  const isHeld = new Promise<void>(resolve => {
    release = resolve
  })
  await page.route('**/manage/v1/apply*', async route => {
    await isHeld
    await route.continue()
  })
  await down.click()
  await down.click()
  await page.getByRole('listitem').last().getByText('“spring”').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Delete “spring”' }).isDisabled())
  release()
  await t.waitFor(async () => assert.deepEqual(await rulesInOrder(), ['summer', 'autumn', 'spring']), {
    timeout: patienceMs,
  })
  await page.getByRole('button', { name: 'Delete “spring”', disabled: false }).waitFor()
  assert.ok((await exported()).includes('      # Spring campaign\n      - { when: { query: spring }'))

  // A rule may wait for its document.
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByLabel('Text of the query').fill('winter')
  await page.getByLabel('Document').fill('nope')
  await page.getByText('No document has the id nope yet').waitFor()
  // Words find documents, and are no id.
  await page.getByLabel('Document').fill('rivers')
  await page.getByRole('button', { name: 'Place Summer rivers last' }).waitFor()
  await inspectViews(page, 'rule-documents', undefined)
  await dialogButton(page, 'Add').click()
  await page.getByText('Choose a document for “rivers”, or clear the field.').waitFor()
  await page.getByRole('button', { name: 'Place Summer rivers last' }).click()
  assert.equal(await page.getByLabel('Last in the results').inputValue(), '2')
  await page.getByLabel('Last in the results').fill('')
  await page.getByLabel('Document').fill('rivers')
  await page.getByRole('button', { name: 'Place Autumn rivers first' }).click()
  await dialogButton(page, 'Delete 3').click()
  // A rule does something, does not contradict itself, and is the only one for its text.
  await page.getByLabel('Document').fill('')
  await dialogButton(page, 'Add').click()
  await page.getByText('Choose a document that comes first or last.').waitFor()
  await page.getByLabel('Document').fill('b1')
  await page.getByLabel('Last in the results').fill('b1')
  await dialogButton(page, 'Add').click()
  await page.getByText('b1 cannot be both first and last.').waitFor()
  await page.getByLabel('Last in the results').fill('')
  await page.getByLabel('Text of the query').fill('  SPRING ')
  await dialogButton(page, 'Add').click()
  await page.getByText('There is a rule for this text already').waitFor()
  await dialogButton(page, 'Cancel').click()
  await closed(page)
  await end([404])
})

test('a result that a rule places first is marked in Try it', async () => {
  await reset()
  const { page, end } = await visitShop('/apis/shop?stack=e%2Fsearch%2Fp%2Fquery%2Fspring')
  await page.getByRole('listitem').filter({ hasText: 'Spring rivers' }).getByText('Pinned').waitFor()
  assert.equal(await page.getByText('Pinned').count(), 1)
  await end()
})

test('documents with the same title are told apart in Add rule, and a cut list says so', async () => {
  await reset()
  const genres = ['Novel', 'Poems', 'Essay', 'Drama', 'Comic', 'Diary']
  const markets = genres.map((genre, index) =>
    JSON.stringify({ isbn: index + 10, title: 'Winter market', genre }),
  )
  await server.importDocuments('shop', 'books', markets.join('\n'), { replace: true })
  const { page, end } = await visitShop('/apis/shop/curation')
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByLabel('Document').fill('market')
  await page.getByText('The first 5 results. Type more words to find others.').waitFor()
  await page.getByText('Novel · 10').waitFor()
  await page.getByRole('button', { name: 'Place Winter market, Poems first' }).click()
  await dialogButton(page, 'Cancel').click()
  await end([404])
})

test('somebody else who changes the same value meanwhile is not overwritten, and other changes stay', async () => {
  await reset()
  const { page, end } = await visitShop('/data/books/fields')
  await page.getByRole('button', { name: 'Edit title' }).click()
  await page.getByLabel('Weight').fill('9')
  await server.applyWorkspace(commentedShop.replace('weight: 2', 'weight: 5'))
  await dialogButton(page, 'Save').click()
  await page.getByText('Somebody else has changed this meanwhile').waitFor()
  assert.match(await exported(), /weight: 5/)
  await dialogButton(page, 'Show the change').click()
  await closed(page)
  await page.getByText('weight 5').waitFor()
  await page.getByRole('button', { name: 'Edit title' }).click()
  assert.equal(await page.getByLabel('Weight').inputValue(), '5')
  await page.getByLabel('Weight').fill('9')
  const changed = commentedShop.replace('weight: 2', 'weight: 5').replace('A shop', 'My shop')
  await server.applyWorkspace(changed)
  const sentUrls: string[] = []
  page.on('request', request => {
    if (/\/(apply|file)$/.test(request.url())) sentUrls.push(request.url())
  })
  let applied = 0
  await page.route('**/manage/v1/apply*', async route => {
    // Between the dry run and the change, somebody changes a comment.
    if (++applied === 2) await server.applyWorkspace(changed.replace('# The end', '# More'))
    await route.continue()
  })
  await dialogButton(page, 'Save').click()
  await closed(page)
  assert.equal(applied, 4, 'the edit is planned again')
  const sentBefore = sentUrls.length
  await page.getByRole('button', { name: 'Edit title' }).click()
  await page.getByLabel('Weight').fill('8')
  await dialogButton(page, 'Save').click()
  await closed(page)
  await page.getByText('weight 8').waitFor()
  // The page reads the file again after it.
  assert.deepEqual(
    sentUrls.slice(sentBefore).map(url => url.split('/').at(-1)),
    ['file', 'apply', 'apply', 'file'],
  )
  const text = await exported()
  for (const part of ['weight: 8', '# More', 'My shop']) assert.ok(text.includes(part), part)
  await end([409])
})

test('people who may only query see neither tabs nor links, and the addresses say who may open them', async () => {
  await reset()
  await server.call('createUser', {
    input: { email: 'bob@example.org', password: 'correct horse battery staple' },
  })
  await server.call('setMember', {
    params: { workspace: 'shop', email: 'bob@example.org' },
    input: { roles: ['api'] },
  })
  const { page, open, end }: Visit = await visitSignedIn(server, '/w/shop/apis', 'bob@example.org')
  await page.getByRole('link', { name: 'Try it' }).waitFor()
  assert.equal(await page.getByRole('link', { name: /Endpoints|Curation/ }).count(), 0)
  for (const path of [
    '/apis/shop/endpoints',
    '/apis/shop/curation',
    '/data/books/fields',
    '/data/books/synonyms',
  ]) {
    await open(`/w/shop${path}`)
    await page.getByRole('heading', { name: "You don't have access to this page" }).waitFor()
  }
  await end()
})

test('title and access of an API, and id, class and language of a collection have forms', async () => {
  await reset()
  const { page, open, end } = await visitShop('/apis/shop/endpoints')
  await page.getByRole('button', { name: 'Edit title and access' }).click()
  await page.getByLabel('Title', { exact: true }).fill('Books of Ada')
  await page.getByLabel('Public').check()
  await inspectViews(page, 'api-dialog', undefined)
  await dialogButton(page, 'Save').click()
  // Public access is worth a warning.
  await page.getByRole('heading', { name: 'Books of Ada' }).or(dialogButton(page, 'Back')).first().waitFor()
  if (await dialogButton(page, 'Back').isVisible()) await dialogButton(page, 'Save').click()
  await closed(page)
  const { title, access } = (await exportedFile()).apis?.shop ?? {}
  assert.deepEqual({ title, access }, { title: 'Books of Ada', access: 'public' })

  await open('/w/shop/data/books/fields')
  await page.getByRole('button', { name: 'Edit Documents of this collection' }).click()
  await page.getByLabel('URI of a document').fill('https://example.org/books/{id}')
  await page.getByLabel('Class', { exact: true }).selectOption('fixed')
  await page.getByLabel('Class URIs').fill('https://schema.org/Book')
  await page.getByLabel('Language').selectOption('english')
  await inspectViews(page, 'collection-dialog', undefined)
  await dialogButton(page, 'Save').click()
  // The language changes the index.
  await page.getByText('All documents of books are indexed again').waitFor()
  await dialogButton(page, 'Save').click()
  await closed(page)
  const { id, class: types, language } = (await exportedFile()).collections?.books ?? {}
  assert.deepEqual(
    { id, types, language },
    {
      id: { field: 'isbn', uri: 'https://example.org/books/{id}' },
      types: ['https://schema.org/Book'],
      language: 'english',
    },
  )
  assert.match(await exported(), /# Numbers of books/)
  await end()
})

test('an API is created, with endpoints that compare vectors', async () => {
  await reset()
  const { page, open, end } = await visitShop('/data/books/fields')
  await page.getByRole('button', { name: 'Add field' }).click()
  await page.getByLabel('Name').fill('meaning')
  await page.getByLabel('Type').selectOption('vector')
  await page.getByLabel('Dimensions').fill('3')
  await page.getByLabel('Metric').selectOption('dot')
  await dialogButton(page, 'Add').click()
  await page.getByText('All documents of books are indexed again').waitFor()
  await dialogButton(page, 'Add').click()
  await closed(page)

  await open('/w/shop/apis')
  await page.getByRole('button', { name: 'Create API' }).click()
  await page.getByLabel('Title').fill('Shöp')
  await page.getByText('The workspace already has this API.').waitFor()
  await page.getByLabel('Title').fill('')
  await page.getByLabel('Name').fill('meanings')
  await dialogButton(page, 'Create').click()
  await closed(page)
  await page.getByRole('heading', { name: 'meanings' }).waitFor()

  await open('/w/shop/apis/meanings/endpoints')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel('Nearest by meaning').check()
  await page.getByLabel('Name').fill('near')
  await page.getByLabel('Most results').fill('50')
  await page.getByLabel('Least similarity').fill('0.4')
  await dialogButton(page, 'Add').click()
  await closed(page)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel('Similar documents').check()
  await page.getByLabel('Name').fill('like')
  await page.getByLabel('Compare').selectOption('meaning')
  await dialogButton(page, 'Add').click()
  await closed(page)
  const file = await exportedFile()
  assert.deepEqual(file.collections?.books?.fields?.meaning, { type: 'vector', dimensions: 3, metric: 'dot' })
  assert.deepEqual(file.apis?.meanings?.endpoints, {
    near: { kind: 'nearest', collection: 'books', field: 'meaning', limit: 50, minimum: 0.4 },
    like: { kind: 'similar', collection: 'books', fields: ['meaning'] },
  })
  await end()
})

test('a form that is sent before the workspace file is loaded waits for the file', async () => {
  await reset()
  const { page, end } = await visitShop('/apis')
  const loaded = Promise.withResolvers<void>()
  await page.route('**/workspaces/shop/file', async route => {
    await loaded.promise
    await route.continue()
  })
  const fileRequest = page.waitForRequest('**/workspaces/shop/file')
  await page.getByRole('button', { name: 'Create API' }).click()
  await page.getByLabel('Name').fill('early')
  await fileRequest
  await dialogButton(page, 'Create').click()
  loaded.resolve()
  await closed(page)
  await page.getByRole('heading', { name: 'early' }).waitFor()
  await end()
})
