/** Server > Backup: download one, and how to restore it. */

import { Alert, Button, Group, List, PasswordInput, Stack, Text, Title } from '@mantine/core'
import type { MissingDocuments } from '@querent/contract/manage'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { downloadBackup } from '#api/backup.ts'
import { readOperation } from '#api/manage.ts'
import { language, t } from '#i18n/translate.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { isShownWhole, passwordFault } from '#ui/faults.ts'
import { Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'
import { saveFile } from '#ui/save-file.ts'

export const Backup = () => {
  const { data } = useSuspenseQuery(readOperation('getServer', {}))
  return (
    <Page title={t('Backup')} description={t('People, workspaces, accounts and all documents in one file.')}>
      <Text>
        {t('Last backup:')} <Moment moment={data.lastBackupAt} never={t('None')} />
      </Text>
      <Missing missing={data.lastBackupMissing} />
      <Download />
      <Stack gap="sm" maw={720}>
        <Title order={2} size="h4">
          {t('Back up every day')}
        </Title>
        <Text>
          {t(
            'On the machine of the server, run this command from a scheduler, with the data folder of the server in place of DIR:',
          )}
        </Text>
        <CopyValue
          label={t('Command')}
          value={'npx querent backup "querent-$(date +%F).backup" --data DIR'}
          block
        />
      </Stack>
      <Stack gap="sm" maw={720}>
        <Title order={2} size="h4">
          {t('Restore')}
        </Title>
        <Text>
          {t(
            'Restore into a new folder, then start a server with it. The file is checked first, and a failed restore leaves nothing behind.',
          )}
        </Text>
        <CopyValue
          label={t('Commands')}
          value={`npx querent restore ${backupName()} --data restored\nnpx querent serve --data restored`}
          block
        />
        <Text size="sm" c="dimmed">
          {t(
            'If you set QUERENT_KEY, keep it yourself: it is not in the backup. What was revoked since the backup works again after a restore.',
          )}
        </Text>
      </Stack>
    </Page>
  )
}

/** Says what a backup lacks. */
const Missing = ({ missing }: { missing: readonly MissingDocuments[] }) =>
  missing.length > 0 && (
    <Alert color="red" variant="light" role="alert" title={t('The backup is incomplete')}>
      <Text size="sm">
        {t('These documents could not be read. Keep earlier backups, and repair the server.')}
      </Text>
      <List size="sm">
        {missing.map(({ workspace, collection, generation, reason }) => (
          <List.Item key={`${workspace}/${collection}/${generation}`}>
            {t('{collection}, generation {generation}: {reason}', {
              collection: `${workspace}/${collection}`,
              generation,
              reason,
            })}
          </List.Item>
        ))}
      </List>
    </Alert>
  )

/** Name of a file that is downloaded today, as the command names it. */
const backupName = (): string => `querent-${new Date().toISOString().slice(0, 10)}.backup`

const megabyte = 1024 * 1024

const formatMegabytes = (bytes: number): string =>
  (bytes / megabyte).toLocaleString(language, { maximumFractionDigits: 1 })

/** Asks for the password again, because the file contains every secret. */
const Download = () => {
  const [password, setPassword] = useState('')
  const [received, setReceived] = useState(0)
  const canceler = useRef<AbortController>(undefined)
  const cache = useQueryClient()
  const download = useMutation({
    mutationFn: async () => {
      setReceived(0)
      canceler.current = new AbortController()
      const { file, missing } = await downloadBackup(password, setReceived, canceler.current.signal)
      saveFile(backupName(), 'application/gzip', file)
      setPassword('')
      return missing
    },
    onSettled: () => cache.invalidateQueries(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    download.mutate()
  }
  const fault = passwordFault(download.error, 'password')
  const isCanceled = download.error?.name === 'AbortError'
  return (
    <form onSubmit={submit}>
      <Stack maw={560}>
        <PasswordInput
          label={t('Your password')}
          description={t(
            'The file contains every secret of the server. Keep it as safe as the server itself.',
          )}
          required
          autoComplete="current-password"
          value={password}
          onChange={event => setPassword(event.currentTarget.value)}
          error={fault}
          aria-invalid={fault !== undefined}
        />
        <Group>
          <Button type="submit" loading={download.isPending}>
            {t('Download backup')}
          </Button>
          {download.isPending && (
            <Button variant="default" onClick={() => canceler.current?.abort()}>
              {t('Cancel')}
            </Button>
          )}
        </Group>
        {download.isPending && (
          <Text role="status">{t('{size} MB received', { size: formatMegabytes(received) })}</Text>
        )}
        {download.error && !isCanceled && !isShownWhole(download.error, ['password']) && (
          <ErrorNote error={download.error} />
        )}
        {download.isSuccess && <Missing missing={download.data} />}
        {download.isSuccess && download.data.length === 0 && (
          <Alert color="green" variant="light" role="status">
            {t('The backup is complete: {size} MB.', { size: formatMegabytes(received) })}
          </Alert>
        )}
      </Stack>
    </form>
  )
}
