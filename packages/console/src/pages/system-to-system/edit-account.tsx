import { Stack, Text, TextInput } from '@mantine/core'
import type { SystemRole, SystemToSystem } from '@querent/contract/manage'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { fieldFault } from '#ui/faults.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { ProofCheckbox } from '#ui/proof-checkbox.tsx'
import { readAccess } from '#ui/rights-draft.ts'
import { RightsForm, rightsFields, useRightsForm } from '#ui/rights-form.tsx'
import { RoleChoice } from '#ui/role-choice.tsx'
import { systemRoles } from '#ui/role-names.ts'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'

interface EditAccountProps extends DialogState {
  workspace: string
  account: SystemToSystem
}

/** Edits the name, roles, document access and other rights of an account, and whether its tokens are bound to a key. */
export const EditAccount = ({ workspace, account, isOpen, onClose }: EditAccountProps) => {
  const [name, setName] = useState(account.name)
  const [chosen, setChosen] = useState<SystemRole[]>(account.roles)
  const [dpop, setDpop] = useState(account.dpop)
  const filter = useRowFilter(workspace, account.filter)
  const rights = useRightsForm(workspace, account)
  const update = useOperation('updateSystemToSystem')
  const save = async () => {
    const next = filter.read()
    const changes = rights.read()
    if (next === undefined || changes === undefined || chosen.length === 0) return
    await update.mutateAsync({
      params: { workspace, clientId: account.clientId },
      input: { name, roles: chosen, filter: next, dpop, ...changes },
    })
    onClose()
  }
  return (
    <FormDialog
      title={t('Edit {name}', { name: account.name })}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('Save')}
      onSubmit={save}
      fields={['name', 'roles', 'filter', ...rightsFields]}
    >
      <Stack>
        <TextInput
          label={t('Name')}
          required
          data-autofocus
          value={name}
          onChange={event => setName(event.currentTarget.value)}
          error={fieldFault(update.error, 'name')}
        />
        <RoleChoice
          offered={systemRoles}
          value={chosen}
          onChange={setChosen}
          error={fieldFault(update.error, 'roles')}
        />
        <RowFilterForm
          {...filter.state}
          rights={{ roles: chosen, ...readAccess(rights.state.draft) }}
          error={fieldFault(update.error, 'filter')}
        />
        <RightsForm {...rights.state} error={update.error} />
        <ProofCheckbox isChecked={dpop} onChange={setDpop} />
        <Text size="sm" c="dimmed">
          {t('Takes effect immediately. Client ID and secrets stay the same.')}
        </Text>
      </Stack>
    </FormDialog>
  )
}
