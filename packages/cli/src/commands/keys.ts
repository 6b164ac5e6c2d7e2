import { operations } from '@querent/contract/manage'
import type { Command } from 'commander'
import { define, group, option } from '#command-line/define'
import { secondsWithin } from '#command-line/duration'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { print } from '#terminal/output'

export const keys = (): Command => group('keys', 'Keys that sign tokens.', [rotate()])

const rotate = (): Command =>
  define(
    'rotate',
    'Publish the next signing keys, which sign a while later; the old ones stay published until their tokens are gone.',
    'querent keys rotate',
    'querent keys rotate --signs-in 1h',
  )
    .addOption(
      option('--signs-in <time>', 'when they begin to sign: 5s to 7d (default: 10m)').argParser(
        secondsWithin(operations.rotateKeys.input.properties.signsInSeconds),
      ),
    )
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals & { signsIn?: number }>()
      const { management } = await connect(options)
      const rotation = await management.call('rotateKeys', {
        input: options.signsIn === undefined ? {} : { signsInSeconds: options.signsIn },
      })
      print(options, {
        json: rotation,
        text: `Published ${rotation.published.join(', ')}; signing from ${rotation.signsFrom}.`,
      })
    })
