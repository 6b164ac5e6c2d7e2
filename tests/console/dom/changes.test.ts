/** Changes of the workspace file in sentences, in the fake DOM: in the review of a form and in the audit log. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { inspectViews } from '#tests/support/console-dom/inspect'
import { visitSignedIn } from '#tests/support/console-dom/visit'
import { books, makeLibrary, workspaceFile } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
before(async () => {
  server = await startServer()
  await makeLibrary(server)
})
after(async () => {
  await server?.stop()
})

const [first, second] = books

test('the audit log says in sentences what an applied file changed, with titles and values', async () => {
  const rule = `
    curation:
      - { when: { query: river }, endpoint: search, pin: [${first?.id}], bury: ["https://library.example/books/${second?.id}"] }`
  const source = workspaceFile('library')
    .replace('  open:', `${rule.slice(1)}\n  open:`)
    .replace('weight: 2', 'weight: 3')
    .replace('inPrint: { type: boolean }', 'inPrint: { type: boolean, visible: [] }')
    .replace(
      '    language: english',
      '    language: english\n    readers: { field: genre, everyone: "*" }\n    synonyms: [[tv, television]]\n    stopWords: [via]',
    )
    .replace('title: Library', 'title: Books')
  await server.applyWorkspace(
    `${source}branding: { color: "#0b5fff", termsUrl: https://example.org/terms }\ntests: [{ api: library, endpoint: search, query: river, expect: [b001] }]\n`,
  )
  const { page, end } = await visitSignedIn(server, '/w/library/settings/audit-log')
  const row = page.getByRole('row').filter({ hasText: 'river' })
  await row.getByText(`Pins ${first?.title} (${first?.id}) for “river”`).waitFor()
  for (const sentence of [
    `Buries ${second?.title} (${second?.id}) for “river”`,
    'Changes the weight of the field title of books from 2 to 3',
    'Changes the visibility of the field inPrint of books from everybody to administrators',
    'Sets the readers of documents of books to those that genre names; * means every member',
    'Adds the look of the sign-in pages, with color #0b5fff, terms of use URL https://example.org/terms',
    'Adds the synonyms tv, television to books',
    'Adds the stop words via to books',
    'Changes the title of library from Library to Books',
    'Adds the relevance test “river”',
  ])
    await row.getByText(sentence, { exact: true }).waitFor()
  await inspectViews(page, 'audit-log-sentences', undefined)
  await row.getByRole('link', { name: first?.title ?? '' }).click()
  await page
    .getByRole('dialog')
    .getByText(first?.id ?? '')
    .first()
    .waitFor()
  await end()
})

test('a rule shows the titles of its documents, and its deletion is reviewed in a sentence', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/apis/library/curation')
  await page.getByRole('link', { name: first?.title ?? '' }).waitFor()
  await page.getByRole('button', { name: 'Delete “river”' }).click()
  await page
    .getByRole('dialog')
    .getByText(`No longer pins ${first?.title} (${first?.id}) for “river”`)
    .waitFor()
  await inspectViews(page, 'rule-deletion', undefined)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No rules yet').waitFor()
  const { items } = await server.call('listAudit', { params: { workspace: 'library' }, query: { count: 1 } })
  assert.deepEqual(items[0]?.detail.paths, ['remove apis.library.curation'])
  await end()
})

test('a saved edit is undone, and the history restores a state after a look at what changes', async () => {
  const { page, open, end } = await visitSignedIn(server, '/w/library/data/books/synonyms')
  const exported = async () =>
    (await server.call('exportWorkspaceFile', { params: { workspace: 'library' } })).source
  const fileBefore = await exported()
  await page.getByRole('button', { name: 'Delete tv, television' }).click()
  await page.getByRole('dialog').getByText('Removes the synonyms tv, television from books').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Saved in the workspace file.').waitFor()
  assert.notEqual(await exported(), fileBefore)
  await inspectViews(page, 'undo', undefined)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('status').getByText('Undone.').waitFor()
  await page.getByText('Saved in the workspace file.').waitFor({ state: 'detached' })
  assert.match(await exported(), /television/)

  await open('/w/library/settings/workspace-file')
  await page.getByRole('link', { name: 'History' }).click()
  const removal = page.getByRole('row').filter({ hasText: 'Removes the synonyms tv, television from books' })
  await removal.getByRole('button', { name: /^Restore the state/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Removes the synonyms tv, television from books').waitFor()
  await dialog.getByText(/Members, groups.*documents of remaining collections stay as they are now/).waitFor()
  await inspectViews(page, 'restore', undefined)
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.doesNotMatch(await exported(), /television/)

  const source = `# Reviewed.\n${await exported()}`
  await server.call('applyWorkspaceFile', { input: { source } })
  await page.reload()
  const comments = page.getByRole('row').filter({ hasText: 'Only comments or layout' })
  await comments.getByRole('button', { name: /^Restore the state/ }).click()
  await dialog.getByText('The workspace has this state.').waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Restore', exact: true }).isDisabled())
  await dialog.getByText('The file that this applies').click()
  await dialog.getByText(/# Reviewed\./).waitFor()
  await page.keyboard.press('Escape')
  await end()
})

test('a rule and a test show and take documents by id, with their titles', async () => {
  const { page, open, end } = await visitSignedIn(server, '/w/library/apis/library/curation')
  await page.getByRole('button', { name: 'Add rule' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Text of the query').fill('lake')
  await dialog.getByLabel('Document', { exact: true }).fill(first?.id ?? '')
  await dialog.getByText(`${first?.id}: ${first?.title}`).waitFor()
  await dialog.getByRole('button', { name: 'Add document' }).click()
  await dialog
    .getByText(first?.title ?? '', { exact: false })
    .first()
    .waitFor()
  await dialog.getByLabel('Last in the results').fill(second?.id ?? '')
  await dialog.getByText(`${second?.id}: ${second?.title}`).waitFor()
  await inspectViews(page, 'rule-dialog', undefined)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })

  await open('/w/library/relevance')
  await page.getByRole('button', { name: 'Add a test' }).click()
  await dialog.getByLabel('Query').fill('lake')
  await dialog.getByLabel('Other documents').fill(`${first?.id}, ${second?.id}\nx, y`)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const { source } = await server.call('exportWorkspaceFile', { params: { workspace: 'library' } })
  const file = parse(source) as { tests: { query: string; expect: string[] }[] }
  assert.deepEqual(file.tests.find(({ query }) => query === 'lake')?.expect, [first?.id, second?.id, 'x, y'])
  // No document has the whole line as its id, nor x and y.
  await end([404])
})

test('a restore shows changed relevance tests as changed', async () => {
  const source = (await server.call('exportWorkspaceFile', { params: { workspace: 'library' } })).source
  const writeTests = (...lists: string[]) =>
    `${source.replace(/^tests:[\s\S]*?\n(?=\S|$)/m, '')}\ntests:\n${lists.map(list => `  - { api: library, endpoint: search, ${list} }\n`).join('')}`
  const tests = ['query: river, expect: [b001]', 'query: sea, expect: [b002]', 'query: hill, expect: [b003]']
  await server.applyWorkspace(writeTests(...tests))
  await server.applyWorkspace(
    writeTests(
      'query: river, expect: [b001, b002]',
      'query: sea, expect: [b002], within: 3',
      'query: hills, expect: [b003]',
    ),
  )
  const { page, open, end } = await visitSignedIn(server, '/w/library/settings/workspace-file')
  await page.getByRole('link', { name: 'History' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Changes the relevance test “hill” to “hills”' })
  await row.getByText('Changes the relevance test “river”', { exact: true }).waitFor()
  await row.getByText('Changes the relevance test “sea”', { exact: true }).waitFor()
  assert.equal(await row.getByText(/the relevance test/).count(), 3)

  const earlier = page.getByRole('row').filter({ hasText: 'Adds the relevance test “sea”' })
  await earlier.getByRole('button', { name: /^Restore the state/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Changes the relevance test “hills” to “hill”', { exact: true }).waitFor()
  assert.equal(await dialog.getByText(/^(?:Adds|Removes) the relevance test/).count(), 0)
  await page.keyboard.press('Escape')
  await open('/w/library/settings/workspace-file')
  await end()
})

test('a deleted field comes back at its place with its comment, also after others changed the file', async () => {
  const source = `workspace: records
collections:
  records:
    fields:
      # The name on the sleeve
      title: { type: text }
      artist: { type: text }
      year: { type: number }
`
  await server.applyWorkspace(source)
  const params = { workspace: 'records' }
  const exported = async () => (await server.call('exportWorkspaceFile', { params })).source
  const fileBefore = await exported()
  const { page, end } = await visitSignedIn(server, '/w/records/data/records/fields')
  const removeTitle = async () => {
    await page.getByRole('button', { name: 'Delete title' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Saved in the workspace file.').waitFor()
    assert.doesNotMatch(await exported(), /title:/)
  }
  const undo = async () => {
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('status').getByText('Undone.').waitFor()
  }
  await removeTitle()
  await undo()
  assert.equal(await exported(), fileBefore)
  const [titled] = await page.getByRole('table').getByRole('button', { name: /^Edit/ }).all()
  assert.equal(await titled?.getAttribute('aria-label'), 'Edit title')

  await removeTitle()
  await server.call('updateSettings', { params, input: { title: 'Records' } })
  await undo()
  assert.match(await exported(), /fields:\n +title: \{ type: text \}\n +artist[\s\S]*title: Records/)
  await end()
})

test('a restore that deletes documents asks for the name of the collection, which comes back empty', async () => {
  const maps =
    'workspace: shelves\ncollections:\n  maps: { fields: { title: { type: text }, titleAsWords: { type: text, source: title } } }\n'
  await server.applyWorkspace(maps)
  await server.applyWorkspace(`${maps}  films: { fields: { title: { type: text } } }\n`)
  await server.importDocuments('shelves', 'films', [
    { id: 'f1', title: 'River' },
    { id: 'f2', title: 'Winter' },
  ])
  const { page, end } = await visitSignedIn(server, '/w/shelves/settings/workspace-file/history')
  const restoreRow = (text: string) =>
    page
      .getByRole('row')
      .filter({ hasText: text })
      .getByRole('button', { name: /^Restore the state/ })
      .click()
  const dialog = page.getByRole('dialog')
  const restore = dialog.getByRole('button', { name: 'Restore', exact: true })
  await restoreRow('Adds the collection maps with 1 field')
  await dialog.getByText('This permanently deletes 2 documents of films').waitFor()
  assert.equal(await restore.isDisabled(), true)
  await inspectViews(page, 'restore-deletes', undefined)
  await dialog.getByLabel('Type films to confirm').fill('films')
  await restore.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText(/The documents of films are permanently deleted/).waitFor()
  assert.equal(await page.getByText(/To go back/).count(), 0)

  await restoreRow('Adds the collection films')
  await dialog.getByText('The collection films comes back empty').waitFor()
  await restore.click()
  await dialog.waitFor({ state: 'detached' })
  const status = page.getByRole('status').filter({ hasText: 'To go back' })
  const link = status.getByRole('link', { name: 'films' })
  assert.equal(await link.getAttribute('href'), '/console/w/shelves/data/films/import')
  await inspectViews(page, 'restored-empty', undefined)
  await end()
})
