/** Numbers and dates that people type in the form of a collection's documents, in the fake DOM. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { parse } from 'yaml'
import { visitSignedIn } from '#tests/support/console-dom/visit'
import { type StartedServer, startServer } from '#tests/support/started-server'

const file = `
workspace: shop
collections:
  products:
    id: { field: id, uri: "urn:product:{id}" }
    fields:
      price: { type: number, decimal: ',', title: Preis }
      added: { type: date, formats: [dd.MM.yyyy] }
      name: { type: text }
      place: { type: geo }
      offers: { type: object, fields: { shop: { type: keyword, title: Seller }, price.amount: { type: number, title: Amount } } }
apis:
  shop:
    endpoints:
      search: { kind: match, collection: products }
      all: { kind: all, collection: products }
      price: { kind: range, field: price, title: Preis }
      added: { kind: range, field: added, title: Added }
      prices: { kind: facet, field: price, title: Prices }
      days: { kind: facet, field: added, title: Days }
      near: { kind: filter, field: place, title: Near }
      nearest: { kind: sort, field: place, title: Nearest first }
`
const products = [
  {
    id: '1',
    name: 'Becher',
    price: '12,90',
    added: '19.03.2026',
    place: '52.37,4.89',
    offers: [{ shop: 'A', price: { amount: 13 } }],
  },
  { id: '2', name: 'Lampe', price: '1.234,50', added: '20.03.2026', place: '52.4,4.9' },
  { id: '3', name: 'Sofa', price: '3.490,00', added: '21.03.2026', place: '52.5,5' },
]

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.applyWorkspace(file)
  await server.importDocuments('shop', 'products', products.map(it => JSON.stringify(it)).join('\n'))
})
after(async () => {
  await server?.stop()
})

test('a filter and a form of documents read 1.234 as an import does, and show how they read it', async () => {
  const { page, end } = await visitSignedIn(server, '/w/shop/data/products')
  await page.getByText('1–3 of 3').waitFor()
  await page.getByRole('button', { name: 'Add filter' }).click()
  const filtering = page.getByRole('dialog', { name: 'Add filter' })
  await filtering.getByLabel('From', { exact: true }).fill('1.234')
  await filtering.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('1–2 of 2').waitFor()
  await page.getByRole('button', { name: 'Remove the filter Preis: ≥ 1.234,00' }).click()
  await page.getByText('1–3 of 3').waitFor()

  await page.getByRole('button', { name: 'Add document' }).click()
  const adding = page.getByRole('dialog', { name: 'Add document' })
  await adding.getByRole('textbox', { name: /^id/ }).fill('4')
  await adding.getByRole('textbox', { name: 'Preis' }).fill('2.000')
  await adding.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('dialog').getByText('"price": "2.000"').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  const confirmation = page.getByRole('dialog', { name: 'Delete 4?' })
  await confirmation.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('1–3 of 3').waitFor()
  await end()
})

test('the ends of a range in Try it are typed as the results show the values', async () => {
  const { page, end } = await visitSignedIn(server, '/w/shop/apis/shop')
  await page.getByRole('button', { name: 'Show all documents' }).click()
  await page.getByText('3 results').waitFor()
  const add = async (title: string) => {
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('menuitem', { name: title, exact: true }).click()
    return page.getByRole('group', { name: title, exact: true })
  }
  const price = await add('Preis')
  await price.getByLabel('from').fill('1.234')
  await page.getByText('2 results').waitFor()
  await page.getByRole('button', { name: 'Remove the filter Preis: ≥ 1234' }).waitFor()
  await price.getByLabel('from').fill('1.234,60')
  await page.getByText('1 result', { exact: true }).waitFor()
  assert.equal(await price.getByLabel('from').inputValue(), '1.234,60')
  await page.getByRole('button', { name: 'Remove the filter Preis: ≥ 1234,6' }).click()
  await page.getByText('3 results').waitFor()
  const added = await add('Added')
  await added.getByLabel('to').fill('20.03.2026')
  await page.getByText('2 results').waitFor()
  await end()
})

test('a wrong number or date in Try it is told at its field, and is not sent', async () => {
  const { page, end } = await visitSignedIn(server, '/w/shop/apis/shop')
  await page.getByRole('button', { name: 'Show all documents' }).click()
  await page.getByText('3 results').waitFor()
  const sentUrls: string[] = []
  page.on('request', request => sentUrls.push(request.url()))
  for (const [title, text] of [
    ['Preis', 'cheap'],
    ['Added', '31.02.2026'],
  ] as const) {
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('menuitem', { name: title, exact: true }).click()
    const field = page.getByRole('group', { name: title, exact: true }).getByLabel('from')
    await field.fill(text)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText(new RegExp(`"${text}"`)).waitFor()
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.equal(sentUrls.filter(url => url.includes(encodeURIComponent(text))).length, 0)
    await field.fill('')
  }
  await end()
})

test('a wrong date in Try it is told when the typing stops, and the results say that they do not use it', async () => {
  const { page, end } = await visitSignedIn(server, '/w/shop/apis/shop')
  await page.getByRole('button', { name: 'Show all documents' }).click()
  await page.getByText('3 results').waitFor()
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('menuitem', { name: 'Added', exact: true }).click()
  const field = page.getByRole('group', { name: 'Added', exact: true }).getByLabel('from')
  await field.fill('31.02.2026')
  await page.getByText('These results do not use the marked value').waitFor()
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  await field.fill('21.03.2026')
  await page.getByText('1 result', { exact: true }).waitFor()
  await page.getByText('These results do not use the marked value').waitFor({ state: 'detached' })
  await end()
})

test('parts of objects have the titles of their fields', async () => {
  const { page, open, end } = await visitSignedIn(server, '/w/shop/apis/shop')
  await page.getByRole('button', { name: 'Show all documents' }).click()
  await page.getByText('Seller: A; Price: Amount: 13').waitFor()
  await open('/w/shop/data/products/fields')
  await page.getByText('with shop and price.amount').waitFor()
  await open('/w/shop/apis/shop/endpoints')
  await page.getByText('Keeps documents whose place is near a place').waitFor()
  await page.getByText('Sorts by the distance of place, the nearest first').waitFor()
  await end()
})

test('the values of a facet are found as people and documents write them', async () => {
  const { page, end } = await visitSignedIn(server, '/w/shop/apis/shop')
  await page.getByRole('button', { name: 'Show all documents' }).click()
  await page.getByText('3 results').waitFor()
  for (const [title, text, value] of [
    ['Prices', '1.234,5', /^1234,5 \(1\)/],
    ['Prices', '3.490', /^3490 \(1\)/],
    ['Prices', '12,', /^12,9 \(1\)/],
    ['Days', '20.03.2026', /^2026-03-20/],
    ['Days', '21 Mar 2026', /^2026-03-21/],
  ] as const) {
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('menuitem', { name: title, exact: true }).click()
    await page.getByLabel(`Find a value of ${title}`).last().fill(text)
    await page.getByRole('group', { name: title, exact: true }).last().getByLabel(value).waitFor()
  }
  await end()
})

test('a sort by distance asks for a place, or starts at that of a filter', async () => {
  const { page, end } = await visitSignedIn(server, '/w/shop/apis/shop')
  await page.getByRole('button', { name: 'Show all documents' }).click()
  await page.getByText('3 results').waitFor()
  const add = async (button: string, title: string) => {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('menuitem', { name: title, exact: true }).click()
  }
  await add('Add sort', 'Nearest first')
  await page.getByText('Not used until you type a place').waitFor()
  await page.getByRole('button', { name: 'Remove Sort: Nearest first' }).click()
  await add('Add filter', 'Near')
  await page.getByLabel('Latitude, longitude and distance').fill('52.5,5,100km')
  await page.getByText('3 results').waitFor()
  await add('Add sort', 'Nearest first')
  assert.equal(await page.getByLabel('Latitude and longitude').inputValue(), '52.5,5')
  assert.equal(await page.getByText('Not used until you type a place').count(), 0)
  await end()
})

test('fixed values and ranges of facets are typed as documents write them, and shown so again', async () => {
  const { page, end } = await visitSignedIn(server, '/w/shop/apis/shop/endpoints')
  const dialog = page.getByRole('dialog')
  const write = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value)
  const create = async (kind: string, name: string, field: string, fill: () => Promise<unknown>) => {
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    await page.getByRole('radio', { name: kind, exact: true }).check()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Field', { exact: true }).selectOption(field)
    await fill()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await create('Filter', 'lamp-price', 'price', () => write('Fixed value', '1.234,50'))
  await create('Filter', 'lamp-day', 'added', () => write('Fixed value', '20.03.2026'))
  await create('Facet', 'classes', 'price', async () => {
    await page.getByLabel('Options', { exact: true }).selectOption('ranges')
    await write('To 1', '1.000,5')
    await write('From 2', '1.000,5')
  })
  await create('Facet', 'halves', 'added', async () => {
    await page.getByLabel('Options', { exact: true }).selectOption('ranges')
    await write('To 1', '2026-03')
    await write('From 2', '20.03.2026')
  })
  const { apis } = parse(await server.exportWorkspace('shop')) as WorkspaceFile
  const endpoints = apis?.shop?.endpoints ?? {}
  const readKey = (name: string, key: string): unknown =>
    Object.entries(endpoints[name] ?? {}).find(([one]) => one === key)?.[1]
  assert.equal(readKey('lamp-price', 'value'), 1234.5)
  assert.equal(readKey('lamp-day', 'value'), '2026-03-20')
  assert.deepEqual(readKey('classes', 'ranges'), [{ to: 1000.5 }, { from: 1000.5 }])
  assert.deepEqual(readKey('halves', 'ranges'), [{ to: '2026-03' }, { from: '2026-03-20' }])
  await page.getByRole('button', { name: 'Edit lamp-price' }).click()
  assert.equal(await page.getByLabel('Fixed value', { exact: true }).inputValue(), '1234,5')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Edit classes' }).click()
  assert.equal(await page.getByLabel('To 1', { exact: true }).inputValue(), '1000,5')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await end()
})

test('values of a row filter are those of the field’s form, and saving it unchanged keeps them', async () => {
  const params = { workspace: 'shop' }
  const readFilter = async () => (await server.call('listGroups', { params })).items[0]?.filter
  const { page, end } = await visitSignedIn(server, '/w/shop/settings/groups')
  await page.getByRole('button', { name: 'Create group' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill('Buyers')
  await dialog.getByRole('button', { name: 'Add field' }).click()
  await page.locator('input').and(page.getByLabel('Values')).fill('1.234')
  await page.keyboard.press('Enter')
  await dialog.getByText('No document has 1.234').waitFor()
  await dialog.getByRole('button', { name: '12,9 (1)' }).click()
  await dialog.getByRole('checkbox', { name: 'Let the defaults allow everything' }).check()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(await readFilter(), { price: [1234, 12.9] })
  await page.getByText('Preis is 1234 or 12,9').waitFor()
  await page.getByRole('button', { name: 'Edit Buyers' }).click()
  await dialog.getByLabel('Title').fill('Buyers of mugs')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(await readFilter(), { price: [1234, 12.9] })
  await end()
})
