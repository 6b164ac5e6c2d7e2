import { Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ConfirmButton } from './confirm-button.tsx'

interface DeleteSectionProps {
  title: string
  /** Effects of the deletion. */
  description: string
  /** Button label. */
  label: string
  question: string
  /** Text to type before the deletion. */
  name: string
  /** The warning of the dialog. */
  children: ReactNode
  remove: () => Promise<unknown>
  /** Opens the list that it was part of. */
  leave: () => Promise<unknown>
}

/** The end of a page: deletes what the page is about, after its name is typed. */
export const DeleteSection = ({
  title,
  description,
  label,
  question,
  name,
  children,
  remove,
  leave,
}: DeleteSectionProps) => {
  const cache = useQueryClient()
  // Leaves the page first, so that it does not refetch.
  const removeAndLeave = async () => {
    await remove()
    await leave()
    await cache.invalidateQueries()
  }
  return (
    <Stack gap="sm" align="flex-start" maw={560}>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text>{description}</Text>
      <ConfirmButton label={label} question={question} typed={name} isProminent onConfirm={removeAndLeave}>
        {children}
      </ConfirmButton>
    </Stack>
  )
}
