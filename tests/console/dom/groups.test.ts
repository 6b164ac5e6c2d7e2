/** Groups, and the rights of members and accounts, in the fake DOM. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Collection, WorkspaceFile } from '@querent/contract/workspace-file'
import { parse } from 'yaml'
import { inspectViews } from '#tests/support/console-dom/inspect'
import type { Page } from '#tests/support/console-dom/page'
import { visitSignedIn } from '#tests/support/console-dom/visit'
import { password } from '#tests/support/console-visit'
import { type Library, makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
const params = { workspace: 'library' }
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
  await server.call('createUser', { input: { email: 'eve@example.org', password } })
  await server.call('setMember', {
    params: { ...params, email: 'eve@example.org' },
    input: { roles: ['api'] },
  })
})
after(async () => {
  await server?.stop()
})

/** Its list of suggestions has the same name. */
const tags = (page: Page, name: string) => page.locator('input').and(page.getByLabel(name))
const readGroups = () => server.call('listGroups', { params })

test('an administrator creates a group with a filter and an API, and the defaults that it needs', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/settings/groups')
  await page.getByText('No groups yet').waitFor()
  await page.getByRole('button', { name: 'Create group' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill('Drama club')
  // The name comes from the title, until somebody types another.
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'drama-club')
  await dialog.getByText('Not set by this group: the other groups').waitFor()
  await dialog.getByRole('button', { name: 'Add field' }).click()
  await tags(page, 'Values').fill('drama')
  await page.keyboard.press('Enter')
  await dialog.getByLabel('APIs').selectOption('some')
  await dialog.getByRole('checkbox', { name: 'library' }).check()
  await dialog.getByText('Members without this group need a default').waitFor()
  await inspectViews(page, 'group-dialog', undefined)
  await dialog.getByRole('checkbox', { name: 'Let the defaults allow everything' }).check()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const row = page.getByRole('row').filter({ hasText: 'Drama club' })
  await row.getByText('Kind of book is drama').waitFor()
  await inspectViews(page, 'groups', undefined)
  assert.deepEqual(await readGroups(), {
    items: [{ group: 'drama-club', title: 'Drama club', filter: { genre: ['drama'] }, apis: ['library'] }],
    memberDefaults: { filter: {}, apis: 'all' },
  })
  await end()
})

