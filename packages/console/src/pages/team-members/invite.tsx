import { Alert, Stack, Text, Textarea } from '@mantine/core'
import { distinctEmails } from '@querent/contract/email-address'
import type { NewInvitation, Role } from '@querent/contract/manage'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { language, t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { fieldFault } from '#ui/faults.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { splitAddresses } from '#ui/lines.ts'
import { savedLabel } from '#ui/new-secret.tsx'
import { noRights, readAccess, withoutNull } from '#ui/rights-draft.ts'
import { RightsForm, rightsFields, useRightsForm } from '#ui/rights-form.tsx'
import { RoleChoice } from '#ui/role-choice.tsx'
import { roles } from '#ui/role-names.ts'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'
import { InvitationLinks } from './invitation-links.tsx'

interface InviteProps extends DialogState {
  workspace: string
  /** Address to begin with. */
  address?: string
}

interface Outcome {
  created: NewInvitation[]
  /** Addresses that could not be invited, with the reason. */
  failed: { email: string; message: string }[]
}

const addressesMax = 50

/** The server checks addresses; this only finds what is none at all. */
const findAddressFault = (addresses: readonly string[]): string | undefined => {
  const wrong = addresses.find(address => !/^[^@]+@[^@]+$/.test(address))
  if (wrong !== undefined) return t('{address} is not an e-mail address', { address: wrong })
  return addresses.length > addressesMax
    ? t('At most {count} addresses at once', { count: addressesMax })
    : undefined
}

/** Invites people by e-mail address, and shows their links once. */
export const Invite = ({ workspace, address = '', isOpen, onClose }: InviteProps) => {
  const [text, setText] = useState(address)
  const [chosen, setChosen] = useState<Role[]>(['api'])
  const filter = useRowFilter(workspace, undefined)
  const rights = useRightsForm(workspace, noRights)
  const invite = useOperation('inviteMember')
  const [outcome, setOutcome] = useState<Outcome>()
  const [fault, setFault] = useState<string>()
  const send = async () => {
    if (outcome) return onClose()
    const rowFilter = filter.read()
    const addresses = distinctEmails(splitAddresses(text))
    const addressFault = findAddressFault(addresses)
    setFault(addressFault)
    const newRights = rights.read()
    if (
      rowFilter === undefined ||
      newRights === undefined ||
      chosen.length === 0 ||
      addressFault !== undefined
    )
      return
    const shared = {
      roles: chosen,
      language,
      ...(rowFilter === null ? {} : { filter: rowFilter }),
      ...withoutNull(newRights),
    }
    const created: NewInvitation[] = []
    const failed: Outcome['failed'] = []
    for (const email of addresses)
      try {
        created.push(await invite.mutateAsync({ params: { workspace }, input: { email, ...shared } }))
      } catch (error) {
        // With nothing to show, the form stays open with the error at its field.
        if (addresses.length === 1) throw error
        failed.push({ email, message: error instanceof Error ? error.message : String(error) })
      }
    setOutcome({ created, failed })
  }
  return (
    <FormDialog
      title={t('Invite team members')}
      isOpen={isOpen}
      onClose={onClose}
      submit={outcome ? savedLabel : t('Invite')}
      onSubmit={send}
      fields={['email', 'roles', 'filter', ...rightsFields]}
      isDone={outcome !== undefined}
    >
      {outcome ? (
        <Stack>
          <InvitationLinks invitations={outcome.created} />
          {outcome.failed.length > 0 && (
            <Alert color="red" variant="light" role="alert" title={t('Not invited')}>
              <Stack gap={4}>
                {outcome.failed.map(({ email, message }) => (
                  <Text key={email} size="sm">
                    {`${email}: ${message}`}
                  </Text>
                ))}
              </Stack>
            </Alert>
          )}
        </Stack>
      ) : (
        <Stack>
          <Textarea
            label={t('E-mail addresses')}
            description={t('One on each line, or separated by commas.')}
            required
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            autosize
            minRows={1}
            maxRows={8}
            value={text}
            onChange={event => {
              setFault(undefined)
              setText(event.currentTarget.value)
            }}
            error={fault ?? fieldFault(invite.error, 'email')}
          />
          <RoleChoice
            offered={roles}
            value={chosen}
            onChange={setChosen}
            error={fieldFault(invite.error, 'roles')}
          />
          <RowFilterForm
            {...filter.state}
            rights={{ roles: chosen, ...readAccess(rights.state.draft) }}
            error={fieldFault(invite.error, 'filter')}
          />
          <RightsForm {...rights.state} error={invite.error} />
        </Stack>
      )}
    </FormDialog>
  )
}
