/** A data folder with its first operator. `npm test` makes it once for all test files; a file run alone makes its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#server/config/resolve'

/** The first operator of every server of the tests. */
export const adminEmail = 'ada@example.org'
export const adminPassword = 'correct horse battery staple'

const variable = 'QUERENT_TEST_TEMPLATE'

const makeTemplate = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'querent-template-'))
  const data = join(folder, 'data')
  const { config } = readConfig({ flags: { data }, env: {} })
  const [{ initDataFolder }, { makeQuickHashes }] = await Promise.all([
    import('#server/main'),
    import('#server/accounts/test-password-hash'),
  ])
  makeQuickHashes()
  await initDataFolder(config, { email: adminEmail, password: adminPassword })
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return data
}

let ownTemplate: Promise<string> | undefined

/** Makes the template of a whole run, for the processes that this one starts. It is removed when this process exits. */
export const shareTemplate = async (): Promise<void> => {
  process.env[variable] = await makeTemplate()
}

/** Copies the template to `data`, which must not exist. */
export const copyTemplate = async (data: string): Promise<void> => {
  const template = process.env[variable]
  if (template === undefined) ownTemplate ??= makeTemplate()
  await cp(template ?? (await ownTemplate) ?? '', data, { recursive: true })
}
