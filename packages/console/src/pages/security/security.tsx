/** Settings > Security: token lifetime, second factors, allowed origins, unregistered applications. */
import { Checkbox, Text, Textarea } from '@mantine/core'
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { readDuration } from '@querent/contract/duration'
import type { WorkspaceSettings, WorkspaceSettingsReply } from '@querent/contract/manage'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { readOperation } from '#api/manage.ts'
import { isSignInRecent } from '#api/session.ts'
import { t, tCount } from '#i18n/translate.ts'
import { lines } from '#ui/lines.ts'
import { NumberField } from '#ui/number-field.tsx'
import { Page } from '#ui/page.tsx'
import { SettingsCard } from '#ui/settings-card.tsx'
import { SettingsForm } from '#ui/settings-form.tsx'

export const Security = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/security' })
  const { data } = useSuspenseQuery(readOperation('getSettings', { params: { workspace } }))
  const section = { workspace, settings: data }
  return (
    <Page
      title={t('Security')}
      description={t('Token lifetime, second factors and applications of this workspace.')}
    >
      <SettingsCard title={t('Access tokens')}>
        <LifetimeForm {...section} />
      </SettingsCard>
      <SettingsCard title={t('Sign-in')}>
        <SecondFactorForm {...section} />
      </SettingsCard>
      <SettingsCard title={t('Applications')}>
        <ApplicationsForm {...section} />
      </SettingsCard>
    </Page>
  )
}

interface FormProps {
  workspace: string
  settings: WorkspaceSettings
}

const LifetimeForm = ({ workspace, settings }: FormProps) => {
  const saved = (readDuration(settings.accessTokenLifetime) ?? 0) / 60
  const [minutes, setMinutes] = useState<number | undefined>(saved)
  return (
    <SettingsForm
      workspace={workspace}
      label={t('Access tokens')}
      readInput={() => ({ accessTokenLifetime: `${Math.round((minutes ?? saved) * 60)}s` })}
      fields={['accessTokenLifetime']}
      saved={t('Saved. Takes effect with the next token.')}
    >
      {({ fault }) => (
        <NumberField
          label={t('Access token lifetime (minutes)')}
          description={t('From 1 minute to 24 hours. Removed members lose access immediately.')}
          required
          allowed={{ min: 1, max: 1440 }}
          value={minutes}
          onChange={setMinutes}
          error={fault('accessTokenLifetime')}
        />
      )}
    </SettingsForm>
  )
}

interface SecondFactorFormProps extends FormProps {
  settings: WorkspaceSettingsReply
}

const SecondFactorForm = ({ workspace, settings }: SecondFactorFormProps) => {
  const { membersWithoutSecondFactor: count } = settings
  const [requireSecondFactor, setRequireSecondFactor] = useState(settings.requireSecondFactor)
  return (
    <SettingsForm
      workspace={workspace}
      label={t('Sign-in')}
      readInput={() => ({ requireSecondFactor })}
      fields={[]}
      saved={t('Saved. Takes effect with the next request.')}
      ask={input =>
        input.requireSecondFactor && !settings.requireSecondFactor
          ? {
              question: t('Require a second factor?'),
              label: t('Require it'),
              children: <RequiredFactorEffect count={count} />,
            }
          : undefined
      }
    >
      {() => (
        <Checkbox
          label={t('Require a second factor')}
          description={t(
            'Members sign in with an authenticator app or a passkey in addition to their password. Sessions without one lose access at once, yours too. System-to-System accounts are not affected.',
          )}
          checked={requireSecondFactor}
          onChange={event => {
            setRequireSecondFactor(event.currentTarget.checked)
          }}
        />
      )}
    </SettingsForm>
  )
}

/** `count`: the members without a second factor. */
const RequiredFactorEffect = ({ count }: { count: number }) => {
  const { data: own } = useQuery(readOperation('listMyFactors', {}))
  const hasNone = own !== undefined && own.app === null && own.passkeys.length === 0
  return (
    <>
      <Text mb="xs">
        {count === 0
          ? t('All members have a second factor. They sign in again with it.')
          : tCount(
              count,
              '{count} member has no second factor yet and loses access at once, until one is set up at the next sign-in.',
              '{count} members have no second factor yet and lose access at once, until they set one up at their next sign-in.',
            )}
      </Text>
      {!isSignInRecent(Number.POSITIVE_INFINITY, twoFactorLevel) && (
        <Text>
          {hasNone
            ? count === 1
              ? t('That is you: after saving, a page asks you to set one up before you go on here.')
              : t('You are one of them: after saving, a page asks you to set one up before you go on here.')
            : t('After saving, a page asks you for yours before you go on here.')}
        </Text>
      )}
    </>
  )
}

const ApplicationsForm = ({ workspace, settings }: FormProps) => {
  const [origins, setOrigins] = useState(settings.origins.join('\n'))
  const [allowMetadataClients, setAllowMetadataClients] = useState(settings.allowMetadataClients)
  const [skipInvalidRedirectUris, setSkipInvalidRedirectUris] = useState(settings.skipInvalidRedirectUris)
  return (
    <SettingsForm
      workspace={workspace}
      label={t('Applications')}
      readInput={() => ({ origins: lines(origins), allowMetadataClients, skipInvalidRedirectUris })}
      fields={['origins']}
      saved={t('Saved. Takes effect with the next request.')}
    >
      {({ fault }) => (
        <>
          <Textarea
            label={t('Additional allowed origins (CORS)')}
            description={t(
              'One per line, for example https://www.example.org. Origins of registered applications are already allowed.',
            )}
            autosize
            minRows={2}
            spellCheck={false}
            value={origins}
            onChange={event => {
              setOrigins(event.currentTarget.value)
            }}
            error={fault('origins')}
          />
          <Checkbox
            label={t('Allow unregistered applications')}
            description={t(
              'AI agents and other applications whose Client ID is the URL of their description (Client ID Metadata Documents). Each member is asked before an application can search for them.',
            )}
            checked={allowMetadataClients}
            onChange={event => {
              setAllowMetadataClients(event.currentTarget.checked)
            }}
          />
          <Checkbox
            label={t('Leave out redirect URIs that are not allowed')}
            description={t(
              'When an application registers itself and some of its redirect URIs are not allowed, it is registered with the others. Otherwise it is rejected.',
            )}
            checked={skipInvalidRedirectUris}
            onChange={event => {
              setSkipInvalidRedirectUris(event.currentTarget.checked)
            }}
          />
        </>
      )}
    </SettingsForm>
  )
}
