/** The editor of the workspace file in Dutch, in real Chromium. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { nl, nlFaults } from '#console/i18n/nl'
import { openChromium } from '#tests/support/chromium'
import { visitSignedIn, waitForCount, waitUntilSettled } from '#tests/support/console-visit'
import { makeLibrary, workspaceFile } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let browser: Browser
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

test('the editor of the workspace file shows errors, advice and changes in Dutch', async () => {
  const { page, open, end } = await visitSignedIn(browser, server, '/w/library')
  await page.getByRole('button', { name: /^Account, / }).press('Enter')
  await page.getByRole('menuitemradio', { name: 'Nederlands' }).click()
  await page.locator('html[lang=nl]').waitFor()
  // The page has loaded again, and signs in again.
  await page.getByRole('button', { name: /^Account, / }).waitFor()
  await waitUntilSettled(page)
  await open('/w/library/settings/workspace-file')
  const write = async (text: string) => {
    await page.locator('.cm-content').click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(text)
  }
  const list = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^regel / }) })
  const messages = async (text: string, count: number) => {
    await write(text)
    await waitForCount(list, count)
    return (await list.allTextContents()).map(item => item.replace(/^regel .*?: /, ''))
  }
  assert.deepEqual(
    await messages(
      'workspace: library\ntitel: A\ncollections:\n  books:\n    class: x\n    fields: { title: { type: txt } }\n    id:\n',
      4,
    ),
    [
      'onbekende sleutel "titel"; toegestaan: workspace, title, description, collections, configurations, apis, groups, memberDefaults, members, applications, systemToSystem, identityProvider, branding, settings, tests; bedoelt u "title"?',
      '"x" kan niet. Toegestaan: een lijst van 0 tot 100 regels of een mapping met field',
      '"txt" kan niet. Toegestaan: text, keyword, number, date, boolean, geo, object, vector; bedoelt u "text"?',
      'niets kan niet. Toegestaan: een mapping met field, generate, uri',
    ],
  )
  assert.deepEqual(await messages('workspace: library\ntitle: A: b', 1), [
    `${nlFaults.faults['yaml-second-colon']}${nlFaults.hints['quote-text']}`,
  ])
  await write(workspaceFile('library').replace('The library', 'The city library'))
  await page.getByText('Geen fouten, ').waitFor()
  await page.getByRole('button', { name: nl['Preview changes'] as string }).click()
  await page.getByText(nl['Applying makes these changes'] as string).waitFor()
  // Half-typed text is checked too.
  await end([400])
})
