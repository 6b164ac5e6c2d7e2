import type { Command } from 'commander'
import { settleConnection, takeConfigFile } from '#command-line/connection-source'
import { asGroup, define, laterCommand, option } from '#command-line/define'
import { defaultData } from '#command-line/failure'
import manifest from '#manifest' with { type: 'json' }
import { checkTyped } from './command-line/environment.ts'

/** Every command: what it does, and where it is. Only the one that is called gets loaded. */
const commands: Record<string, [summary: string, load: () => Promise<Command>]> = {
  demo: [
    'everything at once: servers, a dictionary, a first search',
    async () => (await import('#commands/demo')).demo(),
  ],
  init: ['make a data folder and its first operator', async () => (await import('#commands/init')).init()],
  serve: [
    'run the query service and the authorization server',
    async () => (await import('#commands/serve')).serve(),
  ],
  apply: ['make a workspace match its file', async () => (await import('#commands/apply')).apply()],
  schema: [
    'print the JSON Schema of the workspace file',
    async () => (await import('#commands/schema')).schema(),
  ],
  export: ['write a workspace as a file', async () => (await import('#commands/export')).exportWorkspace()],
  generations: [
    'generations of a collection: list, promote, rollback',
    async () => (await import('#commands/generations')).generations(),
  ],
  documents: [
    'documents of a collection: export',
    async () => (await import('#commands/documents')).documents(),
  ],
  import: ['put documents into a collection', async () => (await import('#commands/import')).importFiles()],
  users: [
    'people: create, list, disable, enable, remove, reset, export',
    async () => (await import('#commands/users')).users(),
  ],
  workspaces: ['workspaces: list, remove', async () => (await import('#commands/workspaces')).workspaces()],
  members: [
    'members of a workspace: add, invite, invitations, withdraw, remove, list',
    async () => (await import('#commands/members')).members(),
  ],
  s2s: ['System-to-System accounts and their secrets', async () => (await import('#commands/s2s')).s2s()],
  apps: [
    'registered applications: create, list, remove',
    async () => (await import('#commands/apps')).apps(),
  ],
  audit: ['who did what, when, from where', async () => (await import('#commands/audit')).audit()],
  backup: ['all that the server keeps, in one file', async () => (await import('#commands/backup')).backup()],
  restore: ['a new data folder from a backup', async () => (await import('#commands/restore')).restore()],
  move: ['move a data folder to PostgreSQL', async () => (await import('#commands/move')).move()],
  doctor: [
    'what is well with a server, and what to do',
    async () => (await import('#commands/doctor')).doctor(),
  ],
  keys: [
    'keys that sign tokens: list, rotate, withdraw',
    async () => (await import('#commands/keys')).keys(),
  ],
  token: ['print an access token, or inspect one', async () => (await import('#commands/token')).token()],
  search: ['search from the terminal', async () => (await import('#commands/search')).search()],
}

const laterNames = ['login']
/** These read the whole configuration file, by the table of settings; a demo none. */
const startsServers = ['demo', 'init', 'serve', 'restore', 'move']

/** The whole command line, with those commands loaded whose names stand among the arguments. */
export const program = async (
  args: readonly string[],
  beforeAction: (command: Command) => void = () => {},
): Promise<Command> => {
  const root = define(
    'querent',
    'A search query service with its own OAuth 2.0 authorization server.',
    'querent demo',
  )
    .version(manifest.version, '-V, --version', 'show the version')
    .usage('<command> [options]')
    .addOption(
      option('--data <dir>', `data folder of the server (default: ${defaultData}; demo: querent-demo)`),
    )
    .addOption(option('--server <url>', 'authorization server to work through, instead of the one in --data'))
    .addOption(option('--json', 'one JSON value on stdout and nothing else'))
  for (const [name, [summary, load]] of Object.entries(commands)) {
    const loaded = args.includes(name) ? await load() : undefined
    if (loaded && !startsServers.includes(name)) takeConfigFile(loaded)
    root.addCommand(loaded ?? define(name, summary))
  }
  for (const name of laterNames) root.addCommand(laterCommand(name), { hidden: true })
  return asGroup(root).hook('preAction', async (_, command) => {
    beforeAction(command)
    checkTyped(command)
    await settleConnection(root, command)
  })
}
