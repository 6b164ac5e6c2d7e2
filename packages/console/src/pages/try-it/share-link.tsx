import { Button, CopyButton } from '@mantine/core'
import { IconCheck, IconLink } from '@tabler/icons-react'
import { useLocation } from '@tanstack/react-router'
import { t } from '#i18n/translate.ts'

/** Copies the address, which has the endpoint, its parameters and the view. Others see the search with their own rights. */
export const ShareLink = () => {
  const href = useLocation({ select: location => location.href })
  return (
    <CopyButton value={new URL(`/console${href}`, location.origin).href} timeout={2000}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          onClick={copy}
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconLink size={16} aria-hidden />}
        >
          {copied ? t('Link copied') : t('Copy link')}
        </Button>
      )}
    </CopyButton>
  )
}
