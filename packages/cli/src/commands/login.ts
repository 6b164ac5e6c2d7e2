import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { defineCommand, option } from '#command-line/define'
import { CommandError, UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { discoverAddresses, parseServer } from '#connection/connect'
import { endSignIn, finishSignIn, startSignIn } from '#connection/sign-in'
import { listSignIns } from '#connection/sign-in-store'
import { note, print } from '#terminal/output'

interface LoginOptions extends Globals {
  /** False with `--no-browser`. */
  browser?: boolean
}

export const login = (): Command =>
  defineCommand(
    'login',
    'Sign in to a server on another machine, in the browser. Commands with --server then work as you.',
    'querent login https://login.example.org',
  )
    .argument('[auth_url]', 'URL of the authorization server (default: --server)')
    .option('--no-browser', 'only print the address to open')
    .action(async (argument: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<LoginOptions>()
      const server = argument ?? options.server
      if (server === undefined)
        throw new UsageError(
          'the server is missing: give its URL, as in `querent login https://login.example.org`',
        )
      const addresses = await discoverAddresses(server, argument === undefined ? '--server' : '<auth_url>')
      const { authUrl } = addresses
      const code = await startSignIn(addresses)
      const page = checkPage(code.verification_uri_complete, authUrl)
      note(`Open ${page} and check that it shows the code ${code.user_code}.`)
      if (options.browser !== false && isDesktop()) openBrowser(page)
      const email = await finishSignIn(addresses, code)
      print(options, {
        json: { authUrl, email },
        text: `You are signed in to ${authUrl} as ${email}. Use it with --server ${authUrl}.`,
      })
    })

/** Only a page of the same server may be opened, because a URL can start programs. */
const checkPage = (address: string, authUrl: string): string => {
  const url = URL.parse(address)
  if (url?.origin === authUrl) return url.href
  throw new CommandError(
    `${authUrl} names a sign-in page at another address: give its public URL, which its metadata has as issuer`,
  )
}

/** A person with a browser on this machine, not one who is connected by SSH. */
const isDesktop = (): boolean => {
  const { SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY } = process.env
  if (SSH_CONNECTION) return false
  return process.platform === 'win32' || process.platform === 'darwin' || Boolean(DISPLAY || WAYLAND_DISPLAY)
}

const openers: Partial<Record<NodeJS.Platform, [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Failing is harmless, because the address is printed too. */
const openBrowser = (page: string): void => {
  const [opener, ...args] = openers[process.platform] ?? ['xdg-open']
  spawn(opener, [...args, page], { detached: true, stdio: 'ignore' })
    .on('error', () => {})
    .unref()
}

interface LogoutOptions extends Globals {
  local?: true
}

export const logout = (): Command =>
  defineCommand(
    'logout',
    'End the sign-in of `querent login`: revoke it at the server and remove it from this machine.',
    'querent logout https://login.example.org',
  )
    .argument('[auth_url]', 'URL of the authorization server (default: --server, or the only sign-in)')
    .addOption(option('--local', 'only remove it from this machine, if the server no longer exists'))
    .action(async (argument: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<LogoutOptions>()
      const server = argument ?? options.server
      const label = argument === undefined ? '--server' : '<auth_url>'
      const authUrl = server === undefined ? await findOnlySignIn() : parseServer(server, label)
      await endSignIn(authUrl, options.local ?? false)
      print(options, { json: { authUrl }, text: `You are signed out of ${authUrl}.` })
    })

const findOnlySignIn = async (): Promise<string> => {
  const [first, ...otherServers] = await listSignIns()
  if (first === undefined) throw new CommandError('you are not signed in to any server')
  if (otherServers.length === 0) return first
  throw new UsageError(
    `you are signed in to ${[first, ...otherServers].join(', ')}: say which, as in \`querent logout ${first}\``,
  )
}
