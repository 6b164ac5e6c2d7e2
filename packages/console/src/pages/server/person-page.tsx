/** Server > People > one person: memberships, and what an operator can do with the account. */

import { Button, Group, Stack, Title } from '@mantine/core'
import { canonicalEmail, displayEmail } from '@querent/contract/email-address'
import type { Membership, SecondFactors, User } from '@querent/contract/manage'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { lazy } from 'react'
import { management, readOperation, useOperation } from '#api/manage.ts'
import { t, tCount } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { DeleteSection } from '#ui/delete-section.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { Facts } from '#ui/facts.tsx'
import { FilterInWords } from '#ui/filter-in-words.tsx'
import { ActivityNote, readLastActivity } from '#ui/last-activity.tsx'
import { TextLink } from '#ui/links.tsx'
import { Moment } from '#ui/moment.tsx'
import { NotFound } from '#ui/not-found.tsx'
import { Page } from '#ui/page.tsx'
import { Roles } from '#ui/roles.tsx'
import { saveFile } from '#ui/save-file.ts'
import { UserState } from './people.tsx'

const ResetLink = lazy(async () => ({ default: (await import('./reset-link.tsx')).ResetLink }))

export const PersonPage = () => {
  const { email } = useParams({ from: '/signed-in/server/people/$email' })
  const { data } = useSuspenseQuery(readOperation('listUsers', { query: { search: email, count: 1000 } }))
  const user = data.items.find(item => item.email === email || item.email === canonicalEmail(email))
  return user ? <PersonView user={user} /> : <NotFound />
}

const PersonView = ({ user }: { user: User }) => {
  const { email, name, createdAt } = user
  const { data: me } = useSuspenseQuery(readOperation('getMe', {}))
  const { data: factors } = useSuspenseQuery(readOperation('listFactors', { params: { email } }))
  const isOwn = me.id === user.id
  return (
    <Page
      title={displayEmail(email)}
      description={
        <TextLink to="/server/people" size="sm">
          {t('All people')}
        </TextLink>
      }
    >
      <Facts
        facts={[
          [t('Name'), name === email ? t('None') : name],
          [
            t('State'),
            user.operator || user.disabled || !user.emailVerified ? (
              <UserState key="state" user={user} />
            ) : (
              t('active')
            ),
          ],
          [t('Second factors'), describeFactors(factors)],
          [t('Created'), <Moment key="created" moment={createdAt} />],
        ]}
      />
      <Actions user={user} isOwn={isOwn} hasFactor={hasFactor(factors)} />
      <Memberships email={email} />
      {!isOwn && <DeleteUser email={email} />}
    </Page>
  )
}

const hasFactor = ({ app, passkeys }: SecondFactors): boolean => app !== null || passkeys.length > 0

const describeFactors = ({ app, passkeys }: SecondFactors): string => {
  const names = [
    ...(app ? [t('Authenticator app')] : []),
    ...(passkeys.length > 0 ? [tCount(passkeys.length, '{count} passkey', '{count} passkeys')] : []),
  ]
  return names.length > 0 ? names.join(', ') : t('None')
}

interface ActionsProps {
  user: User
  isOwn: boolean
  hasFactor: boolean
}

