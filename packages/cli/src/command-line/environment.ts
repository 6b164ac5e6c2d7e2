/** Checks arguments and environment variables, and names the argument or option that a value came from. */
import type { Command, Option } from 'commander'
import { UsageError } from './failure.ts'

const variables = new WeakMap<Option, string>()

/** Remembers the environment variable that can set an option. */
export const registerVariable = (option: Option, variable: string): void => {
  variables.set(option, variable)
}

const trueValues = ['true', '1']
const falseValues = ['false', '0', '']

/** Returns whether the variable of an option without a value turns it off. */
export const isOff = (variable: string): boolean =>
  falseValues.includes((process.env[variable] ?? '').toLowerCase())

/** Throws {@link UsageError} for an empty argument, or a variable that is neither true nor false. */
export const checkArguments = (command: Command): void => {
  for (const [index, argument] of command.registeredArguments.entries()) {
    const value: unknown = command.processedArgs[index]
    if ((Array.isArray(value) ? value : [value]).includes(''))
      throw new UsageError(`<${argument.name()}> is empty`)
  }
  for (let ancestor: Command | null = command; ancestor; ancestor = ancestor.parent)
    for (const option of ancestor.options) {
      const variable = variables.get(option)
      const text = variable && option.isBoolean() ? (process.env[variable] ?? '') : ''
      if (![...trueValues, ...falseValues].includes(text.toLowerCase()))
        throw new UsageError(`${variable}: found "${text}", allowed: true, false, 1, 0`)
    }
}

/** Option names for input members of the management API whose option has a different name. */
const optionNames: Readonly<Record<string, string>> = {
  expiresInSeconds: 'expires',
  signsInSeconds: 'signs-in',
  addresses: 'address',
  redirectUris: 'redirect-uri',
  logoutUris: 'logout-uri',
  roles: 'role',
  password: 'password-stdin',
}

/** Returns the argument or option that gave the value at `path` of a request (`body.roles.0`), or undefined if none did. */
export const inputName = (command: Command | undefined, path: string): string | undefined => {
  const [, member = ''] = path.split('.')
  const name = optionNames[member] ?? member.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
  if (command?.registeredArguments.some(argument => argument.name() === name)) return `<${name}>`
  return command?.options.find(option => option.name() === name)?.long
}
