import { TextInput } from '@mantine/core'
import { t } from '#i18n/translate.ts'

interface TypedNameProps {
  /** Undefined: nothing is typed. */
  typed: string | undefined
  onMatch: (matches: boolean) => void
}

/** Asks to type a name before a form deletes something. */
export const TypedName = ({ typed, onMatch }: TypedNameProps) =>
  typed !== undefined && (
    <TextInput
      label={t('Type {typed} to confirm', { typed })}
      autoComplete="off"
      spellCheck={false}
      onChange={event => onMatch(event.currentTarget.value.trim() === typed)}
    />
  )
