import { Text } from '@mantine/core'
import type { ErrorPlace } from '@querent/contract/errors'
import { translateFault } from '#i18n/translate.ts'
import { CodeText } from './code-text.tsx'

/** The warnings of a dry run, each with its path in the workspace file. */
export const Warnings = ({ warnings }: { warnings: readonly ErrorPlace[] }) =>
  warnings.map(warning => (
    <Text key={`${warning.path} ${warning.message}`} size="sm">
      {warning.path}: <CodeText>{translateFault(warning)}</CodeText>
    </Text>
  ))
