import { Button, Group, Stack } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { t } from '#i18n/translate.ts'

/** Whether the page is as narrow as a phone. */
export const useIsPhone = (): boolean =>
  useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })

interface PhoneFoldProps {
  /** Whether the list is filtered: the button says so. */
  isFiltered: boolean
  /** The filters. */
  children: ReactNode
  /** Buttons that export, below the filters. On a wide page they are elsewhere. */
  actions?: ReactNode
}

/** The filters of a list. On a phone they are behind a button, so that the page begins with the entries. */
export const PhoneFold = ({ isFiltered, children, actions }: PhoneFoldProps) => {
  const isPhone = useIsPhone()
  const [isOpen, setOpen] = useState(false)
  if (!isPhone) return children
  return (
    <Stack gap="md">
      <Group>
        <Button
          variant={isFiltered ? 'light' : 'default'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {describeFold(actions !== undefined, isFiltered)}
        </Button>
      </Group>
      {isOpen && (
        <>
          {children}
          {actions}
        </>
      )}
    </Stack>
  )
}

const describeFold = (hasExport: boolean, isFiltered: boolean): string => {
  if (hasExport) return isFiltered ? t('Filters and export (filtered)') : t('Filters and export')
  return isFiltered ? t('Filters (filtered)') : t('Filters')
}
