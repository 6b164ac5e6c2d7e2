import { Stack, Text } from '@mantine/core'
import type { MemberDefaults } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { OpenNamesInput } from '#ui/open-names-input.tsx'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'

interface DefaultsDialogProps extends DialogState {
  workspace: string
  memberDefaults: MemberDefaults
}

/** Edits what members have who get nothing from their membership or a group. */
export const DefaultsDialog = ({ workspace, memberDefaults, isOpen, onClose }: DefaultsDialogProps) => {
  const [apis, setApis] = useState(memberDefaults.apis)
  const [collections, setCollections] = useState(memberDefaults.collections)
  const filter = useRowFilter(workspace, memberDefaults.filter, 'defaults')
  const params = { workspace }
  const { data: allApis } = useQuery(readOperation('listApis', { params }))
  const { data: allCollections } = useQuery(readOperation('listCollections', { params }))
  const set = useOperation('setMemberDefaults')
  const save = async () => {
    const rowFilter = filter.read()
    if (rowFilter === undefined) return
    await set.mutateAsync({
      params,
      input: {
        ...(rowFilter === null ? {} : { filter: rowFilter }),
        ...(apis === undefined ? {} : { apis }),
        ...(collections === undefined ? {} : { collections }),
      },
    })
    onClose()
  }
  return (
    <FormDialog
      title={t('Defaults of members')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('Save')}
      onSubmit={save}
    >
      <Stack>
        <RowFilterForm {...filter.state} error={undefined} />
        <OpenNamesInput
          label={t('APIs')}
          offered={(allApis?.items ?? []).map(({ api, title }) => ({ name: api, title }))}
          value={apis}
          onChange={setApis}
          unset={t('Not set: all, while no group names any')}
        />
        <OpenNamesInput
          label={t('Collections')}
          offered={(allCollections?.items ?? []).map(({ collection, title }) => ({
            name: collection,
            title,
          }))}
          value={collections}
          onChange={setCollections}
          unset={t('Not set: all, while no group names any')}
        />
        <Text size="sm" c="dimmed">
          {t('Administrators are not limited by them. Takes effect on the next request of each member.')}
        </Text>
      </Stack>
    </FormDialog>
  )
}