test('a field is for a group only, with its copy, and documents name their readers', async () => {
  const readBooks = async () =>
    (
      parse((await server.call('exportWorkspaceFile', { params })).source) as {
        collections: { books: Collection }
      }
    ).collections.books
  const { page, open, end } = await visitSignedIn(server, '/w/library/settings/groups')
  await page.getByText(/^A field for some groups only/).waitFor()
  await open('/w/library/data/books/fields')
  await page.getByRole('button', { name: 'Edit pages' }).click()
  const dialog = page.getByRole('dialog')
  const save = async () => {
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await dialog.getByLabel('Visibility').selectOption('some')
  await dialog.getByText('No group is chosen: administrators only.').waitFor()
  await dialog.getByRole('checkbox', { name: 'Drama club' }).check()
  await inspectViews(page, 'field-sight', undefined)
  await save()
  assert.deepEqual((await readBooks()).fields?.pages?.visible, ['drama-club'])
  await page.getByRole('row').filter({ hasText: 'pages' }).getByText('drama-club').waitFor()

  await page.getByRole('button', { name: 'Edit pages' }).click()
  await dialog.getByLabel('Visibility').selectOption('all')
  await save()
  assert.equal((await readBooks()).fields?.pages?.visible, undefined)

  await page.getByRole('button', { name: 'Edit Documents of this collection' }).click()
  await dialog.getByLabel('Readers of documents').selectOption('genre')
  await dialog.getByLabel('Name that means every member').fill('*')
  await inspectViews(page, 'readers', undefined)
  const saveAfterReview = async () => {
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByText('All documents of books are indexed again').waitFor()
    await save()
  }
  await saveAfterReview()
  assert.deepEqual((await readBooks()).readers, { field: 'genre', everyone: '*' })
  await page.getByRole('button', { name: 'Edit Documents of this collection' }).click()
  await dialog.getByLabel('Readers of documents').selectOption('')
  await saveAfterReview()
  assert.equal((await readBooks()).readers, undefined)
  await end()
})

test('the audit log tells the creation of a group from a change of it', async () => {
  await server.call('setGroup', { params: { ...params, group: 'desk' }, input: { title: 'Desk' } })
  const { page, open, end } = await visitSignedIn(server, '/w/library/settings/audit-log')
  const row = page.getByRole('row').filter({ hasText: 'desk' })
  await row.getByText('Group created', { exact: true }).waitFor()
  await server.call('setGroup', { params: { ...params, group: 'desk' }, input: { title: 'Front desk' } })
  await open('/w/library/settings/audit-log')
  await row.getByText('Group updated', { exact: true }).waitFor()
  await server.call('removeGroup', { params: { ...params, group: 'desk' } })
  await end()
})

test('a field that names readers may have a copy for searching, which becomes hidden and visible with it', async () => {
  await server.applyWorkspace(`
workspace: tools
collections:
  tools:
    fields:
      maker: { type: keyword }
      maker-text: { type: text, source: maker }
`)
  const readCopy = async () => {
    const { source } = await server.call('exportWorkspaceFile', { params: { workspace: 'tools' } })
    return (parse(source) as { collections: { tools: Collection } }).collections.tools.fields?.['maker-text']
  }
  const { page, end } = await visitSignedIn(server, '/w/tools/data/tools/fields')
  const dialog = page.getByRole('dialog')
  for (const [readers, visible] of [
    ['maker', []],
    ['', undefined],
  ] as const) {
    await page.getByRole('button', { name: 'Edit Documents of this collection' }).click()
    await dialog.getByLabel('Readers of documents').selectOption(readers)
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByText('All documents of tools are indexed again').waitFor()
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual((await readCopy())?.visible, visible)
    if (readers === '') continue
    await page.getByRole('button', { name: 'Edit maker', exact: true }).click()
    await dialog.getByLabel('Title').fill('Maker')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await end()
})

test('the conditions of a group are edited in a form, and those that it has stay as they are', async () => {
  const filter = {
    genre: { not: ['drama'] },
    pages: { from: 100 },
    published: { to: 'now' },
    inPrint: { not: { not: [true] } },
  }
  await server.call('setGroup', { params: { ...params, group: 'press' }, input: { filter } })
  const { page, end } = await visitSignedIn(server, '/w/library/settings/groups')
  const row = page.getByRole('row').filter({ hasText: 'press' })
  await row
    .getByText('Kind of book is not drama, and pages is from 100, and published is up to now')
    .waitFor()
  await page.getByRole('button', { name: 'Edit press' }).click()
  const dialog = page.getByRole('dialog')
  const save = dialog.getByRole('button', { name: 'Save' })
  await dialog.getByLabel('Title').fill('Press')
  await inspectViews(page, 'group-conditions', undefined)
  await save.click()
  await dialog.waitFor({ state: 'detached' })
  const read = async () => (await readGroups()).items.find(({ group }) => group === 'press')
  assert.deepEqual(await read(), { group: 'press', title: 'Press', filter })

  await page.getByRole('button', { name: 'Edit Press' }).click()
  for (const field of ['genre', 'pages', 'published', 'inPrint'])
    await dialog.getByRole('button', { name: `Remove field ${field}` }).click()
  await dialog.getByRole('button', { name: 'Add field' }).click()
  await dialog.getByRole('combobox', { name: 'Condition' }).click()
  await page.getByRole('option', { name: 'is one of the member’s' }).click()
  await save.click()
  await dialog.getByText('Type the name of an attribute').waitFor()
  await dialog.getByLabel('Attribute of the member').fill('genres')
  await save.click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(await read(), { group: 'press', title: 'Press', filter: { genre: { member: 'genres' } } })
  await row.getByText('Kind of book is one of the member’s values of genres').waitFor()
  await end()
})

test('a member gets a group with an end, an attribute and limits; what is not edited stays', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/settings/team-members')
  await page.getByRole('button', { name: 'Edit eve@example.org' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Add group' }).click()
  await page.getByRole('option', { name: 'Drama club' }).click()
  await dialog.getByRole('combobox', { name: 'Add group' }).click()
  await page.getByRole('option', { name: 'Press' }).click()
  await dialog.getByLabel('Press ends').fill('2999-12-31')
  await dialog.getByText('Limits, end and attributes').click()
  await dialog.getByLabel('Queries per minute').fill('600')
  await dialog.getByRole('button', { name: 'Add attribute' }).click()
  await dialog.getByLabel('Attribute', { exact: true }).fill('genres')
  await tags(page, 'Its values').fill('comedy')
  await page.keyboard.press('Enter')
  await inspectViews(page, 'member-rights', undefined)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const row = page.getByRole('row').filter({ hasText: 'eve@example.org' })
  await row.getByText('what Drama club, Press opens').waitFor()
  await inspectViews(page, 'members-with-groups', undefined)
  const read = async () => {
    const { items } = await server.call('listMembers', { params })
    const { groups, attributes, limits, filter } =
      items.find(({ email }) => email === 'eve@example.org') ?? {}
    return { groups, attributes, limits, filter }
  }
  const expected = {
    groups: ['drama-club', { group: 'press', until: '2999-12-31' }],
    attributes: { genres: ['comedy'] },
    limits: { perMinute: 600 },
    filter: undefined,
  }
  assert.deepEqual(await read(), expected)
  await page.getByRole('button', { name: 'Edit eve@example.org' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(await read(), expected)
  await end()
})

test('an account is limited to an API and ends, and a group that somebody names cannot be deleted', async () => {
  const { page, open, expectRefused, end } = await visitSignedIn(
    server,
    `/w/library/settings/team-members/system-to-system/${library.clientId}`,
  )
  await page.getByRole('button', { name: 'Edit tests' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Limits, end and attributes').click()
  await dialog.getByLabel('APIs').selectOption('some')
  await dialog.getByText('None is chosen: none is open.').waitFor()
  await dialog.getByRole('checkbox', { name: 'open' }).check()
  await dialog.getByLabel('Membership ends').fill('2999-12-31')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('until 2999-12-31').waitFor()
  assert.equal((await library.get('library/e/all/count')).status, 403)
  // The list says so too, and leads to a preview of that API.
  await open('/w/library/settings/team-members')
  const row = page.getByRole('row').filter({ hasText: library.clientId })
  await row.getByText(/^APIs: /).waitFor()
  const preview = row.getByRole('link', { name: 'Preview as this member' })
  assert.match((await preview.getAttribute('href')) ?? '', /\/apis\/open\?/)

  await open('/w/library/settings/groups')
  await expectRefused([409], async () => {
    await page.getByRole('button', { name: 'Delete Press' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('alert').getByText('names the group press').waitFor()
  })
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Edit the defaults of members' }).click()
  await page.getByRole('dialog').getByRole('checkbox', { name: 'All documents' }).waitFor()
  await inspectViews(page, 'member-defaults', undefined)
  await end()
})

test('a document says who can read it, through what, and what hides it from others', async () => {
  const { page, open, end } = await visitSignedIn(server, '/w/library/data/books?document=b001')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Who can read this?' }).click()
  const readers = dialog.getByRole('region', { name: 'Who can read this?' })
  await readers.getByText('administrators see everything').waitFor()
  await dialog.getByLabel('Why can somebody read it, or not?').fill('eve@example.org')
  await page.keyboard.press('Enter')
  await dialog.getByText('eve@example.org can read it, because a public API shows it.').waitFor()
  await dialog.getByText('drama-club: genre must be drama, and is none').waitFor()
  await inspectViews(page, 'document-readers', undefined)

  await open('/w/library/settings/groups')
  await page
    .getByRole('row')
    .filter({ hasText: 'Drama club' })
    .getByRole('link', { name: 'Preview as this group' })
    .click()
  await page.getByText('You see what somebody in this group only would see.').waitFor()
  await end()
})

test("a member's row says why they see a document, or what hides it", async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/settings/team-members')
  await page.getByRole('button', { name: 'Explain what eve@example.org can read' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Document').fill('b001')
  await dialog.getByRole('button', { name: 'Explain' }).click()
  await dialog.getByText('drama-club: genre must be drama, and is none').waitFor()
  await inspectViews(page, 'member-sight', undefined)
  // Words find documents, one of which is chosen.
  await dialog.getByLabel('Document').fill('river')
  await dialog.getByRole('group', { name: 'Results' }).waitFor()
  await dialog.getByRole('button', { name: 'Explain' }).click()
  await dialog.getByText('Choose a document for “river”').waitFor()
  await inspectViews(page, 'member-sight-found', undefined)
  await dialog
    .getByRole('button', { name: /^Choose .*river/i })
    .first()
    .click()
  assert.match(await dialog.getByLabel('Document').inputValue(), /^b\d+$/)
  await dialog.getByRole('button', { name: 'Explain' }).click()
  await dialog.getByText(/genre must be drama/).waitFor()
  // The form only asks, so Escape closes it without a question.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await end()
})

test('an invitation and a new account get groups, and a new link of the invitation keeps them', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/settings/team-members')
  const dialog = page.getByRole('dialog')
  const addGroup = async (name: string) => {
    await dialog.getByRole('combobox', { name: 'Add group' }).click()
    await page.getByRole('option', { name }).click()
  }
  await page.getByRole('button', { name: 'Invite' }).click()
  await dialog.getByLabel('E-mail addresses').fill('guest@example.org')
  await addGroup('Press')
  await dialog.getByText('Limits, end and attributes').click()
  await dialog.getByLabel('Membership ends').fill('2999-12-31')
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  await dialog.getByRole('button', { name: "I've saved it" }).click()
  await dialog.waitFor({ state: 'detached' })
  const row = page.getByRole('row').filter({ hasText: 'guest@example.org' })
  await row.getByText('what press opens').waitFor()
  await page.getByRole('button', { name: 'New link for guest@example.org' }).click()
  await dialog.getByRole('button', { name: 'New link', exact: true }).click()
  await dialog.getByText('The earlier link no longer works.').waitFor()
  await dialog.getByRole('button', { name: "I've saved it" }).click()
  await dialog.waitFor({ state: 'detached' })
  const { items } = await server.call('listInvitations', { params, query: {} })
  const { groups, until } = items.find(({ email }) => email === 'guest@example.org') ?? {}
  assert.deepEqual([groups, until], [['press'], '2999-12-31'])

  await page.getByRole('button', { name: 'Create System-to-System account' }).click()
  await dialog.getByLabel('Name').fill('kiosk')
  await addGroup('Drama club')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.getByRole('button', { name: "I've saved it" }).waitFor()
  const accounts = await server.call('listSystemToSystem', { params, query: { search: 'kiosk' } })
  assert.deepEqual(accounts.items[0]?.groups, ['drama-club'])
  await end()
})

test('a leak test is added, shows what leaked, and is edited and deleted', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/relevance')
  const dialog = page.getByRole('dialog')
  const readTests = async () => {
    const { source } = await server.call('exportWorkspaceFile', { params })
    return (parse(source) as WorkspaceFile).tests
  }
  await page.getByRole('button', { name: 'Add a leak test' }).click()
  await dialog.getByLabel('Group', { exact: true }).selectOption('drama-club')
  await dialog.getByLabel('Query').fill('river')
  await dialog.getByRole('button', { name: 'Add field' }).click()
  await tags(page, 'Values').fill('drama')
  await page.keyboard.press('Enter')
  await inspectViews(page, 'leak-test-dialog', undefined)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const [added] = (await readTests()) ?? []
  assert.ok(added && 'never' in added)
  assert.deepEqual(
    [added.as, added.query, added.never],
    [{ group: 'drama-club' }, 'river', { genre: ['drama'] }],
  )
  await page.getByRole('button', { name: 'Run leak tests' }).click()
  const table = page.getByRole('table', { name: 'Leak tests' })
  await table.getByText('Failed').waitFor()
  await table.getByText(/^Documents: /).waitFor()
  await inspectViews(page, 'leak-tests', undefined)

  await page.getByRole('button', { name: 'Edit group drama-club: river' }).click()
  await dialog.getByLabel('Query').fill('harbor')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(await readTests(), [{ ...added, query: 'harbor' }])
  await page.getByRole('button', { name: 'Delete group drama-club: harbor' }).click()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await readTests(), undefined)
  await end()
})

test('a preview opens an API that the member may use, and at another one says whose view it is', async () => {
  await server.call('setGroup', { params: { ...params, group: 'nothing' }, input: { apis: [] } })
  const { page, end } = await visitSignedIn(server, '/w/library/apis/library?as=group%3Anothing')
  const note = page.getByRole('status').filter({ hasText: 'Preview as nothing' })
  await note.getByText('nothing may not use this API. No API is open to nothing.').waitFor()
  await note.getByRole('link', { name: 'End preview' }).click()
  await page.getByLabel('Search for').waitFor()
  await end([403])
})
