import { Alert } from '@mantine/core'
import { IconWifiOff } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { t } from '#i18n/translate.ts'

/** Says so above the page while the browser has no network. */
export const OfflineNote = () => {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  return (
    // The live region is there before its text, or screen readers miss it.
    <div role="status">
      {!isOnline && (
        <Alert
          role="note"
          color="yellow"
          icon={<IconWifiOff size={18} />}
          title={t("You're offline")}
          mb="md"
        >
          {t('The page shows what it loaded before. It continues as soon as the connection is back.')}
        </Alert>
      )}
    </div>
  )
}

const subscribe = (onChange: () => void) => {
  window.addEventListener('online', onChange)
  window.addEventListener('offline', onChange)
  return () => {
    window.removeEventListener('online', onChange)
    window.removeEventListener('offline', onChange)
  }
}