const Actions = ({ user: { email, disabled }, isOwn, hasFactor }: ActionsProps) => {
  const update = useOperation('updateUser')
  const removal = useOperation('removeFactors')
  const setDisabled = (next: boolean) => update.mutateAsync({ params: { email }, input: { disabled: next } })
  const exporting = useMutation({
    mutationFn: async () => {
      const data = await management.call('exportUser', { params: { email } })
      saveFile(`${email}.json`, 'application/json', JSON.stringify(data, null, 2))
    },
  })
  return (
    <Stack gap="sm">
      <Group gap="sm">
        {!disabled && (
          <DialogButton label={t('Create reset link')} variant="default">
            {dialog => <ResetLink email={email} {...dialog} />}
          </DialogButton>
        )}
        <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
          {t('Export data')}
        </Button>
        {hasFactor && !isOwn && (
          <ConfirmButton
            label={t('Remove second factors')}
            question={t('Remove the second factors of {email}?', { email })}
            isProminent
            onConfirm={() => removal.mutateAsync({ params: { email } })}
          >
            {t('Do this only if you know that the request comes from them, for example after a call.')}{' '}
            {t('They are signed out everywhere and told by mail. Their password alone then signs them in.')}
          </ConfirmButton>
        )}
        {disabled ? (
          <Button
            variant="default"
            loading={update.isPending}
            // The error is shown from the state of the mutation.
            onClick={() => setDisabled(false).catch(() => {})}
          >
            {t('Enable')}
          </Button>
        ) : (
          !isOwn && (
            <ConfirmButton
              label={t('Disable')}
              question={t('Disable {email}?', { email })}
              isProminent
              onConfirm={() => setDisabled(true)}
            >
              {t('They are signed out everywhere and lose access immediately. You can enable them again.')}{' '}
              {t('Invitations and registration tokens that they created stop working for good.')}
            </ConfirmButton>
          )
        )}
      </Group>
      {(exporting.error ?? update.error) && <ErrorNote error={exporting.error ?? update.error} />}
    </Stack>
  )
}

const Memberships = ({ email }: { email: string }) => {
  const { data } = useSuspenseQuery(readOperation('listMemberships', { params: { email } }))
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {t('Memberships')}
      </Title>
      {data.items.length === 0 ? (
        <Empty title={t('No memberships')}>
          {t('An administrator of a workspace can invite this person, or add them.')}
        </Empty>
      ) : (
        <DataTable
          caption={t('Memberships')}
          rows={data.items}
          rowKey={({ workspace }) => workspace}
          columns={[
            {
              heading: t('Workspace'),
              cell: ({ workspace, title }) => (
                <TextLink
                  to="/w/$workspace/settings/team-members"
                  params={{ workspace }}
                  search={{ search: email }}
                >
                  {title}
                </TextLink>
              ),
            },
            { heading: t('Roles'), cell: ({ roles }) => <Roles roles={roles} /> },
            {
              heading: t('Document access'),
              cell: membership => <MembershipSight membership={membership} />,
            },
            ...(data.items.some(({ groups }) => groups.length > 0)
              ? [
                  {
                    heading: t('Groups'),
                    cell: ({ groups }: Membership) =>
                      groups.map(({ group, title }) => title ?? group).join(', ') || t('none'),
                  },
                ]
              : []),
            {
              heading: t('Last activity'),
              cell: membership => <Moment moment={readLastActivity(membership)} never={t('never')} />,
            },
            { heading: t('Member since'), cell: ({ createdAt }) => <Moment moment={createdAt} /> },
          ]}
        />
      )}
      {data.items.length > 0 && <ActivityNote />}
    </Stack>
  )
}

/** The documents that a membership opens, in the words of Team Members. */
const MembershipSight = ({ membership }: { membership: Membership }) => {
  const { workspace, hasFilter, filters, groups, ended } = membership
  if (ended) return t('none: the membership has ended')
  const isEverything = filters.some(({ filter }) => Object.keys(filter).length === 0)
  if (!hasFilter || isEverything) return t('all')
  const [first] = filters
  if (!first) return t('none')
  if (first.source !== 'group')
    return (
      <>
        <FilterInWords workspace={workspace} filter={first.filter} />
        {first.source === 'memberDefaults' && ` ${t('(default)')}`}
      </>
    )
  const readTitle = (name: string | undefined) => groups.find(({ group }) => group === name)?.title ?? name
  return t('what {groups} opens', { groups: filters.map(({ group }) => readTitle(group)).join(', ') })
}

const DeleteUser = ({ email }: { email: string }) => {
  const navigate = useNavigate()
  return (
    <DeleteSection
      title={t('Delete this account')}
      description={t(
        'This deletes the account with its memberships, sessions and consents. The audit log keeps what the person did.',
      )}
      label={t('Delete account')}
      question={t('Delete {email}?', { email })}
      name={email}
      remove={() => management.call('removeUser', { params: { email } })}
      leave={() => navigate({ to: '/server/people' })}
    >
      {t('They lose access immediately. This cannot be undone.')}{' '}
      {t('Invitations and registration tokens that they created stop working for good.')}
    </DeleteSection>
  )
}
