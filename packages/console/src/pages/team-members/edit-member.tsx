import { Stack, Text } from '@mantine/core'
import type { Member, Role } from '@querent/contract/manage'
import { Suspense, useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { fieldFault } from '#ui/faults.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { readAccess } from '#ui/rights-draft.ts'
import { RightsForm, rightsFields, useRightsForm } from '#ui/rights-form.tsx'
import { RoleChoice } from '#ui/role-choice.tsx'
import { roles } from '#ui/role-names.ts'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'
import { WithdrawnAccess } from './withdrawn-access.tsx'

export type Person = Member & { email: string }

interface EditMemberProps extends DialogState {
  workspace: string
  member: Person
}

/** Edits the roles, document access and other rights of a member. */
export const EditMember = ({ workspace, member, isOpen, onClose }: EditMemberProps) => {
  const [chosen, setChosen] = useState<Role[]>(member.roles)
  const filter = useRowFilter(workspace, member.filter)
  const rights = useRightsForm(workspace, member)
  const update = useOperation('setMember')
  const save = async () => {
    const next = filter.read()
    const changes = rights.read()
    if (next === undefined || changes === undefined || chosen.length === 0) return
    await update.mutateAsync({
      params: { workspace, email: member.email },
      input: { roles: chosen, filter: next, ...changes },
    })
    onClose()
  }
  return (
    <FormDialog
      title={t('Edit member {email}', { email: member.email })}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('Save')}
      onSubmit={save}
      fields={['roles', 'filter', ...rightsFields]}
    >
      <Stack>
        <RoleChoice
          offered={roles}
          value={chosen}
          onChange={setChosen}
          error={fieldFault(update.error, 'roles')}
        />
        {member.roles.includes('administrator') && !chosen.includes('administrator') && (
          <Suspense>
            <WithdrawnAccess workspace={workspace} email={member.email} />
          </Suspense>
        )}
        <RowFilterForm
          {...filter.state}
          rights={{
            roles: chosen,
            ...readAccess(rights.state.draft),
            ...(member.given && { given: member.given }),
          }}
          error={fieldFault(update.error, 'filter')}
        />
        <RightsForm {...rights.state} given={member.given} error={update.error} />
        <Text size="sm" c="dimmed">
          {t(
            'Takes effect immediately. A workspace always has an administrator: you cannot remove the last one.',
          )}
        </Text>
      </Stack>
    </FormDialog>
  )
}
