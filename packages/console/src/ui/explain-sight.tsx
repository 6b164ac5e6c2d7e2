/** Asks for a document, and says why a member sees it, or what hides it. For administrators. */
import { NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { management, readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from './dialog-button.tsx'
import { DocumentSight } from './document-sight.tsx'
import { FormRefusal } from './file-refusal.ts'
import { FormDialog } from './form-dialog.tsx'
import { FoundChoices, useChoices } from './found-choices.tsx'

interface ExplainSightProps extends DialogState {
  workspace: string
  /** E-mail address or Client ID. */
  member: string
  /** Name of the member in the title. */
  name: string
}

export const ExplainSight = ({ workspace, member, name, isOpen, onClose }: ExplainSightProps) => {
  const cache = useQueryClient()
  const collections = readOperation('listCollections', { params: { workspace } })
  const { data } = useQuery(collections)
  const [chosen, setChosen] = useState<string>()
  const [id, setId] = useState('')
  const collection = chosen ?? data?.items[0]?.collection ?? ''
  const idField = data?.items.find(item => item.collection === collection)?.idField
  const choices = useChoices({ workspace, collection, idField }, id.trim())
  const explanation = useMutation({
    mutationFn: async () => {
      if (choices)
        throw new FormRefusal(t('Choose a document for “{text}”, or clear the field.', { text: id.trim() }))
      // A fast person sends the form before the list is there.
      const { items } = await cache.ensureQueryData(collections)
      return management.call('explainDocumentAccess', {
        params: { workspace, collection: chosen ?? items[0]?.collection ?? '' },
        query: { id: id.trim(), member },
      })
    },
  })
  return (
    <FormDialog
      title={t('What can {name} read?', { name })}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('Explain')}
      onSubmit={() => explanation.mutateAsync()}
      onlyAsks
    >
      <Stack>
        <NativeSelect
          label={t('Collection')}
          value={collection}
          onChange={event => setChosen(event.currentTarget.value)}
          data={(data?.items ?? []).map(({ collection: value, title }) => ({ value, label: title }))}
        />
        <TextInput
          label={t('Document')}
          description={t('Its id or URI, or words to find it by.')}
          required
          data-autofocus
          spellCheck={false}
          autoComplete="off"
          value={id}
          onChange={event => setId(event.currentTarget.value)}
        />
        {choices && <FoundChoices found={choices} onChoose={setId} />}
        <div role="status">{explanation.data && <DocumentSight access={explanation.data} />}</div>
      </Stack>
    </FormDialog>
  )
}
