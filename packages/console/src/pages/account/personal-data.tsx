/** Export of one's data, and deletion of the account. */
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import type { Me } from '@querent/contract/manage'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { management } from '#api/manage.ts'
import { type AccountDraft, runWithRecentSignIn } from '#api/recent-sign-in.ts'
import { t } from '#i18n/translate.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { saveFile } from '#ui/save-file.ts'
import { DeleteAccountDialog } from './lazy-dialogs.ts'

/** `draft`: the form that the person left for a fresh sign-in. */
export const PersonalData = ({ me, draft }: { me: Me; draft: AccountDraft | undefined }) => {
  const download = useMutation({
    mutationFn: async () => {
      const data = await runWithRecentSignIn(() => management.call('exportMe', {}), { form: 'export' })
      saveFile('querent-account.json', 'application/json', JSON.stringify(data, null, 2))
    },
  })
  const isResumed = useRef(false)
  useEffect(() => {
    if (draft?.form !== 'export' || isResumed.current) return
    isResumed.current = true
    download.mutate()
  })
  return (
    <Stack gap="sm" maw={560}>
      <Title order={2} size="h4">
        {t('Your data')}
      </Title>
      <Text size="sm">
        {t('Download everything that is stored about you as a JSON file. It contains no passwords or keys.')}
      </Text>
      <Group>
        <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          {t('Export data')}
        </Button>
      </Group>
      {download.error && <ErrorNote error={download.error} />}
      <Title order={2} size="h4" mt="md">
        {t('Delete your account')}
      </Title>
      <Text size="sm">
        {me.operator
          ? t('You are an operator of this server. Ask another operator to delete your account.')
          : t('You must not be the last administrator of a workspace. Documents that you imported stay.')}
      </Text>
      {!me.operator && (
        <Group>
          <DialogButton
            label={t('Delete account')}
            variant="light"
            color="red"
            isOpenAtFirst={draft?.form === 'deletion'}
          >
            {dialog => (
              <DeleteAccountDialog
                {...dialog}
                me={me}
                typedBefore={draft?.form === 'deletion' ? draft.typed : undefined}
              />
            )}
          </DialogButton>
        </Group>
      )}
    </Stack>
  )
}
