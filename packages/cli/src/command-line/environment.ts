/** What was typed, and how the arguments and options of a command are called there. */
import type { Command, Option } from 'commander'
import { UsageError } from './failure.ts'

const variables = new WeakMap<Option, string>()

/** Remembers the environment variable that an option also comes from. */
export const noteVariable = (option: Option, variable: string): void => {
  variables.set(option, variable)
}

const truths = ['true', '1']
const falsehoods = ['false', '0', '']

/** Whether the variable of an option without a value leaves it out. */
export const isOff = (variable: string): boolean =>
  falsehoods.includes((process.env[variable] ?? '').toLowerCase())

/** Throws {@link UsageError} for an empty argument, and for a variable that is neither true nor false. */
export const checkTyped = (command: Command): void => {
  for (const [index, argument] of command.registeredArguments.entries()) {
    const given: unknown = command.processedArgs[index]
    if ((Array.isArray(given) ? given : [given]).includes(''))
      throw new UsageError(`<${argument.name()}> is empty`)
  }
  for (let at: Command | null = command; at; at = at.parent)
    for (const option of at.options) {
      const variable = variables.get(option)
      const text = variable && option.isBoolean() ? (process.env[variable] ?? '') : ''
      if (![...truths, ...falsehoods].includes(text.toLowerCase()))
        throw new UsageError(`${variable}: found "${text}", allowed: true, false, 1, 0`)
    }
}

/** Members of the management API's input whose options are called otherwise. */
const optionNames: Readonly<Record<string, string>> = {
  expiresInSeconds: 'expires',
  signsInSeconds: 'signs-in',
  addresses: 'address',
  redirectUris: 'redirect-uri',
  logoutUris: 'logout-uri',
  roles: 'role',
  password: 'password-stdin',
}

/** The argument or option of the command that gave the value at `path` of a request (`body.roles.0`); undefined when none did. */
export const typedAs = (command: Command | undefined, path: string): string | undefined => {
  const [, member = ''] = path.split('.')
  const name = optionNames[member] ?? member.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
  if (command?.registeredArguments.some(argument => argument.name() === name)) return `<${name}>`
  return command?.options.find(option => option.name() === name)?.long
}
