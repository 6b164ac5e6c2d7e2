import { Stack, Text, TextInput } from '@mantine/core'
import type { SystemRole } from '@querent/contract/manage'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { AddressesField } from '#ui/addresses-field.tsx'
import type { DialogState } from '#ui/dialog-button.tsx'
import { fieldFault } from '#ui/faults.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { lines } from '#ui/lines.ts'
import { NewSecret, savedLabel } from '#ui/new-secret.tsx'
import { ProofCheckbox } from '#ui/proof-checkbox.tsx'
import { noRights, readAccess, withoutNull } from '#ui/rights-draft.ts'
import { RightsForm, rightsFields, useRightsForm } from '#ui/rights-form.tsx'
import { RoleChoice } from '#ui/role-choice.tsx'
import { systemRoles } from '#ui/role-names.ts'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'
import { FirstRequest } from './first-request.tsx'

interface CreateSystemToSystemAccountProps extends DialogState {
  workspace: string
}

/** Creates an account, and shows its Client Secret once. */
export const CreateSystemToSystemAccount = ({
  workspace,
  isOpen,
  onClose,
}: CreateSystemToSystemAccountProps) => {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<SystemRole[]>(['api'])
  const [addresses, setAddresses] = useState('')
  const [dpop, setDpop] = useState(false)
  const filter = useRowFilter(workspace, undefined)
  const rights = useRightsForm(workspace, noRights)
  const create = useOperation('createSystemToSystem')
  const created = create.data
  const send = async () => {
    if (created) return onClose()
    const rowFilter = filter.read()
    const newRights = rights.read()
    if (rowFilter === undefined || newRights === undefined || chosen.length === 0) return
    await create.mutateAsync({
      params: { workspace },
      input: {
        // The workspace file has no names with blanks at their ends.
        name: name.trim(),
        roles: chosen,
        addresses: lines(addresses),
        dpop,
        ...(rowFilter === null ? {} : { filter: rowFilter }),
        ...withoutNull(newRights),
      },
    })
  }
  return (
    <FormDialog
      title={
        created
          ? t('System-to-System account {name}', { name: created.name })
          : t('Create System-to-System account')
      }
      isOpen={isOpen}
      onClose={onClose}
      submit={created ? savedLabel : t('Create')}
      onSubmit={send}
      fields={['name', 'roles', 'addresses', 'filter', ...rightsFields]}
      isDone={created !== undefined}
    >
      {created ? (
        <Stack>
          <NewSecret clientId={created.clientId} clientSecret={created.clientSecret ?? ''} />
          <FirstRequest workspace={workspace} roles={created.roles} />
        </Stack>
      ) : (
        <Stack>
          <TextInput
            label={t('Name')}
            description={t('The application that uses it, such as Website')}
            required
            data-autofocus
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={fieldFault(create.error, 'name')}
          />
          <RoleChoice
            offered={systemRoles}
            value={chosen}
            onChange={setChosen}
            error={fieldFault(create.error, 'roles')}
          />
          <RowFilterForm
            {...filter.state}
            rights={{ roles: chosen, ...readAccess(rights.state.draft) }}
            error={fieldFault(create.error, 'filter')}
          />
          <RightsForm {...rights.state} error={create.error} />
          <AddressesField
            value={addresses}
            onChange={setAddresses}
            error={fieldFault(create.error, 'addresses')}
          />
          <ProofCheckbox isChecked={dpop} onChange={setDpop} />
          <Text size="sm" c="dimmed">
            {t('The next step shows its Client Secret once.')}
          </Text>
        </Stack>
      )}
    </FormDialog>
  )
}
