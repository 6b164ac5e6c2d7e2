/** Settings > Applications: initial access tokens, with which applications register themselves. */

import { Alert, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { CopyValue } from '#ui/copy-value.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton, type DialogState } from '#ui/dialog-button.tsx'
import { fieldFault } from '#ui/faults.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { Moment } from '#ui/moment.tsx'
import { savedLabel } from '#ui/new-secret.tsx'
import { NumberField } from '#ui/number-field.tsx'

export const RegistrationTokens = ({ workspace }: { workspace: string }) => {
  const { data } = useSuspenseQuery(
    readOperation('listRegistrationTokens', { params: { workspace }, query: { count: 1000 } }),
  )
  const remove = useOperation('removeRegistrationToken')
  return (
    <Stack>
      <Group justify="space-between">
        <div>
          <Title order={2} size="h4">
            {t('Initial access tokens')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('Programs that you install often can register themselves with such a token (RFC 7591).')}
          </Text>
        </div>
        <DialogButton label={t('Create token')} variant="default">
          {dialog => <CreateToken workspace={workspace} {...dialog} />}
        </DialogButton>
      </Group>
      {data.items.length > 0 && (
        <DataTable
          caption={t('Initial access tokens')}
          rows={data.items}
          rowKey={({ id }) => id}
          columns={[
            { heading: t('Name'), cell: ({ name }) => name },
            { heading: t('Used'), cell: ({ uses, usesMax }) => t('{uses} of {usesMax}', { uses, usesMax }) },
            { heading: t('Expires'), cell: ({ expiresAt }) => <Moment moment={expiresAt} /> },
            {
              heading: '',
              cell: ({ id, name }) => (
                <Group justify="flex-end">
                  <ConfirmButton
                    label={t('Delete')}
                    description={t('Delete {name}', { name })}
                    question={t('Delete {name}?', { name })}
                    onConfirm={() => remove.mutateAsync({ params: { workspace, tokenId: id } })}
                  >
                    {t('It registers no more applications. Those that it registered stay.')}
                  </ConfirmButton>
                </Group>
              ),
            },
          ]}
        />
      )}
    </Stack>
  )
}

const CreateToken = ({ workspace, isOpen, onClose }: DialogState & { workspace: string }) => {
  const [name, setName] = useState('')
  const [uses, setUses] = useState<number | undefined>(1)
  const [days, setDays] = useState<number | undefined>(7)
  const create = useOperation('createRegistrationToken')
  const created = create.data
  const send = async () => {
    if (created) return onClose()
    return create.mutateAsync({
      params: { workspace },
      input: { name, uses: uses ?? 1, days: days ?? 7 },
    })
  }
  return (
    <FormDialog
      title={created ? created.name : t('Create initial access token')}
      isOpen={isOpen}
      onClose={onClose}
      submit={created ? savedLabel : t('Create')}
      onSubmit={send}
      fields={['name', 'uses', 'days']}
      isDone={created !== undefined}
    >
      {created ? (
        <Stack>
          <Alert color="yellow" title={t('Copy the token now')}>
            {t("You won't see it again. If you lose it, create another.")}
          </Alert>
          <CopyValue label={t('Initial access token')} value={created.token} />
        </Stack>
      ) : (
        <Stack>
          <TextInput
            label={t('Name')}
            description={t('For you, such as the program or the partner that gets it')}
            required
            data-autofocus
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={fieldFault(create.error, 'name')}
          />
          <NumberField
            required
            label={t('Applications that it may register')}
            allowed={{ min: 1, max: 10_000, isWhole: true }}
            value={uses}
            onChange={setUses}
            error={fieldFault(create.error, 'uses')}
          />
          <NumberField
            required
            label={t('Days until it expires')}
            allowed={{ min: 1, max: 365, isWhole: true }}
            value={days}
            onChange={setDays}
            error={fieldFault(create.error, 'days')}
          />
        </Stack>
      )}
    </FormDialog>
  )
}
