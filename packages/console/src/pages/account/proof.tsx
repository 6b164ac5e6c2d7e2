/** Proof that the person is there: their password, or a fresh sign-in if they have none. */
import { Anchor, PasswordInput, Text } from '@mantine/core'
import { signIn } from '#api/session.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { fieldFault } from '#ui/faults.ts'

interface ProofProps {
  hasPassword: boolean
  password: string
  onChange: (password: string) => void
  error: unknown
}

const maxAgeSeconds = 5 * 60

export const Proof = ({ hasPassword, password, onChange, error }: ProofProps) =>
  hasPassword ? (
    <PasswordInput
      label={t('Your password')}
      autoComplete="current-password"
      required
      value={password}
      onChange={event => onChange(event.currentTarget.value)}
      error={fieldFault(error, 'password')}
    />
  ) : (
    <Text size="sm">
      {tNodes('This needs a sign-in of the last five minutes. {link}', {
        link: (
          <Anchor component="button" type="button" onClick={() => signIn('/console/you', { maxAgeSeconds })}>
            {t('Sign in again')}
          </Anchor>
        ),
      })}
    </Text>
  )
