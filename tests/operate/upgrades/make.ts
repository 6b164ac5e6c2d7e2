/**
 * Makes the data folder and the backup of this version, which tests/operate/upgrades.test.ts opens with later versions. Run it once for each
 * release, and commit what it writes: `node tests/operate/upgrades/make.ts`.
 */
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { makeLibrary } from '#tests/support/library'
import { makeMember } from '#tests/support/person'
import { startServerProcess } from '#tests/support/started-server'

const root = join(import.meta.dirname, '..', '..', '..')
const { version } = JSON.parse(await readFile(join(root, 'packages/cli/package.json'), 'utf8'))
const folder = join(import.meta.dirname, version)
await mkdir(folder)
const server = await startServerProcess()
const { clientId, clientSecret } = await makeLibrary(server)
const { email, password } = await makeMember(server, 'library', 'reader@example.org')
await server.run(['backup', join(folder, 'querent.backup')])
await server.shutDown()
await promisify(execFile)('tar', ['-czf', join(folder, 'data.tar.gz'), '-C', dirname(server.data), 'data'])
const credentials = { client: { clientId, clientSecret }, person: { email, password } }
await writeFile(join(folder, 'credentials.json'), `${JSON.stringify(credentials, undefined, 2)}\n`)
await server.stop()
