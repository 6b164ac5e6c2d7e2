import { Button, Group, Stack, Title } from '@mantine/core'
import type { SystemToSystem } from '@querent/contract/manage'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { AddressesField } from '#ui/addresses-field.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { fieldFault } from '#ui/faults.ts'
import { lines } from '#ui/lines.ts'

interface AddressesProps {
  workspace: string
  account: SystemToSystem
}

/** Edits the IP addresses from which the account may get tokens. */
export const Addresses = ({ workspace, account }: AddressesProps) => {
  const [text, setText] = useState(account.addresses.join('\n'))
  const addresses = lines(text)
  const update = useOperation('updateSystemToSystem')
  const isChanged = addresses.join() !== account.addresses.join()
  return (
    <Stack gap="sm" maw={560}>
      <Title order={2} size="h4">
        {t('IP addresses')}
      </Title>
      <AddressesField value={text} onChange={setText} error={fieldFault(update.error, 'addresses')} />
      {update.error && <ErrorNote error={update.error} fields={['addresses']} />}
      {isChanged && (
        <Group>
          <Button
            loading={update.isPending}
            onClick={() =>
              update.mutate({ params: { workspace, clientId: account.clientId }, input: { addresses } })
            }
          >
            {t('Save')}
          </Button>
          <Button variant="default" onClick={() => setText(account.addresses.join('\n'))}>
            {t('Cancel')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
