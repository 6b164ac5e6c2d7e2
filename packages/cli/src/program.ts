import type { Command } from 'commander'
import { asGroup, defineCommand, option } from '#command-line/define'
import { defaultData } from '#command-line/failure'
import { acceptConfigFile, resolveConnection } from '#connection/connection-source'
import manifest from '#manifest' with { type: 'json' }
import { checkArguments } from './command-line/environment.ts'

/** Summary and loader of every command. Only the command that is called gets loaded. */
const commands: Record<string, [summary: string, load: () => Promise<Command>]> = {
  demo: [
    'run a complete demo: servers, a dictionary and a first search',
    async () => (await import('#commands/demo')).demo(),
  ],
  init: ['create a data folder and its first operator', async () => (await import('#commands/init')).init()],
  serve: [
    'run the query service and the authorization server',
    async () => (await import('#commands/serve')).serve(),
  ],
  apply: ['change a workspace to match its file', async () => (await import('#commands/apply')).apply()],
  schema: [
    'print the JSON Schema of the workspace file',
    async () => (await import('#commands/schema')).schema(),
  ],
  export: ['write a workspace as a file', async () => (await import('#commands/export')).exportWorkspace()],
  generations: [
    'manage generations of a collection: list, promote, rollback',
    async () => (await import('#commands/generations')).generations(),
  ],
  documents: [
    'manage documents of a collection: export, delete, readers',
    async () => (await import('#commands/documents')).documents(),
  ],
  import: ['add documents to a collection', async () => (await import('#commands/import')).importFiles()],
  users: [
    'manage users: create, list, disable, enable, remove, reset, remove-factors, export',
    async () => (await import('#commands/users')).users(),
  ],
  workspaces: [
    'manage workspaces: list, remove',
    async () => (await import('#commands/workspaces')).workspaces(),
  ],
  members: [
    'manage members of a workspace: add, invite, invitations, withdraw, remove, list, why',
    async () => (await import('#commands/members')).members(),
  ],
  groups: [
    'manage groups of a workspace: list, members, set, remove, defaults',
    async () => (await import('#commands/groups')).groups(),
  ],
  s2s: [
    'manage System-to-System accounts and their secrets',
    async () => (await import('#commands/s2s')).s2s(),
  ],
  apps: [
    'manage registered applications: create, list, update, remove, tokens',
    async () => (await import('#commands/apps')).apps(),
  ],
  provider: [
    'manage the client secret for the OpenID provider of a workspace: show, set-secret, remove-secret',
    async () => (await import('#commands/provider')).provider(),
  ],
  audit: ['show who did what, when and from where', async () => (await import('#commands/audit')).audit()],
  backup: [
    'write all data of the server to one file',
    async () => (await import('#commands/backup')).backup(),
  ],
  restore: ['create a data folder from a backup', async () => (await import('#commands/restore')).restore()],
  move: [
    'move a data folder to PostgreSQL and OpenSearch',
    async () => (await import('#commands/move')).move(),
  ],
  doctor: ['check a server and advise what to do', async () => (await import('#commands/doctor')).doctor()],
  keys: [
    'manage keys: list, rotate, withdraw, re-encrypt',
    async () => (await import('#commands/keys')).keys(),
  ],
  login: ['sign in to a server on another machine', async () => (await import('#commands/login')).login()],
  logout: ['end a sign-in', async () => (await import('#commands/login')).logout()],
  token: ['print or inspect an access token', async () => (await import('#commands/token')).token()],
  new: ['write a workspace file to start with', async () => (await import('#commands/new')).newWorkspace()],
  judge: [
    'run the relevance tests and leak tests of a workspace file',
    async () => (await import('#commands/judge')).judge(),
  ],
  types: [
    'print TypeScript types of the APIs of a workspace',
    async () => (await import('#commands/types')).types(),
  ],
  search: ['search from the terminal', async () => (await import('#commands/search')).search()],
}

/** These commands read the whole configuration file through the settings table, except the demo, which reads none. */
const startsServers = ['demo', 'init', 'serve', 'restore', 'move']

/** Builds the command line and loads the commands whose names appear in the arguments. */
export const program = async (
  args: readonly string[],
  beforeAction: (command: Command) => void = () => {},
): Promise<Command> => {
  const root = defineCommand(
    'querent',
    'A search query service with its own OAuth 2.0 authorization server.',
    'querent demo',
  )
    .version(manifest.version, '-V, --version', 'show the version')
    .usage('<command> [options]')
    .addOption(
      option('--data <dir>', `data folder of the server (default: ${defaultData}; demo: querent-demo)`),
    )
    .addOption(option('--server <url>', 'URL of the authorization server, instead of the one in --data'))
    .addOption(option('--json', 'print one JSON value on stdout and nothing else'))
  for (const [name, [summary, load]] of Object.entries(commands)) {
    const loaded = args.includes(name) ? await load() : undefined
    if (loaded && !startsServers.includes(name)) acceptConfigFile(loaded)
    root.addCommand(loaded ?? defineCommand(name, summary))
  }
  return asGroup(root).hook('preAction', async (_, command) => {
    beforeAction(command)
    checkArguments(command)
    await resolveConnection(root, command)
  })
}
